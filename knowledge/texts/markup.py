"""What a text says without its markup, as models read it: tables row by row, directives without their options. Pure.

Models of sentences make little of rules, bars and roles, and these take up what they can read. The reader's logit of
"What does a trailer cost per day?" was -5.3 beside a grid table that says so, and 3.5 beside its rows.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest

from .announcements import OPTION as OPTION_OF_MYST
from .announcements import SPOKEN, Announced, announced, said_of
from .csv_tables import csv_table
from .fences import Standing, standings
from .html_markup import without_html
from .rst_spans import Drawn, spanning_columns, spanning_grid
from .tables import Row, Table, headed, is_filled, laid_table, put

GRID_RULE = re.compile(r"\+(?:[-=:]+\+)+")
SIMPLE_RULE = re.compile(r"=+(?: +=+)+")
PIPES_RULE = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:?)?")
BAR = re.compile(r"(?<!\\)\|")
BETWEEN = re.compile(r" \|(?= |$)")  # the cells of formats without markup
DIGIT, LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d]+")
ROW_OF_LIST = re.compile(r"[ \t]*[*+-][ \t]+-(?:[ \t]+|$)")
CELL_OF_LIST = re.compile(r"[ \t]+-(?:[ \t]+|$)")
HEADED = re.compile(r"[ \t]*:header-rows:[ \t]*[1-9]")

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


Lines = Sequence[str]
Found = tuple[Table, int]  # and the line after it
Reader = Callable[[Lines, int], Found | None]


def without_markup(text: str, has_html: bool = False, context: str = "") -> str:
    """The text's words in their order; empty for one that is nothing but markup.

    `has_html`: HTML in it is markup, as in Markdown; elsewhere its tags are what is said. `context` is that of a chunk:
    the heads of the table whose rows it may begin with.
    """
    plain = without_html(text) if has_html else text
    return told(head_of(plain, context) + plain, TABLES, announced, has_fences=has_html)


def as_it_was_told(text: str) -> Iterator[str]:
    """Without its markup as versions 5 and 4 of the chunker had it: what they left is known by its hash."""
    for plain in (text, without_html(text)):
        yield told(plain, TABLES[:-1], announced)
    yield told(text, TABLES_OF_4, lambda line: None)


@lru_cache(maxsize=512)
def head_of(text: str, context: str) -> str:
    """A chunk's context as the head of the rows that the text begins with, written as they are; empty where it begins
    with none that a head can be put above.
    """
    first = text.lstrip("\n").split("\n", 1)[0]
    if not context or not (first.startswith("|") or BETWEEN.search(first)):
        return ""
    width = len(cells(first) if first.startswith("|") else apart(first))
    whole = apart(context)
    rows = [row for row in map(apart, context.split(" / ")) if len(row) == width]  # a title across has fewer
    if not rows and len(whole) > width:
        return ""
    rows = rows or [whole]  # strokes within cells part no rows
    names = columns_of(rows)
    head = " | ".join(names), " | ".join(["---"] * len(names))
    if first.startswith("|"):
        return "" if "\n+" in text else "".join(f"| {line} |\n" for line in head)
    return "".join(f"{line}\n" for line in head)


def told(
    text: str, tables: Sequence[Reader], announced: Callable[[str], Announced | None], has_fences: bool = False
) -> str:
    lines, said, at = text.split("\n"), list[str](), 0
    code = {at for at, standing in enumerate(standings(lines)) if standing is Standing.CODE} if has_fences else ()
    while at < len(lines):
        if at not in code and (found := read_table(lines, at, tables)):
            said += found[0].lines()
            at = found[1]
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


def table_at(lines: Lines, at: int) -> Found | None:
    """The table, or what a passage has of one, whose first line is at this place."""
    return read_table(lines, at, TABLES)


def read_table(lines: Lines, at: int, tables: Sequence[Reader]) -> Found | None:
    return next(filter(None, (read(lines, at) for read in tables)), None)


def words_of(directive: re.Match[str]) -> Iterator[str]:
    name, rest = directive["name"], directive["rest"]
    if name in SPOKEN:
        yield f"{directive['indent']}{name.capitalize()}: {rest}".rstrip()
    elif rest and name not in SILENT:
        yield f"{directive['indent']}{rest}"


def after_options(lines: Lines, at: int, option: re.Pattern[str] = OPTION) -> int:
    """A directive's options say how something looks."""
    while at < len(lines) and option.match(lines[at]):
        at += 1
    return at


def words_in(line: str) -> Iterator[str]:
    if not (UNDERLINE.fullmatch(line.strip()) or TARGET.match(line)):
        yield OPENING.sub("", line, count=1) if OPENING.match(line) else line


def grid(lines: Lines, at: int) -> Found | None:
    """Between rules of + and -. The lines of a cell are put together."""
    if not GRID_RULE.fullmatch(lines[at].strip()):
        return None
    rows: list[Row] = []
    heads, begun = 0, Row()
    for end in range(at, len(lines)):
        line = lines[end].strip()
        if GRID_RULE.fullmatch(line):
            rows += [begun] if is_filled(begun) else []
            heads = len(rows) if "=" in line else heads
            begun = []
        elif line.startswith("|"):
            put(cells(line), begun)
        else:
            break
    else:
        end = len(lines)
    return headed([*rows, begun] if is_filled(begun) else rows, heads), end


