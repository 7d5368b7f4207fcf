"""The index profile of a library as the code, the settings and the embedding endpoint stand now."""

from typing import Any

from knowledge.analysis import ANALYSIS_VERSION
from knowledge.models import EmbeddingSpace, IndexProfile, Library

from .chunking import CHUNKER_VERSION, LONGEST_BREADCRUMB, LONGEST_CONTEXT
from .parsers import PARSER_VERSION
from .recognition import recognised_languages

CHUNK_BUDGET = 300  # tokens of a chunk's text; MiniLM was trained on 256, and a small chat model reads few
CHUNK_OVERLAP = 0
SCORING_VERSION = 2


def current_profile(library: Library, space: EmbeddingSpace) -> IndexProfile:
    """The row that stands for these settings; made on first use."""
    settings: dict[str, Any] = {
        "parsers": PARSER_VERSION,
        "chunker": CHUNKER_VERSION,
        "budget": min(CHUNK_BUDGET, space.max_tokens * 3 // 4),
        "limit": space.max_tokens - LONGEST_BREADCRUMB - LONGEST_CONTEXT,
        "overlap": CHUNK_OVERLAP,
        "tokenizer": space.model,
        "language": library.language,
        "analysis": ANALYSIS_VERSION,
        "scoring": SCORING_VERSION,
        "embedding": {
            "model": space.model,
            "dimension": space.dimension,
            "query_prefix": space.query_prefix,
            "document_prefix": space.document_prefix,
        },
    }
    if languages := recognised_languages():
        settings["ocr"] = languages
    return IndexProfile.objects.for_settings(settings)
