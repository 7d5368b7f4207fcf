"""What time alone brings about: planned activations, the end of the trash, and dates that somebody should look at."""

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.module_loading import import_string

from knowledge.access import NotAllowed
from knowledge.governance import audit, reminders, review
from knowledge.models import NotActivatable, PlannedActivation

EMPTY_TRASH = "ingestion.erasing.empty_trash"  # asked for by name: knowledge knows no ingestion


def run_due() -> None:
    """Called every minute by the queue; each piece of work is done once, whoever is called."""
    for pk in PlannedActivation.objects.waiting().filter(at__lte=Now()).values_list("pk", flat=True):
        activate(pk)
    reminders.note()
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


def write_reminders() -> None:
    """Called once a day by the queue."""
    reminders.write_to_owners()
