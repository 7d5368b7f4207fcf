"""What C and C++ compile under a condition. A grammar reads all branches, one after the other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(if|el|endif)")
APART = re.compile(  # no code
    rb"\"(?>(?:[^\"\\\n]++|\\.)*)\"?|'(?>(?:[^'\\\n]|\\.){1,9})'|//[^\n]*|/\*.*?(?:\*/|\Z)", re.S
)
LINE = re.compile(rb"[^\n]+")
MOST_LINES = 20  # of further branches: what is longer is code of its own


@dataclass(slots=True)
class Condition:
    """The lines at which its branches begin, how many braces each leaves open, and the line that ends it."""

    starts: list[int]
    braces: list[int] = field(default_factory=lambda: [0])
    end: int = 0

    def is_choice(self, below: bytes) -> bool:
        """Whether all branches open, or close, the same braces, or have one body (`below`): one of them can be read."""
        is_short = len(self.starts) > 1 and self.end - self.starts[1] <= MOST_LINES
        is_even = len(set(self.braces)) == 1
        return is_short and is_even and (self.braces[0] != 0 or below.startswith(b"{"))


def with_even_braces(source: bytes) -> bytes:
    """The source, with spaces for all but the first branch of conditions like `if (a) {`, or else `if (b) {`.

    Read one after the other, these are two blocks of which one is closed, and the function around them would be lost.
    """
    lines = source.split(b"\n")
    code = APART.sub(lambda match: blank(match[0]), source).split(b"\n")
    for each in conditions(code):
        if each.is_choice(b"".join(code[each.end + 1 : each.end + 2])):
            for gone in (each.starts[0], *range(each.starts[1], each.end + 1)):
                lines[gone] = blank(lines[gone])
    return b"\n".join(lines)


def conditions(lines: Sequence[bytes]) -> Iterator[Condition]:
    """Those that are ended, the inner before the outer."""
    opened: list[Condition] = []
    for index, line in enumerate(lines):
        match = DIRECTIVE.match(line)
        if match and match[1] == b"if":
            opened.append(Condition([index]))
        elif match and opened and match[1] == b"el":
            opened[-1].starts.append(index)
            opened[-1].braces.append(0)
        elif match and opened:
            ended = opened.pop()
            ended.end = index
            yield ended
            if opened:
                opened[-1].braces[-1] += ended.braces[0]
        elif opened:
            opened[-1].braces[-1] += line.count(b"{") - line.count(b"}")


def blank(source: bytes) -> bytes:
    return LINE.sub(lambda match: b" " * len(match[0]), source)
