"""Which embedding space an endpoint's vectors belong to: recognised by canary vectors, not by a name.

llama.cpp echoes whatever model name it is asked for, so a model swapped behind the same name shows only in what it
answers. Canaries are compared with a tolerance, since processors, thread counts and quantised kernels differ in the
last digits: two machines with one model agree at a cosine above .9999; other models of the same size do not reach .5.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.conf import settings

from knowledge.endpoints import Embedder, EndpointError, embedding_endpoint
from knowledge.endpoints.connection import SHORT
from knowledge.endpoints.embedding import EmbeddingEndpoint
from knowledge.models import EmbeddingSpace, Snapshot

SAME_MODEL_COSINE = 0.995
ALIKE = 2  # the first canaries say the same; the others have nothing to do with them or with each other
UNRELATED = 0.03  # the cosine that MiniLM gives such texts: the constants of search and answers were measured with it
LEAST_COSINE_RANGE = 0.05


def space_of(endpoint: Embedder) -> EmbeddingSpace:
    """The space whose model, prefixes and canaries are the endpoint's; a new one if there is none."""
    space = recognised_space(endpoint)
    if space.pk is None:
        space.save()
    return space


def recognised_space(endpoint: Embedder) -> EmbeddingSpace:
    """The same, but a new one is not saved: it has no key. Raises EndpointError."""
    canaries = endpoint.canaries()
    known = next(spaces_like(endpoint, canaries), None)
    return known or EmbeddingSpace(
        **identity_of(endpoint), max_tokens=endpoint.max_tokens, canaries=np.round(canaries, 6).astype(float).tolist()
    )


def spaces_like(endpoint: Embedder, canaries: np.ndarray) -> Iterator[EmbeddingSpace]:
    """The known spaces of the model that answers, the oldest first."""
    for space in EmbeddingSpace.objects.filter(**identity_of(endpoint)).order_by("pk"):
        if same_model(np.array(space.canaries, dtype=np.float32), canaries):
            yield space


def identity_of(endpoint: Embedder) -> dict[str, Any]:
    return {
        "model": endpoint.model,
        "dimension": endpoint.dimension,
        "query_prefix": settings.EMBEDDING_QUERY_PREFIX,
        "document_prefix": settings.EMBEDDING_DOCUMENT_PREFIX,
    }


def still_of(space: EmbeddingSpace, endpoint: Embedder) -> bool:
    """Whether the endpoint still serves the space's model, now. Raises EndpointError."""
    return same_model(np.array(space.canaries, dtype=np.float32), endpoint.canaries())


def answering_space() -> EmbeddingSpace | None:
    """Of the model that answers now; None: it does not."""
    try:
        return recognised_space(asked_shortly())
    except EndpointError:
        return None


def asked_shortly() -> Embedder:
    """The endpoint, for somebody who waits. Raises EndpointError."""
    endpoint = embedding_endpoint()
    if isinstance(endpoint, EmbeddingEndpoint):
        endpoint.patience = SHORT
    return endpoint


def why_words_only(snapshot: Snapshot) -> str:
    """Why its vectors cannot be compared with a query's; empty: they can, or the model does not answer now."""
    try:
        endpoint = asked_shortly()
        if snapshot.space in spaces_like(endpoint, endpoint.canaries()):
            return ""
    except EndpointError:
        return ""
    return f"its vectors were made by {snapshot.space}, not by the model that answers: it is searched by words only"


def same_model(known: np.ndarray, seen: np.ndarray) -> bool:
    """Whether every canary (rows, unit length) points the same way in both."""
    return known.shape == seen.shape and bool(((known * seen).sum(axis=1) >= SAME_MODEL_COSINE).all())


def cosine_range(space: EmbeddingSpace) -> float:
    """How far apart a model's cosines lie, seen at the canaries: 1 for MiniLM and every model that gives texts which
    have nothing to do with each other a cosine of 0, .3 for E5, which gives them .7.

    1 - (1 - cosine) / cosine_range is what MiniLM would give texts as near to each other. docs/decisions/0028
    """
    canaries = np.array(space.canaries, dtype=np.float64)
    cosines = canaries @ canaries.T
    unrelated = np.concatenate([cosines[n, max(n + 1, ALIKE) :] for n in range(len(canaries))])
    return float(np.clip((1 - unrelated.mean()) / (1 - UNRELATED), LEAST_COSINE_RANGE, 1.0))
