"""From a query to hits: both branches in one read, fused, loaded."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from knowledge.endpoints import EndpointError
from knowledge.models import Chunk
from knowledge.models.library import Reader

from . import lexical, vector
from .fusion import reciprocal_rank_fusion
from .preview import preview
from .query import clean
from .query_vector import QueryVector, forget, query_vector
from .results import Hit, SearchedLibrary, SearchOptions, SearchResult
from .view import View, one_read

MODES = ("hybrid", "lexical", "vector")
Ranking = list[tuple[int, float]]


class Stopwatch(dict[str, float]):
    """Milliseconds by stage."""

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self[stage] = self.get(stage, 0.0) + round((time.perf_counter() - started) * 1000, 3)


def search(user: Reader, query: str, options: SearchOptions = SearchOptions()) -> SearchResult:  # noqa: B008 - frozen
    """The best chunks that `user` may see. Raises UnknownLibrary, or ValueError for a mode; else it degrades."""
    if options.mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not “{options.mode}”")
    watch, query = Stopwatch(), clean(query)
    degraded: list[str] = []
    with watch.timed("total"):
        embedded = None
        if options.mode != "lexical" and query:
            with watch.timed("embed"):
                embedded = embed(query, degraded)
        with one_read(user, options.libraries, options.snapshot) as view:
            rankings = rank(view, query, embedded, options, watch, degraded)
            with watch.timed("fuse"):
                fused = reciprocal_rank_fusion(
                    {name: [chunk for chunk, _ in ranking] for name, ranking in rankings.items()}, options.rrf_k
                )
            with watch.timed("load"):
                hits = load(view, query, fused[: options.top_k], rankings)
    libraries = tuple(SearchedLibrary(found.library.slug, found.snapshot.number) for found in view.snapshots)
    return SearchResult(query, libraries, options.mode, tuple(dict.fromkeys(degraded)), dict(watch), hits)


def embed(query: str, degraded: list[str]) -> QueryVector | None:
    try:
        return query_vector(query)
    except EndpointError:
        forget()
        degraded.append("embedding")
        return None


def rank(
    view: View, query: str, embedded: QueryVector | None, options: SearchOptions, watch: Stopwatch, degraded: list[str]
) -> dict[str, Ranking]:
    """The branches' rankings. Without a vector the lexical branch stands in, and the result says so."""
    rankings: dict[str, Ranking] = {}
    if not query or not view.snapshots:
        return rankings
    if options.mode in ("hybrid", "lexical") or embedded is None:
        with watch.timed("lexical"):
            rankings["lexical"] = lexical.rank(view, query, options.depth)
    if embedded is not None:
        with watch.timed("vector"):
            rankings["vector"] = vector.rank(view, embedded.space, embedded.values, options.depth)
        if vector.unreachable(view, embedded.space):
            degraded.append("embedding")
    return rankings


def load(view: View, query: str, fused: list[tuple[int, float]], rankings: dict[str, Ranking]) -> tuple[Hit, ...]:
    """The hits for fused candidates, in their order, from the same read."""
    snapshots = {searched.snapshot.library_id: searched.snapshot for searched in view.snapshots}
    rows = Chunk.objects.in_snapshots(view.snapshot_ids).filter(pk__in=[chunk for chunk, _ in fused])
    chunks = (
        rows.select_related("section", "file_version__document_file__library").defer("file_version__text").in_bulk()
    )
    places = {name: {chunk: place for place, (chunk, _) in enumerate(found, 1)} for name, found in rankings.items()}
    scores = {name: dict(found) for name, found in rankings.items()}
    hits = []
    for position, (pk, fused_score) in enumerate(fused, start=1):
        chunk = chunks[pk]
        document = chunk.file_version.document_file
        snapshot = snapshots[document.library_id]
        branch_scores = {name: scores.get(name, {}).get(pk) for name in ("lexical", "vector")}
        hits.append(
            Hit(
                rank=position,
                library=document.library.slug,
                source_file=document.path,
                version=chunk.file_version.sha256,
                section_title=chunk.section.title,
                breadcrumb=tuple(chunk.section.breadcrumb),
                section_anchor=chunk.section.anchor,
                line_start=chunk.line_start,
                line_end=chunk.line_end,
                page=chunk.page,
                language=chunk.language,
                preview_text=preview(chunk.text, query),
                chunk_id=pk,
                url=reading_url(document.library.slug, document.path, snapshot.number, chunk),
                text=chunk.text,
                char_start=chunk.char_start,
                char_end=chunk.char_end,
                snapshot=snapshot.number,
                ranks={name: places.get(name, {}).get(pk) for name in ("lexical", "vector")},
                scores=branch_scores | {"fused": fused_score, "rerank": None},
            )
        )
    return tuple(hits)


def reading_url(library: str, path: str, snapshot: int, chunk: Chunk) -> str:
    """Where a citation lands (CONTRACT: HTTP)."""
    lines = f"{chunk.line_start}-{chunk.line_end}"
    return f"/read/{library}/{quote(path)}?snapshot={snapshot}&lines={lines}#{quote(chunk.section.anchor)}"
