"""Fusing rankings. Pure: identifiers in, identifiers out."""

from collections.abc import Mapping, Sequence


def reciprocal_rank_fusion(rankings: Mapping[str, Sequence[int]], k: int = 60) -> list[tuple[int, float]]:
    """Σ 1/(k + rank) over the rankings, best first; equal sums go to the better best rank, then to the first ranking.

    Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning methods"
    (SIGIR 2009), where k = 60.
    """
    sums: dict[int, float] = {}
    best: dict[int, tuple[int, int]] = {}
    for order, ranking in enumerate(rankings.values()):
        for rank, item in enumerate(ranking, start=1):
            sums[item] = sums.get(item, 0.0) + 1.0 / (k + rank)
            best[item] = min(best.get(item, (rank, order)), (rank, order))
    return sorted(sums.items(), key=lambda entry: (-entry[1], best[entry[0]], entry[0]))
