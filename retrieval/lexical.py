"""The lexical branch: BM25 from the posting arrays of the searched snapshots' segments.

df, N and avgdl are those of all searched snapshots together, so that several libraries score on one scale, and an
incremental index scores exactly like a clean rebuild.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from knowledge.analysis import analysed
from knowledge.models import LexicalSegment

from .bm25 import Floats, Ints, Matches, Scoring, heaviest, score, weighted_lengths
from .view import Cache, SearchedSnapshot, View

QUERY_LEXEMES = "SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector(%s::regconfig, %s))"
POSTINGS = """
    SELECT segment_id, lexeme, ordinals, body_counts, head_counts FROM knowledge_posting
    WHERE lexeme = ANY(%s) AND segment_id = ANY(%s)
"""

MOST_LOOKED_UP = 256  # lexemes of a query: the commonest in it, then in order of spelling
MOST_SCORED = 64  # the heaviest by how often the query says them and how rare they are


@dataclass(frozen=True, slots=True)
class IndexedSnapshot:
    """A snapshot's segments, laid over its positions.

    `places[segment]` maps local ordinals to positions, −1 where the chunk is dead.
    """

    places: dict[int, Ints]
    body_lengths: Ints  # by position
    head_lengths: Ints


_indexed: Cache[IndexedSnapshot] = Cache(64)


def scores(view: View, query: str, scoring: Scoring = Scoring()) -> Floats:  # noqa: B008 - frozen
    """The BM25 score of every visible chunk, by position counted through the view's snapshots."""
    lexemes = {language: query_lexemes(language, query) for language in sorted(languages(view))}
    indexed = [_indexed.get_or_make(searched.key, partial(lay_over, searched)) for searched in view.snapshots]
    lengths = np.concatenate(
        [weighted_lengths(index.body_lengths, index.head_lengths, scoring) for index in indexed] or [np.empty(0)]
    )
    if not any(lexemes.values()):
        return np.zeros(len(lengths))
    matches = find_matches(view, indexed, lexemes)
    return score(heaviest(matches, len(lengths), MOST_SCORED), lengths, scoring)


def languages(view: View) -> set[str]:
    return {language_of(searched) for searched in view.snapshots}


def language_of(searched: SearchedSnapshot) -> str:
    language: str = searched.snapshot.profile.settings["language"]
    return language


def query_lexemes(language: str, query: str) -> dict[str, int]:
    """The query's lexemes in a text-search configuration, and how often it says each."""
    with connection.cursor() as cursor:
        cursor.execute(QUERY_LEXEMES, [language, analysed(query)])
        counts = sorted(cursor.fetchall(), key=lambda found: (-found[1], found[0]))
        return dict(counts[:MOST_LOOKED_UP])


def lay_over(searched: SearchedSnapshot) -> IndexedSnapshot:
    by_id = np.argsort(searched.chunk_ids, kind="stable")
    sorted_ids = searched.chunk_ids[by_id]
    body, head = np.zeros(len(sorted_ids), np.int32), np.zeros(len(sorted_ids), np.int32)
    places: dict[int, Ints] = {}
    segments = LexicalSegment.objects.filter(library=searched.library, lexical=searched.snapshot.profile.lexical_hash)
    for segment in segments.order_by("pk"):
        chunk_ids = np.frombuffer(segment.chunk_ids, "<i8")
        found = np.searchsorted(sorted_ids, chunk_ids)
        live = found < len(sorted_ids)
        live[live] = sorted_ids[found[live]] == chunk_ids[live]
        if not live.any():
            continue
        place = np.full(len(chunk_ids), -1, np.int32)
        place[live] = by_id[found[live]]
        body[place[live]] = np.frombuffer(segment.body_lengths, "<i4")[live]
        head[place[live]] = np.frombuffer(segment.head_lengths, "<i4")[live]
        places[segment.pk] = place
    return IndexedSnapshot(places, body, head)


def find_matches(view: View, indexed: Sequence[IndexedSnapshot], lexemes: dict[str, dict[str, int]]) -> list[Matches]:
    """One Matches per lexeme of the query, in order of lexeme, over the positions of all snapshots together."""
    offsets = view.offsets
    owner = {segment: number for number, index in enumerate(indexed) for segment in index.places}
    wanted = sorted({lexeme for counts in lexemes.values() for lexeme in counts})
    parts: dict[str, list[tuple[int, Ints, NDArray[np.uint8], NDArray[np.uint8]]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(POSTINGS, [wanted, list(owner)])
        for segment, lexeme, ordinals, body, head in cursor.fetchall():
            number = owner[segment]
            if lexeme not in lexemes[language_of(view.snapshots[number])]:
                continue
            place = indexed[number].places[segment][np.frombuffer(ordinals, "<i4")]
            live = place >= 0
            counts = np.frombuffer(body, np.uint8)[live], np.frombuffer(head, np.uint8)[live]
            parts.setdefault(lexeme, []).append((segment, place[live] + np.int32(offsets[number]), *counts))
    return [
        joined(max(counts.get(lexeme, 0) for counts in lexemes.values()), parts[lexeme]) for lexeme in sorted(parts)
    ]


def joined(query_count: int, parts: list[tuple[int, Ints, NDArray[np.uint8], NDArray[np.uint8]]]) -> Matches:
    """The parts of one lexeme from several segments. Each chunk stands in one segment only, so nothing is summed."""
    if len(parts) == 1:
        return Matches(query_count, *parts[0][1:])
    parts.sort(key=lambda part: part[0])
    return Matches(
        query_count,
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
        np.concatenate([part[3] for part in parts]),
    )
