"""The whole at a glance: libraries, questions a day, what waits, the queue, the slowest stages."""

from collections import Counter
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.http import urlencode

from knowledge.governance import reminders
from knowledge.listing import last_job, newest_candidate, next_plan, visible
from knowledge.models import Answer, DocumentFile, GateRun, Job, Library, QueryCount, VectorRecall

BARS_WIDTH, BARS_HEIGHT = 420, 90


def overview(libraries: QuerySet[Library], period: timedelta) -> dict[str, Any]:
    readable = libraries.values("pk")
    counts = QueryCount.objects.filter(library__in=readable, day__gte=first_day(period))
    days = counts.values("day").annotate(asked=Sum(F("searches") + F("questions"))).values_list("day", "asked")
    totals = counts.aggregate(*[Sum(name) for name in ("searches", "questions", "refused", "degraded")])
    return {
        "libraries": with_health(libraries),
        "bars": bars(dict(days), period),
        "totals": {name.removesuffix("__sum"): total or 0 for name, total in totals.items()},
        "days": period.days,
        "due": reminders.due().filter(library__in=readable)[:20],
        "jobs": Job.objects.filter(library__in=readable).unfinished().count(),
        "stages": slowest_stages(readable),
    }


def with_health(libraries: QuerySet[Library]) -> QuerySet[Library]:
    """Each with what is visible, the last job and recall sample, what waits or is planned, how many files are
    withdrawn, and the last gate of what waits or is active."""
    gates = GateRun.objects.against_a_bar().filter(snapshot__library=OuterRef("pk")).order_by("-pk")
    shown = Q(snapshot=OuterRef("active_snapshot")) | Q(snapshot__number=OuterRef("waiting"))
    gate = gates.filter(shown | Q(snapshot__derived_from__number=OuterRef("waiting"), snapshot__activations=None))
    candidate = Coalesce("snapshot__derived_from__number", "snapshot__number")
    recall = VectorRecall.objects.filter(library=OuterRef("pk"), share=1).order_by("-pk")
    withdrawn = DocumentFile.objects.withdrawn().filter(library=OuterRef("pk")).order_by()
    return (
        libraries.select_related("active_snapshot")
        .annotate(
            **visible(),
            **last_job(),
            **next_plan(),
            waiting=newest_candidate(),
            gate_passed=Subquery(gate.values("passed")[:1]),
            gate_snapshot=Subquery(gate.values_list(candidate)[:1]),
            recall=Subquery(recall.values("recall")[:1]),
            withdrawn=Subquery(withdrawn.values("library").annotate(n=Count("pk")).values("n")),
        )
        .order_by("slug")
    )


def of_ledger(period: timedelta) -> dict[str, tuple[int, str]]:
    """How many answers of these days helped nobody, and the query string with which the admin's list shows them."""
    begin = timezone.make_aware(datetime.combine(first_day(period), time()))
    asked = Answer.objects.filter(asked_at__gte=begin)
    since = {"asked_at__gte": begin.isoformat()}
    return {
        "unhelpful": (asked.filter(liked=False).count(), urlencode({"liked__exact": "0", **since})),
        "refused": (asked.unanswered().count(), urlencode({"answered": "no", **since})),
    }


def first_day(period: timedelta) -> date:
    """Of the days that end with today."""
    return timezone.localdate() - period + timedelta(days=1)


def bars(days: dict[date, int], period: timedelta) -> dict[str, Any]:
    """A bar for each day: x, y, width, height, and what it says."""
    shown = [first_day(period) + timedelta(days=number) for number in range(period.days)]
    most = max([*days.values(), 1])
    step = BARS_WIDTH / len(shown)
    drawn = []
    for place, day in enumerate(shown):
        height = round((BARS_HEIGHT - 4) * days.get(day, 0) / most, 1)
        drawn.append(
            (
                round(place * step + 1, 1),
                round(BARS_HEIGHT - height, 1),
                round(step - 2, 1),
                height,
                day,
                days.get(day, 0),
            )
        )
    return {"width": BARS_WIDTH, "height": BARS_HEIGHT, "bars": drawn, "most": max(days.values(), default=0)}


def slowest_stages(readable: QuerySet[Any]) -> list[tuple[str, float]]:
    """Seconds spent by stage in the last fifty builds, most first."""
    spent: Counter[str] = Counter()
    jobs = Job.objects.filter(Q(library__in=readable), report__isnull=False).order_by("-pk")
    for report in jobs.values_list("report", flat=True)[:50]:
        for stage, seconds in ((report or {}).get("seconds") or {}).items():
            if stage != "total":
                spent[stage] += seconds
    return [(stage, round(seconds, 1)) for stage, seconds in spent.most_common(5)]
