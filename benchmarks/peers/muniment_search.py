"""Muniment: `retrieval.search.search` as a view calls it, permissions, snippets and loading included; nothing is
remembered but the query's vector, whose making no peer is charged with either."""

import os
import sys
from pathlib import Path

from worker import Corpus, Search, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))


def build(corpus: Corpus) -> dict[str, Search]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from retrieval.query import clean
    from retrieval.query_vector import query_vector
    from retrieval.results import SearchOptions
    from retrieval.search import search
    from retrieval.view import one_read

    with one_read(None, [corpus.library]) as view:
        positions = {pk: position for position, pk in enumerate(view.chunk_columns.chunks.tolist())}
    for query in corpus.queries:
        query_vector(clean(query))

    def search_as(mode: str) -> Search:
        def answer(query, vector, most):
            options = SearchOptions((corpus.library,), mode, top_k=most, rerank=False, remembered=False)
            result = search(None, query, options)
            if result.degraded:
                raise RuntimeError(f"degraded: {result.degraded}")
            return [positions[hit.chunk_id] for hit in result.hits]

        return answer

    return {mode: search_as(mode) for mode in ("lexical", "vector", "hybrid")}


serve(build)
