"""The excerpt that a result list shows: the stretch of a chunk that says most of the query. Pure."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from knowledge.analysis import words

from .query import in_usual_width

WORD = re.compile(r"\w+")
WIDTH = 260
STEM = 4  # two words are taken for forms of one when they share this many letters, and all but three of the shorter


def query_words(query: str) -> frozenset[str]:
    """The query's words, folded."""
    return frozenset(word.casefold() for word in words(in_usual_width(query)) if len(word) > 1)


def matcher(wanted: Iterable[str]) -> Callable[[str], bool]:
    """Tells whether a word of a text is a form of one of these folded words. It remembers what it was asked."""
    by_beginning: dict[str, list[str]] = {}
    for word in wanted:
        by_beginning.setdefault(word[:STEM], []).append(word)

    @lru_cache(maxsize=4096)
    def is_match(word: str) -> bool:
        folded = word.casefold()
        return any(akin(folded, other) for other in by_beginning.get(folded[:STEM], ()))

    return is_match


@lru_cache(maxsize=16)
def asking(query: str) -> tuple[re.Pattern[str], Callable[[str], bool]]:
    """What may be a form of a query's words, and whether it is; made once for all the hits of a page."""
    wanted = query_words(query)
    if not wanted or not "".join(wanted).isascii():  # letters fold in ways that no pattern knows
        return WORD, matcher(wanted)
    beginnings = sorted({re.escape(word[:STEM]) for word in wanted})
    return re.compile(rf"\b(?:{'|'.join(beginnings)})\w*", re.IGNORECASE), matcher(wanted)


def akin(one: str, other: str) -> bool:
    """Whether two words, alike in their first letters, share enough of them to be forms of one."""
    shared = max(STEM, min(len(one), len(other)) - 3)
    return one == other or (one[:shared] == other[:shared] and min(len(one), len(other)) >= shared)


def preview(text: str, query: str, width: int = WIDTH) -> str:
    """At most about `width` characters of `text`, white space folded, with “…” where it was cut."""
    folded = " ".join(text.split())
    if len(folded) <= width:
        return folded
    candidate, is_match = asking(query)
    places = [match.start() for match in candidate.finditer(folded) if is_match(match.group())]
    start = _best_start(places, width, len(folded))
    start = folded.rfind(" ", 0, start) + 1 if start else 0
    end = (
        len(folded)
        if start + width >= len(folded)
        else max(folded.rfind(" ", start, start + width), start + width // 2)
    )
    return f"{'…' if start else ''}{folded[start:end]}{'…' if end < len(folded) else ''}"


def _best_start(places: Sequence[int], width: int, length: int) -> int:
    """Where a window holds most matches; the earliest of equals, with a little before the first match."""
    if not places:
        return 0
    best = max(places, key=lambda place: (bisect_left(places, place + width - 20) - bisect_left(places, place), -place))
    return max(0, min(best - 40, length - width))
