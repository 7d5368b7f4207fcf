"""From a query to hits: both branches in one read, fused, loaded."""

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import psycopg
from django.conf import settings
from django.db import OperationalError
from numpy.typing import NDArray
from psycopg.errors import QueryCanceled

from knowledge.endpoints import CODE, EndpointError, has_code_model
from knowledge.endpoints.standing import Proven
from knowledge.metrics import searched
from knowledge.models.library import Reader

from . import code_search as code
from . import explain, facets, filters, lexical, rerank, tree, vector, why_not
from .bm25 import top
from .explanation import WhyNot
from .filter_names import only_exclusions, unknown_filters
from .found import BRANCHES, Found
from .fusion import Scale, agreement, combine, diversify, reciprocal_rank_fusion
from .knobs import Settled, settled
from .loading import load
from .query import Query, parse
from .query_vector import QueryVector, query_vector
from .result_cache import Kept, key_of, may_be_kept, results
from .results import Hit, SearchedLibrary, SearchOptions, SearchResult, understood
from .spelling import correctable, corrections
from .view import View, one_read, release_connection
from .why_not import Lost

STAGES = ("total", "embed", "filter", "spelling", "lexical", "vector", "fuse", "rerank", "load")
MODES = ("hybrid", *BRANCHES, "tree", "code")
FUSED = ("hybrid", "tree", "code")


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
    """The best chunks that `user` may see. Raises UnknownLibrary, or ValueError for a mode; else it degrades.

    Without AI_OFFLINE_FALLBACK a model that is away is no degradation but an EndpointError.
    """
    if options.mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}, not “{options.mode}”")
    watch, asked = Stopwatch(), parse(query).within(options.files)
    degraded: list[str] = []
    missing = tuple[WhyNot, ...]()
    with watch.timed("total"):
        embedded, as_code = None, None
        if options.mode != "lexical" and asked.text:
            with watch.timed("embed"):
                embedded = embed(asked.text, degraded)
                as_code = embed(asked.text, degraded, CODE) if options.mode == "code" and has_code_model() else None
        wanted = options.rerank if asked.text else False
        reranking = Reranking(wanted, *rerank.chosen(wanted))
        found = in_time(user, asked, options, (embedded, as_code), reranking, watch, degraded)
        read, known = found.read, found.known
        hits, counted = (read.hits, read.counted) if known is None else (known.hits, known.facets)
        if known is None:
            if found.reranker and hits:
                release_connection()
                with watch.timed("rerank"):
                    hits = rerank.reranked(found.reranker, read.text, hits, degraded)
            missing = tuple(why_not.concluded(one, hits, found.chosen, found.wide.top_k) for one in read.lost)
            hits = hits[: found.chosen.top_k]
            if may_be_kept(options) and not (degraded or read.notes or read.meant):
                results.put(found.key, Kept(hits, counted))
    searched(options.mode, watch["total"] / 1000, dict.fromkeys(degraded))
    return SearchResult(
        query=asked.written,
        libraries=read.libraries,
        mode=options.mode,
        degraded=tuple(dict.fromkeys(degraded)),
        took_ms={stage: watch.get(stage) for stage in STAGES},
        hits=hits,
        why_not=missing,
        facets=counted,
        remembered=known is not None,
        understood=understood(asked, options.phrases),
        notes=tuple(dict.fromkeys((*unknown_filters(asked), *only_exclusions(asked), *read.notes))),
        did_you_mean=asked.respelt(read.meant) if read.meant else None,
        corrected=read.corrected,
    )


@dataclass(frozen=True, slots=True)
class Read:
    """What one read of the database found."""

    libraries: tuple[SearchedLibrary, ...] = ()
    hits: tuple[Hit, ...] = ()
    lost: tuple[Lost, ...] = ()
    text: str = ""  # what was looked for, corrections included
    notes: tuple[str, ...] = ()
    meant: dict[str, str] = field(default_factory=dict)  # words that nothing holds, and what may be meant
    corrected: dict[str, str] = field(default_factory=dict)  # those of them that were searched for, too
    counted: facets.Facets = ()


