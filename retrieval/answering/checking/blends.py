"""Half of one sentence of a passage and half of another, said as if it were one: “the museum closes at 18:00” of “the
museum closes on Mondays. The café closes at 18:00.” Pure.

What a part of a sentence says with the passage's words has to be said by one sentence of the passage, or by some that
go on with each other. A list of things from several of them, parted by commas, is none the worse for it.
"""

import re
from functools import cache, lru_cache

from knowledge.texts.items import MARK
from knowledge.texts.languages.determiners import AN, EVERY, MERGED, MINE, THE, THEIRS
from knowledge.texts.languages.little_words import PREPOSITIONS, Said, alternation, of_these
from knowledge.texts.languages.questions import language_of, languages_of
from knowledge.texts.tables.readers import lines_of_tables
from knowledge.texts.words import content, folded, stem, terms, words
from retrieval.answering.checking.clauses import CHOOSING, PARTING
from retrieval.answering.checking.negations import MODAL
from retrieval.answering.checking.numerals import ORDINALS, in_digits
from retrieval.answering.checking.opposites import CONCEPTS, Concept, concepts, tokens
from retrieval.answering.checking.roles import LETTERED
from retrieval.answering.checking.synonyms import in_common_words
from retrieval.answering.sentences import POINTS_BACK, sentence_spans

# A reason is held together with what it is given for.
_REASON: Said = {
    "en": "because since", "de": "weil da damit denn", "fr": "car parce puisque afin", "es": "porque para",
    "it": "perché poiché", "nl": "omdat", "pt": "porque para", "pl": "ponieważ", "ru": "потому поскольку", "ar": "لأن",
}  # fmt: skip
_PART = (
    rf"[.!?,;]\s(?!(?:{alternation(_REASON)})\b)"
    r"|\n|\s[(–—]|\)\s|[。！？，、；]"
    rf"|\s(?:{PARTING}|{CHOOSING})\s"
)
PART, DUTCH_PART = re.compile(_PART), re.compile(rf"{_PART}|\sof\s")  # “of” chooses there
PARAGRAPH = re.compile(r"\n\s*\n")  # nothing goes on over it
# “During that time”: of what the sentence before says, but for whom it speaks of.
OF_ITS_TIME = re.compile(
    r"\b(?:this|that|these|those|such) (?:time|period|day|week|month|year|case|way|place|room)s?\b", re.IGNORECASE
)
NAMED_BY = alternation(THE, AN, MINE, THEIRS, EVERY, but="as i o")
# “From Tuesday to Sunday it is open”; not where the pronoun may stand for what the sentence itself names.
PRONOUN = re.compile(
    rf"(?:(?!\b(?:{NAMED_BY})\b)[^;])*?"
    r"\b(?:it|they|er|sie|es|il|elle|ils|elles)\b",
    re.IGNORECASE,
)
IMPERSONAL = re.compile(  # it points at nothing: “il est permis de fumer”
    r"il (?:faut|y a|convient|suffit|s['’]agit)\b|es gibt\b"
    r"|(?:il (?:n['’])?est|es (?:ist|wird)|it is) (?:\w+ )?(?:permis|interdit|défendu|possible|impossible|obligatoire"
    r"|nécessaire|recommandé|conseillé|erlaubt|verboten|möglich|gestattet|untersagt|empfohlen|nötig"
    r"|allowed|permitted|forbidden|prohibited|necessary|recommended|advisable)\b",
    re.IGNORECASE,
)
# “Hang a red tag on it”; behind “that” it may be what the sentence itself names. Of “them” too much would be carried.
WITHIN = re.compile(
    r"(?!.*\b(?:that|which)\b)(?:[\w`,.'/-]+\s){1,5}(?:this|these|such|it|dies\w*|ce|cette|este|esta)\b",
    re.IGNORECASE,
)
OF_SEVERAL = re.compile(r"(?:all|each|every|both|others?|the (?:same|rest))\b", re.IGNORECASE)
# “The key of the shed” is no other sentence's key: what behind a noun says which one is meant.
WHICH = alternation(PREPOSITIONS, MERGED, {"de": THE["de"]})
DEFINITE = re.compile(
    rf"(?:{alternation(THE, but='a as')})[\s’'](?P<noun>[^\W\d_]+)(?P<which>\s(?:{WHICH})\b)?", re.IGNORECASE
)
_KINDS = (  # what a name may be called by: “Contoso offers … The company …”
    "company firm corporation group organisation organization agency society association club cooperative charity"
    " university college school museum library city town country state man woman author founder"
    " firma unternehmen gesellschaft verein genossenschaft stadt land autor autorin"
    " entreprise societe association ville pays auteur empresa compania asociacion ciudad pais autor societa azienda"
)
KINDS = frozenset(stem(word) for word in _KINDS.split())
ITEM = re.compile(rf"{MARK}\s")
# They tell little of what is said: a summary has them of its own.
_LIGHT = (
    "ensure ensuring include including includes provide provides offer offers offering cover covers covered coverage"
    " need needs require requires required make makes use used using help helps available"
    " important case well way note up"
    " cost costs pay pays receive have put take belong after before"
    " kosten zahlen gehören coûter payer disposer disponer tener"
)
LIGHT = frozenset(stem(folded(word)) for word in _LIGHT.split()) | MODAL
EXCLUDING: dict[str, set[Concept]] = {}  # by the stem of a word its places among those that exclude each other
for _word, _places in CONCEPTS.items():
    EXCLUDING.setdefault(stem(_word.removeprefix("~")), set()).update(_places)
