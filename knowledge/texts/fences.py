"""Fences of Markdown and MyST: which lines are code, and which only frame text. Pure."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from .announcements import FENCE as DIRECTIVE
from .announcements import announced

FENCE = re.compile(r"[ \t>]*(?P<marks>`{3,}|~{3,})(?P<rest>[^`]*)$")
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
        fence = FENCE.match(line)
        marks = fence["marks"] if fence else ""
        is_bare = fence is not None and not fence["rest"].strip()
        if code:
            closes = is_bare and marks.startswith(code)
            yield Standing.FENCE if closes else Standing.CODE
            code = "" if closes else code
        elif is_bare and directives and marks.startswith(directives[-1]):
            del directives[-1]
            yield Standing.CLOSES
        elif fence and DIRECTIVE.fullmatch(line) and announced(line):
            directives.append(marks)
            yield Standing.OPENS
        elif fence and not adorns(lines, at):
            code = marks
            yield Standing.FENCE
        else:
            yield Standing.TEXT


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
