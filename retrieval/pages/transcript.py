"""An answer of the ledger as a reader sees it now: blocks of sentences, each source with its quote.

What the reader may not see any more (its library was closed or removed, its file withdrawn) is withheld, not shown
from memory.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef

from knowledge.models import Answer, AnswerCitation, Chunk, Library
from knowledge.models.library import Reader
from knowledge.texts.fences import marks_of
from knowledge.texts.formats import HOLDING_HTML, Notation, notation_of
from knowledge.texts.languages.questions import language_of
from knowledge.texts.lines import placed
from knowledge.texts.tables.table import Table
from retrieval.answering.marks import as_named, without_marks
from retrieval.answering.phrases import said_in
from retrieval.answering.quoting.tables import head_above
from retrieval.answering.revocation import Sight, open_files
from retrieval.answering.sentences import LIST_MARK, ROW, Span, asserts, names_columns
from retrieval.notations import is_document
from retrieval.rendering.plain import as_plain_text, pieces, tables_apart
from retrieval.results import NEAREST, reading_url

WORD = re.compile(r"\w+")
HEADING = re.compile(r"#{1,6}\s+")


@dataclass(frozen=True, slots=True)
class Source:
    """A citation, or a passage that a refusal points at."""

    n: int  # on the page, where sources are counted as they appear; the ledger has its own
    quote: str
    verified: bool
    withheld: bool
    kind: str = "prose"
    library: str = ""
    snapshot: int = 0
    path: str = ""
    title: str = ""
    breadcrumb: tuple[str, ...] = ()
    line_start: int = 0
    line_end: int = 0
    page: int | None = None
    url: str = ""
    chunk: int = 0
    pinned: bool = False
    placed: str = ""  # the quotation as its lines stand to each other
    head: str = ""  # of the table whose rows it begins with

    @property
    def shown(self) -> str:
        """The quotation as it reads best; `quote` is word for word."""
        return as_plain_text(self.head + self.placed, notation_of(self.path)) if is_document(self.path) else self.quote

    @property
    def is_exact(self) -> bool:
        """Whether what is shown has all the words of the quotation in their order, and no others."""
        shown, quoted = (WORD.findall(text.casefold()) for text in (self.shown, self.quote))
        return shown == quoted


@dataclass(frozen=True, slots=True)
class Said:
    text: str
    supported: bool  # or nothing that could be: “Do this:”
    withheld: bool
    sources: tuple[Source, ...]
    hint: float | None = None
    is_plain: bool = False  # as it is to be shown: its markup is gone
    is_code: bool = False
    table: Table | None = None  # to be drawn; the text says the same row by row


@dataclass(frozen=True, slots=True)
class Block:
    kind: str  # paragraph, item, heading, table or code
    sentences: tuple[Said, ...]
    number: str = ""  # of an item that has one, as it stands: `2.`


@dataclass(frozen=True, slots=True)
class Transcript:
    row: Answer
    blocks: tuple[Block, ...]
    sources: tuple[Source, ...]
    nearest: tuple[Source, ...]
    open: bool  # whether the reader may see everything that it was drawn from
    said: str = ""  # where no sentence is laid out: a refusal
    standalone: str = ""  # how a follow-up was understood, where that says more than its own words
    files: tuple[str, ...] = ()  # in which alone it was searched, as far as the reader may know them

    @property
    def language(self) -> str:
        """What the text is read aloud in, a guess; the page around it is in English."""
        return language_of(" ".join(said.text for block in self.blocks for said in block.sentences) or self.said)

    @property
    def hinted(self) -> bool:
        return any(said.hint is not None for block in self.blocks for said in block.sentences)

    @property
    def unsupported(self) -> bool:
        return any(not said.supported for block in self.blocks for said in block.sentences)


def transcript(row: Answer, user: Reader) -> Transcript:
    return transcripts([row], user)[0]


def transcripts(rows: Sequence[Answer], user: Reader) -> list[Transcript]:
    """Of several answers: the same few statements, however many they are."""
    sight, libraries = Sight(user, rows), libraries_named(rows, user)
    cited = citations(rows, sight)
    by_number = {row.pk: as_they_appear(row, cited[row.pk]) for row in rows}
    pointing = [row for row in rows if row.state != Answer.State.INCOMPLETE and not by_number[row.pk]]
    nearest = passages(pointing, sight)
    return [as_seen(row, by_number[row.pk], nearest.get(row.pk, ()), sight, libraries) for row in rows]


def as_seen(
    row: Answer,
    by_number: dict[int, Source],
    nearest: tuple[Source, ...],
    sight: Sight,
    libraries: dict[str, datetime],
) -> Transcript:
    is_open = sight.is_open(row)
    is_worded = row.standalone != row.question and is_open and sight.is_wording_open(row)
    is_scope_open = all(slug in libraries and libraries[slug] <= row.asked_at for slug, _ in row.snapshots)
    return Transcript(
        row,
        tuple(blocks(row, by_number, is_open)),
        tuple(by_number.values()),
        nearest,
        is_open,
        said=refusal(row, is_scope_open),
        standalone=row.standalone if is_worded else "",
        files=tuple(row.options.get("files", ())) if is_open and is_scope_open else (),
    )


def libraries_named(rows: Sequence[Answer], user: Reader) -> dict[str, datetime]:
    """Of the libraries that were searched, those that the reader may read, and since when there is one of that name."""
    named = {slug for row in rows for slug, _ in row.snapshots}
    return dict(Library.objects.readable_by(user).filter(slug__in=named).values_list("slug", "created_at"))


def refusal(row: Answer, is_scope_open: bool) -> str:
    """A refusal, which names what was searched, to whom all of that is open."""
    if not row.refused:
        return ""
    return row.text if is_scope_open else said_in(language_of(row.standalone or row.question)).refusal


def citations(rows: Sequence[Answer], sight: Sight) -> dict[int, list[Source]]:
    """By answer."""
    by_key = {row.pk: row for row in rows}
    found: dict[int, list[Source]] = {pk: [] for pk in by_key}
    its_file = open_files(sight.user).filter(pk=OuterRef("chunk__file_version__document_file"))
    kept = AnswerCitation.objects.filter(answer__in=by_key).annotate(is_readable=Exists(its_file))
    kept = kept.select_related("chunk__section", "chunk__file_version__document_file__library")
    for citation in kept.defer("chunk__file_version__text"):
        row, chunk = by_key[citation.answer_id], citation.chunk
        if chunk and citation.is_readable and library_of(chunk) not in sight.closed_for(row):
            place = citation.line_start, citation.line_end
            shown = source(chunk, dict(row.snapshots), citation.n, citation.quote, citation.verified, place)
        else:
            shown = Source(citation.n, "", citation.verified, withheld=True)
        found[row.pk].append(shown)
    return found


def library_of(chunk: Chunk) -> int:
    return chunk.file_version.document_file.library_id


def as_they_appear(row: Answer, sources: Iterable[Source]) -> dict[int, Source]:
    """The sources by their numbers in the ledger, numbered 1, 2, … in the order in which the text names them."""
    kept = {source.n: source for source in sources}
    named = (n for entry in row.sentences for n in entry["citations"])
    return {n: replace(kept[n], n=place) for n, place in as_named(named, kept).items()}


def page_numbers(row: Answer) -> dict[int, int]:
    """How the answer's page counts its sources, by their numbers in the ledger."""
    sources = (Source(n, "", verified=False, withheld=True) for n in row.citations.values_list("n", flat=True))
    return {n: shown.n for n, shown in as_they_appear(row, sources).items()}


