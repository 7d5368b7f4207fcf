"""A document as it is read: its sections, and in each its lines, coloured, numbered, the cited ones marked. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import PurePosixPath
from typing import Protocol

from django.utils.safestring import SafeString
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

from retrieval.pages.colours import FENCE, coloured, fenced
from retrieval.pages.inline import mark, marked_up
from retrieval.pages.plain import indent_of, inside
from retrieval.pages.tables import (
    COLUMNS,
    GRID_BORDER,
    LISTED_ROW,
    Row,
    end_of_columns,
    end_of_grid,
    end_of_pipes,
    rows,
)

SHOWN, ABOVE = 2_000, 200  # lines: 20,000 took 3 s and 3 MB, 4,000 half a second
RST, MARKDOWN = "reStructuredText", "Markdown"
NOTEBOOK = ".ipynb"  # its text as parsed is Markdown
WRITTEN_OUT = frozenset(
    [
        ".html",
        ".htm",
        ".xhtml",
        ".pdf",
        ".docx",
        ".odt",
        ".epub",
        ".pptx",
        ".xlsx",
        ".xlsm",
        ".ods",
        ".csv",
        ".tsv",
        ".eml",
    ]
)
MARKUP = frozenset({RST, MARKDOWN})
RUNNING = frozenset({"prose", "title"})
PROSE = MARKUP | {"Text only"}
LITERAL = re.compile(
    r"\s*\.\. (?:code|code-block|sourcecode|parsed-literal|math|literalinclude)::|\s*(?!\.\. ).*::\s*$"
)
TABLE = re.compile(r"\s*(?:\+[-=+]+\+|=+(?: +=+)+|\|.*\|)\s*$")
ADORNMENT = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*$")
DIRECTIVE = re.compile(r"\s*\.\. (?:_.*:.*|[\w:+.-]+::(?: +\S+)?)\s*$")  # or a target; nothing that is read
LINK_TARGET = re.compile(r" {0,3}\[(?!\^)[^\]]+\]:\s+\S+(?:\s+[\"'(].*)?$")  # of Markdown
DIRECTIVE_HEAD = re.compile(r"\s*\.\. (?:\|[^|]+\| )?[\w:+.-]+::")
OPTION = re.compile(r"\s+:[\w-]+:(?: |$)")
HEADED = re.compile(r"\s+:header-rows:\s*[1-9]")
OPENING = re.compile(r"\s*\.\. [\w:+.-]+:: +(?=\S)|#{1,6} +(?=\S)")  # of a directive or heading; what follows is read
FRONT_MATTER = re.compile(r"---\s*$")
MOST_OPTIONS = 12  # lines between a list-table and its first row
WORDLESS = re.compile(r"[\W_]+")


class Part(Protocol):
    """What a Section is, as far as reading goes."""

    ordinal: int
    title: str
    level: int
    anchor: str
    aliases: list[str]
    line_start: int
    line_end: int
    page: int | None


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    html: SafeString
    kind: str  # prose, code, table, title, rule or directive
    cited: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Lines as they stand, or a table: its rows, each with whether one of its lines is cited."""

    lines: tuple[Line, ...]
    rows: tuple[tuple[Row, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class ReadSection:
    part: Part
    lines: tuple[Line, ...]
    blocks: tuple[Block, ...] = ()  # the same, its tables apart


def read(
    text: str, path: str, parts: Iterable[Part], cited: range = range(0), shown: range | None = None
) -> list[ReadSection]:
    """The sections with their lines; `cited` holds the line numbers to mark, `shown` those to show (default: all)."""
    raw = text.split("\n")
    lexer = lexer_for(path)
    prose = is_prose(lexer)
    markup = lexer is not None and lexer.name in MARKUP
    kinds = list(prose_kinds(raw, lexer is None or lexer.name != RST)) if prose else ["code"] * len(raw)
    html = fenced(raw, kinds) if lexer is not None and lexer.name == MARKDOWN else coloured(text, lexer)
    sections = []
    for part in parts:
        if prose and part.level:
            set_title(part, raw, kinds)
        whole = range(part.line_start, min(part.line_end, len(raw)) + 1)
        numbers = [number for number in whole if shown is None or number in shown]
        lines = tuple(
            Line(
                number,
                running(raw[number - 1]) if markup and kinds[number - 1] in RUNNING else html[number - 1],
                kinds[number - 1],
                number in cited,
            )
            for number in numbers
        )
        if numbers:
            sections.append(ReadSection(part, lines, tuple(blocks(lines, raw, cited, markup))))
    return sections


def running(line: str) -> SafeString:
    """A line of running text: its marks, and what only opens a directive, a heading or a literal block, set apart."""
    opening = OPENING.match(line)
    start = opening.end() if opening else 0
    end = len(line) - 1 if line.endswith("::") and not opening else len(line)
    return mark(line[:start]) + marked_up(line[start:end]) + mark(line[end:])


def blocks(lines: Iterable[Line], raw: Sequence[str], cited: range, markup: bool) -> Iterator[Block]:
    """What looks like a table and is none stays as it stands."""
    for is_table, group in groupby(lines, key=lambda line: line.kind == "table"):
        block = tuple(group)
        first = block[0].number
        headed = any(map(HEADED.match, raw[max(0, first - 1 - MOST_OPTIONS) : first - 1]))
        found = rows([(line.number, raw[line.number - 1]) for line in block], headed) if is_table else ()
        if markup:
            found = tuple(replace(row, cells=tuple(map(marked_up, row.cells))) for row in found)
        yield Block(block, tuple((row, any(number in cited for number in row.lines)) for row in found))


def window(line_count: int, cited: range, first: int = 0) -> range:
    """The lines shown at once: all, or of a long document those from `first`, else from a little above the cited."""
    if line_count <= SHOWN:
        return range(1, line_count + 1)
    start = max(1, min(first or (cited.start - ABOVE if cited else 1), line_count))
    return range(start, min(start + SHOWN, line_count + 1))


def cited_lines(asked: str) -> range:
    """`120-148` or `120` as a range of line numbers; anything else marks nothing."""
    match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", asked, re.ASCII)
    return range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)


def lexer_for(path: str) -> Lexer | None:
    """Of the text as it was parsed: that of a page or an office document is no longer in its own notation."""
    if PurePosixPath(path).suffix.lower() in WRITTEN_OUT:
        return None
    if PurePosixPath(path).suffix.lower() == NOTEBOOK:
        return get_lexer_by_name(MARKDOWN)
    try:
        return get_lexer_for_filename(path.removesuffix(".inc"))
    except ClassNotFound:
        return None


def is_prose(lexer: Lexer | None) -> bool:
    return lexer is None or lexer.name in PROSE


@lru_cache(maxsize=4096)
def is_document(path: str) -> bool:
    """Whether a file is written to be read, and not a program."""
    return is_prose(lexer_for(path))


def prose_kinds(lines: Sequence[str], markdown: bool) -> Iterator[str]:
    """Which lines of running text are set as they stand: fenced (Markdown) or literal (RST) blocks, and tables."""
    fence, literal = "", None  # the open fence's mark; the indent that a literal block must exceed
    table, options = 0, False  # the line behind the open table; whether options of a directive may follow
    session = False  # of an interpreter, until a blank line
    matter = end_of_front_matter(lines) if markdown else 0
    for at, line in enumerate(lines):
        indent = indent_of(line)
        session = bool(line.strip()) and (session or (not markdown and line.lstrip().startswith(">>> ")))
        if at < matter:
            yield "directive"
        elif at < table:
            yield "table"
        elif fence:
            yield "code"
            fence = "" if line.strip().startswith(fence) else fence
        elif markdown and (opening := FENCE.match(line)):
            yield "code"
            fence = opening[1]
        elif session or (literal is not None and (not line.strip() or indent > literal)):
            yield "code"
        elif not markdown and options and OPTION.match(line):
            yield "directive"
        else:
            literal = indent if not markdown and LITERAL.match(line) else None
            options = not markdown and DIRECTIVE_HEAD.match(line) is not None
            table = end_of_pipes(lines, at) if markdown else end_of_table(lines, at)
            directive = LINK_TARGET.match(line) if markdown else DIRECTIVE.match(line)
            yield "table" if table > at or TABLE.match(line) else "directive" if directive else "prose"


def end_of_front_matter(lines: Sequence[str]) -> int:
    """Behind the `---` that closes what a Markdown file says of itself at its beginning; 0 without one."""
    if not lines or not FRONT_MATTER.match(lines[0]):
        return 0
    return next((at + 1 for at, line in enumerate(lines) if at and FRONT_MATTER.match(line)), 0)


def end_of_table(lines: Sequence[str], at: int) -> int:
    """Behind the table of RST that begins at `at`, in columns, as a grid or a list of lists; `at` if none does."""
    if COLUMNS.match(lines[at].strip()):
        return end_of_columns(lines, at)
    if GRID_BORDER.match(lines[at]):
        return end_of_grid(lines, at)
    if LISTED_ROW.match(lines[at]):
        return inside(lines, at, indent_of(lines[at]) - 1)
    return at


def set_title(part: Part, raw: Sequence[str], kinds: list[str]) -> None:
    """Find the line that is the section's heading, among its first few, and the rules above and below it."""
    title = WORDLESS.sub("", part.title)
    first = part.line_start - 1
    for index in range(first, min(first + 8, part.line_end, len(raw))):
        if title and WORDLESS.sub("", raw[index]) == title:
            kinds[index] = "title"
            for beside in (index - 1, index + 1):
                if first <= beside < len(raw) and ADORNMENT.match(raw[beside]):
                    kinds[beside] = "rule"
            return
