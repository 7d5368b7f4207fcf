"""What the same words say in another order: “A before B” is not “B before A”, “at least” not “at most”. Pure.

Cheap checks for what a bag of words cannot tell apart. Each answers only where both sides speak of it, so a paraphrase
is never held against a sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from retrieval.answering.checking.opposites import tokens
from retrieval.answering.words import BESIDE_DIGITS, language_of, plain, stem, terms

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
_NUMERALS = {
    2: "two deux zwei dos due twee dois два", 3: "three trois drei tres tre drie três три",
    4: "four quatre vier cuatro quattro quatro четыре", 5: "five cinq fünf cinco cinque vijf пять",
    6: "six seis zes sechs шесть", 7: "seven sieben siete sette zeven sete семь",
    8: "eight huit acht ocho otto oito восемь", 9: "nine neun nueve negen nove девять",
    10: "ten dix zehn diez dieci tien dez десять", 11: "eleven elf once undici", 12: "twelve douze zwölf doce dodici",
    13: "thirteen treize dreizehn trece tredici", 14: "fourteen quatorze vierzehn catorce quattordici четырнадцать",
    15: "fifteen quinze fünfzehn quince quindici", 16: "sixteen seize sechzehn", 17: "seventeen siebzehn",
    18: "eighteen achtzehn", 19: "nineteen neunzehn",
    20: "twenty vingt zwanzig veinte venti twintig vinte", 24: "twenty-four",
    30: "thirty trente dreißig treinta trenta dertig trinta тридцать",
    40: "forty quarante vierzig cuarenta сорок", 50: "fifty cinquante fünfzig cincuenta",
    60: "sixty soixante sechzig sesenta", 90: "ninety neunzig", 100: "hundred hundert",
    "2 times": "twice", "2 mal": "zweimal", "3 mal": "dreimal",
}  # fmt: skip
NUMERALS = {plain(word): str(value) for value, text in _NUMERALS.items() for word in text.split()}
NO_NUMERALS = {"en": ("due", "once", "sept"), "fr": ("tres", "dos")}  # but of other languages: “rent is due”
AMBIGUOUS = re.compile(rf"\b(?:{'|'.join(word for said in NO_NUMERALS.values() for word in said)})\b")
NUMERAL = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
CLAUSE = re.compile(
    r"[.;,!?]\s|[。！？，；]|\s(?:and|but|while|whereas|et|mais|und|aber|y|pero|e|ma|en|maar|и|но)\s|\n"
)
DIGITS = re.compile(rf"(?<![^\W{BESIDE_DIGITS}])(?<![.,])\d+(?:[.,:/-]\d+)*")  # dates and times are one
# What marks a number up stands between it and what it counts: “**30** days”, “<b>30</b> days”.
AMOUNT = r"(?:[-−]\s?)?[$€£¥]?\d[\d.,:]{0,20}"
MARKED_UP = re.compile(
    rf"(?<![\w*_`])(?P<sign>[*_]{{1,3}}|`)(?P<number>{AMOUNT})(?P=sign)(?=[\s%)–-])"
    rf"|(?<!\w)<(?P<tag>b|strong|em|i|u|code|mark)>(?P<tagged>{AMOUNT})</(?P=tag)>(?=[\s%)–-])"
)
TWICE = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)*) \(\1\)")  # “thirty (30) days”
THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
NO_CENTS = re.compile(r"(\d+|\d{1,3}(?:,\d{3})+(?=\.)|\d{1,3}(?:\.\d{3})+(?=,))[.,]00")
LEADING = re.compile(r"(?<![\d.,:])0(?=\d[.:]\d\d(?!\d))")  # of a time: 09:00
REACH = 4  # words on each side


def spelt(number: str) -> str:
    """One spelling for each: 1,200.00 and 1.200,00 and 1 200 are 1200, and 09:00 is 9:00."""
    number = LEADING.sub("", number.replace(" ", ""))
    if whole := NO_CENTS.fullmatch(number):
        number = whole[1]
    if number.startswith("."):
        return f"0{number}"
    return re.sub(r"[.,]", "", number) if THOUSANDS.fullmatch(number) else number.replace(",", ".")


def in_digits(text: str) -> str:
    """Folded text with its numerals as digits: “three days” is “3 days”, as “three (3) days” is and “**3** days”."""
    folded = MARKED_UP.sub(lambda one: one["number"] or one["tagged"], plain(text))
    others = NO_NUMERALS.get(language_of(text), ()) if AMBIGUOUS.search(folded) else ()
    counted = NUMERAL.sub(lambda word: word[0] if word[0] in others else NUMERALS.get(word[0], word[0]), folded)
    return TWICE.sub(r"\1", counted)


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


def mispaired(sentence: str, passage: str) -> str:
    """A number that the passage gives to something else: “A costs 10, B 20” does not say that A costs 20.

    Looked at only where another clause, with other numbers, is clearly nearer to what the sentence says.
    """
    there = [(terms_of(part), numbers_of(part)) for part in with_lists(clauses(passage))]
    there = [(about, numbers) for about, numbers in there if numbers]
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
    return ""


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
