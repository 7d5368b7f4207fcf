"""What the same words say in another order: “A before B” is not “B before A”, “at least” not “at most”. Pure.

Cheap checks for what a bag of words cannot tell apart. Each answers only where both sides speak of it, so a paraphrase
is never held against a sentence.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from knowledge.texts.words import folded, stem, terms
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.comparatives import AFTER, BEFORE, IN_TURN, one_word
from retrieval.answering.checking.opposites import tokens

# What stands before such a word does something to what stands behind it; the second side of a pair means the reverse.
_DIRECTED = (
    "precedes/follows above/below over/under exceeds/ replaces/ contains/ includes/ extends/ requires/ overrides/"
    " inherits/ causes/ reports/ supersedes/ than/ from/ to/ into/ instead/ sends/ pays/ owns/ manages/ calls/ depends/"
)
_TIMED = IN_TURN | one_word(BEFORE, AFTER)
DIRECTED = {folded(word): pair for pair in _DIRECTED.split() for word in pair.split("/") if word}
FORWARD = {word for word, pair in DIRECTED.items() if word not in pair.split("/")[1:]} | (_TIMED - one_word(AFTER))
DIRECTED |= dict.fromkeys(_TIMED, "before/after")
REACH = 4  # words on each side


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
