"""Tables drawn with characters (Markdown's pipes, RST's grids) as rows and cells. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

BORDER = re.compile(r"\s*(?:\+[-=+]+\+|\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*)$")
PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Row:
    """`lines` are the numbers of its lines and of the borders that follow it; the first may be a border before it."""

    lines: tuple[int, ...]
    cells: tuple[str, ...]
    is_head: bool


def rows(lines: Sequence[tuple[int, str]]) -> tuple[Row, ...]:
    """Of numbered lines that are one table; () when they are none, or its rows differ in width."""
    is_grid = lines[0][1].lstrip().startswith("+")
    groups, borders = grid(lines) if is_grid else pipes(lines)
    found = [
        Row(tuple(number for number, _ in group), cells_of([text for _, text in group if not is_border(text)]), False)
        for group in groups
    ]
    if not found or len({len(row.cells) for row in found}) > 1 or len(found[0].cells) < 2:
        return ()
    if borders and len(found) > 1:
        found[0] = Row(found[0].lines, found[0].cells, True)
    return tuple(found)


Group = list[tuple[int, str]]


def pipes(lines: Iterable[tuple[int, str]]) -> tuple[list[Group], bool]:
    """A row for each line; the border below the head belongs to it."""
    groups: list[Group] = []
    headed = False
    for number, text in lines:
        if is_border(text):
            if not groups:
                return [], False
            headed |= len(groups) == 1
            groups[-1].append((number, text))
        else:
            groups.append([(number, text)])
    return groups, headed


def grid(lines: Iterable[tuple[int, str]]) -> tuple[list[Group], bool]:
    """A row for what stands between two borders; `=` below the first makes it the head."""
    groups: list[Group] = []
    headed, opening = False, Group()
    for number, text in lines:
        if not is_border(text):
            if not groups or (is_border(groups[-1][-1][1]) and groups[-1][-1] not in opening):
                groups.append([])
            groups[-1] += [*opening, (number, text)]
            opening = []
        elif groups:
            headed |= "=" in text and len(groups) == 1
            groups[-1].append((number, text))
        else:
            opening = [(number, text)]
    return groups, headed


def is_border(text: str) -> bool:
    return BORDER.match(text) is not None


def cells_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The cells of a row's lines, each with its pieces joined; () when the lines have different numbers of them."""
    split = [[cell.strip().replace("\\|", "|") for cell in PIPE.split(text.strip())[1:-1]] for text in texts]
    if len({len(cells) for cells in split}) != 1:
        return ()
    return tuple(" ".join(filter(None, pieces)) for pieces in zip(*split, strict=True))
