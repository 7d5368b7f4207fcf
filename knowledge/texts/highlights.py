"""Code that generators of pages highlight: Jekyll's `{% highlight bash %}`, Hugo's `{{< highlight bash >}}`. Pure."""

import re
from bisect import bisect
from collections.abc import Sequence

from .fences import end_of_code, opens_code

NOTATIONS = (
    (
        re.compile(r"[ \t>]*\{%-?[ \t]*highlight[ \t]+(?P<language>[\w+#.-]{1,40}+)[^%{}]*%\}[ \t]*"),
        re.compile(r"[ \t>]*\{%-?[ \t]*endhighlight[ \t]*-?%\}[ \t]*"),
    ),
    (
        re.compile(r"[ \t>]*\{\{[<%][ \t]*highlight[ \t]+\"?(?P<language>[\w+#.-]{1,40}+)\"?[^{}]*[>%]\}\}[ \t]*"),
        re.compile(r"[ \t>]*\{\{[<%][ \t]*/[ \t]*highlight[ \t]*[>%]\}\}[ \t]*"),
    ),
)
TILDES = re.compile("~{3,}")


def fenced(lines: Sequence[str]) -> list[str]:
    """The lines, such code between fences. What is never closed, or stands in other code, is what it is."""
    lines = [*lines]
    ends = [[at for at, line in enumerate(lines) if closing.fullmatch(line)] for _, closing in NOTATIONS]
    at = 0
    while any(ends) and at < len(lines):
        if opens_code(lines, at):
            at = end_of_code(lines, at)
        elif (found := opened(lines, at, ends)) is not None:
            last, language = found
            marks = "~" * (1 + max(map(len, TILDES.findall("\n".join(lines[at:last]))), default=3))
            lines[at], lines[last] = f"{margin(lines[at])}{marks}{language}", f"{margin(lines[last])}{marks}"
            at = last
        at += 1
    return lines


def opened(lines: Sequence[str], at: int, ends: Sequence[Sequence[int]]) -> tuple[int, str] | None:
    """The line that closes what opens here, and its language. `ends` are the lines that close, for each notation."""
    for (opening, _), closing in zip(NOTATIONS, ends, strict=True):
        place = bisect(closing, at)
        if place < len(closing) and (match := opening.fullmatch(lines[at])):
            return closing[place], match["language"]
    return None


def margin(line: str) -> str:
    return line[: line.index("{")]
