"""Code that stands further in than text, as Markdown has it, and as HTML is written out. Pure."""

import re
from collections.abc import Iterator, Sequence

from .fences import code_lines
from .items import MARK
from .lines import indent_of, inside

CODE_INDENT = 4  # columns
# What stands further in below these is their own.
HOLDS_MORE = re.compile(rf"(?:{MARK}|:)\s+|(?:!!!|\?\?\?\+?|===|///)\s+|\[\^")


def indented_code(lines: Sequence[str]) -> Iterator[range]:
    """Blocks that stand so far in beside the text they belong to, behind a blank line. What stands below an item or a
    tag belongs to it as far as it stands in.
    """
    known, text, at = code_lines(lines), 0, 0
    while at < len(lines):
        line, end = lines[at], at + 1
        begins = bool(line.strip()) and (at == 0 or not lines[at - 1].strip())
        if begins and at not in known and indent_of(line) >= text + CODE_INDENT:
            end = inside(lines, at, text + CODE_INDENT - 1)
            yield range(at, end)
        elif line.strip():
            mark, is_tag = HOLDS_MORE.match(line.strip()), line.lstrip().startswith("<")
            text = indent_of(line) + len(mark[0]) if mark else indent_of(line) if is_tag else min(text, indent_of(line))
        at = end
