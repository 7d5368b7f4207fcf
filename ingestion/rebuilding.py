"""Vectors and postings made anew from the chunks. Searches meanwhile see the old or the new ones, never none."""

import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from numpy.typing import NDArray

from knowledge.endpoints import Embedder, embedding_endpoint
from knowledge.models import Chunk, LexicalSegment, Library, Snapshot
from knowledge.spaces import space_of

from .embedding import BATCH, embedding_texts, store
from .lexical import SEGMENT_CHUNKS, add_segment
from .operations import operation
from .pipeline import prepare
from .progress import Listener, Progress

TEXTS = """
    SELECT DISTINCT ON (chunk.content_hash) chunk.id, chunk.content_hash
    FROM knowledge_snapshotfile member
    JOIN knowledge_chunk chunk ON chunk.file_version_id = member.file_version_id
    WHERE member.snapshot_id = %s
    ORDER BY chunk.content_hash, chunk.id
"""


class CannotRebuild(Exception):
    """The message says why, and what to do."""


def rebuild(library: Library, listener: Listener | None = None) -> dict[str, Any]:
    """Of the active snapshot: every vector, and every posting of its library. Raises CannotRebuild, LibraryBusy or
    EndpointError; what was renewed by then stays, and nothing is missing.
    """
    with operation(library, "rebuild", listener) as progress:
        library.refresh_from_db()
        snapshot = library.active_snapshot
        if snapshot is None:
            raise CannotRebuild(f"{library} has no active snapshot")
        endpoint = embedding_endpoint()
        if (own := space_of(endpoint)).pk != snapshot.space_id:
            raise CannotRebuild(
                f"{snapshot} was embedded by {snapshot.space}, and {own} answers: reindex, or set EMBEDDING_URL to it"
            )
        with progress.timed("embed"):
            renew_vectors(snapshot, endpoint, progress)
        with progress.timed("lexical"):
            renew_postings(library, snapshot.profile.lexical_hash, progress)
        shutil.rmtree(settings.HOME / "matrices" / str(library.pk), ignore_errors=True)  # made of the old vectors
        Snapshot.objects.filter(pk=snapshot.pk).update(rebuilds=F("rebuilds") + 1)
        with progress.timed("prepare"):
            prepare(snapshot, progress)
    return {
        "library": library.slug,
        "snapshot": snapshot.number,
        "embeddings": progress.counters["embeddings_computed"],
        "chunks": progress.counters["chunks_indexed"],
        "seconds": {stage: round(value, 3) for stage, value in progress.seconds.items()},
    }


def renew_vectors(snapshot: Snapshot, endpoint: Embedder, progress: Progress) -> None:
    """A batch at a time: computed first, then exchanged in one transaction."""
    with connection.cursor() as cursor:
        cursor.execute(TEXTS, [snapshot.pk])
        texts = sorted((chunk, bytes(content_hash)) for chunk, content_hash in cursor.fetchall())
    progress.total = len(texts)
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        hashes = [content_hash for _, content_hash in batch]
        vectors = endpoint.embed_documents(embedding_texts([chunk for chunk, _ in batch]))
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(
                    "DELETE FROM knowledge_embedding WHERE space_id = %s AND content_hash = ANY(%s)",
                    [snapshot.space_id, hashes],
                )
            store(snapshot.space_id, hashes, vectors)
        progress.counters["embeddings_computed"] += len(batch)
        progress.advance(len(batch))


def renew_postings(library: Library, lexical: str, progress: Progress, without: Sequence[int] = ()) -> None:
    """New segments in the place of all of this analysis, in one transaction, with the chunks that snapshots hold."""
    holding = holders(library, lexical, without)
    alive = alive_chunks(holding)
    progress.total, progress.done = len(alive), 0
    with transaction.atomic():
        drop_segments(library, lexical)
        for start in range(0, len(alive), SEGMENT_CHUNKS):
            batch = alive[start : start + SEGMENT_CHUNKS]
            add_segment(holding[0], lexical, batch)
            progress.counters["chunks_indexed"] += len(batch)
            progress.done += len(batch)  # its row is not written to within this transaction


def holders(library: Library, lexical: str, without: Sequence[int] = ()) -> list[Snapshot]:
    """The library's snapshots, sealed and in the making, whose words are analysed so."""
    snapshots = library.snapshots.exclude(state=Snapshot.State.FAILED).exclude(pk__in=without).select_related("profile")
    return [snapshot for snapshot in snapshots if snapshot.profile.lexical_hash == lexical]


def alive_chunks(snapshots: Sequence[Snapshot]) -> NDArray[np.int64]:
    """Ascending."""
    held = Chunk.objects.filter(file_version__memberships__snapshot__in=snapshots).values_list("pk", flat=True)
    return np.unique(np.fromiter(held.iterator(), "<i8"))


def drop_segments(library: Library, lexical: str) -> int:
    segments = list(LexicalSegment.objects.filter(library=library, lexical=lexical).values_list("pk", flat=True))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM knowledge_posting WHERE segment_id = ANY(%s)", [segments])
        cursor.execute("DELETE FROM knowledge_lexicalsegment WHERE id = ANY(%s)", [segments])
    return len(segments)
