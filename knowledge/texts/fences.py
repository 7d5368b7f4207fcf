"""Fences of Markdown and MyST: which lines are code, and which only frame text; code within a line. Pure."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from .announcements import FENCE as DIRECTIVE
from .announcements import announced

FENCE = re.compile(r"[ \t>]*(?P<marks>`{3,}|~{3,})(?P<rest>[^`]*)$")
# Within a line: as many backticks end it as begin it, and fewer or more may stand in it.
CODE_IN_LINE = re.compile(r"(?<!`)(`+)(?!`).{1,500}?(?<!`)\1(?!`)")
ADORNMENT = re.compile(r"`{4,}|~{4,}")  # of RST, where titles are hardly ever shorter


class Standing(Enum):
    """How a line stands to the fences around it."""

    TEXT = auto()
    CODE = auto()
    FENCE = auto()  # of code
    OPENS = auto()  # a directive of MyST, which holds text
    CLOSES = auto()


def standings(lines: Sequence[str]) -> Iterator[Standing]:
    """Of each line. A fence is closed by one that is as long, and has nothing behind it; RST's titles have none."""
    code = ""
    directives: list[str] = []
    for at, line in enumerate(lines):
        if code:
            ends = closes(line, code)
            yield Standing.FENCE if ends else Standing.CODE
            code = "" if ends else code
        elif directives and closes(line, directives[-1]):
            del directives[-1]
            yield Standing.CLOSES
        elif opens_directive(line):
            directives.append(marks_of(line))
            yield Standing.OPENS
        elif opens_code(lines, at):
            code = marks_of(line)
            yield Standing.FENCE
        else:
            yield Standing.TEXT


def opens_code(lines: Sequence[str], at: int) -> bool:
    """Whether a fence of code begins at this line, where none is open."""
    return bool(marks_of(lines[at])) and not opens_directive(lines[at]) and not adorns(lines, at)


def end_of_code(lines: Sequence[str], at: int) -> int:
    """The line that closes the fence of code which opens at `at`, or where the lines end."""
    marks = marks_of(lines[at])
    return next((n for n in range(at + 1, len(lines)) if closes(lines[n], marks)), len(lines))


def opens_directive(line: str) -> bool:
    return bool(DIRECTIVE.fullmatch(line) and announced(line))


def closes(line: str, marks: str) -> bool:
    fence = FENCE.match(line)
    return fence is not None and not fence["rest"].strip() and fence["marks"].startswith(marks)


def marks_of(line: str) -> str:
    """Those of a fence; none of a line that is none: ```code``` in running text."""
    fence = FENCE.match(line)
    return fence["marks"] if fence else ""


def info_of(line: str) -> str:
    """What a fence says of what it holds."""
    fence = FENCE.match(line)
    return fence["rest"] if fence else ""


def code_lines(lines: Sequence[str]) -> frozenset[int]:
    """The indexes of those that are code, and of its fences."""
    code = Standing.CODE, Standing.FENCE
    return frozenset(at for at, standing in enumerate(standings(lines)) if standing in code)


def adorns(lines: Sequence[str], at: int) -> bool:
    """Whether this line of backticks or tildes is below, or above, a title: then it is no fence."""
    line = lines[at].strip()
    below = at > 0 and bool(lines[at - 1].strip())
    above = lines[at + 2 : at + 3] == [lines[at]] and not FENCE.match(lines[at + 1])
    return bool(ADORNMENT.fullmatch(line)) and (below or above)
