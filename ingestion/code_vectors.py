"""Vectors of code by a model of its own, beside those that every chunk has."""

from collections.abc import Sequence

from django.conf import settings
from django.db import connection

from ingestion.embedding import BATCH, embedding_texts, store
from ingestion.progress import Progress
from knowledge.endpoints import Embedder, embedding_endpoint
from knowledge.models import EmbeddingSpace, Snapshot
from knowledge.spaces import space_of

ROLE = "code_embedding"
MISSING = """
    SELECT DISTINCT ON (chunk.content_hash) chunk.id, chunk.content_hash
    FROM knowledge_snapshotfile member
    JOIN knowledge_chunk chunk ON chunk.file_version_id = member.file_version_id AND chunk.kind = 'code'
    WHERE member.snapshot_id = %(snapshot)s
      AND NOT EXISTS (
          SELECT FROM knowledge_embedding vector
          WHERE vector.space_id = %(space)s AND vector.content_hash = chunk.content_hash)
    ORDER BY chunk.content_hash, chunk.id
"""


def code_endpoint(test_mode: bool) -> Embedder | None:
    """None where code is embedded like text. Raises EndpointError."""
    off = test_mode or settings.AI_TEST_MODE or not settings.ENDPOINTS[ROLE]["url"]
    return None if off else embedding_endpoint(ROLE)


def code_space(endpoint: Embedder | None) -> EmbeddingSpace | None:
    return space_of(endpoint) if endpoint else None


def embed_code(snapshot: Snapshot, endpoint: Embedder | None, progress: Progress) -> None:
    """Compute and store what is missing, a batch per transaction. Raises EndpointError."""
    space = code_space(endpoint)
    if endpoint is None or space is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(MISSING, {"snapshot": snapshot.pk, "space": space.pk})
        missing = sorted((chunk, bytes(content_hash)) for chunk, content_hash in cursor.fetchall())
    progress.done, progress.total = 0, len(missing)
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        texts = fitted(embedding_texts([chunk for chunk, _ in batch]), endpoint)
        store(space.pk, [content_hash for _, content_hash in batch], endpoint.embed_documents(texts))
        progress.counters["code_embedded"] += len(batch)
        progress.advance(len(batch))
    snapshot.code_space = space
    snapshot.save(update_fields=["code_space"])


def fitted(texts: Sequence[str], endpoint: Embedder) -> list[str]:
    """Chunks were cut for another model: as much of the beginning of each as this one takes."""
    counts = endpoint.count_tokens(texts)
    return [
        text if count <= endpoint.max_tokens else text[: len(text) * endpoint.max_tokens * 9 // (count * 10)]
        for text, count in zip(texts, counts, strict=True)
    ]
