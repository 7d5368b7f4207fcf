"""From a query to hits: both branches in one read, fused, loaded."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from numpy.typing import NDArray

from knowledge.endpoints import EndpointError
from knowledge.models.library import Reader

from . import lexical, vector
from .bm25 import top
from .fusion import combine, diversify, reciprocal_rank_fusion
from .preview import preview
from .query import clean
from .query_vector import QueryVector, forget, query_vector
from .results import Hit, SearchedLibrary, SearchOptions, SearchResult
from .view import View, one_read, rows

BRANCHES = ("lexical", "vector")
MODES = ("hybrid", *BRANCHES)
HITS = """
    SELECT chunk.id, chunk.text, chunk.line_start, chunk.line_end, chunk.char_start, chunk.char_end, chunk.page,
           chunk.language, section.title, section.breadcrumb, section.anchor, version.sha256, file.path, file.library_id
    FROM knowledge_chunk chunk
    JOIN knowledge_section section ON section.id = chunk.section_id
    JOIN knowledge_fileversion version ON version.id = chunk.file_version_id
    JOIN knowledge_documentfile file ON file.id = version.document_file_id
    WHERE chunk.id = ANY(%s::bigint[])
"""


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
            found = rank(view, query, embedded, options, watch, degraded)
            with watch.timed("load"):
                hits = load(view, query, found)
    libraries = tuple(SearchedLibrary(found.slug, found.number) for found in view.snapshots)
    return SearchResult(query, libraries, options.mode, tuple(dict.fromkeys(degraded)), dict(watch), hits)


def embed(query: str, degraded: list[str]) -> QueryVector | None:
    try:
        return query_vector(query)
    except EndpointError:
        forget()
        degraded.append("embedding")
        return None


@dataclass(frozen=True, slots=True)
class Found:
    """What the branches say of a view, by position: their scores, their rankings, and the fused order."""

    scores: dict[str, NDArray[Any]]
    rankings: dict[str, list[int]]
    fused: list[tuple[int, float]]


def rank(
    view: View, query: str, embedded: QueryVector | None, options: SearchOptions, watch: Stopwatch, degraded: list[str]
) -> Found:
    """Both branches over everything visible, fused. Without a vector the lexical branch stands in."""
    scores: dict[str, NDArray[Any]] = {}
    rankings: dict[str, list[int]] = {}
    if not query or not view.snapshots:
        return Found(scores, rankings, [])
    if options.mode in ("hybrid", "lexical") or embedded is None:
        with watch.timed("lexical"):
            scores["lexical"] = lexical.scores(view, query)
            rankings["lexical"] = top(scores["lexical"], options.depth)
    if embedded is None:
        return Found(scores, rankings, alone("lexical", scores, rankings, options.top_k))
    with watch.timed("vector"):
        also = rankings.get("lexical", ())
        cosines = vector.cosines(view, embedded.space, embedded.values, also, options.depth)
        scores["vector"] = cosines.values
        rankings["vector"] = top(cosines.values, options.depth, above=vector.UNKNOWN)
    if cosines.unreachable:
        degraded.append("embedding")
    with watch.timed("fuse"):
        if options.mode != "hybrid":
            return Found(scores, rankings, alone(options.mode, scores, rankings, options.top_k))
        if options.fusion == "rrf" or cosines.unreachable:
            fused = reciprocal_rank_fusion(rankings, options.rrf_k)
        else:
            candidates = {position for ranking in rankings.values() for position in ranking}
            fused = combine(candidates, scores["lexical"], cosines.values, cosines.floor, options.lexical_weight)
        return Found(scores, rankings, diversify(fused, view.places.sections, view.places.files, options.top_k))


def alone(
    branch: str, scores: dict[str, NDArray[Any]], rankings: dict[str, list[int]], most: int
) -> list[tuple[int, float]]:
    return [(position, float(scores[branch][position])) for position in rankings[branch][:most]]


def load(view: View, query: str, found: Found) -> tuple[Hit, ...]:
    """The hits for the fused positions, in their order. The branches ranked only what is visible in this same read."""
    snapshots = {searched.library_id: searched for searched in view.snapshots}
    fused = [(int(view.places.chunks[position]), position, score) for position, score in found.fused]
    chunks = {row[0]: row[1:] for row in rows(HITS, ([pk for pk, _, _ in fused],))}
    ranks = {name: {place: rank for rank, place in enumerate(found.rankings.get(name, ()), 1)} for name in BRANCHES}
    hits = []
    for number, (pk, position, fused_score) in enumerate(fused, start=1):
        text, line_start, line_end, char_start, char_end, page, language, title, breadcrumb, anchor, *rest = chunks[pk]
        version, path, library = rest
        snapshot = snapshots[library]
        scores = {name: float(found.scores[name][position]) if name in found.scores else None for name in BRANCHES}
        hits.append(
            Hit(
                rank=number,
                library=snapshot.slug,
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
                url=reading_url(snapshot.slug, snapshot.number, path, (line_start, line_end), anchor),
                text=text,
                char_start=char_start,
                char_end=char_end,
                snapshot=snapshot.number,
                ranks={name: ranks[name].get(position) for name in BRANCHES},
                scores=scores | {"fused": fused_score, "rerank": None},
            )
        )
    return tuple(hits)


def reading_url(library: str, snapshot: int, path: str, lines: tuple[int, int], anchor: str) -> str:
    """Where a citation lands (CONTRACT: HTTP)."""
    place = f"snapshot={snapshot}&lines={lines[0]}-{lines[1]}#{quote(anchor)}"
    return f"/read/{library}/{quote(path)}?{place}"
