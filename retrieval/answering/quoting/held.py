"""Which row holds what a question names: of “a boat of 11 metres” that of “up to 12 m”, of Tuesday that of “Mon–Thu”.

No model reads numbers against ranges, and such a row has few of the question's words. Pure.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, repeat, zip_longest

from knowledge.texts.languages.little_words import Said, of_every
from knowledge.texts.words import terms
from retrieval.answering.checking.numerals import YEAR, in_digits, spelt
from retrieval.answering.checking.quantities import IN_ALL, known_quantities
from retrieval.answering.quoting.days import Days, dates_asked, dates_in, weekdays_asked, weekdays_in
from retrieval.answering.quoting.ranges import BOUND, NUMBER, narrowest, range_in, value_of
from retrieval.answering.quoting.tables import PlacedRow, tables_in
from retrieval.answering.sentences import LIST_MARK, Span

FEWEST = 2  # rows of a column that say ranges, or days
COUNTED = re.compile(r"[ -]?(?:[^\W\d_]+|[%€$£¥])")
LABELLED = re.compile(  # “- up to 8 m: 18 € a night”, “up to 8 m ..... 18 €”, “Monday to Friday 9:00–17:00”
    r"[*_]*(?P<label>[^:|*_\n]{1,60}?)[*_]*(?::[*_]*\s+|\t|[ ]{2,}|[ ]?\.{3,}[ ]?)\S|(?P<days>[^\d:|\n]{3,40}?)\s+\d"
)
_AGE: Said = {
    "en": "age ages", "de": "Alter", "fr": "âge", "es": "edad", "it": "età", "nl": "leeftijd", "pt": "idade",
    "pl": "wiek", "ru": "возраст",
}  # fmt: skip
AGES = terms(" ".join(of_every(_AGE)))
YEARS = terms("years")  # in which ages are told; those of a question are in every spelling


@dataclass(frozen=True, slots=True)
class Number:
    """One of a question: its value, as it is said with what it counts, and that as units."""

    value: float
    said: str
    units: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question names that a row may hold."""

    numbers: Sequence[Number]  # those that count something first
    weekdays: Sequence[tuple[str, Days]]
    dates: Sequence[tuple[str, Days]]


@dataclass(frozen=True, slots=True)
class Column:
    rows: Sequence[PlacedRow]
    cells: Sequence[str]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A row that holds what is asked for, and that as the row would say it: “Length of the boat 11 metres”."""

    row: PlacedRow
    asked: str


@lru_cache(maxsize=512)
def held_in(question: str, text: str, context: str = "") -> tuple[Held, ...]:
    """Of each table and list of a passage the row that holds what the question names, if one does."""
    asked = asked_by(question)
    if not (asked.numbers or asked.weekdays or asked.dates):
        return ()
    found = (next(filter(None, (held_by(one, asked) for one in columns)), None) for columns in placed(text, context))
    return tuple(filter(None, found))


@lru_cache(maxsize=16)
def asked_by(question: str) -> Asked:
    numbers = sorted(numbers_in(question), key=lambda number: not number.units)
    return Asked(numbers, [*weekdays_asked(question)], [*dates_asked(question)])


def held_by(column: Column, asked: Asked) -> Held | None:
    """The row of a column that holds a number of the question, or a day: of several the one that says least else."""
    for said, at in (*numbers_held(column, asked.numbers), *days_held(column, asked)):
        return Held(column.rows[at], f"{column.name} {said}".strip())
    return None


def numbers_held(column: Column, numbers: Sequence[Number]) -> Iterator[tuple[str, int]]:
    """Each as it is said, and the place of the row that holds it."""
    ranges = [range_in(cell) for cell in column.cells] if numbers else []
    known = [one for one in ranges if one]
    if len(known) < FEWEST or not any(one.low < one.high for one in known):
        return
    named = terms(column.name)
    if named & AGES:
        named |= YEARS
    units = [units_of(cell) or named for cell in column.cells]
    for number in numbers:
        alike = [one if are_alike(number.units, told) else None for one, told in zip(ranges, units, strict=True)]
        if (at := narrowest(alike, number.value)) is not None:
            yield number.said, at


def days_held(column: Column, asked: Asked) -> Iterator[tuple[str, int]]:
    for days_in, wanted in ((weekdays_in, asked.weekdays), (dates_in, asked.dates)):
        told = [days_in(cell) for cell in column.cells] if wanted else []
        if sum(map(bool, told)) < FEWEST:
            continue
        for said, days in wanted:
            sizes = sorted((len(one), at) for at, one in enumerate(told) if days <= one)
            if sizes and (len(sizes) == 1 or sizes[0][0] < sizes[1][0]):
                yield said, sizes[0][1]


def are_alike(asked: Set[str], told: Set[str]) -> bool:
    return not asked or not told or bool(asked & told)


def placed(text: str, context: str) -> Iterator[list[Column]]:
    """The columns of each table, and the one that the labels of each list are."""
    for table in tables_in(text, context):
        cells = zip_longest(*(row.cells for row in table.rows), fillvalue="")
        names = chain(table.names, repeat(""))
        yield [Column(table.rows, column, name) for column, name in zip(cells, names, strict=False)]
    for is_labelled, lines in groupby(labelled_lines(text), key=lambda row: row is not None):
        if is_labelled:
            rows = [row for row in lines if row]
            yield [Column(rows, [row.cells[0] for row in rows])]


def labelled_lines(text: str) -> Iterator[PlacedRow | None]:
    """Each line that begins with a label, without the mark of its item; nothing for any other that is not empty."""
    start = 0
    for line in text.split("\n"):
        said = line.strip()
        begin = start + line.find(said) + (mark.end() if (mark := LIST_MARK.match(said)) else 0)
        end = start + len(line.rstrip())
        if found := LABELLED.match(text, begin, end):
            yield PlacedRow(Span(begin, end), [found["label"] or found["days"]])
        elif said:
            yield None
        start += len(line) + 1


def numbers_in(question: str) -> Iterator[Number]:
    """Without years, which count nothing, and what is a bound itself: “over 12 m”."""
    spoken = in_digits(question)
    bounded = {bound.end() for bound in BOUND.finditer(spoken)}
    for match in NUMBER.finditer(spoken):
        said = spelt(match["number"])
        units = units_of(question, said)
        counts = (units or not YEAR.fullmatch(said)) and match.start() not in bounded
        if counts and (value := value_of(match)) is not None:
            counted = COUNTED.match(spoken, match.end()) if units else None
            yield Number(value, f"{match[0]}{counted[0] if counted else ''}".strip(), units)


@lru_cache(maxsize=2048)
def units_of(text: str, number: str = "") -> frozenset[str]:
    """What its numbers count, or the one: terms and signs, in every spelling."""
    counted = (one.partition(" ") for one in known_quantities(text))
    return frozenset(unit for value, _, unit in counted if unit and number in ("", value)) - {IN_ALL}
