"""Years and versions: the dividend of 2023 does not answer for 2022, nor what 9.6 changed for 9.7. Pure.

A small reader takes the one for the other, and the check of an answer has nothing to compare: the sentence is true.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.texts.languages.little_words import OR, of_every
from knowledge.texts.words import BESIDE_DIGITS, content, plain

YEARS = "year"
YEAR = re.compile(rf"(?<![^\W_{BESIDE_DIGITS}])(?<![.,:/+])(?<!\d-)(?:19|20)\d\d(?![^\W_{BESIDE_DIGITS}]|[:+]|[.,]\d)")
VERSION = re.compile(
    r"(?<![\w.-])(?:(?P<name>[^\W\d_][\w+#-]*)[ \t]+v?|v)(?P<number>\d{1,3}(?:\.\d{1,3}){0,3})(?![\w%+]|[.,]\d)",
    re.IGNORECASE,
)
TITLE = re.compile(r"\W*v?(?P<number>\d{1,3}(?:\.\d{1,3}){1,3})\W*(?:\(.*\)|\d[\d./-]*)?\W*", re.IGNORECASE)
UNNAMED = frozenset(("version", "versao", "versie", "wersja", "versione", "release", "v"))

# Beside them a year or a version is a bound, beyond which others lie; in the languages of answers, folded.
BEFORE = frozenset(
    plain(
        "since from after before until till by as up to through than between under least"
        " seit ab nach vor bis zwischen mindestens als depuis des apres avant jusqu jusqu'en entre partir"
        " desde hasta antes despues dal dalla dopo prima fino tra sinds vanaf tot voor na tussen dan"
        " od do przed po miedzy niz ate depois с от до после по"
    ).split()
)
_BEHIND = "to until through onward onwards upwards later newer above bis et"
BEHIND = of_every(OR) | {*_BEHIND.split()}
BOUND_BY_SIGNS = re.compile(r"\s*(?:[–—+~]|-(?!\d\d-)|/(?:\d\d)?\d\d(?![/\d])|以|年?(?:から|まで|以|之|到|至|起))")
WORDS_BEFORE = 3  # “from 1 January 2025”


@dataclass(frozen=True, slots=True)
class Edition:
    """A year, or a version: of what has this name, or of whatever is spoken of."""

    name: str
    number: str
    is_bound: bool = False

    def is_akin(self, other: "Edition") -> bool:
        return self.name == other.name or (not self.name and other.name != YEARS)

    def is_told(self, text: str) -> bool:
        return bool(re.search(rf"(?<![\d.]){re.escape(self.number)}(?!\d)", text))


def are_of_another(question: str, quotation: str, titles: Sequence[str]) -> bool:
    """Whether a quotation and the titles above it tell other years or versions than those of the question, and not
    these. A bound tells of many: “since 2019”, “3.2 or later”."""
    asked = [edition for edition in editions(question) if not edition.is_bound]
    told = [*editions(quotation), *(edition for title in titles for edition in (*editions(title), *of_title(title)))]
    every = "\n".join((*titles, quotation))
    return bool(asked) and all(is_another(edition, told) and not edition.is_told(every) for edition in asked)


def is_another(asked: Edition, told: list[Edition]) -> bool:
    akin = [edition for edition in told if edition.is_akin(asked)]
    return bool(akin) and not any(
        edition.is_bound or f"{asked.number}.".startswith(f"{edition.number}.") for edition in akin
    )


def editions(text: str) -> Iterator[Edition]:
    for found in YEAR.finditer(text):
        yield Edition(YEARS, found[0], is_bound(text, found.start(), found.end()))
    for found in VERSION.finditer(text):
        name = plain(found["name"] or "v")
        if name in UNNAMED or ("." in found["number"] and content(name)):
            at = found.start("name") if found["name"] else found.start()
            yield Edition("" if name in UNNAMED else name, found["number"], is_bound(text, at, found.end()))


def of_title(title: str) -> Iterator[Edition]:
    """The version that a changelog's section is about."""
    if found := TITLE.fullmatch(title):
        yield Edition("", found["number"])


def is_bound(text: str, start: int, end: int) -> bool:
    before, behind = plain(text[:start]).split()[-WORDS_BEFORE:], plain(text[end:]).split()[:1]
    return bool(BEFORE.intersection(before) or BEHIND.intersection(behind) or BOUND_BY_SIGNS.match(text, end))
