"""Relevance scores from a `/v1/rerank` endpoint (llama.cpp, Jina and others speak it)."""

import math
from collections.abc import Sequence
from functools import cached_property

from knowledge.endpoints import tokens
from knowledge.endpoints.connection import SHORT, Connection, EndpointError

UNTOLD_CONTEXT = 512
ROOM = 16  # for the special tokens of a pair and a model's template
PROBE = "What is the capital of France?", ("Cats sleep most of the day.", "Paris is the capital of France.")


class RerankEndpoint:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def model(self) -> str:
        return self._connection.model

    @cached_property
    def pair_tokens(self) -> int:
        """Tokens that a query and one document may have together."""
        return (tokens.context_tokens(self._connection) or UNTOLD_CONTEXT) - ROOM

    def rerank(self, query: str, documents: Sequence[str], most: int | None = None) -> list[float]:
        """A score per document, in the documents' order; only their order means something (raw logits).

        A document longer than the model reads is judged by its beginning; a query may fill half of what it reads. That
        is `most` tokens of a pair, where the model has learnt from no longer ones. Raises EndpointError.
        """
        if not documents:
            return []
        query, fitted = self._fit(query, documents, min(self.pair_tokens, most or self.pair_tokens))
        body = {"model": self.model, "query": query, "documents": fitted, "top_n": len(fitted)}
        reply = self._connection.post(f"{self._connection.address.url}/rerank", body, SHORT)
        try:
            scores = {int(item["index"]): float(item["relevance_score"]) for item in reply["results"]}
        except (LookupError, TypeError, ValueError) as error:
            raise EndpointError(self._connection.role, "gave no list of scores") from error
        if sorted(scores) != list(range(len(documents))) or not all(map(math.isfinite, scores.values())):
            raise EndpointError(self._connection.role, "gave scores that do not match the documents")
        return [scores[index] for index in range(len(documents))]

    def probe(self) -> None:
        """Raises EndpointError unless a plain answer is placed before an unrelated sentence.

        Asked because servers claim abilities falsely, and a model converted without its pooler gives wrong orders.
        """
        query, documents = PROBE
        unrelated, answer = self.rerank(query, documents)
        if answer <= unrelated:
            role = self._connection.role
            raise EndpointError(role, "places an unrelated sentence before an answer: is it a reranking model?")

    def _fit(self, query: str, documents: Sequence[str], most: int) -> tuple[str, list[str]]:
        asked, *counts = tokens.count_tokens(self._connection, [query, *documents])
        half = most // 2
        room = most - min(asked, half)
        return cut(query, asked, half), [cut(text, count, room) for text, count in zip(documents, counts, strict=True)]


def cut(text: str, tokens: int, room: int) -> str:
    """As much of its beginning as fits, if tokens are spread evenly."""
    return text if tokens <= room else text[: len(text) * room // tokens]
