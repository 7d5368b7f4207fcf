"""Why each hit stands where it stands: computed only when asked for, from the same scores as the ranking.

Ranks are exact: those among everything searched, not only among the candidates.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import lexical, vector
from .bm25 import Scoring, heaviest, inverse_document_frequency, score
from .candidates import RankedCandidates
from .explanation_values import BranchScore, Diversity, Explanation, TermScore, rank_of
from .fusion import Fused, reciprocal_rank_fusion, scaled, worth
from .query_vector import QueryVector
from .retrieval_settings import ResolvedOptions
from .view import View

LEAST = {"lexical": 0.0, "vector": vector.UNKNOWN}  # a score at or below this is none
BLOCK = 20_000  # vectors compared in full at a time, where the search compared only some

Scores = dict[str, NDArray[np.floating]]


def explanations(
    view: View, query: str, embedded: QueryVector | None, options: ResolvedOptions, ranked: RankedCandidates
) -> list[Explanation]:
    """One for each fused hit, in their order."""
    chosen = [position for position, _ in ranked.fused]
    if not chosen:
        return []
    scores = exact_scores(view, embedded, ranked)
    totals = {position: float(scores["lexical"][position]) for position in chosen} if "lexical" in scores else {}
    terms = matched_terms(view, query, totals) if totals else {}
    by_score = {position: rank for rank, (position, _) in enumerate(ranked.candidates, start=1)}
    parts = fused_parts(view, ranked, options, scores, chosen)
    worth = diversities(view, ranked.fused, options.diversity if ranked.diverse else None)
    return [
        Explanation(
            fusion=ranked.fusion,
            parts=parts[place] if options.mode != "tree" else down_the_tree(parts[place], *ranked.fused[place], place),
            terms=terms.get(position, ()),
            file_score=max(totals.get(position, 0.0) - sum(term.score for term in terms.get(position, ())), 0.0),
            fused_rank=by_score[position],
            diversity=worth[place],
            rank_before_rerank=place + 1,
            named=position in ranked.named,
        )
        for place, position in enumerate(chosen)
    ]


def exact_scores(view: View, embedded: QueryVector | None, ranked: RankedCandidates) -> Scores:
    """The branches' scores of every allowed chunk, also of those whose vectors the search left out as too far."""
    scores: Scores = dict(ranked.scores)
    allowed = slice(None) if ranked.allowed is None else ranked.allowed
    if embedded is None or "vector" not in scores or (scores["vector"][allowed] > vector.UNKNOWN).all():
        return scores
    for start in range(0, len(scores["vector"]), BLOCK):
        block = range(start, min(start + BLOCK, len(scores["vector"])))
        known = vector.cosines(view, embedded.space, embedded.values, block, 1, ranked.allowed).values
        scores["vector"] = np.maximum(scores["vector"], known)
    return scores


def fused_parts(
    view: View, ranked: RankedCandidates, options: ResolvedOptions, scores: Scores, positions: Sequence[int]
) -> list[tuple[BranchScore, ...]]:
    """What each branch adds to the fused score of each position."""
    shares: dict[str, NDArray[np.float64]] = {}
    weights: dict[str, NDArray[np.float64]] = {}
    if ranked.fusion == "scores":
        arrays = ranked.scores["lexical"], ranked.scores["vector"], ranked.scale
        places = np.array(positions, np.int64)
        own_weights = view.lexical_weights(places, options.lexical_weight) * ranked.words_worth
        share, *both = scaled(places, *arrays, own_weights)
        shares, weights = dict(zip(LEAST, both, strict=True)), {"lexical": share, "vector": 1 - share}

    by_rank: dict[str, dict[int, float]] = {}
    if ranked.fusion == "rrf":  # as they stood then: some vectors may not have been compared
        rankings = ranked.rankings.items()
        by_rank = {name: dict(reciprocal_rank_fusion({name: ranking}, options.rrf_k)) for name, ranking in rankings}

    def part(branch: str, place: int, position: int) -> BranchScore:
        rank = rank_of(scores[branch], position, LEAST[branch])
        own = float(scores[branch][position])
        score = own if own > vector.UNKNOWN else None
        if ranked.fusion == "scores":
            of_best = float(shares[branch][place])
            weight = float(weights[branch][place])
            return BranchScore(branch, rank, score, of_best, weight, weight * of_best)
        if ranked.fusion == "rrf":
            return BranchScore(branch, rank, score, None, None, by_rank[branch].get(position, 0.0))
        return BranchScore(branch, rank, score, None, None, own)

    return [
        tuple(part(branch, place, position) for branch in sorted(scores)) for place, position in enumerate(positions)
    ]


def down_the_tree(parts: tuple[BranchScore, ...], _: int, score: float, place: int) -> tuple[BranchScore, ...]:
    """With what the section's file adds to what words and meaning gave."""
    return (*parts, BranchScore("tree", place + 1, score, None, None, score - sum(part.adds for part in parts)))


def matched_terms(view: View, query: str, totals: Mapping[int, float]) -> dict[int, tuple[TermScore, ...]]:
    """By position, the query's lexemes that stand in its chunk or heading, the heaviest first.

    `totals` are the positions' whole BM25 scores: what the lexemes leave of them comes from the file as a whole.
    """
    own = Scoring(file_weight=0.0)
    looked_up, positions = lexical.look_up(view, query), list(totals)
    collection, said = looked_up.index.collection, looked_up.said
    size = len(collection)
    scored = {id(match) for _, match in heaviest(list(said.values()), size, lexical.MOST_SCORED)}
    terms: dict[int, list[TermScore]] = {position: [] for position in positions}
    for lexeme, (often, match) in said.items():
        if id(match) not in scored:
            continue
        df = len(match.positions)
        idf = inverse_document_frequency(size, df)
        added = score([(often, match)], collection, own)[positions].tolist()
        for position, value in zip(positions, added, strict=True):
            if value > 0:
                term = TermScore(lexeme, often, df, idf, value, value / totals[position])
                terms[position].append(term)
    return {
        position: tuple(sorted(row, key=lambda term: (-term.score, term.lexeme))) for position, row in terms.items()
    }


def diversities(view: View, chosen: Fused, strength: float | None) -> list[Diversity]:
    """What stood before each of the chosen, which are in their final order; None: nothing counted."""
    sections: Counter[int] = Counter()
    files: Counter[int] = Counter()
    rows = []
    for hit in chosen:
        position, _ = hit
        section, file = int(view.chunk_columns.sections[position]), int(view.chunk_columns.files[position])
        before = (0, 0) if strength is None else (sections[section], files[file])
        later = strength is not None and bool(view.chunk_columns.later[position])
        rows.append(Diversity(*before, later, worth(view.chunk_columns, hit, *before, strength or 0.0)))
        sections[section] += 1
        files[file] += 1
    return rows
