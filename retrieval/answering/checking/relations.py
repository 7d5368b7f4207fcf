"""What the same words say in another order: “A before B” is not “B before A”, “at least” not “at most”. Pure.

Cheap checks for what a bag of words cannot tell apart. Each answers only where both sides speak of it, so a paraphrase
is never held against a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.numerals import in_digits
from retrieval.answering.checking.opposites import tokens
from retrieval.answering.words import BESIDE_DIGITS, plain, stem, terms

# What stands before such a word does something to what stands behind it; the second side of a pair means the reverse.
_DIRECTED = (
    "before/after precedes/follows avant/apres vor/nach antes/despues/depois prima/dopo voor/na до/после"
    " above/below over/under exceeds/ replaces/ contains/ includes/ extends/ requires/ overrides/ inherits/ causes/"
    " reports/ supersedes/ than/ from/ to/ into/ instead/ sends/ pays/ owns/ manages/ calls/ depends/"
)
_IN_TURN = {"before/after": ("then", "afterwards"), "vor/nach": ("danach", "anschliessend"), "avant/apres": ("puis",)}
DIRECTED = {plain(word): pair for pair in _DIRECTED.split() for word in pair.split("/") if word}
DIRECTED |= {word: pair for pair, said in _IN_TURN.items() for word in said}
FORWARD = {word for word, pair in DIRECTED.items() if word != pair.split("/")[1]}
CLAUSE = re.compile(
    r"[.;,!?]\s|[。！？，；]|\s(?:and|but|while|whereas|et|mais|und|aber|y|pero|e|ma|en|maar|и|но)\s|\n"
)
DIGITS = re.compile(rf"(?<![^\W{BESIDE_DIGITS}])(?<![.,])\d+(?:[.,:/-]\d+)*")  # dates and times are one
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
NO_CENTS = re.compile(r"(\d+|\d{1,3}(?:,\d{3})+(?=\.)|\d{1,3}(?:\.\d{3})+(?=,))[.,]00")
LEADING = re.compile(r"(?<![\d.,:])0(?=\d[.:]\d\d(?!\d))")  # of a time: 09:00
YEAR = re.compile(r"(?:19|20)\d{2}")
REACH = 4  # words on each side


def spelt(number: str) -> str:
    """One spelling for each: 1,200.00 and 1.200,00 and 1 200 are 1200, and 09:00 is 9:00."""
    number = LEADING.sub("", number.replace(" ", ""))
    if whole := NO_CENTS.fullmatch(number):
        number = whole[1]
    if number.startswith("."):
        return f"0{number}"
    return re.sub(r"[.,]", "", number) if THOUSANDS.fullmatch(number) else number.replace(",", ".")


@dataclass(frozen=True, slots=True)
class Relation:
    word: str
    left: frozenset[str]
    right: frozenset[str]


def swapped(sentence: str, passage: str) -> str:
    """A relation whose two sides stand the other way round."""
    there = relations(passage)
    for said in relations(sentence):
        akin = [one for one in there if DIRECTED[one.word] == DIRECTED[said.word]]
        verdicts = [verdict for one in akin if (verdict := orientation(said, one))]
        if verdicts and max(verdicts) < 0:
            return said.word
    return ""


def orientation(said: Relation, one: Relation) -> int:
    """1: the same way round; −1: the reverse, or two that do each what the other does; 0: of other things."""
    straight = said.left & one.left and said.right & one.right
    crossed = said.left & one.right and said.right & one.left
    if straight and crossed:
        return -1
    if not straight and not crossed:
        return 0
    same = (said.word in FORWARD) == (one.word in FORWARD)
    return 1 if bool(straight) == same else -1


@lru_cache(maxsize=2048)
def relations(text: str) -> tuple[Relation, ...]:
    return tuple(_relations(text))


def _relations(text: str) -> Iterator[Relation]:
    for part in SENTENCE_END.split(text):
        spoken = tokens(part)  # with their hyphens: “in-network” and “out-of-network” differ by words that say nothing
        for place, word in enumerate(spoken):
            if word in DIRECTED:
                left = content(spoken[:place])[-REACH:]
                right = content(spoken[place + 1 :])[:REACH]
                both = set(left) & set(right)
                yield Relation(word, frozenset(left) - both, frozenset(right) - both)


def content(spoken: list[str]) -> list[str]:
    return [stem(word) for word in spoken if word not in DIRECTED and terms(word)]


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


def numbers_of(text: str) -> frozenset[str]:
    return frozenset(map(spelt, DIGITS.findall(in_digits(text))))
