"""What time alone brings about: planned activations, the end of the trash, and dates that somebody should look at."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.module_loading import import_string

from knowledge.access import NotAllowed
from knowledge.governance import audit, review
from knowledge.models import DocumentFile, NotActivatable, PlannedActivation

EMPTY_TRASH = "ingestion.erasing.empty_trash"  # asked for by name: knowledge knows no ingestion


def run_due() -> None:
    """Called every minute by the queue; each piece of work is done once, whoever is called."""
    for pk in PlannedActivation.objects.waiting().filter(at__lte=Now()).values_list("pk", flat=True):
        activate(pk)
    remind()
    import_string(EMPTY_TRASH)()


@transaction.atomic
def activate(pk: int) -> None:
    """As far as it is approved; what came of it is written down."""
    plans = PlannedActivation.objects.waiting().select_related("snapshot__library", "planned_by")
    plan = plans.select_for_update(of=("self",), skip_locked=True).filter(pk=pk).first()
    if plan is None:
        return
    with audit.acting(plan.planned_by):
        try:
            published = review.publish(plan.snapshot, plan.planned_by)
            plan.outcome = f"snapshot {published.snapshot.number} is active"
        except (NotActivatable, NotAllowed) as error:
            plan.outcome = str(error)[:2000]
            audit.record(
                "snapshot.plan_failed", library=plan.snapshot.library, snapshot=plan.snapshot, why=plan.outcome
            )
    plan.done_at = timezone.now()
    plan.save(update_fields=["outcome", "done_at"])


def remind() -> None:
    """A file's review-by date has come: one event in the audit, and it stands on the dashboard until it is moved."""
    due = DocumentFile.objects.filter(review_by__lte=timezone.localdate(), reminded_for__isnull=True)
    due |= DocumentFile.objects.filter(review_by__lte=timezone.localdate()).exclude(reminded_for=F("review_by"))
    for document in due.select_related("library", "owner")[:1000]:
        document.reminded_for = document.review_by
        document.save(update_fields=["reminded_for"])
        details: dict[str, Any] = {
            "review_by": str(document.review_by),
            "owner": document.owner.get_username() if document.owner else None,
        }
        audit.record("document.review_due", library=document.library, document=document, **details)
