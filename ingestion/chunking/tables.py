"""The header row of a table's text, for the pieces that an over-long table is cut into."""

import re

from knowledge.texts.tables.csv_tables import csv_table

GRID_RULE = re.compile(r"\s*\+[-=+:]+\+\s*$")
SIMPLE_RULE = re.compile(r"\s*=[ =]*$")
MARKDOWN_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
RULE = re.compile(r"\+[-+]+\+|--+(?: --+)*")  # between cells of a header that others span
LIST_TABLE_CELL = re.compile(r"\s*(?:[*+-]\s+)?[*+-]\s+(?P<text>.*)$")
QUOTED = re.compile(r"^[ \t]*+(?:>[ \t]?)++")
FENCED = re.compile(r"[ \t]*[`~]{3,}\{(?P<name>(?:csv-|list-)?table)\}")  # of MyST
OPTION = re.compile(r"[ \t]*:[\w-]+:")
LONGEST_HEADER = 12  # lines
LONGEST_LINE = 1_000  # characters
LONGEST_TITLES = 2_000  # characters that each piece of a table repeats: hardly more than it holds itself


def header(table: str) -> str:
    """The cells of the header row as one line, or "" when the table has none that we can tell."""
    lines = [line[:LONGEST_LINE] for line in table.split("\n")]
    if lines[0].lstrip().startswith(">"):
        lines = [QUOTED.sub("", line, count=1) for line in lines]
    if fence := FENCED.match(lines[0]):
        return directive_header(as_of_rst(fence["name"], lines[1:]))
    if lines[0].lstrip().startswith(".."):
        return directive_header(lines)
    return drawn_header(lines)


def drawn_header(lines: list[str]) -> str:
    if len(lines) > 1 and MARKDOWN_RULE.match(lines[1]) and not SIMPLE_RULE.match(lines[0]):
        return cells(lines[:1])
    if GRID_RULE.match(lines[0]):
        return ruled_header(lines, GRID_RULE)
    return ruled_header(lines, SIMPLE_RULE) if SIMPLE_RULE.match(lines[0]) else ""


def bounded(titles: str) -> str:
    """A header as pieces carry it: of one that is longer than they are, its first cells.

    Else a wide table would store its header, which may be as long as the file, once for every few of its cells.
    """
    if len(titles) <= LONGEST_TITLES:
        return titles
    whole, cut, part = titles[:LONGEST_TITLES].rpartition(" | ")
    return f"{(whole + cut) or part}…"


def ruled_header(lines: list[str], rule: re.Pattern[str]) -> str:
    """The rows between the first two rules, if a third one says that more follows."""
    rules = [index for index, line in enumerate(lines) if rule.match(line)]
    if len(rules) < 3 or rules[1] > LONGEST_HEADER:
        return ""
    return cells(lines[1 : rules[1]])


def cells(rows: list[str]) -> str:
    parts = (part.strip() for row in rows for part in re.split(r"\||\s{2,}", row))
    return " | ".join(part for part in parts if part and not RULE.fullmatch(part))


def directive_header(lines: list[str]) -> str:
    body = next((index for index, line in enumerate(lines) if not line.strip()), len(lines)) + 1
    options = "\n".join(lines[:body])
    if match := re.search(r":header: *(.+)", options):
        return match[1].replace('"', "")
    if lines[0].lstrip().startswith(".. table::"):
        return drawn_header(lines[body:]) if len(lines) > body else ""
    if not re.search(r":header-rows: *[1-9]", options):
        return ""
    if lines[0].lstrip().startswith(".. csv-table::"):
        return first_of_values(lines)
    return " | ".join(first_list_row(lines[body:]))


def as_of_rst(name: str, lines: list[str]) -> list[str]:
    """A directive of MyST as one of RST; the lines are those below its first."""
    body = next((index for index, line in enumerate(lines) if not OPTION.match(line)), len(lines))
    rest = [line for line in lines[body:] if line.strip(" \t`~")]  # without the fence that closes it
    return [f".. {name}::", *(f"   {line.strip()}" for line in lines[:body]), "", *(f"   {line}" for line in rest)]


def first_of_values(lines: list[str]) -> str:
    table = csv_table(lines, 0)
    return " | ".join(filter(None, table.heads[0].cells)) if table and table.heads else ""


def first_list_row(lines: list[str]) -> list[str]:
    row: list[str] = []
    for number, line in enumerate(lines[:LONGEST_HEADER]):
        match = LIST_TABLE_CELL.match(line)
        if not match or (number and re.match(r"\s*[*+-]\s+[*+-]\s", line)):
            break
        row.append(match["text"].strip())
    return row
