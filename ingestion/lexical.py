"""Postings for the chunks that no segment of their library holds yet.

Postgres makes lexemes of words, so its languages, dictionaries and stop words stay its own. It is asked once for every
distinct token of a segment, since a word's lexemes do not depend on its neighbours; numpy counts and packs. A token is
one for all its lexemes, as it is written and bare, and a text as long as it is written.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from knowledge.failpoints import failpoint
from knowledge.models import Chunk, LexicalSegment, Snapshot
from knowledge.texts.analysis import bare_words_of, tokens, words_of
from knowledge.texts.indexed import indexed

from .progress import Progress

SEGMENT_CHUNKS = 20_000
MOST_COUNTED = 255  # of a lexeme in a text, as in a tsvector

LEXEMES = """
    SELECT token.ordinal - 1, found.lexeme, max(cardinality(found.positions)),
           coalesce(max(cardinality(found.positions)) FILTER (WHERE found.is_said), 0)
    FROM unnest(%(tokens)s::text[], %(bare)s::text[]) WITH ORDINALITY AS token (text, bare, ordinal),
         LATERAL (
             SELECT true, lexeme, positions FROM unnest(to_tsvector(%(language)s::regconfig, token.text))
             UNION ALL
             SELECT false, lexeme, positions FROM unnest(to_tsvector(%(language)s::regconfig, token.bare))
         ) AS found (is_said, lexeme, positions)
    GROUP BY token.ordinal, found.lexeme
"""

COPY_POSTINGS = "COPY knowledge_posting (lexeme, segment_id, ordinals, body_counts, head_counts) FROM STDIN"

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often which lexeme stands in which text: three columns, in order of lexeme and then of text."""

    lexemes: Integers
    texts: Integers
    often: Integers


class Numbering(dict[str, int]):
    """Numbers strings in the order in which they are first asked for."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def index_lexemes(snapshot: Snapshot, progress: Progress) -> None:
    """Add segments that hold the snapshot's chunks which the library's segments do not."""
    failpoint("lexical.before")
    library, lexical = snapshot.library, snapshot.profile.lexical_hash
    segments = library.segments.filter(lexical=lexical).values_list("chunk_ids", flat=True)
    held = np.concatenate([np.frombuffer(packed, "<i8") for packed in segments] or [np.empty(0, "<i8")])
    chunks = Chunk.objects.filter(file_version__memberships__snapshot=snapshot).order_by().values_list("pk", flat=True)
    missing = np.setdiff1d(np.fromiter(chunks.iterator(), "<i8"), held)
    failpoint("lexical.planned")
    progress.total = len(missing)
    for start in range(0, len(missing), SEGMENT_CHUNKS):
        batch = missing[start : start + SEGMENT_CHUNKS]
        add_segment(snapshot, lexical, batch)
        progress.counters["chunks_indexed"] += len(batch)
        progress.advance(len(batch))
    failpoint("lexical.done")


def add_segment(snapshot: Snapshot, lexical: str, chunk_ids: Integers) -> None:
    """One segment, all or nothing. `chunk_ids` ascend; a chunk's place among them is its local ordinal."""
    rows = (
        Chunk.objects.filter(pk__in=chunk_ids.tolist())
        .order_by("pk")
        .values_list("text", "context", "section__breadcrumb", "file_version__document_file__path")
    )
    seen = Numbering()
    bodies, heads = [], []
    for text, context, breadcrumb, path in rows.iterator(chunk_size=2000):
        said, titles = indexed(text, context, breadcrumb, path)
        bodies.append(numbered(seen, said))
        heads.append(numbered(seen, titles))
    vocabulary = Vocabulary.of(list(seen), snapshot.profile.settings["language"])
    body, head = vocabulary.count(bodies), vocabulary.count(heads)
    failpoint("lexical.counted")
    size = len(chunk_ids)
    with transaction.atomic():
        segment = LexicalSegment.objects.create(
            library=snapshot.library,
            lexical=lexical,
            chunk_ids=chunk_ids.astype("<i8").tobytes(),
            body_lengths=vocabulary.lengths(bodies).tobytes(),
            head_lengths=vocabulary.lengths(heads).tobytes(),
            size=size,
        )
        failpoint("lexical.segment-written")
        copy_postings(segment.pk, vocabulary.lexemes, body, head)
        failpoint("lexical.postings-written")
    failpoint("lexical.stored")


