"""Postings for the chunks that no segment of their library holds yet (DESIGN §5).

Postgres finds the lexemes, so its languages, dictionaries and stop words stay its own; numpy packs what it found.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection, transaction

from knowledge.analysis import analysed
from knowledge.models import Chunk, LexicalSegment, Snapshot

from .progress import Progress

SEGMENT_CHUNKS = 20_000

LEXEMES = """
    SELECT found.lexeme, array_agg(document.ordinal - 1 ORDER BY document.ordinal),
           array_agg(cardinality(found.positions) ORDER BY document.ordinal)
    FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS document (text, ordinal),
         LATERAL unnest(to_tsvector(%(language)s::regconfig, document.text)) AS found
    GROUP BY found.lexeme
"""

Counts = dict[str, tuple[np.ndarray, np.ndarray]]  # lexeme → ordinals ascending, how often


def index_lexemes(snapshot: Snapshot, progress: Progress) -> None:
    """Add segments that hold the snapshot's chunks which the library's segments do not."""
    library, lexical = snapshot.library, snapshot.profile.lexical_hash
    segments = library.segments.filter(lexical=lexical).values_list("chunk_ids", flat=True)
    held = np.concatenate([np.frombuffer(packed, "<i8") for packed in segments] or [np.empty(0, "<i8")])
    chunks = Chunk.objects.filter(file_version__memberships__snapshot=snapshot).values_list("pk", flat=True)
    missing = np.setdiff1d(np.fromiter(chunks.iterator(), "<i8"), held)
    progress.total = len(missing)
    for start in range(0, len(missing), SEGMENT_CHUNKS):
        batch = missing[start : start + SEGMENT_CHUNKS]
        add_segment(snapshot, lexical, batch)
        progress.counters["chunks_indexed"] += len(batch)
        progress.advance(len(batch))


def add_segment(snapshot: Snapshot, lexical: str, chunk_ids: np.ndarray) -> None:
    """One segment, all or nothing. `chunk_ids` ascend; a chunk's place among them is its local ordinal."""
    rows = (
        Chunk.objects.filter(pk__in=chunk_ids.tolist())
        .order_by("pk")
        .values_list("text", "context", "section__breadcrumb")
    )
    bodies, heads = [], []
    for text, context, breadcrumb in rows.iterator(chunk_size=2000):
        bodies.append(analysed(f"{context}\n{text}"))
        heads.append(analysed("\n".join(breadcrumb)))
    language = snapshot.profile.settings["language"]
    body, head = count_lexemes(bodies, language), count_lexemes(heads, language)
    size = len(chunk_ids)
    with transaction.atomic():
        segment = LexicalSegment.objects.create(
            library=snapshot.library,
            lexical=lexical,
            chunk_ids=chunk_ids.astype("<i8").tobytes(),
            body_lengths=lengths(body, size).tobytes(),
            head_lengths=lengths(head, size).tobytes(),
            size=size,
        )
        copy_postings(segment.pk, body, head)


def count_lexemes(texts: Sequence[str], language: str) -> Counts:
    """How often each lexeme stands in each text."""
    counts: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
    step = 2000
    for start in range(0, len(texts), step):
        with connection.cursor() as cursor:
            cursor.execute(LEXEMES, {"texts": list(texts[start : start + step]), "language": language})
            for lexeme, ordinals, often in cursor.fetchall():
                counts[lexeme].append((np.array(ordinals, "<i4") + start, np.array(often, "<i4")))
    return {
        lexeme: (np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts]))
        for lexeme, parts in counts.items()
    }


def lengths(counts: Counts, size: int) -> np.ndarray:
    """Lexemes in each text: int32 of shape (size,)."""
    total = np.zeros(size, "<i4")
    for ordinals, often in counts.values():
        total[ordinals] += often
    return total


def copy_postings(segment_id: int, body: Counts, head: Counts) -> None:
    nothing = np.empty(0, "<i4"), np.empty(0, "<i4")
    statement = "COPY knowledge_posting (lexeme, segment_id, ordinals, body_counts, head_counts) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for lexeme in sorted(body.keys() | head.keys()):
            in_body, in_head = body.get(lexeme, nothing), head.get(lexeme, nothing)
            ordinals = np.union1d(in_body[0], in_head[0]).astype("<i4")
            packed = (packed_counts(ordinals, *in_body), packed_counts(ordinals, *in_head))
            copy.write_row((lexeme, segment_id, ordinals.tobytes(), *packed))


def packed_counts(ordinals: np.ndarray, found: np.ndarray, often: np.ndarray) -> bytes:
    """Counts along `ordinals` as uint8, zero where the lexeme was not found."""
    counts = np.zeros(len(ordinals), np.uint8)
    counts[np.searchsorted(ordinals, found)] = np.minimum(often, 255)
    return counts.tobytes()
