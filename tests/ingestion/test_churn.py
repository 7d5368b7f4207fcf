"""The short version of benchmarks/churn.py."""

import pytest

from benchmarks.churn import churn


@pytest.mark.django_db(transaction=True)
def test_no_answer_mixes_two_snapshots_while_others_are_activated(make_library, documents):
    library = make_library("churn", {})
    tally = churn(library, documents / "churn", clients=4, activations=4)

    assert tally.activations == 4 and tally.searches >= 4 and tally.seen
    assert (tally.mixed, tally.errors) == ([], [])
