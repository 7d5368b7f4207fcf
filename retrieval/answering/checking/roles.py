"""Who does what to whom: two words of a passage exchanged, or half of each of two parallel clauses. Pure."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import product

from knowledge.texts.languages.determiners import AN, EVERY, MINE, THE, THEIRS, THIS
from knowledge.texts.languages.little_words import AND, AUXILIARIES, OR, of_every, of_these
from knowledge.texts.languages.questions import language_of, languages_of
from knowledge.texts.words import COUNTERPART, stem, tells, words
from retrieval.answering.checking.clauses import ITEM_END, PARTING
from retrieval.answering.checking.negations import FORMS_OF_BE, is_denial
from retrieval.answering.checking.opposites import tokens

PART = re.compile(rf",\s|\s(?:{PARTING})\s")
ENGLISH = frozenset(("en",))
BETWEEN = frozenset(("with", "mit", "avec", "con", "between", "zwischen", "entre"))
PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|be)\s(?:\w+ly\s)?\w+(?:[dtn]|made)\s(?:\w+ly\s)?by\s(?!\d)"
    r"|\b(?:wird|werden|wurden?)\b[^.;]{1,60}?\b(?:von|vom|durch)\b|\b(?:est|sont|ete|fue|fueron|sido)\s\w+\s(?:par|por)\b"
)
INFLECTED = ("ru", "pl", "de", "nl")  # what stands first need not be who acts: articles and forms tell
COMMA = re.compile(r",(?! чем)")
LETTERED = re.compile(r"\b([^\W\d_]{3,})\s([A-Z])\b(?!['’.])")  # “Plan A”: one word
BY_ANOTHER_NAME = of_every(THE, THIS, THEIRS, but="a as i l o os that")
ACTS = re.compile(r"(?:[eo]r|geber|dor|dora|dores)(?:s|n|in|innen)?|nehmer(?:s|n|in|innen)?")
LEAST, SHORT = 3, 5  # content words
MOST = 12  # clauses: more are a listing
LONGEST_BLOCK = 3  # words
ARTICLES = of_these(ENGLISH, THE, AN, EVERY) - {"both"}
FRONT = 3  # content words: more before a predicate are hardly its subject
NAMING = ARTICLES | BY_ANOTHER_NAME | of_every(AN, MINE)
LIKEWISE = re.compile(r"\b(?:as do|as does|as well|both|likewise|too|also|auch|ebenso|aussi|también)\b", re.IGNORECASE)


_Spoken = list[tuple[str, str]]  # words, each with the particles before it


@cache
def auxiliaries(languages: frozenset[str]) -> frozenset[str]:
    """Of these languages: “a” is one in French, and an article in English."""
    return of_these(languages, AUXILIARIES) | {"not"}


@cache
def listing(languages: frozenset[str]) -> frozenset[str]:
    """What stands between two that do the same: “o” does in Spanish, and is an article in Portuguese."""
    return of_these(languages, AND, OR) | BETWEEN


def exchanged(sentence: str, passage: str) -> str:
    """A word that has changed places with another, while all others stand as they stood: “B acquired A”."""
    said = _content(sentence)
    for part in ITEM_END.split(passage):
        there = _content(part)
        ours, theirs = _shared(said, there)
        if not ours:
            continue
        moved = [at for at in range(len(ours)) if ours[at][0] != theirs[at][0]]
        turned = _is_passive(sentence) != _is_passive(part)
        whole = language_of(part) == "en" and len(there) <= SHORT and len(said) == len(ours)
        if (turned and whole and not moved) or (not turned and _trade(ours, theirs, moved, sentence, part)):
            return ours[moved[0] if moved else 0][0]
    return ""


def _trade(ours: _Spoken, theirs: _Spoken, moved: list[int], sentence: str, part: str) -> bool:
    """Whether two words stand each in the other's place, behind the particle that the other stood behind."""
    text = f"{sentence} {part}"
    if len(moved) != 2 or not listing(languages_of(text)).isdisjoint(tokens(text)) or COMMA.search(text):
        return False
    low, high = moved
    particles = theirs[low][1], theirs[high][1]
    in_place = particles == (ours[low][1], ours[high][1])
    apart = high - low > 1 or (all(particles) and particles[0] != particles[1])
    by_form = language_of(text) in INFLECTED and not any(particles) and {*tokens(sentence)} <= {*tokens(part)}
    return in_place and apart and not by_form and ours[low][0] == theirs[high][0]


