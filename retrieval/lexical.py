"""The lexical branch: BM25 from the posting arrays of the searched snapshots' segments.

df, N and avgdl are those of all searched snapshots together, so that several libraries score on one scale, and an
incremental index scores exactly like a clean rebuild.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from knowledge.models import IndexProfile, LexicalSegment
from knowledge.texts.analysis import analysed, wholes

from .bm25 import Collection, Floats, Ints, Matches, Said, Scoring, bound, heaviest, score
from .compounds import Compound, compounds
from .query import in_usual_width
from .question_words import without_question_words
from .view import Cache, SearchedSnapshot, View, rows

QUERY_LEXEMES = "SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector(%s::regconfig, %s))"
EACH = """
    SELECT word, lexeme FROM unnest(%s::text[]) AS word, unnest(to_tsvector(%s::regconfig, word))
"""
POSTINGS = """
    SELECT lexeme, segment_id, ordinals, body_counts, head_counts FROM knowledge_posting
    WHERE lexeme = ANY(%s::text[]) AND segment_id = ANY(%s::bigint[])
"""

MOST_LOOKED_UP = 256  # lexemes of a query: the commonest in it, then in order of spelling
MOST_SCORED = 96  # the heaviest by how often the query says them and how rare they are

ENTRY = 300  # bytes that one costs beside its arrays

Counts = NDArray[np.uint8]
Part = tuple[int, Ints, Counts, Counts]  # segment, positions, counts in body and headings
NOWHERE: Part = (0, np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.uint8))


@dataclass(frozen=True, slots=True)
class IndexedSnapshot:
    """A snapshot's segments, laid over its positions.

    `places[segment]` maps local ordinals to positions, −1 where the chunk is dead.
    """

    places: dict[int, Ints]
    body_lengths: Ints  # by position
    head_lengths: Ints

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in (*self.places.values(), self.body_lengths, self.head_lengths))


@dataclass(frozen=True, slots=True)
class Segment:
    language: str
    places: Ints  # from local ordinals to positions counted through the view, −1 where the chunk is dead
    all_alive: bool


@dataclass(frozen=True, slots=True)
class Index:
    """The segments of all the snapshots of a view, and their chunks as one collection."""

    number: int  # of its making: what is kept of it goes by this
    segments: dict[int, Segment]
    collection: Collection
    scoring: Scoring

    @property
    def bytes(self) -> int:
        return self.collection.bytes + sum(segment.places.nbytes for segment in self.segments.values())

    def in_language(self, language: str) -> list[int]:
        """The segments of the snapshots in this language."""
        return sorted(number for number, segment in self.segments.items() if segment.language == language)


_indexed: Cache[IndexedSnapshot] = Cache(128 * 2**20, weigh=lambda indexed: indexed.bytes)
_indexes: Cache[Index] = Cache(128 * 2**20, weigh=lambda index: index.bytes)
_matches: Cache[Matches] = Cache(settings.SEARCH_POSTINGS_MB * 2**20, weigh=lambda match: match.nbytes + ENTRY, least=0)
_number = count()


@dataclass(frozen=True, slots=True)
class LookUp:
    """The query's lexemes where they stand."""

    index: Index
    said: dict[str, Said]  # in order of lexeme; of two words as one, what that adds to theirs
    asked: tuple[dict[str, int], ...]  # all of them, and how often it says each: in every language that is searched
    joined: frozenset[str] = frozenset()  # words of the query that stand somewhere as one with those beside them

    @property
    def known(self) -> float:
        """The share of its lexemes that stand somewhere, in the language where most do."""
        shares = (sum(one in self.said for one in lexemes) / len(lexemes) for lexemes in self.asked if lexemes)
        return max(shares, default=0.0)

    def frequencies(self, lexemes: Mapping[str, int]) -> list[tuple[int, int]]:
        """How often the query says each, and in how many chunks it stands."""
        return [
            (often, len(self.said[lexeme][1].positions) if lexeme in self.said else 0)
            for lexeme, often in lexemes.items()
        ]


