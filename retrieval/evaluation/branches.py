"""One branch of a search, run over many queries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from knowledge.models import Snapshot
from retrieval.evaluation.metrics import mean, percentile
from retrieval.query_vector import nothing_remembered
from retrieval.results import Hit, SearchOptions, SearchResult
from retrieval.search import search

BRANCHES = ("lexical", "vector", "hybrid")
OTHERS = ("tree", "code")
RERANKED = "reranked"  # hybrid, then the configured reranker
TIMED = 100  # queries of a set whose latency is measured
PATIENCE = 60.0  # seconds: what is measured must not depend on how warm the disk is


@dataclass(frozen=True, slots=True)
class Ranked:
    """A query's hits; and, where it was timed, how long a search for its first ten took, embedding included."""

    hits: tuple[Hit, ...]
    milliseconds: float | None


def searching(snapshot: Snapshot) -> SearchOptions:
    """Every query of a run sees the same snapshot, whatever is activated meanwhile. Judged quotes are words."""
    return SearchOptions(libraries=(snapshot.library.slug,), snapshot=snapshot.number, phrases=False)


def run_branch(
    branch: str, queries: Sequence[str], options: SearchOptions, depth: int, advance: Callable[[], None]
) -> list[Ranked]:
    """Search for each query as deep as the measures look; up to TIMED, evenly spread, before that as a user would."""
    mode = "hybrid" if branch == RERANKED else branch
    shallow = replace(options, mode=mode, rerank=branch == RERANKED, remembered=False, patience=PATIENCE)
    deep = shallow if shallow.top_k and depth <= shallow.top_k else replace(shallow, top_k=depth)
    every = -(-len(queries) // TIMED)
    if queries:
        complete(queries[0], shallow)  # what a process reads once and keeps is in no query's time
    ranked = []
    for number, query in enumerate(queries):
        timed = None
        if number % every == 0:
            with nothing_remembered():
                timed = complete(query, shallow)
        found = timed if timed and deep is shallow else complete(query, deep)
        ranked.append(Ranked(found.hits, timed.took_ms["total"] if timed else None))
        advance()
    return ranked


def complete(query: str, options: SearchOptions) -> SearchResult:
    """Raises RuntimeError when part of the search did not answer: a degraded search is not what is measured."""
    result = search(None, query, options)
    if result.degraded:
        raise RuntimeError(f"cannot evaluate: {', '.join(result.degraded)} did not answer")
    return result


def latencies(ranked: Sequence[Ranked]) -> dict[str, float]:
    times = [one.milliseconds for one in ranked if one.milliseconds is not None]
    return {"p50_ms": round(percentile(times, 0.5), 2), "p95_ms": round(percentile(times, 0.95), 2)}


def averaged(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each measure over the queries, to four places."""
    return {name: round(mean([row[name] for row in rows]), 4) for name in (rows[0] if rows else {})}
