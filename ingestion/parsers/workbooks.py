"""What a sheet of an XLSX shows beside its values: units, and what is hidden. calamine tells neither."""

import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lxml import etree

from ingestion.parsers.archives import Archive, relationships, resolve

WORKBOOK, STYLES = "xl/workbook.xml", "xl/styles.xml"
TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<digits>[0#?.,]+|General)|(?P<end>;)|(?P<plain>.)",
    re.S,
)
COLOUR = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|color *\d+", re.I)
PERCENT = {"9": "0%", "10": "0.00%"}  # formats that are not written down
EXACT = 2**53  # up to which a float holds every whole number
DIGITS = 15  # of a number that spreadsheets show and save: what is behind them is left from computing
MOST_COLUMNS = 16_384  # of a sheet of Excel
ROWS = re.compile(r"[A-Z]+(\d+)")
TRUE = ("1", "true")
SAFE = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}


class Amount(str):
    """A number with its unit, or with the zeros before it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Form:
    """What a format of numbers puts around them, and how many digits whole ones have at least."""

    before: str
    behind: str
    is_percent: bool
    digits: int

    def shown(self, value: float) -> Amount:
        number = in_digits(abs(value) * (100 if self.is_percent else 1))
        number = number.zfill(self.digits) if number.isdecimal() else number
        return Amount(f"{'-' if value < 0 else ''}{self.before}{number}{self.behind}")


@dataclass(frozen=True, slots=True)
class Hidden:
    """Rows and columns of a sheet, counted from 0."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()


class Workbook:
    """The parts of the archive that say how its sheets look; of an ODS there are none."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.parts = dict(parts_of(archive)) if WORKBOOK in archive else {}
        self.forms = forms_of(archive) if self.parts and STYLES in archive else {}

    def look(self, sheet: str, rows: list[list[Any]], start: tuple[int, int]) -> Hidden:
        """What is hidden of the sheet, but for what a filter or a group that is folded hides: that is seen at a click.

        In place: numbers to which their format adds something become what is shown of them. `start` is the place of
        the first cell of `rows`.
        """
        part = self.parts.get(sheet, "")
        data = self.archive.read(part) if part in self.archive else b""
        if not self.forms and b"hidden" not in data:
            return Hidden()
        hidden, columns, filtered = set[int](), set[int](), [*self.filtered_tables(part)]
        at = -1
        with suppress(etree.XMLSyntaxError, ValueError, TypeError):  # calamine read what it could, and so is this
            for element in elements(data):
                match etree.QName(element).localname:
                    case "row":
                        at = int(element.get("r") or at + 2) - 1
                        if element.get("hidden") in TRUE and not element.get("outlineLevel"):
                            hidden.add(at)
                        if self.forms and 0 <= at - start[0] < len(rows):
                            dress(rows[at - start[0]], element, self.forms, start[1])
                    case "col":
                        if element.get("hidden") in TRUE and not element.get("outlineLevel"):
                            columns.update(
                                range(int(element.get("min")) - 1, min(int(element.get("max")), MOST_COLUMNS))
                            )
                    case _:
                        filtered += filtered_rows(element)
        return Hidden(frozenset(row for row in hidden if not any(row in rows for rows in filtered)), frozenset(columns))

    def filtered_tables(self, part: str) -> Iterator[range]:
        for relation in relationships(self.archive, part) if part else ():
            name = resolve(part, relation.get("Target", ""))
            if relation.get("Type", "").endswith("/table") and name in self.archive:
                for found in self.archive.xml(name).iter("{*}autoFilter"):
                    yield from filtered_rows(found)


def parts_of(archive: Archive) -> Iterator[tuple[str, str]]:
    """The sheets by their names, and the members that they are."""
    members = {one.get("Id"): resolve(WORKBOOK, one.get("Target", "")) for one in relationships(archive, WORKBOOK)}
    for sheet in archive.xml(WORKBOOK).iter("{*}sheet"):
        identity = next((value for name, value in sheet.items() if etree.QName(name).localname == "id"), "")
        yield sheet.get("name", ""), members.get(identity, "")


def forms_of(archive: Archive) -> dict[str, Form]:
    """By the number that cells name their style with; without those that add nothing to a number."""
    styles = archive.xml(STYLES)
    codes = PERCENT | {
        one.get("numFmtId"): one.get("formatCode", "") for one in styles.iterfind("{*}numFmts/{*}numFmt")
    }
    formats = (one.get("numFmtId") for one in styles.iterfind("{*}cellXfs/{*}xf"))
    forms = {str(number): form_of(codes.get(code, "")) for number, code in enumerate(formats)}
    return {number: form for number, form in forms.items() if form}


@lru_cache(maxsize=1024)
def form_of(code: str) -> Form | None:
    """What a format adds to a positive number; None for nothing, and for what is more than that: dates, fractions,
    conditions, thousands, digits that are told apart.
    """
    before, behind, digits, percents = "", "", "", 0
    for token in TOKEN.finditer(code):
        kind, said = token.lastgroup or "", token[token.lastgroup or 0]
        if kind == "end":
            break
        if kind == "digits" and not digits:
            digits = said
            continue
        if kind == "digits" or (kind == "bracket" and not COLOUR.fullmatch(said)):
            return None
        if kind == "plain" and not (said in " %+-" or unicodedata.category(said) == "Sc"):
            return None
        percents += kind == "plain" and said == "%"
        literal = "" if kind in ("", "bracket") or (kind == "plain" and said in "+-") else said
        before, behind = (before, behind + literal) if digits else (before + literal, behind)
    before, behind = before.lstrip(), behind.rstrip()
    zeros, is_in_thousands = digits.partition(".")[0].count("0"), digits.endswith(",") or ",." in digits
    if not digits or is_in_thousands or percents > 1 or not (before or behind or zeros > 1):
        return None
    return Form(before, behind, percents == 1, zeros)


def in_digits(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) <= EXACT else f"{value:.{DIGITS}g}"


def elements(data: bytes) -> Iterator[etree._Element]:
    """Rows, columns and filters of a sheet, one at a time."""
    tags = ("{*}row", "{*}col", "{*}autoFilter")
    for _, element in etree.iterparse(io.BytesIO(data), events=("end",), tag=tags, **SAFE):
        yield element
        element.clear()
        while (before := element.getprevious()) is not None:
            element.getparent().remove(before)


def dress(row: list[Any], element: Iterable[etree._Element], forms: Mapping[str, Form], first: int) -> None:
    column = -1
    for cell in element:
        place = cell.get("r")
        column = column_of(place.rstrip("0123456789")) if place else column + 1
        form = forms.get(cell.get("s", ""))
        if form and 0 <= column - first < len(row) and type(value := row[column - first]) in (int, float):
            row[column - first] = form.shown(value)


@lru_cache(maxsize=20_000)
def column_of(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def filtered_rows(element: etree._Element) -> Iterator[range]:
    """The rows among which a filter has chosen."""
    rows = [int(row) for row in ROWS.findall(element.get("ref", ""))]
    if len(rows) == 2 and element.find("{*}filterColumn") is not None:
        yield range(rows[0] - 1, rows[1])
