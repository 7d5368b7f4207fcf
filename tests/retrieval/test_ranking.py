"""The pure parts: BM25, fusion, measures, previews."""

import math
from functools import partial
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.bm25 import MOST, Collection, Matches, Scoring, bound, heaviest, score, top
from retrieval.chunk_columns import ChunkColumns
from retrieval.evaluation import metrics
from retrieval.fusion import (
    FULL_EVIDENCE,
    Scale,
    agreement,
    combine,
    diversify,
    lexical_share,
    reciprocal_rank_fusion,
)
from retrieval.preview import matcher, preview
from retrieval.query import clean

PLAIN = Scoring(file_weight=0.0)


def said(often, positions, body, within, scoring=PLAIN, head=None):
    head = head or [0] * len(positions)
    arrays = np.array(positions, np.int32), np.array(body, np.uint8), np.array(head, np.uint8)
    return often, Matches.of(*arrays, within, scoring)


def collection(lengths, scoring, files=None):
    body = np.array(lengths, np.int32)
    return Collection.of(body, np.zeros_like(body), np.array(files or range(len(body))), scoring)


def test_a_files_length_counts_in_doublings_beyond_eight_chunks():
    def told(*lengths):
        return collection([1] * sum(lengths), PLAIN, np.repeat(np.arange(len(lengths)), lengths).tolist()).doublings

    assert told(1, 2, 8) == told() == 0 and told(16) == 1 and told(32, 32) == 2 and told(8 * 2 ** (MOST + 1)) == MOST
    assert told(16, 8) == pytest.approx(16 / 24), "the mean over chunks, not over files"


def test_bm25_is_the_formula_of_the_book():
    scoring = Scoring(k1=1.2, b=0.75, head_weight=1.0, file_weight=0.0)
    within = collection([4, 8, 12], scoring)
    scored = score([said(1, [0, 2], [2, 1], within, scoring)], within, scoring)

    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert scored[0] == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 8)))
    assert scored[2] == pytest.approx(idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 12 / 8)))
    assert scored[1] == 0


def test_a_lexeme_said_twice_counts_twice():
    within = collection([4, 8, 12], PLAIN)
    once, twice = (score([said(often, [0, 2], [2, 1], within)], within, PLAIN) for often in (1, 2))

    assert twice.tolist() == (2 * once).tolist() and once.any()


def test_no_score_is_above_the_bound_and_a_passage_of_nothing_else_comes_near():
    within = collection([500, 500, 1, 500], PLAIN)
    lexemes = [said(1, [0, 2], [1, 255], within), said(2, [2, 3], [255, 1], within)]
    scores = score(lexemes, within, PLAIN)
    most = bound([(1, 2), (2, 2)], within, PLAIN)

    assert 0.98 * most < scores[2] < most
    assert scores[0] < scores[3] < 0.7 * scores[2] and bound([], within, PLAIN) == 0


def test_what_stands_nowhere_could_have_scored_most():
    within = collection([500, 500, 1, 500], PLAIN)

    assert bound([(1, 0)], within, PLAIN) > bound([(1, 1)], within, PLAIN) > bound([(1, 4)], within, PLAIN) > 0


def test_a_heading_lexeme_counts_as_often_as_its_weight():
    scoring = Scoring(head_weight=3.0, file_weight=0.0)
    within = collection([10, 10], scoring)
    headed = score([said(1, [0], [0], within, scoring, head=[1])], within, scoring)
    spoken = score([said(1, [0], [3], within, scoring)], within, scoring)

    assert headed.tolist() == spoken.tolist()


def test_a_chunk_that_matches_gets_a_share_of_its_files_score():
    chunks_only, shared = Scoring(file_weight=0.0), Scoring(file_weight=0.5)
    before, after = (scored_in_files(scoring) for scoring in (chunks_only, shared))
    idf = [math.log(1 + (4 - df + 0.5) / (df + 0.5)) for df in (2, 1)]
    of_file = sum(weight * 2.5 / (1 + 1.5) for weight in idf)  # a file of the mean length says both once

    assert before[0] == before[2] and after[0] - before[0] == pytest.approx(0.5 * of_file)
    assert after[0] > after[2] and after[3] == 0


def scored_in_files(scoring):
    within = collection([4, 4, 4, 4], scoring, [7, 7, 3, 3])
    return score([said(1, *where, within, scoring) for where in (([0, 2], [1, 1]), ([1], [1]))], within, scoring)


def test_the_heaviest_lexemes_are_the_rare_ones_and_those_said_often():
    within = collection([1, 1, 1, 1], PLAIN)
    common, rare = said(1, [0, 1, 2, 3], [1] * 4, within), said(1, [0], [1], within)
    often = said(9, [0, 1, 2], [1] * 3, within)

    assert heaviest([common, rare, often], 4, 2) == [rare, often] and heaviest([common], 4, 2) == [common]


def test_equal_scores_come_in_order_of_position():
    assert list(top(np.array([1.0, 0.0, 2.0, 1.0, 1.0]), 3)) == [2, 0, 3]


