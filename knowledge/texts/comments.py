"""Comments of RST and Markdown, which no page shows: where they are, and what is left without them. Pure.

In code there are none, and in other files what looks like one is text.
"""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import groupby

from .formats import is_rst, may_hold_html
from .html_markup import CODE, code_lines
from .lines import indent_of, inside
from .literals import literal_lines

COMMENT = re.compile(r"\.\.(?: |$)")  # or another construct that begins so
POSSIBLE = re.compile(r"^[ \t]*\.\.(?: |$)", re.M)
OTHER = re.compile(  # targets, footnotes, substitutions and directives
    r"\.\. +(?:_(?! |$)|__ |\[[^\[\]\s]+\](?: |$)|\|[^|]+\| +[\w:+.-]+ ?::|[\w:+.-]+ ?::(?: |$))"
)
OPENING = re.compile(rf"{CODE}|<!--|^[ \t]*(?P<mdx>\{{/\*)", re.M)
REST_OF_LINE = re.compile(r"[ \t]*(?:\n(?P<blank>(?:[ \t]*\n)*)|\Z)")

Span = tuple[int, int]  # of characters, half-open


def without_comments(text: str, path: str) -> str:
    """`text` of the file at `path` as a page shows it; `text` itself where it holds no comment."""
    return without(text, comments(text, path))


def comments(text: str, path: str) -> tuple[Span, ...]:
    """Where the comments are, in order. One that has its lines for itself holds them whole."""
    if may_hold_html(path):
        return tuple(in_markdown(text))
    return tuple(in_rst(text)) if is_rst(path) else ()


def without(text: str, spans: Sequence[Span]) -> str:
    if not spans:
        return text
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True)).rstrip("\n")


def in_markdown(text: str) -> Iterator[Span]:
    """One that is never closed is text; so is one of MDX (`{/* … */}`) beside text."""
    at = last = 0
    has_any = "<!--" in text or "{/*" in text
    for is_code, lines in groupby(code_lines(text.split("\n")) if has_any else (), key=lambda each: each[0]):
        end = at + sum(len(line) + 1 for _, line in lines)
        place = max(at, last)
        while not is_code and (match := OPENING.search(text, place, end)):
            place = match.end()
            if not match["code"]:
                of_mdx = bool(match["mdx"])
                last = (text.find("*/}", match.end()) if of_mdx else text.find("-->", match.start() + 2)) + 3
                if last < 3:
                    return
                if not of_mdx or REST_OF_LINE.match(text, last):
                    yield whole_lines(text, match.start(), last)
                place = last
        at = end


def in_rst(text: str) -> Iterator[Span]:
    if not POSSIBLE.search(text):
        return
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for stretch in comment_lines(lines, literal_lines(lines)):
        yield whole_lines(text, starts[stretch.start], starts[stretch.stop] - 1)


def comment_lines(lines: Sequence[str], code: Set[int]) -> Iterator[range]:
    """The comments of RST by their lines; `code` are the indexes of those that are code. What begins further in may be
    code whose beginning is elsewhere.
    """
    at = 0 if not lines[0][:1].isspace() else len(lines)
    while at < len(lines):
        end = at if at in code else end_of_comment(lines, at)
        if end > at:
            yield range(at, end)
        at = max(end, at + 1)


def end_of_comment(lines: Sequence[str], at: int) -> int:
    """Where the comment of RST ends that begins at this line; `at` where none does, as within a paragraph."""
    said = lines[at].strip()
    if not COMMENT.match(said) or OTHER.match(said) or goes_on(lines, at):
        return at
    is_empty = said == ".." and not "".join(lines[at + 1 : at + 2]).strip()
    return at + 1 if is_empty else inside(lines, at + 1, indent_of(lines[at]))


def goes_on(lines: Sequence[str], at: int) -> bool:
    """Whether the line is of the paragraph above it."""
    above = lines[at - 1] if at else ""
    is_as_far_in = bool(above.strip()) and indent_of(above) == indent_of(lines[at])
    return is_as_far_in and not COMMENT.match(above.strip())


def whole_lines(text: str, start: int, end: int) -> Span:
    """The span with its lines, and the blank ones after it, where it has them for itself."""
    line = text.rfind("\n", 0, start) + 1
    rest = REST_OF_LINE.match(text, end)
    if not rest or text[line:start].strip():
        return start, end
    is_apart = line < 2 or text[line - 2] == "\n"
    return line, rest.end() if is_apart else rest.start("blank") if rest["blank"] is not None else rest.end()
