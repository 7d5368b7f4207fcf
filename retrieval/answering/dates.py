"""Days of the week, months and years, told by their words. Pure."""

from knowledge.texts.words import folded
from retrieval.answering.checking import numerals
from retrieval.answering.checking.opposites import WEEKDAYS
from retrieval.answering.checking.quantities import MONTHS, VERBS

DAY, MONTH, YEAR = "day", "month", "year"


def unit(word: str) -> str:
    """Of which of them a word is one; empty for any other. English “may” and “march” are verbs."""
    letters = folded(word)
    if letters in WEEKDAYS:
        return DAY
    if letters in MONTHS and word not in VERBS:
        return MONTH
    return YEAR if numerals.YEAR.fullmatch(letters) else ""
