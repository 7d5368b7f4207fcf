"""Writes down, line by line, what a document that is no text says, and keeps the blocks as it goes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ingestion.documents import LONGEST_TITLE, Block, BlockKind, Box, ParsedDocument, ParseError, stem
from knowledge.texts.tables.readers import CELLS, together

STRUCK = "~~"  # before and behind a value with a line through it, as in Markdown: it is not to stand beside the new one
UNWRITABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\u00ad\ufeff\ufffe\uffff\ud800-\udfff]")
LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
CONTENTS = re.compile(  # what stands above a table of contents
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|table des mati[eè]res|sommaire|[ií]ndice|sommario", re.I
)
MOST_CHARACTERS = 40_000_000


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def clean(text: str) -> str:
    """Without what Postgres cannot store and nobody can read; every line end is `\\n`."""
    return LINE_ENDS.sub("\n", UNWRITABLE.sub("", text))


def is_value(text: str) -> bool:
    """Whether struck words are to be marked: where they hold no number the line is decoration as often as not."""
    return any(character.isdigit() for character in text)


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


@dataclass(slots=True)
class Writer:
    """Blocks go in, in reading order, each with a blank line before it; `finish` gives the document.

    `page` and `box` say where on paper the next blocks stand, for formats that have pages; `below` is 1 where headings
    stand one level further down, below a title.
    """

    path: str
    lines: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    page: int | None = None
    box: Box | None = None
    size: int = 0
    below: int = 0

    def title(self, title: str, labels: Iterable[str] = (), level: int = 1) -> None:
        """What the format calls a title, unlike a heading. Before the first heading it is the document's, and stands
        above all of them.
        """
        if one_line(title) and all(block.kind is not BlockKind.HEADING for block in self.blocks):
            self.below = 1
        self.add_heading(level, title, labels)

    def heading(self, level: int, title: str, labels: Iterable[str] = ()) -> None:
        self.add_heading(max(level, 1) + self.below, title, labels)

    def add_heading(self, level: int, title: str, labels: Iterable[str]) -> None:
        title = one_line(title)
        if title:
            names = tuple(filter(None, map(one_line, labels)))
            self.add(BlockKind.HEADING, title, level=level, title=title[:LONGEST_TITLE], labels=names)

    def paragraph(self, text: str, kind: BlockKind = BlockKind.PARAGRAPH) -> None:
        self.add(kind, text)

    def items(self, lines: Iterable[str]) -> None:
        """A list, a line an item, markers and indentation included."""
        self.add(BlockKind.LIST, "\n".join(lines))

    def code(self, text: str, language: str = "") -> None:
        self.add(BlockKind.CODE, text, language=language)

    def table(self, rows: Iterable[Sequence[str]], header_rows: int = 0) -> None:
        """A line a row; the cells of the header rows are repeated with every piece of the table."""
        written = [together(map(one_line, row)).rstrip() for row in rows]
        header = " / ".join(line for line in written[:header_rows] if line)
        filled = [line for line in written if line.strip(CELLS)]
        self.add(BlockKind.TABLE, "\n".join(filled), header=header if len(filled) > header_rows else "")

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int = 0,
        title: str = "",
        labels: tuple[str, ...] = (),
        language: str = "",
        header: str = "",
    ) -> None:
        lines = trimmed([line.rstrip() for line in clean(text).split("\n")])
        if not lines:
            return
        self.size += sum(map(len, lines))
        if self.size > MOST_CHARACTERS:
            raise ParseError(self.path, f"it has more than {MOST_CHARACTERS:,} characters of text")
        if self.lines:
            self.lines.append("")
        start = len(self.lines) + 1
        self.lines += lines
        block = Block(kind, start, len(self.lines), level, title, labels, language, self.page, self.box, header)
        self.blocks.append(block)

    def warn(self, warnings: Iterable[str]) -> None:
        """Each once, however many parts of the file it is about."""
        self.warnings += [warning for warning in dict.fromkeys(warnings) if warning not in self.warnings]

    def finish(self, media_type: str, title: str = "") -> ParsedDocument:
        text = "\n".join(self.lines) + "\n" if self.lines else ""
        headings = (block.title for block in self.blocks if block.kind is BlockKind.HEADING)
        title = one_line(title) or next((one for one in headings if not CONTENTS.fullmatch(one)), "") or stem(self.path)
        return ParsedDocument(
            path=self.path,
            text=text,
            title=title[:LONGEST_TITLE],
            media_type=media_type,
            blocks=tuple(self.blocks),
            warnings=tuple(self.warnings),
        )


def trimmed(lines: list[str]) -> list[str]:
    """Without blank lines at either end."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]
