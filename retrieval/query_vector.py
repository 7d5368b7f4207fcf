"""The query's vector and its embedding space, asked for before the read begins: no transaction waits for it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from knowledge.endpoints import Embedder, embedding_endpoint
from knowledge.spaces import space_of

from .view import Cache, release_connection

RECOGNISED_SECONDS = 300.0  # how long an endpoint is trusted to serve the model that its canaries showed

_endpoints: dict[str, tuple[float, Embedder, int]] = {}  # by role


@dataclass(frozen=True, slots=True)
class QueryVector:
    space: int
    values: list[float]


_vectors: Cache[QueryVector] = Cache(2048)


def query_vector(query: str, role: str = "embedding") -> QueryVector:
    """The vector of a clean query; remembered. Raises EndpointError."""
    endpoint, space = recognised_endpoint(role)

    def made() -> QueryVector:
        release_connection()
        return QueryVector(space, endpoint.embed_query(shortened(query, endpoint)).tolist())

    return _vectors.get_or_make((space, query), made)


def shortened(query: str, endpoint: Embedder) -> str:
    """As much of the query's beginning as the model takes: longer inputs are refused, not cut, by the server."""
    while len(query) > endpoint.max_tokens // 4:  # no vocabulary makes four tokens of every character
        (tokens,) = endpoint.count_tokens([query])
        if tokens <= endpoint.max_tokens:
            break
        query = query[: int(len(query) * endpoint.max_tokens / tokens * 0.98)]
    return query


def recognised_endpoint(role: str = "embedding") -> tuple[Embedder, int]:
    """The role's endpoint and the space its canaries place it in, looked at again every five minutes."""
    known = _endpoints.get(role)
    if known is None or time.monotonic() - known[0] > RECOGNISED_SECONDS:
        if known:  # others go on with what is known while this one looks: a hundred threads ask at the same moment
            _endpoints[role] = (time.monotonic(), *known[1:])
        endpoint = embedding_endpoint(role)
        known = _endpoints[role] = (time.monotonic(), endpoint, space_of(endpoint).pk)
    return known[1], known[2]


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
    """Look at the endpoints anew at the next query: one failed, or their settings changed."""
    _endpoints.clear()
