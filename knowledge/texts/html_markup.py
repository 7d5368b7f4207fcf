"""HTML within Markdown as readers of the page see it: its text without tags, its tables row by row. Pure.

What stands in code is what it says, and stays. So do tags in RST, where they are no markup. What is not known as an
element of HTML is none: `List<String>`, `<your name>`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import groupby, takewhile

from . import html_elements as html
from .fences import Standing, standings
from .indented import indented_code
from .tables.spans import Cell
from .tables.table import Drawn, laid_table

MARK = re.compile(r"<[a-zA-Z/!]|&[#\w]{1,32};")
RST = re.compile(r"^[ \t]*\.\. [\w|_\[]|(?<![:`\w]):[\w+.:-]{1,40}:`|(?<!`)``(?!`)|[^:\s]::[ \t]*$", re.M)
ATTRIBUTES = r"(?:[\s/](?>(?:[^<>\"']|\"[^\"<>]{0,2000}+\"|'[^'<>]{0,2000}+'){0,4000}))?"
CODE = r"(?P<code>(?<!`)(?P<ticks>`{1,9})(?!`)(?:[^`\n]|\n(?!\n)|`(?!(?P=ticks))){1,500}?(?<!`)(?P=ticks)(?!`))"
TOKEN = re.compile(
    rf"{CODE}"
    r"|<!--(?>(?:[^-]|-(?!->)){0,500})-->"
    rf"|<(?P<close>/?)(?P<name>[a-zA-Z][\w.-]{{0,40}}+)(?P<attributes>{ATTRIBUTES})>"
    r"|(?P<entity>&(?:[a-zA-Z]{2,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)"
)
CLOSING = re.compile(r"</([a-zA-Z][\w.-]{0,40}+)")
ALONE = frozenset(("br", "hr", "img", "wbr"))
TABLES = html.TABLES | {"colgroup"}
UNSEEN = html.UNSEEN | html.ALOUD
BLOCKS = html.BLOCKS | {"head", "nav", "option", "select", "title"}
INLINE = html.INLINE | html.VOID | html.EMBEDDED | html.CONTROLS | {"del"}
ELEMENTS = INLINE | ALONE | TABLES | UNSEEN | BLOCKS
OPENS = {"li": "- ", "dd": "    ", **{f"h{level}": "#" * level + " " for level in range(1, 7)}}
SPOKEN = re.compile(r"\s(?:alt|label|title)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.I)
SPAN = re.compile(r"\s(?P<name>colspan|rowspan)\s*=\s*[\"']?(?P<many>[1-9][0-9]?)\b", re.I)
BREAK, NOTHING = "\0", "\1"  # where a block's tag stood, and another's; no text of a file holds them


def without_html(text: str, before_row: str = "") -> str:
    """The text as it stands, where there is nothing of HTML in it; `before_row` is put before each row of a table."""
    if not MARK.search(text) or RST.search(text):
        return text
    reading = Reading({match[1].lower(): match.start() for match in CLOSING.finditer(text)}, before_row)
    at = 0
    for is_code, lines in groupby(code_lines(text.split("\n")), key=lambda each: each[0]):
        piece = "".join(f"{line}\n" for _, line in lines)
        reading.say(piece) if is_code else reading.read(piece, at)
        at += len(piece)
    return reading.told() if reading.found else text


def tags_in(line: str) -> Iterator[tuple[int, int]]:
    """Where the tags and comments of a line are that is no code."""
    reading = Reading({match[1].lower(): match.start() for match in CLOSING.finditer(line)})
    for match in TOKEN.finditer(line) if "<" in line else ():
        if not match["code"] and not match["entity"] and (not match["name"] or reading.is_tag(match, line, 0)):
            yield match.span()


def code_lines(lines: list[str]) -> Iterator[tuple[bool, str]]:
    """The lines, each with whether it is of code, or a fence. A passage may begin amid a table, further in."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    is_amid = lines[first].lstrip().startswith("<")
    code = {at for block in indented_code(lines) if not (is_amid and block.start == first) for at in block}
    for at, (line, standing) in enumerate(zip(lines, standings(lines), strict=True)):
        yield standing is not Standing.TEXT or (at in code and bool(line.strip())), line


