"""What time alone brings about: planned activations, the end of the trash and of killed erasings, and reminders."""

from datetime import timedelta
from functools import partial

from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.module_loading import import_string
from django_q.models import Schedule as QueueSchedule

from knowledge.above import EMPTY_TRASH, FINISH_ERASING
from knowledge.access import NotAllowed
from knowledge.governance import audit, reminders, review
from knowledge.models import Activation, AuditEvent, NotActivatable, PlannedActivation, Schedule
from knowledge.models.review import ACTIVATED
from knowledge.storage import locks

MARGIN = timedelta(minutes=1)  # by which the clocks of two machines may differ

UPKEEP, REMINDERS = "muniment-upkeep", "muniment-reminders"  # as the queue knows them
EVERY = {UPKEEP: timedelta(minutes=1), REMINDERS: timedelta(days=1)}


def bring_nearer() -> int:
    """What lies farther off than its next time, of the queue's own and of libraries: the clock was ahead when it was
    last due, and nothing would be done until that comes again. How many they were."""
    moved = Schedule.objects.bring_nearer()
    for name, period in EVERY.items():
        late = QueueSchedule.objects.filter(name=name, next_run__gt=Now() + period + MARGIN)
        moved += late.update(next_run=Now())
    return moved


def run_due() -> None:
    """Called every minute by the queue; each piece of work is done once, whoever is called.

    Raises ExceptionGroup of what went wrong, when all of it was tried.
    """
    planned = PlannedActivation.objects.waiting().filter(at__lte=Now()).values_list("pk", flat=True)
    errors = []
    by_ingestion = (import_string(name) for name in (EMPTY_TRASH, FINISH_ERASING))
    for work in (*(partial(activate, pk) for pk in planned), reminders.note, *by_ingestion):
        try:
            with audit.by_itself():
                work()
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("upkeep", errors)


def activate(pk: int) -> None:
    """As far as it is approved; what came of it is written down."""
    with locks.tried(locks.PLAN, pk) as is_mine:
        plans = PlannedActivation.objects.waiting().select_related("snapshot__library", "planned_by")
        plan = plans.filter(pk=pk).first() if is_mine else None
        if plan is None:
            return
        with audit.acting(plan.planned_by):
            plan.outcome = published(plan)
        plan.done_at = timezone.now()
        plan.save(update_fields=["outcome", "done_at"])


def published(plan: PlannedActivation) -> str:
    """What came of it: now, or before this process was killed."""
    whole_or_part = Q(snapshot=plan.snapshot) | Q(snapshot__derived_from=plan.snapshot)
    since = Activation.objects.filter(whole_or_part, at__gte=plan.at).order_by("pk").first()
    if since is not None:
        return f"snapshot {since.number}{ACTIVATED}"
    try:
        if why := why_overtaken(plan):
            raise NotActivatable(why)
        return f"snapshot {review.publish(plan.snapshot, plan.planned_by).snapshot.number}{ACTIVATED}"
    except (NotActivatable, NotAllowed) as error:
        why = str(error)[:2000]
        audit.record("snapshot.plan_failed", library=plan.snapshot.library, snapshot=plan.snapshot, why=why)
        return why


def why_overtaken(plan: PlannedActivation) -> str:
    """That this snapshot or a newer one was activated since it was planned, or "".

    The plan would take back what was published since, or bring back what was rolled back. The audit's order tells: by
    clocks, two machines may differ. Where a part of it is active, the rest follows; a part of an older one is older.
    """
    active = plan.snapshot.library.active_snapshot
    if active is not None and active.derived_from_id == plan.snapshot_id:
        return ""
    events = AuditEvent.objects.filter(library=plan.snapshot.library.slug).order_by("-number")
    planned = events.filter(action="snapshot.plan", snapshot=plan.snapshot.number).first()
    activated = events.filter(action="snapshot.activate", snapshot__gte=plan.snapshot.number)
    older_parts = plan.snapshot.library.snapshots.filter(derived_from__number__lt=plan.snapshot.number)
    activated = activated.exclude(snapshot__in=older_parts.values("number"))
    since = activated.filter(number__gt=planned.number).first() if planned else None
    return f"snapshot {since.snapshot} was activated after this was planned" if since else ""


def write_reminders() -> None:
    """Called once a day by the queue."""
    with audit.by_itself():
        reminders.write_to_owners()
