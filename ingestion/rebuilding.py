"""Vectors and postings made anew from the chunks. Searches meanwhile see the old or the new ones, never none."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import F
from numpy.typing import NDArray

from knowledge.endpoints import Embedder, embedding_endpoint
from knowledge.models import Chunk, LexicalSegment, Library, SectionSummary, Snapshot, SnapshotFile
from knowledge.spaces import space_of
from knowledge.storage import folders

from .chunking import embedding_text
from .code_vectors import code_endpoint, code_space, code_texts
from .embedding import BATCH, Embedded, Text, chunks_of, embed, store, texts_of
from .lexical import SEGMENT_CHUNKS, add_segment
from .operations import operation
from .pipeline import prepare
from .progress import Listener, Progress

REMOVE = "DELETE FROM knowledge_embedding WHERE space_id = %s AND content_hash = ANY(%s) RETURNING content_hash, parts"

Texts = Callable[[Sequence[int]], Sequence[Text]]  # of these rows


class CannotRebuild(Exception):
    """The message says why, and what to do."""


def rebuild(library: Library, listener: Listener | None = None) -> dict[str, Any]:
    """Of the active snapshot: every vector, of its texts, summaries and code; and of its library every posting of its
    analysis.

    Raises CannotRebuild, LibraryBusy, LeaseLost or EndpointError; what was renewed by then stays, nothing is missing.
    """
    with operation(library, "rebuild", listener) as progress:
        library.refresh_from_db()
        snapshot = library.active_snapshot
        if snapshot is None:
            raise CannotRebuild(f"{library} has no active snapshot")
        endpoint, for_code = endpoints_of(snapshot)
        with progress.timed("embed"):
            renew_vectors(snapshot.space_id, chunks_of(snapshot), texts_of(snapshot), endpoint, progress)
            if for_code and snapshot.code_space_id:
                texts = partial(code_texts, endpoint=for_code)
                renew_vectors(snapshot.code_space_id, chunks_of(snapshot, "code"), texts, for_code, progress)
        with progress.timed("summaries"):
            renew_vectors(snapshot.space_id, summaries_of(snapshot), summary_texts, endpoint, progress)
        with progress.timed("lexical"):
            renew_postings(library, snapshot.profile.lexical_hash, progress)
        with transaction.atomic():
            progress.job.hold()
            folders.drop_matrices(library.pk)  # made of the old vectors
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


def endpoints_of(snapshot: Snapshot) -> tuple[Embedder, Embedder | None]:
    """Those that made its vectors, and those of its code where they are of another model. Raises CannotRebuild."""
    endpoint, for_code = embedding_endpoint(), code_endpoint(test_mode=False)
    if (own := space_of(endpoint)).pk != snapshot.space_id:
        raise CannotRebuild(
            f"{snapshot} was embedded by {snapshot.space}, and {own} answers: reindex --full "
            f"{snapshot.library}, or set EMBEDDING_URL to it"
        )
    if snapshot.code_space_id and (known := code_space(for_code)) != snapshot.code_space:
        answering = known or "no model for code"
        raise CannotRebuild(
            f"the code of {snapshot} was embedded by {snapshot.code_space}, and {answering} answers: reindex "
            f"--full {snapshot.library}, or set CODE_EMBEDDING_URL to it"
        )
    return endpoint, for_code if snapshot.code_space_id else None


def summaries_of(snapshot: Snapshot) -> list[tuple[int, bytes]]:
    rows = SectionSummary.objects.of_snapshot(snapshot).values_list("content_hash", "pk")
    return sorted((pk, content_hash) for content_hash, pk in {bytes(text): pk for text, pk in rows}.items())


def summary_texts(summaries: Sequence[int]) -> list[str]:
    rows = SectionSummary.objects.filter(pk__in=summaries).values_list("pk", "section__breadcrumb", "text")
    texts = {pk: embedding_text(breadcrumb, text) for pk, breadcrumb, text in rows}
    return [texts[pk] for pk in summaries]


def renew_vectors(
    space: int, wanted: Sequence[tuple[int, bytes]], texts: Texts, endpoint: Embedder, progress: Progress
) -> None:
    """A batch at a time: computed first, then exchanged in one transaction. `wanted` are rows and content hashes."""
    progress.done, progress.total = 0, len(wanted)
    for start in range(0, len(wanted), BATCH):
        rows, hashes = zip(*wanted[start : start + BATCH], strict=True)
        embedded = embed(texts(rows), endpoint)
        with transaction.atomic():
            progress.job.hold()
            replace_vectors(space, hashes, embedded)
        progress.counters["embeddings_computed"] += len(hashes)
        progress.advance(len(hashes))


def replace_vectors(space: int, hashes: Sequence[bytes], embedded: Sequence[Embedded]) -> None:
    """What is embedded as a whole keeps the parts that a later snapshot made."""
    with connection.cursor() as cursor:
        cursor.execute(REMOVE, [space, list(hashes)])
        known = {bytes(content_hash): parts for content_hash, parts in cursor.fetchall()}
    pairs = zip(hashes, embedded, strict=True)
    store(space, hashes, [(vector, known.get(one) if parts is None else parts) for one, (vector, parts) in pairs])


def renew_postings(library: Library, lexical: str, progress: Progress) -> None:
    """New segments in the place of all of this analysis, in one transaction, with the chunks that snapshots hold."""
    holding = holders(library, lexical)
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
    """The library's snapshots, sealed and in the making, whose words are analysed so; `without` these keys."""
    snapshots = library.snapshots.exclude(state=Snapshot.State.FAILED).exclude(pk__in=without).select_related("profile")
    return [snapshot for snapshot in snapshots if snapshot.profile.lexical_hash == lexical]


def alive_chunks(snapshots: Sequence[Snapshot]) -> NDArray[np.int64]:
    """Ascending."""
    members = SnapshotFile.objects.filter(snapshot__in=snapshots).values("file_version")
    held = Chunk.objects.filter(file_version__in=members).order_by().values_list("pk", flat=True)
    return np.sort(np.fromiter(held.iterator(), "<i8"))


def drop_segments(library: Library, lexical: str) -> int:
    segments = list(LexicalSegment.objects.filter(library=library, lexical=lexical).values_list("pk", flat=True))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM knowledge_posting WHERE segment_id = ANY(%s)", [segments])
        cursor.execute("DELETE FROM knowledge_lexicalsegment WHERE id = ANY(%s)", [segments])
    return len(segments)
