"""What is remembered of a search is never stale, and bounded."""

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from knowledge.endpoints import EndpointError
from knowledge.governance.activation import rollback
from knowledge.models import DocumentFile, Library
from retrieval import query_vector, result_cache
from retrieval.result_cache import HIT_BYTES, size_of, size_of_all
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.view import Cache
from tests.conftest import reindex, write
from tests.retrieval.answering_fakes import make_hit

FILES = {"tides.md": "# Tides\n\nThe tide rises because of the moon.\n", "bread.md": "# Bread\n\nLet it rise.\n"}


@pytest.fixture
def library(indexed):
    return indexed("sea", FILES)


def paths(result):
    return {hit.source_file for hit in result.hits}


def test_the_same_search_again_is_remembered_hit_for_hit(library):
    first, again = search(None, "tide"), search(None, " tide ")
    assert (first.remembered, again.remembered) == (False, True)
    assert again.hits == first.hits and again.libraries == first.libraries
    assert again.took_ms["lexical"] is None and again.took_ms["total"] > 0
    assert search(None, "tide", SearchOptions(libraries=("sea",))).remembered, "the same snapshots are searched"


@pytest.mark.parametrize(
    "other",
    [
        {"mode": "lexical"},
        {"top_k": 1},
        {"depth": 5},
        {"fusion": "rrf"},
        {"remembered": False},
        {"explain": True},
        {"why_not": "tides.md"},
    ],
)
def test_another_search_is_not(library, other):
    search(None, "tide")
    assert not search(None, "tide", SearchOptions(**other)).remembered
    assert not search(None, "tides").remembered


def test_activation_and_roll_back_act_on_the_next_search(library, documents):
    assert "moon.md" not in paths(search(None, "moon"))
    write(documents / "sea", {"moon.md": "# Moon\n\nThe moon.\n"})
    reindex(library)
    assert "moon.md" in paths(search(None, "moon"))
    rollback(library)
    result = search(None, "moon")
    assert result.remembered and "moon.md" not in paths(result)


def test_a_withdrawal_acts_on_the_next_search(library):
    assert "tides.md" in paths(search(None, "tide"))
    DocumentFile.objects.filter(path="tides.md").update(withdrawn_at=timezone.now())
    result = search(None, "tide")
    assert not result.remembered and "tides.md" not in paths(result)


def test_a_lost_permission_acts_on_the_next_search(library, reader):
    group = Group.objects.create(name="sailors")
    Library.objects.filter(pk=library.pk).update(access=Library.Access.GROUPS)
    library.groups.add(group)
    reader.groups.add(group)
    assert search(None, "tide").hits == search(reader, "tide").hits != ()
    reader.groups.clear()
    assert search(reader, "tide").hits == ()


def test_a_library_that_is_renamed_is_linked_by_its_new_name(library):
    search(None, "tide")
    Library.objects.filter(pk=library.pk).update(slug="ocean")
    assert search(None, "tide").hits[0].url.startswith("/read/ocean/")


def test_a_degraded_result_is_not_remembered(library, monkeypatch):
    def gone(*_):
        raise EndpointError("embedding", "is gone")

    with monkeypatch.context() as away:
        away.setattr(query_vector, "embedding_endpoint", gone)
        query_vector.forget()
        assert search(None, "tide").degraded == search(None, "tide").degraded == ("embedding",)
    result = search(None, "tide")
    assert result.degraded == () and not result.remembered


def test_no_more_is_held_than_the_budget_and_the_oldest_goes_first():
    cache = Cache(3 * HIT_BYTES, weigh=size_of_all, least=0)
    for name in "abc":
        cache.put(name, (make_hit(name),))
    assert cache.get("a") is None and cache.get("c") is not None
    assert cache.get("b") is not None
    cache.put("d", (make_hit("d"),))
    assert cache.get("c") is None and cache.get("b") is not None, "the one used longest ago goes"
    cache.put("huge", tuple(make_hit("x" * 1000) for _ in range(9)))
    assert cache.get("huge") is None and cache._held == 0


def test_a_result_put_twice_is_counted_once():
    cache = Cache(1_000_000, weigh=size_of_all, least=0)
    for _ in range(3):
        cache.put("a", (make_hit("a"),))
    held = cache._held
    cache.clear()
    cache.put("a", (make_hit("a"),))
    assert cache._held == held


def test_a_long_text_weighs_more():
    assert size_of(make_hit("x" * 5000)) > size_of(make_hit("x")) + 4000


def test_nothing_found_is_remembered_too(library):
    options = SearchOptions(mode="lexical")
    assert search(None, "zzzz", options).hits == () and search(None, "zzzz", options).remembered
    assert result_cache.results._held > 0
