"""Runs that are kept and compared, and the recall of the vector branch."""

import json
import shutil

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from knowledge import golden, models
from knowledge.models import EvaluationResult, EvaluationRun, GoldenQuestion, Library, VectorRecall
from retrieval import matrices, query_vector, vector
from retrieval.evaluation import branches, recall, runs
from retrieval.evaluation.questions import evaluate_questions
from retrieval.results import SearchOptions
from retrieval.view import one_read
from tests.conftest import forget_views, printed, reindex, write

FILES = {
    "tides.md": "# Tides\n\nThe tide rises twice a day.\n\n## Neap\n\nA neap tide is weak.\n",
    "bread.md": "# Bread\n\nBake at 230 degrees.\n",
}
QUESTIONS = """\
{"id": "tide", "question": "How often is the tide?", "gold": [{"file": "tides.md", "line_start": 3, "line_end": 3}]}
{"id": "oven", "kind": "heat", "question": "At how many degrees?", "gold": [{"file": "bread.md", "anchor": "bread"}]}
"""


@pytest.fixture
def sea(indexed, tmp_path):
    library = indexed("sea", FILES)
    GoldenQuestion.objects.take(library, golden.read_json_lines(QUESTIONS, "q"), None)
    return library


def test_golden_questions_come_in_and_go_out_as_they_were(sea, tmp_path, capsys):
    file = tmp_path / "out.jsonl"
    call_command("golden", "export", "--library", "sea", "--output", str(file))
    assert sorted(file.read_text().splitlines()) == sorted(
        golden.as_json_lines(golden.read_json_lines(QUESTIONS, "q")).splitlines()
    )
    assert printed(capsys, "golden", "import", str(file), "--library", "sea")["unchanged"] == 2

    file.write_text('{"id": "tide", "question": "When?", "gold": [{"file": "tides.md"}]}')
    before = timezone.now()
    counts = printed(capsys, "golden", "import", str(file), "--library", "sea", "--replace")
    assert counts == {"added": 0, "changed": 1, "unchanged": 0, "switched off": 1, "gold_missing": []}
    assert sea.golden_questions.filter(changed_at__gt=before).count() == 2
    listed = printed(capsys, "golden", "list", "--library", "sea")
    assert [(row["id"], row["question"], row["active"]) for row in listed] == [
        ("oven", "At how many degrees?", False),
        ("tide", "When?", True),
    ]
    call_command("golden", "list", "--library", "sea")
    assert "- oven: At how many degrees? → bread.md#bread" in capsys.readouterr().out


