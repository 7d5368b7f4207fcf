"""Vectors for the chunks that have none yet in their snapshot's space. A text is embedded once, ever."""

from collections.abc import Iterator, Sequence

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray
from pgvector import Vector

from knowledge.endpoints import Embedder, EndpointError
from knowledge.failpoints import failpoint
from knowledge.models import Chunk, Snapshot
from knowledge.spaces import still_of

from .chunking import embedding_text
from .progress import Progress

BATCH = 32  # texts between two looks at the progress
PROVED = 4 * BATCH  # texts between commits: what a killed worker computes again, at most

MISSING = """
    SELECT DISTINCT ON (chunk.content_hash) chunk.id, chunk.content_hash
    FROM knowledge_snapshotfile member
    JOIN knowledge_chunk chunk ON chunk.file_version_id = member.file_version_id
    WHERE member.snapshot_id = %(snapshot)s
      AND NOT EXISTS (
          SELECT FROM knowledge_embedding vector
          WHERE vector.space_id = %(space)s AND vector.content_hash = chunk.content_hash)
    ORDER BY chunk.content_hash, chunk.id
"""

STORE = "INSERT INTO knowledge_embedding (space_id, content_hash, vector) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"


def embed_missing(snapshot: Snapshot, endpoint: Embedder, progress: Progress) -> None:
    """Compute what is missing, and store it once the canaries after it show that it is still the space's model's.

    Raises EndpointError; what was stored before stays, and the next build goes on from there.
    """
    failpoint("embed.before")
    with connection.cursor() as cursor:
        cursor.execute(MISSING, {"snapshot": snapshot.pk, "space": snapshot.space_id})
        missing = sorted((chunk, bytes(content_hash)) for chunk, content_hash in cursor.fetchall())
    chunks = Chunk.objects.filter(file_version__memberships__snapshot=snapshot)
    failpoint("embed.planned")
    progress.total = len(missing)
    progress.counters["embeddings_reused"] = chunks.count() - len(missing)
    try:
        for proved in batches(missing, PROVED):
            vectors = [embed(batch, endpoint, progress) for batch in batches(proved, BATCH)]
            if not still_of(snapshot.space, endpoint):
                raise EndpointError("embedding", "serves another model now than when the build began")
            failpoint("embed.computed")
            store(snapshot.space_id, [content_hash for _, content_hash in proved], np.vstack(vectors))
            progress.counters["embeddings_computed"] += len(proved)
    except EndpointError as error:
        done, total = progress.counters["embeddings_computed"], len(missing)
        reason = (
            f"{error.reason}. {done:,} of {total:,} passages were embedded and are kept; the next build goes on there"
        )
        raise EndpointError(error.role, reason, status=error.status) from error
    failpoint("embed.done")


def embed(batch: Sequence[tuple[int, bytes]], endpoint: Embedder, progress: Progress) -> NDArray[np.float32]:
    failpoint("embed.before-batch")
    vectors = endpoint.embed_documents(embedding_texts([chunk for chunk, _ in batch]))
    progress.advance(len(batch))
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


def batches(items: Sequence[tuple[int, bytes]], size: int) -> Iterator[Sequence[tuple[int, bytes]]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