FEWEST = 2  # words of a part that the passage has: one alone is no blend


@cache
def light(languages: frozenset[str]) -> frozenset[str]:
    """The stems of what tells little: French “car” gives a reason, an English car is one."""
    return LIGHT | {stem(word) for word in of_these(languages, _REASON)}


@lru_cache(maxsize=512)
def blended(sentence: str, passage: str, heading: str = "") -> str:
    """A word of a part of the sentence that no sentence of the passage has with the others; empty if one has them all.

    `heading` is said of all of the passage.
    """
    if sentence in passage:
        return ""
    told = _told(passage)
    above = {term for term in _terms(heading) if not term.isdigit()}
    known = frozenset().union(*told) - above - light(languages_of(sentence, passage))
    parts = DUTCH_PART if language_of(sentence) == "nl" else PART
    for part in parts.split(in_common_words(sentence)) if told else ():
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
    before, end = "", 0
    lines = passage.split("\n")
    in_tables = lines_of_tables(lines)
    for span in sentence_spans(passage):
        text = passage[span.start : span.end]
        said = _terms(text)
        first = passage.count("\n", 0, span.start)
        if not in_tables.isdisjoint(range(first, first + text.count("\n") + 1)):
            rows |= said
        elif ITEM.match(text):
            said |= announced
        else:
            goes_on = bool(found) and not PARAGRAPH.search(passage[end : span.start])
            said |= _carried(text, before, found[-1]) if goes_on else frozenset()
            announced = said if text.endswith(":") else frozenset()
        found.append(said)
        before, end = text, span.end
    return (*found, rows | found[0]) if rows else tuple(found)


def _carried(text: str, before: str, known: frozenset[str]) -> frozenset[str]:
    """What a sentence speaks of without saying it: what the one before spoke of, if it goes on from it."""
    if IMPERSONAL.match(text):
        return frozenset()
    if any(pattern.match(text) for pattern in (POINTS_BACK, OF_SEVERAL, PRONOUN)):
        return _without_opposites(known, text)
    named = DEFINITE.match(folded(text))
    noun = stem(words(named["noun"])[0]) if named and not named["which"] else ""
    if noun in KINDS or noun in map(stem, words(before)):
        return known
    if OF_ITS_TIME.search(text):
        return known.difference(content(before)[:1])
    return _without_opposites(known, text) if WITHIN.match(text) else frozenset()


def _without_opposites(carried: frozenset[str], text: str) -> frozenset[str]:
    """Words that a sentence goes on from, but for those that it says something else of: “it is closed on Sunday”."""
    own = {place for word in tokens(text) for place in concepts(word)}
    rows = {row for row, _ in own}
    return frozenset(term for term in carried if not any(one[0] in rows for one in EXCLUDING.get(term, set()) - own))


@lru_cache(maxsize=2048)
def _terms(text: str) -> frozenset[str]:
    said = terms(in_digits(in_common_words(LETTERED.sub(r"\1\2", text))))
    return frozenset((*said, *(str(place) for place, word in enumerate(ORDINALS, 1) if stem(word) in said)))