def test_a_file_with_one_bad_line_changes_nothing(sea, tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text('{"id": "new", "question": "When?", "gold": [{"file": "tides.md"}]}\nnonsense\n')
    with pytest.raises(CommandError, match=r"in\.jsonl:2"):
        call_command("golden", "import", str(file), "--library", "sea")
    assert not GoldenQuestion.objects.filter(identifier="new").exists()


def test_a_file_without_questions_switches_none_off(sea, tmp_path):
    (file := tmp_path / "in.jsonl").write_text("\n")
    with pytest.raises(CommandError, match=r"in\.jsonl holds no question") as refused:
        call_command("golden", "import", str(file), "--library", "sea", "--replace")
    assert refused.value.returncode == 1 and sea.golden_questions.active().count() == 2


def test_what_is_imported_and_not_there_is_said(sea, tmp_path, capsys):
    places = ", ".join(f'{{"file": "nope.md", "page": {page}}}' for page in range(1, 7))
    (file := tmp_path / "in.jsonl").write_text(f'{{"id": "x", "question": "?", "gold": [{places}]}}')
    call_command("golden", "import", str(file), "--library", "sea", "--json")
    told = capsys.readouterr()
    assert json.loads(told.out)["gold_missing"][0] == {"id": "x", "file": "nope.md", "page": 1}
    named = ", ".join(f"nope.md, page {page}" for page in range(1, 6))
    assert f"Not in the active snapshot of sea, so no search finds it: {named} and 1 more." in told.err


def test_the_librarys_own_questions_are_asked_and_the_run_is_kept(sea, capsys):
    measured = printed(capsys, "evaluate", "--golden", "--library", "sea", "--branches", "lexical,hybrid")
    run = EvaluationRun.objects.get(pk=measured["run"])

    assert (run.set_name, run.snapshot_number, run.queries, run.branches) == ("golden", 1, 2, ["lexical", "hybrid"])
    assert run.manifest_hash == sea.active_snapshot.manifest_hash and run.code == runs.code_version()
    assert run.measures["lexical"]["hit@10"] == measured["branches"]["lexical"]["hit@10"] == 1.0
    assert set(measured["branches"]["lexical"]["kinds"]) == {"", "heat"}
    found = run.results.get(branch="lexical", question_id="tide")
    assert found.ranks == [1] and found.hits[0][:3] == ["tides.md", 3, 3]
    assert runs.outcomes(run)["lexical"][1].hits[0].path == "tides.md"
    assert "mode" not in run.options and run.options["depth"] == sea.depth


def test_a_part_of_the_questions_is_kept_only_when_asked_for(sea, capsys):
    part = ["evaluate", "--golden", "--library", "sea", "--branches", "lexical", "--limit", "1"]
    assert printed(capsys, *part)["run"] is None and not EvaluationRun.objects.exists()
    assert printed(capsys, *part, "--save")["run"] and EvaluationResult.objects.count() == 1
    assert printed(capsys, *part[:-2], "--no-save")["run"] is None


def test_two_runs_are_compared(sea, documents, capsys):
    command = ["evaluate", "--golden", "--library", "sea", "--branches", "lexical"]
    first = printed(capsys, *command)["run"]
    with pytest.raises(CommandError, match="the first of sea"):
        call_command("evaluate", "--compare", str(first))
    (documents / "sea/bread.md").unlink()
    reindex(sea)
    second = printed(capsys, *command)
    assert second["gold_files_missing"] == ["bread.md"] and second["gold_missing"][0]["id"] == "oven"

    compared = printed(capsys, "evaluate", "--compare", str(second["run"]))
    assert (compared["before"]["run"], compared["after"]["snapshot"]) == (first, 2)
    assert compared == printed(capsys, "evaluate", "--compare", str(first), str(second["run"]))
    summary = compared["comparison"]["lexical"]["summary"]
    assert (summary["lost"], summary["unchanged"], summary["differences"]["hit@10"]) == (1, 1, -0.5)
    assert compared["comparison"]["lexical"]["queries"][0]["before"]["ranks"] == [1]
    call_command("evaluate", "--compare", str(second["run"]), str(first))
    assert "gained" in capsys.readouterr().out
    for arguments in (["987654321"], [str(first), "987654321"], ["1", "2", "3"]):
        with pytest.raises(CommandError):
            call_command("evaluate", "--compare", *arguments)


def test_a_run_of_other_branches_in_between_cuts_no_comparison(sea, capsys):
    def said(branches: str) -> str:
        call_command("evaluate", "--golden", "--library", "sea", "--branches", branches)
        return capsys.readouterr().out

    assert "--compare" not in said("lexical")
    assert "--compare" not in said("vector")
    assert "--compare" in said("lexical,tree")
    first, other, last = EvaluationRun.objects.order_by("pk")
    assert (other.before(), last.before()) == (None, first)
    assert printed(capsys, "evaluate", "--compare", str(last.pk))["before"]["run"] == first.pk


def test_two_snapshots_are_compared(sea, documents, capsys):
    write(documents / "sea", {"tides.md": "# Sun\n\nBright.\n"})
    reindex(sea)
    command = ["evaluate", "--golden", "--library", "sea", "--branches", "lexical", "--no-save"]
    compared = printed(capsys, *command, "--against", "1")

    assert (compared["snapshot"], compared["against"]["snapshot"]) == (2, 1)
    assert compared["against"]["branches"]["lexical"]["hit@10"] == 1.0
    assert compared["comparison"]["lexical"]["summary"]["lost"] == 1
    backwards = printed(capsys, *command, "--snapshot", "1", "--against", "2")
    assert backwards["comparison"]["lexical"]["summary"]["gained"] == 1
    call_command(*command, "--against", "1")
    assert "1 lost" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no ready snapshot 7"):
        call_command(*command, "--snapshot", "7")


def test_runs_of_different_questions_are_not_compared(sea, indexed, capsys, tmp_path):
    (tmp_path / "mine.jsonl").write_text(QUESTIONS)
    given = ["evaluate", "--questions", str(tmp_path / "mine.jsonl"), "--library", "sea", "--branches", "lexical"]
    assert printed(capsys, *given)["run"] is None
    one = printed(capsys, *given, "--save")["run"]
    two = printed(capsys, "evaluate", "--golden", "--library", "sea", "--branches", "lexical")["run"]
    with pytest.raises(CommandError, match="not the same questions"):
        call_command("evaluate", "--compare", str(one), str(two))
    three = printed(capsys, "evaluate", "--golden", "--library", "sea", "--branches", "vector")["run"]
    with pytest.raises(CommandError, match="no branch in common"):
        call_command("evaluate", "--compare", str(two), str(three))


def test_a_file_is_never_taken_for_the_librarys_own_questions(sea, tmp_path):
    file = tmp_path / "golden.jsonl"
    file.write_text(QUESTIONS)
    call_command("evaluate", "--questions", str(file), "--library", "sea", "--branches", "lexical", "--save")
    assert EvaluationRun.objects.get().set_name == "golden, from a file"
    assert len(runs.name_of_file(tmp_path / ("q" * 240 + ".jsonl"))) == 200


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--golden"], "name the --library"),
        (["--golden", "--library", "nowhere"], "no such library"),
        (["--golden", "--library", "dry"], "no golden questions"),
        (["--questions", "/dev/null", "--library", "sea"], "/dev/null holds no question"),
        (["--golden", "--library", "sea", "--limit", "0"], "1 or more"),
        (["--golden", "--library", "sea", "--branches", "psychic"], "unknown branches"),
        (["--recall", "--library", "sea", "--snapshot", "1"], "active snapshot"),
        (["--recall", "--library", "dry"], "no active snapshot"),
    ],
)
def test_what_cannot_be_evaluated_is_said(sea, make_library, arguments, reason):
    make_library("dry", {})
    with pytest.raises(CommandError, match=reason):
        call_command("evaluate", *arguments)