def simple(lines: Lines, at: int) -> Found | None:
    """Between rules of =, whose columns are as wide as those; the last rule has a blank line below."""
    if not SIMPLE_RULE.fullmatch(lines[at].strip()):
        return None
    starts = [match.start() for match in re.finditer("=+", lines[at])]
    rows: list[Row] = []
    heads = 0
    for place in range(at + 1, len(lines)):
        line = lines[place]
        if SIMPLE_RULE.fullmatch(line.strip()):
            if not "".join(lines[place + 1 : place + 2]).strip():
                return headed(rows, heads), place + 1
            heads = len(rows)
            continue
        row = in_columns(line, starts)
        if any(row) and not (len(rows) > heads and not row[0]):
            rows.append([])
        if rows:
            put(row, rows[-1])
    return headed(rows, heads), len(lines)


def in_columns(line: str, starts: Sequence[int]) -> list[str]:
    """The cells of the columns that the line reaches, at least of the first."""
    reached = starts[: max(bisect_left(starts, len(line)), 1)]
    return [line[start:end].strip() for start, end in zip(reached, [*reached[1:], None], strict=True)]


def pipes(lines: Lines, at: int) -> Found | None:
    """Markdown's: a head, a rule, rows; rows alone, of this kind or of a grid, where the text begins amid them."""
    end = at
    while end < len(lines) and lines[end].strip().startswith("|"):
        end += 1
    if end == at:
        return None
    ruled = [*map(is_rule, lines[at:end])]
    rows = [[[cell] for cell in cells(line)] for line, rule in zip(lines[at:end], ruled, strict=True) if not rule]
    return headed(rows, 1 if any(ruled[1:2]) else 0), end


def bars(lines: Lines, at: int) -> Found | None:
    """Of formats without markup (DOCX, HTML, sheets), and Markdown's without bars around it."""
    if lines[at][:1].isspace():
        return None
    end = next((n for n in range(at, len(lines)) if not (BETWEEN.search(lines[n]) or is_rule(lines[n]))), len(lines))
    rows = [apart(line) for line in lines[at:end] if not is_rule(line)]
    if len(rows) < 2:
        return None
    heads = 0
    if is_rule(lines[at + 1]) or names_columns(*rows[:2]):
        heads = next((n for n in range(1, len(rows)) if rows[n][0] != rows[0][0]), 1)  # what spans rows names them all
    return Table(columns_of(rows[:heads]), rows[heads:]), end


def columns_of(heads: Sequence[Sequence[str]]) -> list[str]:
    """Of rows of names one; what spans several of them is said once."""
    return [" ".join(dict.fromkeys(filter(None, column))) for column in zip_longest(*heads, fillvalue="")]


def apart(line: str) -> list[str]:
    return [cell.strip() for cell in BETWEEN.split(line)]


def is_rule(line: str) -> bool:
    return PIPES_RULE.fullmatch(line.strip()) is not None


def names_columns(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether a first row that nothing marks as the head is taken for it: filled, and not of the form of the next one.

    Of two columns none is: `Pedal | 35 Nm` above `Stem | 5 Nm` is as good a row as any.
    """
    alike = [*map(form, first[1:])] == [*map(form, second[1:])] and any(map(DIGIT.search, first[1:]))
    return len(first) > 2 and all(first) and not alike


def form(cell: str) -> str:
    """`9-12 Uhr` as `0-0 a`."""
    return LETTERS.sub("a", DIGIT.sub("0", cell))


def list_table(lines: Lines, at: int) -> Found | None:
    """A list of lists: `* -` begins a row, `-` further in a cell."""
    if not ROW_OF_LIST.match(lines[at]):
        return None
    heads = 1 if any(map(HEADED.match, lines[max(at - 8, 0) : at])) else 0
    rows: list[Row] = []
    for end in range(at, len(lines)):
        line = lines[end]
        if begun := ROW_OF_LIST.match(line) or CELL_OF_LIST.match(line):
            rows += [[]] if begun.re is ROW_OF_LIST else []
            rows[-1].append([line[begun.end() :].strip()])
        elif line[:1].isspace() or not line:
            rows[-1][-1].append(line.strip())
        else:
            break
    else:
        end = len(lines)
    return headed(rows, heads), end


def spanning(lines: Lines, at: int) -> Found | None:
    """A grid or columns with cells that span others: what one says stands at every place of it."""
    drawn: Drawn | None = spanning_grid(lines, at) or spanning_columns(lines, at)
    return (laid_table(drawn[0], drawn[1]), drawn[2]) if drawn else None


def separated(lines: Lines, at: int) -> Found | None:
    """A csv-table, its title said before its rows."""
    if not (read := csv_table(lines, at)):
        return None
    rows, heads, title, end = read
    table = headed([[[cell] for cell in row] for row in rows], heads)
    return (replace(table, rows=[[title], *table.rows]) if title else table), end


TABLES_OF_4: tuple[Reader, ...] = (grid, simple, pipes, list_table)
TABLES: tuple[Reader, ...] = (spanning, separated, *TABLES_OF_4, bars)


def cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    closed = inner.endswith("|") and not inner.endswith("\\|")
    return [cell.strip() for cell in BAR.split(inner[:-1] if closed else inner)]