@given(st.lists(st.integers(0, 5), max_size=40), st.integers(1, 10))
def test_the_top_is_what_sorting_everything_gives(values, k):
    scores = np.array(values, float)
    expected = [place for place in np.argsort(-scores, kind="stable").tolist() if scores[place] > 0][:k]

    assert list(top(scores, k)) == expected


@pytest.mark.parametrize("k", [1, 10, 200])
def test_the_top_of_many_is_exact_whatever_the_sample_says(k):
    rng = np.random.default_rng(3)
    for scores in (rng.random(50_000), np.sort(rng.random(50_000)), rng.integers(0, 4, 50_000).astype(float)):
        expected = np.argsort(-scores, kind="stable")
        assert top(scores, k) == [place for place in expected[:k].tolist() if scores[place] > 0]


def test_fusion_prefers_what_both_branches_found():
    fused = reciprocal_rank_fusion({"lexical": [1, 2, 3], "vector": [4, 2, 5]})

    assert fused[0] == (2, pytest.approx(2 / 62)) and [item for item, _ in fused[1:3]] == [1, 4]


def test_fusion_of_one_ranking_is_that_ranking():
    assert [item for item, _ in reciprocal_rank_fusion({"lexical": [7, 3, 9]})] == [7, 3, 9]


def test_a_combination_knows_each_branchs_score_of_the_others_finds():
    lexical, cosines = np.array([4.0, 3.9, 0.0, 0.0]), np.array([0.1, 0.8, 0.9, 0.0], np.float32)

    assert [position for position, _ in combine(np.array([0, 1, 2]), lexical, cosines, Scale(0.45))] == [1, 2, 0]
    assert [position for position, _ in combine(np.array([0, 1, 2]), lexical, cosines, Scale(0.45), weights=1e6)] == [
        0,
        1,
        2,
    ]
    assert [position for position, _ in combine(np.array([0, 1, 2]), lexical, cosines, Scale(0.45), weights=0.0)] == [
        2,
        1,
        0,
    ]
    assert combine(np.array([], np.int64), lexical, cosines, Scale(0.45)) == []


def test_words_count_more_where_they_are_rare_and_where_the_vectors_say_little():
    share = partial(lexical_share, weights=np.ones(1))

    assert share(30.0, 0.4) > share(10.0, 0.4) and share(30.0, 0.2) > share(30.0, 0.4)
    assert share(400.0, 0.4) == share(FULL_EVIDENCE, 0.4)  # a long query is no stronger evidence
    assert share(0.0, 0.4) == 0.0 and lexical_share(30.0, 0.4, weights=np.zeros(1)) == 0.0


def test_a_model_whose_cosines_lie_closer_together_ranks_the_same():
    places, lexical, cosines = np.arange(4), np.array([4.0, 3.9, 1.0, 0.0]), np.array([0.2, 0.5, 0.8, 0.1])
    pressed = 1 - (1 - cosines) * 0.3

    wide = combine(places, lexical, cosines, Scale(cosines.mean()))
    narrow = combine(places, lexical, pressed, Scale(pressed.mean(), cosine_range=0.3))

    assert [place for place, _ in narrow] == [place for place, _ in wide]
    assert [score for _, score in narrow] == pytest.approx([score for _, score in wide])
    assert combine(places, lexical, pressed, Scale(pressed.mean())) != narrow  # read as if it were MiniLM's


def test_vectors_count_as_far_as_the_branches_agree():
    lexical = np.array([4.0, 3.0, 0.0, 0.0, 0.0, 0.0])
    heard, deaf = np.array([0.8, 0.7, 0.1, 0.1, 0.1, 0.0]), np.array([0.2, 0.2, 0.8, 0.7, 0.2, 0.2])
    agreed = partial(agreement, lexical, by_words=[0, 1])

    assert agreed(heard, Scale(0.3), by_meaning=[0, 1]) == 1.0 and agreed(deaf, Scale(0.4), by_meaning=[2, 3]) == 0.0
    assert 0 < agreed(np.array([0.75, 0.5, 0.9, 0.8, 0.4, 0.4]), Scale(0.5), by_meaning=[2, 3]) < 1
    assert agreement(np.zeros(6), deaf, Scale(0.4), [], [2, 3]) == 1.0  # no words: nothing speaks against the vectors
    assert (
        agreed(deaf, Scale(0.4), by_meaning=[2, 3], known=0.3) == 1.0
    )  # nor do the few words that two languages share
    everything = np.arange(6)
    assert combine(everything, lexical, deaf, Scale(0.4))[0][0] == 2
    assert combine(everything, lexical, deaf, Scale(0.4, agreed=0.0))[0][0] == 0
    assert combine(everything, lexical, deaf, Scale(0.4, agreed=0.0), weights=0.0)[0][0] == 2  # asked for


def places(sections, files, pages=None):
    return ChunkColumns.of(
        np.arange(len(sections)), np.array(sections), np.array(files), np.array(pages or [0] * len(sections))
    )