@pytest.mark.parametrize("command", ["evaluate --questions", "golden import", "golden export --output"])
def test_a_folder_is_no_file_of_questions(sea, tmp_path, command):
    with pytest.raises(CommandError) as refused:
        call_command(*command.split(), str(tmp_path), "--library", "sea")
    assert str(refused.value) == f"{tmp_path}: Is a directory"


def test_what_was_measured_is_never_updated(sea, reader):
    measured = evaluate_questions(
        sea.golden_questions.questions(), ["lexical"], SearchOptions(libraries=("sea",)), lambda: None
    )
    run = runs.save(sea.active_snapshot, "golden", measured, SearchOptions(), reader)
    recall.measure_recall(sea, 2)
    for model, change in (
        (EvaluationRun, {"measures": {}}),
        (EvaluationResult, {"ranks": []}),
        (VectorRecall, {"recall": 1.0}),
    ):
        with pytest.raises(IntegrityError, match="written once"), transaction.atomic():
            model.objects.update(**change)
    reader.delete()
    run.refresh_from_db()
    assert run.run_by is None


def test_a_question_without_a_place_is_no_golden_question(sea):
    with pytest.raises(IntegrityError), transaction.atomic():
        sea.golden_questions.create(identifier="x", text="?", gold=[])


def test_latency_includes_the_embedding_of_a_query_that_was_asked_before(sea, monkeypatch):
    endpoint = query_vector.recognised_endpoint().endpoint
    embedded = []
    original = type(endpoint).embed_query
    monkeypatch.setattr(type(endpoint), "embed_query", lambda self, text: embedded.append(text) or original(self, text))
    questions = sea.golden_questions.questions()
    evaluate_questions(questions, ["vector", "hybrid"], SearchOptions(libraries=("sea",)), lambda: None)
    assert embedded.count("How often is the tide?") >= 2


