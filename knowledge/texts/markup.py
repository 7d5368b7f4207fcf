"""What a text says without its markup, as models read it: tables row by row, directives without their options. Pure.

Models of sentences make little of rules, bars and roles, and these take up what they can read. The reader's logit of
"What does a trailer cost per day?" was -5.3 beside a grid table that says so, and 3.5 beside its rows.
"""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import groupby

from .announcements import OPTION as OPTION_OF_MYST
from .announcements import SPOKEN, announced, said_of
from .comments import comment_lines, in_markdown, without
from .directives import BEGUN_BY_ARGUMENT, CODE, LEADING
from .fences import Standing, standings
from .formats import HOLDING_HTML, Notation
from .highlights import fenced
from .html_markup import without_html
from .literals import OPTION, literal_lines
from .tables.readers import OF_MARKDOWN, READERS, SIMPLE_RULE, Reader, head_of, margin_of, table_at

DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)\.\. (?:\|(?P<named>[^|\n]{1,80})\| +)?(?P<name>[\w:.-]{1,80})::[ \t]*(?P<rest>.*)"
)
TARGET = re.compile(r"[ \t]*\.\. _.*:[ \t]*\S*$")
UNDERLINE = re.compile(r"(?!(?:\"\"\"|'''|\.\.\.)$)([=\-~^\"'`#*+.:_])\1{2,}")  # but for what Python writes so
OPENING = re.compile(r" {0,3}(?:#{1,6}[ \t]+|>(?!>>)[ \t]?)")  # of a heading, of a quotation
SILENT = LEADING | (CODE - BEGUN_BY_ARGUMENT) | {"figure", "image"}  # what stands behind their names is no text
SINCE = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
}
SAID = "{0,300}?"  # characters at most between two marks: texts may be hostile
ALL = "{0,300}+"  # the same, for what ends at the only characters that it cannot hold: there is nothing to try again
LITERAL = re.compile(rf"``(?P<said>[^`]{ALL})``")
ROLES = (
    re.compile(rf"(?::[\w:.+-]{{1,40}}:|\{{[\w:.+-]{{1,40}}\}})`[~!]?(?P<said>[^`<]{SAID})(?:\s<[^`>]{ALL}>)?`"),
    re.compile(rf"(?<!`)`(?P<said>[^`<\n]{SAID})\s<[^`>\n]{ALL}>`__?"),  # links
)
TICKED = re.compile(rf"(?<!`)`(?P<said>[^`\n]{ALL})`(?!`)_{{0,2}}")
LINK = re.compile(rf"(?<![\w\])])!?\[(?P<said>[^\]\n]{ALL})\]\([^)\s]{ALL}(?: \"[^\"\n]{ALL}\")?\)")  # and pictures
NO_STAR = r"(?!(?<=[\"'])\*+[\"']|(?<=\()\*+\)|(?<=/)\*+/|\*\.\*)"  # no mark: `"*"`, `count(*)`, `/api/*/users`, `*.*`
MARKS = (
    LINK,
    LINK,  # with a picture for its text
    re.compile(rf"(?<![\w*]){NO_STAR}\*\*(?=[^\s*])(?P<said>[^*]{ALL})(?<=\S)\*\*(?![\w*])"),
    re.compile(rf"(?<![\w*]){NO_STAR}\*(?=[^\s*])(?P<said>[^*\n]{ALL})(?<=\S)\*(?![\w*])"),
)
REFERENCE = re.compile(rf"(?<![\w\])])!?\[(?P<said>[^\]\n]{ALL})\]\[(?!\d)[^\]\n]{ALL}\]")  # of Markdown
ESCAPED = re.compile(r"\\(?P<said>[*`|_])")
ESCAPED_IN_MARKDOWN = re.compile(r"\\(?P<said>[!-/:-@\[-`{-~])")
HELD = re.compile("\0(\\d+)\0")  # what stands as it is, while marks are taken off; no text of a file holds it
EDGE = "\1"  # where a mark was; nor this
MARKED = rf"{EDGE}\g<said>{EDGE}"
JOINT = re.compile("(?<=[\0\1])\\\\[ \n]?(?=\\w)|\\\\[ \n](?=[\0\1])")  # of RST, beside a mark: not even a space


