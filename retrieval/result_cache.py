"""Results of searches, remembered for as long as they are true.

A sealed snapshot never changes, and every search resolves afresh which snapshots its user may read now and which files
are withdrawn. A key made of those, the query, the options and the models that took part therefore can't be stale:
activation, withdrawal and a lost permission change the key. What was found without a model that failed is not kept.
"""

import sys
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from threading import Lock

from django.conf import settings

from .query_vector import QueryVector
from .rerank import Reranker
from .results import Hit, SearchOptions
from .view import View

HIT_BYTES = 2_500  # what a hit takes beside its texts

Hits = tuple[Hit, ...]


class ResultCache:
    """The results used last, within a budget of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most, self._held, self._lock = most_bytes, 0, Lock()
        self._results: OrderedDict[Hashable, tuple[int, Hits]] = OrderedDict()

    def get(self, key: Hashable) -> Hits | None:
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][1]

    def put(self, key: Hashable, hits: Hits) -> None:
        size = sys.getsizeof(key) + sum(size_of(hit) for hit in hits)
        with self._lock:
            self._held += size - self._results.pop(key, (0, ()))[0]
            self._results[key] = (size, hits)
            while self._held > self._most:
                self._held -= self._results.popitem(last=False)[1][0]

    def clear(self) -> None:
        with self._lock:
            self._results.clear()
            self._held = 0


def size_of(hit: Hit) -> int:
    return HIT_BYTES + sys.getsizeof(hit.text) + sys.getsizeof(hit.preview_text)


def key_of(
    view: View, query: str, options: SearchOptions, embedded: QueryVector | None, reranker: Reranker | None
) -> Hashable:
    """Whoever sees the same snapshots shares a result, however they named the libraries."""
    seen = tuple((searched.slug, *searched.key, searched.lexical_weight) for searched in view.snapshots)
    models = embedded and embedded.space, reranker and reranker.proven_at
    return seen, query, replace(options, libraries=(), snapshot=None), models


def may_be_kept(options: SearchOptions) -> bool:
    """Explanations are large, seldom asked for, and not worth a place."""
    return options.remembered and not options.explain and not options.why_not


results = ResultCache(settings.SEARCH_RESULTS_MB * 2**20)