def test_of_many_queries_a_spread_sample_is_timed(sea, monkeypatch):
    monkeypatch.setattr(branches, "TIMED", 3)
    ranked = branches.run_branch("lexical", ["tide"] * 7, SearchOptions(libraries=("sea",)), 400, lambda: None)

    assert [one.milliseconds is not None for one in ranked] == [True, False, False, True, False, False, True]
    assert branches.latencies(ranked)["p50_ms"] > 0 and all(one.hits for one in ranked)


def test_exact_search_has_full_recall(sea, capsys):
    measured = printed(capsys, "evaluate", "--recall", "--library", "sea")
    rows = {row["asked"]: row for row in measured["recalls"]}

    assert rows["vectors"]["recall@10"] == rows["questions"]["recall@10"] == 1.0
    assert rows["vectors"]["queries"] == 3 and rows["questions"]["queries"] == 2
    assert VectorRecall.objects.count() == 2
    call_command("evaluate", "--recall", "--library", "sea")
    assert "recall@10" in capsys.readouterr().out


@pytest.fixture
def many(indexed, monkeypatch):
    monkeypatch.setattr(recall, "FILTERED", 0.05)
    return indexed(
        "many",
        {f"f{n:04}.md": f"# {n}\n\n{' '.join(f'w{n * step % 97}' for step in range(1, 9))}\n" for n in range(300)},
    )


def test_what_the_branch_misses_is_counted(many, monkeypatch):
    """Signs alone choose a handful: some of the truly nearest are not among them. A narrow filter has all compared."""
    monkeypatch.setattr(matrices, "EXACT_CHUNKS", 1)
    monkeypatch.setattr(vector, "REFINED", 12)
    Library.objects.filter(pk=many.pk).update(depth=12)
    matrices._matrices.clear()
    forget_views()
    rows = recall.measure_recall(many, 30)
    matrices._matrices.clear()
    free, filtered = rows

    assert free.share == 1 and 0 < free.recall < 1 and free.lowest < free.recall and free.too_few == 0
    assert 0 < filtered.share < 0.1 and filtered.recall == 1 and filtered.too_few == 0


def test_under_a_filter_the_exact_branch_is_exact(many):
    free, filtered = recall.measure_recall(many, 30)
    assert (free.recall, filtered.recall, filtered.too_few) == (1.0, 1.0, 0) and filtered.share < 0.1
    with one_read(None, ("many",)) as view:
        searched = view.snapshots[0]
        first, again = recall.sample_vectors(searched, 30), recall.sample_vectors(searched, 30)
        masks = [recall.sample_mask(searched) for _ in range(2)]
    assert np.array_equal(first.selves, again.selves) and np.array_equal(*masks) and first.vectors.shape == (30, 384)


def test_equally_near_vectors_are_as_good():
    sample = recall.Sample("vectors", np.eye(1, 3, dtype=np.float32), np.array([0]))
    exact = np.array([[1.0] + [0.5] * 30], np.float32)

    assert recall.recall(sample, exact, None, lambda query: list(range(11))).recall == 1
    assert recall.recall(sample, exact, None, lambda query: [0, 30, 29]).recall == pytest.approx(0.2)
    nothing = np.zeros(31, bool)
    assert recall.recall(sample, exact, nothing, lambda query: []).queries == 0


