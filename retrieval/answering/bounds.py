"""Whether a year, a version or a number is a bound, beyond which others lie: “since 2019”, “3.8 and newer”. Pure."""

import re

from knowledge.texts.languages.little_words import AND, OR, of_every
from knowledge.texts.words import folded
from retrieval.answering.checking import comparatives
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.comparatives import AFTER, BEGINS, ENDS, LEAST, one_word

WORDS = re.compile(r"[^\W\d_]+")
# In the languages of answers, folded.
_BESIDE = (
    "by as up to through than between under zwischen als des jusqu jusqu'en entre partir dalla fino tra tussen dan"
    " miedzy niz po"
)
BEFORE = one_word(comparatives.BEFORE, AFTER, ENDS, BEGINS, LEAST) | frozenset(_BESIDE.split())
BEHIND = of_every(OR) | frozenset(
    folded(
        "to until through onward onwards up upwards later newer above higher minimum bis aufwärts neuer höher später"
        " ultérieur ultérieures supérieure suivantes posterior posteriores superior superiores successive successiva"
        " superiori hoger later nieuwer wyżej nowsza nowszy новее выше"
    ).split()
)
JOINS = of_every(AND)  # “3.8 and newer”
BOUND_BY_SIGNS = re.compile(r"\s*(?:[–—+~]|-(?!\d\d-)|/(?:\d\d)?\d\d(?![/\d])|以|年?(?:から|まで|以|之|到|至|起))")
WORDS_BEFORE = 3  # “from 1 January 2025”
BESIDE = 80  # characters that may hold them


def is_bounded(text: str, start: int, end: int, words_before: int = WORDS_BEFORE) -> bool:
    before = SENTENCE_END.split(folded(text[max(start - BESIDE, 0) : start]))[-1]
    first = WORDS.findall(SENTENCE_END.split(folded(text[end : end + BESIDE]))[0])[:2]
    first = first[1:] if first and first[0] in JOINS else first[:1]
    is_bound = BEFORE.intersection(before.split()[-words_before:]) or BEHIND.intersection(first)
    return bool(is_bound or BOUND_BY_SIGNS.match(text, end))
