"""Words that are one in one text and two in the next: `lifetime`, `life-time`, `life time`; a name and its number; or
are bare there. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from knowledge.texts.analysis import IS_IN_PAIRS, compounds_of, tokens, without_accents, words
from knowledge.texts.words import folded, tells

MOST_WORDS = 12  # of a query: a longer one is prose, where neighbours make other words by chance
SHORTEST_HALF, SHORTEST = 2, 6  # letters of a half, and of what may be two words
IS_COUNT = re.compile(r"[0-9]{1,6}").fullmatch
BEHIND = "?!.,;:"  # a word, of a sentence
NUMBERED = re.compile(r"(?<![\w.-])(?P<name>[^\W\d_]{2,})(?P<number>\d{1,6})(?!\w|[.-]\w)")  # RFC6265


@dataclass(frozen=True, slots=True)
class Compound:
    parts: tuple[str, ...]  # one, of a word that is written bare elsewhere
    whole: str


def compounds(query: str) -> list[Compound]:
    """Those of a short query, its neighbouring words, which may be one elsewhere, and its words bare; each once."""
    if len(query.split()) > MOST_WORDS:
        return []
    own = (Compound(parts, "".join(parts)) for parts in compounds_of(query))
    return list(dict.fromkeys([*own, *neighbours(query), *bared(query)]))


def neighbours(query: str) -> Iterator[Compound]:
    for left, written in pairwise(query.split()):
        right = written.rstrip(BEHIND)
        if is_plain(left) and (is_plain(right) or IS_COUNT(right)):
            yield Compound((left, right), f"{left}{right}")


def bared(query: str) -> Iterator[Compound]:
    """Words with what others leave out: `café`."""
    for token in tokens(query):
        said = without_accents(token)
        if not token.isascii() and is_plain(token) and is_plain(said) and said != token.lower():
            yield Compound((token,), said)


def is_plain(word: str) -> bool:
    """Whether it is letters that analysis leaves as they are, and no word of every text."""
    is_one = word.isalpha() and not IS_IN_PAIRS(word) and list(words(word)) == [word]
    return is_one and (len(word) == 1 or tells(folded(word)))


def with_joined(text: str) -> str:
    """The text, and behind it its neighbouring words as one: what marks and excerpts look for."""
    return " ".join([text, *(compound.whole for compound in neighbours(text))])


def halves(word: str) -> list[tuple[str, str]]:
    """The two words that it may be: every way to part it, but a name's number only from the name."""
    if numbered := NUMBERED.fullmatch(word):
        return [(numbered["name"], numbered["number"])]
    if len(word) < SHORTEST:
        return []
    return [(word[:at], word[at:]) for at in range(SHORTEST_HALF, len(word) - SHORTEST_HALF + 1)]
