"""Reranking: a model that reads query and passage together orders the first of the fused hits anew.

It runs after the read, so that neither a transaction nor a database connection waits for a model.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings

from knowledge.endpoints import EndpointError, RerankEndpoint, rerank_endpoint

from .results import Hit

# Time grows with every passage read: a model of MiniLM's size reads 13 a second on two cores (docs/decisions/0001). The
# first 30 fused hits hold most of the relevant ones that the first 100 hold: benchmarks/README.md.
SHORTLIST = 30
PROVEN_SECONDS = 300.0  # how long an endpoint is trusted after it passed its probe, or to be off
AWAY_SECONDS = 30.0  # before one that failed is tried again: searches meanwhile don't wait for it


@dataclass(frozen=True, slots=True)
class Reranker:
    """An endpoint that has passed its probe; `proven_at` tells one proof from the next."""

    endpoint: RerankEndpoint
    proven_at: float


_known: tuple[float, Reranker | EndpointError | None] | None = None  # until when, and what


def proven_reranker() -> Reranker | None:
    """The configured reranker, after a real call showed that it ranks; None when it is off. Raises EndpointError."""
    if _known is None or time.monotonic() > _known[0]:
        try:
            _remember(_probed(), PROVEN_SECONDS)
        except EndpointError as error:
            _remember(error, AWAY_SECONDS)
    assert _known is not None  # noqa: S101
    if isinstance(_known[1], EndpointError):
        raise _known[1]
    return _known[1]


def _probed() -> Reranker | None:
    endpoint = rerank_endpoint()
    if endpoint is None:
        return None
    endpoint.probe()
    return Reranker(endpoint, time.monotonic())


def _remember(what: Reranker | EndpointError | None, seconds: float) -> None:
    global _known  # noqa: PLW0603 - one per process, replaced whole
    _known = (time.monotonic() + seconds, what)


def forget() -> None:
    """Look at the endpoint anew at the next search: its settings changed."""
    global _known  # noqa: PLW0603
    _known = None


def chosen(asked: bool | None) -> tuple[Reranker | None, EndpointError | None]:
    """The reranker for a search that asked for it (True), takes it where there is one (None), or does without; and what
    keeps it away."""
    if asked is False:
        return None, None
    try:
        return proven_reranker(), None
    except EndpointError as error:
        return None, error


def missed(asked: bool | None, reranker: Reranker | None, away: EndpointError | None) -> bool:
    """Whether a search does without a reranker that it should have. Raises what keeps it away without
    AI_OFFLINE_FALLBACK."""
    if away and not settings.AI_OFFLINE_FALLBACK:
        raise away
    return bool(away or (asked and reranker is None))


def reranked(reranker: Reranker, query: str, hits: Sequence[Hit], degraded: list[str]) -> tuple[Hit, ...]:
    """The first SHORTLIST hits in the reranker's order, equals as they were, and the others after them."""
    try:
        scores = reranker.endpoint.rerank(query, [hit.headed(hit.text) for hit in hits[:SHORTLIST]])
    except EndpointError as error:
        _remember(error, AWAY_SECONDS)
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
