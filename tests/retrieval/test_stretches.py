"""Neighbouring chunks as one stretch."""

from itertools import permutations

import pytest

from retrieval.stretches import joined
from tests.retrieval.answering_fakes import make_hit

FILE = "One two three.\n\nFour five six. Seven eight.\n"


def chunk(rank: int, ordinal: int, start: int, end: int, **values):
    lines = {"line_start": 1 + FILE[:start].count("\n"), "line_end": 1 + FILE[: end - 1].count("\n")}
    return make_hit(FILE[start:end], rank=rank, ordinal=ordinal, char_start=start, char_end=end, **lines, **values)


def test_neighbours_of_a_section_are_one_in_the_place_of_the_best():
    other = make_hit("Elsewhere.", rank=2, source_file="other.md")
    found = joined([chunk(1, 5, 16, 30), other, chunk(3, 4, 0, 14), chunk(4, 6, 31, 43)])

    assert [[part.rank for part in stretch.parts] for stretch in found] == [[1, 3, 4], [2]]
    whole = found[0].hit
    assert whole.rank == 1 and whole.text == FILE.strip()
    assert (whole.line_start, whole.line_end, whole.char_start, whole.char_end) == (1, 3, 0, 43)
    assert "lines=1-3#" in whole.url and found[1].hit is other


@pytest.mark.parametrize(
    "apart",
    [{"ordinal": 7}, {"section_anchor": "b"}, {"source_file": "b.md"}, {"library": "b"}, {"snapshot": 2}],
)
def test_what_does_not_follow_in_the_same_section_stays_apart(apart):
    second = {"rank": 2, "ordinal": 5, "start": 16, "end": 30} | apart
    assert len(joined([chunk(1, 4, 0, 14), chunk(**second)])) == 2


def test_chunks_that_overlap_are_read_once():
    (stretch,) = joined([chunk(2, 1, 5, 30), chunk(1, 0, 0, 14), chunk(3, 2, 16, 43)])
    assert stretch.hit.text == FILE[:43]


def test_joining_does_not_depend_on_the_order_given():
    hits = [chunk(1, 5, 16, 30), chunk(2, 4, 0, 14), chunk(3, 9, 31, 43)]
    assert all(joined(list(order)) == joined(hits) for order in permutations(hits))


def test_nothing_joins_to_nothing():
    assert joined([]) == ()
