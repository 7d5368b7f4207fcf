"""Dates, days, times and amounts of money, spelt as in the other of two texts: “3 April 2024” is 2024-04-03. Pure."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from knowledge.texts.languages.calendar import DAYS, SHORT_DAYS, in_order
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import folded
from retrieval.answering.checking.quantities import MAGNIFIED, MONTHS, SIGNS

NUMBERS = {name: place for place, name in enumerate(dict.fromkeys(MONTHS.values()), 1)}
# What tells that a day is shortened: an hour behind it, or another day beside it.
_FROM = "von|ab|from|at|de|das|van|vanaf|dalle|od|à|с"
_HOURS = (
    rf"\.?[:,]{{0,2}}\s(?:(?:um|om)\s|(?:(?:{_FROM})\s)?\d{{1,2}}(?:[:.h]\d\d)?\s?"
    r"(?:Uhr|uur|[AaPp]\.?m|h\b|час|–|-|(?:bis|to|à|a|às|alle|tot|do|до)\s\d))"
)
_BESIDE = (
    r"\.?(?:\s?[–—/,&+-]\s?"
    r"|,?\s(?:to|and|or|through|bis|und|oder|au|et|ou|al?|y|e|o|tot|t/m|en|of|do|i|по|и)\s)"
)
_NAME, _YEAR = r"[^\W\d_]{3,10}", r"[12]\d{3}"
NUMERIC = re.compile(  # a part of a path, of a version or of a moment is none
    rf"(?<![\w./-])(?:(?P<year>{_YEAR})-(?P<month>\d\d)-(?P<day>\d\d)|(?P<first>\d\d?)\.(?P<second>\d\d?)\.(?P<last>{_YEAR}))"
    r"(?![\w/-]|\.\w)"
)
WRITTEN = re.compile(
    rf"(?<![\w.,/-])(?P<day>\d\d?)(?:st|nd|rd|th|er|\.)?\s(?:of\s|de\s)?(?P<month>{_NAME})\.?,?\s(?:de\s)?(?P<year>{_YEAR})\b"
    rf"|\b(?P<name>{_NAME})\.?\s(?P<first>\d\d?)(?:st|nd|rd|th)?,?\s(?P<last>{_YEAR})\b"
)
_MONEY = "|".join(sorted((re.escape(word) for word, sign in SIGNS.items() if sign not in "%°"), key=len, reverse=True))
TENTHS = re.compile(  # of money alone: version 2.10 is not 2.1
    rf"(?:(?<=[$€£])|(?<=[$€£] )|(?<=EUR |USD |GBP |CHF )|(?<![\w.,-])(?=\d+[.,]\d\s?(?:{_MONEY})(?!\w)))"
    rf"(?P<whole>\d+)(?P<point>[.,])(?P<tenths>\d)(?!\d|[.,]\d|{MAGNIFIED.pattern})",
    re.IGNORECASE,
)
CLOCK = re.compile(
    r"(?<![\w.,:–-])(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minutes>[0-5]\d))?\s?(?P<half>[ap])(?:\.\s?m\.(?!\s[A-Z]|\Z)|\.?\s?m\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def spelt_as(other: str, text: str) -> str:
    """The text with each shortened weekday in full; with each date as 2024-04-03 that the other text writes in another
    way, of which one is in numbers; and with the cents and by the clock that the other text writes: “$10.5” as
    “$10.50”, “3 p.m.” as “15:00”.
    """

    def in_cents(amount: re.Match[str]) -> str:
        written = re.search(rf"(?<!\d){amount['whole']}[.,]{amount['tenths']}0(?!\d)", other)
        return f"{amount[0]}0" if written else amount[0]

    def in_hours(time: re.Match[str]) -> str:
        hour, minutes = int(time["hour"]) % 12 + 12 * (time["half"] in "pP"), time["minutes"] or "00"
        written = re.search(rf"(?<![\d:.])0?{hour}:{minutes}(?!\d|:\d|\s?[ap]\.?\s?m\b)", other, re.IGNORECASE)
        return f"{hour}:{minutes}" if written else time[0]

    text = _in_full(text, languages_of(text, other))
    numeric, written = frozenset(_dates(NUMERIC, other)), frozenset(_dates(WRITTEN, other))
    text = _in_numbers(_in_numbers(text, NUMERIC, numeric | written), WRITTEN, numeric)
    return CLOCK.sub(in_hours, TENTHS.sub(in_cents, text))


def _in_full(text: str, languages: frozenset[str]) -> str:
    """With “Montag–Freitag” for “Mo–Fr” and “Montag 9–17 Uhr” for “Mo. 9–17 Uhr”."""
    names, short, told = _shortened(languages)
    if not short.search(text):
        return text
    return told.sub(lambda days: short.sub(lambda day: names[day["day"]], days[0]), text)


@cache
def _shortened(languages: frozenset[str]) -> tuple[dict[str, str], re.Pattern[str], re.Pattern[str]]:
    """Shortened days of these languages, or of all, with their names; these alone, and where they stand for a day."""
    full: dict[tuple[str, int], str] = {}
    for place, language, name in in_order(DAYS, languages=languages):
        full.setdefault((language, place), name)
    names: dict[str, str] = {}
    for place, language, short in in_order(SHORT_DAYS, languages=languages):
        if languages or len(short) > len("do") or short.istitle():
            name = full[language, place]
            names.setdefault(short, name.capitalize() if short.istitle() else name)
            names.setdefault(short.capitalize(), name.capitalize())
    short = "|".join(sorted(names, key=len, reverse=True)) or "(?!)"
    day = "|".join(sorted({short, *full.values(), *map(str.capitalize, full.values())}, key=len, reverse=True))
    run = rf"\b(?:{day})\b(?:{_BESIDE}(?:{day})\b)+(?:\.(?=\s?[\d:a-z]))?"
    return names, re.compile(rf"\b(?P<day>{short})\b\.?"), re.compile(rf"{run}|\b(?:{short})\b(?={_HOURS})\.?")


def _in_numbers(text: str, form: re.Pattern[str], known: frozenset[str]) -> str:
    return form.sub(lambda date: _iso(date) if _iso(date) in known else date[0], text) if known else text


def _dates(form: re.Pattern[str], text: str) -> Iterator[str]:
    return filter(None, map(_iso, form.finditer(text)))


def _iso(date: re.Match[str]) -> str:
    """Empty if it is none."""
    named = date.groupdict()
    day, year = named["day"] or named["first"], named["year"] or named["last"]
    month = named["month"] or named.get("name") or named.get("second") or ""
    number = int(month) if month.isdigit() else NUMBERS.get(MONTHS.get(folded(month), ""), 0)
    return f"{year}-{number:02}-{int(day):02}" if 0 < number <= len(NUMBERS) and 0 < int(day) <= 31 else ""
