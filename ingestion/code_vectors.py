"""Vectors of code by a model of its own, beside those that every chunk has."""

from collections.abc import Sequence
from functools import partial

from ingestion.embedding import compute, embedding_texts, missing_chunks
from ingestion.progress import Progress
from knowledge.endpoints import CODE, Embedder, embedding_endpoint, has_code_model
from knowledge.models import EmbeddingSpace, Snapshot
from knowledge.spaces import space_of


def code_endpoint(test_mode: bool) -> Embedder | None:
    """None where code is embedded like text. Raises EndpointError."""
    return embedding_endpoint(CODE) if has_code_model() and not test_mode else None


def code_space(endpoint: Embedder | None) -> EmbeddingSpace | None:
    return space_of(endpoint) if endpoint else None


def embed_code(snapshot: Snapshot, endpoint: Embedder | None, space: EmbeddingSpace | None, progress: Progress) -> None:
    """Compute and store what is missing, where code has a model of its own. Raises EndpointError."""
    if endpoint is None or space is None:
        return
    texts = partial(code_texts, endpoint=endpoint)
    snapshot.code_space = space  # from now on its vectors are needed: nobody collects them
    snapshot.save(update_fields=["code_space"])
    compute(space, missing_chunks(snapshot, space.pk, "code"), texts, endpoint, progress, "code_embedded")


def code_texts(chunk_ids: Sequence[int], endpoint: Embedder) -> list[str]:
    return fitted(embedding_texts(chunk_ids), endpoint)


def fitted(texts: Sequence[str], endpoint: Embedder) -> list[str]:
    """Chunks were cut for another model: as much of the beginning of each as this one takes."""
    counts = endpoint.count_tokens(texts)
    return [
        text if count <= endpoint.max_tokens else text[: len(text) * endpoint.max_tokens * 9 // (count * 10)]
        for text, count in zip(texts, counts, strict=True)
    ]
