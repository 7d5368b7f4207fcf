"""Segments are merged when many have gathered; searches see the same before, after and meanwhile."""

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from ingestion import merging
from ingestion.merging import TIER, crowded, merge_segments, tier
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.conftest import all_checks_hold, reindex, write

QUERIES = ("moon", "tide of the moon", "bread", "note seven")


def note(number: int, words: str = "The moon and the tide.") -> dict[str, str]:
    return {f"note-{number:02}.md": f"# Note {number}\n\n{words} Said {'seven ' * number}times.\n"}


@pytest.fixture
def grown(indexed, documents, monkeypatch):
    """A library of as many segments as are left alone."""
    monkeypatch.setattr(merging, "TIER", 99)
    library = indexed("grown", note(0))
    for number in range(1, TIER):
        write(documents / "grown", note(number))
        reindex(library)
    monkeypatch.undo()
    return library


def found(library):
    options = SearchOptions(libraries=(library.slug,), mode="lexical")
    return [
        [(hit.source_file, hit.scores["lexical"]) for hit in search(None, query, options).hits] for query in QUERIES
    ]


def test_merged_segments_find_what_the_single_ones_found(grown, documents, monkeypatch):
    (documents / "grown/note-03.md").unlink()  # a dead chunk in the middle
    with monkeypatch.context() as patch:
        patch.setattr(merging, "TIER", 99)
        reindex(grown, activate=True)
    before = found(grown)
    assert grown.segments.count() == TIER

    merge_segments(grown, grown.active_snapshot.profile.lexical_hash)

    assert grown.segments.count() == 1 and any(before) and found(grown) == before
    assert all_checks_hold()


def test_a_merge_that_dies_leaves_the_segments_as_they_were(grown, monkeypatch):
    before, segments = found(grown), set(grown.segments.values_list("pk", flat=True))
    monkeypatch.setattr(merging, "joined", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        merge_segments(grown, grown.active_snapshot.profile.lexical_hash)

    assert set(grown.segments.values_list("pk", flat=True)) == segments and found(grown) == before


def test_pages_of_postings_hold_whole_lexemes(grown, monkeypatch):
    monkeypatch.setattr(merging, "PAGE", 2)
    merge_segments(grown, grown.active_snapshot.profile.lexical_hash)

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), count(DISTINCT lexeme) FROM knowledge_posting")
        rows, lexemes = cursor.fetchone()
    assert rows == lexemes > 10
    assert all_checks_hold()


@given(st.lists(st.integers(1, 300_000), max_size=200))
def test_merging_ends_with_few_segments_of_each_tier(segment_sizes):
    left = dict(enumerate(segment_sizes))
    while chosen := next(iter(crowded(left)), None):
        assert len(chosen) == TIER and len({tier(left[segment]) for segment in chosen}) == 1
        left[max(left) + 1] = sum(left[segment] for segment in chosen)
        for segment in chosen:
            del left[segment]

    assert sum(left.values()) == sum(segment_sizes)
    tiers = [tier(size) for size in left.values()]
    assert all(tiers.count(number) < TIER for number in tiers)