def test_a_second_hit_of_a_section_gives_way_to_a_nearly_as_good_one_of_another_file():
    fused, within = [(0, 1.0), (1, 0.99), (2, 0.9), (3, 0.5)], places([7, 7, 8, 9], [1, 1, 2, 3])

    assert [position for position, _ in diversify(fused, within, 3)] == [0, 2, 1]
    assert diversify(fused, within, 9)[0] == (0, 1.0) and len(diversify(fused, within, 9)) == 4


def test_a_long_section_of_a_long_file_is_many_places():
    fused = [(0, 1.0), (1, 0.99), (40, 0.94)]
    long, short = places([7] * 40 + [8], [1] * 40 + [2]), places([7, 7, *range(10, 48), 8], [1] * 2 + [3] * 38 + [2])

    assert [position for position, _ in diversify(fused, long, 3)] == [0, 1, 40]
    assert [position for position, _ in diversify(fused, short, 3)] == [0, 40, 1]


def test_below_the_mean_another_hit_of_a_section_is_worth_less_too():
    fused, within = [(0, 1.0), (1, -0.2), (2, -0.2)], places([7, 7, 8], [1, 1, 2])

    assert [position for position, _ in diversify(fused, within, 3)] == [0, 2, 1]


def test_where_there_are_pages_the_beginning_of_a_section_is_worth_more():
    fused, sections, files = [(1, 1.0), (0, 0.97), (2, 0.7)], [7, 7, 8], [1, 1, 2]

    assert [position for position, _ in diversify(fused, places(sections, files, [4, 5, 9]), 3)] == [0, 1, 2]
    assert [position for position, _ in diversify(fused, places(sections, files), 3)] == [1, 0, 2]
    assert [position for position, _ in diversify(fused, places(sections, files, [4, 5, 9]), 3, 0)] == [1, 0, 2]


def test_measures_are_those_of_trec_eval():
    run, judged = ["a", "x", "b"], {"a": 2, "b": 1, "c": 1}

    assert metrics.ndcg(run, judged, 10) == pytest.approx((2 + 1 / 2) / (2 + 1 / math.log2(3) + 1 / 2))
    assert metrics.recall(run, judged, 10) == pytest.approx(2 / 3)
    assert metrics.reciprocal_rank(["x", "b"], judged, 10) == 0.5
    assert metrics.hit(["x", "b"], judged, 1) == 0 and metrics.hit(["x", "b"], judged, 2) == 1
    assert metrics.percentile([5, 1, 3, 2, 4], 0.5) == 3 and metrics.percentile([5, 1, 3, 2, 4], 0.95) == 5


def test_a_preview_shows_the_stretch_that_says_most_of_the_query():
    text = "Nothing here. " * 40 + "The neap tides are weak tides. " + "Nothing there. " * 40
    shown = preview(text, "neap tide")

    assert "neap tides are weak" in shown and shown.startswith("…") and shown.endswith("…") and len(shown) < 300


def test_a_preview_prefers_different_words_and_shows_what_stands_behind_them():
    rows = "".join(f"Bolt {n}, of the frame: Torque {n} Nm. " for n in range(8))
    text = f"{rows}Crank arm, square taper: Torque 40 Nm. {rows}"
    assert "Crank arm, square taper: Torque 40 Nm." in preview(text, "torque crank")
    assert "Crank arm: 40 Nm" in preview(f"Torque {'- ' * 105}Crank arm: 40 Nm. {'- ' * 200}", "torque crank")


@pytest.mark.parametrize(("word", "unit"), [("120mAh", "mah"), ("120m²", "m2")])
def test_a_unit_is_a_form_of_what_is_written_to_its_number(word, unit):
    assert matcher(frozenset([unit]))(word)


@pytest.mark.parametrize(
    ("before", "match", "after", "query"),
    [
        ("附近的公园早上六点开放。" * 40, "大本钟建成", "附近的公园早上六点开放。" * 40, "大本钟是何时建成的？"),
        ("附近的公园早上六点开放。" * 40, "Python", "附近的公园早上六点开放。" * 40, "python"),
        ("See https://example.com/" + "a/b-" * 100, "kiln", "/c" * 200, "kiln"),
        ("word " * 100, "kiln", "", "kiln"),
    ],
)
def test_a_preview_shows_the_match_where_no_space_is_near_or_nothing_follows(before, match, after, query):
    shown = preview(before + match + after, query)
    assert match in shown and shown.startswith("…") and len(shown) <= 310


def test_what_a_preview_looks_for_is_made_soon():
    began = process_time()
    for n in range(50):
        assert f"bolt{n} " in preview(f"{'word ' * 100}bolt{n} {'word ' * 100}", f"bolt{n} of the frame")
    assert process_time() - began < 1  # 0.1; 2 and more where a pattern names the scripts without spaces each time


@given(st.text(max_size=2000), st.text(max_size=100))
def test_a_preview_is_made_of_the_text(text, query):
    shown = preview(text, query).removeprefix("…").removesuffix("…")
    assert shown in " ".join(text.split())


@given(st.text())
def test_a_clean_query_is_short_and_printable(text):
    cleaned = clean(text)
    assert len(cleaned) <= 8000 and "\0" not in cleaned and cleaned == cleaned.strip()
