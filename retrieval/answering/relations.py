"""What the same words say in another order: “A before B” is not “B before A”, “at least” not “at most”. Pure.

Cheap checks for what a bag of words cannot tell apart. Each answers only where both sides speak of it, so a paraphrase
is never held against a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from retrieval.answering.words import BESIDE_DIGITS, plain, stem, terms

# What stands before such a word does something to what stands behind it; the second side of a pair means the reverse.
_DIRECTED = (
    "before/after precedes/follows avant/apres vor/nach antes/despues prima/dopo voor/na antes/depois до/после"
    " above/below over/under exceeds/ replaces/ contains/ includes/ extends/ requires/ overrides/ inherits/ causes/"
    " reports/ supersedes/ than/ from/ to/ into/ instead/ sends/ pays/ owns/ manages/ calls/ depends/"
)
DIRECTED = {plain(word): pair for pair in _DIRECTED.split() for word in pair.split("/") if word}
FORWARD = {plain(pair.split("/")[0]) for pair in _DIRECTED.split()}
# Words that exclude each other about the same thing.
_OPPOSED = (
    "least/most minimum/maximum min/max more/less more/fewer higher/lower larger/smaller greater/less longer/shorter"
    " earlier/later first/last increase/decrease increases/decreases allowed/forbidden allow/forbid allows/forbids"
    " allowed/prohibited permitted/prohibited required/optional mandatory/optional enable/disable enabled/disabled"
    " enables/disables always/never public/private inside/outside in-network/out-of-network"
    " cheaper/dearer included/excluded accept/reject accepted/rejected approve/reject approved/rejected open/closed"
    " mindestens/hochstens minimum/maximal erlaubt/verboten moins/plus mehr/weniger aumenta/disminuye"
)
OPPOSITE: dict[str, set[str]] = {}
for _one, _, _other in (pair.partition("/") for pair in _OPPOSED.split()):
    OPPOSITE.setdefault(plain(_one), set()).add(plain(_other))
    OPPOSITE.setdefault(plain(_other), set()).add(plain(_one))
_NUMERALS = {
    2: "two deux zwei dos due twee dois два", 3: "three trois drei tres tre drie três три",
    4: "four quatre vier cuatro quattro quatro четыре", 5: "five cinq fünf cinco cinque vijf пять",
    6: "six seis zes sechs шесть", 7: "seven sieben siete sette zeven sete семь",
    8: "eight huit acht ocho otto oito восемь", 9: "nine neun nueve negen nove девять",
    10: "ten dix zehn diez dieci tien dez десять", 11: "eleven elf once undici", 12: "twelve douze zwölf doce dodici",
    15: "fifteen quinze fünfzehn", 20: "twenty vingt zwanzig veinte venti twintig vinte", 24: "twenty-four",
    30: "thirty trente dreißig treinta trenta dertig trinta",
    40: "forty quarante vierzig", 50: "fifty cinquante fünfzig",
    60: "sixty soixante sechzig", 90: "ninety neunzig", 100: "hundred hundert",
}  # fmt: skip
NUMERALS = {plain(word): str(value) for value, text in _NUMERALS.items() for word in text.split()}
NUMERAL = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
CLAUSE = re.compile(
    r"[.;:,!?]\s|[。！？，；：]|\s(?:and|but|while|whereas|et|mais|und|aber|y|pero|e|ma|en|maar|и|но)\s|\n"
)
DIGITS = re.compile(rf"(?<![^\W{BESIDE_DIGITS}])(?<![.,])\d+(?:[.,]\d+)*")
REACH = 4  # words on each side
TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


def in_digits(text: str) -> str:
    """Folded text with its numerals as digits: “three days” is “3 days”."""
    return NUMERAL.sub(lambda word: NUMERALS.get(word[0], word[0]), plain(text))


@dataclass(frozen=True, slots=True)
class Relation:
    word: str
    left: frozenset[str]
    right: frozenset[str]


def contradicts(sentence: str, passage: str) -> str:
    """The word by which a sentence says the reverse of a passage that has the same words; empty if none."""
    return swapped(sentence, passage) or opposed(sentence, passage) or mispaired(sentence, passage)


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
    """1: the same way round; −1: the reverse; 0: of other things."""
    straight = len(said.left & one.left) and len(said.right & one.right)
    crossed = len(said.left & one.right) and len(said.right & one.left)
    if bool(straight) == bool(crossed):
        return 0
    same = (said.word in FORWARD) == (one.word in FORWARD)
    return 1 if bool(straight) == same else -1


@lru_cache(maxsize=2048)
def relations(text: str) -> tuple[Relation, ...]:
    return tuple(_relations(text))


def _relations(text: str) -> Iterator[Relation]:
    for part in re.split(r"[.;!?]\s|[。！？；]|\n\n", text):
        spoken = tokens(part)  # with their hyphens: “in-network” and “out-of-network” differ by words that say nothing
        for place, word in enumerate(spoken):
            if word in DIRECTED:
                left = content(spoken[:place])[-REACH:]
                right = content(spoken[place + 1 :])[:REACH]
                both = set(left) & set(right)
                yield Relation(word, frozenset(left) - both, frozenset(right) - both)


def content(spoken: list[str]) -> list[str]:
    return [stem(word) for word in spoken if word not in DIRECTED and terms(word)]


def opposed(sentence: str, passage: str) -> str:
    """A word whose opposite, and not itself, the passage says of the same thing."""
    said, there = tokens(sentence), tokens(passage)
    has = set(there)
    for place, word in enumerate(said):
        against = OPPOSITE.get(word, set()) & has
        if not against or word in has or any(other in said for other in against):
            continue
        about = near(said, place)
        if any(about & near(there, at) for at, other in enumerate(there) if other in against):
            return word
    return ""


def tokens(text: str) -> list[str]:
    return TOKEN.findall(plain(text))


def near(spoken: list[str], place: int) -> set[str]:
    """Stems of the words around one, without those that are opposites themselves."""
    around = spoken[max(0, place - REACH) : place] + spoken[place + 1 : place + 1 + REACH]
    return {stem(word) for word in around if word not in OPPOSITE and terms(word)}


def mispaired(sentence: str, passage: str) -> str:
    """A number that the passage gives to something else: “A costs 10, B 20” does not say that A costs 20.

    Looked at only where another clause, with other numbers, is clearly nearer to what the sentence says.
    """
    there = [(terms_of(part), numbers_of(part)) for part in clauses(passage)]
    there = [(about, numbers) for about, numbers in there if numbers]
    if len({number for _, numbers in there for number in numbers}) < 2:
        return ""
    for part in clauses(sentence):
        about, numbers = terms_of(part), numbers_of(part)
        for number in numbers:
            own = max((len(about & other) for other, has in there if number in has), default=None)
            rival = max(
                (len(about & other) for other, has in there if number not in has and not has & numbers), default=0
            )
            if own is not None and rival > own:
                return number
    return ""


def clauses(text: str) -> list[str]:
    return [part for part in CLAUSE.split(text) if part.strip()]


def terms_of(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(in_digits(text)) if not term.isdigit())


def numbers_of(text: str) -> frozenset[str]:
    return frozenset(DIGITS.findall(in_digits(text)))
