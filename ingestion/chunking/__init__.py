"""From sections to chunks: what is embedded, ranked and quoted."""

from ingestion.chunking.chunks import CHUNKER_VERSION, chunk
from ingestion.chunking.embedding import (
    LONGEST_BREADCRUMB,
    LONGEST_CONTEXT,
    PARTS_VERSION,
    embedded_parts,
    embedding_text,
    hash_of,
    told,
    told_by_hash,
)

__all__ = [
    "CHUNKER_VERSION",
    "LONGEST_BREADCRUMB",
    "LONGEST_CONTEXT",
    "PARTS_VERSION",
    "chunk",
    "embedded_parts",
    "embedding_text",
    "hash_of",
    "told",
    "told_by_hash",
]
