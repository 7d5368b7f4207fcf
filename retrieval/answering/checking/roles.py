"""Who does what to whom: two words of a passage exchanged, or half of each of two parallel clauses. Pure."""

import re
from functools import lru_cache
from itertools import permutations
from operator import itemgetter

from retrieval.answering.checking.opposites import tokens
from retrieval.answering.words import COUNTERPART, language_of, stem, tells, words

CLAUSE = re.compile(r"[.;!?]\s|[。！？；]|\n\s*\n|\n(?=[ \t]*[-*+•|])")
PART = re.compile(r",\s|\s(?:and|but|while|whereas|und|aber|während|et|mais|y|pero|e|ma|и|но|а)\s")
_LISTED = "and or und oder et ou y o e en и или with mit avec con between zwischen entre"
LISTED = frozenset(_LISTED.split())
PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|be)\s(?:\w+ly\s)?\w+(?:[dtn]|made)\s(?:\w+ly\s)?by\s(?!\d)"
    r"|\b(?:wird|werden|wurden?)\b[^.;]{1,60}?\b(?:von|vom|durch)\b|\b(?:est|sont|ete|fue|fueron|sido)\s\w+\s(?:par|por)\b"
)
INFLECTED = ("ru", "de", "nl")  # what stands first need not be who acts: articles and forms tell
COMMA = re.compile(r",(?! чем)")
LETTERED = re.compile(r"\b([^\W\d_]{3,})\s([A-Z])\b(?!['’.])")  # “Plan A”: one word
_DEFINITE = "the this these its their der die das dieser diese le la les ce cette el los las este esta"
BY_ANOTHER_NAME = frozenset(_DEFINITE.split())
ACTS = re.compile(r"(?:[eo]r|geber|dor|dora|dores)(?:s|n|in|innen)?|nehmer(?:s|n|in|innen)?")
LEAST, SHORT = 3, 5  # content words
MOST = 12  # clauses: more are a listing

_Sides = tuple[dict[str, str], dict[str, str]]  # words with the particle before each


def exchanged(sentence: str, passage: str) -> str:
    """A word that has changed places with another, while all others stand as they stood: “B acquired A”."""
    said = _content(sentence)
    for part in CLAUSE.split(passage):
        there = _content(part)
        both = {word for word, _ in said} & {word for word, _ in there}
        ours = [one for one in said if one[0] in both]
        theirs = [one for one in there if one[0] in both]
        if not LEAST <= len(ours) == len(theirs) == len(both) or len(both) * 4 < len(said) * 3:
            continue
        moved = [at for at in range(len(ours)) if ours[at][0] != theirs[at][0]]
        turned = _is_passive(sentence) != _is_passive(part)
        whole = language_of(part) == "en" and len(there) <= SHORT and len(said) == len(both)
        if (turned and whole and not moved) or (not turned and _trade(ours, theirs, moved, f"{sentence} {part}")):
            return ours[moved[0] if moved else 0][0]
    return ""


def _trade(ours: list[tuple[str, str]], theirs: list[tuple[str, str]], moved: list[int], text: str) -> bool:
    """Whether two words stand each in the other's place, behind the particle that the other stood behind."""
    if len(moved) != 2 or not LISTED.isdisjoint(tokens(text)) or COMMA.search(text):
        return False
    low, high = moved
    particles = theirs[low][1], theirs[high][1]
    in_place = particles == (ours[low][1], ours[high][1])
    apart = high - low > 1 or (all(particles) and particles[0] != particles[1])
    by_form = language_of(text) in INFLECTED and not any(particles)
    return in_place and apart and not by_form and ours[low][0] == theirs[high][0]


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


def mixed(sentence: str, passage: str) -> str:
    """A word of one of two parallel clauses with what the other says: of “A covers x, B covers y” not “A covers y”."""
    clauses = [_content(side) for part in CLAUSE.split(passage) for side in PART.split(part)]
    if len(clauses) > MOST:
        return ""
    for part in PART.split(sentence):
        said = _content(part)
        for one, other in permutations(clauses, 2):
            if not _are_alike(one, other, said):
                continue
            for frame in sorted(
                {*map(itemgetter(0), said)} & {*map(itemgetter(0), one)} & {*map(itemgetter(0), other)}
            ):
                if word := _crossed(_sides(frame, said), _sides(frame, one), _sides(frame, other), clauses):
                    return word
    return ""


def _crossed(said: _Sides, one: _Sides, other: _Sides, clauses: list[list[tuple[str, str]]]) -> str:
    """What the other clause alone has on the right, where the sentence has on the left what the one alone has."""
    if not _are_parallel(one, other):
        return ""
    left, right = (frozenset(side) for side in said)
    (left1, right1), (left2, right2) = (tuple(map(frozenset, sides)) for sides in (one, other))
    mine, theirs = left & (left1 - left2), right & (right2 - right1)
    if not (mine and theirs) or left & (left2 - left1) or right & (right1 - right2):
        return ""
    together = any(mine & {*clause} and theirs & {*clause} for clause in (dict(one) for one in clauses))
    return "" if together else min(theirs)


def _are_alike(one: list[tuple[str, str]], other: list[tuple[str, str]], said: list[tuple[str, str]]) -> bool:
    """Whether two short clauses have half of their words in common, and those of the sentence together."""
    first, second, ours = ({word for word, _ in part} for part in (one, other, said))
    shared = len(first & second)
    return shared > 1 and shared * 2 >= max(len(first), len(second)) and len(ours - first - second) <= 1


def _are_parallel(one: _Sides, other: _Sides) -> bool:
    """Whether two clauses speak of two things of a kind, the second not of the first by another name: “the plan”."""
    (left1, right1), (left2, right2) = one, other
    own = left2.keys() - left1.keys()
    named = any(left2[word] not in BY_ANOTHER_NAME for word in own)
    return bool(own and left1.keys() - left2.keys()) and bool(
        left1.keys() & left2 or (right1.keys() & right2 and named)
    )


def _sides(frame: str, spoken: list[tuple[str, str]]) -> _Sides:
    """What stands before a word and behind it, each with its particle."""
    at = [word for word, _ in spoken].index(frame)
    return dict(spoken[:at]), dict(spoken[at + 1 :])


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