@dataclass(frozen=True, slots=True)
class AsOne:
    """A compound by its lexemes in one language."""

    compound: Compound
    parts: tuple[str, ...]
    whole: str


def look_up(view: View, query: str) -> LookUp:
    """What the query says, but for its question words; of its compounds, joined, what stands somewhere.

    Neighbouring words that stand somewhere as one (`life time`, `lifetime`) are found so, too: a chunk has the better
    of both scores. So is a word bare (`café`, `cafe`) that stands nowhere as it is written.
    """
    index, query = index_of(view, Scoring()), in_usual_width(query)
    text, may_be_one, joined = analysed(query), compounds(query), " ".join(wholes(query))
    asked = {
        language: lexemes_of(language, without_question_words(language, text)) for language in sorted(languages(view))
    }
    as_one = {language: joinable(language, may_be_one) for language in asked}
    often: dict[str, int] = {}
    spoken: dict[str, tuple[str, ...]] = {}
    for language, lexemes in asked.items():
        unsaid = {one.whole: 0 for one in as_one[language] if one.whole not in lexemes}
        for lexeme, count_here in (lexemes | unsaid).items():
            often[lexeme] = max(often.get(lexeme, 0), count_here)
            spoken[lexeme] = (*spoken.get(lexeme, ()), language)
    matches = {lexeme: match for lexeme, match in matches_of(index, spoken).items() if len(match.positions)}
    for one in {one for found in as_one.values() for one in found if len(one.parts) == 1}:
        if one.parts[0] in matches and not often[one.whole]:
            matches.pop(one.whole, None)
    known = [one for found in as_one.values() for one in found if one.whole in matches]
    said = {
        lexeme: (often[lexeme], match)
        if often[lexeme]
        else (1, match.beyond(parts_of(lexeme, known, matches), index.collection))
        for lexeme, match in matches.items()
    }
    asked = {
        language: known_or_said(language, without_parts(lexemes, as_one[language], said), said, joined)
        for language, lexemes in asked.items()
    }
    return LookUp(index, said, tuple(asked.values()), frozenset(part for one in known for part in one.compound.parts))


def joinable(language: str, may_be_one: Sequence[Compound]) -> list[AsOne]:
    """Those of them whose parts, and which as a whole, are words to look for in this language."""
    if not may_be_one:
        return []
    words = {word for compound in may_be_one for word in (*compound.parts, compound.whole)}
    lexemes = dict(rows(EACH, (sorted(words), language)))
    return [
        AsOne(compound, tuple(lexemes[part] for part in compound.parts), lexemes[compound.whole])
        for compound in may_be_one
        if lexemes.keys() >= {*compound.parts, compound.whole}
    ]


def parts_of(whole: str, known: Sequence[AsOne], matches: Mapping[str, Matches]) -> list[Matches]:
    """Where the words stand that this one is made of."""
    parts = {part for one in known if one.whole == whole for part in one.parts}
    return [matches[part] for part in sorted(parts) if part in matches]


def without_parts(lexemes: dict[str, int], as_one: Sequence[AsOne], known: Mapping[str, Said]) -> dict[str, int]:
    """The lexemes, with a compound that stands somewhere in place of parts that stand nowhere by themselves."""
    for one in as_one:
        if one.whole in known and (missing := set(one.parts) - known.keys()):
            lexemes = {lexeme: often for lexeme, often in lexemes.items() if lexeme not in missing} | {one.whole: 1}
    return lexemes


def known_or_said(language: str, lexemes: dict[str, int], known: Mapping[str, Said], joined: str) -> dict[str, int]:
    """The lexemes without those of joined compounds that stand nowhere: nobody asked for `puisje` or `p53dependent`."""
    if not joined:
        return lexemes
    never_said = lexemes_of(language, joined).keys() - known.keys()
    return {lexeme: often for lexeme, often in lexemes.items() if lexeme not in never_said} or lexemes


