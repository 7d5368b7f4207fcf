"""Vectors for the chunks that have none yet in their snapshot's space. A text is embedded once, ever."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray
from pgvector import Vector

from knowledge.endpoints import Embedder, EndpointError
from knowledge.failpoints import failpoint
from knowledge.models import Chunk, EmbeddingSpace, Snapshot
from knowledge.spaces import still_of

from .chunking import embedding_text
from .progress import Progress

BATCH = 32  # texts between two looks at the progress
PROVED = 4 * BATCH  # texts between commits: what a killed worker computes again, at most

MISSING = """
    SELECT DISTINCT ON (chunk.content_hash) chunk.id, chunk.content_hash
    FROM knowledge_snapshotfile member
    JOIN knowledge_chunk chunk ON chunk.file_version_id = member.file_version_id
    WHERE member.snapshot_id = %(snapshot)s AND (%(kind)s = '' OR chunk.kind = %(kind)s)
      AND NOT EXISTS (
          SELECT FROM knowledge_embedding vector
          WHERE vector.space_id = %(space)s AND vector.content_hash = chunk.content_hash)
    ORDER BY chunk.content_hash, chunk.id
"""

STORE = "INSERT INTO knowledge_embedding (space_id, content_hash, vector) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"


Item = TypeVar("Item")  # what `texts` makes a text of


def embed_missing(snapshot: Snapshot, endpoint: Embedder, progress: Progress) -> None:
    """Compute and store what is missing. Raises EndpointError; what was stored before stays, and the next build goes on
    from there.
    """
    failpoint("embed.before")
    missing = missing_chunks(snapshot, snapshot.space_id)
    chunks = Chunk.objects.filter(file_version__memberships__snapshot=snapshot)
    failpoint("embed.planned")
    progress.counters["embeddings_reused"] = chunks.count() - len(missing)
    try:
        compute(snapshot.space, missing, embedding_texts, endpoint, progress, "embeddings_computed")
    except EndpointError as error:
        done, total = progress.counters["embeddings_computed"], len(missing)
        reason = (
            f"{error.reason}. {done:,} of {total:,} passages were embedded and are kept; the next build goes on there"
        )
        raise EndpointError(error.role, reason, status=error.status) from error
    failpoint("embed.done")


def missing_chunks(snapshot: Snapshot, space_id: int, kind: str = "") -> list[tuple[int, bytes]]:
    """Row and content hash of its chunks without a vector in the space, of equal texts one; `kind` "" is every kind."""
    with connection.cursor() as cursor:
        cursor.execute(MISSING, {"snapshot": snapshot.pk, "space": space_id, "kind": kind})
        return sorted((chunk, bytes(content_hash)) for chunk, content_hash in cursor.fetchall())


def compute(
    space: EmbeddingSpace,
    missing: Sequence[tuple[Item, bytes]],
    texts: Callable[[Sequence[Item]], list[str]],
    endpoint: Embedder,
    progress: Progress,
    counter: str,
) -> None:
    """Compute vectors, and store them once the canaries after them show that the model is still the space's.

    `missing` are items and the content hashes of their texts. Raises EndpointError.
    """
    progress.done, progress.total = 0, len(missing)
    for proved in batches(missing, PROVED):
        vectors = [embed(texts([item for item, _ in batch]), endpoint, progress) for batch in batches(proved, BATCH)]
        if not still_of(space, endpoint):
            raise EndpointError("embedding", "serves another model now than when the build began")
        failpoint("embed.computed")
        store(space.pk, [content_hash for _, content_hash in proved], np.vstack(vectors))
        progress.counters[counter] += len(proved)


def embed(texts: Sequence[str], endpoint: Embedder, progress: Progress) -> NDArray[np.float32]:
    failpoint("embed.before-batch")
    vectors = endpoint.embed_documents(texts)
    progress.advance(len(texts))
    return vectors


def embedding_texts(chunk_ids: Sequence[int]) -> list[str]:
    rows = Chunk.objects.filter(pk__in=chunk_ids).values_list("pk", "section__breadcrumb", "text", "context")
    texts = {pk: embedding_text(tuple(breadcrumb), text, context) for pk, breadcrumb, text, context in rows}
    return [texts[pk] for pk in chunk_ids]


def store(space_id: int, content_hashes: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
    rows = [
        (space_id, content_hash, Vector(vector).to_text())
        for content_hash, vector in zip(content_hashes, vectors, strict=True)
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(STORE, rows)
        failpoint("embed.written")
    failpoint("embed.stored")


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