def test_questions_that_were_asked_of_the_library_are_sampled_too(sea):
    models.Answer.objects.create(question="?", searched_for="the moon", text="", refused=True, snapshots=[["sea", 1]])
    models.Answer.objects.create(question="?", searched_for="the sun", text="", refused=True, snapshots=[["sky", 1]])
    assert recall.questions_of(sea, 9) == ["At how many degrees?", "How often is the tide?", "the moon"]


def test_a_place_that_is_not_there_is_named_however_it_is_said(sea):
    lines = (
        '{"id": "far", "question": "Far?", "gold": [{"file": "tides.md", "start": 99999, "end": 100000}]}\n'
        '{"id": "page", "question": "Page?", "gold": [{"file": "tides.md", "page": 7}]}\n'
        '{"id": "near", "question": "Near?", "gold": [{"file": "tides.md", "start": 0, "end": 2}]}\n'
    )
    missing = runs.missing_gold(golden.read_json_lines(lines, "q"), sea.active_snapshot)
    assert [question.id for question, _ in missing] == ["far", "page"]


def test_a_section_without_a_passage_of_its_own_is_missing(sea, documents):
    write(documents / "sea", {"parts.md": "# Parts\n\n## One\n\nThe first part.\n"})
    reindex(sea)
    lines = "".join(
        f'{{"id": "{anchor}", "question": "?", "gold": [{{"file": "parts.md", "anchor": "{anchor}"}}]}}\n'
        for anchor in ("parts", "one", "two")
    )
    missing = runs.missing_gold(golden.read_json_lines(lines, "q"), sea.active_snapshot)
    assert [question.id for question, _ in missing] == ["parts", "two"]


@pytest.mark.parametrize(
    ("what", "idle"),
    [
        (["--learn"], ["--limit", "3"]),
        (["--learn"], ["--branches", "tree"]),
        (["--forget"], ["--snapshot", "1"]),
        (["--recall"], ["--save"]),
        (["--compare", "1"], ["--save"]),
        (["--compare", "1"], ["--branches", "lexical"]),
        (["--compare", "1"], ["--limit", "3"]),
        (["--golden", "--answers"], ["--branches", "lexical"]),
        (["--golden"], ["--split", "dev"]),
        (["--beir", "nowhere"], ["--against", "1"]),
    ],
)
def test_what_a_measurement_does_not_take_is_refused_before_it_begins(db, what, idle):
    named = next(name for name in reversed(what) if name.startswith("--"))
    with pytest.raises(CommandError, match=f"^{named} .* takes no {idle[0]}$") as refused:
        call_command("evaluate", *what, *idle)
    assert refused.value.returncode == 2


def test_branches_may_be_written_with_spaces(sea, capsys):
    told = printed(capsys, "evaluate", "--golden", "--library", "sea", "--no-save", "--branches", "lexical, vector")
    assert list(told["branches"]) == ["lexical", "vector"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--golden", "--judge"],
        ["--golden", "--unanswerable", "none.jsonl"],
        ["--golden", "--answers", "--against", "1"],
        ["--golden", "--answers", "--save"],
    ],
)
def test_an_option_that_would_do_nothing_is_refused(sea, arguments):
    with pytest.raises(CommandError) as refused:
        call_command("evaluate", "--library", "sea", *arguments)
    assert refused.value.returncode == 2 and "--answers" in str(refused.value)


def test_the_code_of_a_run_is_all_that_ranks():
    names = {path.name for path in runs.ranking_modules()}
    assert {"analysis.py", "parts.py", "spaces.py", "fusion.py", "vector.py", "bm25.py"} <= names


def test_a_recall_of_nothing_is_none(indexed):
    """Of the one passage the only vector is the query's own."""
    indexed("alone", {"a.md": "# A\n\nAll there is.\n"})
    with pytest.raises(CommandError, match="too few passages with vectors") as refused:
        call_command("evaluate", "--recall", "--library", "alone")
    assert refused.value.returncode == 1 and not VectorRecall.objects.exists()


