"""“All” and “nothing”, said where the passage does not say so, or excepts something. Pure."""

import re

from knowledge.texts.languages.little_words import ONLY, of_these
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import folded, stem, tells, terms, words
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.excepted import ALL, EVERY, MARK, exceptions
from retrieval.answering.checking.negations import SIGNS, denials, is_denial
from retrieval.answering.checking.periods import PERIODS, rates

_NONE = "nobody nothing nadie nada niemand nichts personne rien"
NONE = frozenset(_NONE.split())
UNIVERSAL = (ALL | NONE) - {"any", "each"}
# Whoever says one of them speaks of all, too.
_AKIN = (
    "any each both no none only never anyone anybody everybody alles kein keine keinen nur nie"
    " daily weekly monthly yearly annual annually"
)
AKIN = UNIVERSAL | {*_AKIN.split()}
OF_THOSE = re.compile(r"\b(?:all|alle|tous|toutes|todos|todas) (?:the|these|those|of|die|diese|ces|estos|estas)\b")
_SOME = (  # behind a noun: of those alone
    "who that which whose aged under over of with without in at on from for other except whenever"
    " der die das mit ohne von im in aus unter uber fur qui que de du des en avec sans pour con sin para ayant"
    " che di senza met zonder van com sem którzy które który z bez которые который с без الذين"
)
SOME = frozenset(folded(_SOME).split())
_RESTRICTIVE = (
    "up most until unless except but before reserved exclusive limited bis hochstens sauf hasta salvo fino massimo"
    " tranne tot hoogstens tenzij behalve até máximo exceto do najwyżej oprócz до кроме"
)
RESTRICTIVE = frozenset(folded(_RESTRICTIVE).split())
MOST = 0.6  # of the terms of what is said of the rest


def universal(sentence: str, passage: str) -> str:
    """“All” or “always” of what the passage's nearest sentence says of no such."""
    said = words(OF_THOSE.sub(" ", folded(sentence)))
    at = next((at for at, word in enumerate(said) if word in UNIVERSAL), -1)
    is_rate = said[at + 1 : at + 2] and said[at + 1] in PERIODS and rates(passage)  # “every year” of “once a year”
    if at < 0 or is_rate or is_denial(sentence, languages_of(sentence, passage)):
        return ""
    spoken = terms(sentence)
    nearest = words(max(SENTENCE_END.split(folded(passage)), key=lambda part: len(terms(part) & spoken)))
    return "" if AKIN & {*nearest} or _is_of_all(said[at + 1 :], nearest) else said[at]


def _is_of_all(said: list[str], there: list[str]) -> bool:
    """Whether a sentence is of all of its kind without saying so: “Employees get …”, but not “employees who …”."""
    noun = next(filter(tells, said), "")
    at = next((at for at, word in enumerate(there) if tells(word) and stem(word) == stem(noun)), len(there))
    return at < len(there) and not any(map(tells, there[:at])) and SOME.isdisjoint(there[at + 1 : at + 2])


def restricted(sentence: str, passage: str) -> str:
    """“Only” where the passage restricts nothing: it says neither “only” nor “not”, nor “up to”."""
    languages = languages_of(sentence, passage)
    only = of_these(languages, ONLY)
    said = next((word for word in words(sentence) if word in only), "")
    restrictive = RESTRICTIVE | only | denials(languages).all
    return "" if not said or restrictive & {*words(passage)} or SIGNS.search(folded(passage)) else said


def unexcepted(sentence: str, passage: str) -> str:
    """“All” or “nothing” without what the passage's sentence excepts."""
    said = folded(sentence)
    spoken = terms(said)
    of_all = (UNIVERSAL | EVERY) & {*words(OF_THOSE.sub(" ", said))}
    if not of_all or MARK.search(said):
        return ""
    for one in exceptions(passage, languages_of(sentence, passage)):
        told = len(one.others & spoken)
        if not one.is_condition and not one.named <= spoken and told >= len(one.others) * MOST:
            return min(of_all)
    return ""
