"""How much words count against meaning, fitted to judged candidates. Pure and deterministic.

A conditional logit: among the candidates of one question, the chance that a candidate answers it is exp(β·x) over the
sum for all, with x = (what its words are worth, its cosine), both in units of cosine. McFadden, "Conditional logit
analysis of qualitative choice behavior" (1974). The weight of the words is the ratio of the two coefficients. With few
questions a prior holds it near 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SHARPNESS = 20.0  # of the prior's coefficients: a tenth of a cosine makes a candidate e² times likelier
PRIOR = 1.0  # how many unanimous questions the prior weighs, about
LEAST, MOST = 0.1, 10.0
STEPS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One question's candidates: features (candidates, 2), and which of them answer it."""

    features: Floats
    answers: NDArray[np.bool_]


def lexical_weight(examples: Sequence[Example]) -> float:
    """Newton's method on the penalised log-likelihood. A question whose candidates hold no answer teaches nothing."""
    told = [example for example in examples if example.answers.any()]
    prior = np.array([SHARPNESS, SHARPNESS])
    coefficients = prior.copy()
    for _ in range(STEPS):
        gradient = PRIOR * (prior - coefficients) / SHARPNESS
        information = PRIOR * np.eye(2) / SHARPNESS
        for example in told:
            expected, spread = moments(example.features, coefficients)
            answered, _ = moments(example.features[example.answers], coefficients)
            gradient += answered - expected
            information += spread
        step = np.linalg.solve(information, gradient)
        coefficients = coefficients + step
        if np.abs(step).max() < 1e-9:
            break
    words, meaning = (max(float(value), 1e-9) for value in coefficients)
    return float(np.clip(words / meaning, LEAST, MOST))


def moments(features: Floats, coefficients: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the features under the model."""
    utility = features @ coefficients
    chance = np.exp(utility - utility.max())
    chance /= chance.sum()
    mean = chance @ features
    return mean, (features * chance[:, None]).T @ features - np.outer(mean, mean)