def without_markup(text: str, notation: Notation | None = None, context: str = "") -> str:
    """The text's words in their order; empty for one that is nothing but markup. Code stands as it is.

    `notation` is what it is written in, if that is known. In Markdown HTML is markup, elsewhere its tags are what is
    said; what a parser wrote out has no marks in its lines. `context` is that of a chunk: the heads of the table whose
    rows it may begin with.
    """
    has_html = notation in HOLDING_HTML
    plain = without_html(without(text, [*in_markdown(text)])) if has_html else text
    lines = f"{head_of(plain, context)}{plain}".split("\n")
    said = told_of_markdown(lines) if has_html else told_of_rst(lines)
    stretches = (
        (is_code, "\n".join(line for _, line in part)) for is_code, part in groupby(said, key=lambda each: each[0])
    )
    pieces = (
        piece if is_code or notation is Notation.WRITTEN_OUT else without_marks(piece, has_html)
        for is_code, piece in stretches
    )
    return "\n".join(pieces).strip("\n")


def told_of_markdown(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    standing = [*standings(fenced(lines))]
    code = {at for at, how in enumerate(standing) if how is Standing.CODE}
    fences = {at for at, how in enumerate(standing) if how is Standing.FENCE}
    rows = [line if at in code else unquoted(line) for at, line in enumerate(lines)]
    return told(rows, code, OF_MARKDOWN, fences)


def told_of_rst(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    code = literal_lines(lines)
    hidden = {at for comment in comment_lines(lines, code) for at in comment}
    return told(lines, code - hidden, READERS, hidden)


def unquoted(line: str) -> str:
    """A row of a table in a quotation without what marks that."""
    margin = margin_of(line)
    return line[len(margin) :] if ">" in margin else line


def told(
    lines: Sequence[str], code: Set[int], tables: Sequence[Reader], unsaid: Set[int] = frozenset()
) -> Iterator[tuple[bool, str]]:
    """What the lines say, and whether it is code. `code` and `unsaid` are indexes of lines."""
    at = 0
    while at < len(lines):
        line, end = lines[at], at + 1
        if at in code:
            yield True, line
        elif at in unsaid:
            pass
        elif table := table_at(lines, at, tables):
            yield from ((False, row) for row in table.told())
            end = table.lines.stop
        elif directive := DIRECTIVE.match(line):
            yield from ((False, said) for said in words_of(directive))
            end = after_options(lines, end)
        elif (announcement := announced(line)) is not None:
            yield from ((False, said) for said in [said_of(*announcement)] if said)
            end = after_options(lines, end, OPTION_OF_MYST)
        else:
            yield from ((False, said) for said in words_in(line))
        at = end


def without_marks(text: str, is_markdown: bool = False) -> str:
    """Running text without its inline marks; between those of code stands what stood there."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match["said"])
        return f"\0{len(held) - 1}\0"

    text = LITERAL.sub(hold, text)
    for pattern in ROLES:
        text = pattern.sub(MARKED, text)
    text = (ESCAPED_IN_MARKDOWN if is_markdown else ESCAPED).sub(hold, TICKED.sub(hold, text))
    for pattern in (REFERENCE, *MARKS) if is_markdown else MARKS:
        text = pattern.sub(MARKED, text)
    text = text if is_markdown else JOINT.sub("", text)
    text = HELD.sub(lambda match: HELD.sub(lambda inner: held[int(inner[1])], held[int(match[1])]), text)
    return text.replace(EDGE, "")


def words_of(directive: re.Match[str]) -> Iterator[str]:
    name, rest = directive["name"], directive["rest"]
    if name in SPOKEN:
        yield f"{directive['indent']}{name.capitalize()}: {rest}".rstrip()
    elif name in SINCE:
        yield f"{directive['indent']}{SINCE[name]} {rest}".rstrip()
    elif rest and name not in SILENT:
        named = f"{directive['named']}: " if name == "replace" and directive["named"] else ""
        yield f"{directive['indent']}{named}{rest}"


def after_options(lines: Sequence[str], at: int, option: re.Pattern[str] = OPTION) -> int:
    """A directive's options say how something looks."""
    while at < len(lines) and option.match(lines[at]):
        at += 1
    return at


def words_in(line: str) -> Iterator[str]:
    said = line.strip()
    if not (UNDERLINE.fullmatch(said) or SIMPLE_RULE.fullmatch(said) or TARGET.match(line)):
        yield OPENING.sub("", line, count=1) if OPENING.match(line) else line
