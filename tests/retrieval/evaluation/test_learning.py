"""What golden questions teach about fusion, and when searches use it."""

import json

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from knowledge.golden import Gold, Question
from knowledge.models import AuditEvent, EvaluationRun, GoldenQuestion, LearntFusion
from retrieval.evaluation import learning
from retrieval.evaluation.logit import MOST, Example, lexical_weight
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.conftest import reindex


def examples(told_by: int, count: int = 60) -> list[Example]:
    """Candidates whose answer has the highest value in one feature; the other is noise."""
    rng = np.random.default_rng(5)
    made = []
    for _ in range(count):
        features = rng.random((8, 2)) * 0.3
        answers = np.zeros(8, bool)
        answers[int(np.argmax(features[:, told_by]))] = True
        made.append(Example(features, answers))
    return made


def test_words_count_more_where_they_tell_the_answer_and_less_where_meaning_does():
    assert lexical_weight(examples(told_by=0)) > 3 and lexical_weight(examples(told_by=1)) < 1 / 3
    assert lexical_weight(examples(told_by=0)) <= MOST


def test_without_questions_or_answers_nothing_is_learnt():
    mute = [Example(one.features, np.zeros_like(one.answers)) for one in examples(0)]

    assert lexical_weight([]) == 1 and lexical_weight(mute) == 1


def test_a_few_questions_are_held_near_one_by_the_prior():
    assert 1 < lexical_weight(examples(told_by=0, count=1)) < lexical_weight(examples(told_by=0, count=60))


@pytest.fixture
def library(indexed):
    files = {f"{name}.md": f"# {name}\n\nThe {name} of the sea.\n" for name in ("moon", "tide", "boat", "gull")}
    made = indexed("sea", files)
    questions = [
        Question(f"{name}-{number}", f"{name} number {number}", (Gold(f"{name}.md"),))
        for name in ("moon", "tide", "boat", "gull")
        for number in range(6)
    ]
    GoldenQuestion.objects.take(made, questions, None)
    return made


def weight_in_use() -> float:
    hit = search(None, "moon and tide", SearchOptions(explain=True)).hits[0]
    part = next(part for part in hit.explain.parts if part.branch == "lexical")
    return part.weight


def learnt(capsys, slug="sea"):
    call_command("evaluate", "--learn", "--library", slug, "--json")
    return json.loads(capsys.readouterr().out)


def test_what_proves_itself_is_used_at_once_and_only_for_its_profile(library, capsys, monkeypatch):
    before = weight_in_use()
    gains = iter([(0.1, 0.01), (0.0, 0.01)])
    monkeypatch.setattr(learning, "paired", lambda *_: next(gains))
    monkeypatch.setattr(learning, "lexical_weight", lambda _: 4.0)
    assert learnt(capsys)["adopted"]
    assert weight_in_use() > before

    LearntFusion.objects.create(**(vars_of(LearntFusion.objects.get()) | {"profile_hash": "another"}))
    assert weight_in_use() > before

    assert not learnt(capsys)["adopted"]
    assert weight_in_use() == before


def test_what_is_learnt_is_in_the_audit_and_is_forgotten_again(library, capsys, monkeypatch):
    before = weight_in_use()
    monkeypatch.setattr(learning, "paired", lambda *_: (1.0, 0.0))
    monkeypatch.setattr(learning, "lexical_weight", lambda _: 4.0)
    learnt(capsys)
    call_command("evaluate", "--forget", "--library", "sea", "--json")
    assert json.loads(capsys.readouterr().out) == {"library": "sea", "forgotten": 1}
    assert weight_in_use() == before and not LearntFusion.objects.exists()
    call_command("evaluate", "--forget", "--library", "sea")
    assert "it had learnt nothing" in capsys.readouterr().out
    events = AuditEvent.objects.filter(action__startswith="fusion.", library="sea").order_by("number")
    assert list(events.values_list("action", "snapshot", "details")) == [
        ("fusion.learn", 1, {"questions": 24, "learnt": 4.0, "used": 4.0}),
        ("fusion.forget", None, {"used": 4.0}),
    ]


def test_a_run_says_by_which_weight_it_searched(library, monkeypatch):
    monkeypatch.setattr(learning, "paired", lambda *_: (1.0, 0.0))
    monkeypatch.setattr(learning, "lexical_weight", lambda _: 4.0)
    asking = ["evaluate", "--golden", "--library", "sea", "--branches", "hybrid"]
    call_command(*asking)
    call_command("evaluate", "--learn", "--library", "sea")
    call_command(*asking)
    assert [run.options["learnt_weight"] for run in EvaluationRun.objects.order_by("pk")] == [1.0, 4.0]


def vars_of(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.fields if field.attname != "id"}


def test_the_figures_are_those_of_the_search_itself(library, capsys):
    row = learnt(capsys)
    call_command("evaluate", "--golden", "--library", "sea", "--branches", "hybrid", "--json")
    measured = json.loads(capsys.readouterr().out)["branches"]["hybrid"]["ndcg@10"]

    assert row["questions"] == 24 and len(row["folds"]) >= 2
    assert row["default_ndcg@10"] == pytest.approx(measured, abs=1e-4)


def test_too_few_questions_are_refused(library):
    GoldenQuestion.objects.filter(identifier__endswith="-0").update(active=False)
    GoldenQuestion.objects.filter(identifier__endswith="-1").update(active=False)
    with pytest.raises(CommandError, match="too few"):
        call_command("evaluate", "--learn", "--library", "sea")


def test_a_new_snapshot_of_the_same_profile_keeps_what_was_learnt(library, capsys, monkeypatch):
    monkeypatch.setattr(learning, "paired", lambda *_: (1.0, 0.0))
    monkeypatch.setattr(learning, "lexical_weight", lambda _: 4.0)
    learnt(capsys)
    used = weight_in_use()
    reindex(library, force=True)

    assert weight_in_use() == used


def test_a_question_is_judged_as_evaluation_asks_it_by_what_its_filters_leave_and_with_quotes_as_words(library):
    snapshot, gold = library.active_snapshot, (Gold("tide.md"),)
    within, quoted = (
        learning.judge(snapshot, Question("one", text, gold)) for text in ("the sea file:tide.md", '"moon of the sea"')
    )
    assert {hit.source_file for hit in within.hits} == {"tide.md"}
    assert {hit.source_file for hit in quoted.hits} > {"moon.md"}
    assert learning.judge(snapshot, Question("none", "moon file:nowhere.md", gold)).ndcg(1.0) == 0


def test_a_question_of_filters_alone_teaches_nothing(library):
    asked = [Question(f"{n}", "file:tide.md", (Gold("tide.md"),)) for n in range(learning.FEWEST)]
    with pytest.raises(ValueError, match="0 questions are too few"):
        learning.learn(library.active_snapshot, asked, lambda: None)
