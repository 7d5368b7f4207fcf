"""One hash over everything that the sections and chunks of a file say, for the manifest. Pure."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from knowledge.canonical import canonical_hash

SECTION = attrgetter(
    "ordinal", "parent", "level", "title", "breadcrumb", "anchor", "aliases", "line_start", "line_end", "page"
)
CHUNK = attrgetter("kind", "language", "text", "context", "char_start", "char_end", "line_start", "line_end")


def digest(sections: Iterable[Any], chunks: Iterable[Any]) -> str:
    """Of drafts, whose `section` is an ordinal, in their order."""
    return canonical_hash(
        {
            "sections": [list(SECTION(section)) for section in sections],
            "chunks": [[chunk.ordinal, chunk.section, *CHUNK(chunk)] for chunk in chunks],
        }
    )
