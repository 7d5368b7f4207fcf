"""Words of a query that look like filters or operators and are none here, and what they may mean. Pure.

They are searched for like any word: code and logs are full of `name:value`, so only names that people filter by count.
"""

import re
from difflib import get_close_matches
from itertools import chain, pairwise

from retrieval.query import FIELDS, LONGEST_WRITTEN, TERM, TRAILING, Query, Role, term_of

NAMED = re.compile(r"""(?<!\S)-?(?P<name>[a-z]{3,12}):(?!//)(?P<value>"[^"]+"|[^\s:\\"=][^\s"]*)""", re.IGNORECASE)
SUFFIX = re.compile(r"[*.]*\w{1,5}")
OTHER_NAMES = {
    "file": "path filename files name folder dir directory inurl url",
    "kind": "type format filetype ext extension suffix mime media",
    "library": "lib repo repository source project collection site",
    "lang": "language langs",
    "section": "title heading chapter intitle",
    "updated": "date year month modified changed before after since",
    "": "tag tags author owner label status state",
}
MEANT = {other: name for name, others in OTHER_NAMES.items() for other in others.split()}
LIKE = 0.9  # difflib's ratio: libary, sections, update; not session
OPERATORS = {
    "AND": "The more of the words a passage says, the better; what stands in quotes has to be said.",
    "OR": "Any of the words will do; what stands in quotes has to be said.",
    "NOT": "Write -{} to leave out what says it.",
}
TRACE = "Of the stack trace its message was searched for, and the frame beside it."
STARRED = re.compile(r"\w{2,}\*")
KINDS = ("prose", "code", "table")  # of a passage


def taken_for_words(query: Query) -> tuple[str, ...]:
    """What there is to say of words that look like more than words."""
    said = unknown_filters(query), only_exclusions(query), suspended(query), operators(query), starred(query)
    return tuple(chain(*said, of_traces(query)))


def of_traces(query: Query) -> tuple[str, ...]:
    """A sentence where the frames of a stack trace were left out."""
    is_cut = any(term.role is Role.WORD and term.value != term.written for term in query.terms)
    return (TRACE,) if is_cut else ()


def unknown_filters(query: Query) -> tuple[str, ...]:
    """A sentence for each name that is none of FIELDS: what it may mean, and which there are, the nearest first."""
    return tuple(said_of(query).values())


def said_of(query: Query) -> dict[str, str]:
    """By each such name, in lower case, its sentence."""
    words = " ".join(term.written for term in query.terms if term.role in (Role.WORD, Role.EXCLUSION))
    if len(words) > LONGEST_WRITTEN:
        return {}
    found = {match["name"].lower(): match["value"].rstrip(TRAILING) for match in NAMED.finditer(words)}
    return {name: said for name, value in found.items() if (said := sentence(name, value))}


def only_exclusions(query: Query) -> tuple[str, ...]:
    """A sentence where nothing is looked for but what is not wanted, and so was made words of."""
    if not (words := undashed(query)):
        return ()
    those = "it was searched for as a word" if len(words) == 1 else "they were searched for as words"
    return (
        f"“{query.written}” says only what is not wanted, so {those}. Write beside it what the passages are to say.",
    )


def undashed(query: Query) -> tuple[str, ...]:
    """Without their dashes and quotes the words of a query in which nothing is looked for; none of another query."""
    matches = [TERM.fullmatch(term.written) for term in query.terms]
    terms = [term_of(match) for match in matches if match]
    is_lone = len(terms) == len(query.terms) and all(term.role is Role.EXCLUSION for term in terms)
    return tuple(term.value for term in terms) if is_lone else ()


def suspended(query: Query) -> tuple[str, ...]:
    """A sentence where a dash was taken for half of a word that was said before: “pump and -relay”."""
    terms = {term.written: TERM.fullmatch(term.written) for term in query.terms if term.role is Role.WORD}
    halves = [written for written, match in terms.items() if match and term_of(match).role is Role.EXCLUSION]
    if not halves or only_exclusions(query):
        return ()
    return tuple(for_a_word(half, "of what stands before it") for half in halves)


def for_a_word(dashed: str, reason: str) -> str:
    return (
        f"“{dashed}” was searched for as a word, because {reason}. "
        f'Write -"{dashed.removeprefix("-")}" to leave out what says it.'
    )


def operators(query: Query) -> tuple[str, ...]:
    """A sentence for each of AND and OR between terms, and NOT before one."""
    used = {
        term.value: after.written
        for place, (term, after) in enumerate(pairwise(query.terms))
        if term.role is Role.WORD and term.value in OPERATORS and (place or term.value == "NOT")
    }
    return tuple(
        f"“{name}” was searched for as a word. {OPERATORS[name].format(after)}" for name, after in used.items()
    )


def starred(query: Query) -> tuple[str, ...]:
    """A sentence for each word with a star at its end, which stands for any ending elsewhere."""
    words = [term.value for term in query.terms if term.role is Role.WORD and STARRED.fullmatch(term.value)]
    return tuple(
        f"“{word}” was searched for as “{word[:-1]}”: a word is found in all of its forms, and the beginning of one is "
        "not. Only in file: a star stands for anything."
        for word in words
    )


def sentence(name: str, value: str) -> str:
    like = get_close_matches(name, FIELDS, 1, LIKE)
    if name in FIELDS or not (name in MEANT or like):
        return ""
    nearest = MEANT.get(name) or "".join(like)
    if nearest == "kind" and value.lower() not in KINDS and "/" not in value:
        if not SUFFIX.fullmatch(value):
            return ""  # “type:string”
        nearest, value = "file", f"*.{value.lstrip('*.')}"
    asked = f" Did you mean “{nearest}:{value}”?" if nearest else ""
    there = [f"{field}:" for field in sorted(FIELDS, key=lambda field: field != nearest)]
    listed = f"{', '.join(there[:-1])} and {there[-1]}"
    return f"No filter is called “{name}:”, so it was searched for as a word.{asked} There are {listed}."
