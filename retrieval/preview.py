"""The excerpt that a result list shows: the stretch of a chunk that says most of the query. Pure."""

import re
from collections.abc import Sequence

from knowledge.analysis import words

WIDTH = 260
STEM = 4  # two words are taken for forms of one when they share this many letters, and all but three of the shorter


def query_words(query: str) -> frozenset[str]:
    """The query's words, folded, for `is_match`."""
    return frozenset(word.casefold() for word in words(query) if len(word) > 1)


def is_match(word: str, wanted: frozenset[str]) -> bool:
    """Whether a word of a text is a form of one of the query's."""
    folded = word.casefold()
    if folded in wanted:
        return True
    return any(
        len(shared) >= max(STEM, min(len(folded), len(other)) - 3)
        for other in wanted
        if (shared := _common_prefix(folded, other))
    )


def preview(text: str, query: str, width: int = WIDTH) -> str:
    """At most about `width` characters of `text`, white space folded, with “…” where it was cut."""
    folded = " ".join(text.split())
    if len(folded) <= width:
        return folded
    wanted = query_words(query)
    places = [match.start() for match in re.finditer(r"\w+", folded) if is_match(match.group(), wanted)]
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
    best = max(places, key=lambda place: (sum(place <= other < place + width - 20 for other in places), -place))
    return max(0, min(best - 40, length - width))


def _common_prefix(one: str, other: str) -> str:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return one[:length]
