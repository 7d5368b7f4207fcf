"""What a text says without its markup, as models read it: tables row by row, directives without their options. Pure.

Models of sentences make little of rules, bars and roles, and these take up what they can read. The reader's logit of
"What does a trailer cost per day?" was -5.3 beside a grid table that says so, and 3.5 beside its rows.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from .announcements import OPTION as OPTION_OF_MYST
from .announcements import SPOKEN, Announced, announced, said_of
from .fences import Standing, standings
from .html_markup import without_html
from .tables.readers import OF_4, OF_5, OF_6, READERS, SIMPLE_RULE, Reader, head_of, table_at

DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. (?:\|[^|\n]{1,80}\| )?(?P<name>[\w:.-]{1,80})::[ \t]*(?P<rest>.*)")
OPTION = re.compile(r"[ \t]+:[\w-]+:(?:[ \t]|$)")
TARGET = re.compile(r"[ \t]*\.\. _.*:[ \t]*\S*$")
UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")
OPENING = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)")  # of a heading, of a quotation
_SILENT = "code code-block contents figure highlight image include index list-table toctree"
SILENT = frozenset(_SILENT.split())  # what stands behind their names is no text
SAID = "{0,300}?"  # characters at most between two marks: texts may be hostile
ALL = "{0,300}+"  # the same, for what ends at the only characters that it cannot hold: there is nothing to try again
INLINE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"!?\[(?P<said>[^\]\n]{ALL})\]\([^)\s]{ALL}(?: \"[^\"\n]{ALL}\")?\)",  # Markdown's links and pictures
        rf":[\w:.+-]{{1,40}}:`[~!]?(?P<said>[^`<]{SAID})(?:\s<[^`>]{ALL}>)?`",  # roles
        rf"(?<!`)`(?P<said>[^`<\n]{SAID})\s<[^`>\n]{ALL}>`__?",  # links
        rf"``(?P<said>[^`]{ALL})``",
        rf"(?<!`)`(?P<said>[^`\n]{ALL})`(?!`)_{{0,2}}",
        rf"(?<![\w*])\*\*(?=[^\s*])(?P<said>[^*]{ALL})(?<=\S)\*\*(?![\w*])",
        rf"(?<![\w*])\*(?=[^\s*])(?P<said>[^*\n]{ALL})(?<=\S)\*(?![\w*])",
    )
)


def without_markup(text: str, has_html: bool = False, context: str = "") -> str:
    """The text's words in their order; empty for one that is nothing but markup.

    `has_html`: HTML in it is markup, as in Markdown; elsewhere its tags are what is said. `context` is that of a chunk:
    the heads of the table whose rows it may begin with.
    """
    return told_below_head(text, has_html, context, READERS)


def told_below_head(text: str, has_html: bool, context: str, tables: Sequence[Reader]) -> str:
    plain = without_html(text) if has_html else text
    return told(head_of(plain, context) + plain, tables, announced, has_fences=has_html)


def as_it_was_told(text: str, context: str) -> Iterator[str]:
    """Without its markup as earlier versions had it, from 6 of the chunker back to 4: what they left is known by its
    hash.
    """
    for has_html in (False, True):
        yield told_below_head(text, has_html, context, OF_6)
    for plain in (text, without_html(text)):
        yield told(plain, OF_5, announced)
    yield told(text, OF_4, lambda line: None)


def told(
    text: str, tables: Sequence[Reader], announced: Callable[[str], Announced | None], has_fences: bool = False
) -> str:
    lines, said, at = text.split("\n"), list[str](), 0
    code = {at for at, standing in enumerate(standings(lines)) if standing is Standing.CODE} if has_fences else ()
    while at < len(lines):
        if at not in code and (table := table_at(lines, at, tables)):
            said += table.told()
            at = table.lines.stop
        elif directive := DIRECTIVE.match(lines[at]):
            said += words_of(directive)
            at = after_options(lines, at + 1)
        elif (announcement := announced(lines[at])) is not None:
            said += filter(None, [said_of(*announcement)])
            at = after_options(lines, at + 1, OPTION_OF_MYST)
        else:
            said += words_in(lines[at])
            at += 1
    whole = "\n".join(said)
    for pattern in INLINE:
        whole = pattern.sub(r"\g<said>", whole)
    return whole.strip("\n")


def words_of(directive: re.Match[str]) -> Iterator[str]:
    name, rest = directive["name"], directive["rest"]
    if name in SPOKEN:
        yield f"{directive['indent']}{name.capitalize()}: {rest}".rstrip()
    elif rest and name not in SILENT:
        yield f"{directive['indent']}{rest}"


def after_options(lines: Sequence[str], at: int, option: re.Pattern[str] = OPTION) -> int:
    """A directive's options say how something looks."""
    while at < len(lines) and option.match(lines[at]):
        at += 1
    return at


def words_in(line: str) -> Iterator[str]:
    said = line.strip()
    if not (UNDERLINE.fullmatch(said) or SIMPLE_RULE.fullmatch(said) or TARGET.match(line)):
        yield OPENING.sub("", line, count=1) if OPENING.match(line) else line
