"""Both branches over everything that may be seen, and what they make together: a query in, positions in order out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from . import lexical, tree, vector
from .bm25 import Floats, top
from .candidates import RankedCandidates
from .filtering.columns import Mask
from .fusion import MOSTLY_KNOWN, Scale, agreement, combine, coverage, diversify, reciprocal_rank_fusion, words_worth
from .naming import named_first
from .query import Query, is_identifier
from .query_vector import QueryVector
from .results import SearchedLibrary
from .retrieval_settings import ResolvedOptions
from .verbatim import said_first
from .view import View


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """What a search tells of itself: where it looked, milliseconds by stage, and what it had to do without."""

    libraries: list[SearchedLibrary] = field(default_factory=list)
    took_ms: dict[str, float] = field(default_factory=dict)
    degraded: list[str] = field(default_factory=list)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.took_ms[stage] = self.took_ms.get(stage, 0.0) + round((perf_counter() - started) * 1000, 3)


@dataclass(frozen=True, slots=True)
class RankingInput:
    """What is looked for, where, and how."""

    view: View
    text: str  # corrections included
    embedded: QueryVector | None
    options: ResolvedOptions
    allowed: Mask | None = None  # by position: what filters leave
    words: lexical.LookUp | None = None  # of the text, where they were looked up before


@dataclass(frozen=True, slots=True)
class ByWords:
    """Where the query's words stand; scores by position; the best positions."""

    looked_up: lexical.LookUp
    scores: Floats
    ranking: list[int]


@dataclass(frozen=True, slots=True)
class ByMeaning:
    """Cosines by position; the positions of the nearest."""

    cosines: vector.Cosines
    ranking: list[int]


def rank(inputs: RankingInput, trace: SearchTrace) -> RankedCandidates:
    """As `fuse` finds it; down the tree of files and sections, if that was asked for. What is called so, or
    says a message in a row, comes first."""
    view, options = inputs.view, inputs.options
    ranked = fuse(inputs, trace)
    if options.mode == "tree":
        ranked = by_tree(view, ranked, options.top_k)
    with trace.timed("fuse"):
        ranked = named_first(view, inputs.text, ranked, options.top_k, options.diversity)
        return said_first(view, inputs.text, ranked, options.top_k)


def fuse(inputs: RankingInput, trace: SearchTrace) -> RankedCandidates:
    """The hits of both branches, or of the one that was asked for. Without a vector, or any that it can be compared
    with, words stand in."""
    options, words = inputs.options, None
    if not inputs.view.snapshots:
        return RankedCandidates({}, {}, [])
    if not options.by_meaning_alone or inputs.embedded is None:
        with trace.timed("lexical"):
            words = by_words(inputs)
    if inputs.embedded is None:
        return alone("lexical", words.scores, words.ranking, options.top_k) if words else RankedCandidates({}, {}, [])
    with trace.timed("vector"):
        meaning = by_meaning(inputs, inputs.embedded, words.ranking if words else ())
    if meaning.cosines.unreachable:
        if inputs.allowed is None or inputs.allowed.any():  # else there is nothing that it could have found
            trace.degraded.append("embedding")
        if not meaning.ranking:
            return fuse(replace(inputs, embedded=None), trace)
    with trace.timed("fuse"):
        if words is None:
            return alone("vector", meaning.cosines.values, meaning.ranking, options.top_k)
        return together(inputs, words, meaning, inputs.embedded.cosine_range)


def by_words(inputs: RankingInput) -> ByWords:
    words = inputs.words or lexical.look_up(inputs.view, inputs.text)
    scores = lexical.scores(words)
    if inputs.allowed is not None:
        scores[~inputs.allowed] = 0
    return ByWords(words, scores, top(scores, inputs.options.depth))


def by_meaning(inputs: RankingInput, embedded: QueryVector, also: Sequence[int]) -> ByMeaning:
    """`also` are positions whose cosines are needed, however far off they are."""
    depth = inputs.options.depth
    cosines = vector.cosines(inputs.view, embedded.space, embedded.values, also, depth, inputs.allowed)
    return ByMeaning(cosines, top(cosines.values, depth, above=vector.UNKNOWN))


def together(inputs: RankingInput, words: ByWords, meaning: ByMeaning, cosine_range: float) -> RankedCandidates:
    """By scores; by ranks, if that was asked for, or where some vectors cannot be compared with the query's."""
    view, options, cosines = inputs.view, inputs.options, meaning.cosines
    rankings = {"lexical": words.ranking, "vector": meaning.ranking}
    fusion = "rrf" if cosines.unreachable else options.fusion
    scale = Scale(cosines.floor, cosine_range)
    covered = coverage(float(words.scores.max(initial=0.0)), lexical.bounds(words.looked_up))
    worth = words_worth(covered, words.looked_up.index.collection)
    if fusion == "rrf":
        fused = reciprocal_rank_fusion(rankings, options.rrf_k)
    else:
        candidates = np.array(sorted({*words.ranking, *meaning.ranking}), np.int64)
        weights = view.lexical_weights(candidates, options.lexical_weight) * worth
        known = words.looked_up.known
        agreed = agreement(words.scores, cosines.values, scale, words.ranking, meaning.ranking, known)
        if is_identifier(inputs.text) and known >= MOSTLY_KNOWN:
            agreed = 0.0
        scale = replace(scale, agreed=agreed)
        fused = combine(candidates, words.scores, cosines.values, scale, weights)
    diverse = diversify(fused, view.chunk_columns, options.top_k, options.diversity)
    scores = {"lexical": words.scores, "vector": cosines.values}
    return RankedCandidates(scores, rankings, diverse, fused, fusion, scale, words_worth=worth, diverse=True)


def alone(branch: str, scores: NDArray[np.floating], ranking: list[int], most: int) -> RankedCandidates:
    ranked = [(position, float(scores[position])) for position in ranking]
    return RankedCandidates({branch: scores}, {branch: ranking}, ranked[:most], ranked)


def by_tree(view: View, ranked: RankedCandidates, most: int) -> RankedCandidates:
    """The sections of what was found, each by its best chunk."""
    evidence = ranked.candidates
    if ranked.fusion != "scores" and evidence:  # of one branch alone, or of ranks: as shares of the best
        best = max(score for _, score in evidence)
        evidence = [(position, score / max(best, 1e-9)) for position, score in evidence]
    places = [position for position, _ in evidence]
    sections = dict(zip(places, view.chunk_columns.sections[places].tolist(), strict=True))
    files = dict(zip(places, view.chunk_columns.files[places].tolist(), strict=True))
    ordered = [(node.position, node.score) for node in tree.ranked(evidence, sections, files)]
    return replace(ranked, fused=ordered[:most], candidates=ordered, diverse=False)


def listed(view: View, asked: Query, allowed: Mask | None, options: ResolvedOptions) -> RankedCandidates:
    """Filters and no words: what they leave, in order of path and place; of the tree each section once."""
    if allowed is None:
        positions = list(range(view.offsets[-1])) if asked.filters else []
    else:
        positions = np.flatnonzero(allowed).tolist()
    if options.mode == "tree":
        first = dict(zip(reversed(view.chunk_columns.sections[positions].tolist()), reversed(positions), strict=True))
        positions = sorted(first.values())
    ranked = [(position, 0.0) for position in positions]
    return RankedCandidates({}, {}, ranked[: options.top_k], ranked, allowed=allowed)