@dataclass(slots=True)
class Reading:
    closings: dict[str, int]  # element → where it is closed for the last time
    before_row: str = ""
    found: bool = False
    said: list[str] = field(default_factory=list)
    unseen: str = ""  # the element whose content is not shown, while it is open
    depth: int = 0  # of tables in tables
    rows: list[list[Cell]] | None = None  # of the table that is open
    cell: list[str] | None = None
    spans: tuple[int, int] = (1, 1)
    are_heads: list[bool] = field(default_factory=list)  # of each row of it
    in_head: bool = False

    def say(self, text: str) -> None:
        if self.unseen:
            return
        if self.rows is None:
            self.said.append(text)
        elif self.cell is not None:
            self.cell.append(text)
        elif text.strip():  # a caption, say
            self.said += [BREAK, text.strip(), BREAK]

    def read(self, piece: str, offset: int) -> None:
        """`offset` is where the piece begins in the text."""
        last = 0
        for match in TOKEN.finditer(piece):
            if match["code"] or (match["name"] and not self.is_tag(match, piece, offset)):
                continue
            self.say(piece[last : match.start()])
            last, self.found = match.end(), True
            if match["name"]:
                self.take(match["name"].lower(), bool(match["close"]), match["attributes"])
            else:
                self.say(unescape(match["entity"] or NOTHING).replace("\xa0", " "))
        self.say(piece[last:])

    def is_tag(self, match: re.Match[str], piece: str, offset: int) -> bool:
        """An element that is named in running text (`the <form> element`) is not opened there."""
        name, start = match["name"].lower(), piece.rfind("\n", 0, match.start()) + 1
        opens_line = not piece[start : match.start()].strip(" \t>")
        if name not in ELEMENTS:  # a component of MDX has its lines for itself
            is_component = match["name"][0].isupper() and opens_line
            return is_component and piece[match.end() : match.end() + 1] in ("\n", "")
        if match["close"] or match["attributes"] or name in ALONE or opens_line:
            return True
        is_closed = self.closings.get(name, -1) > offset + match.start()
        return is_closed or (self.rows is not None and name in TABLES)

    def take(self, name: str, closes: bool, attributes: str) -> None:
        if name in UNSEEN:
            self.unseen = name if not closes and name in self.closings else ""
        elif self.unseen:
            return
        elif name in TABLES:
            self.table(name, closes, attributes)
        elif name in ALONE and name != "img":
            self.say(f"{NOTHING} ")
        elif name in BLOCKS:
            self.say(BREAK + ("" if closes else OPENS.get(name, "")))
        elif (named := SPOKEN.search(attributes)) and (name == "img" or name not in ELEMENTS):
            self.say(NOTHING + unescape(named[1] or named[2] or ""))
        else:
            self.say(NOTHING)

    def table(self, name: str, closes: bool, attributes: str) -> None:
        self.depth += (name == "table") * (-1 if closes else 1)
        if closes and name == "table" and self.depth <= 0:
            self.end_table()
        elif self.depth > 1 or (closes and self.rows is None):
            self.say(f"{NOTHING} " if self.rows else NOTHING)
        elif name in ("thead", "tr", "table") and not closes:
            self.end_cell()
            self.rows = [] if self.rows is None else self.rows
            self.in_head = name == "thead" or (self.in_head and name == "tr")
            if name == "tr":
                self.rows.append([])
                self.are_heads.append(True)
        elif name in ("td", "th") and not closes:
            self.end_cell()
            if not self.rows:
                self.rows, self.are_heads = [[]], [True]
            self.are_heads[-1] &= name == "th" or self.in_head
            spans = {span["name"].lower(): int(span["many"]) for span in SPAN.finditer(attributes)}
            self.cell, self.spans = [], (spans.get("colspan", 1), spans.get("rowspan", 1))
        else:
            self.end_cell()
            self.in_head = self.in_head and name != "thead"

    def end_cell(self) -> None:
        if self.rows and self.cell is not None:
            text = "".join(self.cell).replace(BREAK, " ").replace(NOTHING, "")
            self.rows[-1].append((" ".join(text.split()), *self.spans))
        self.cell = None

    def end_table(self) -> None:
        self.end_cell()
        heads = len([*takewhile(bool, self.are_heads)])
        rows = self.rows or []
        lines = laid_table(Drawn(range(0), rows, [range(0)] * len(rows), heads)).told()
        self.rows, self.are_heads, self.depth, self.in_head = None, [], 0, False
        self.said += [BREAK, *(f"{self.before_row}{line}{BREAK}" for line in lines)]

    def told(self) -> str:
        if self.rows is not None:
            self.end_table()
        lines = "".join(self.said).removesuffix("\n").split("\n")
        return "\n".join(line for each in lines for line in shown(each))


def shown(line: str) -> Iterator[str]:
    """The line, cut where blocks begin and end; nothing where it had nothing but tags."""
    if BREAK not in line and NOTHING not in line:
        yield line
        return
    parts = line.replace(NOTHING, "").split(BREAK)
    if parts[0].lstrip().startswith("|"):  # a row of a table
        parts = [" ".join(parts)]
    yield from (part.rstrip() for part in parts if part.strip(" \t>"))
