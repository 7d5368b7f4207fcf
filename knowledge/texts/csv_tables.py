"""RST's tables of comma-separated values, as docutils reads them. Pure."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence

DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\. csv-table::[ \t]*(?P<title>.*)")
OPTION = re.compile(r"\s+:(?P<name>[\w-]+):(?: +(?P<said>.*))?$")
CHARACTERS = {"tab": "\t", "space": " "}  # as docutils names them

Read = tuple[list[list[str]], int, str, int]  # rows, how many are the head, the title, the line after the table


def csv_table(lines: Sequence[str], at: int) -> Read | None:
    """None where none begins, where its values are in a file, and where docutils would refuse them."""
    if not (directive := DIRECTIVE.match(lines[at])):
        return None
    margin = len(directive["indent"])
    further = (n for n in range(at + 1, len(lines)) if lines[n].strip() and not lines[n][: margin + 1].isspace())
    end = next(further, len(lines))
    start = next((n for n in range(at + 1, end) if not lines[n].strip()), end)
    options = options_of(lines[at + 1 : start])
    try:
        head = [cells for cells, _ in values(options.get("header", "").split("\n"), options)]
        rows = [cells for cells, _ in values([line.strip() for line in lines[start:end]], options)]
    except (csv.Error, TypeError):
        return None
    told = options.get("header-rows", "").strip()
    heads = len(head) + (int(told) if told.isdecimal() and len(told) < 3 else 0)
    said = [[" ".join(cell.split()) for cell in row] for row in (*head, *rows)]
    return (said, heads, directive["title"].strip(), end) if rows else None


def options_of(texts: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for text in texts:
        if option := OPTION.match(text):
            name = option["name"]
        found[name] = option["said"] or "" if option else f"{found.get(name, '')}\n{text.strip()}"
    return found


def values(texts: Iterable[str], options: Mapping[str, str]) -> list[tuple[list[str], int]]:
    """The cells of each row, and behind which line it ends. Raises csv.Error, TypeError."""
    marks = {name: CHARACTERS.get(said, said) for name, said in options.items()}
    found = csv.reader(
        (f"{text}\n" for text in texts),
        delimiter=marks.get("delim", ","),
        quotechar=marks.get("quote", '"'),
        escapechar=marks.get("escape"),
        skipinitialspace=True,
        strict=True,
    )
    return [(cells, found.line_num) for cells in found if cells]