def _shared(said: _Spoken, there: _Spoken) -> tuple[_Spoken, _Spoken]:
    """The words of each that both have, once: most of what is said; else none."""
    both = {word for word, _ in said} & {word for word, _ in there}
    ours, theirs = ([one for one in each if one[0] in both] for each in (said, there))
    enough = LEAST <= len(ours) == len(theirs) == len(both) and len(both) * 4 >= len(said) * 3
    return (ours, theirs) if enough else ([], [])


def traded(sentence: str, passage: str) -> str:
    """A word of some that have changed places with others, in English: “the data steward tells the chair”."""
    if language_of(sentence) != "en" or COMMA.search(sentence):
        return ""
    for part in ITEM_END.split(passage):
        clause = COMMA.split(part)[0]
        ours, theirs = _shared(_content(sentence), _content(clause))
        moved = [at for at in range(len(ours)) if ours[at][0] != theirs[at][0]]
        stretch = slice(moved[0], moved[-1] + 1) if moved else slice(0)
        if _is_passive(sentence) == _is_passive(clause) and _blocks_trade(ours[stretch], theirs[stretch]):
            return ours[stretch][0][0]
    return ""


def _blocks_trade(ours: _Spoken, theirs: _Spoken) -> bool:
    """Whether words at both ends of a stretch stand in each other's places, behind the same particles."""
    for first, last in product(range(1, LONGEST_BLOCK + 1), repeat=2):
        turned = ours[-last:] + ours[first:-last] + ours[:first]
        if first + last < len(ours) and [word for word, _ in turned] == [word for word, _ in theirs]:
            places = ((ours[0], theirs[0]), (ours[-last], theirs[-first]))
            alike = all(
                mine[1] and _particles(mine) - ARTICLES == _particles(other) - ARTICLES for mine, other in places
            )
            return alike and listing(ENGLISH).isdisjoint(_particles(ours[-last]))
    return False


def counterpart(sentence: str, passage: str) -> str:
    """A person of whom the passage does not speak, where it speaks of the other of the two: employer and employee."""
    said, there = ({stem(word): word for word in words(text)} for text in (sentence, passage))
    ours, theirs = ([known[one] for one in known.keys() - other] for known, other in ((said, there), (there, said)))
    pairs = [(one, one, other) for one in ours if COUNTERPART.fullmatch(one) for other in theirs]
    pairs += [(one, other, one) for other in theirs if COUNTERPART.fullmatch(other) for one in ours]
    return next((one for one, person, other in pairs if _is_counterpart(person, other)), "")


def _is_counterpart(person: str, other: str) -> bool:
    root = COUNTERPART.sub(r"\g<root>", person)
    return other.startswith(root) and bool(ACTS.fullmatch(other[len(root) :]))


def _is_passive(text: str) -> bool:
    return bool(PASSIVE.search(" ".join(tokens(text))))


def misattributed(sentence: str, passage: str) -> str:
    """What the passage says of another, said of one of whom it says something else: “A leads. B writes the report.”"""
    clauses, auxiliary = _clauses(passage), auxiliaries(languages_of(sentence, passage))
    whole = {word for word, _ in _content(sentence)}
    for said in map(_content, PART.split(sentence)):
        for there in clauses:
            mine, other = _leading(said, there), _leading(there, said)
            if not (mine and other) or said[len(mine)][0] != there[len(other)][0]:
                continue
            rest = {word for word, _ in said[len(mine) :]}
            shared = len(rest & {word for word, _ in there})
            if shared < 2 or shared * 2 < len(rest) or _is_definite(mine) != _is_definite(other):
                continue  # “the company” may be Contoso, which is named before
            own = [one for one in clauses if one is not there and _acts(mine, one, auxiliary)]
            nearest = max((len(rest & {word for word, _ in one}) for one in own), default=shared)
            if nearest >= shared or not whole.isdisjoint(word for word, _ in other):
                continue
            is_verb = _is_verb(there, len(other), auxiliary) and _is_verb(said, len(mine), auxiliary)
            if is_verb or said[len(mine)][0] in {_behind(mine, one, auxiliary) for one in own}:
                return mine[-1][0]
    return ""


