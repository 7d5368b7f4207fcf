"""What a passage excepts, said as if it were not: “except contractors”, “unless the seal is broken”. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from knowledge.texts.languages.little_words import AND, OR, alternation
from knowledge.texts.languages.questions import languages_of
from knowledge.texts.words import folded, terms, words
from retrieval.answering.checking.clauses import CONTRASTING, JOINING, SENTENCE_END
from retrieval.answering.checking.negations import is_denial

UNLESS = (
    r"unless|es sei denn,?(?: dass)?|sauf s(?:i|(?=[’']))|a moins (?:que|d[e’'])|a menos que|salvo (?:si|que)"
    r"|a meno che|tenzij|a nao ser que|chyba ze|если только не|الا اذا"
)
_OF_ALL = "all everyone everybody everything anyone anybody anything"
_ALL_BUT = "|".join(  # elsewhere “but” joins two clauses
    rf"(?<=\b{word} ){but}"
    for words, but in ((_OF_ALL, "but"), ("alle alles", "bis auf"), ("todo todos todas", "menos"))
    for word in words.split()
)
_MARKS = (
    rf"{UNLESS}|{_ALL_BUT}|(?<=every day )but|(?<=all days )but"
    r"|except(?:ing|ed)?(?: for| on| that| if| when)?|apart from|other than|with the exception of|excluding"
    r"|ausser|ausgenommen|mit ausnahme (?:von|der|des)|abgesehen von"
    r"|sauf|excepte|hormis|hors(?![ -]d[’']oeuvre)|a l[’']exception d(?:es?|u)"
    r"|excepto|salvo|a excepcion de|con excepcion de"
    r"|eccetto|tranne|ad eccezione d\w+|behalve|met uitzondering van|exceto"
    r"|oprocz|poza|z wyjatkiem|кроме|за исключением|ما عدا|باستثناء"
)
MARK = re.compile(rf"\b(?:{_MARKS})(?!\w)|除非|(?<![\u4e00-\u9fff])除了?(?=\w)")
# Japanese says it behind what is excepted or required; read as if it said so before that, as Chinese does.
_JAPANESE = (
    (re.compile(r"([^はが、。\s]{1,60}?)(?:を除(?:いて|き|く)|以外)[はのに、]*"), r"除\1外，"),
    (re.compile(r"([^、。\s]{1,60}?)ない限り[は、]*"), r"除非\1，"),
    (re.compile(r"([^、。\s]{1,60}?)場合(?:に限り|に限って|のみ|だけ)[に、]*"), r"只有\1才，"),
)
HIRAGANA = re.compile(r"[\u3040-\u309f]")
PART_END = re.compile(rf"[,،，:(]|\s(?:{JOINING}|{CONTRASTING})\s|之?外")
_ALL = (
    "all every everyone everything each always any alle alles jeder jede jedes immer tous toutes tout chaque toujours"
    " todos todas cada siempre tutti tutte ogni sempre iedereen elke altijd wszyscy wszystkie każdy każda każde zawsze"
    " все каждый ежедневно всегда جميع كل"
)
ALL = frozenset(folded(word) for word in _ALL.split())
EVERY = ALL | {*_OF_ALL.split()}
LISTED = re.compile(rf"\s?(?:{alternation(AND, OR)})\s(?P<also>[^,;:.]+)\.?")  # the last that is excepted
CONDITION = re.compile(r"unless|if|si\b|que|denn|tenzij|chyba|если|除非")
MOST = 0.75  # of the terms of what is said of the rest
FEW = 2  # content words that are excepted where a clause goes on behind them


def in_order(text: str) -> str:
    """As `folded` does, and what excepts or is a condition before that of which it does so."""
    said = folded(text)
    for behind, before in _JAPANESE if HIRAGANA.search(said) else ():
        said = behind.sub(before, said)
    return said


class Excepted(StrEnum):
    LOST = "lost"  # said of what is excepted there, or of all where something is
    DENIED = "denied"  # the exception in other words: “contractors receive none”, “assistance dogs are admitted”
    UNTOUCHED = ""


@lru_cache(maxsize=2048)
def exception_in(sentence: str, passage: str) -> Excepted:
    """What a sentence that excepts nothing makes of a passage's exceptions."""
    languages = languages_of(sentence, passage)
    there, said = exceptions(passage, languages), in_order(sentence)
    if not there or MARK.search(said):
        return Excepted.UNTOUCHED
    spoken, spelt = terms(said), {*words(said)}
    denied = is_denial(said, languages)
    for one in there:
        if one.named <= spoken:
            if denied == one.is_denied:  # said as of the rest
                return Excepted.LOST
            return Excepted.DENIED if one.others & spoken else Excepted.UNTOUCHED
        of_all = not one.is_condition and EVERY & spelt & {*words(passage)}
        if of_all and not denied and len(one.others & spoken) >= len(one.others) * MOST:
            return Excepted.LOST
    return Excepted.UNTOUCHED


@dataclass(frozen=True, slots=True)
class Exempt:
    """The terms of what is excepted, and of what is said of the rest."""

    named: frozenset[str]
    others: frozenset[str]
    is_condition: bool  # “unless it rains”
    is_denied: bool  # what is said of the rest


@lru_cache(maxsize=2048)
def exceptions(passage: str, languages: frozenset[str]) -> tuple[Exempt, ...]:
    return tuple(found for part in SENTENCE_END.split(in_order(passage)) for found in _exceptions(part, languages))


def _exceptions(part: str, languages: frozenset[str]) -> Iterator[Exempt]:
    """Of one folded sentence. Where no comma ends it, and words go on behind it, its first content word is excepted.

    What stands at its end is a list: of “except the office and the hall” either is excepted.
    """
    mark = MARK.search(part)
    if not mark:
        return
    before, behind = part[: mark.start()].strip(), part[mark.end() :].strip()
    end = PART_END.search(behind)
    inner = behind[: end.start()] if end else behind
    rest = terms(f"{before} {behind[len(inner) :]}")
    named = [term for word in words(inner) for term in terms(word) if term not in rest]
    is_condition = bool(CONDITION.search(mark[0]))
    is_denied = is_denial(f"{before} {behind[len(inner) :]}", languages)
    whole = is_condition or end or len(named) <= FEW or not before
    kept = named if whole else named[:1]
    others = rest | {*named[len(kept) :]}
    if kept and others:
        yield Exempt(frozenset(kept), frozenset(others), is_condition, is_denied)
    listed = LISTED.fullmatch(behind[len(inner) :]) if before and not is_condition else None
    if listed and kept and (also := terms(listed["also"])) and len(also) <= FEW:
        yield Exempt(frozenset(also), frozenset(terms(before)), is_condition, is_denied)
