"""A search is written down as the searched libraries' policies say."""

from knowledge.governance import query_log
from knowledge.models.library import Reader

from .results import SearchResult


def note_search(user: Reader, result: SearchResult) -> None:
    searched = [library.slug for library in result.libraries]
    query_log.note(user, "search", result.query, searched, degraded=bool(result.degraded))
