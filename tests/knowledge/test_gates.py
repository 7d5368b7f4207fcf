"""Gates: a snapshot below the bar of its library's golden questions is not activated."""

import pytest
from django.contrib.auth.models import User

from ingestion import pipeline
from ingestion.jobs import run_build
from knowledge.access import NotAllowed
from knowledge.governance import gates, query_log, review
from knowledge.governance.gates import GateRefused
from knowledge.models import (
    Answer,
    AuditEvent,
    GateRun,
    Job,
    Library,
)
from retrieval import query_vector
from tests.conftest import reindex
from tests.knowledge.conftest import FILES, approve


def golden(library: Library) -> None:
    library.golden_questions.create(identifier="pads", text="How long do pads last?", gold=[{"file": "changed.md"}])
    library.golden_questions.create(identifier="stove", text="Where is the coal stove?", gold=[{"file": "gone.md"}])


def test_the_gate_refuses_and_names_the_questions_that_fell(library, candidate, people):
    golden(library)
    Library.objects.update(gate_may_fall=0)
    approve(candidate, people["reviewer"])
    with pytest.raises(GateRefused, match="Where is the coal stove"):
        review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    assert library.active_snapshot.number == 1
    run = GateRun.objects.get()
    assert not run.passed and [one["id"] for one in run.fallen] == ["stove"] and run.recall == 0.5
    assert AuditEvent.objects.latest("number").action == "gate.refuse"


def test_only_an_administrator_with_a_reason_passes_the_gate(library, candidate, people):
    golden(library)
    Library.objects.update(gate_minimum=0.9)
    approve(candidate, people["reviewer"])
    with pytest.raises(NotAllowed, match="override"):
        review.publish(candidate, people["librarian"], override="I want it")
    root = User.objects.create_superuser("root")
    review.publish(candidate, root, override="The stove was sold.")
    run = GateRun.objects.latest("pk")
    assert (run.overridden_by, run.override_reason) == (root, "The stove was sold.")
    events = AuditEvent.objects.filter(action="gate.override")
    assert events.get().details["fallen"] == ["Where is the coal stove?"]


def test_a_refusal_by_recall_names_what_no_snapshot_answered(library, candidate, people):
    golden(library)
    library.golden_questions.create(identifier="bell", text="Who rings the bell?", gold=[{"file": "nowhere.md"}])
    Library.objects.update(gate_minimum=0.9)
    approve(candidate, people["reviewer"])
    with pytest.raises(GateRefused) as refused:
        review.publish(candidate, people["librarian"])
    told = str(refused.value)
    assert "not answered by this snapshot: “Who rings the bell?” (its place is not in this snapshot)" in told
    assert "no longer answered: “Where is the coal stove?”" in told


def test_a_gate_without_questions_or_endpoint_refuses(library, candidate, people, monkeypatch):
    Library.objects.update(gate_minimum=0.1)
    approve(candidate, people["reviewer"])
    with pytest.raises(GateRefused, match="no golden question"):
        review.publish(candidate, people["librarian"])
    golden(library)

    def gone(*_: object) -> None:
        raise RuntimeError("cannot evaluate: embedding did not answer")

    monkeypatch.setattr("retrieval.evaluation.gate.measure", gone)
    with pytest.raises(GateRefused, match="did not answer"):
        review.publish(candidate, people["librarian"])


def test_a_build_that_the_gate_refuses_succeeds_and_waits(indexed, documents):
    library = indexed("two", FILES)
    golden(library)
    Library.objects.update(gate_may_fall=0)
    library.refresh_from_db()
    (documents / "two" / "gone.md").unlink()
    job = Job.objects.create(library=library)
    run_build(job)
    library.refresh_from_db()
    job.refresh_from_db()
    assert (job.state, library.active_snapshot.number) == ("succeeded", 1)
    assert job.events.filter(level="warning", message__contains="coal stove").exists()


def test_a_gate_that_is_set_while_a_library_is_built_is_asked(indexed, documents, monkeypatch):
    library, find_twins = indexed("two", FILES), pipeline.find_twins
    golden(library)
    (documents / "two" / "gone.md").unlink()

    def meanwhile(*args: object) -> None:
        Library.objects.update(gate_may_fall=0)
        find_twins(*args)

    monkeypatch.setattr(pipeline, "find_twins", meanwhile)
    assert not reindex(library).active and library.active_snapshot.number == 1
    assert [one["id"] for one in GateRun.objects.get().fallen] == ["stove"]


def test_a_candidate_of_another_embedding_model_is_held_against_what_words_find(indexed, documents, settings):
    library = indexed("two", FILES)
    golden(library)
    Library.objects.update(gate_may_fall=0)
    library.refresh_from_db()
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    reindex(library, full=True)
    library.refresh_from_db()
    run = GateRun.objects.get()
    assert library.active_snapshot.number == 2 and run.passed and "by words alone" in run.reason
    (documents / "two" / "gone.md").unlink()
    settings.EMBEDDING_DOCUMENT_PREFIX = "text: "
    query_vector.forget()
    reindex(library, full=True)
    library.refresh_from_db()
    run = GateRun.objects.latest("pk")
    assert library.active_snapshot.number == 2 and [one["id"] for one in run.fallen] == ["stove"]


def test_a_quote_in_a_golden_question_is_words_for_the_gate(library, candidate, people):
    text = 'What is "the life of pads" in winters?'
    library.golden_questions.create(identifier="quote", text=text, gold=[{"file": "changed.md"}])
    Library.objects.update(gate_minimum=1.0)
    library.refresh_from_db()
    assert gates.run_gate(library, candidate).recall == 1.0


def test_questions_that_were_asked_before_they_were_logged_are_shown_to_nobody(library):
    """The ledger has them in any case, also those that were asked of a library that had this slug before."""
    for policy, question in (("counts", "Where is the key?"), ("full", "How long do pads last?")):
        Library.objects.update(query_log=policy)
        Answer.objects.create(question=question, searched_for=question, text="", refused=False, snapshots=[["one", 1]])
        query_log.note(None, "question", question, ["one"])
    library.refresh_from_db()
    assert gates.asked(library) == ["How long do pads last?"]


def test_a_candidate_still_waits_when_the_gate_refuses_its_part(library, candidate, people):
    golden(library)
    Library.objects.update(gate_may_fall=0)
    approve(candidate, people["reviewer"], "gone.md")
    with pytest.raises(GateRefused):
        review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    assert review.candidates(library).first() == candidate

    review.publish(candidate, User.objects.create_superuser("root"), override="The stove was sold.")
    library.refresh_from_db()
    assert library.active_snapshot.derived_from == candidate and not review.candidates(library)
