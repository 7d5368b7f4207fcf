"""Reranking: a model that reads query and passage together orders the first of the fused hits anew.

It runs after the read, so that neither a transaction nor a database connection waits for a model.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings

from knowledge.endpoints import EndpointError
from knowledge.endpoints.status import EndpointStatus, Proven

from .results import Hit
from .view import release_connection

# Time grows with every passage read: a model of MiniLM's size reads 13 a second on two cores (docs/decisions/0001). The
# first 30 fused hits hold most of the relevant ones that the first 100 hold: benchmarks/README.md.
SHORTLIST = 30
RERANKER = EndpointStatus("rerank")


def chosen(asked: bool | None) -> tuple[Proven | None, EndpointError | None]:
    """The reranker for a search that asked for it (True), takes it where there is one (None), or does without; and what
    keeps it away."""
    if asked is False:
        return None, None
    try:
        if not RERANKER.is_known:
            release_connection()
        return RERANKER.proven(), None
    except EndpointError as error:
        return None, error


def missed(asked: bool | None, reranker: Proven | None, away: EndpointError | None) -> bool:
    """Whether a search does without a reranker that it should have. Raises what keeps it away without
    AI_OFFLINE_FALLBACK."""
    if away and not settings.AI_OFFLINE_FALLBACK:
        raise away
    return bool(away or (asked and reranker is None))


def reranked(reranker: Proven, query: str, hits: Sequence[Hit], degraded: list[str]) -> tuple[Hit, ...]:
    """The first SHORTLIST hits in the reranker's order, equals as they were, and the others after them."""
    try:
        scores = reranker.endpoint.rerank(query, [hit.headed(hit.whole) for hit in hits[:SHORTLIST]])
    except EndpointError as error:
        RERANKER.failed(error)
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        degraded.append("rerank")
        return tuple(hits)
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    judged = [
        replace(
            hits[place],
            rank=number,
            ranks=hits[place].ranks | {"rerank": number},
            scores=hits[place].scores | {"rerank": scores[place]},
        )
        for number, place in enumerate(order, start=1)
    ]
    return (*judged, *hits[SHORTLIST:])
