"""The rules that are drawn on a page of a PDF, and the grids that they close."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

STRAIGHT = 0.5  # points, by which a rule may slant
THICK = 4.0  # points: the edges of a rule, or of cells with little room between them, are one
CLOSE = 3.0  # points between two of these
REACH = 3.0  # points that may lack where rules meet
MOST_LINES = 5_000  # of a page: more are drawn by maps and charts
MOST_RULES = 1_000
MOST_PLACES = 10_000
FEWEST_RULES = 3  # a cross alone makes no table
OPEN = 0.25  # of the places around a grid may have no rule outside, such as a corner that is left out
WHITE = "ffffff"


@dataclass(slots=True)
class Rule:
    """Where it lies across its direction, and from where to where it reaches, in points from the page's top left."""

    at: float
    start: float
    end: float

    def spans(self, start: float, end: float) -> bool:
        return self.start <= start + REACH and end - REACH <= self.end


@dataclass(frozen=True, slots=True)
class Region:
    """A cell as it is drawn: its edges in points, its first column and row, and how many of them it covers."""

    left: float
    right: float
    top: float
    bottom: float
    column: int
    row: int
    columns: int = 1
    rows: int = 1

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom


Grid = Sequence[Region]
Place = tuple[int, int, int, int]  # the numbers of the rules above, left, below and right of a cell


@dataclass(frozen=True, slots=True)
class Edges:
    """Where rules are drawn between places: (rule, column) of those across, (rule, row) of those down; and how many
    rows and columns there are.
    """

    across: Set[tuple[int, int]]
    down: Set[tuple[int, int]]
    rows: int
    columns: int

    def are_around(self) -> bool:
        """But for a few, such as those around a corner that is left out."""
        outer = [(at, column) in self.across for at in (0, self.rows) for column in range(self.columns)]
        outer += [(at, row) in self.down for at in (0, self.columns) for row in range(self.rows)]
        return outer.count(False) <= OPEN * len(outer)

    def is_across(self, at: int, column: int) -> bool:
        return at in (0, self.rows) or (at, column) in self.across

    def is_down(self, at: int, row: int) -> bool:
        return at in (0, self.columns) or (at, row) in self.down

    def bound(self, top: int, left: int, bottom: int, right: int) -> bool:
        """Whether they are drawn all around the rectangle, and nowhere in it."""
        rows, columns = range(top, bottom), range(left, right)
        return (
            all(self.is_across(at, column) for at in (top, bottom) for column in columns)
            and all(self.is_down(at, row) for at in (left, right) for row in rows)
            and not any(self.is_across(at, column) for at in rows[1:] for column in columns)
            and not any(self.is_down(at, row) for at in columns[1:] for row in rows)
        )


def grids_of(graphics: Any) -> list[Grid]:
    """The grids of at least two rows and two columns, from above, that liteparse's lines make; none in none."""
    lines = graphics.lines if graphics else ()
    if not FEWEST_RULES <= len(lines) <= MOST_LINES:
        return []
    seen = [line for line in lines if not (line.stroke_color or line.fill_color or "").endswith(WHITE)]
    across = rules_of(((line.y1, line.x1, line.x2) for line in seen if abs(line.y1 - line.y2) < STRAIGHT), STRAIGHT)
    down = rules_of(((line.x1, line.y1, line.y2) for line in seen if abs(line.x1 - line.x2) < STRAIGHT), STRAIGHT)
    if len(across) + len(down) > MOST_RULES:
        return []
    grids = [grid for each in meeting(across, down) if (grid := grid_of(*each))]
    return sorted(grids, key=lambda grid: (grid[0].top, grid[0].left))


def rules_of(lines: Iterable[tuple[float, float, float]], thick: float) -> list[Rule]:
    """Those that lie in one place, which is as thick, as one, with the gaps between dashes filled."""
    rules: list[Rule] = []
    group: list[tuple[float, float, float]] = []
    for line in [*sorted(lines), (float("inf"), 0.0, 0.0)]:
        if group and (line[0] - group[-1][0] > CLOSE or line[0] - group[0][0] > thick):
            rules += joined(group)
            group = []
        group.append(line)
    return rules


def joined(group: Sequence[tuple[float, float, float]]) -> list[Rule]:
    at = (group[0][0] + group[-1][0]) / 2
    rules: list[Rule] = []
    for start, end in sorted((min(ends), max(ends)) for _, *ends in group):
        if rules and start <= rules[-1].end + REACH:
            rules[-1].end = max(rules[-1].end, end)
        else:
            rules.append(Rule(at, start, end))
    return rules


