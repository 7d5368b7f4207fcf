"""What a library is set to acts in every search of it, and is part of what is remembered."""

import numpy as np
import pytest
from django.db import IntegrityError, transaction

from knowledge.endpoints import EndpointError
from knowledge.models import Library
from knowledge.models.tuning import RETRIEVAL
from retrieval.chunk_columns import ChunkColumns
from retrieval.fusion import diversify
from retrieval.rerank import RERANKER
from retrieval.results import SearchOptions
from retrieval.retrieval_settings import DEFAULT, NAMES, RetrievalSettings, resolved_options
from retrieval.search import search

SEA = {
    f"{name}.md": f"# {name.title()}\n\nThe {name} moves the sea, and the moon the tide.\n" for name in "abcdefghijkl"
}


@pytest.fixture
def sea(indexed) -> Library:
    return indexed("sea", SEA)


@pytest.fixture
def land(indexed) -> Library:
    return indexed("land", {"hills.md": "# Hills\n\nThe moon stands over the hills.\n"})


def put(library: Library, **values: object) -> None:
    Library.objects.filter(pk=library.pk).update(**values)


def test_a_librarys_columns_are_the_retrieval_settings_with_their_defaults():
    assert RETRIEVAL == NAMES
    assert {name: Library._meta.get_field(name).default for name in NAMES} == {
        name: getattr(DEFAULT, name) for name in NAMES
    }


def test_what_is_asked_for_comes_before_what_libraries_say_and_that_before_the_default():
    tuned = RetrievalSettings(top_k=3, fusion="rrf", rerank=False)
    assert resolved_options(SearchOptions(), []).top_k == resolved_options(SearchOptions(), [DEFAULT]).top_k == 10
    one = resolved_options(SearchOptions(), [tuned])
    assert (one.top_k, one.fusion, one.rerank) == (3, "rrf", False)
    asked = resolved_options(SearchOptions(top_k=7, fusion="scores", rerank=True), [tuned])
    assert (asked.top_k, asked.fusion, asked.rerank) == (7, "scores", True)
    alike = resolved_options(SearchOptions(), [tuned, RetrievalSettings(top_k=3, diversity=0)])
    assert (alike.top_k, alike.fusion, alike.diversity) == (3, "scores", 1)


def test_what_was_remembered_under_other_settings_is_not_used(sea):
    assert len(search(None, "moon").hits) == 10 and search(None, "moon").remembered
    for values in ({"top_k": 3}, {"lexical_weight": 0.5}, {"diversity": 0}, {"fusion": "rrf"}, {"depth": 20}):
        put(sea, **values)
        assert not search(None, "moon").remembered, values
    assert len(search(None, "moon").hits) == 3
    assert len(search(None, "moon", SearchOptions(top_k=5)).hits) == 5


def test_the_weight_of_words_acts_as_when_it_is_asked_for(sea):
    def share(options: SearchOptions) -> float:
        hit = search(None, "moon tide", options).hits[0]
        return next(part.weight for part in hit.explain.parts if part.branch == "lexical")

    asked = share(SearchOptions(explain=True, lexical_weight=3))
    assert asked > share(SearchOptions(explain=True))
    put(sea, lexical_weight=3)
    assert share(SearchOptions(explain=True)) == asked
    assert share(SearchOptions(explain=True, lexical_weight=0)) == 0


def test_libraries_with_other_weights_score_on_one_scale(sea, land):
    """The best in both words and meaning has the score 1, in whichever library it is and however that is set."""
    put(sea, lexical_weight=10)
    put(land, lexical_weight=0.1)
    for query in ("moon hills", "moon tide sea"):
        hits = search(None, query, SearchOptions(explain=True, top_k=50)).hits
        assert {hit.library for hit in hits} == {"sea", "land"}
        weights = {hit.library: {part.branch: part.weight for part in hit.explain.parts} for hit in hits}
        assert weights["sea"]["lexical"] > weights["land"]["lexical"]
        for hit in hits:
            assert sum(part.weight for part in hit.explain.parts) == pytest.approx(1)
            assert hit.scores["fused"] <= 1 + 1e-9


def test_settings_of_one_library_leave_another_alone(sea, land):
    before = [hit.chunk_id for hit in search(None, "moon", SearchOptions(libraries=("land",))).hits]
    put(sea, top_k=1, lexical_weight=10, diversity=5, fusion="rrf")
    after = search(None, "moon", SearchOptions(libraries=("land",)))
    assert [hit.chunk_id for hit in after.hits] == before and after.remembered


def test_a_library_that_is_not_reranked_misses_no_reranker(sea, monkeypatch, settings):
    def away() -> None:
        raise EndpointError("rerank", "away")

    monkeypatch.setattr(RERANKER, "proven", away)
    assert search(None, "moon").degraded == ("rerank",)
    settings.AI_OFFLINE_FALLBACK = False
    with pytest.raises(EndpointError):
        search(None, "moon")
    put(sea, rerank=False)
    assert search(None, "moon").degraded == ()


def test_without_diversity_the_best_stay_the_best():
    within = ChunkColumns.of(
        *(np.array(numbers) for numbers in ([0, 1, 2, 3], [1, 1, 1, 2], [1, 1, 1, 2], [0, 0, 0, 0]))
    )
    fused = [(0, 1.0), (1, 0.99), (2, 0.98), (3, 0.9)]
    assert [place for place, _ in diversify(fused, within, 4, 0)] == [0, 1, 2, 3]
    assert [place for place, _ in diversify(fused, within, 4, 1)][1] == 3


@pytest.mark.parametrize("values", [{"top_k": 0}, {"lexical_weight": -1}, {"fusion": "magic"}, {"depth": 5}])
def test_postgres_takes_no_impossible_setting(sea, values):
    with pytest.raises(IntegrityError), transaction.atomic():
        put(sea, **values)
