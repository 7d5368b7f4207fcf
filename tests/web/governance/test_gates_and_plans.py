"""The gate before an activation, and activations that are planned."""

import re
from datetime import timedelta

from django.utils import timezone

from ingestion.jobs import run_build
from knowledge.governance import query_log
from knowledge.models import AuditEvent, GateRun, Job, Library, PlannedActivation
from knowledge.upkeep import run_due
from tests.conftest import write
from tests.web.governance.conftest import REVIEW, active, text


def test_planning_and_asking_the_gate(library, people):
    refused = people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"}, follow=True)
    assert "has no golden questions" in text(refused) and not GateRun.objects.exists()
    assert "Ask them now" not in text(refused)
    library.golden_questions.create(identifier="late", text="For how long?", gold=[{"file": "lending.md"}])
    assert "1 question asked" in text(people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"}, follow=True))
    later = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    assert "Planned for" in text(
        people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": later}, follow=True)
    )
    assert "no date" in text(people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": "soon"}, follow=True))
    assert "Nothing was to be done" in text(
        people["librarian"].post(REVIEW, {"snapshot": 2, "do": "dance"}, follow=True)
    )


def test_questions_that_were_asked_without_a_bar_are_no_gate(library, people):
    library.golden_questions.create(identifier="late", text="For how long?", gold=[{"file": "lending.md"}])
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"})
    assert GateRun.objects.get().passed and ">passed<" not in text(people["librarian"].get("/dashboard/"))
    Library.objects.update(gate_may_fall=0)
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"})
    assert ">passed<" in text(people["librarian"].get("/dashboard/"))


def test_the_gate_is_said_to_refuse_only_what_was_to_be_activated(library, people):
    library.golden_questions.create(identifier="none", text="Who sings?", gold=[{"file": "none.md"}])
    Library.objects.update(gate_minimum=1)
    shown = text(people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"}, follow=True))
    assert "asked of all of snapshot 2" in shown and ">not passed<" in shown and "The gate refused" not in shown
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    shown = text(people["librarian"].get(REVIEW))
    assert "The gate refused what was approved of snapshot 2 on" in shown and "of what was approved of it then" in shown
    assert f'<a href="{REVIEW}?snapshot=2"><span class="state failed">' in text(people["librarian"].get("/dashboard/"))


def test_a_plan_is_cancelled(library, people):
    later = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": later})
    assert "Cancel the plan" in text(people["librarian"].get(REVIEW))
    cancel = {"snapshot": 2, "do": "cancel-plan"}
    assert "may not publish" in text(people["reviewer"].post(REVIEW, cancel, follow=True))
    shown = text(people["librarian"].post(REVIEW, cancel, follow=True))
    assert "not activated by itself" in shown and "Cancel the plan" not in shown
    assert not PlannedActivation.objects.exists()
    event = AuditEvent.objects.get(action="snapshot.cancel_plan")
    assert (event.library, event.snapshot, event.actor) == ("one", 2, "librarian")
    assert "Nothing is planned any more" in text(people["librarian"].post(REVIEW, cancel, follow=True))


def test_a_plan_that_somebody_made_meanwhile_is_neither_replaced_nor_cancelled(library, people):
    at = lambda days: (timezone.now() + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M")  # noqa: E731
    sent = lambda: re.findall(r'name="plan" value="(\d+)"', text(people["librarian"].get(REVIEW)))  # noqa: E731
    assert sent() == ["0"]
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": at(1), "plan": 0})
    first = PlannedActivation.objects.get()
    said = "Nothing was done: it was meanwhile planned for "
    assert sent() == [str(first.pk)] * 2
    shown = text(people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": at(2), "plan": 0}))
    assert said in shown and "UTC by librarian." in shown and PlannedActivation.objects.get() == first
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": at(2), "plan": first.pk})
    second = PlannedActivation.objects.get()
    assert said in text(people["librarian"].post(REVIEW, {"snapshot": 2, "do": "cancel-plan", "plan": first.pk}))
    assert PlannedActivation.objects.get() == second != first


def test_a_plan_is_found_again_behind_a_newer_build(library, documents, people):
    later = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": later})
    write(documents / "one", {"more.md": "# More\n"})
    run_build(Job.objects.create(library=library))
    for address in ("/libraries/one/", "/dashboard/"):
        assert "snapshot 2 is planned for " in text(people["librarian"].get(address))
    shown = text(people["librarian"].get(REVIEW))
    assert "Snapshot 3: " in shown and "Snapshot 2</a> is planned for " in shown
    assert "Cancel the plan" in shown and "Cancel the plan" not in text(people["reviewer"].get(REVIEW))
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "cancel-plan"})
    assert "is planned for" not in text(people["librarian"].get("/dashboard/"))


def test_a_plan_that_did_nothing_says_so_and_why(library, people):
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": timezone.now().isoformat()})
    run_due()
    shown = text(people["librarian"].get(REVIEW))
    assert "by librarian; nothing was activated: one@2: nothing that it changes is approved." in shown
    assert "Cancel the plan" not in shown
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": timezone.now().isoformat()})
    assert "nothing was activated" not in text(people["librarian"].get(REVIEW))
    run_due()
    assert active(library) == 3
    assert "nothing was activated" not in text(people["librarian"].get(f"{REVIEW}?snapshot=2"))


def test_what_readers_asked_is_not_counted_as_golden(library, people):
    Library.objects.update(query_log="full")
    library.golden_questions.create(identifier="late", text="For how long?", gold=[{"file": "lending.md"}])
    query_log.note(None, "question", "How many days is a bike lent?", ["one"])
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"})
    shown = text(people["reviewer"].get(REVIEW))
    assert "<span>1 asked on" in shown and "1 golden and 1 asked by readers find other passages" in shown
    assert "How many days is a bike lent? <small>asked by a reader</small>" in shown
    assert "For how long?</th>" in shown
