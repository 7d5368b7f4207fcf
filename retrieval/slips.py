"""What tells a slip from another word: letters swapped, doubled, wrong, missing or too many. Pure."""

import re
from itertools import takewhile

from knowledge.texts.analysis import without_accents
from knowledge.texts.words import ENDINGS

from .word_forms import end_alike, irregular

INFINITIVES = ("re", "ir", "er", "ar", "ire", "ere", "are")
DOUBLED = re.compile(r"(.)\1")
SHORTEST = 4  # letters of a word that may be misspelt
SHORT = 6  # letters: in a word of fewer, another letter makes another word
SURE_OF_FIRST = 7  # letters: of a shorter word the first one is seldom the wrong one
SHORTEST_PART, REST = 5, 4  # letters of a part of a compound, and of what stands before or behind it


def is_slip(word: str, meant: str) -> bool:
    """Whether it is likely enough to be searched for unasked: a slip, but for the ending.

    `refund` is no slip for `refuse`; and another letter, or one more or less, in a short word makes another word:
    `cold`, `coli`; `bread`, `read`. A space that was left out is one, and a part of a compound stands for it.
    """
    typed, form = without_accents(word), without_accents(meant)
    if form.replace(" ", "") == typed or is_another_form(word, meant):
        return True
    return is_small_slip(typed, form) if is_short(typed) else is_near_but_for_ending(typed, form)


def is_short(typed: str) -> bool:
    """But for a plural: `chairs` is as far from `chars` as `chair` is from `char`."""
    return len(typed.removesuffix("s")) < SHORT


def is_misspelt(word: str, meant: str) -> bool:
    """Whether one may be read for the other: a letter doubled, swapped or, within a longer word, left out. Much that is
    near enough to be searched for, too, is another word: `married`, `carried`; `failure`, `fail`."""
    typed, form = without_accents(word), without_accents(meant)
    has_ends_of = (typed[:1], typed[-2:]) == (form[:1], form[-2:])
    is_left_out = len(typed) >= SURE_OF_FIRST and len(form) > len(typed) and has_ends_of and distance(typed, form) == 1
    return is_left_out or is_small_slip(typed, form)


def is_small_slip(typed: str, form: str) -> bool:
    """Whether nothing is wrong, but for the ending, but two letters swapped, or one doubled or not."""
    forms = with_and_without_ending(form)
    return any(sorted(typed) == sorted(one) and distance(typed, one) <= 1 for one in forms) or any(
        DOUBLED.sub(r"\1", typed) == DOUBLED.sub(r"\1", one) for one in forms
    )


def is_near_but_for_ending(typed: str, form: str) -> bool:
    """Whether it is one letter, and an ending that one of them has: no `pickle` for `picked`."""
    return any(distance(typed, one) <= 1 for one in with_and_without_ending(form)) or any(
        distance(one, form) <= 1 for one in with_and_without_ending(typed)
    )


def with_and_without_ending(form: str) -> set[str]:
    return {form} | {form.removesuffix(ending) for ending in ENDINGS}


def is_another_form(word: str, meant: str) -> bool:
    """Whether they differ by their endings alone, so that nobody meant the other one: `perdue`, `perdus`. Or by the
    `ge` of a participle: `zurückgeben`, `zurückgegeben`. Or as verbs do: `rendre`, `rendu`; `devolver`, `devuelve`. Or
    one is a part of the other.

    A word that lacks its last letters, or whose letters differ by accents, may still be a slip; so may one letter of an
    ending: `grammer`.
    """
    typed, form = without_accents(word), without_accents(meant)
    if form in participles(typed) or typed in participles(form) or form in irregular(typed) or is_part(word, meant):
        return True
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(typed, form, strict=False)))
    more, instead = typed[shared:], form[shared:]
    if shared < SHORTEST:
        return False
    if not more:
        return instead in ENDINGS and not instead.isascii()  # телефон, телефону
    if more in ENDINGS and instead in ("", *ENDINGS):
        return True
    is_verb = more in INFINITIVES and distance(typed, form) > 1
    return (len(more) > 1 and not instead) or (is_verb and end_alike(typed, form, shared))


def is_part(word: str, meant: str) -> bool:
    """Whether it is a word of this compound, and so no slip: `Kosten`, `Reisekostenabrechnung`."""
    typed, form = without_accents(word), without_accents(meant)
    at = form.find(typed)
    return len(typed) >= SHORTEST_PART and len(form) - len(typed) >= REST and (at == 0 or at >= REST)


def participles(infinitive: str) -> set[str]:
    """As German makes them of what begins with a particle."""
    return {f"{infinitive[:at]}ge{infinitive[at:]}" for at in range(2, len(infinitive) - 2)}


def other_beginning(typed: str, form: str, edits: int) -> bool:
    """Whether the first letter would have to be a wrong one, which few slips are.

    Swapped with the next it may be, in a longer word doubled or left out; and wrong in a long word that is right
    otherwise.
    """
    if is_short(typed):
        return form[0] != typed[0] and form[:2] != typed[1::-1]
    swapped_or_moved = form[0] in typed[:2] or typed[0] in form[:2]
    return not swapped_or_moved and (edits > 1 or len(typed) < SURE_OF_FIRST)


def slips(word: str) -> list[str]:
    """The word with two neighbours swapped, or a letter too few: `tdie` shares one trigram of nine with `tide`."""
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    return sorted(swapped | {word[:at] + word[at + 1 :] for at in range(len(word))} - {word, ""})


def like(word: str, found: str) -> str:
    """`found` with the capitals of `word`."""
    if word.islower():
        return found.lower()
    return found.upper() if word.isupper() else found[:1].upper() + found[1:]


def distance(one: str, other: str) -> int:
    """Letters inserted, left out, changed, or swapped with the next: optimal string alignment."""
    return edits_to_beginnings(one, other)[-1]


def beginning(one: str, other: str) -> int:
    """The distance to the beginning of `other` that is nearest."""
    return min(edits_to_beginnings(one, other))


def edits_to_beginnings(one: str, other: str) -> list[int]:
    """The distance between `one` and each of `other[:0]`, `other[:1]` … `other`."""
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        line = [row]
        for column, against in enumerate(other, start=1):
            cost = min(last[column] + 1, line[column - 1] + 1, last[column - 1] + (letter != against))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last
