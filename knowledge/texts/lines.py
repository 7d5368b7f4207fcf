"""Which lines belong together, by their indent or by what they say. Pure."""

import re
from collections.abc import Callable, Sequence

SENTENCE_END = re.compile(r"[.!?]\s")


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def inside(lines: Sequence[str], at: int, indent: int) -> int:
    """Where the block ends that is further in than `indent`, without the blank lines after it."""
    end = at
    for n in range(at, len(lines)):
        if lines[n].strip():
            if indent_of(lines[n]) <= indent:
                break
            end = n + 1
    return end


def after(lines: Sequence[str], at: int, belongs: Callable[[str], bool]) -> int:
    """The first line from `at` on that does not belong."""
    return next((n for n in range(at, len(lines)) if not belongs(lines[n].strip())), len(lines))


def defines(lines: Sequence[str], at: int) -> bool:
    """Whether this line is the term of a definition list: it opens a paragraph that goes on further in.

    So does a quotation that begins within an indented line; a term holds no end of a sentence.
    """
    indent = indent_of(lines[at])
    opens = at == 0 or not lines[at - 1].strip() or indent_of(lines[at - 1]) > indent
    further = at + 1 < len(lines) and (indent_of(lines[at + 1]) > indent or lines[at + 1].startswith(":  "))
    return opens and further and bool(lines[at + 1].strip()) and not SENTENCE_END.search(lines[at].strip())
