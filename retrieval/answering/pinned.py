"""Passages that a reader wants to be read, whatever the search finds: loaded as hits, if they may be seen."""

from collections.abc import Sequence

import numpy as np

from knowledge.models.library import Reader
from retrieval.found import Found
from retrieval.results import Hit, SearchOptions
from retrieval.search import load
from retrieval.view import one_read


def pinned_hits(user: Reader, query: str, options: SearchOptions, chunks: Sequence[int]) -> tuple[Hit, ...]:
    """In the order asked for. A chunk that is not visible in the searched snapshots is left out."""
    if not chunks:
        return ()
    with one_read(user, options.libraries, options.snapshot) as view:
        wanted = np.flatnonzero(np.isin(view.places.chunks, chunks))
        places = {int(view.places.chunks[place]): int(place) for place in wanted}
        found = [(places[pk], 1.0) for pk in chunks if pk in places]
        return load(view, query, Found({}, {}, found, found))
