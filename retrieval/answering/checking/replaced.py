"""A sentence that is a passage's but for one noun: “a hammer, a drill” of “a hammer, a saw”, “the landlord”. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache

from knowledge.texts.languages.determiners import AN, EVERY, MERGED, MINE, THE, THEIRS, THIS
from knowledge.texts.languages.little_words import AND, OR, of_every, of_these
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import folded, stem, tells, words
from retrieval.answering.checking.clauses import ITEM_END
from retrieval.answering.checking.comparatives import LEAST, LESS, MORE, MOST, spoken_terms
from retrieval.answering.checking.negations import is_denial
from retrieval.answering.checking.roles import auxiliaries

COMMA = re.compile(r"[,;]\s")
LISTED = "listed"  # stands for a comma
_PREPOSITIONS = "of for at on by with from in into fur mit von bei par pour avec de por para con"
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
JOINTS = {LISTED} | of_every(AND, OR)
# “For at most three days”: a number's, no nouns; which way they bound it is looked at by `degrees`.
BOUNDS = spoken_terms(LEAST, MOST, MORE, LESS)
FEWEST = 3  # content words that are the same


def replaced(sentence: str, passage: str) -> str:
    """A noun in the place of another, where all else that the sentence says is said by one of the passage's clauses."""
    said = _content(sentence)
    ours = [one.stem for one in said]
    parts = [part for part in ITEM_END.split(passage) if part.strip()]
    known = [_content(part) for part in parts]
    stems = [{one.stem for one in there} for there in known]
    if any({*ours} <= other for other in stems):
        return ""
    languages = languages_of(sentence, passage)
    for part, there in zip(parts, known, strict=True):
        if is_denial(sentence, languages) != is_denial(part, languages):
            continue  # “on Mondays it is not”: it says something else of the other
        theirs = [one.stem for one in there]
        for mine, other, same in _exchanged(ours, theirs):
            new, old = said[mine], there[other]
            if same < FEWEST - any(new.stem in other for other in stems):
                continue  # less is enough where the passage says the new word of something else
            if new.stem in theirs or old.stem in ours or new.stem.isdigit() or _is_akin(new.stem, theirs, part):
                continue
            if _is_noun(new, languages) and _is_noun(old, languages) and len({*ours} - {*theirs}) == 1:
                return new.stem
    return ""


def _exchanged(ours: list[str], theirs: list[str]) -> Iterator[tuple[int, int, int]]:
    """Places of one word for one other between words that are the same, and how many are."""
    changes = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    same = sum(high - low for kind, low, high, _, _ in changes if kind == "equal")
    for kind, low, high, from_, to in changes:
        if kind == "replace" and high - low == to - from_ == 1:
            yield low, from_, same


def _is_akin(word: str, others: list[str], passage: str) -> bool:
    """Whether a word there is the same otherwise formed or joined: “eyeglasses” beside “glasses”."""
    joined = len(word) > 3 and word in folded(passage)
    return joined or any(len(other) > 3 and other in word for other in others)


@dataclass(frozen=True, slots=True)
class _Word:
    """A content word's stem, the three words before it, and the one behind it; empty where there are none."""

    stem: str
    before: tuple[str, str, str]
    behind: str


@cache
def _articles(languages: frozenset[str]) -> frozenset[str]:
    return of_these(languages, THE, AN, MINE, THEIRS, EVERY) | {"no"}


@cache
def _nominal(languages: frozenset[str]) -> frozenset[str]:
    """Behind these stands a noun, or what belongs to one; a verb does not."""
    return _articles(languages) | of_these(languages, MERGED, THIS) | PREPOSITIONS


def _is_noun(word: _Word, languages: frozenset[str]) -> bool:
    verb, article, before = word.before
    if not before or word.stem in BOUNDS:
        return False  # “Additionally, …” is none
    if before in (nominal := _nominal(languages)) or before in JOINTS or word.behind in JOINTS:
        return True
    # “The annual fee is”, “pay the annual fee in”; but “the tenant pays the”, “the tenant lives in”
    described = article in nominal and before.isalpha() and tells(before)
    if not described:
        return False
    ends_sentence = bool(verb) and tells(verb) and word.behind not in _articles(languages)
    return word.behind in auxiliaries(languages) or ends_sentence


@lru_cache(maxsize=2048)
def _content(text: str) -> list[_Word]:
    spoken = ["", "", "", *words(COMMA.sub(f" {LISTED} ", text)), ""]
    return [
        _Word(stem(word), (spoken[at - 3], spoken[at - 2], spoken[at - 1]), spoken[at + 1])
        for at, word in enumerate(spoken)
        if word and tells(word) and word != LISTED
    ]
