"""Where a question says when, where or for whom, and which of its words that takes up: “in Germany”. Pure.

What stands behind the place is asked still: “How long does delivery in Germany take?”
"""

import re
from collections.abc import Sequence

from knowledge.texts.languages.determiners import AN, MINE, THE, THIS
from knowledge.texts.languages.little_words import alternation

_PREPOSITIONS = (
    "for on in at with without after before during by from under over since until as within between"
    " für am im an auf bei mit ohne nach vor während von unter ab bis seit als in"
    " pour sur sous avec sans après avant pendant depuis dans chez en"
    " para por con sin sobre tras desde hasta durante per dopo prima senza com sem"
    " voor met zonder na tijdens bij op"
)
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
ENDING = PREPOSITIONS | {"to", "zu", "zum", "zur", "vom", "à", "au", "aux", "al"}  # another place begins
_OPPOSITES = (
    "before after, with without, vor nach, mit ohne, avant après, avec sans, con sin, con senza, com sem, met zonder"
)
OPPOSITES = {frozenset(pair.split()) for pair in _OPPOSITES.split(", ")}
REPLACED = 4  # words at most of a place that another takes: for a guest, for members
ARTICLE = rf"(?:{alternation(THE, AN, MINE, THIS)})"
# German writes its nouns with a capital: what follows the noun is no part of the place.
_NOUN = r"(?:[A-ZÄÖÜ]\S*(?:\s\d\S*)*|\d\S*(?:\s[A-ZÄÖÜ]\S*)?)"
_BEFORE_IT = r"(?:[^\WA-ZÄÖÜ\d_]\S*\s)*"
GERMAN_PLACE = re.compile(
    rf"(?:{ARTICLE}\s{_BEFORE_IT}{_NOUN}|{_BEFORE_IT}{_NOUN}(?:\s{_NOUN})*)(?:\s(?:und|oder)\s{_BEFORE_IT}{_NOUN})*\s?"
)
# With one of these the infinitive stands at the end.
_MODALS = (
    "kann kannst können könnt könnte könnten darf darfst dürfen dürft dürfte muss musst müssen müsst soll sollen sollte"
    " will wollen möchte möchten werde wird werden würde kan kunnen mag mogen moet moeten wil willen zal zullen"
)
MODALS = frozenset(_MODALS.split())
NO_VERB_YET = re.compile(  # does delivery …, do the shops …; not: does it take …
    rf"(?i:\b(?:do|does|did)\s+(?:{ARTICLE}\s+)?(?!(?:i|you|it|he|she|we|they|one)\b)[\w-]+)\Z"
)
_CLOSING = (
    "take cost open close start begin end last work apply expire arrive pay count"
    " closed available free allowed possible valid included required necessary"
)
CLOSING = frozenset(_CLOSING.split())


def place_of(preposition: str, asked: Sequence[str], language: str) -> tuple[int, int]:
    """The words of the last place behind this preposition, or behind its opposite, with it; else those behind the
    last word: none."""
    for start in reversed(range(len(asked))):
        if is_alike(preposition.lower(), asked[start : start + 2]):
            end = end_of(start, asked, language)
            if end - start <= REPLACED + 1:
                return start, end
            break
    return len(asked), len(asked)


def without(said: Sequence[str], asked: Sequence[str], language: str) -> list[str]:
    """What was asked but for the places that a follow-up names, too."""
    left = list(asked)
    for preposition in said:
        if preposition.lower() in ENDING:
            start, end = place_of(preposition, left, language)
            del left[start:end]
    return left


def is_alike(preposition: str, there: Sequence[str]) -> bool:
    """Whether such a place begins there: not “in” of “check in on Sunday”, nor “nach Berlin” for “vor 8 Uhr”."""
    word, behind = there[0].lower(), "".join(there[1:])
    if word != preposition:
        is_destination = "nach" in (word, preposition) and behind[:1].isupper()
        return {word, preposition} in OPPOSITES and not is_destination
    return behind.lower() not in ENDING


def end_of(start: int, asked: Sequence[str], language: str) -> int:
    """Where the place ends: before another one, and before what is asked about it."""
    others = (at for at in range(start + 1, len(asked)) if is_ending(asked[at], language))
    end = next(others, len(asked))
    return end - len(asked_still(asked[:start], asked[start + 1 : end], language))


def is_ending(word: str, language: str) -> bool:
    return word.lower() in ENDING and (language, word.lower()) != ("nl", "en")  # Dutch for “and”


def asked_still(before: Sequence[str], place: Sequence[str], language: str) -> list[str]:
    """The words at the end of a place that are none of it: the infinitive of German, the verb behind “does”."""
    said = " ".join(place)
    if language == "de" and (german := GERMAN_PLACE.match(said)):
        return said[german.end() :].split()
    named = place[1:] if re.fullmatch(ARTICLE, place[0] if place else "", re.IGNORECASE) else place
    if len(named) < 2:
        return []
    if language in ("de", "nl"):
        return [*named[-1:]] if MODALS.intersection(map(str.lower, before)) else []
    if NO_VERB_YET.search(" ".join(before)):
        names = [at for at, word in enumerate(named) if word[:1].isupper()]
        return [*named[names[-1] + 1 if names else -1 :]]
    return [*named[-1:]] if named[-1].lower() in CLOSING else []
