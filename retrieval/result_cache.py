"""Results of searches, remembered for as long as they are true.

A sealed snapshot never changes, and every search resolves afresh which snapshots its user may read now and which files
are withdrawn. A key made of those, the query, the options and the models that took part therefore can't be stale:
activation, withdrawal and a lost permission change the key. What was found without a model that failed is not kept.
"""

import sys
from collections.abc import Hashable
from dataclasses import dataclass, replace

from django.conf import settings

from knowledge.endpoints.status import Proven

from .query_vector import QueryVector
from .results import Facet, Hit, SearchOptions
from .view import Cache, View

HIT_BYTES = 2_500  # what a hit takes beside its texts
KEY_BYTES = 100
VALUE_BYTES = 300  # of a facet

Hits = tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class CachedResult:
    """What is remembered of a search. Whether facets were asked for is part of the key."""

    hits: Hits
    facets: tuple[Facet, ...]
    is_unsaid: bool = False  # whether no passage holds a word of the query


def size_of(hit: Hit) -> int:
    return HIT_BYTES + sys.getsizeof(hit.text) + sys.getsizeof(hit.preview_text)


def size_of_all(hits: Hits) -> int:
    return KEY_BYTES + sum(map(size_of, hits))


def size_of_kept(kept: CachedResult) -> int:
    return size_of_all(kept.hits) + VALUE_BYTES * sum(len(facet.values) for facet in kept.facets)


def key_of(
    view: View, query: str, options: SearchOptions, embedded: QueryVector | None, reranker: Proven | None
) -> Hashable:
    """Whoever sees the same snapshots shares a result, however they named the libraries."""
    seen = tuple(
        (searched.slug, *searched.key, searched.learnt_weight, searched.retrieval_settings.lexical_weight)
        for searched in view.snapshots
    )
    models = embedded and embedded.space, reranker and reranker.proven_at
    return seen, query, replace(options, libraries=(), snapshot=None), models


def may_be_kept(options: SearchOptions) -> bool:
    """Explanations are large, seldom asked for, and not worth a place."""
    return options.remembered and not options.explain and not options.why_not


results: Cache[CachedResult] = Cache(settings.SEARCH_RESULTS_MB * 2**20, weigh=size_of_kept, least=0)
