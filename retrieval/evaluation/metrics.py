"""Measures of a ranking against judgements. Pure; gains are linear, as in trec_eval."""

import math
from collections.abc import Mapping, Sequence

Run = Sequence[str]
Judgements = Mapping[str, int]


def ndcg(run: Run, judged: Judgements, k: int) -> float:
    """Normalised discounted cumulative gain of the first k. Järvelin & Kekäläinen, TOIS 20 (2002)."""
    gained = sum(judged.get(item, 0) / math.log2(place + 1) for place, item in enumerate(run[:k], start=1))
    best = sorted((gain for gain in judged.values() if gain > 0), reverse=True)[:k]
    ideal = sum(gain / math.log2(place + 1) for place, gain in enumerate(best, start=1))
    return gained / ideal if ideal else 0.0


def recall(run: Run, judged: Judgements, k: int) -> float:
    """The share of the relevant items that stand among the first k."""
    relevant = {item for item, gain in judged.items() if gain > 0}
    return len(relevant.intersection(run[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(run: Run, judged: Judgements, k: int) -> float:
    return next((1 / place for place, item in enumerate(run[:k], start=1) if judged.get(item, 0) > 0), 0.0)


def hit(run: Run, judged: Judgements, k: int) -> float:
    """1 when a relevant item stands among the first k."""
    return float(any(judged.get(item, 0) > 0 for item in run[:k]))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else 0.0


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
