"""From a query to hits: both branches in one read, fused, loaded."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from knowledge.endpoints import EndpointError
from knowledge.models import Chunk, Snapshot
from knowledge.models.library import Reader

from . import lexical, vector
from .fusion import reciprocal_rank_fusion
from .preview import preview
from .query import clean
from .query_vector import QueryVector, forget, query_vector
from .results import Hit, SearchedLibrary, SearchOptions, SearchResult
from .view import View, one_read

MODES = ("hybrid", "lexical", "vector")
COLUMNS = (
    "pk",
    "text",
    "line_start",
    "line_end",
    "char_start",
    "char_end",
    "page",
    "language",
    "section__title",
    "section__breadcrumb",
    "section__anchor",
    "file_version__sha256",
    "file_version__document_file__path",
    "file_version__document_file__library",
)
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
    """The hits for fused candidates, in their order. The branches ranked only what is visible in this same read."""
    snapshots = {searched.snapshot.library_id: searched.snapshot for searched in view.snapshots}
    rows = {row[0]: row[1:] for row in Chunk.objects.filter(pk__in=[chunk for chunk, _ in fused]).values_list(*COLUMNS)}
    places = {name: {chunk: place for place, (chunk, _) in enumerate(found, 1)} for name, found in rankings.items()}
    scores = {name: dict(found) for name, found in rankings.items()}
    hits = []
    for position, (pk, fused_score) in enumerate(fused, start=1):
        text, line_start, line_end, char_start, char_end, page, language, title, breadcrumb, anchor, *rest = rows[pk]
        version, path, library = rest
        snapshot = snapshots[library]
        branch_scores = {name: scores.get(name, {}).get(pk) for name in ("lexical", "vector")}
        hits.append(
            Hit(
                rank=position,
                library=snapshot.library.slug,
                source_file=path,
                version=version,
                section_title=title,
                breadcrumb=tuple(breadcrumb),
                section_anchor=anchor,
                line_start=line_start,
                line_end=line_end,
                page=page,
                language=language,
                preview_text=preview(text, query),
                chunk_id=pk,
                url=reading_url(snapshot, path, (line_start, line_end), anchor),
                text=text,
                char_start=char_start,
                char_end=char_end,
                snapshot=snapshot.number,
                ranks={name: places.get(name, {}).get(pk) for name in ("lexical", "vector")},
                scores=branch_scores | {"fused": fused_score, "rerank": None},
            )
        )
    return tuple(hits)


def reading_url(snapshot: Snapshot, path: str, lines: tuple[int, int], anchor: str) -> str:
    """Where a citation lands (CONTRACT: HTTP)."""
    place = f"snapshot={snapshot.number}&lines={lines[0]}-{lines[1]}#{quote(anchor)}"
    return f"/read/{snapshot.library.slug}/{quote(path)}?{place}"
