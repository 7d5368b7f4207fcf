"""Vectors for the chunks that have none yet in their snapshot's space. A text is embedded once, ever.

A passage is embedded in parts, so that a question about one of its sentences is near to it (docs/decisions/0022).
"""

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray
from pgvector import Vector

from knowledge.endpoints import Embedder, EndpointError
from knowledge.failpoints import failpoint
from knowledge.models import Chunk, EmbeddingSpace, Snapshot
from knowledge.parts import means, packed
from knowledge.spaces import still_of

from .chunking import embedded_parts, embedding_text, told_by_hash
from .progress import Progress

BATCH = 32  # passages between two looks at the progress, and texts that the endpoint is given at once
PROVED = 4 * BATCH  # passages between commits: what a killed worker computes again, at most

CHUNKS = """
    SELECT DISTINCT ON (chunk.content_hash) chunk.id, chunk.content_hash
    FROM knowledge_snapshotfile member
    JOIN knowledge_chunk chunk ON chunk.file_version_id = member.file_version_id
    WHERE member.snapshot_id = %(snapshot)s AND (%(kind)s = '' OR chunk.kind = %(kind)s)
      AND {which}
    ORDER BY chunk.content_hash, chunk.id
"""
WITHOUT_VECTOR = """NOT EXISTS (
    SELECT FROM knowledge_embedding vector
    WHERE vector.space_id = %(space)s AND vector.content_hash = chunk.content_hash
      AND (vector.parts IS NOT NULL OR NOT %(in_parts)s))
"""

STORE = """
    INSERT INTO knowledge_embedding AS known (space_id, content_hash, vector, parts) VALUES (%s, %s, %s, %s)
    ON CONFLICT (space_id, content_hash) DO UPDATE SET parts = EXCLUDED.parts
    WHERE known.parts IS NULL AND EXCLUDED.parts IS NOT NULL
"""  # a vector stays: sealed snapshots have it

Item = TypeVar("Item")  # what `texts` makes a text of
Text = str | list[str]  # as a whole, or in its parts
Embedded = tuple[NDArray[np.float32], bytes | None]  # a text's vector, and its parts' as they are kept


def embed_missing(snapshot: Snapshot, endpoint: Embedder, progress: Progress) -> None:
    """Compute and store what is missing. Raises EndpointError; what was stored before stays, and the next build goes on
    from there.
    """
    failpoint("embed.before")
    missing = missing_chunks(snapshot, snapshot.space_id, in_parts=snapshot.profile.in_parts)
    chunks = Chunk.objects.filter(file_version__memberships__snapshot=snapshot)
    failpoint("embed.planned")
    progress.counters["embeddings_reused"] = chunks.count() - len(missing)
    try:
        compute(snapshot.space, missing, texts_of(snapshot), endpoint, progress, "embeddings_computed")
    except EndpointError as error:
        progress.beat(force=True)
        done, total = progress.counters["embeddings_computed"], len(missing)
        reason = (
            f"{error.reason}. {done:,} of {total:,} passages were embedded and are kept; the next build goes on there"
        )
        raise EndpointError(error.role, reason, status=error.status) from error
    failpoint("embed.done")


def missing_chunks(
    snapshot: Snapshot, space_id: int, kind: str = "", in_parts: bool = False
) -> list[tuple[int, bytes]]:
    """Those of `chunks_of` without a vector in the space, or (`in_parts`) without those of their parts."""
    return chunks_of(snapshot, kind, WITHOUT_VECTOR, space=space_id, in_parts=in_parts)


def chunks_of(snapshot: Snapshot, kind: str = "", which: str = "true", **values: Any) -> list[tuple[int, bytes]]:
    """Row and content hash of its chunks, of equal texts one; `kind` "" is every kind.

    `which` is a condition in SQL, with `values`.
    """
    with connection.cursor() as cursor:
        cursor.execute(CHUNKS.format(which=which), {"snapshot": snapshot.pk, "kind": kind, **values})
        return sorted((chunk, bytes(content_hash)) for chunk, content_hash in cursor.fetchall())


def compute(
    space: EmbeddingSpace,
    missing: Sequence[tuple[Item, bytes]],
    texts: Callable[[Sequence[Item]], Sequence[Text]],
    endpoint: Embedder,
    progress: Progress,
    counter: str,
) -> None:
    """Compute vectors, and store them once the canaries after them show that the model is still the space's.

    `missing` are items and the content hashes of their texts. Raises EndpointError.
    """
    progress.done, progress.total = 0, len(missing)
    for proved in batches(missing, PROVED):
        embedded: list[Embedded] = []
        for batch in batches(proved, BATCH):
            failpoint("embed.before-batch")
            embedded += embed(texts([item for item, _ in batch]), endpoint)
            progress.advance(len(batch))
        if not still_of(space, endpoint):
            raise EndpointError("embedding", "serves another model now than when the build began")
        failpoint("embed.computed")
        store(space.pk, [content_hash for _, content_hash in proved], embedded)
        progress.counters[counter] += len(proved)


def embed(texts: Sequence[Text], endpoint: Embedder) -> list[Embedded]:
    """One for each text; of one in parts the vector is the parts' mean. The endpoint has BATCH at once."""
    parts = [[text] if isinstance(text, str) else text for text in texts]
    flat = [part for own in parts for part in own]
    vectors = np.vstack([endpoint.embed_documents(batch) for batch in batches(flat, BATCH)])
    starts = np.cumsum([0, *map(len, parts)])[:-1]
    own = zip(texts, means(vectors, starts), np.split(vectors, starts[1:]), strict=True)
    return [(mean, None if isinstance(text, str) else packed(vectors)) for text, mean, vectors in own]


def texts_of(snapshot: Snapshot) -> Callable[[Sequence[int]], Sequence[Text]]:
    """What its profile embeds of these chunks."""
    return embedding_parts if snapshot.profile.in_parts else embedding_texts


def embedding_texts(chunk_ids: Sequence[int]) -> list[str]:
    return [embedding_text(*row) for row in said(chunk_ids)]


def embedding_parts(chunk_ids: Sequence[int]) -> list[list[str]]:
    return [embedded_parts(*row) for row in said(chunk_ids)]


def said(chunk_ids: Sequence[int]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Breadcrumb, what is embedded of the text, and context, in this order of chunks."""
    fields = ("section__breadcrumb", "text", "context", "content_hash")
    found = {pk: row for pk, *row in Chunk.objects.filter(pk__in=chunk_ids).values_list("pk", *fields)}
    for breadcrumb, text, context, content_hash in (found[pk] for pk in chunk_ids):
        told = told_by_hash(breadcrumb, text, context, bytes(content_hash))
        yield tuple(breadcrumb), text if told is None else told, context


def store(space_id: int, content_hashes: Sequence[bytes], embedded: Sequence[Embedded]) -> None:
    by_hash = sorted(zip(content_hashes, embedded, strict=True), key=itemgetter(0))  # so that builds do not deadlock
    rows = [(space_id, content_hash, Vector(vector).to_text(), parts) for content_hash, (vector, parts) in by_hash]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(STORE, rows)
        failpoint("embed.written")
    failpoint("embed.stored")


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
