"""Which number belongs to what: “A costs 10, B 20” does not say that A costs 20. Pure."""

import re
from collections.abc import Iterator

from retrieval.answering.checking.numerals import DIGITS, in_digits, numbers_of
from retrieval.answering.words import terms

CLAUSE = re.compile(
    r"[.;,!?]\s|[。！？，；]|\s(?:and|but|while|whereas|et|mais|und|aber|y|pero|e|ma|en|maar|и|но)\s|\n"
)
YEAR = re.compile(r"(?:19|20)\d{2}")


def mispaired(sentence: str, passage: str) -> str:
    """A number that the passage gives to something else: “A costs 10, B 20” does not say that A costs 20.

    Looked at only where another clause, with other numbers, is clearly nearer to what the sentence says.
    """
    there = [(about, numbers) for about, numbers in with_subjects(with_lists(clauses(passage))) if numbers]
    if len({number for _, numbers in there for number in numbers}) < 2:
        return ""
    for part in clauses(sentence):
        about, numbers = terms_of(part), numbers_of(part)
        for number in numbers:
            own = [(about & other, has) for other, has in there if number in has]
            beside = frozenset().union(*(has for _, has in own))  # “from 3 to 28 April 2025”: the year is of both
            rivals = (about & other for other, has in there if number not in has and not has & numbers - beside)
            if own and max(map(len, rivals), default=0) > max(len(shared) for shared, _ in own):
                return number
        if year := _of_another_year(numbers, [has for _, has in there]):
            return year
    return ""


def _of_another_year(said: frozenset[str], there: list[frozenset[str]]) -> str:
    """A year said with an amount of another, where the passage gives either an amount or a year of its own."""
    years = frozenset(filter(YEAR.fullmatch, said))
    taken = any(years & has and not all(map(YEAR.fullmatch, has)) for has in there)
    for amount in said - years if taken else ():
        own = [frozenset(filter(YEAR.fullmatch, has)) for has in there if amount in has]
        if own and all(one and years.isdisjoint(one) for one in own):
            return min(years)
    return ""


def with_subjects(parts: list[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The terms and numbers of clauses; one that begins with its number goes on with what was counted in front of it:
    “4 weeks for tenants and 12 weeks for landlords”.
    """
    subject: frozenset[str] = frozenset()
    for part in parts:
        before = terms_of(DIGITS.split(in_digits(part), maxsplit=1)[0])
        numbers = numbers_of(part)
        subject = before or subject if numbers else frozenset()
        yield terms_of(part) | subject, numbers


def clauses(text: str) -> list[str]:
    return [part for part in CLAUSE.split(text) if part.strip()]


def with_lists(parts: list[str]) -> list[str]:
    """Clauses, a number that stands alone with what it goes on with: “14, 15 and 16”."""
    found: list[str] = []
    for part in parts:
        if found and not terms_of(part):
            found[-1] = f"{found[-1]}, {part}"
        else:
            found.append(part)
    return found


def terms_of(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(in_digits(text)) if not term.isdigit())
