"""One branch of a search, run over many queries."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from retrieval.evaluation.metrics import mean, percentile
from retrieval.results import Hit, SearchOptions
from retrieval.search import search

BRANCHES = ("lexical", "vector", "hybrid")
RERANKED = "reranked"  # hybrid, then the configured reranker


@dataclass(frozen=True, slots=True)
class Ranked:
    """A query's hits, and how long a search for its first ten took."""

    hits: tuple[Hit, ...]
    milliseconds: float


def run_branch(
    branch: str, library: str, queries: Iterable[str], depth: int, advance: Callable[[], None] = lambda: None
) -> list[Ranked]:
    """Search for each query twice: timed, as a user would, and then as deep as the measures look."""
    mode = "hybrid" if branch == RERANKED else branch
    shallow = SearchOptions(libraries=(library,), mode=mode, rerank=branch == RERANKED, remembered=False)
    deep = replace(shallow, top_k=depth, depth=depth)
    ranked = []
    for query in queries:
        timed = search(None, query, shallow)
        if timed.degraded:
            raise RuntimeError(f"cannot evaluate: {', '.join(timed.degraded)} did not answer")
        hits = timed.hits if depth <= shallow.top_k else search(None, query, deep).hits
        ranked.append(Ranked(hits, timed.took_ms["total"] or 0.0))
        advance()
    return ranked


def latencies(ranked: Sequence[Ranked]) -> dict[str, float]:
    times = [one.milliseconds for one in ranked]
    return {"p50_ms": round(percentile(times, 0.5), 2), "p95_ms": round(percentile(times, 0.95), 2)}


def averaged(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each measure over the queries, to four places."""
    return {name: round(mean([row[name] for row in rows]), 4) for name in (rows[0] if rows else {})}
