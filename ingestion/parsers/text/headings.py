"""Headings of plain text, where they are safe to tell: underlined, numbered, in capitals, or outdented."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from ingestion.documents import Block, BlockKind

UNDERLINE = re.compile(r"={3,}|-{3,}")
UNDERLINES = ("=", "-")  # levels 1 and 2
NUMBERED = re.compile(r"(?P<number>(?:\d{1,3}|[A-Z](?=\.))(?:\.\d{1,3}){0,5})(?P<point>\.?)\s+(?P<title>\S.*)")
SENTENCE_END = tuple(".,;:!")
COLUMNS = re.compile(r"\S(?: {3,}|\t)\S|;")  # or fields
LONGEST = 90  # characters of a title
FEWEST = 3  # headings of a kind
MOST_STARTS = 20  # of an outline, which a table of contents may have as well
WIDEST_STEP = 2  # from one number to the next: a heading between them may not be told
APPENDIX = 1_000  # the number of A
OUTDENT = 2  # columns that all but OUTDENTED of a text stands farther right
OUTDENTED = 0.15


@dataclass(frozen=True, slots=True)
class Alone:
    """A paragraph of one line: its place among the paragraphs, its indentation, and its text."""

    place: int
    indent: int
    text: str


@dataclass(frozen=True, slots=True)
class Numbered:
    line: Alone
    number: tuple[int, ...]
    point: str


Levels = dict[int, int]  # a paragraph's place → its level as a heading


def with_headings(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[Block]:
    """The paragraphs, those as headings that are some."""
    blocks = below_their_heads(blocks, lines)
    levels = headings(blocks, lines)
    for place, block in enumerate(blocks):
        if level := levels.get(place):
            title = " ".join(lines[block.line_start - 1].split())
            yield Block(BlockKind.HEADING, block.line_start, block.line_end, level, title)
        else:
            yield block


def below_their_heads(blocks: Sequence[Block], lines: Sequence[str]) -> Sequence[Block]:
    """The paragraphs without their first lines where these are heads as in manual pages: at the margin and in capitals,
    what they stand above further in."""
    heads = {place for place, block in enumerate(blocks) if has_head(block, lines)}
    if len(heads) < FEWEST:
        return blocks
    parted: list[Block] = []
    for place, block in enumerate(blocks):
        if place in heads:
            parted.append(replace(block, line_end=block.line_start))
        parted.append(replace(block, line_start=block.line_start + (place in heads)))
    return parted


def has_head(block: Block, lines: Sequence[str]) -> bool:
    first, *rest = lines[block.line_start - 1 : block.line_end]
    shouted = is_title(first.strip()) and is_shouted(Alone(0, 0, first.strip()))
    return shouted and not indent_of(first) and bool(rest) and min(map(indent_of, rest)) >= OUTDENT


def headings(blocks: Sequence[Block], lines: Sequence[str]) -> Levels:
    alone = [
        Alone(place, indent_of(lines[block.line_start - 1]), lines[block.line_start - 1].strip())
        for place, block in enumerate(blocks)
        if block.line_start == block.line_end
    ]
    titles = [line for line in alone if is_title(line.text)]
    margin = min((indent_of(line) for line in lines if line.strip()), default=0)
    underlined = {
        place: level for place, block in enumerate(blocks) if (level := underline_level(block, lines, margin))
    }
    deepest = max(underlined.values(), default=0)
    numbered = {place: deepest + level for place, level in outline(titles, len(blocks)).items()}
    if found := underlined | numbered:
        return found
    texts = ["\n".join(lines[block.line_start - 1 : block.line_end]) for block in blocks]
    return over_text(filter(is_shouted, titles), texts, same_indent) or outdented(titles, texts, lines)


def indent_of(line: str) -> int:
    line = line.expandtabs(8)
    return len(line) - len(line.lstrip())


def is_title(text: str) -> bool:
    first = next((letter for letter in text if letter.isalpha()), "")
    starts_well = first != "" and not first.islower() and (text[0].isalnum() or text[0] in "\"“‘'(«¿")
    return starts_well and len(text) <= LONGEST and not text.endswith(SENTENCE_END) and not COLUMNS.search(text)


def underline_level(block: Block, lines: Sequence[str], margin: int) -> int:
    """0 where it is not a title at the text's margin and below it a line of = or - as long as it."""
    if block.line_end != block.line_start + 1:
        return 0
    title, line = lines[block.line_start - 1], lines[block.line_start]
    if not UNDERLINE.fullmatch(line.strip()) or len(line.strip()) != len(title.strip()):
        return 0
    fits = indent_of(title) == indent_of(line) == margin and not COLUMNS.search(title) and any(map(str.isalnum, title))
    return UNDERLINES.index(line.strip()[0]) + 1 if fits else 0


