"""One hash over everything that the sections and chunks of a file say, for the manifest. Pure."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from knowledge.canonical import canonical_hash

SECTION = ("ordinal", "parent", "level", "title", "breadcrumb", "anchor", "aliases", "line_start", "line_end", "page")
CHUNK = ("kind", "language", "text", "context", "char_start", "char_end", "line_start", "line_end")
of_section, of_chunk = attrgetter(*SECTION), attrgetter(*CHUNK)


def digest(sections: Iterable[Any], chunks: Iterable[Any]) -> str:
    """Of drafts, whose `section` is an ordinal, in their order."""
    return canonical_hash(
        {
            "sections": [list(of_section(section)) for section in sections],
            "chunks": [[chunk.ordinal, chunk.section, *of_chunk(chunk)] for chunk in chunks],
        }
    )
