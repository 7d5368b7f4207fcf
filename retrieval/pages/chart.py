"""A line chart of shares between 0 and 1, as the coordinates of an inline SVG. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 14, 30  # room for labels, also where a narrow screen makes them larger
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)
MOST_STEPS = 5


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    path: str  # SVG path data; a missing value is a gap
    dots: tuple[Dot, ...]

    @property
    def last(self) -> float | None:
        return self.dots[-1].value if self.dots else None


@dataclass(frozen=True, slots=True)
class Chart:
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]  # y and its label
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def line_chart(series: Mapping[str, Sequence[float | None]], labels: Sequence[str]) -> Chart:
    """One line for each series, oldest value first; `labels` say what each place is."""
    values = [value for line in series.values() for value in line if value is not None]
    low, high, step = scale(min(values, default=0.0), max(values, default=1.0))
    across = (WIDTH - LEFT - RIGHT) / max(len(labels) - 1, 1)

    def x(place: int) -> float:
        return round(LEFT + across * place if len(labels) > 1 else (LEFT + WIDTH - RIGHT) / 2, 1)

    def y(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    lines = []
    for name, line in series.items():
        dots = {
            place: Dot(x(place), y(value), value, labels[place])
            for place, value in enumerate(line)
            if value is not None
        }
        steps = (f"{'L' if place - 1 in dots else 'M'}{dot.x} {dot.y}" for place, dot in dots.items())
        lines.append(Line(name, " ".join(steps), tuple(dots.values())))
    marks = [low + step * number for number in range(round((high - low) / step) + 1)]
    return Chart(tuple(lines), tuple((y(mark), f"{mark:.2f}") for mark in marks))


def scale(lowest: float, highest: float) -> tuple[float, float, float]:
    """Round limits around the values, inside 0 and 1, and the finest step that makes few lines."""
    for step in STEPS:
        low, high = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
        if low == high:
            low, high = (low - 1, high) if high * step >= 1 else (low, high + 1)
        if high - low <= MOST_STEPS:
            break
    return round(low * step, 2), round(high * step, 2), step
