"""What holds on a condition, said as if it held always: “only if approved”, “unless it rains”, “those who …”. Pure."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from knowledge.texts.languages.little_words import IF, MAY, ONLY, Said, of_every, of_these
from knowledge.texts.languages.questions import language_of, languages_of
from knowledge.texts.words import folded, terms, words
from retrieval.answering.checking.clauses import CONTRASTING, JOINING, SENTENCE_END
from retrieval.answering.checking.excepted import ALL, MOST, PART_END, UNLESS, in_order
from retrieval.answering.checking.negations import SIGNS, denials, is_denial

_ONLY = (
    r"only (?:if|when|where|with|after|once|as long as)|provided(?: that)?|on condition that|as long as"
    r"|nur (?:wenn|mit|nach|falls)|sofern|vorausgesetzt"
    r"|(?:seulement|uniquement) (?:si|avec|quand|apres)|a condition (?:que|de)|pourvu que"
    r"|solo (?:si|con|cuando|se|quando)|siempre que|a condicion de|purche|alleen (?:als|met|wanneer|indien)|mits"
    r"|(?:apenas|somente) (?:se|quando|com|apos)|desde que|tylko (?:jesli|jezeli|gdy|wtedy,? gdy|z|po)|pod warunkiem"
    r"|только (?:если|при|когда|с|после)|при условии|فقط اذا|بشرط"
)
_APART = (  # “is only paid if”
    r"only (?P<paid>(?:\w+ ){1,4})(?:if|when)|nur (?P<bezahlt>(?:\w+ ){0,4}\w+),? (?:wenn|falls)"
    r"|alleen (?P<betaald>(?:\w+ ){0,4}\w+),? (?:als|wanneer|indien)"
)
CONDITION = re.compile(rf"\b(?:{_ONLY}|{UNLESS}|{_APART})(?!\w)|只有(?=[^，。]*才)|除非")
ELSE = "se als"  # they make a condition in Italian and Portuguese, and in Dutch
FEWEST = 2  # terms of what holds then
BEFORE = re.compile(rf".*(?:[,;:]\s(?:{JOINING}|{CONTRASTING})?|\b(?:{CONTRASTING})\s)", re.DOTALL)
# Whoever says such a word speaks of a condition, or of what may be.
_HEDGES: Said = {
    "en": "unless provided subject depending conditions without might sometimes usually", "de": "sofern ohne",
    "fr": "sans", "es": "sin", "it": "se senza", "nl": "als tenzij zonder", "pt": "se sem", "pl": "chyba bez",
    "ru": "без", "ar": "",
}  # fmt: skip
_RELATIVE: Said = {
    "en": "who whose", "de": "", "fr": "qui", "es": "", "it": "che", "nl": "", "pt": "", "pl": "którzy które",
    "ru": "которые который", "ar": "الذين",
}  # fmt: skip
AMBIGUOUS = frozenset(f"where quand {ELSE}".split())  # they say something else as often
FORMAL = terms("otherwise anders contraire contrario diversamente иначе")  # “unless otherwise agreed”


def dropped(sentence: str, passage: str) -> str:
    """The word of a passage that makes a condition of which the sentence, which says the rest, says nothing."""
    spoken, spelt, languages = terms(sentence), {*words(sentence)}, languages_of(sentence, passage)
    hedging = hedges(languages) - {*words(CONDITION.sub(" ", in_order(passage)))}
    if spelt & (hedging | denials(languages).all) or SIGNS.search(folded(sentence)):
        return ""
    for mark, named, others in conditional(passage):
        told = len(others & spoken) >= max(len(others) * MOST, 1)
        if told and named and not named & spoken and not _plainly(spoken, len(others & spoken), passage):
            return mark
    return ""


def untold(sentence: str, passage: str) -> str:
    """The word of a plain condition (“if”, “when”) that a sentence leaves out which says the rest and little else."""
    spoken, languages = terms(sentence), languages_of(sentence, passage)
    if is_denial(sentence, languages) or not restricting(languages).isdisjoint(words(sentence)):
        return ""
    condition = plain_condition(language_of(passage))
    for part in SENTENCE_END.split(folded(passage)):
        for mark, named, others in _conditions(part, condition):
            told = len(others & spoken)
            is_whole = told >= max(len(others) * MOST, FEWEST) and told >= len(spoken) * MOST
            if named and not named & spoken and is_whole and not _otherwise(spoken, told, part, passage):
                return mark
    return ""


@cache
def hedges(languages: frozenset[str]) -> frozenset[str]:
    return (of_these(languages, IF, ONLY) - AMBIGUOUS) | of_these(languages, _HEDGES) | of_every(MAY)


@cache
def restricting(languages: frozenset[str]) -> frozenset[str]:
    return of_these(languages, IF, ONLY, _RELATIVE) - AMBIGUOUS


@cache
def plain_condition(language: str) -> re.Pattern[str]:
    said = of_every(IF, but=ELSE).union(folded(IF.get(language, "")).split())
    return re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(said))}|to the extent)\b|如果|若(?=[^，。]+，)")


def _otherwise(spoken: set[str], shared: int, part: str, passage: str) -> bool:
    """Whether another sentence of the passage says as much of it."""
    return any(len(terms(other) & spoken) >= shared for other in SENTENCE_END.split(folded(passage)) if other != part)


def _plainly(spoken: set[str], shared: int, passage: str) -> bool:
    """Whether a sentence of the passage without such a condition says as much of it."""
    parts = (part for part in SENTENCE_END.split(in_order(passage)) if not CONDITION.search(part))
    return any(len(terms(part) & spoken) >= shared for part in parts)


@lru_cache(maxsize=2048)
def conditional(passage: str) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """Of each condition its mark, the terms of what is asked for, and those of what holds then."""
    return tuple(one for part in SENTENCE_END.split(in_order(passage)) for one in _conditions(part, CONDITION))


def _conditions(part: str, condition: re.Pattern[str]) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Of one folded sentence."""
    if mark := condition.search(part):
        between = " ".join(filter(None, mark.groups()))
        before, behind = BEFORE.sub("", part[: mark.start()].rstrip(" ,")) + f" {between}", part[mark.end() :]
        end = PART_END.search(behind)
        inner = behind[: end.start()] if end else behind
        rest = terms(before) or terms(behind[len(inner) :])
        named = terms(inner) - rest
        if rest and FORMAL.isdisjoint(named):
            yield mark[0], frozenset(named), frozenset(rest)


def generalised(sentence: str, passage: str) -> str:
    """“All” of what the passage says of some alone: of those who …, or if …, which the sentence leaves out."""
    spoken, spelt = terms(sentence), words(sentence)
    of_all = next((word for word in spelt if word in ALL), "")
    languages = languages_of(sentence, passage)
    marks = restricting(languages)
    hedging = hedges(languages) - {*words(passage)} | marks
    if not of_all or not ALL.isdisjoint(words(passage)) or not hedging.isdisjoint(spelt):
        return ""
    restricted = re.compile(rf"\b(?:{'|'.join(sorted(marks))})\s")
    for part in SENTENCE_END.split(folded(passage)):
        mark = restricted.search(part)
        shared = len(terms(part) & spoken)
        if mark and shared * 2 > len(spoken) and not terms(part[mark.end() :][:60]) <= spoken:
            return of_all
    return ""