def of_another(sentence: str, passage: str) -> str:
    """What the passage says of another that its sentence begins with: “tenants clean the stairs” where the caretaker
    does, and the tenants the cellar.
    """
    said = _content(sentence)
    parts = {part: _content(part) for part in ITEM_END.split(passage)}
    spoken = frozenset(word for there in parts.values() for word, _ in there)
    languages = languages_of(sentence, passage)
    for part, there in parts.items():
        is_denied = is_denial(f"{sentence} {part}", languages)
        if LIKEWISE.search(part) or is_denied or _is_passive(sentence) != _is_passive(part):
            continue
        units = [*(other for other in parts.values() if other is not there), *_clauses(passage)]
        for mine, other in _subjects(said, there, auxiliaries(languages)):
            if mine <= spoken and mine.isdisjoint(other) and not _says_as_much(mine, said, there, units):
                return min(mine)
    return ""


def _subjects(
    said: _Spoken, there: _Spoken, auxiliary: frozenset[str]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """What both begin with, where at least two words follow that both go on with in one order."""
    ours, theirs = ([word for word, _ in one] for one in (said, there))
    for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        at, place = block.a, block.b
        if block.size < 2 or not (0 < at <= FRONT and 0 < place <= FRONT):
            continue
        by_another_name = _is_definite(there) and not _is_definite(said)  # “the company” may be Contoso
        named = _particles(said[0]) | _particles(there[0]) <= NAMING
        mine, other = _particles(said[at]), _particles(there[place])
        predicates = all(not one or auxiliary & one for one in (mine, other))
        if named and not by_another_name and predicates and bool(FORMS_OF_BE & mine) == bool(FORMS_OF_BE & other):
            yield frozenset(ours[:at]), frozenset(theirs[:place])


def _particles(one: tuple[str, str]) -> set[str]:
    return {*one[1].split()}


def _says_as_much(mine: frozenset[str], said: _Spoken, there: _Spoken, units: list[_Spoken]) -> bool:
    """Whether one of the units says as much of the same, or too little is shared for it to be of another."""
    rest = {word for word, _ in said} - mine
    shared = len(rest.intersection(word for word, _ in there))
    words_of = [{word for word, _ in unit} for unit in units]
    return shared * 2 < len(rest) or any(mine <= one and len(rest & one) >= shared for one in words_of)


def _leading(one: _Spoken, other: _Spoken) -> _Spoken:
    """The words before the first that both have."""
    both = {word for word, _ in other}
    return one[: next((at for at, (word, _) in enumerate(one) if word in both), 0)]


def _acts(mine: _Spoken, clause: _Spoken, auxiliary: frozenset[str]) -> bool:
    """Whether a clause is about the same, and says something of it."""
    return {word for word, _ in mine} <= {word for word, _ in clause} and bool(_behind(mine, clause, auxiliary))


def _behind(mine: _Spoken, clause: _Spoken, auxiliary: frozenset[str]) -> str:
    """The word behind what a clause speaks of; empty where that is no predicate: “employees of the bank”."""
    at = next((at for at, (word, _) in enumerate(clause) if word == mine[-1][0]), len(clause)) + 1
    if at >= len(clause):
        return ""
    word, particle = clause[at]
    return word if not particle or auxiliary & {*particle.split()} else ""


def _is_verb(clause: _Spoken, at: int, auxiliary: frozenset[str]) -> bool:
    """Whether a word is a verb by what stands beside it: “can write”, “writes the report”, but not “fees are due”."""
    if particle := clause[at][1]:
        return bool(auxiliary & {*particle.split()})
    behind, before = clause[at + 1] if at + 1 < len(clause) else ("", "")
    return behind[:1].isdigit() or bool(before and not auxiliary & {*before.split()})


def _is_definite(spoken: _Spoken) -> bool:
    return bool(BY_ANOTHER_NAME & {*spoken[0][1].split()})


def _clauses(text: str) -> list[_Spoken]:
    return [_content(side) for part in ITEM_END.split(text) for side in PART.split(part)]


@lru_cache(maxsize=2048)
def _content(text: str) -> list[tuple[str, str]]:
    """Stems of the words that carry meaning, each with the particles before it; “Plan A” is one."""
    found, particle = [], ""
    for word in tokens(LETTERED.sub(r"\1-\2", text)):
        if tells(word):
            found.append((word if "-" in word else stem(word), particle))
            particle = ""
        else:
            particle = f"{particle} {word}".strip()
    return found
