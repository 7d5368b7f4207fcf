"""The lexical branch: BM25 from the posting arrays of the searched snapshots' segments.

df, N and avgdl are those of all searched snapshots together, so that several libraries score on one scale, and an
incremental index scores exactly like a clean rebuild.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from knowledge.analysis import analysed
from knowledge.models import IndexProfile, LexicalSegment

from .bm25 import Collection, Floats, Ints, Matches, Scoring, heaviest, score
from .fusion import HEADINGS_WORTH
from .view import Cache, SearchedSnapshot, View, rows

QUERY_LEXEMES = "SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector(%s::regconfig, %s))"
QUERY_POSTINGS = """
    WITH query AS MATERIALIZED (
        SELECT lexeme, cardinality(positions) AS often FROM unnest(to_tsvector(%s::regconfig, %s))
        ORDER BY often DESC, lexeme COLLATE "C" LIMIT %s)
    SELECT query.lexeme, query.often, posting.segment_id, posting.ordinals, posting.body_counts, posting.head_counts
    FROM query
    LEFT JOIN knowledge_posting posting ON posting.lexeme = query.lexeme AND posting.segment_id = ANY(%s::bigint[])
"""
POSTINGS = """
    SELECT lexeme, segment_id, ordinals, body_counts, head_counts FROM knowledge_posting
    WHERE lexeme = ANY(%s::text[]) AND segment_id = ANY(%s::bigint[])
"""

MOST_LOOKED_UP = 256  # lexemes of a query: the commonest in it, then in order of spelling
MOST_SCORED = 96  # the heaviest by how often the query says them and how rare they are

Counts = NDArray[np.uint8]
Posting = tuple[str, int, bytes, bytes, bytes]  # lexeme, segment, ordinals, counts in body and headings


@dataclass(frozen=True, slots=True)
class IndexedSnapshot:
    """A snapshot's segments, laid over its positions.

    `places[segment]` maps local ordinals to positions, −1 where the chunk is dead.
    """

    places: dict[int, Ints]
    body_lengths: Ints  # by position
    head_lengths: Ints


@dataclass(frozen=True, slots=True)
class Segment:
    language: str
    places: Ints  # from local ordinals to positions counted through the view, −1 where the chunk is dead
    all_alive: bool


@dataclass(frozen=True, slots=True)
class Index:
    """The segments of all the snapshots of a view, and their chunks as one collection."""

    segments: dict[int, Segment]
    collection: Collection

    def in_language(self, language: str) -> list[int]:
        """The segments of the snapshots in this language."""
        return sorted(number for number, segment in self.segments.items() if segment.language == language)


_indexed: Cache[IndexedSnapshot] = Cache(64)
_indexes: Cache[Index] = Cache(8)


@dataclass(frozen=True, slots=True)
class LookUp:
    """The query's lexemes where they stand."""

    index: Index
    matches: dict[str, Matches]  # in order of lexeme
    complete: bool  # whether every lexeme stands somewhere, in each language that is searched


def look_up(view: View, query: str, scoring: Scoring = Scoring()) -> LookUp:  # noqa: B008 - frozen
    index, text = index_of(view, scoring), analysed(query)
    counts: dict[str, int] = {}
    postings: list[Posting] = []
    for language in sorted(languages(view)):
        own = index.in_language(language)
        for lexeme, often, *posting in rows(QUERY_POSTINGS, (language, text, MOST_LOOKED_UP, own)):
            counts[lexeme] = max(counts.get(lexeme, 0), often)
            if posting[0] is not None:
                postings.append((lexeme, *posting))
    matches = matched(index, counts, postings)
    found = [match for match in matches.values() if len(match.positions)]
    return LookUp(index, matches, complete=len(found) == len(counts))


def scores(looked_up: LookUp, scoring: Scoring = Scoring()) -> Floats:  # noqa: B008 - frozen
    """The BM25 score of every visible chunk, by position counted through the view's snapshots."""
    collection = looked_up.index.collection
    return score(heaviest(list(looked_up.matches.values()), len(collection), MOST_SCORED), collection, scoring)


def languages(view: View) -> set[str]:
    return {searched.language for searched in view.snapshots}


def query_lexemes(language: str, query: str) -> dict[str, int]:
    """The query's lexemes in a text-search configuration, and how often it says each."""
    counts = sorted(rows(QUERY_LEXEMES, (language, analysed(query))), key=lambda found: (-found[1], found[0]))
    return dict(counts[:MOST_LOOKED_UP])


