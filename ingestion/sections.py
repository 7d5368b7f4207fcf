"""From a file's blocks to its sections: a tree by heading level, and a partition of the file's lines."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingestion.documents import BlockKind, ParsedDocument, SectionDraft, is_bare, line_starts, stem

LONGEST_SLUG = 500  # characters: Postgres indexes at most 2,704 bytes


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a section begins, and what its heading says. Level 0 is what precedes the first heading."""

    level: int
    title: str
    labels: tuple[str, ...]
    block: int


def build_sections(document: ParsedDocument) -> tuple[SectionDraft, ...]:
    """The sections in reading order, parents before children. Their lines are the file's: none missing, none twice.

    A section runs to the line before the next heading of any level. Content above the first heading is a section of
    level 0, without children; without such content the first heading's section begins on line 1. Code between symbols
    is of level 0, too.
    """
    openings = below_title(list(find_openings(document)), document)
    anchors = name_anchors([slug(opening.title) for opening in openings], [opening.level for opening in openings])
    aliases = name_aliases([opening.labels for opening in openings], anchors)
    parents = find_parents([opening.level for opening in openings])
    spans = find_spans(openings, document)
    sections: list[SectionDraft] = []
    for ordinal, (opening, parent) in enumerate(zip(openings, parents, strict=True)):
        above = sections[parent].breadcrumb if parent is not None else root(document, openings)
        stop = openings[ordinal + 1].block if ordinal + 1 < len(openings) else len(document.blocks)
        blocks = document.blocks[opening.block : stop]
        section = SectionDraft(
            ordinal=ordinal,
            parent=parent,
            level=opening.level,
            title=opening.title,
            breadcrumb=breadcrumb(opening, above, document),
            anchor=anchors[ordinal],
            aliases=aliases[ordinal],
            line_start=spans[ordinal][0],
            line_end=spans[ordinal][1],
            page=blocks[0].page if blocks else None,
            blocks=blocks,
        )
        sections.append(section)
    return tuple(sections)


def find_openings(document: ParsedDocument) -> Iterator[Opening]:
    blocks = document.blocks
    if not blocks or blocks[0].kind is not BlockKind.HEADING:
        yield Opening(0, document.title, (), 0)
    for index, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING:
            level = block.level if block.language else max(block.level, 1)
            yield Opening(level, block.title or stem(document.path), block.labels, index)


def below_title(openings: list[Opening], document: ParsedDocument) -> list[Opening]:
    """The openings, all but the first a level further down where that is the document's title and stands beside them.

    It is where nothing but a heading stands there, and another of its level, the highest, follows at once and says
    something: files that only list headings have no title among them.
    """
    first, *following = openings
    highest = min((opening.level for opening in following if opening.level), default=0)
    is_beside = bool(following) and first.level == following[0].level == highest > 0
    is_title = is_beside and first.title == document.title and is_empty(openings, 0, document)
    if not is_title or is_empty(openings, 1, document):
        return openings
    return [first, *(replace(each, level=each.level + 1) if each.level else each for each in following)]


def is_empty(openings: Sequence[Opening], ordinal: int, document: ParsedDocument) -> bool:
    """Whether nothing stands below the heading, neither text nor headings of a lower level."""
    opening, after = openings[ordinal], openings[ordinal + 1 : ordinal + 2]
    blocks = document.blocks[opening.block : after[0].block if after else len(document.blocks)]
    return is_bare(blocks) and all(other.level <= opening.level for other in after)


def breadcrumb(opening: Opening, above: tuple[str, ...], document: ParsedDocument) -> tuple[str, ...]:
    """Code between the methods of a class has the class's name and stands below it: the name is said once."""
    if not opening.level:
        return (opening.title,) if opening.title else ()
    is_of_class = above[-1:] == (opening.title,) and document.blocks[opening.block].language
    return above if is_of_class else (*above, opening.title)


def find_spans(openings: Sequence[Opening], document: ParsedDocument) -> list[tuple[int, int]]:
    starts = [1, *(document.blocks[opening.block].line_start for opening in openings[1:])]
    ends = [*(start - 1 for start in starts[1:]), len(line_starts(document.text))]
    return list(zip(starts, ends, strict=True))


def find_parents(levels: Sequence[int]) -> list[int | None]:
    """For each section the nearest one above it of a higher rank, however many levels lie between; never level 0."""
    parents: list[int | None] = []
    path: list[int] = []
    for ordinal, level in enumerate(levels):
        while path and levels[path[-1]] >= level:
            path.pop()
        parents.append(path[-1] if path else None)
        if level:
            path.append(ordinal)
    return parents


def root(document: ParsedDocument, openings: Sequence[Opening]) -> tuple[str, ...]:
    """The document's own title, when it has one (front matter, a code file's name) that no heading repeats."""
    first = next((opening.title for opening in openings if opening.level), document.title)
    return (document.title,) if document.title and document.title != first else ()


def slug(title: str) -> str:
    """Letters, digits and marks of any script in lower case, joined by hyphens: an id as docutils would make it."""
    kept = (
        character if unicodedata.category(character)[0] in "LNM" else " "
        for character in unicodedata.normalize("NFKC", title).lower()
    )
    return "-".join("".join(kept).split())[:LONGEST_SLUG] or "section"


def name_anchors(slugs: Sequence[str], levels: Sequence[int]) -> list[str]:
    """The slugs made unique: the first heading with a slug keeps it, later ones get -1, -2 … as are free."""
    natural, used = set(slugs), set[str]()
    numbers: dict[str, int] = {}
    anchors = list(slugs)
    for ordinal in sorted(range(len(slugs)), key=lambda index: (levels[index] == 0, index)):
        anchor = slugs[ordinal]
        while anchor in used or (anchor in natural and anchor != slugs[ordinal]):
            numbers[slugs[ordinal]] = numbers.get(slugs[ordinal], 0) + 1
            anchor = f"{slugs[ordinal]}-{numbers[slugs[ordinal]]}"
        used.add(anchor)
        anchors[ordinal] = anchor
    return anchors


def name_aliases(labels: Sequence[tuple[str, ...]], anchors: Sequence[str]) -> list[tuple[str, ...]]:
    """The labels as anchors, without those that name something else already."""
    used = set(anchors)
    aliases: list[tuple[str, ...]] = []
    for names in labels:
        own = [name for name in dict.fromkeys(slug(label) for label in names) if name not in used]
        used.update(own)
        aliases.append(tuple(own))
    return aliases
