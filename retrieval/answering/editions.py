"""Years and versions: the dividend of 2023 does not answer for 2022, nor what 9.6 changed for 9.7. Pure.

A small reader takes the one for the other, and the check of an answer has nothing to compare: the sentence is true.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.texts.words import BESIDE_DIGITS, content, folded
from retrieval.answering.bounds import BESIDE, is_bounded
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.quantities import MONTHS
from retrieval.answering.series import are_numbered_otherwise

YEARS = "year"
YEAR = re.compile(
    rf"(?<![^\W_{BESIDE_DIGITS}])(?<![.,:/+])(?<!\d-)(?:19|20)\d\d(?![^\W_{BESIDE_DIGITS}]|[:+]|[.,]\d|-\d\d-|/\d{{3}}(?!\d))"
)
VERSION = re.compile(
    r"(?<![\w.-])(?:(?P<name>[^\W\d_][\w+#-]*)[ \t]+v?|v)(?P<number>\d{1,3}(?:\.\d{1,3}){0,3})(?![\w%+]|[.,]\d)",
    re.IGNORECASE,
)
TITLE = re.compile(r"\W*v?(?P<number>\d{1,3}(?:\.\d{1,3}){1,3})\W*(?:\(.*\)|\d[\d./-]*)?\W*", re.IGNORECASE)
UNNAMED = frozenset(("version", "versao", "versie", "wersja", "versione", "release", "v"))

# What such a word stands beside is when something began, or was written down: it holds for other years, too.
_DATED = """
add introduc publi[sc] adopt effective in\\sforce revis updat amend found establish built
open(?:ed|s)\\b launch elect appoint agreement act\\b law\\b regulation
price\\slist copyright new\\sin\\b available support as\\sof
eingeführt stand\\b gegründet erbaut beschlossen fassung hinzugefügt neu\\sin\\b gewählt
ajouté adopté fondé mis\\sà\\sjour añadid aprobad fundad actualizad aggiunt approvat fondat aggiornat
toegevoegd opgericht adicionad dodan założon
"""
DATED = re.compile(rf"\b(?:{'|'.join(folded(_DATED).split())})|©")
OF_A_DAY = re.compile(rf"(?:{'|'.join(sorted(MONTHS))})\W{{1,3}}\Z")
ASKS_WHEN = re.compile(
    folded(
        r"\b(?:when|what year|which year|how long|wann|welchem jahr|wie lange|quand|quelle année|cuándo|qué año|quando"
        r"|che anno|que ano|wanneer|kiedy|когда)\b|いつ|何年|什么时候|哪一?年|متى"
    )
)


@dataclass(frozen=True, slots=True)
class Edition:
    """A year, or a version: of what has this name, or of whatever is spoken of."""

    name: str
    number: str
    is_bound: bool = False
    is_dating: bool = False  # when something began, or was written down

    def is_akin(self, other: "Edition") -> bool:
        return self.name == other.name or (not self.name and other.name != YEARS)

    def is_told(self, text: str) -> bool:
        return bool(re.search(rf"(?<![\d.]){re.escape(self.number)}(?!\d)", text))


def are_of_another(question: str, quotation: str, titles: Sequence[str]) -> bool:
    """Whether a quotation and the titles above it tell another year or version than the question does, and not that.

    A bound tells of many (“since 2019”, “3.2 or later”), so do several; a year in which something began, or was
    written down, holds for others; and whoever asks when something is, asks for another.
    """
    if are_numbered_otherwise(question, quotation, titles):
        return True
    asked = [edition for edition in editions(question) if not edition.is_bound]
    if not asked or (ASKS_WHEN.search(folded(question)) and all(edition.name == YEARS for edition in asked)):
        return False
    told = [*editions(quotation), *(edition for title in titles for edition in (*editions(title), *of_title(title)))]
    every = "\n".join((*titles, quotation))
    return all(is_another(edition, told) and not edition.is_told(every) for edition in asked)


def is_another(asked: Edition, told: list[Edition]) -> bool:
    akin = [edition for edition in told if edition.is_akin(asked)]
    is_one = len({edition.number for edition in akin}) == 1
    return is_one and not any(
        edition.is_bound or edition.is_dating or f"{asked.number}.".startswith(f"{edition.number}.") for edition in akin
    )


def editions(text: str) -> Iterator[Edition]:
    for found in YEAR.finditer(text):
        yield placed(text, YEARS, found[0], found.start(), found.end())
    for found in VERSION.finditer(text):
        name = folded(found["name"] or "v")
        if name in UNNAMED or ("." in found["number"] and content(name)):
            at = found.start("name") if found["name"] else found.start()
            yield placed(text, "" if name in UNNAMED else name, found["number"], at, found.end())


def placed(text: str, name: str, number: str, start: int, end: int) -> Edition:
    """With what is said beside it, in its sentence."""
    around, beyond = folded(text[max(start - BESIDE, 0) : start]), folded(text[end : end + BESIDE])
    before, behind = SENTENCE_END.split(around)[-1], SENTENCE_END.split(beyond)[0]
    is_dating = DATED.search(f"{before} {behind}") or OF_A_DAY.search(around)
    in_brackets = around.endswith("(") and beyond.startswith(")")
    return Edition(name, number, is_bounded(text, start, end), bool(is_dating or in_brackets))


def of_title(title: str) -> Iterator[Edition]:
    """The version that a changelog's section is about."""
    if found := TITLE.fullmatch(title):
        yield Edition("", found["number"])