@dataclass(frozen=True, slots=True)
class Reranking:
    """Whether a reranker is asked for, which there is, and what keeps it away: see `rerank.chosen`."""

    asked: bool | None
    reranker: Proven | None
    away: EndpointError | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one read found, or (`known`) a search before it, and how it looked."""

    read: Read
    chosen: Settled
    wide: Settled  # the same, with as many hits as a reranker puts in order
    reranker: Proven | None = None
    key: Hashable = None  # by which the result may be kept
    known: Kept | None = None


def in_time(
    user: Reader,
    asked: Query,
    options: SearchOptions,
    vectors: tuple[QueryVector | None, QueryVector | None],
    reranking: Reranking,
    watch: Stopwatch,
    degraded: list[str],
) -> Attempt:
    """Where the words take too long, what is near in meaning is better than nothing. Raises UnknownLibrary."""
    for without_words in (False, *([True] if options.mode in FUSED and vectors[0] else [])):
        try:
            return attempt(user, asked, options, vectors, reranking, without_words, watch, degraded)
        except (OperationalError, psycopg.OperationalError) as error:
            is_late = isinstance(error, QueryCanceled) or isinstance(error.__cause__, QueryCanceled)
            degraded.append("timeout" if is_late else "database")
            if not is_late:
                break
    return Attempt(Read(), settled(options, ()), settled(options, ()))


def attempt(
    user: Reader,
    asked: Query,
    options: SearchOptions,
    vectors: tuple[QueryVector | None, QueryVector | None],
    reranking: Reranking,
    without_words: bool,
    watch: Stopwatch,
    degraded: list[str],
) -> Attempt:
    """One read of the database, from the libraries to the hits; `vectors` are the query's as text and as code.

    Raises UnknownLibrary; OperationalError where the database is away, or a statement takes too long.
    """
    named = options.libraries or filters.named_libraries(user, asked)
    with one_read(user, named, options.snapshot) as readable:
        view, notes = filters.narrowed(readable, asked, named)
        view, near = code.in_its_space(view, *vectors)
        chosen = settled(options, [searched.knobs for searched in view.snapshots])
        reranker = None if chosen.rerank is False else reranking.reranker
        if chosen.rerank is not False and rerank.missed(reranking.asked, reranker, reranking.away):
            degraded.append("rerank")
        wide = replace(chosen, top_k=max(chosen.top_k, rerank.SHORTLIST)) if reranker else chosen
        key = key_of(view, asked.written, chosen, near, reranker)
        known = results.get(key) if may_be_kept(options) and not notes else None
        read = Read()
        if known is None:
            read = retrieve(user, view, asked, near, replace(wide, without_words=without_words), watch, degraded)
        libraries = tuple(SearchedLibrary(found.slug, found.number) for found in view.snapshots)
    return Attempt(replace(read, libraries=libraries, notes=(*notes, *read.notes)), chosen, wide, reranker, key, known)


def retrieve(
    user: Reader,
    view: View,
    asked: Query,
    embedded: QueryVector | None,
    options: Settled,
    watch: Stopwatch,
    degraded: list[str],
) -> Read:
    """What needs the read: the fused hits, explained if asked for, and what is known of a file that was missed."""
    notes: list[str] = []
    allowed, meant = None, {}
    if asked.operators:
        with watch.timed("filter"):
            allowed = filters.allowed(view, asked, notes, options.phrases)
    if options.mode == "code":
        allowed = code.only(view, allowed)
    words = None
    if not options.by_meaning_alone and asked.text:
        with watch.timed("lexical"):
            words = lexical.look_up(view, asked.text)
        if words.known < 1 or asked.phrases:
            with watch.timed("spelling"):
                meant = corrections(view, asked, allowed, degraded, options.patience)
    corrected = {word: meant[word] for word in correctable(asked, options.phrases) if word in meant}
    text = " ".join([asked.text, *corrected.values()])
    if asked.text:
        words = None if corrected else words
        found = replace(rank(view, text, embedded, options, watch, degraded, allowed, words), allowed=allowed)
    else:
        found = listed(view, asked, allowed, options)
    with watch.timed("load"):
        hits = load(view, text, found)
    if options.explain:
        reasons = explain.explanations(view, text, embedded, options, found)
        hits = tuple(replace(hit, explain=reason) for hit, reason in zip(hits, reasons, strict=True))
    lost = why_not.trace(user, view, options, embedded, found) if options.why_not else ()
    counted = facets.facets_of(view, found, asked) if options.facets else ()
    return Read((), hits, lost, text, tuple(notes), meant, corrected, counted)


def embed(query: str, degraded: list[str], role: str = "embedding") -> QueryVector | None:
    try:
        return query_vector(query, role)
    except EndpointError:
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        degraded.append("embedding")
        return None


def listed(view: View, asked: Query, allowed: filters.Mask | None, options: Settled) -> Found:
    """Filters and no words: what they leave, in order of path and place; of the tree each section once."""
    if allowed is None:
        positions = list(range(view.offsets[-1])) if asked.filters else []
    else:
        positions = np.flatnonzero(allowed).tolist()
    if options.mode == "tree":
        first = dict(zip(reversed(view.places.sections[positions].tolist()), reversed(positions), strict=True))
        positions = sorted(first.values())
    ranked = [(position, 0.0) for position in positions]
    return Found({}, {}, ranked[: options.top_k], ranked, allowed=allowed)


def rank(
    view: View,
    query: str,
    embedded: QueryVector | None,
    options: Settled,
    watch: Stopwatch,
    degraded: list[str],
    allowed: filters.Mask | None = None,
    words: lexical.LookUp | None = None,
) -> Found:
    """As `fuse` finds it; down the tree of files and sections, if that was asked for."""
    found = fuse(view, query, embedded, options, watch, degraded, allowed, words)
    return by_tree(view, found, options.top_k) if options.mode == "tree" else found


def by_tree(view: View, found: Found, most: int) -> Found:
    """The sections of what was found, each by its best chunk."""
    evidence = found.candidates
    if found.fusion != "scores" and evidence:  # of one branch alone, or of ranks: as shares of the best
        best = max(score for _, score in evidence)
        evidence = [(position, score / max(best, 1e-9)) for position, score in evidence]
    places = [position for position, _ in evidence]
    sections = dict(zip(places, view.places.sections[places].tolist(), strict=True))
    files = dict(zip(places, view.places.files[places].tolist(), strict=True))
    ordered = [(node.position, node.score) for node in tree.ranked(evidence, sections, files)]
    return replace(found, fused=ordered[:most], candidates=ordered, diverse=False)


def fuse(
    view: View,
    query: str,
    embedded: QueryVector | None,
    options: Settled,
    watch: Stopwatch,
    degraded: list[str],
    allowed: filters.Mask | None,
    words: lexical.LookUp | None,
) -> Found:
    """Both branches over everything visible and allowed, fused. Without a vector, or any that it can be
    compared with, the lexical branch stands in.

    `words` are the query's, where they were looked up before.
    """
    scores: dict[str, NDArray[Any]] = {}
    rankings: dict[str, list[int]] = {}
    covered = known = 0.0
    if not view.snapshots:
        return Found(scores, rankings, [])
    if not options.by_meaning_alone or embedded is None:
        with watch.timed("lexical"):
            words = words or lexical.look_up(view, query)
            scores["lexical"], known = lexical.scores(words), words.known
            if allowed is not None:
                scores["lexical"][~allowed] = 0
            covered = lexical.coverage(words, scores["lexical"])
            rankings["lexical"] = top(scores["lexical"], options.depth)
    if embedded is None:
        return alone("lexical", scores, rankings, options.top_k)
    with watch.timed("vector"):
        also = rankings.get("lexical", ())
        cosines = vector.cosines(view, embedded.space, embedded.values, also, options.depth, allowed)
        scores["vector"] = cosines.values
        rankings["vector"] = top(cosines.values, options.depth, above=vector.UNKNOWN)
    if cosines.unreachable:
        degraded.append("embedding")
        if not rankings["vector"]:
            return fuse(view, query, None, options, watch, degraded, allowed, words)
    with watch.timed("fuse"):
        if options.by_meaning_alone:
            return alone("vector", scores, rankings, options.top_k)
        fusion = "rrf" if cosines.unreachable else options.fusion
        scale = Scale(cosines.floor, embedded.reach)
        if fusion == "rrf":
            fused = reciprocal_rank_fusion(rankings, options.rrf_k)
        else:
            candidates = np.array(sorted({place for ranking in rankings.values() for place in ranking}), np.int64)
            weights = lexical.weights(view, candidates, covered, options.lexical_weight)
            by_words, by_meaning = rankings["lexical"], rankings["vector"]
            agreed = agreement(scores["lexical"], cosines.values, scale, by_words, by_meaning, known)
            scale = replace(scale, agreed=agreed)
            fused = combine(candidates, scores["lexical"], cosines.values, scale, weights)
        diverse = diversify(fused, view.places, options.top_k, options.diversity)
        return Found(scores, rankings, diverse, fused, fusion, scale, covered=covered, diverse=True)


def alone(branch: str, scores: dict[str, NDArray[Any]], rankings: dict[str, list[int]], most: int) -> Found:
    ranked = [(position, float(scores[branch][position])) for position in rankings[branch]]
    return Found(scores, rankings, ranked[:most], ranked)
