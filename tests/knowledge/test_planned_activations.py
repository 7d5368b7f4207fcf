"""Publication at a chosen time: once, when it has come, and not over what was decided since."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from knowledge.governance import review
from knowledge.governance.activation import rollback
from knowledge.models import (
    AuditEvent,
    PlannedActivation,
)
from tests.conftest import begun_elsewhere
from tests.knowledge.conftest import approve


def test_a_planned_activation_happens_when_its_time_has_come(library, candidate, people):
    from knowledge.upkeep import run_due

    approve(candidate, people["reviewer"])
    review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    run_due()
    library.refresh_from_db()
    assert library.active_snapshot.number == 1
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=1), people["librarian"])
    run_due()
    library.refresh_from_db()
    plan.refresh_from_db()
    assert library.active_snapshot == candidate and plan.done_at
    last = AuditEvent.objects.filter(action="snapshot.activate").latest("number")
    assert last.actor == "librarian"


def test_what_goes_wrong_with_one_plan_holds_up_nothing_else(library, candidate, people, monkeypatch):
    from knowledge import upkeep

    done = []
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=1), people["librarian"])
    monkeypatch.setattr(upkeep.review, "publish", lambda *_: 1 / 0)
    monkeypatch.setattr(upkeep.reminders, "note", lambda: done.append("reminders"))
    with pytest.raises(ExceptionGroup):
        upkeep.run_due()
    plan.refresh_from_db()
    assert done == ["reminders"] and plan.done_at is None


def test_a_plan_that_was_carried_out_is_not_carried_out_again(library, candidate, people):
    """It was activated, and rolled back, before it was written down that it was done."""
    from knowledge.upkeep import run_due

    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=1), people["librarian"])
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    rollback(library, people["librarian"])
    run_due()
    plan.refresh_from_db()
    library.refresh_from_db()
    assert plan.done_at and library.active_snapshot.number == 1


def when_its_time_has_come(plan: PlannedActivation) -> str:
    """What came of it."""
    from knowledge.upkeep import run_due

    PlannedActivation.objects.filter(pk=plan.pk).update(at=Now())
    run_due()
    plan.refresh_from_db()
    return plan.outcome


def test_a_plan_does_not_bring_back_what_was_rolled_back(library, candidate, people):
    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    rollback(library, people["librarian"])
    assert when_its_time_has_come(plan) == "snapshot 2 was activated after this was planned"
    library.refresh_from_db()
    assert library.active_snapshot.number == 1
    assert AuditEvent.objects.filter(action="snapshot.plan_failed", snapshot=2).exists()


def test_the_rest_of_what_was_published_in_part_follows_as_it_was_planned(library, candidate, people):
    approve(candidate, people["reviewer"], "new.md")
    plan = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    review.publish(candidate, people["librarian"])
    approve(candidate, people["reviewer"])
    assert when_its_time_has_come(plan) == "snapshot 2 is active"


def test_a_plan_does_not_take_back_what_was_published_since(library, candidate, build, people):
    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    newer = build({"new.md": "# New\n\nThe tandem has two bells.\n"})
    approve(newer, people["reviewer"])
    review.publish(newer, people["librarian"])
    assert when_its_time_has_come(plan) == "snapshot 3 was activated after this was planned"
    again = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    assert when_its_time_has_come(again) == "snapshot 2 is active", "whoever plans it now knows what they do"


def test_a_part_of_an_older_candidate_holds_up_no_plan(library, candidate, build, people):
    newer = build({"newer.md": "# Newer\n\nThe trailer has two wheels.\n"})
    approve(newer, people["reviewer"])
    approve(candidate, people["reviewer"], "new.md")
    plans = [
        review.plan(one, timezone.now() + timedelta(hours=hours), people["librarian"])
        for hours, one in enumerate((candidate, newer), start=1)
    ]
    assert when_its_time_has_come(plans[0]) == "snapshot 4 is active"
    assert review.candidates(library).get() == newer
    assert when_its_time_has_come(plans[1]) == "snapshot 3 is active"


def test_a_plan_made_after_a_part_was_published_is_carried_out(library, candidate, people):
    """For the minute that has begun, as the page offers it."""
    from knowledge.upkeep import run_due

    approve(candidate, people["reviewer"], "new.md")
    review.publish(candidate, people["librarian"])
    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=59), people["librarian"])
    run_due()
    plan.refresh_from_db()
    library.refresh_from_db()
    assert library.active_snapshot == candidate and plan.outcome == "snapshot 2 is active"


@pytest.mark.django_db(transaction=True)
def test_nothing_is_planned_anew_while_a_plan_is_carried_out(library, candidate, people, monkeypatch):
    """The new plan would be taken for done by what the old one had begun to publish."""
    from knowledge import upkeep

    approve(candidate, people["reviewer"], "new.md")
    first = review.plan(candidate, timezone.now(), people["librarian"])
    publish, refused = review.publish, []

    def plan_again() -> None:
        try:
            review.plan(candidate, timezone.now(), people["librarian"])
        except ValueError as error:
            refused.append(str(error))

    def meanwhile(*arguments: object) -> review.Published:
        begun_elsewhere(plan_again).join()
        return publish(*arguments)

    monkeypatch.setattr(upkeep.review, "publish", meanwhile)
    upkeep.run_due()
    first.refresh_from_db()
    assert refused == ["what was planned is being carried out just now; see what comes of it"]
    assert first.outcome == "snapshot 3 is active"
    later = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    assert list(candidate.planned.filter(done_at=None)) == [later]


@pytest.mark.parametrize("days", [-1, 4000])
def test_nothing_is_planned_for_the_past_or_the_far_future(candidate, people, days):
    with pytest.raises(ValueError, match="in the past"):
        review.plan(candidate, timezone.now() + timedelta(days=days), people["librarian"])
