"""How much, how often, how strictly: “at least” is not “at most”, “per day” not “per month”, “may” not “must”. Pure."""

import re
from dataclasses import dataclass
from functools import lru_cache

from knowledge.texts.languages.determiners import AN, MERGED, THE
from knowledge.texts.languages.little_words import MAY, MUST, Said, alternation, of_every
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import folded, terms, words
from retrieval.answering.checking.comparatives import (
    AFTER,
    BEFORE,
    BEGINS,
    DENIED,
    EARLIER,
    ENDS,
    IN_TURN,
    LATER,
    LEAST,
    MOST,
    SIDES,
    others,
    phrases,
    spoken_terms,
)
from retrieval.answering.checking.negations import SIGNS, denials
from retrieval.answering.checking.numerals import in_digits, spelt
from retrieval.answering.checking.opposites import REACH, WEEKDAYS, tokens
from retrieval.answering.checking.periods import BY_EACH, periods_in, rates
from retrieval.answering.checking.quantities import MONTH, MONTHS

# “Expires after 30 minutes” may be “is kept for at most 30”: these exclude each other alone.
_AFTER = rf"(?:{phrases(AFTER)})(?: ablauf von)?(?: (?:the|del?|d[eo]))?(?: first| full)?"
_WITHIN = r"within|innerhalb(?: von)?|binnen|dans les|entro"
_NUMBER = r"(?![^\W\d])\s?(?:[^\W\d]+\s)?[$€£¥]?\s?(?P<number>\d+(?:[.,]\d+)*)"
BOUND = re.compile(
    rf"(?<!\w)(?<!not )(?<!nicht )"
    rf"(?:(?P<least>{phrases(LEAST)})|(?P<most>{phrases(MOST)})|(?P<after>{_AFTER})|(?P<within>{_WITHIN})){_NUMBER}"
)
_THAN = rf"(?:(?:{alternation(THE, AN, MERGED, but='no')}|que|чем)\s)*"
COMPARED = re.compile(  # with anything: “longer than usual”
    rf"(?<!\w)(?:{'|'.join(f'(?P<{side}>{said})' for side, said in SIDES.items())})"
    rf"(?:{_NUMBER}|\s{_THAN}(?P<word>[^\W\d_]+))"
)
REVERSE = {
    "least": "most", "most": "least", "after": "within", "within": "after", "later": "earlier", "earlier": "later",
}  # fmt: skip
_DAYS = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_AT = rf"(?:(?:{alternation(THE, MERGED, but='no')}|zu|di|de) )*(?P<value>\d+(?:[.,:/-]\d+)*|(?:{_DAYS})\b)"
_MONTH = rf"(?=(?:\d+(?:st|nd|rd|th)? )?(?:{MONTH}|may)\b|(?:{_DAYS})\b|\d\d?:\d\d)"
_PLAINLY = "".join(rf"(?<!\b{denial} )" for denial in DENIED.split("|"))  # “not after” is no “after”
ENDING = re.compile(rf"\b{_PLAINLY}(?:{phrases(BEFORE, ENDS)}|{SIDES['earlier']}|by(?= {_MONTH})) {_AT}")
STARTING = re.compile(rf"\b{_PLAINLY}(?:{phrases(AFTER, BEGINS)}|{SIDES['later']}) {_AT}")
_RISES = r"\b(?:ris|rose|increas|fall|fell|drop|decreas|steig|stieg|sink)\w*(?: \w+){0,3}? "
RISING_BY, RISING_TO = (
    re.compile(rf"{_RISES}(?:{word}) [$€£]?(?P<value>\d+(?:[.,]\d+)*)") for word in ("by|um", "to|auf")
)
NO_LATER = re.compile(rf"\b(?:{DENIED}) (?:{phrases(LATER, EARLIER)})\b")
SAID_APART = spoken_terms(BEFORE, AFTER, ENDS, BEGINS, LATER, EARLIER)
_TO = "to|until|till|bis|hasta"
SPAN = re.compile(
    rf"\b(?:from|von|vom|desde|ab) [^.;]{{1,30}} (?:{_TO}) "
    rf"|\d[^.;\d]{{0,20}} (?:{_TO}|al?|au|alle|as|tot|do|до|по) (?:\w+ )?\d"
)
# “Can” is said of duties, too: these are not.
PERMISSION: Said = {
    "en": "may optional optionally", "fr": "", "de": "darf dürfen dürft", "es": "", "it": "", "nl": "mag mogen",
    "pt": "", "pl": "", "ru": "", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
ADVISED: Said = {  # predicates: what is advised stands before them
    "en": "recommended advised advisable encouraged", "fr": "recommandé recommandée conseillé conseillée",
    "de": "empfohlen", "es": "recomendado recomendada recomendable recomienda",
    "it": "raccomandato raccomandata consigliato consigliata", "nl": "aanbevolen aangeraden",
    "pt": "recomendado recomendada aconselhado aconselhada", "pl": "zalecany zalecana zalecane",
    "ru": "рекомендуется", "zh": "", "ja": "", "ar": "",
}  # fmt: skip
ADVICE: Said = {
    "en": "should ought recommend recommends", "fr": "devrait devraient conseille",
    "de": "sollte sollten empfehlen empfiehlt", "es": "debería deberían", "it": "dovrebbe dovrebbero", "nl": "",
    "pt": "deveria deveriam", "pl": "powinien powinna powinno powinni powinny", "ru": "следует", "zh": "", "ja": "",
    "ar": "",
}  # fmt: skip
_PREDICATES = (
    "optional mandatory obligatory compulsory required obligatoire obligatoires obligatorio obligatoria obligatorias"
    " obligatorios pflicht"
)
PREDICATES = of_every(ADVISED) | frozenset(_PREDICATES.split())
HAVE_TO = re.compile(
    r"\b(?:(?:ha(?:ve|s)|needs?) to|tienen? que|ha[ns]? de|hay que|(?:est|sont) tenue?s? d[e’']"
    r"|(?:e|sono) tenut[aeio] ad?|dien(?:t|en) te|tem (?:de|que))(?!\w)|必须|必須|なければな(?:りません|らない)|يجب"
)
ALLOWED = re.compile(r"可以|يمكن|يجوز|\b(?:(?:allowed|permitted|free) to|(?:est|sont) autorisee?s? a)\b|\bdurfen\b")


@dataclass(frozen=True, slots=True)
class Modals:
    may: frozenset[str]
    permitted: frozenset[str]
    must: frozenset[str]
    advised: frozenset[str]


# In every language: none says something else in another, and a short sentence may be taken for one of another.
MODALS = Modals(of_every(MAY), of_every(PERMISSION), of_every(MUST), of_every(ADVICE, ADVISED))


def differs(sentence: str, passage: str) -> str:
    """The word by which a sentence says more or less, or stricter, than a passage of the same words; empty if none."""
    return (
        bounded(sentence, passage)
        or turned(sentence, passage)
        or repeated_otherwise(sentence, passage)
        or obliged(sentence, passage)
    )


def bounded(sentence: str, passage: str) -> str:
    """A bound of what the passage bounds the other way, and nowhere so: “at most 10”, “no later than Friday”."""
    there = bounds(passage)
    for side, number, word in bounds(sentence):
        sides = {other for other, same, _ in there if same == number}
        if REVERSE[side] in sides and side not in sides:
            return word
    return ""


def turned(sentence: str, passage: str) -> str:
    """Where what ends there begins, all else being said alike: “until Monday”, “from Monday”; “by 50”, “to 50”."""
    said, there = in_digits(sentence), in_digits(passage)
    denied = (_spoken(said) - _spoken(there)) & denials(languages_of(sentence, passage)).all
    if SPAN.search(said) or denied or not terms(sentence) - SAID_APART <= terms(passage):
        return ""
    for mine, other in ((ENDING, STARTING), (STARTING, ENDING), (RISING_BY, RISING_TO), (RISING_TO, RISING_BY)):
        values = _values(mine, said) & _values(other, there) - _values(mine, there)
        if mine is STARTING and not IN_TURN.isdisjoint(words(passage)):
            continue  # “until 7 pm; then use the pump”
        if values and not SPAN.search(there):
            return min(values)
    return ""


def _spoken(text: str) -> set[str]:
    return {*words(NO_LATER.sub(" ", text))}


def _values(of: re.Pattern[str], text: str) -> set[str]:
    return {found["value"] for found in of.finditer(text)}


@lru_cache(maxsize=2048)
def bounds(text: str) -> tuple[tuple[str, str, str], ...]:
    """The side, a key of REVERSE; the number, or what else is compared with; and the word that says it."""
    spoken = in_digits(text)
    found = (one.groupdict() for of in (BOUND, COMPARED) for one in of.finditer(spoken))
    mistaken = others(languages_of(text))
    sides = ((one, side) for one in found for side in REVERSE if one.get(side) and one[side] not in mistaken)
    return tuple((side, spelt(one["number"] or one["word"]), one[side]) for one, side in sides)


def repeated_otherwise(sentence: str, passage: str) -> str:
    """A period that the passage does not name, while it says how often or for how long by another, or that something
    is of each of something else: “per repair”."""
    said = rates(sentence)
    if not said or not (rates(passage) or BY_EACH.search(folded(passage))):
        return ""
    spoken = {*tokens(passage)}
    named = periods_in(passage) | ({"week"} if spoken & WEEKDAYS.keys() else set())
    named |= {"year"} if spoken & MONTHS.keys() else set()  # “each January”
    return next((word for period, word in said.items() if period not in named), "")


def obliged(sentence: str, passage: str) -> str:
    """A duty of which the passage says that it may or should be done, and not as nearly that it must; or “may” of a
    duty.
    """
    said, there = modal(sentence), modal(passage)
    languages = languages_of(sentence, passage)
    denying, known = denials(languages).all, MODALS
    for mine, other in ((known.must, known.may | known.advised), (known.permitted, known.must)):
        for at, word in enumerate(said):
            is_meant = word in mine and not _is_denied(said, at, denying)  # “must not” is “may not”
            about = _governed(said, at) if is_meant else set()
            if about and _nearest(about, there, other) > _nearest(about, there, mine):
                return word
    return ""


def _is_denied(spoken: list[str], at: int, denying: frozenset[str]) -> bool:
    beside = spoken[max(0, at - 1) : at + 1 + REACH]
    return not denying.isdisjoint(beside) or bool(SIGNS.search(" ".join(beside)))


@lru_cache(maxsize=2048)
def modal(text: str) -> list[str]:
    """Its tokens, with “must” for “have to” and “may” for “is allowed to”."""
    return tokens(ALLOWED.sub(" may ", HAVE_TO.sub(" must ", folded(text))))


def _nearest(about: set[str], spoken: list[str], modals: frozenset[str]) -> int:
    return max((len(about & _governed(spoken, at)) for at, word in enumerate(spoken) if word in modals), default=0)


def _governed(spoken: list[str], at: int) -> set[str]:
    """Terms of what stands behind a modal; of “a deposit is required”, before it."""
    behind = spoken[at + 1 : at + 1 + REACH]
    is_predicate = spoken[at] in PREDICATES and behind[:1] != ["to"]
    return terms(" ".join(spoken[max(0, at - REACH) : at] if is_predicate else behind))
