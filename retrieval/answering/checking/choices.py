"""Whether one of two is enough or both are needed: “a passport or a card” is not “a passport and a card”. Pure."""

from collections.abc import Iterator
from functools import lru_cache

from knowledge.texts.words import plain, stem, tells
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.degrees import MAY, MUST, modal
from retrieval.answering.checking.negations import NEGATIONS, SIGNS

AND, OR = (frozenset(text.split()) for text in ("and und et y e и", "or oder ou o или"))
_DECISIVE = (  # there it matters which it is; elsewhere both are often said of the same
    "if when unless need needs required requires require either both together one"
    " wenn falls entweder beide braucht brauchen benotigt benotigen si soit deux faut necesita necesitan requiere ambos"
)
DECISIVE = frozenset(_DECISIVE.split()) | MUST


def rejoined(sentence: str, passage: str) -> str:
    """The word that joins two words which the passage, where it matters, joins by the other alone."""
    for both, word, at_stake in joints(sentence):
        there = [(joint, stake) for other, joint, stake in joints(passage) if other == both]
        otherwise = there and all((word in AND) != (joint in AND) for joint, _ in there)
        if otherwise and (at_stake or any(stake for _, stake in there)):
            return word
    return ""


@lru_cache(maxsize=2048)
def joints(text: str) -> tuple[tuple[frozenset[str], str, bool], ...]:
    """The stems of two words that are joined, the word that joins them, and whether it matters which it is."""
    return tuple(found for part in SENTENCE_END.split(text) for found in _joints(part))


def _joints(part: str) -> Iterator[tuple[frozenset[str], str, bool]]:
    spoken = modal(part)
    loose = bool((MAY | NEGATIONS) & {*spoken} or SIGNS.search(plain(part)))
    at_stake = not loose and bool(DECISIVE & {*spoken})
    for place, word in enumerate(spoken):
        if word in AND | OR:
            left = next((one for one in reversed(spoken[:place]) if tells(one)), "")
            right = [one for one in spoken[place + 1 :] if tells(one)][:2]
            for other in right:
                if left and other != left:
                    yield frozenset((stem(left), stem(other))), word, at_stake
