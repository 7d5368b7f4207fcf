"""What charts and SmartArt of Office files say: a chart's titles and the values it draws, a diagram's texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from lxml import etree

from ingestion.parsers.writing import one_line

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
NO_TEXT = ("pres", "parTrans", "sibTrans")  # points of a diagram that say where others stand
EPOCH = date(1899, 12, 30)  # of spreadsheets' days
MOST_SERIES = 50
MOST_POINTS = 1_000  # of a series
CUT = f"a chart has more than {MOST_SERIES} series or {MOST_POINTS:,} values in one: the rest was left out"

Points = dict[int, str]
Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class Chart:
    """Its titles and those of its axes; tables whose first row is the header, with a row for each category (or x) and
    a column for each series; and whether more was left out.
    """

    titles: list[str]
    tables: list[Rows]
    is_cut: bool


def part_named_by(reference: etree._Element) -> str:
    """The id of the relationship to the part that a chart or a diagram is in."""
    return reference.get(f"{R}id" if reference.tag == f"{C}chart" else f"{R}dm", "")


def read_diagram(root: etree._Element) -> list[str]:
    points = (point for point in root.iter(f"{DIAGRAM}pt") if point.get("type") not in NO_TEXT)
    return [line for point in points for line in paragraphs(point)]


def read_chart(root: etree._Element) -> Chart:
    titles = [" ".join(paragraphs(title)) for title in root.iter(f"{C}title")]
    series = list(root.iter(f"{C}ser"))
    names = [" ".join(points(one.find(f"{C}tx")).values()) for one in series]
    categories = [either(one, "cat", "xVal") for one in series]
    values = [either(one, "val", "yVal") for one in series]
    told = list(zip(names, categories, values, strict=True))[:MOST_SERIES]
    is_cut = len(series) > MOST_SERIES or any(len(one) > MOST_POINTS for one in values)
    return Chart([*filter(None, titles)], [table_of(group) for group in groups(told)], is_cut)


def table_of(group: list[tuple[str, Points, Points]]) -> Rows:
    shared = group[0][1]
    numbers = sorted({number for _, _, drawn in group for number in drawn})[:MOST_POINTS]
    rows = [[shared.get(number, ""), *(drawn.get(number, "") for _, _, drawn in group)] for number in numbers]
    return [["", *(name for name, _, _ in group)], *rows]


def groups(series: list[tuple[str, Points, Points]]) -> Iterator[list[tuple[str, Points, Points]]]:
    """Neighbours over the same categories; one that names none goes with those before it."""
    group: list[tuple[str, Points, Points]] = []
    for one in series:
        if group and one[1] and one[1] != group[0][1]:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def either(series: etree._Element, *names: str) -> Points:
    return next((found for name in names if (found := points(series.find(f"{C}{name}")))), {})


def points(holder: etree._Element | None) -> Points:
    """Index → what was saved with the file for it, as the chart shows it. Of names of several levels the lowest."""
    if holder is None:
        return {}
    found: Points = {}
    cache: Any = holder.find(f".//{C}lvl")
    cache = holder if cache is None else cache
    form = holder.findtext(f".//{C}formatCode") or ""
    for point in cache.iter(f"{C}pt"):
        number, text = point.get("idx", ""), point.findtext(f"{C}v") or ""
        if number.isascii() and number.isdecimal() and len(number) < 8 and text:
            found[int(number)] = shown(text, form)
    alone = holder.findtext(f"{C}v")
    return found or ({0: alone} if alone else {})


def shown(text: str, form: str) -> str:
    """A number without the digits that computing left, a share as percent, a day as a date."""
    try:
        number = float(text)
    except ValueError:
        return one_line(text)
    if "%" in form:
        return f"{number * 100:.10g}%"
    if "yy" in form.lower() and 0 < number < 2_000_000:
        return (EPOCH + timedelta(days=int(number))).isoformat()
    return f"{number:.12g}"


def paragraphs(element: etree._Element) -> list[str]:
    texts = ("".join(run.text or "" for run in each.iter(f"{A}t")) for each in element.iter(f"{A}p"))
    return [line for line in map(one_line, texts) if line]