def test_of_what_is_not_asked_no_gold_is_missed(sea, tmp_path, capsys):
    file = tmp_path / "q.jsonl"
    file.write_text(QUESTIONS.replace("bread.md", "nowhere.md"))
    asking = ["evaluate", "--questions", str(file), "--library", "sea", "--branches", "lexical"]
    assert printed(capsys, *asking)["gold_files_missing"] == ["nowhere.md"]
    some = printed(capsys, *asking, "--limit", "1")
    assert (some["queries"], some["gold_files_missing"], some["gold_missing"]) == (1, [], [])


def judged_set(folder, corpus='{"_id": "d1", "title": "", "text": "The moon."}\n'):
    (folder / "qrels").mkdir(parents=True)
    (folder / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "moon"}\n')
    (folder / "corpus.jsonl").write_text(corpus)
    return ["evaluate", "--beir", str(folder), "--branches", "lexical"]


def test_a_judged_set_takes_no_library_of_documents_over(db, tmp_path):
    uploads = Library.objects.create(slug="beir-sea", kind=Library.Kind.UPLOADS)
    with pytest.raises(CommandError, match="the library beir-sea is no evaluation corpus") as refused:
        call_command(*judged_set(tmp_path / "sea"))
    uploads.refresh_from_db()
    assert (refused.value.returncode, uploads.kind, uploads.location) == (1, Library.Kind.UPLOADS, "")


def test_two_judged_sets_of_one_name_are_told_apart_and_one_that_was_moved_goes_on(db, tmp_path):
    call_command(*judged_set(tmp_path / "a/sea"))
    call_command(*judged_set(tmp_path / "copied/sea"))
    (tmp_path / "a").rename(tmp_path / "b")
    shutil.rmtree(tmp_path / "copied")
    call_command("evaluate", "--beir", str(tmp_path / "b/sea"), "--branches", "lexical")
    with pytest.raises(CommandError, match=r"the library beir-sea is of .*b/sea"):
        call_command(*judged_set(tmp_path / "c/sea", '{"_id": "d1", "text": "Another."}\n'))
    assert Library.objects.get().location == str(tmp_path / "b/sea/corpus.jsonl")


def test_of_a_judged_set_is_said_what_is_judged_and_not_there(db, tmp_path, capsys):
    asking = judged_set(tmp_path / "sea")
    with (tmp_path / "sea/qrels/test.tsv").open("a") as file:
        file.write("q1\td9\t1\n")
    assert printed(capsys, *asking)["documents_missing"] == ["d9"]
    call_command(*asking)
    assert "judged documents that are not in the corpus: 1, such as d9" in capsys.readouterr().out


def test_judged_sets_without_latin_letters_are_told_apart(db, tmp_path):
    for name in ("海", "山"):
        call_command(*judged_set(tmp_path / name))
    assert Library.objects.count() == 2


@pytest.mark.parametrize("line", ["{", "7", '{"_id": "d2"}', '{"text": "Without."}'])
def test_a_judged_set_with_a_damaged_corpus_makes_no_library(db, tmp_path, line):
    with pytest.raises(CommandError, match=r"corpus\.jsonl:2: a JSON object with _id and text") as refused:
        call_command(*judged_set(tmp_path / "sea", f'{{"_id": "d1", "text": "The moon."}}\n{line}\n'))
    assert refused.value.returncode == 1 and not Library.objects.exists()


def test_a_judged_set_with_nothing_to_ask_makes_no_library(db, tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq9\td1\t1\n")
    for name in ("queries", "corpus"):
        (tmp_path / f"{name}.jsonl").write_text('{"_id": "q1", "title": "", "text": "moon"}\n')
    with pytest.raises(CommandError, match="has nothing to ask") as refused:
        call_command("evaluate", "--beir", str(tmp_path))
    assert refused.value.returncode == 1 and not Library.objects.exists()