def passages(rows: Sequence[Answer], sight: Sight) -> dict[int, tuple[Source, ...]]:
    """By answer: the sections nearest to a question that was not answered."""
    nearest = {row.pk: sight.seen(row)[:NEAREST] for row in rows}
    chunks = (
        Chunk.objects.filter(pk__in={pk for found in nearest.values() for pk in found})
        .select_related("section", "file_version__document_file__library")
        .defer("file_version__text")
        .in_bulk()
    )
    return {row.pk: tuple(pointed_at(row, [chunks[pk] for pk in nearest[row.pk] if pk in chunks])) for row in rows}


def pointed_at(row: Answer, chunks: Sequence[Chunk]) -> Iterator[Source]:
    for n, chunk in enumerate(chunks, start=1):
        yield source(chunk, dict(row.snapshots), n, chunk.text, True, (chunk.line_start, chunk.line_end))


def source(
    chunk: Chunk, snapshots: dict[str, int], n: int, quote: str, verified: bool, place: tuple[int, int]
) -> Source:
    document = chunk.file_version.document_file
    library = document.library.slug
    at = max(chunk.text.find(quote), 0)
    return Source(
        n=n,
        quote=quote,
        verified=verified,
        withheld=False,
        kind=chunk.kind,
        library=library,
        snapshot=snapshots.get(library, 0),
        path=document.path,
        title=chunk.section.title,
        breadcrumb=tuple(chunk.section.breadcrumb),
        line_start=place[0],
        line_end=place[1],
        page=chunk.page,
        url=reading_url(library, snapshots.get(library, 0), document.path, place, f"L{place[0]}"),
        chunk=chunk.pk,
        placed=placed(quote, at, chunk.text) if is_document(document.path) else quote,
        head=head_above(chunk.text, Span(at, at + len(quote)), chunk.context),
    )


