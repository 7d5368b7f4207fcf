"""Which lines of RST stand as they are: what is further in below `::` or a directive of code, and sessions. Pure."""

import re
from collections.abc import Sequence

from .directives import CODE
from .items import MARK
from .lines import after, indent_of, inside

DIRECTIVE = ".. "
LITERAL = re.compile(rf"\.\. (?:{'|'.join(sorted(CODE))}|literalinclude)::")
SESSION = re.compile(r"\s*>>> ")
OPENING = re.compile(r"\s*\.\. [\w:+.-]+::")  # of a directive
OPTION = re.compile(r"\s+:[\w-]+:(?: |$)")
ITEM = re.compile(rf"\s*{MARK}\s+(?=\S)")


def opens_literal(said: str) -> bool:
    """Whether what is further in below this line, without the blanks around it, stands as it is."""
    return bool(LITERAL.match(said)) or (said.endswith("::") and not said.startswith(DIRECTIVE))


def literal_lines(lines: Sequence[str]) -> set[int]:
    """The indexes of these lines."""
    found: set[int] = set()
    at = 0
    while at < len(lines):
        end = at
        if SESSION.match(lines[at]):
            end = after(lines, at, bool)
            found.update(range(at, end))
        elif opens_literal(lines[at].strip()):
            end = inside(lines, at + 1, text_column(lines[at]))
            options = next((n for n in range(at + 1, end) if not OPTION.match(lines[n])), end)
            found.update(range(options, end))
        at = max(end, at + 1)
    return found


def text_column(line: str) -> int:
    """How far in the text of a line begins: of an item, behind its mark."""
    item = ITEM.match(line)
    return len(item[0].expandtabs()) if item else indent_of(line)


def lines_with_options(lines: Sequence[str]) -> set[int]:
    """The indexes of directives that have options, and of those."""
    found: set[int] = set()
    for at, line in enumerate(lines[1:], 1):
        if OPTION.match(line) and (at - 1 in found or OPENING.match(lines[at - 1])):
            found.update((at - 1, at))
    return found