def weights(view: View, places: NDArray[np.int64]) -> NDArray[np.float64]:
    """How much words count in fusion at these positions: as learnt, and more where chunks stand under headings."""
    return view.lexical_weights(places) * headings_weight(view)


def headings_weight(view: View) -> float:
    """Who writes a heading says in few words what the text is about; where BM25 has them to weigh, it judges better."""
    return 1 + HEADINGS_WORTH * index_of(view, Scoring()).collection.headed


def index_of(view: View, scoring: Scoring) -> Index:
    key = tuple((searched.key, searched.segments) for searched in view.snapshots), scoring
    return _indexes.get_or_make(key, partial(make_index, view, scoring))


def make_index(view: View, scoring: Scoring) -> Index:
    segments: dict[int, Segment] = {}
    laid_over = [
        _indexed.get_or_make((searched.key, searched.segments), partial(lay_over, searched))
        for searched in view.snapshots
    ]
    for searched, offset, indexed in zip(view.snapshots, view.offsets, laid_over, strict=False):
        for segment, places in indexed.places.items():
            alive = places >= 0
            shifted = np.where(alive, places + np.int32(offset), np.int32(-1)) if offset else places
            segments[segment] = Segment(searched.language, shifted, bool(alive.all()))
    nothing = [np.empty(0, np.int32)]
    body = np.concatenate([indexed.body_lengths for indexed in laid_over] or nothing)
    head = np.concatenate([indexed.head_lengths for indexed in laid_over] or nothing)
    return Index(segments, Collection.of(body, head, view.places.files, scoring))


def lay_over(searched: SearchedSnapshot) -> IndexedSnapshot:
    locate, size = searched.locator(), len(searched.chunk_ids)
    body, head = np.zeros(size, np.int32), np.zeros(size, np.int32)
    places: dict[int, Ints] = {}
    profile = IndexProfile.objects.get(pk=searched.profile_id)
    segments = LexicalSegment.objects.filter(pk__in=searched.segments, lexical=profile.lexical_hash)
    for segment in segments.order_by("pk"):
        place = locate(np.frombuffer(segment.chunk_ids, "<i8")).astype(np.int32)
        live = place >= 0
        if not live.any():
            continue
        body[place[live]] = np.frombuffer(segment.body_lengths, "<i4")[live]
        head[place[live]] = np.frombuffer(segment.head_lengths, "<i4")[live]
        places[segment.pk] = place
    return IndexedSnapshot(places, body, head)


def matched(index: Index, counts: Mapping[str, int], postings: Iterable[Posting]) -> dict[str, Matches]:
    """The Matches of each lexeme that has postings, in order of lexeme, over the positions of all snapshots."""
    parts: dict[str, list[tuple[int, Ints, Counts, Counts]]] = {}
    for lexeme, number, ordinals, body, head in postings:
        segment = index.segments[number]
        places = segment.places[np.frombuffer(ordinals, "<i4")]
        often = np.frombuffer(body, np.uint8), np.frombuffer(head, np.uint8)
        if not segment.all_alive:
            live = places >= 0
            places, often = places[live], (often[0][live], often[1][live])
        parts.setdefault(lexeme, []).append((number, places, *often))
    return {lexeme: joined(counts[lexeme], parts[lexeme]) for lexeme in sorted(parts)}


def joined(query_count: int, parts: Sequence[tuple[int, Ints, Counts, Counts]]) -> Matches:
    """The parts of one lexeme from several segments. Each chunk stands in one segment only, so nothing is summed."""
    if len(parts) == 1:
        return Matches(query_count, *parts[0][1:])
    ordered = sorted(parts, key=lambda part: part[0])
    return Matches(
        query_count,
        np.concatenate([part[1] for part in ordered]),
        np.concatenate([part[2] for part in ordered]),
        np.concatenate([part[3] for part in ordered]),
    )


def holding_all(view: View, language: str, lexemes: Iterable[str]) -> NDArray[np.bool_]:
    """By position, whether a chunk of a snapshot in this language holds all of the lexemes."""
    index, counts = index_of(view, Scoring()), dict.fromkeys(lexemes, 1)
    held = np.zeros(view.offsets[-1], np.int32)
    for match in matched(index, counts, rows(POSTINGS, (list(counts), index.in_language(language)))).values():
        held[match.positions] += 1
    return held == len(counts)


def segments(view: View, language: str) -> list[int]:
    """The segments that hold the chunks of the snapshots in this language."""
    return index_of(view, Scoring()).in_language(language)