def blocks(row: Answer, sources: dict[int, Source], is_open: bool) -> Iterator[Block]:
    """The sentences put back into the paragraphs and lists of the text.

    From who may not see every passage all is withheld but what is borne out by sources that they may all see: what
    else is written may come from any passage, whatever it cites.
    """
    said: list[Said] = []
    for opens, entry in laid_out(row):
        for place, one in enumerate(parts(sentence(entry, sources, is_open))):
            if said and (opens or place or kind_of(one) != "paragraph"):
                yield shown(said)
                said = []
            said.append(one)
    if said:
        yield shown(said)


def laid_out(row: Answer) -> Iterator[tuple[bool, dict[str, Any]]]:
    """The sentences in order, and whether each opens a paragraph. What stands before the first is Muniment's own."""
    quoted = all(entry["text"] in row.text for entry in row.sentences)  # what is quoted has marks of its own
    text, end = row.text if quoted else without_marks(row.text), 0
    for place, entry in enumerate(with_whole_tables(row.sentences)):
        start = max(text.find(entry["text"], end), end)
        before = text[end:start]
        if place == 0 and (own := without_marks(before)):
            yield True, {"text": own, "citations": [], "supported": True, "own": True}
        yield "\n\n" in before, entry
        end = start + len(entry["text"])


