"""Half of one sentence of a passage and half of another, said as if it were one: “the museum closes at 18:00” of “the
museum closes on Mondays. The café closes at 18:00.” Pure.

What a part of a sentence says with the passage's words has to be said by one sentence of the passage, or by some that go
on with each other. A list of things from several of them, parted by commas, is none the worse for it.
"""

import re
from functools import lru_cache

from retrieval.answering.checking.negations import MODAL
from retrieval.answering.checking.synonyms import in_common_words
from retrieval.answering.sentences import MARK, POINTS_BACK, sentence_spans
from retrieval.answering.words import stem, terms, words

PART = re.compile(
    r"[,;:]\s|\s[(–—]|\)\s|[，、；：]"
    r"|\s(?:and|or|but|while|whereas|und|oder|aber|während|et|ou|mais|y|o|pero|e|ma|en|of|maar|и|или|но|а)\s"
)
_BACK = "this that these those it its they them their he his him she her both such otherwise"
REFERS = re.compile(rf"\b(?:{'|'.join(_BACK.split())})\b", re.IGNORECASE)
OF_SEVERAL = re.compile(r"(?:all|each|every|both|others?|the (?:same|rest))\b", re.IGNORECASE)
DEFINITE = re.compile(r"(?:the|der|die|das|le|la|les|el|los|las|il|lo|i|gli|het|de)\s(?P<noun>[^\W\d_]+)", re.IGNORECASE)
_KINDS = (  # what a name may be called by: “Contoso offers … The company …”
    "company firm corporation group organisation organization agency society association club cooperative charity"
    " university college school museum library city town country state man woman author founder"
    " firma unternehmen gesellschaft verein genossenschaft stadt land autor autorin"
    " entreprise societe association ville pays auteur empresa compania asociacion ciudad pais autor societa azienda"
)
KINDS = frozenset(stem(word) for word in _KINDS.split())
ITEM = re.compile(rf"{MARK}\s|\|")
ROW = re.compile(r"[|+]")
# They tell little of what is said: a summary has them of its own.
_LIGHT = (
    "ensure ensuring include including includes provide provides offer offers offering cover covers covered coverage"
    " additionally additional need needs require requires required make makes use used using help helps available"
    " important case well way note"
)
LIGHT = frozenset(stem(word) for word in _LIGHT.split()) | MODAL
FEWEST = 2  # words of a part that the passage has: one alone is no blend


@lru_cache(maxsize=512)
def blended(sentence: str, passage: str, heading: str = "") -> str:
    """A word of a part of the sentence that no sentence of the passage has with the others; empty if one has them all.

    `heading` is said of all of the passage.
    """
    told = _told(passage)
    known = frozenset().union(*told) - _terms(heading) - LIGHT
    for part in PART.split(sentence) if len(told) > 1 else ():
        said = _terms(part) & known
        lacking = min((said - one for one in told), key=len)
        if len(said) >= FEWEST and lacking:
            return min(lacking)
    return ""


@lru_cache(maxsize=512)
def _told(passage: str) -> tuple[frozenset[str], ...]:
    """The words of each sentence, with those that it goes on from; those of a table's rows together."""
    found: list[frozenset[str]] = []
    rows: frozenset[str] = frozenset()
    announced: frozenset[str] = frozenset()
    before = ""
    for span in sentence_spans(passage):
        text = passage[span.start : span.end]
        said = _terms(text)
        if ROW.match(text):
            rows |= said
        elif ITEM.match(text):
            said |= announced
        else:
            said |= found[-1] if found and _goes_on(text, before) else frozenset()
            announced = said if text.endswith(":") else frozenset()
        found.append(said)
        before = text
    return (*found, rows | found[0]) if rows else tuple(found)


def _goes_on(text: str, before: str) -> bool:
    """Whether a sentence speaks of what the one before spoke of."""
    if POINTS_BACK.match(text) or OF_SEVERAL.match(text) or REFERS.search(text):
        return True
    named = DEFINITE.match(text)
    noun = stem(words(named["noun"])[0]) if named else ""
    return noun in KINDS or noun in map(stem, words(before))


@lru_cache(maxsize=2048)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(in_common_words(text)))
