"""What versions 4 to 6 of the chunker told models of a passage. Pure.

The chunks that they left are known by the hash of it (`ingestion.chunking.told_by_hash`): their archives are read, and
they get the vectors of other models. It stays as it was, mistakes and all.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from .announcements import OPTION as OPTION_OF_MYST
from .announcements import SPOKEN, Announced, announced, said_of
from .fences import code_lines
from .html_markup import without_html
from .markup import ALL, DIRECTIVE, SAID, SILENT, TARGET, after_options
from .tables.csv_tables import csv_table
from .tables.readers import (
    BETWEEN,
    ROW_OF_LIST,
    Lines,
    Reader,
    barred,
    between_pipes,
    between_rules,
    grid,
    head_of,
    is_rule,
    listed,
    spanned,
    table_at,
)
from .tables.table import Table

MOST_OPTIONS = 8
OPENING = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|>[ \t]?)")
UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}")
INLINE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"!?\[(?P<said>[^\]\n]{ALL})\]\([^)\s]{ALL}(?: \"[^\"\n]{ALL}\")?\)",
        rf":[\w:.+-]{{1,40}}:`[~!]?(?P<said>[^`<]{SAID})(?:\s<[^`>]{ALL}>)?`",
        rf"(?<!`)`(?P<said>[^`<\n]{SAID})\s<[^`>\n]{ALL}>`__?",
        rf"``(?P<said>[^`]{ALL})``",
        rf"(?<!`)`(?P<said>[^`\n]{ALL})`(?!`)_{{0,2}}",
        rf"(?<![\w*])\*\*(?=[^\s*])(?P<said>[^*]{ALL})(?<=\S)\*\*(?![\w*])",
        rf"(?<![\w*])\*(?=[^\s*])(?P<said>[^*\n]{ALL})(?<=\S)\*(?![\w*])",
    )
)


def as_it_was_told(text: str, context: str) -> Iterator[str]:
    """`context` is the chunk's, which version 6 reads."""
    for has_html in (False, True):
        plain = without_html(text) if has_html else text
        yield told(head_of(plain, context) + plain, OF_6, announced, has_fences=has_html)
    for plain in (text, without_html(text)):
        yield told(plain, OF_5, announced)
    yield told(text, OF_4, lambda line: None)


def told(
    text: str, tables: Sequence[Reader], announced: Callable[[str], Announced | None], has_fences: bool = False
) -> str:
    lines, said, at = text.split("\n"), list[str](), 0
    code = code_lines(lines) if has_fences else ()
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
    elif rest and name not in SILENT and name != "list-table":
        yield f"{directive['indent']}{rest}"


def words_in(line: str) -> Iterator[str]:
    if not (UNDERLINE.fullmatch(line.strip()) or TARGET.match(line)):
        yield OPENING.sub("", line, count=1) if OPENING.match(line) else line


def list_table(lines: Lines, at: int) -> Table | None:
    if not ROW_OF_LIST.match(lines[at]):
        return None
    outer = (n for n in range(at, len(lines)) if lines[n] and not lines[n][0].isspace())
    end = next((n for n in outer if not ROW_OF_LIST.match(lines[n])), len(lines))
    return listed(lines, at, end, MOST_OPTIONS)


def bars(lines: Lines, at: int) -> Table | None:
    is_ruled = is_rule("".join(lines[at + 1 : at + 2]))
    return None if lines[at][:1].isspace() else barred(lines, at, BETWEEN.search, len(lines), is_ruled)


OF_4: tuple[Reader, ...] = (grid, between_rules, between_pipes, list_table)
OF_5: tuple[Reader, ...] = (spanned, csv_table, *OF_4)
OF_6: tuple[Reader, ...] = (*OF_5, bars)
