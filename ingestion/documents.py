"""The values that the ingestion stages exchange: source → files → parse → sections → chunks.

Lines are 1-based and inclusive; character offsets are 0-based, half-open, into `ParsedDocument.text`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

LONGEST_PATH = 1_000  # characters, as DocumentFile.path
LONGEST_TITLE = 1_000  # characters, as FileVersion.title


class ParseError(Exception):
    """A file could not be read as what its name says it is. The reason is meant for a person.

    `scanned`: its pages are images, and text recognition could read it.
    """

    def __init__(self, path: str, reason: str, line: int | None = None, scanned: bool = False) -> None:
        self.path, self.reason, self.line, self.scanned = path, reason, line, scanned
        super().__init__(f"{path}:{line}: {reason}" if line else f"{path}: {reason}")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as its source offers it. `identity` changes whenever the content does (a git blob id, or the SHA-256).

    Where the content may change between listing and reading, `identify` names what was read.
    """

    path: str
    identity: str
    size: int
    read: Callable[[], bytes]
    identify: Callable[[bytes], str] | None = None


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    NOTE = "note"
    DEFINITION = "definition"


Box = tuple[float, float, float, float]  # left, top, right, bottom in points, from the page's top left corner


def union(boxes: Sequence[Box | None]) -> Box | None:
    """The smallest box around those that are known."""
    known = [box for box in boxes if box]
    if not known:
        return None
    lefts, tops, rights, bottoms = zip(*known, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of whole lines of the document's text that says one thing.

    Blocks come in document order and never overlap. A heading has `level` (1 = the highest in this file), its plain
    `title`, and the `labels` that point at it (RST targets, Markdown `{#id}`), which become extra anchors.
    A heading with a `language` is itself code (the line that opens a symbol), and is retrieved with its body.
    """

    kind: BlockKind
    line_start: int
    line_end: int
    level: int = 0
    title: str = ""
    labels: tuple[str, ...] = ()
    language: str = ""
    page: int | None = None
    box: Box | None = None
    header: str = ""  # of a table: the cells of its header row, for the pieces that it may be cut into


def is_bare(blocks: Sequence[Block]) -> bool:
    """Whether they are nothing but a heading."""
    return [block.kind for block in blocks] == [BlockKind.HEADING] and not blocks[0].language


class LinkKind(StrEnum):
    CONTENTS = "contents"  # an entry of a table of contents over files (`toctree`): this file stands below that one
    INCLUDE = "include"  # the text of a file of the library belongs here


@dataclass(frozen=True, slots=True)
class FileLink:
    """What a line of a file says about another file of its library.

    `target` is as it is written there, a path relative to the file or, with a leading slash, to the top; an entry of a
    table of contents names a file without its suffix, or with wildcards.
    """

    kind: LinkKind
    line: int
    target: str


@dataclass(frozen=True, slots=True)
class SymbolDraft:
    """What code defines: a class, a function, a method."""

    ordinal: int  # within the file
    kind: str
    name: str
    qualified_name: str  # with the names of what it stands in, joined by points
    language: str
    line_start: int  # decorators included
    line_end: int
    signature: str  # on one line
    docstring: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceDraft:
    """A call, an import or a base class, as it is written; of Go `self.` is for the receiver, whatever it is called."""

    kind: str  # call, import or base
    name: str  # the last part of `written`; of an import the name that this file uses, "*" for all
    written: str
    target: str  # of an import: where it comes from, joined by points
    symbol: int | None  # the ordinal of the symbol that it stands in
    line: int


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """`text` is the decoded content with `\\n` line ends: what quotes are substrings of and lines are counted in.

    Of a format that is no text (PDF, DOCX …) it is what the parser wrote down of it, block by block.
    `natural_language` is an ISO 639-1 code, or "" where it cannot be told.
    """

    path: str
    text: str
    title: str
    media_type: str
    blocks: tuple[Block, ...]
    warnings: tuple[str, ...] = ()
    natural_language: str = ""
    links: tuple[FileLink, ...] = ()
    scanned: bool = False  # some of its pages are images, and text recognition could read more
    symbols: tuple[SymbolDraft, ...] = ()  # of code
    references: tuple[ReferenceDraft, ...] = ()


def line_starts(text: str) -> list[int]:
    """The offset of each line. Only `\\n` ends a line, and a final one does not open another: an empty text has one."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return starts[:-1] if len(starts) > 1 and starts[-1] == len(text) else starts


def stem(path: str) -> str:
    """What to call a file that has no title: its name up to the first dot."""
    name = path.rsplit("/", 1)[-1]
    return name.split(".", 1)[0] or name or "document"


@dataclass(frozen=True, slots=True)
class SectionDraft:
    """A node of a file's heading tree, without its children's lines: the sections of a file partition its lines."""

    ordinal: int
    parent: int | None
    level: int
    title: str
    breadcrumb: tuple[str, ...]  # the titles from the file's top to this section, itself included
    anchor: str
    aliases: tuple[str, ...]
    line_start: int
    line_end: int
    page: int | None
    blocks: tuple[Block, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """What is retrieved. `text` is `document.text[char_start:char_end]`, byte for byte."""

    ordinal: int  # within the file
    section: int  # the section's ordinal
    kind: str  # "prose", "code" or "table": what most of it is
    language: str  # of code
    text: str
    char_start: int
    char_end: int
    line_start: int
    line_end: int
    page: int | None
    tokens: int  # of what is embedded
    box: Box | None = None  # around its blocks, where they stand on one page
    context: str = ""  # what the piece needs to be understood but does not hold: the header row of its table
    told: str = ""  # what is embedded of the text


TokenCounter = Callable[[list[str]], list[int]]  # counts as the embedding server does: texts in, counts out
