"""Passages that are read whatever the search finds: those that a reader pins, and the one behind another."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from knowledge.models import Chunk
from knowledge.models.library import Reader
from retrieval.candidates import RankedCandidates
from retrieval.loading import load
from retrieval.results import Hit, SearchOptions
from retrieval.stretches import section_of
from retrieval.view import UnknownLibrary, one_read, release_connection


def hits_of(user: Reader, query: str, options: SearchOptions, chunks: Sequence[int]) -> tuple[Hit, ...]:
    """In the order asked for. A chunk that is not visible in the searched snapshots is left out."""
    if not chunks:
        return ()
    with one_read(user, options.libraries, options.snapshot) as view:
        wanted = np.flatnonzero(np.isin(view.chunk_columns.chunks, chunks))
        places = {int(view.chunk_columns.chunks[place]): int(place) for place in wanted}
        found = [(places[pk], 1.0) for pk in chunks if pk in places]
        return load(view, query, RankedCandidates({}, {}, found, found))


def passage_after(user: Reader, query: str, hit: Hit) -> Hit | None:
    """The next passage of the same section, if it may be seen; None at the section's end."""
    version = Chunk.objects.filter(pk=hit.chunk_id).values("file_version")
    after = Chunk.objects.filter(file_version__in=version, ordinal=hit.ordinal + 1).values_list("pk", flat=True)
    try:
        found = hits_of(user, query, SearchOptions((hit.library,), snapshot=hit.snapshot), list(after))
    except UnknownLibrary:  # the snapshot was withdrawn meanwhile
        return None
    finally:
        release_connection()
    return replace(found[0], rank=hit.rank) if found and section_of(found[0]) == section_of(hit) else None