def meeting(across: Sequence[Rule], down: Sequence[Rule]) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """The rules that meet each other, directly or by others, group by group."""
    places = [rule.at for rule in across]
    own: list[list[Rule]] = [[] for _ in down]
    for rule, met in zip(down, own, strict=True):
        between = across[bisect_left(places, rule.start - REACH) : bisect_right(places, rule.end + REACH)]
        met += [other for other in between if other.spans(rule.at, rule.at)]
    groups: list[tuple[dict[int, Rule], list[Rule]]] = []
    for rule, met in zip(down, own, strict=True):
        together: tuple[dict[int, Rule], list[Rule]] = ({id(other): other for other in met}, [rule])
        apart = []
        for group in groups:
            if group[0].keys() & together[0].keys():
                together = (group[0] | together[0], group[1] + together[1])
            else:
                apart.append(group)
        groups = [*apart, together]
    yield from ((list(rows.values()), columns) for rows, columns in groups)


def grid_of(across: Sequence[Rule], down: Sequence[Rule]) -> Grid | None:
    """The grid that rules make which meet; None where they make none, or its cells are no rectangles.

    Rules are thick within one alone: others on the page may have columns close to its own.
    """
    across, down = (rules_of(((rule.at, rule.start, rule.end) for rule in each), THICK) for each in (across, down))
    if len({rule.at for rule in across}) + len({rule.at for rule in down}) < FEWEST_RULES:
        return None
    across, down = [*across, *sides(down, across)], [*down, *sides(across, down)]
    rows, columns = sorted({rule.at for rule in across}), sorted({rule.at for rule in down})
    if min(len(rows), len(columns)) < 3 or len(rows) * len(columns) > MOST_PLACES:
        return None
    edges = Edges(drawn(across, rows, columns), drawn(down, columns, rows), len(rows) - 1, len(columns) - 1)
    cells = cells_of(edges) if edges.are_around() else []
    return regions(cells, rows, columns)


def cells_of(edges: Edges) -> list[Place]:
    """None where they overlap."""
    cells: list[Place] = []
    taken: set[tuple[int, int]] = set()
    for row, column in product(range(edges.rows), range(edges.columns)):
        if (row, column) in taken:
            continue
        below = next(at for at in range(row + 1, edges.rows + 1) if edges.is_across(at, column))
        right = next(at for at in range(column + 1, edges.columns + 1) if edges.is_down(at, row))
        places = set(product(range(row, below), range(column, right)))
        if places & taken or not edges.bound(row, column, below, right):
            return []
        taken |= places
        cells.append((row, column, below, right))
    return cells


def sides(rules: Sequence[Rule], beside: Sequence[Rule]) -> list[Rule]:
    """The sides that a table leaves open: where its first rule and its last one begin, and where they end, if no rule
    of the other direction is there.
    """
    first, last = min(rule.at for rule in rules), max(rule.at for rule in rules)
    found = []
    for pick, outer in ((min, min), (max, max)):
        end = pick(pick(rule.start, rule.end) for rule in rules)
        reaching = {rule.at for rule in rules if rule.spans(end, end)}
        if abs(end - outer(rule.at for rule in beside)) > THICK and {first, last} <= reaching:
            found.append(Rule(end, first, last))
    return found


def drawn(rules: Sequence[Rule], places: Sequence[float], between: Sequence[float]) -> set[tuple[int, int]]:
    """Which edges rules draw: the number of the place, and that of the stretch between two others."""
    number = {place: at for at, place in enumerate(places)}
    return {
        (number[rule.at], at)
        for rule in rules
        for at, (start, end) in enumerate(pairwise(between))
        if rule.spans(start, end)
    }


def regions(cells: Sequence[Place], rows: Sequence[float], columns: Sequence[float]) -> Grid | None:
    """The cells, counted by the rows and columns in which any begins: rules of a part of a cell make none."""
    tops, lefts = sorted({cell[0] for cell in cells}), sorted({cell[1] for cell in cells})
    if len(tops) < 2 or len(lefts) < 2:
        return None
    return [
        Region(
            columns[left],
            columns[right],
            rows[top],
            rows[bottom],
            lefts.index(left),
            tops.index(top),
            bisect_left(lefts, right) - lefts.index(left),
            bisect_left(tops, bottom) - tops.index(top),
        )
        for top, left, bottom, right in cells
    ]