def with_whole_tables(entries: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a table that a model wrote as one entry, which is borne out if each of them is."""
    for in_table, group in groupby(entries, key=lambda entry: bool(ROW.fullmatch(entry["text"]))):
        rows = list(group)
        if not in_table or len(rows) == 1:
            yield from rows
            continue
        cited = dict.fromkeys(n for entry in rows for n in entry["citations"])
        supported = all(entry["supported"] or names_columns(entry["text"]) for entry in rows)
        yield {"text": "\n".join(entry["text"] for entry in rows), "citations": [*cited], "supported": supported}


def sentence(entry: dict[str, Any], sources: dict[int, Source], is_open: bool) -> Said:
    named = tuple(sources[n] for n in entry["citations"] if n in sources)
    withheld = is_withheld(entry, [source.withheld for source in named], is_open)
    text = "" if withheld else with_its_lines(str(entry["text"]), named)
    unfounded = not entry["supported"] and asserts(str(entry["text"]), bool(entry["citations"]))
    return Said(text, not unfounded, withheld, named, entry.get("hint"))


def is_withheld(entry: dict[str, Any], closed: Sequence[bool], is_open: bool) -> bool:
    """`closed` says of each of its sources whether it is withheld."""
    if is_open or entry.get("own"):
        return bool(closed) and all(closed)
    return not (closed and entry["supported"]) or any(closed)


def with_its_lines(text: str, named: Iterable[Source]) -> str:
    """An extract's lines are joined in the ledger; its source has kept them."""
    folded = " ".join(text.split())
    return next((source.placed for source in named if " ".join(source.quote.split()) == folded), text)


def kind_of(said: Said) -> str:
    quoted_code = any(source.kind == "code" and said.text in source.quote for source in said.sources)
    if said.table:
        return "table"
    torn = quoted_code and "\n" in said.text and not fence_of(said.text)
    if said.is_code or is_fenced(said.text) or torn:
        return "code"
    if HEADING.match(said.text.lstrip()):
        return "heading"
    return "item" if LIST_MARK.match(said.text.lstrip()) else "paragraph"


def is_fenced(text: str) -> bool:
    """Whether all of it stands in one fence, which may lack its end."""
    fence = fence_of(text)
    return bool(fence) and text.find(f"\n{fence}") in (-1, len(text.rstrip()) - len(fence) - 1)


def fence_of(text: str) -> str:
    """The marks of the fence that it begins with: none for ```code``` in a sentence."""
    return marks_of(text.partition("\n")[0]) if text.startswith(("```", "~~~")) else ""


def parts(said: Said) -> list[Said]:
    """The paragraphs, list items, tables and listings of a quotation: the sources stand behind the last."""
    if kind_of(said) == "code" or not all(is_document(source.path) for source in said.sources):
        return [said]
    notation = notation_in(said)
    apart = tables_apart(head_above_quote(said) + said.text, notation)
    found = [part for text, table in apart for part in told_apart(replace(said, text=text), table, notation)]
    if len(found) == 1 and not found[0].table:
        return [said]
    return [*(replace(part, sources=()) for part in found[:-1]), found[-1]] if found else [said]


def head_above_quote(said: Said) -> str:
    """Of the table whose rows are quoted: the columns are named above them, wherever the file does that."""
    return next((source.head for source in said.sources if source.placed == said.text), "")


def told_apart(said: Said, table: Table | None, notation: Notation | None) -> list[Said]:
    shown = [("\n".join(table.told()), False)] if table else pieces(said.text, notation)
    return [replace(said, text=text, is_code=is_code, is_plain=True, table=table) for text, is_code in shown]


def notation_in(said: Said) -> Notation | None:
    """What all of its sources are written in. What a parser wrote out has no marks; a model's words on it may have."""
    found = {notation_of(source.path) for source in said.sources}
    if found and found <= {*HOLDING_HTML}:
        return Notation.MARKDOWN
    is_quoted = any(source.placed == said.text for source in said.sources)
    return Notation.WRITTEN_OUT if is_quoted and found == {Notation.WRITTEN_OUT} else None


def shown(said: list[Said]) -> Block:
    kind = kind_of(said[0])
    mark = LIST_MARK.match(said[0].text.lstrip()) if kind == "item" else None
    number = mark[0].strip() if mark and mark[0][0].isdigit() else ""
    return Block(kind, tuple(replace(one, text=shown_text(one, kind)) for one in said), number)


def shown_text(said: Said, kind: str) -> str:
    """A list item without its mark, a heading without its hashes, code without its fence; prose without markup."""
    if kind == "code" and not said.is_plain:
        if fence := fence_of(said.text):
            return "\n".join(said.text.removesuffix(fence).splitlines()[1:]).rstrip()
        if not all(is_document(source.path) for source in said.sources):
            return said.text
    text = said.text if said.is_plain else as_plain_text(said.text, notation_in(said))
    return LIST_MARK.sub("", text) if kind == "item" else text
