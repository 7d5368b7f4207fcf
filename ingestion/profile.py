"""The settings of a library's index profile as the code, the settings and the embedding endpoint stand now."""

from typing import Any

from knowledge.models import EmbeddingSpace, Library
from knowledge.texts.analysis import ANALYSIS_VERSION

from .chunking import CHUNKER_VERSION, LONGEST_BREADCRUMB, LONGEST_CONTEXT, PARTS_VERSION
from .parsers import PARSER_VERSION
from .recognition import recognised_languages
from .summaries.stage import method_of

CHUNK_BUDGET = 300  # tokens of a chunk's text; MiniLM was trained on 256, and a small chat model reads few
CHUNK_OVERLAP = 0
SCORING_VERSION = 2


def profile_settings(
    library: Library, space: EmbeddingSpace, test_mode: bool = False, code: EmbeddingSpace | None = None
) -> dict[str, Any]:
    """What decides what an index of the library contains. `code` is the space of its code, where that has one."""
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
        "parts": PARTS_VERSION,
        "embedding": {
            "model": space.model,
            "dimension": space.dimension,
            "query_prefix": space.query_prefix,
            "document_prefix": space.document_prefix,
        },
    }
    if languages := recognised_languages():
        settings["ocr"] = languages
    if code:
        settings["code_embedding"] = {"model": code.model, "dimension": code.dimension}
    if summaries := method_of(library, test_mode):
        settings["summaries"] = summaries
    return settings