def scores(looked_up: LookUp) -> Floats:
    """The BM25 score of every visible chunk, by position counted through the view's snapshots."""
    collection = looked_up.index.collection
    said = heaviest(list(looked_up.said.values()), len(collection), MOST_SCORED)
    return score(said, collection, looked_up.index.scoring)


def bounds(looked_up: LookUp) -> list[float]:
    """What the query's words could score, in each language; those that stand nowhere as the rarest of all."""
    index = looked_up.index
    return [bound(looked_up.frequencies(lexemes), index.collection, index.scoring) for lexemes in looked_up.asked]


def languages(view: View) -> set[str]:
    return {searched.language for searched in view.snapshots}


def query_lexemes(language: str, query: str) -> dict[str, int]:
    """The query's lexemes in a text-search configuration, and how often it says each."""
    return lexemes_of(language, analysed(query))


def lexemes_of(language: str, text: str) -> dict[str, int]:
    counts = sorted(rows(QUERY_LEXEMES, (language, text)), key=lambda found: (-found[1], found[0]))
    return dict(counts[:MOST_LOOKED_UP])


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
    return Index(next(_number), segments, Collection.of(body, head, view.chunk_columns.files, scoring), scoring)


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


def matches_of(index: Index, spoken: Mapping[str, tuple[str, ...]]) -> dict[str, Matches]:
    """Where each lexeme stands in the snapshots of its languages, over the positions of all; in order of lexeme.

    Segments do not change, so what was read of them once is kept.
    """
    keys = {lexeme: (index.number, lexeme, spoken[lexeme]) for lexeme in sorted(spoken)}
    found = {lexeme: _matches.get(key) for lexeme, key in keys.items()}
    missing: dict[tuple[str, ...], list[str]] = {}
    for lexeme, match in found.items():
        if match is None:
            missing.setdefault(spoken[lexeme], []).append(lexeme)
    for spoken_in, lexemes in missing.items():
        own = [number for language in spoken_in for number in index.in_language(language)]
        for lexeme, match in read_matches(index, lexemes, own).items():
            _matches.put(keys[lexeme], match)
            found[lexeme] = match
    return {lexeme: match for lexeme, match in found.items() if match}


def read_matches(index: Index, lexemes: Sequence[str], own: Sequence[int]) -> dict[str, Matches]:
    parts: dict[str, list[Part]] = {lexeme: [] for lexeme in lexemes}
    for lexeme, number, ordinals, body, head in rows(POSTINGS, (list(lexemes), list(own))):
        segment = index.segments[number]
        places = segment.places[np.frombuffer(ordinals, "<i4")]
        often = np.frombuffer(body, np.uint8), np.frombuffer(head, np.uint8)
        if not segment.all_alive:
            live = places >= 0
            places, often = places[live], (often[0][live], often[1][live])
        parts[lexeme].append((number, places, *often))
    return {lexeme: Matches.of(*joined(found), index.collection, index.scoring) for lexeme, found in parts.items()}


def joined(parts: Sequence[Part]) -> tuple[Ints, Counts, Counts]:
    """The parts of one lexeme from several segments. Each chunk stands in one segment only, so nothing is summed."""
    if len(parts) == 1:
        return parts[0][1:]
    ordered = [NOWHERE, *sorted(parts, key=lambda part: part[0])]
    return (
        np.concatenate([part[1] for part in ordered]),
        np.concatenate([part[2] for part in ordered]),
        np.concatenate([part[3] for part in ordered]),
    )


def holding_all(view: View, language: str, lexemes: Iterable[str]) -> NDArray[np.bool_]:
    """By position, whether a chunk of a snapshot in this language holds all of the lexemes."""
    spoken = dict.fromkeys(lexemes, (language,))
    held = np.zeros(view.offsets[-1], np.int32)
    for match in matches_of(index_of(view, Scoring()), spoken).values():
        held[match.positions] += 1
    return held == len(spoken)


def segments(view: View, language: str) -> list[int]:
    """The segments that hold the chunks of the snapshots in this language."""
    return index_of(view, Scoring()).in_language(language)
