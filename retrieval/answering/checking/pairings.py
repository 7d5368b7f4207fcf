"""Which number belongs to what: “A costs 10, B 20” does not say that A costs 20. Pure."""

import re

from knowledge.texts.tables.readers import lines_of_tables
from knowledge.texts.words import folded, terms
from retrieval.answering.checking.clauses import PARTING, SENTENCE_END, unparted
from retrieval.answering.checking.numerals import DIGITS, YEAR, in_digits, numbers_of
from retrieval.answering.checking.periods import PERIODS

CLAUSE = re.compile(rf"[.;,!?]\s|[。！？，；]|\s(?:{PARTING})\s|\n")
ONE = re.compile(r"\b(?:one|eine?[mnrs]?|une?|una)\s(?=(?P<unit>[^\W\d_]+))", re.IGNORECASE)

_Told = tuple[frozenset[str], frozenset[str]]  # the terms and the numbers of a stretch of a sentence


def mispaired(sentence: str, passage: str) -> str:
    """A number that the passage gives to something else: “A costs 10, B 20” does not say that A costs 20."""
    sentence, passage = _with_single_periods(sentence), _with_single_periods(without_tables(passage))
    there = [told for part in SENTENCE_END.split(passage) if (told := stretches(part))]
    known = [numbers for told in there for _, numbers in told]
    if len(frozenset().union(*known)) < 2:
        return ""
    for about, numbers in stretches(sentence):
        for number in numbers:
            own = [(told, place) for told in there for place, (_, has) in enumerate(told) if number in has]
            beside = frozenset().union(*(told[place][1] for told, place in own))
            others = numbers - beside  # “from 3 to 28 April 2025”: the year is of both
            if own and not any(_is_of(about, others | {number}, there, told, place) for told, place in own):
                return number
        if year := _of_another_year(numbers, known):
            return year
    return ""


def _with_single_periods(text: str) -> str:
    """“One week” as “1 week”: elsewhere such words count nothing."""
    return ONE.sub(lambda found: "1 " if folded(found["unit"]) in PERIODS else found[0], text)


def without_tables(passage: str) -> str:
    """What stands in rows and columns is looked at by these: `tables.misplaced`."""
    lines = passage.split("\n")
    in_tables = lines_of_tables(lines)
    return "\n".join(line for n, line in enumerate(lines) if n not in in_tables)


def _is_of(about: frozenset[str], others: frozenset[str], there: list[list[_Told]], told: list[_Told], at: int) -> bool:
    """Whether a stretch may be what is spoken of, rather than one with other numbers.

    The first of its sentence says for all what it is about; the others are told apart by what only they say.
    """
    mine = told[at][0]
    for place, (terms_there, has) in enumerate(told):
        if place == at or has & others:
            continue
        of_it, of_this = (terms_there - mine) & about, (mine - terms_there) & about
        if (at == 0 and of_it) or (of_it and not of_this) or (place and at and len(of_it) > len(of_this)):
            return False
    shared = len(about & (mine | told[0][0]))
    elsewhere = [(one, other[0]) for other in there if other is not told for one in other]
    rivals = (about & (one[0] | first[0]) for one, first in elsewhere if not one[1] & others)
    return max(map(len, rivals), default=0) <= shared


def stretches(sentence: str) -> list[_Told]:
    """What stands around each number, or around some that are listed, as far as the next: clauses without one go with
    the one that follows, unless that begins with its number, else with the one before.
    """
    found: list[_Told] = []
    waiting: frozenset[str] = frozenset()
    for part in with_lists(clauses(sentence)):
        spoken, numbers = terms_of(part), numbers_of(part)
        if not numbers:
            waiting |= spoken
            continue
        leads = DIGITS.match(in_digits(part).lstrip())
        if found and waiting and leads:
            found[-1] = (found[-1][0] | waiting, found[-1][1])
            waiting = frozenset()
        found.append((spoken | waiting, numbers))
        waiting = frozenset()
    if found and waiting:
        found[-1] = (found[-1][0] | waiting, found[-1][1])
    return found


def _of_another_year(said: frozenset[str], there: list[frozenset[str]]) -> str:
    """A year said with an amount of another, where the passage gives either an amount or a year of its own."""
    years = frozenset(filter(YEAR.fullmatch, said))
    taken = any(years & has and not all(map(YEAR.fullmatch, has)) for has in there)
    for amount in said - years if taken else ():
        own = [frozenset(filter(YEAR.fullmatch, has)) for has in there if amount in has]
        if own and all(one and years.isdisjoint(one) for one in own):
            return min(years)
    return ""


def clauses(text: str) -> list[str]:
    return [part for part in CLAUSE.split(unparted(text)) if part.strip()]


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
