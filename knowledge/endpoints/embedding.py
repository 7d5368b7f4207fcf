"""Vectors from an OpenAI-compatible embedding endpoint, checked before anyone stores them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import openai
from django.conf import settings
from numpy.typing import NDArray

from knowledge.endpoints import tokens
from knowledge.endpoints.connection import SHORT, Connection, EndpointError

Vectors = NDArray[np.float32]

BATCH = 16
PROBES = (2048, 1024, 512, 256)  # no chunk is longer; llama.cpp's physical batch, 512 by default, is not in /props
CANARIES = (
    "A cat sleeps on the warm windowsill.",
    "The cat is sleeping on a warm windowsill.",
    "Interest rates on government bonds rose sharply in March.",
    "def load(path): return json.loads(path.read_text())",
)
NEARER = 0.5  # of the others' distance: what the like canaries have at most. MiniLM .04, a bag of words .2, chance 1


class EmbeddingEndpoint:
    """`embed_documents` and `embed_query` give float32 vectors of unit length. Every method may raise EndpointError."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._dimension: int | None = None
        self.patience: openai.Timeout | None = None  # for canaries; a build waits while a server loads its model

    @property
    def model(self) -> str:
        return self._connection.model

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            self.canaries()
        assert self._dimension is not None  # noqa: S101
        return self._dimension

    @cached_property
    def max_tokens(self) -> int:
        """Tokens that a document may have so that its prefix and the special tokens fit too."""
        context = tokens.context_tokens(self._connection)
        special = tokens.special_tokens(self._connection)
        accepted = min(context or PROBES[0], PROBES[0])
        if context is None or accepted > 512:
            sizes = [size for size in PROBES if size <= accepted]
            accepted = next((size for size in sizes if self._accepts(size - special)), PROBES[-1])
        return accepted - special - self.count_tokens([settings.EMBEDDING_DOCUMENT_PREFIX])[0]

    @cached_property
    def max_query_tokens(self) -> int:
        """The same for a query, whose prefix may be the longer one."""
        of_document, of_query = self.count_tokens([settings.EMBEDDING_DOCUMENT_PREFIX, settings.EMBEDDING_QUERY_PREFIX])
        return self.max_tokens + of_document - of_query

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dimension), in order. A text that fails alone is named by the error's `index`."""
        _refuse_empty(texts)
        prefixed = [settings.EMBEDDING_DOCUMENT_PREFIX + text for text in texts]
        batches = [self._embed(prefixed[start : start + BATCH], start) for start in range(0, len(texts), BATCH)]
        return np.vstack(batches) if batches else np.zeros((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """A vector of shape (dimension,)."""
        _refuse_empty([text])
        return self._embed([settings.EMBEDDING_QUERY_PREFIX + text], 0, SHORT)[0]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return tokens.count_tokens(self._connection, texts)

    def canaries(self) -> Vectors:
        """Vectors of four fixed texts without prefixes, shape (4, dimension): another model gives others.

        Refuses a server whose vectors do not place the two like sentences far nearer than the unlike ones: a reranker
        answers /embeddings with 200 and garbage, in which one of three is the nearest by chance.
        """
        vectors = self._embed(list(CANARIES), 0, self.patience)
        alike, *unlike = (float(vectors[0] @ other) for other in vectors[1:])
        if 1 - alike > NEARER * (1 - max(unlike)) or alike <= max(unlike):
            raise EndpointError("embedding", "answers vectors that do not follow meaning: is it an embedding model?")
        return vectors

    def _embed(self, texts: list[str], offset: int, timeout: openai.Timeout | None = None) -> Vectors:
        for index, text in enumerate(texts):
            if not text:
                raise EndpointError("embedding", "was given an empty text", index=offset + index)
        try:
            return self._request(texts, timeout)
        except EndpointError as error:
            if not error.divisible:
                raise
            if len(texts) == 1:
                reason = f"failed on a text of {len(texts[0]):,} characters: {error.reason}"
                raise EndpointError("embedding", reason, status=error.status, index=offset) from error
            middle = len(texts) // 2
            parts = (texts[:middle], offset), (texts[middle:], offset + middle)
            return np.vstack([self._embed(*part, timeout) for part in parts])

    def _request(self, texts: list[str], timeout: openai.Timeout | None) -> Vectors:
        model = self.model
        reply = self._connection.call(
            lambda client: client.embeddings.create(model=model, input=texts, timeout=timeout or openai.NOT_GIVEN)
        )
        vectors = self._checked(reply.data, len(texts))
        self._dimension = vectors.shape[1]
        return vectors

    def _checked(self, items: Any, expected: int) -> Vectors:
        try:
            ordered = sorted(items, key=lambda item: item.index)
            vectors = np.array([item.embedding for item in ordered], dtype=np.float64)
            indices = [item.index for item in ordered]
        except (TypeError, ValueError, AttributeError) as error:
            raise EndpointError("embedding", "gave no proper vectors", divisible=True) from error
        fault = self._fault(vectors, indices, expected)
        if fault:
            raise EndpointError("embedding", fault, divisible=True)
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def _fault(self, vectors: NDArray[np.float64], indices: list[int], expected: int) -> str | None:
        if indices != list(range(expected)):
            return f"gave vectors for items {indices[:20]} where {expected} were asked for"
        if vectors.ndim != 2 or not vectors.shape[1]:
            return "gave vectors without numbers or of unequal length"
        if not np.isfinite(vectors).all():
            return "gave a vector that is not finite"
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(vectors, axis=1)
        if not norms.all():
            return "gave a vector of length zero"
        if not np.isfinite(norms).all():
            return "gave a vector too long to be measured"
        if self._dimension not in (None, vectors.shape[1]):
            return f"gave vectors of {vectors.shape[1]} dimensions after {self._dimension}: another model?"
        return None

    def _accepts(self, size: int) -> bool:
        try:
            self._request(["a " * size], None)
        except EndpointError as error:
            if not error.divisible:
                raise
            return False
        return True


def _refuse_empty(texts: Sequence[str]) -> None:
    """llama.cpp answers an empty text with a vector, which would match everything a little."""
    for index, text in enumerate(texts):
        if not text.strip():
            raise EndpointError("embedding", "was given an empty text", index=index)
