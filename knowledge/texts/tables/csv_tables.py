"""RST's tables of comma-separated values, as docutils reads them. Pure."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence

from .table import Row, Table, headed

DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. csv-table::[ \t]*(?P<title>.*)")
OPTION = re.compile(r"\s+:(?P<name>[\w-]+):(?: +(?P<said>.*))?$")
CHARACTERS = {"tab": "\t", "space": " "}  # as docutils names them


def csv_table(lines: Sequence[str], at: int) -> Table | None:
    """None where none begins, where its values are in a file, and where docutils would refuse them."""
    if not (directive := DIRECTIVE.match(lines[at])):
        return None
    margin = len(directive["indent"])
    further = (n for n in range(at + 1, len(lines)) if lines[n].strip() and not lines[n][: margin + 1].isspace())
    end = next(further, len(lines))
    start = next((n for n in range(at + 1, end) if not lines[n].strip()), end)
    options = options_of(lines[at + 1 : start])
    try:
        head = values(options.get("header", "").split("\n"), options)
        below = values([line.strip() for line in lines[start:end]], options)
    except (csv.Error, TypeError):
        return None
    told = options.get("header-rows", "").strip()
    heads = len(head) + (int(told) if told.isdecimal() and len(told) < 3 else 0)
    ends = [*range(at + 2, at + 1 + len(head)), start]  # each is said on a line, at least
    rows = [Row(cells, range(at + 1 + n, ends[n])) for n, (cells, _) in enumerate(head)]
    above = start
    for cells, last in below:
        first = next((n for n in range(above, start + last) if lines[n].strip()), above)
        rows.append(Row(cells, range(first, start + last)))
        above = start + last
    return headed(range(at, end), rows, heads, directive["title"].strip()) if below else None


def options_of(texts: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for text in texts:
        if option := OPTION.match(text):
            name = option["name"]
        found[name] = option["said"] or "" if option else f"{found.get(name, '')}\n{text.strip()}"
    return found


def values(texts: Iterable[str], options: Mapping[str, str]) -> list[tuple[list[str], int]]:
    """The cells of each row, each on one line, and behind which line it ends. Raises csv.Error, TypeError."""
    marks = {name: CHARACTERS.get(said, said) for name, said in options.items()}
    found = csv.reader(
        (f"{text}\n" for text in texts),
        delimiter=marks.get("delim", ","),
        quotechar=marks.get("quote", '"'),
        escapechar=marks.get("escape"),
        skipinitialspace=True,
        strict=True,
    )
    return [([" ".join(cell.split()) for cell in cells], found.line_num) for cells in found if cells]
