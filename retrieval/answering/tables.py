"""The tables of a text: where they stand, and their heads. Pure."""

import re
from functools import lru_cache

from knowledge.texts.markup import head_of
from retrieval.answering.sentences import Span

PIPES = r"\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?"  # the rule below the head of a table of Markdown
TABLE = re.compile(
    r"^(?:(?:[ \t]*(?:\||\+[-=]).*\n?)+"  # between borders
    r"|[ \t]*=+(?: +=+)+[ \t]*\n(?:[ \t]*\S.*\n?)+"  # under rules
    r"|(?:(?=.*\S \| \S).*(?:\n|\Z)){2,})",  # with bars between its cells alone
    re.MULTILINE,
)
LIST_TABLE = re.compile(
    r"^(?P<indent>[ \t]*)\.\. list-table::.*\n(?:(?P=indent)[ \t]+\S.*(?:\n|\Z)|[ \t]*\n(?=(?P=indent)[ \t]))+",
    re.MULTILINE,
)
HEADS = (
    re.compile(rf"(?:.*\n){{1,6}}?[ \t]*(?:{PIPES}|\+(?:=+\+)+|=+(?: +=+)+)[ \t]*\n"),  # up to the rule below it
    re.compile(
        r"[ \t]*\.\. list-table::(?=(?:.*\n){1,9}?[ \t]+:header-rows:[ \t]*[1-9]).*\n(?:[ \t]*(?::.*)?\n){1,9}"
        r"[ \t]*[*+-][ \t]+-.*\n(?:[ \t]+-.*\n){0,40}"
    ),
    re.compile(r"(?=[^\n]*\S \| \S)[^+\n].*\n"),  # where no rule parts it from the rows
)
LINE = re.compile(r"[^\n]+")
CELLS = re.compile(r"\S \|(?: |\n|\Z)|^\|", re.MULTILINE)
RULE = re.compile(rf"[ \t]*{PIPES}[ \t]*")
BELOW_HEAD = re.compile(rf"{PIPES}|\+(?:=+\+)+")


@lru_cache(maxsize=512)
def tables_in(text: str) -> tuple[tuple[int, int], ...]:
    """Start and end of each."""
    return tuple(table.span() for pattern in (TABLE, LIST_TABLE) for table in pattern.finditer(text))


def head_above(text: str, span: Span, context: str = "") -> str:
    """The head of the table that a span begins in, with its rules; empty where it begins with it, or in none.

    A passage that goes on with a table has its head in its context.
    """
    if context and "\n\n" not in text[: span.start] and (above := head_of(text, context)):
        return above
    for start, end in tables_in(text):
        if start < span.start < end:
            head = next(filter(None, (pattern.match(text, start) for pattern in HEADS)), None)
            return head.group() if head and head.end() <= span.start else ""
    return ""


def rows_in(text: str, span: Span, context: str = "") -> list[Span]:
    """Of a table that has a line for each row, those within a span that are neither its head nor a rule."""
    is_whole = any(start == span.start for start, _ in tables_in(text)) and not head_above(text, span, context)
    head = next((found for pattern in HEADS if is_whole and (found := pattern.match(text, span.start))), None)
    lines = [Span(line.start(), line.end()) for line in LINE.finditer(text, span.start, span.end)]
    return [
        line
        for line in lines
        if not (head and line.start < head.end())
        and CELLS.search(text, line.start, line.end)
        and not RULE.fullmatch(text, line.start, line.end)
    ]


def is_table(text: str, span: Span) -> bool:
    """Whether a table begins on the line on which the span begins, or goes on."""
    line = text.rfind("\n", 0, span.start) + 1
    return bool(TABLE.match(text, line) or LIST_TABLE.match(text, line))
