"""The query's vector and its embedding space, asked for before the read begins: no transaction waits for it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from knowledge.endpoints import Embedder, EndpointError, embedding_endpoint
from knowledge.endpoints.connection import SHORT
from knowledge.endpoints.embedding import EmbeddingEndpoint
from knowledge.endpoints.status import AWAY_SECONDS
from knowledge.spaces import cosine_range, space_of

from .view import Cache, release_connection

RECOGNISED_SECONDS = 300.0  # how long an endpoint is trusted to serve the model that its canaries showed
SLOW_SECONDS = 5.0  # what failed so slowly is left alone for AWAY_SECONDS: nobody waits for it meanwhile


@dataclass(frozen=True, slots=True)
class Recognised:
    """An endpoint, and the embedding space whose model it serves."""

    endpoint: Embedder
    space: int
    cosine_range: float  # of the space's cosines: `knowledge.spaces.cosine_range`


@dataclass(frozen=True, slots=True)
class QueryVector:
    space: int
    values: list[float]
    cosine_range: float = 1.0


_endpoints: dict[str, tuple[float, Recognised]] = {}  # by role
_away: dict[str, tuple[float, EndpointError]] = {}  # until when, and why
_vectors: Cache[QueryVector] = Cache(2048)


def query_vector(query: str, role: str = "embedding") -> QueryVector:
    """The vector of a clean query; remembered. Raises EndpointError, for a while without asking again."""
    until, why = _away.get(role, (0.0, None))
    if why is not None and time.monotonic() < until:
        raise why.with_traceback(None)  # else it would keep the frames of everyone who was told
    began = time.monotonic()
    try:
        known = recognised_endpoint(role)

        def made() -> QueryVector:
            release_connection()
            vector = known.endpoint.embed_query(shortened(query, known.endpoint))
            return QueryVector(known.space, vector.tolist(), known.cosine_range)

        return _vectors.get_or_make((known.space, query), made)
    except EndpointError as error:
        _endpoints.pop(role, None)  # it is looked at anew
        if time.monotonic() - began > SLOW_SECONDS:
            _away[role] = (time.monotonic() + AWAY_SECONDS, error)
        raise


def shortened(query: str, endpoint: Embedder) -> str:
    """As much of the query's beginning as the model takes: longer inputs are refused, not cut, by the server."""
    while len(query) > endpoint.max_query_tokens // 4:  # no vocabulary makes four tokens of every character
        (tokens,) = endpoint.count_tokens([query])
        if tokens <= endpoint.max_query_tokens:
            break
        query = query[: int(len(query) * endpoint.max_query_tokens / tokens * 0.98)]
    return query


def recognised_endpoint(role: str = "embedding") -> Recognised:
    """The role's endpoint and the space its canaries place it in, looked at again every five minutes."""
    looked, known = _endpoints.get(role, (0.0, None))
    if known is None or time.monotonic() - looked > RECOGNISED_SECONDS:
        if known:  # others go on with what is known while this one looks: a hundred threads ask at the same moment
            _endpoints[role] = (time.monotonic(), known)
        release_connection()
        endpoint = embedding_endpoint(role)
        if isinstance(endpoint, EmbeddingEndpoint):
            endpoint.patience = SHORT
        space = space_of(endpoint)
        known = Recognised(endpoint, space.pk, cosine_range(space))
        _endpoints[role] = (time.monotonic(), known)
    return known


@contextmanager
def nothing_remembered() -> Iterator[None]:
    """Within, every query is embedded, as one that nobody asked before; for measuring, in a process of its own."""
    global _vectors  # noqa: PLW0603
    before, _vectors = _vectors, Cache(1)
    try:
        yield
    finally:
        _vectors = before


def forget() -> None:
    """Look at the endpoints anew at the next query: their settings changed."""
    _endpoints.clear()
    _away.clear()
