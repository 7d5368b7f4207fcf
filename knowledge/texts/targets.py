"""The targets of links in RST and Markdown, which no page shows: `.. _name: address` and `[name]: address`. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate, groupby

from .comments import Span, whole_lines
from .fences import code_lines
from .formats import may_hold_html
from .lines import indent_of, inside
from .literals import literal_lines

OF_RST = re.compile(r"[ \t]*(?:\.\. _(?:`[^`\n]{1,300}`|(?:[^:\n]|:(?!\s)){0,300}):(?:[ \t]|$)|__[ \t]+\S+$)")
TITLE = r"\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)"
OF_MARKDOWN = re.compile(
    rf" {{0,3}}\[(?!\^)[^\[\]\n]{{1,300}}\]:[ \t]*(?:<[^<>\n]{{1,2000}}>|\S+)(?:[ \t]+(?:{TITLE}))?[ \t]*"
)


def targets(text: str, path: str) -> tuple[Span, ...]:
    """Where they are, in order, with the lines that they have for themselves."""
    lines = text.split("\n")
    starts = [*accumulate((len(line) + 1 for line in lines), initial=0)]
    found = of_markdown(lines, code_lines(lines)) if may_hold_html(path) else of_rst(lines, literal_lines(lines))
    return tuple(whole_lines(text, starts[one.start], starts[one.stop] - 1) for one in together(found))


def together(found: Iterable[range]) -> Iterator[range]:
    """Those that stand directly below each other as one."""
    lines = sorted(at for one in found for at in one)
    for _, run in groupby(enumerate(lines), key=lambda each: each[1] - each[0]):
        places = [at for _, at in run]
        yield range(places[0], places[-1] + 1)


def of_rst(lines: Sequence[str], code: Set[int]) -> Iterator[range]:
    """Each with what it goes on with further in."""
    end = 0
    for at, line in enumerate(lines):
        if at >= end and at not in code and OF_RST.match(line):
            goes_on = bool("".join(lines[at + 1 : at + 2]).strip())
            end = inside(lines, at + 1, indent_of(line)) if goes_on else at + 1
            yield range(at, end)


def of_markdown(lines: Sequence[str], code: Set[int]) -> Iterator[range]:
    """Those that begin a paragraph, or stand below another."""
    is_begun = True
    for at, line in enumerate(lines):
        is_target = at not in code and is_begun and bool(OF_MARKDOWN.fullmatch(line))
        is_begun = is_target or not line.strip()
        if is_target:
            yield range(at, at + 1)
