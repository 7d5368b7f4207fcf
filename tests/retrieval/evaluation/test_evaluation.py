"""The pure parts of evaluation: what a golden question is, what changed between two runs, folds, the chart."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge import json_lines
from knowledge.golden import Gold, Question, as_json_lines, read_gold, read_json_lines, read_places
from retrieval.evaluation.beir import BeirSet, read_beir
from retrieval.evaluation.beir import outcome as outcome_of_set
from retrieval.evaluation.comparison import compare, sign_test
from retrieval.evaluation.folds import fold_of, folds
from retrieval.evaluation.outcomes import Outcome
from retrieval.evaluation.questions import finds, measures, outcome, read_questions, read_unanswerable
from retrieval.pages.chart import line_chart, scale
from retrieval.results import Hit


def hit(rank=1, file="a.md", lines=(5, 9), anchor="here", page=None, characters=(100, 200)):
    return Hit(
        rank, "sea", file, "", "", (), anchor, *lines, page, "", "", rank, "", "text", *characters, 1, 0
    )  # fmt: skip


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ({"file": "a.md", "line_start": 9, "line_end": 12}, True),
        ({"file": "a.md", "line_start": 10, "line_end": 12}, False),
        ({"file": "a.md", "start": 199, "end": 300}, True),
        ({"file": "a.md", "start": 200, "end": 300}, False),
        ({"file": "a.md", "anchor": "here"}, True),
        ({"file": "a.md", "anchor": "there"}, False),
        ({"file": "a.md", "page": 3}, False),
        ({"file": "a.md"}, True),
        ({"file": "b.md"}, False),
        ({"file": "a.md", "line_start": 9, "line_end": 9, "anchor": "there"}, True),  # the narrower counts
    ],
)
def test_a_gold_place_is_found_by_what_overlaps_it(place, found):
    assert finds(hit(), read_gold(place)) is found


@pytest.mark.parametrize(("judged", "place"), [({"12": {"12": 1}}, 1), ({"12": {"7": 1}}, None)])
def test_a_document_numbered_as_the_query_counts_where_it_is_judged(judged, place):
    asked = BeirSet("faq", Path("corpus.jsonl"), frozenset({"7", "12"}), {"12": "How?"}, judged)
    ranks = outcome_of_set(asked, "12", [hit(file="12.beir"), hit(2, "3.beir")]).ranks

    assert ranks == (place,)


def test_a_page_is_found_by_a_hit_on_it():
    assert finds(hit(page=3), Gold("a.md", page=3))


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("[]", "an object with id"),
        ("{", "this line is no JSON"),
        ('{"id": 1, "gold": [{"file": "a"}]}', "question is missing"),
        ('{"question": "q", "gold": [{"file": "a"}]}', "id is a string or a number, not nothing"),
        ('{"id": true, "question": "q", "gold": [{"file": "a"}]}', "not True"),
        ('{"id": 1, "question": "q", "gold": []}', "at least one place"),
        ('{"id": 1, "question": "q", "gold": ["a"]}', "an object with a file"),
        ('{"id": 1, "question": "q", "gold": [{}]}', "file is missing"),
        ('{"id": 1, "question": "q", "gold": [{"file": "a", "line_start": 3}]}', "line_end is a whole number"),
        ('{"id": 1, "question": "q", "gold": [{"file": "a", "line_start": 3, "line_end": 2}]}', "lies before"),
        ('{"id": 1, "question": "q", "gold": [{"file": "a", "line_start": 0, "line_end": 2}]}', "from 1 on"),
        ('{"id": 1, "question": "q", "gold": [{"file": "a", "page": "7"}]}', "not '7'"),
        ('{"id": 1, "question": "q", "gold": [{"file": "a", "start": 3, "end": 3}]}', "no character"),
        ('{"id": 1, "question": "q\\u0000", "gold": [{"file": "a"}]}', "NUL"),
        ('{"id": 1, "question": "\\ud800", "gold": [{"file": "a"}]}', "half a character"),
        ('{"id": 1, "question": "q", "kind": 4, "gold": [{"file": "a"}]}', "kind"),
        ("[" * 100_000, "f:2"),
    ],
)
def test_what_is_no_question_is_refused_by_its_line(row, reason):
    good = '{"id": 0, "question": "q", "gold": [{"file": "a"}]}'
    with pytest.raises(ValueError, match="f:2") as refused:
        read_json_lines(f"{good}\n{row}\n", "f")
    assert reason in str(refused.value)


def test_a_line_that_is_not_utf_8_is_named(tmp_path):
    (file := tmp_path / "f.jsonl").write_bytes(b'{"id": 0}\n\n{"id": "caf\xe9"}\n')
    for read in (read_questions, read_unanswerable):
        with pytest.raises(ValueError, match=r"f\.jsonl:3: this is not UTF-8$"):
            read(file)


def test_a_file_of_questions_may_have_a_byte_order_mark(tmp_path):
    row = '{"id": "a", "question": "Où ?", "gold": [{"file": "a.md"}]}\n'
    (file := tmp_path / "f.jsonl").write_text(row, encoding="utf-8-sig")
    assert as_json_lines(read_questions(file)) == row


def test_an_id_belongs_to_one_question():
    good = '{"id": 0, "question": "q", "gold": [{"file": "a"}]}\n'
    with pytest.raises(ValueError, match="more than one question is called 0"):
        read_json_lines(good * 2, "f")


def test_questions_are_written_as_they_were_read():
    rows = [
        {"id": "a", "kind": "quiz", "question": "Où ?", "gold": [{"file": "a.md", "line_start": 1, "line_end": 2}]},
        {"id": "b", "question": "B", "gold": [{"file": "a", "page": 2}, {"file": "b", "start": 0, "end": 9}]},
        {"id": "c", "question": "C", "gold": [{"file": "a", "anchor": "x"}, {"file": "d"}]},
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    written = as_json_lines(read_json_lines(text, "f"))

    assert [json.loads(line) for line in written.splitlines()] == rows
    extra = '{"id": 7, "question": "q", "category": "Forms", "needs_context": true, "gold": [{"file": "a", "u": 1}]}'
    (question,) = read_json_lines(extra, "f")
    assert (question.id, question.text, question.gold) == ("7", "Forms: q", (Gold("a"),))


def test_of_a_place_only_what_counts_is_kept():
    said = {"file": "a", "line_start": 1, "line_end": 2, "page": 3, "start": 4, "end": 5, "anchor": "x"}
    assert read_places([said, {"file": "a", "line_start": 1, "line_end": 2}]) == (Gold("a", lines=(1, 2)),)
    paged = {name: said[name] for name in ("file", "page", "start", "end", "anchor")}
    assert read_places([paged]) == (Gold("a", page=3),)
    assert read_places([{name: said[name] for name in ("file", "start", "end", "anchor")}]) == (
        Gold("a", characters=(4, 5)),
    )


def test_one_hit_that_finds_two_places_is_the_best_there_can_be():
    places = (Gold("a.md", lines=(1, 2)), Gold("a.md", lines=(3, 4)), Gold("b.md", lines=(1, 1)))
    question = Question("q", "?", places)
    both, other = hit(lines=(1, 4)), hit(2, "b.md", lines=(1, 1))
    assert measures(question, [both, other])["ndcg@10"] == measures(question, [both, other])["recall@10"] == 1.0
    late = [hit(1, "b.md", lines=(1, 1)), hit(2, "c.md"), hit(3, lines=(1, 4))]
    assert measures(question, late)["ndcg@10"] < 1


def test_what_stands_below_the_first_ten_changes_no_measure_of_them():
    question = Question("q", "?", tuple(Gold("a.md", lines=lines) for lines in ((1, 5), (50, 52), (53, 55))))
    first, below = hit(lines=(1, 5)), hit(60, lines=(48, 60))
    shallow = measures(question, [first, *(hit(rank, "b.md") for rank in range(2, 60))])
    deep = measures(question, [first, *(hit(rank, "b.md") for rank in range(2, 60)), below])

    assert shallow["ndcg@10"] == deep["ndcg@10"] == pytest.approx(0.469, abs=0.001)
    assert (shallow["recall@100"], deep["recall@100"]) == (pytest.approx(1 / 3), 1)


def test_an_outcome_says_where_each_place_was_found_first():
    question = Question("q", "?", (Gold("b.md"), Gold("a.md", lines=(9, 9)), Gold("c.md")))
    found = outcome(question, [hit(1), hit(2), hit(3, file="b.md")])

    assert found.ranks == (3, 1, None) and found.best_rank == 1
    assert found.measures["hit@1"] == 1 and found.measures["recall@10"] == pytest.approx(2 / 3)
    assert found.hits[2][:3] == ("b.md", 5, 9) and len(found.hits[0].text_hash) == 16


def test_a_passage_that_holds_two_places_finds_both():
    from knowledge.golden import Question

    question = Question("q", "?", (Gold("a.md", lines=(6, 6)), Gold("a.md", lines=(9, 9))))
    found = outcome(question, [hit(1), hit(2)])

    assert found.ranks == (1, 1) and found.measures["recall@10"] == found.measures["recall@100"] == 1


def asked(name, *ranks, gold="a", ndcg=0.0):
    return Outcome(name, name, ({"file": gold},), ranks, {"ndcg@10": ndcg}, ())


def test_two_runs_are_compared_question_by_question():
    before = [
        asked("up", 11, ndcg=0.0),
        asked("down", 3, 4, ndcg=0.5),
        asked("moved", 1, None, ndcg=1.0),
        asked("same", 2, ndcg=0.6),
        asked("edited", 1, ndcg=1.0),
        asked("removed", 1, ndcg=1.0),
    ]
    after = [
        asked("up", 10, ndcg=0.3),
        asked("down", None, 4, ndcg=0.4),
        asked("moved", None, 1, ndcg=1.0),
        asked("same", 2, ndcg=0.6),
        asked("edited", 1, gold="b", ndcg=0.0),
        asked("added", 1, ndcg=1.0),
    ]
    compared = compare({"hybrid": before, "lexical": before}, {"hybrid": after, "vector": after})

    assert list(compared) == ["hybrid"]
    changes = {change.outcome.question_id: change.change for change in compared["hybrid"].changes}
    assert changes == {
        "up": "gained",
        "down": "lost",
        "moved": "moved",
        "same": "unchanged",
        "edited": "rejudged",
        "added": "new",
        "removed": "gone",
    }
    assert compared["hybrid"].differences == {"ndcg@10": pytest.approx(0.05)}  # over the first four alone
    assert compared["hybrid"].sign_test == {"better": 1, "worse": 1, "p": 1.0}
    summary = compared["hybrid"].as_json()["summary"]
    assert (summary["gained"], summary["gone"]) == (1, 1)


def test_the_sign_test_is_that_of_the_book():
    assert sign_test(0, 0) == 1 and sign_test(5, 5) == 1
    assert sign_test(9, 1) == sign_test(1, 9) == pytest.approx(2 * 11 / 1024)


@given(st.sets(st.text(min_size=1, max_size=8), min_size=8, max_size=60), st.integers(2, 6))
def test_each_question_is_tried_in_one_fold_and_learned_from_in_the_others(ids, k):
    if len({fold_of(one, k) for one in ids}) < 2:
        return
    split = folds(ids, k)
    assert sorted(one for fold in split for one in fold.test) == sorted(ids)
    for fold in split:
        assert fold.test and not set(fold.train) & set(fold.test) and set(fold.train) | set(fold.test) == ids


def test_a_question_stays_in_its_fold_when_others_are_added():
    few, many = ([f"q{n}" for n in range(size)] for size in (20, 200))
    before, after = folds(few, 5), folds(many, 5)
    placed = {one: number for number, fold in enumerate(after) for one in fold.test}

    assert all(len({placed[one] for one in fold.test}) == 1 for fold in before)
    assert min(len(fold.test) for fold in after) > 25


def test_folds_that_teach_nothing_are_refused():
    for ids, k in ((["a", "b"], 1), (["a"], 5)):
        with pytest.raises(ValueError):
            folds(ids, k)
    assert folds([], 5) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_every_value_stands_inside_the_chart(values):
    drawn = line_chart({"hybrid": values}, ["" for _ in values])

    assert 2 <= len(drawn.ticks) <= 6
    for dot in drawn.lines[0].dots:
        assert drawn.left <= dot.x <= drawn.right and 0 < dot.y <= drawn.bottom
        assert drawn.ticks[-1][0] - 0.1 <= dot.y <= drawn.ticks[0][0] + 0.1


def test_a_missing_value_is_a_gap_in_the_line():
    drawn = line_chart({"vector": [0.1, None, 0.3, 0.4]}, list("abcd"))

    assert drawn.lines[0].path.count("M") == 2 and drawn.lines[0].path.count("L") == 1
    assert [dot.label for dot in drawn.lines[0].dots] == ["a", "c", "d"]


def test_the_scale_fits_its_values():
    assert scale(0.88, 0.96) == (0.88, 0.96, 0.02)
    assert scale(0.0, 1.0) == (0.0, 1.0, 0.2)
    assert scale(1.0, 1.0) == (0.99, 1.0, 0.01)


@pytest.mark.parametrize("cut", [0, 3, 12, 25])
def test_a_gzipped_file_that_was_cut_off_is_unreadable_like_any_other(tmp_path, cut):
    whole = gzip.compress(b'{"_id": "1"}\n' * 9)
    (tmp_path / "corpus.jsonl.gz").write_bytes(whole[:cut] or b"x")
    with pytest.raises(OSError):
        json_lines.content(tmp_path / "corpus.jsonl.gz")
    (tmp_path / "corpus.jsonl.gz").write_bytes(whole)
    assert json_lines.content(tmp_path / "corpus.jsonl.gz").count(b"\n") == 9


QRELS = "query-id\tcorpus-id\tscore\n"
QUERY = '{"_id": "q1", "text": "moon"}\n'
DOCUMENT = '{"_id": "d1", "title": "", "text": "The moon."}\n'


def beir(folder, qrels, queries=QUERY, corpus=DOCUMENT):
    (folder / "qrels").mkdir(exist_ok=True)
    (folder / "qrels/test.tsv").write_text(qrels)
    (folder / "queries.jsonl").write_text(queries)
    (folder / "corpus.jsonl").write_text(corpus)
    return read_beir(folder, "test")


def test_a_judged_set_may_have_a_byte_order_mark_and_blank_lines(tmp_path):
    read = beir(tmp_path, f"\ufeff{QRELS}q1\td1\t2\nq1\td2\t0\n\n", f"\ufeff{QUERY}\n \n")
    assert (read.queries, read.judged) == ({"q1": "moon"}, {"q1": {"d1": 2}})


@pytest.mark.parametrize("qrels", [QRELS, "", f"{QRELS}other\td1\t1\n", f"{QRELS}q1\td1\t0\n"])
def test_a_judged_set_with_nothing_to_ask_is_refused_by_its_folder(tmp_path, qrels):
    with pytest.raises(ValueError, match="has nothing to ask") as refused:
        beir(tmp_path, qrels)
    assert str(tmp_path) in str(refused.value)


@pytest.mark.parametrize("row", ["q2\td1", "q2", "q2\td1\thigh", "q2\td1\t1.5", "q2\td1\t"])
def test_a_damaged_judgement_is_named_by_its_line(tmp_path, row):
    with pytest.raises(ValueError, match=r"test\.tsv:3: query-id, corpus-id"):
        beir(tmp_path, f"{QRELS}q1\td1\t1\n{row}\n")


@pytest.mark.parametrize("qrels", ["q1\td1\t1\nq2\td1\t1\n", "q1\td1\t1\n", "q1 0 d1 1\n"])
def test_judgements_without_their_head_are_named_by_their_line(tmp_path, qrels):
    with pytest.raises(ValueError, match=r"test\.tsv:1: query-id, corpus-id .* below a line that says so"):
        beir(tmp_path, qrels)


def test_a_query_may_have_a_number_for_its_id(tmp_path):
    assert beir(tmp_path, f"{QRELS}7\td1\t1\n", '{"_id": 7, "text": "moon"}\n').queries == {"7": "moon"}


def test_an_id_belongs_to_one_query_and_to_one_document(tmp_path):
    with pytest.raises(ValueError, match=r"queries\.jsonl:2: the id q1 was there before"):
        beir(tmp_path, f"{QRELS}q1\td1\t1\n", QUERY * 2)
    with pytest.raises(ValueError, match=r"corpus\.jsonl:2: the id 7 was there before"):
        beir(tmp_path, f"{QRELS}q1\td1\t1\n", corpus='{"_id": 7, "text": "a"}\n{"_id": "7", "text": "b"}\n')


def test_what_is_judged_and_not_there_is_told(tmp_path):
    read = beir(tmp_path, f"{QRELS}q1\td1\t1\nq1\td8\t1\nq1\td9\t0\nq2\td1\t1\n")
    assert read.missing() == {"documents_missing": ["d8"], "queries_missing": ["q2"]}


@pytest.mark.parametrize("line", ["[]", "{}", "7", "{", '{"_id": "q1"}', '{"_id": "q1", "text": 7}', '{"_id": []}'])
def test_a_damaged_query_is_named_by_its_line(tmp_path, line):
    with pytest.raises(ValueError, match=r"queries\.jsonl:3: a JSON object with _id and text"):
        beir(tmp_path, f"{QRELS}q1\td1\t1\n", f"{QUERY}\n{line}\n")
