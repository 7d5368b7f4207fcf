"""Embedding spaces: how far apart a model's cosines lie."""

import numpy as np
import pytest

from knowledge.endpoints.embedding import CANARIES
from knowledge.models import EmbeddingSpace
from knowledge.spaces import cosine_range


def space(shared: float) -> EmbeddingSpace:
    """Of a model that gives texts which have nothing to do with each other the cosine `shared`."""
    own = np.eye(len(CANARIES))[[0, 0, 2, 3]]
    vectors = np.column_stack([np.sqrt(1 - shared) * own, np.full(len(own), np.sqrt(shared))])
    return EmbeddingSpace(canaries=vectors.tolist())


@pytest.mark.parametrize(("shared", "expected"), [(0.0, 1.0), (0.03, 1.0), (0.7, 0.3 / 0.97), (0.999, 0.05)])
def test_the_reach_of_a_models_cosines_is_seen_at_its_canaries(shared: float, expected: float) -> None:
    assert cosine_range(space(shared)) == pytest.approx(expected)
