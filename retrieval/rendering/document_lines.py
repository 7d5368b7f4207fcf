"""A document as it is read: its sections, and in each its lines, coloured, numbered, the cited ones marked. Pure
but for Django's `SafeString`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Protocol

from django.utils.safestring import SafeString

from knowledge.texts.comments import comments
from knowledge.texts.formats import has_lines_of_the_file
from knowledge.texts.html_markup import tags_in
from knowledge.texts.lines import ADORNMENT
from retrieval.notations import MARKDOWN, MARKUP, is_prose, lexer_for
from retrieval.rendering.colours import coloured, fenced
from retrieval.rendering.inline import NOWHERE, Named, mark, marked_up, named_in
from retrieval.rendering.kinds import Stretch, stretches
from retrieval.rendering.tables import DrawnRow

SHOWN, ABOVE = 2_000, 200  # lines: 20,000 took 3 s and 3 MB, 4,000 half a second
RUNNING = frozenset({"prose", "title"})
# Of a directive, a container or a heading; what follows is read.
OPENING = re.compile(r"\s*(?:\.\. [\w:+.-]+::|:{3,} ?[\w-]+) +(?=\S)|#{1,6} +(?=\S)")
ADDRESS = re.compile(r"^ {0,3}(?:\[([^\[\]\n]{1,100})\]:|\.\. _`?([^`:\n]{1,100})`?:)[ \t]+<?([^\s<>]{1,500})", re.M)
NOTE = re.compile(r"^[ \t>]{0,40}(?:\.\. \[(#?\w{1,40})\][ \t]|\[(\^\w{1,40})\]:)", re.M)
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
    rows: tuple[tuple[DrawnRow, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class ReadSection:
    part: Part
    lines: tuple[Line, ...]
    blocks: tuple[Block, ...] = ()  # the same, its tables apart


def read(
    text: str,
    path: str,
    parts: Iterable[Part],
    cited: range = range(0),
    shown: range | None = None,
    leads: Mapping[Named, str] = NOWHERE,
) -> list[ReadSection]:
    """The sections with their lines; `cited` holds the line numbers to mark, `shown` those to show (default: all).

    `leads` are the addresses of what links name (`links`).
    """
    raw = text.split("\n")
    seen = range(shown.start - 1, shown.stop - 1) if shown else range(len(raw))
    lexer = lexer_for(path)
    prose = is_prose(lexer)
    markup = lexer is not None and lexer.name in MARKUP
    walked = walk(raw, lexer.name if lexer else "", seen.stop) if prose else [Stretch("code", range(len(raw)))]
    kinds = [found.kind for found in walked for _ in found.lines]
    if markup:
        set_comments(text, path, kinds)
    tables = {n: found for found in walked if found.rows for n in found.lines}
    is_markdown = lexer is not None and lexer.name == MARKDOWN
    html = fenced(raw, walked, seen) if is_markdown else coloured(text, lexer, seen)
    sections = []
    for part in parts:
        whole = range(part.line_start, min(part.line_end, len(raw)) + 1)
        numbers = [number for number in whole if number - 1 in seen]
        if not numbers:
            continue
        if prose and part.level:
            set_title(part, raw, kinds, is_markdown)
        lines = tuple(
            Line(
                number,
                running(raw[number - 1], is_markdown, leads)
                if markup and kinds[number - 1] in RUNNING
                else html[number - 1],
                kinds[number - 1],
                number in cited,
            )
            for number in numbers
        )
        sections.append(ReadSection(part, lines, tuple(blocks(lines, tables, cited, markup, leads))))
    return sections


def links(text: str, path: str, shown: range) -> list[Named]:
    """What the links of the lines that are shown name, in RST and Markdown, each once, the first first."""
    lexer = lexer_for(path)
    if lexer is None or lexer.name not in MARKUP:
        return []
    lines = text.split("\n")[shown.start - 1 : shown.stop - 1]
    linking = (line for line in lines if "[" in line or "`" in line)
    return list(dict.fromkeys(found for line in linking for found in named_in(line)))


def addresses(text: str) -> dict[str, str]:
    """What RST and Markdown call an address elsewhere in the text, in small letters, and the address."""
    return {" ".join((match[1] or match[2]).lower().split()): match[3] for match in ADDRESS.finditer(text)}


def notes(text: str) -> dict[str, int]:
    """The footnotes of RST and Markdown, as they are referred to: `3`, `#name`, `^name`; and the line of each."""
    found: dict[str, int] = {}
    line, at = 1, 0
    for match in NOTE.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        found.setdefault(match[1] or match[2], line)
    return found


def walk(raw: Sequence[str], notation: str, until: int) -> list[Stretch]:
    """The stretches of lines up to this index; all that follows is one. A sheet may have more rows than anyone sees."""
    walked, at = [], 0
    for found in stretches(raw if notation else raw[:until], notation):
        if at >= until:
            break
        walked.append(found)
        at = found.lines.stop
    return [*walked, Stretch("prose", range(at, len(raw)))]


def running(line: str, is_markdown: bool = False, leads: Mapping[Named, str] = NOWHERE) -> SafeString:
    """A line of running text: its marks, and what only opens a directive, a heading or a literal block, set apart; so
    are the tags of HTML in Markdown, which the address of a link (`](<data/a b.md>)`) is none of.
    """
    if is_markdown and (tags := [tag for tag in tags_in(line) if not line.endswith("](", 0, tag[0])]):
        starts, ends = [0, *(end for _, end in tags)], [*(start for start, _ in tags), len(line)]
        between = [running(line[start:end], leads=leads) for start, end in zip(starts, ends, strict=True)]
        marks = [*(mark(line[start:end]) for start, end in tags), ""]
        return SafeString("".join(f"{said}{tag}" for said, tag in zip(between, marks, strict=True)))  # all escaped
    opening = OPENING.match(line)
    start = opening.end() if opening else 0
    end = len(line) - 1 if line.endswith("::") and not opening else len(line)
    return mark(line[:start]) + marked_up(line[start:end], leads) + mark(line[end:])


def blocks(
    lines: Sequence[Line], tables: Mapping[int, Stretch], cited: range, markup: bool, leads: Mapping[Named, str]
) -> Iterator[Block]:
    """`tables` are those that can be drawn, by each index of a line. What looks like one and is none stays as it is."""

    def place(line: Line) -> tuple[bool, range | None]:
        table = tables.get(line.number - 1)
        return line.kind == "table", table.lines if table else None

    for _, group in groupby(lines, key=place):
        block = tuple(group)
        table = tables.get(block[0].number - 1)
        shown = range(block[0].number, block[-1].number + 1)
        rows = [row for each in table.rows if (row := numbered(each, markup, shown, leads)).lines] if table else []
        yield Block(block, tuple((row, any(number in cited for number in row.lines)) for row in rows))


def numbered(row: DrawnRow, markup: bool, shown: range, leads: Mapping[Named, str]) -> DrawnRow:
    """With the numbers of those of its lines that are shown, and the marks in its cells."""
    numbers = range(max(row.lines.start + 1, shown.start), min(row.lines.stop + 1, shown.stop))
    cells = tuple(marked_up(cell, leads) for cell in row.cells) if markup else row.cells
    return replace(row, lines=numbers, cells=cells)


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


def line_in_source(path: str, cited: range) -> int:
    """The first cited line, where lines of the text as parsed are those of the file; else 0."""
    return cited.start if cited and has_lines_of_the_file(path) else 0


def set_comments(text: str, path: str, kinds: list[str]) -> None:
    """What only comments on the text, on lines of its own, is set as what only directs is."""
    line = at = 0
    for start, end in comments(text, path):
        line += text.count("\n", at, start)
        at = start
        if text[start - 1 : start] in ("", "\n") and (end == len(text) or text[end - 1] == "\n"):
            for number in range(line, line + text[start:end].rstrip().count("\n") + 1):
                kinds[number] = "directive" if kinds[number] == "prose" else kinds[number]


def set_title(part: Part, raw: Sequence[str], kinds: list[str], is_markdown: bool) -> None:
    """Find the line that is the section's heading, among its first few, and the rules above and below it. In Markdown
    one above it is none of its own, nor is one beside a heading that begins with #.
    """
    title = WORDLESS.sub("", part.title)
    first = part.line_start - 1
    for index in range(first, min(first + 8, part.line_end, len(raw))):
        if title and WORDLESS.sub("", raw[index]) == title:
            kinds[index] = "title"
            around = [] if is_markdown and OPENING.match(raw[index].lstrip()) else [index + 1]
            for beside in around if is_markdown else [index - 1, *around]:
                if first <= beside < len(raw) and ADORNMENT.match(raw[beside]):
                    kinds[beside] = "rule"
            return