def numbered(seen: Numbering, text: str) -> NDArray[np.int32]:
    found = tokens(text)
    return np.fromiter(map(seen.__getitem__, found), np.int32, len(found))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The lexemes of numbered tokens: token t's are `numbers[starts[t]:starts[t + 1]]`, `often` times each; as it is
    written it has `said[t]`.
    """

    lexemes: list[str]
    starts: Integers
    numbers: Integers
    often: Integers
    said: Integers

    @classmethod
    def of(cls, distinct: Sequence[str], language: str) -> "Vocabulary":
        texts = [" ".join(words_of(token)) for token in distinct]
        bare = [" ".join(bare_words_of(token)) if is_more_barely(token) else "" for token in distinct]
        with connection.cursor() as cursor:
            cursor.execute(LEXEMES, {"tokens": texts, "bare": bare, "language": language})
            rows = cursor.fetchall()
        lexemes = sorted({lexeme for _, lexeme, *_ in rows})  # by code point, as collation "C" sorts
        number = {lexeme: place for place, lexeme in enumerate(lexemes)}
        table = np.array([(token, number[lexeme], *many) for token, lexeme, *many in rows], np.int64).reshape(-1, 4)
        table = table[np.lexsort((table[:, 1], table[:, 0]))]
        starts = np.searchsorted(table[:, 0], np.arange(len(distinct) + 1))
        said = np.bincount(table[:, 0], table[:, 3], len(distinct)).astype(np.int64)
        return cls(lexemes, starts, table[:, 1], table[:, 2], said)

    def count(self, texts: Sequence[NDArray[np.int32]]) -> Counts:
        """The lexemes of texts that are given as token numbers."""
        read = np.concatenate(texts or [np.empty(0, np.int32)]).astype(np.int64)
        owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        many = self.starts[read + 1] - self.starts[read]
        place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + np.repeat(self.starts[read], many)
        key = self.numbers[place] * max(len(texts), 1) + np.repeat(owner, many)
        found, inverse = np.unique(key, return_inverse=True)
        often = np.bincount(inverse, self.often[place], len(found)).astype(np.int64)
        return Counts(found // max(len(texts), 1), found % max(len(texts), 1), often)

    def lengths(self, texts: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
        """Lexemes in each text as it is written: int32 of shape (texts,)."""
        return np.array([self.said[text].sum() for text in texts], "<i4")


def is_more_barely(token: str) -> bool:
    """Whether it may say more bare than as it is written."""
    return not token.isascii() or token[0].isdigit()


def copy_postings(segment_id: int, lexemes: Sequence[str], body: Counts, head: Counts) -> None:
    size = 1 + max((int(counts.texts.max()) for counts in (body, head) if len(counts.texts)), default=0)
    own = [counts.lexemes * size + counts.texts for counts in (body, head)]
    both = merged(*own)
    packed = [packed_counts(both, found, counts.often) for found, counts in zip(own, (body, head), strict=True)]
    ordinals = (both % size).astype("<i4").tobytes()
    starts = np.searchsorted(both // size, np.arange(len(lexemes) + 1)).tolist()
    with connection.cursor() as cursor, cursor.copy(COPY_POSTINGS) as copy:
        for lexeme, start, end in zip(lexemes, starts, starts[1:], strict=False):
            spans = ordinals[start * 4 : end * 4], *(counts[start:end] for counts in packed)
            copy.write_row((lexeme, segment_id, *spans))


def merged(one: Integers, other: Integers) -> Integers:
    """Both, each ascending, as one without repetitions: a stable sort merges runs, where `np.union1d` would hash."""
    both = np.sort(np.concatenate((one, other)), kind="stable")
    return both[np.append(True, both[1:] != both[:-1])[: len(both)]]


def packed_counts(keys: Integers, found: Integers, often: Integers) -> bytes:
    """Counts along `keys` as uint8, zero where nothing was found."""
    counts = np.zeros(len(keys), np.uint8)
    counts[np.searchsorted(keys, found)] = np.minimum(often, MOST_COUNTED)
    return counts.tobytes()
