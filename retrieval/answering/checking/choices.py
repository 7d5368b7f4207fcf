"""Whether one of two is enough or both are needed: “a passport or a card” is not “a passport and a card”. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache

from knowledge.texts.languages.little_words import AND, IF, MUST, OR, of_every, of_these
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import folded, stem, tells
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.degrees import MODALS, modal
from retrieval.answering.checking.negations import SIGNS, denials

_DECISIVE = (  # there it matters which it is; elsewhere both are often said of the same
    "unless need needs required requires require either both together one"
    " entweder beide braucht brauchen benotigt benotigen soit deux faut necesita necesitan requiere ambos"
    " nodig necessario serve servono entrambi preciso necessário potrzebny potrzebna potrzebne wymagany wymagana"
    " wymagane oba obie нужен нужна нужны необходим необходима необходимы оба обе"
)
DECISIVE = frozenset(folded(_DECISIVE).split()) | of_every(MUST) | of_every(IF, but="se where")
ANDS = of_every(AND)
# What stands without spaces; in Japanese the one sign joins nouns where no hiragana stands beside it.
AND_BESIDE = re.compile(r"以及|[和与與]|および|及び|(?<=[^\W\u3040-\u309f])と(?=[^\W\u3040-\u309f])|\bو(?=ال)")
OR_BESIDE = re.compile(r"或者?|または|又は|もしくは")


def rejoined(sentence: str, passage: str) -> str:
    """The word that joins two words which the passage, where it matters, joins by the other alone."""
    for both, word, at_stake in joints(sentence):
        there = [(joint, stake) for other, joint, stake in joints(passage) if other == both]
        otherwise = there and all((word in ANDS) != (joint in ANDS) for joint, _ in there)
        if otherwise and (at_stake or any(stake for _, stake in there)):
            return word
    return ""


@lru_cache(maxsize=2048)
def joints(text: str) -> tuple[tuple[frozenset[str], str, bool], ...]:
    """The stems of two words that are joined, the word that joins them, and whether it matters which it is."""
    languages = languages_of(text)
    loosening = denials(languages).all | MODALS.may
    return tuple(found for part in SENTENCE_END.split(text) for found in _joints(part, loosening))


def _joints(part: str, loosening: frozenset[str]) -> Iterator[tuple[frozenset[str], str, bool]]:
    spoken = modal(OR_BESIDE.sub(" or ", AND_BESIDE.sub(" and ", part)))
    loose = bool(loosening & {*spoken} or SIGNS.search(" ".join(spoken)))
    at_stake = not loose and bool(DECISIVE & {*spoken})
    joining = of_these(languages_of(part), AND, OR) | {"and", "or"}
    for place, word in enumerate(spoken):
        if word in joining:
            left = next((one for one in reversed(spoken[:place]) if tells(one)), "")
            right = [one for one in spoken[place + 1 :] if tells(one)][:2]
            for other in right:
                if left and other != left:
                    yield frozenset((stem(left), stem(other))), word, at_stake
