"""The header row of a table's text, for the pieces that an over-long table is cut into."""

import re
from collections.abc import Sequence

from knowledge.texts.formats import Notation
from knowledge.texts.tables.readers import readers_of, tables_in, together

QUOTED = re.compile(r"^[ \t]*+(?>(?:>[ \t]?)+)")
VALUES = re.compile(r"[ \t]*[`~]{3,}\{csv-table\}")  # of MyST
OPTION = re.compile(r"[ \t]*:[\w-]+:")
LONGEST_TITLES = 2_000  # characters that each piece of a table repeats: hardly more than it holds itself


def header(table: str, notation: Notation | None = None) -> str:
    """The names of the columns as one line, or "" when the table has none that we can tell."""
    lines = table.split("\n")
    if lines[0].lstrip().startswith(">"):
        lines = [QUOTED.sub("", line, count=1) for line in lines]
    if VALUES.match(lines[0]):
        lines = as_of_rst(lines[1:])
    first = next(tables_in(lines, readers_of(notation)), None)
    return together(first.names) if first and any(first.names) else ""


def bounded(titles: str) -> str:
    """A header as pieces carry it: of one that is longer than they are, its first cells.

    Else a wide table would store its header, which may be as long as the file, once for every few of its cells.
    """
    if len(titles) <= LONGEST_TITLES:
        return titles
    whole, cut, part = titles[:LONGEST_TITLES].rpartition(" | ")
    return f"{(whole + cut) or part}…"


def as_of_rst(lines: Sequence[str]) -> list[str]:
    """Comma-separated values of MyST as those of RST; the lines are those below the first."""
    body = next((index for index, line in enumerate(lines) if not OPTION.match(line)), len(lines))
    rest = [line for line in lines[body:] if line.strip(" \t`~")]  # without the fence that closes it
    return [".. csv-table::", *(f"   {line.strip()}" for line in lines[:body]), "", *(f"   {line}" for line in rest)]
