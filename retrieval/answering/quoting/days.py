"""Days of the week or of the year that a cell of a table says, or a question: “Mon–Thu”, “1 May – 30 June”. Pure."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

from knowledge.texts.languages import calendar
from knowledge.texts.languages.little_words import AND, Said, of_every
from knowledge.texts.words import folded
from retrieval.answering.dates import DAY, MONTH, unit

Days = frozenset[int]  # of the week, or of a year of months of 31 days

LONGEST = 60  # characters of a cell that says days and nothing else
WEEK, OF_MONTH = 7, 31
YEAR = 12 * OF_MONTH
_TO: Said = {
    "en": "to till until through", "de": "bis", "fr": "à au", "es": "a al hasta", "it": "a al", "nl": "tot",
    "pt": "a até", "pl": "do", "ru": "по до",
}  # fmt: skip
_SMALL: Said = {
    "en": "from of the on every", "de": "vom von am zum jeden", "fr": "du le de la les", "es": "de del el los",
    "it": "dal dalla il di", "nl": "van op", "pt": "de da do", "pl": "od w", "ru": "с",
}  # fmt: skip
TO = of_every(_TO) | {*"-–—"}
TOGETHER = of_every(AND) | {*",/&+"}
SMALL = of_every(_SMALL) - TO - TOGETHER
TOKEN = re.compile(r"[^\W_]+|[^\w\s.]")
NUMERIC = re.compile(r"\b(?P<day>\d{1,2})\.(?P<month>0?[1-9]|1[0-2])\.(?!\d)")  # 01.04.
YEARS = re.compile(r"(?<![\d.])(?:19|20)\d\d\b|(?<=\d\.)(?:19|20)\d\d\b")
WEEKDAYS = calendar.places(calendar.SHORT_DAYS, calendar.DAYS)
MONTHS = {"mar": 2} | calendar.places(calendar.SHORT_MONTHS, calendar.MONTHS)  # a word of its own elsewhere
DURING = frozenset(("in", "during", "of", "by", "this", "next", "mid", "early", "late"))  # “in may”, no verb


def one_of(names: dict[str, int]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


OF_WEEK = re.compile(rf"\b(?P<weekday>{one_of(WEEKDAYS)})\b\.?")
OF_YEAR = re.compile(
    rf"(?:\b(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er)?\s+(?:(?:of|de|di)\s+)?)?"
    rf"\b(?P<month>{one_of(MONTHS)})\b\.?(?:\s+(?P<behind>\d{{1,2}})(?:st|nd|rd|th)?\b)?"
)


@lru_cache(maxsize=2048)
def weekdays_in(cell: str) -> Days:
    """Those that a cell says that says nothing else."""
    return days_in(folded(cell).replace("t/m", "tot"), OF_WEEK, weekday, WEEK)


@lru_cache(maxsize=2048)
def dates_in(cell: str) -> Days:
    """The days of whatever year that a cell says that says nothing else."""
    return days_in(NUMERIC.sub(in_words, YEARS.sub("", folded(cell))), OF_YEAR, of_year, YEAR)


def days_in(cell: str, pattern: re.Pattern[str], read: Callable[[re.Match[str]], range], cycle: int) -> Days:
    found = [*pattern.finditer(cell)]
    if not found or len(cell) > LONGEST or tokens(cell[: found[0].start()] + cell[found[-1].end() :]):
        return frozenset()
    joined = [tokens(cell[one.end() : other.start()]) for one, other in pairwise(found)]
    if not all(said and (said <= TO or said <= TOGETHER) for said in joined):
        return frozenset()
    days, first = set[int](), 0
    spans = [read(one) for one in found]
    for place, said in enumerate([*joined, TOGETHER]):
        if said <= TOGETHER:
            start, end = spans[first].start, spans[place].stop
            days.update(day % cycle for day in range(start, end if end > start else end + cycle))
            first = place + 1
    return frozenset(days)


def tokens(text: str) -> set[str]:
    return {*TOKEN.findall(text)} - SMALL


def weekday(found: re.Match[str]) -> range:
    day = WEEKDAYS[found["weekday"]]
    return range(day, day + 1)


def of_year(found: re.Match[str]) -> range:
    """The one day, or all of the month."""
    start = MONTHS[found["month"]] * OF_MONTH
    day = int(found["day"] or found["behind"] or 0)
    return range(start + day - 1, start + day) if 1 <= day <= OF_MONTH else range(start, start + OF_MONTH)


def in_words(date: re.Match[str]) -> str:
    return f"{date['day']} {calendar.MONTHS['en'].split('|')[int(date['month']) - 1]}"


def weekdays_asked(question: str) -> Iterator[tuple[str, Days]]:
    """Each as it is said, and as days."""
    for found in OF_WEEK.finditer(question.lower()):
        if unit(found["weekday"]) == DAY:
            yield found["weekday"], frozenset(weekday(found))


def dates_asked(question: str) -> Iterator[tuple[str, Days]]:
    spoken = folded(question)
    for found in OF_YEAR.finditer(spoken):
        at = found.start("month")
        written = question[at : found.end("month")] if len(spoken) == len(question) else found["month"]
        before = spoken[:at].split()[-1:]
        is_dated = found["day"] or found["behind"] or DURING.intersection(before)
        if is_dated or (at > 0 and unit(written) == MONTH):
            yield found[0].strip(), frozenset(of_year(found))