# --- numbers ----------------------------------------------------------------------------------------


def outline(titles: Sequence[Alone], count: int) -> Levels:
    """The titles whose numbers ascend as those of sections do: 1, 1.1, 1.2, 2 …; none where it may be a list.
    Without such parts they are sections where all are in capitals."""
    candidates = [found for line in titles if (found := numbered(line))]
    candidates = [one for one, after in pairwise([*candidates, None]) if one and has_text(one, after, count)]
    starts = [at for at, one in enumerate(candidates) if one.number in ((0,), (1,))]
    chains = (list(ascending(candidates[at:])) for at in islice(starts, MOST_STARTS))
    best = max(chains, key=len, default=[])
    is_deep = sum(len(one.number) > 1 for one in best) > 1
    is_outline = len(best) >= FEWEST and (is_deep or all(is_shouted(one.line) for one in best))
    return {one.line.place: len(one.number) for one in best} if is_outline else {}


def numbered(line: Alone) -> Numbered | None:
    match = NUMBERED.fullmatch(line.text)
    if match is None or not is_title(match["title"]):
        return None
    number = (int(part) if part.isdecimal() else APPENDIX + ord(part) - ord("A") for part in match["number"].split("."))
    return Numbered(line, tuple(number), match["point"])


def has_text(one: Numbered, after: Numbered | None, count: int) -> bool:
    """Whether it says something, or has sections of its own: items and tables of contents go on at once."""
    if after is None or after.line.place > one.line.place + 1:
        return one.line.place + 1 < count
    return len(after.number) > len(one.number)


def ascending(candidates: Sequence[Numbered]) -> Iterator[Numbered]:
    """From the first on those that follow each other, each depth written in one way."""
    manner: dict[int, tuple[int, str]] = {}
    last: tuple[int, ...] = ()
    for one in candidates:
        depth = len(one.number)
        if last and not follows(last, one.number):
            continue
        if manner.setdefault(depth, (one.line.indent, one.point)) == (one.line.indent, one.point):
            last = one.number
            yield one


def follows(last: tuple[int, ...], number: tuple[int, ...]) -> bool:
    """Whether a section of this number may come next: its first part, or the next at the same depth or above."""
    if number == (APPENDIX,):
        return last[0] < APPENDIX
    *above, own = number
    kept = len(above)
    if kept > len(last) or tuple(above) != last[:kept]:
        return False
    return own <= WIDEST_STEP if kept == len(last) else 0 < own - last[kept] <= WIDEST_STEP


# --- capitals and outdented lines -------------------------------------------------------------------


def is_shouted(line: Alone) -> bool:
    return line.text.isupper() and sum(map(str.isalpha, line.text)) > 3


def same_indent(titles: Sequence[Alone]) -> list[Alone]:
    indents = [line.indent for line in titles]
    usual = max(indents, key=indents.count, default=0)
    return [line for line in titles if line.indent == usual]


def over_text(
    titles: Iterator[Alone], texts: Sequence[str], chosen: Callable[[Sequence[Alone]], list[Alone]]
) -> Levels:
    """The titles below each of which something is said in small letters; all or none."""
    found = chosen(list(titles))
    followed = all(line.place + 1 < len(texts) and any(map(str.islower, texts[line.place + 1])) for line in found)
    apart = all(below.place > above.place + 1 for above, below in pairwise(found))
    return {line.place: 1 for line in found} if len(found) >= FEWEST and followed and apart else {}


def outdented(titles: Sequence[Alone], texts: Sequence[str], lines: Sequence[str]) -> Levels:
    """The titles at the margin of a text that is indented as a whole, as browsers without graphics write pages down."""
    indents = [indent_of(line) for line in lines if line.strip()]
    if sum(indent < OUTDENT for indent in indents) > OUTDENTED * len(indents):
        return {}
    margin = (line for line in titles if not line.indent)
    return over_text(margin, texts, list)
