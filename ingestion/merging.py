"""Merging segments: fewer rows for a search to read, the same postings in them.

Segments of about one size are merged when there are many, so that each posting is copied a few times at most however
long a library lives (O'Neil et al., "The Log-Structured Merge-Tree", 1996; Lucene's TieredMergePolicy). A search that
began before sees the old segments to its end.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from knowledge.failpoints import failpoint
from knowledge.models import LexicalSegment, Library

from .lexical import COPY_POSTINGS

TIER = 8  # segments of one size, a power of this, before they are merged; and how much larger the next size is
SMALLEST = 256
PAGE = 20_000  # posting rows in memory
NOTHING = np.empty(0, "<i8")

PAGE_OF_POSTINGS = """
    SELECT lexeme, segment_id, ordinals, body_counts, head_counts FROM knowledge_posting
    WHERE segment_id = ANY(%(segments)s) AND lexeme > %(after)s AND lexeme <= %(until)s
    ORDER BY lexeme, segment_id
"""
LAST_OF_PAGE = """
    SELECT max(lexeme) FROM (
        SELECT lexeme FROM knowledge_posting WHERE segment_id = ANY(%(segments)s) AND lexeme > %(after)s
        ORDER BY lexeme LIMIT %(page)s) AS page
"""

Row = tuple[str, int, bytes, bytes, bytes]


def merge_segments(library: Library, lexical: str) -> int:
    """Merge what has gathered of one analysis; returns how many segments fewer there are."""
    merged = 0
    while chosen := next(iter(crowded(sizes(library, lexical))), ()):
        merge(library, lexical, chosen)
        merged += len(chosen) - 1
    return merged


def sizes(library: Library, lexical: str) -> dict[int, int]:
    return dict(library.segments.filter(lexical=lexical).order_by("pk").values_list("pk", "size"))


def crowded(sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """The oldest TIER segments of each tier that holds as many, smallest tier first."""
    tiers: dict[int, list[int]] = defaultdict(list)
    for segment, size in sizes.items():
        tiers[tier(size)].append(segment)
    for number in sorted(tiers):
        if len(tiers[number]) >= TIER:
            yield tiers[number][:TIER]


def tier(size: int) -> int:
    number = 0
    while size > SMALLEST:
        size, number = size // TIER, number + 1
    return number


def leave_out(library: Library, chunks: Collection[int]) -> None:
    """Write the segments that hold these chunks anew without them. No text is analysed again."""
    gone = np.array(sorted(chunks), "<i8")
    for segment, lexical, packed in library.segments.order_by("pk").values_list("pk", "lexical", "chunk_ids"):
        if np.isin(np.frombuffer(packed, "<i8"), gone).any():
            merge(library, lexical, [segment], gone)


def merge(library: Library, lexical: str, chosen: Sequence[int], without: NDArray[np.int64] = NOTHING) -> None:
    """One segment in the place of several, all or nothing; chunks `without` which it is to be are left out."""
    failpoint("merge.before")
    with transaction.atomic():
        segments = list(LexicalSegment.objects.select_for_update().filter(pk__in=chosen).order_by("pk"))
        if len(segments) != len(chosen):
            return
        failpoint("merge.locked")
        ids = {segment.pk: np.frombuffer(segment.chunk_ids, "<i8") for segment in segments}
        together = np.concatenate(list(ids.values()))
        order = np.argsort(together)
        order = order[~np.isin(together[order], without)]
        chunk_ids = together[order]
        columns = {
            name: np.concatenate([np.frombuffer(getattr(segment, name), "<i4") for segment in segments])[order]
            for name in ("body_lengths", "head_lengths")
        }
        if len(chunk_ids):
            new = LexicalSegment.objects.create(
                library=library,
                lexical=lexical,
                chunk_ids=chunk_ids.tobytes(),
                size=len(chunk_ids),
                **{name: column.tobytes() for name, column in columns.items()},
            )
            failpoint("merge.segment-written")
            places = {segment: places_in(chunk_ids, own) for segment, own in ids.items()}
            for page in pages(list(chosen)):
                copy(new.pk, page, places)
            failpoint("merge.postings-written")
        LexicalSegment.objects.filter(pk__in=chosen).delete()
        failpoint("merge.deleted")
    failpoint("merge.stored")


def places_in(chunk_ids: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.int32]:
    """Where each of `own` stands in the ascending `chunk_ids`; −1 for one that does not."""
    places = np.searchsorted(chunk_ids, own).astype("<i4")
    places[~np.isin(own, chunk_ids)] = -1
    return places


def pages(segments: list[int]) -> Iterator[list[Row]]:
    """The segments' posting rows in order of lexeme; the rows of a lexeme stay on one page."""
    after = ""
    with connection.cursor() as cursor:
        while True:
            cursor.execute(LAST_OF_PAGE, {"segments": segments, "after": after, "page": PAGE})
            (until,) = cursor.fetchone()
            if until is None:
                return
            cursor.execute(PAGE_OF_POSTINGS, {"segments": segments, "after": after, "until": until})
            yield cursor.fetchall()
            after = until


def copy(segment: int, page: Iterable[Row], places: Mapping[int, NDArray[np.int32]]) -> None:
    with connection.cursor() as cursor, cursor.copy(COPY_POSTINGS) as copying:
        for lexeme, parts in groupby(page, itemgetter(0)):
            ordinals, body, head = joined(list(parts), places)
            if ordinals:
                copying.write_row((lexeme, segment, ordinals, body, head))


def joined(parts: Sequence[Row], places: Mapping[int, NDArray[np.int32]]) -> tuple[bytes, bytes, bytes]:
    """One lexeme's ordinals, ascending, with their counts in body and headings."""
    ordinals = np.concatenate([places[segment][np.frombuffer(packed, "<i4")] for _, segment, packed, _, _ in parts])
    body = np.frombuffer(b"".join(part[3] for part in parts), np.uint8)
    head = np.frombuffer(b"".join(part[4] for part in parts), np.uint8)
    if (ordinals < 0).any() or (ordinals[1:] < ordinals[:-1]).any():
        order = np.argsort(ordinals)[np.count_nonzero(ordinals < 0) :]
        ordinals, body, head = ordinals[order], body[order], head[order]
    return ordinals.tobytes(), body.tobytes(), head.tobytes()
