"""What became of a file's sections from one version to another: told by their anchors, then by their text. Pure."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    TEXT = "text changed"
    MOVED = "moved"  # to other lines, another file, or under another heading; the text is the same


@dataclass(frozen=True, slots=True)
class Place:
    """A section of a version: where it stands, and a hash of its own text without the lines around it."""

    path: str
    anchor: str
    breadcrumb: tuple[str, ...]
    order: int
    text: str


@dataclass(frozen=True, slots=True)
class SectionChange:
    change: Change
    before: Place | None
    after: Place | None


def section_changes(before: Iterable[Place], after: Iterable[Place]) -> list[SectionChange]:
    """In the order of `after`, then what was removed in the order of `before`. Unchanged sections are left out.

    A section is the same where path and anchor are; else where its text is, if only one gone and one new have it.
    Same text under the same anchor is moved when its headings are others, or when it changed places with a neighbour.
    """
    old = {(place.path, place.anchor): place for place in before}
    new = {(place.path, place.anchor): place for place in after}
    gone = unique_texts(place for key, place in old.items() if key not in new)
    come = unique_texts(place for key, place in new.items() if key not in old)
    moved = {place: gone[text] for text, place in come.items() if text in gone}
    in_step = unmoved([(old[key].order, place.order) for key, place in new.items() if key in old])
    changes: list[SectionChange] = []
    for key, place in new.items():
        earlier = old.get(key)
        if earlier is None and place in moved:
            changes.append(SectionChange(Change.MOVED, moved[place], place))
        elif earlier is None:
            changes.append(SectionChange(Change.ADDED, None, place))
        elif earlier.text != place.text:
            changes.append(SectionChange(Change.TEXT, earlier, place))
        elif earlier.breadcrumb != place.breadcrumb or place.order not in in_step:
            changes.append(SectionChange(Change.MOVED, earlier, place))
    kept = set(moved.values())
    lost = (place for key, place in old.items() if key not in new and place not in kept)
    return changes + [SectionChange(Change.REMOVED, place, None) for place in lost]


def unique_texts(places: Iterable[Place]) -> Mapping[str, Place]:
    """text → the only place that has it; texts that stand twice tell nothing, and empty ones neither."""
    found: dict[str, Place | None] = {}
    for place in places:
        if place.text:
            found[place.text] = None if place.text in found else place
    return {text: place for text, place in found.items() if place}


def unmoved(pairs: list[tuple[int, int]]) -> frozenset[int]:
    """The later orders of the most sections that kept their order among each other (a longest increasing run)."""
    pairs = sorted(pairs)
    best: list[int] = []  # the smallest later order that ends a run of each length
    ends: list[int] = []  # and whose index it is
    previous = [-1] * len(pairs)
    for index, (_, order) in enumerate(pairs):
        length = bisect_left(best, order)
        previous[index] = ends[length - 1] if length else -1
        best[length : length + 1] = [order]
        ends[length : length + 1] = [index]
    kept: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        kept.add(pairs[at][1])
        at = previous[at]
    return frozenset(kept)
