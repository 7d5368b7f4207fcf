"""What only some may do, said of others: “only managers can approve” does not say that employees can. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from knowledge.texts.languages.little_words import ONLY, Said, of_every, of_these
from knowledge.texts.languages.questions import language_of, languages_of
from knowledge.texts.words import content, folded, tells, terms, words
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.excepted import PART_END
from retrieval.answering.checking.negations import denials, is_denial, without_modals
from retrieval.answering.checking.roles import auxiliaries

_RECEIVING: Said = {  # and what else stands before what is reserved
    "en": "get gets receive receives", "de": "erhält erhalten bekommt bekommen", "fr": "reçoit reçoivent",
    "es": "tiene tienen recibe reciben", "it": "riceve ricevono", "nl": "krijgt krijgen ontvangt ontvangen",
    "pt": "recebe recebem", "pl": "otrzymuje otrzymują", "ru": "получает получают",
    "ar": "",
}  # fmt: skip
_RELATIVE = "who that which die der qui que che którzy które которые"
# Behind “only” they make a condition; before it, “not only” and “the only one” reserve nothing.
_CONDITIONAL: Said = {
    "en": "if when where while with without after before until once as in on at for from by to then during between",
    "de": "wenn falls mit ohne nach vor bis in im am an auf bei für von zu dann",
    "fr": "si avec sans quand après avant en dans sur pour par à",
    "es": "si con sin cuando después antes para por de a en",
    "it": "se quando con senza dopo prima in a",
    "nl": "als wanneer met zonder na voor op in",
    "pt": "se quando sem com depois antes em para por de a",
    "pl": "jeśli gdy z bez po przed w",
    "ru": "если когда при с без после до в",
    "ar": "",
}
_UNRESERVED = "not the an nicht non pas le la les el los no il de het niet não nie не"
_TOWARDS: Said = {
    "en": "to for by", "de": "von vom für durch", "fr": "par pour à au aux", "es": "por para a",
    "it": "da dai dagli a ai agli per", "nl": "door van voor aan", "pt": "por para a aos pelos pelas",
    "pl": "dla przez", "ru": "для", "ar": "",
}  # fmt: skip
_ANYONE = (
    "anyone anybody everyone everybody all you jeder alle tous chacun vous todos cualquiera usted tutti chiunque"
    " iedereen qualquer wszyscy każdy все каждый"
)
RELATIVE, UNRESERVED, ANYONE = (frozenset(folded(text).split()) for text in (_RELATIVE, _UNRESERVED, _ANYONE))
ITSELF = terms(" ".join(of_every(ONLY)))
FARTHEST = 8  # words that name those who may
REACH = 4  # words between “only” and “by”
LONGEST = 300  # characters that a clause goes on with
ENOUGH = 2  # terms of what is reserved, its verb among them
SHORTEST = 4  # letters by which a short form is known: “admins”


@dataclass(frozen=True, slots=True)
class Grammar:
    """Words of the languages that a passage may be in: “a” is a verb in French, but not in English."""

    only: frozenset[str]
    verbs: frozenset[str]
    conditional: frozenset[str]
    towards: frozenset[str]


@cache
def grammar(languages: frozenset[str]) -> Grammar:
    only, receiving, *others = (of_these(languages, said) for said in (ONLY, _RECEIVING, _CONDITIONAL, _TOWARDS))
    return Grammar(only, auxiliaries(languages) | receiving, *others)


@dataclass(frozen=True, slots=True)
class Reservation:
    """The terms of those who may, of what they may do, of its verb, and of all that is said there."""

    who: frozenset[str]
    rest: frozenset[str]
    verb: str
    whole: frozenset[str]


def reserved(sentence: str, passage: str) -> str:
    """A word for those of whom a sentence says what the passage reserves for others."""
    said = folded(sentence)
    spoken, spelt = without_modals(said), {*words(said)}
    if is_denial(said, languages_of(sentence, passage)):
        return ""
    for one in reservations(passage):
        others = spoken - one.whole - ITSELF
        told = one.verb in spoken and len(one.rest & spoken) >= min(ENOUGH, len(one.rest))
        named = any(_is_akin(who, term) for who in one.who for term in spoken)
        if told and not named and (others or ANYONE & spelt) and not _allowed(one, others, passage):
            return min(others or ANYONE & spelt)
    return ""


def _is_akin(who: str, term: str) -> bool:
    return who == term or (len(term) >= SHORTEST and who.startswith(term))


def _allowed(one: Reservation, others: frozenset[str], passage: str) -> bool:
    """Whether another sentence of the passage says it, too, and of those of whom it is said."""
    parts = map(terms, SENTENCE_END.split(folded(passage)))
    return any(one.verb in part and bool(others & part) for part in parts if not one.whole <= part)


@lru_cache(maxsize=2048)
def reservations(passage: str) -> tuple[Reservation, ...]:
    languages = languages_of(passage)
    return tuple(found for part in SENTENCE_END.split(folded(passage)) for found in _reservations(part, languages))


def _reservations(part: str, languages: frozenset[str]) -> Iterator[Reservation]:
    """Of one folded sentence."""
    of = grammar(languages)
    if of.only.isdisjoint(words(part)):
        return
    starts = [0, *(end.end() for end in PART_END.finditer(part))]
    ends = [*(end.start() for end in PART_END.finditer(part)), len(part)]
    is_verb_last = language_of(part) == "de"
    for start, end in zip(starts, ends, strict=True):
        spoken, behind = words(part[start:end]), content(part[end : end + LONGEST])
        for at in (at for at, word in enumerate(spoken) if word in of.only):
            who, done = _subject(spoken, at, of, is_verb_last) or _object(spoken, at, of, is_verb_last) or ([], [])
            if who and done and denials(languages).all.isdisjoint(spoken):
                whole = frozenset((*content(" ".join(spoken)), *behind))
                yield Reservation(frozenset(who), frozenset((*done, *behind)) - {*who}, done[0], whole)


def _subject(spoken: Sequence[str], at: int, of: Grammar, is_verb_last: bool) -> tuple[list[str], list[str]] | None:
    """“Only managers can approve”, “managers only can approve”: who may, and what, its verb first."""
    if not of.verbs.isdisjoint(spoken[:at]) or (at and spoken[at - 1] in UNRESERVED):
        return None
    ahead = range(at + 1, min(at + 2 + FARTHEST, len(spoken)))
    verb = next((to for to in ahead if spoken[to] in of.verbs and spoken[to - 1] not in RELATIVE), 0)
    if not verb or spoken[at + 1] in of.conditional:
        return None
    who = spoken[at + 1 : verb] or spoken[:at]
    return content(" ".join(who)), _verb_first(spoken[verb + 1 :], is_verb_last)


def _object(spoken: Sequence[str], at: int, of: Grammar, is_verb_last: bool) -> tuple[list[str], list[str]] | None:
    """“Are only available to members”, “can be deleted only by administrators”."""
    ahead = range(at + 1, min(at + 2 + REACH, len(spoken)))
    towards = next((to for to in ahead if spoken[to] in of.towards), 0)
    if not towards or of.verbs.isdisjoint(spoken[:at]):
        return None
    behind, between = content(" ".join(spoken[towards + 1 :])), content(" ".join(spoken[at + 1 : towards]))
    before = content(" ".join(spoken[:at]))
    if between or not is_verb_last:
        return behind, [*between, *reversed(before)]
    return behind[:-1], [*behind[-1:], *before]


def _verb_first(spoken: Sequence[str], is_verb_last: bool) -> list[str]:
    done = [word for word in spoken if tells(word)]
    return content(" ".join([*done[-1:], *done[:-1]] if is_verb_last else done))
