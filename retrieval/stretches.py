"""Hits as a person reads them: neighbouring chunks of one section as one stretch of text. Pure.

The ranked list stays as it is: measures, citations and the API count chunks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .results import Hit, reading_url


@dataclass(frozen=True, slots=True)
class Stretch:
    """Chunks that follow each other in one section: `hit` is the best of them with the text and lines of all."""

    hit: Hit
    parts: tuple[Hit, ...]  # by rank


def joined(hits: Sequence[Hit]) -> tuple[Stretch, ...]:
    """The hits with neighbours put together, in order of the best of each stretch."""
    stretches: list[list[Hit]] = []
    for hit in sorted(hits, key=lambda hit: (section_of(hit), hit.ordinal)):
        before = stretches[-1][-1] if stretches else None
        if before and section_of(before) == section_of(hit) and hit.ordinal == before.ordinal + 1:
            stretches[-1].append(hit)
        else:
            stretches.append([hit])
    return tuple(sorted(map(stretch, stretches), key=lambda found: found.hit.rank))


def stretch(neighbours: Sequence[Hit]) -> Stretch:
    """From hits in the order of the file."""
    by_rank = tuple(sorted(neighbours, key=lambda hit: hit.rank))
    best, first, last = by_rank[0], neighbours[0], neighbours[-1]
    if len(neighbours) == 1:
        return Stretch(best, by_rank)
    lines = first.line_start, max(hit.line_end for hit in neighbours)
    whole = replace(
        best,
        text=text_of(neighbours),
        context=first.context,
        line_start=lines[0],
        line_end=lines[1],
        char_start=first.char_start,
        char_end=last.char_end,
        url=reading_url(best.library, best.snapshot, best.source_file, lines, best.section_anchor),
    )
    return Stretch(whole, by_rank)


def text_of(neighbours: Sequence[Hit]) -> str:
    """The chunks' text once, also where they overlap."""
    text = neighbours[0].text
    for before, hit in pairwise(neighbours):
        if hit.char_start <= before.char_end:
            text += hit.text[before.char_end - hit.char_start :]
        else:
            text += (" ", "\n", "\n\n")[min(hit.line_start - before.line_end, 2)] + hit.text
    return text


def section_of(hit: Hit) -> tuple[str, int, str, str]:
    return hit.library, hit.snapshot, hit.source_file, hit.section_anchor
