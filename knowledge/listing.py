"""Libraries and files as lists show them, on pages and over REST."""

from typing import Any

from django.db.models import (
    Aggregate,
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from knowledge.models import (
    Activation,
    Decision,
    Job,
    Library,
    PlannedActivation,
    ReadingPlace,
    Snapshot,
    SnapshotFile,
    in_reading_order,
)
from knowledge.models.job_states import outcome_in_sql
from knowledge.models.library import Reader
from knowledge.spellings import below


def with_counts(user: Reader) -> QuerySet[Library]:
    """Readable libraries with what is visible of them, their last job, their next plan and their newest candidate."""
    return (
        Library.objects.readable_by(user)
        .select_related("active_snapshot__profile", "active_snapshot__space")
        .annotate(**visible(), **last_job(), **next_plan(), waiting=newest_candidate())
        .order_by("slug")
    )


def visible() -> dict[str, Any]:
    """Of a library: `file_count` and `passage_count` of its active snapshot, without what is withdrawn."""
    files = SnapshotFile.objects.filter(snapshot=OuterRef("active_snapshot"))
    # Counted apart, each by an index alone: a join of 10,000 files with their documents takes 25 ms.
    withdrawn = files.filter(document_file__library=OuterRef("pk"), document_file__withdrawn_at__isnull=False)
    hidden = summed(withdrawn, Sum("file_version__chunk_count"))
    return {
        "file_count": summed(files, Count("*")) - summed(withdrawn, Count("*")),
        "passage_count": Coalesce(F("active_snapshot__chunk_count"), 0) - hidden,
    }


def summed(files: QuerySet[SnapshotFile], sum_of: Aggregate) -> Coalesce:
    return Coalesce(Subquery(files.values("snapshot").annotate(n=sum_of).values("n")), 0)


def last_job() -> dict[str, Any]:
    """Of a library: the key of its last job, `last_job_state`, that in people's words, and when it was asked for."""
    jobs = Job.objects.filter(library=OuterRef("pk")).order_by("-created_at")
    return {
        "last_job_pk": Subquery(jobs.values("pk")[:1]),
        "last_job_state": Subquery(jobs.values("state")[:1]),
        "last_job": Subquery(jobs.values(outcome=outcome_in_sql())[:1]),
        "last_job_at": Subquery(jobs.values("created_at")[:1]),
    }


def newest_candidate() -> Subquery:
    """Of a library: the number of the newest snapshot that waits to be activated, unless all of it is rejected."""
    activations = Activation.objects.filter(library=OuterRef(OuterRef("pk")))
    newest = Snapshot.objects.filter(library=OuterRef("pk")).undecided(activations).order_by("-number")
    return Subquery(newest.values_list(Case(When(is_rejected(), then=None), default="number"))[:1])


def next_plan() -> dict[str, Any]:
    """Of a library: `planned`, the number of the snapshot that becomes active next by a plan, and `planned_at`."""
    plans = PlannedActivation.objects.waiting().filter(snapshot__library=OuterRef("pk")).order_by("at")
    return {"planned": Subquery(plans.values("snapshot__number")[:1]), "planned_at": Subquery(plans.values("at")[:1])}


def is_rejected() -> Q:
    """Of a snapshot: whether all that it changes beside the active one is rejected."""
    same = SnapshotFile.objects.filter(
        snapshot=OuterRef("snapshot__library__active_snapshot"),
        document_file=OuterRef("document_file"),
        file_version=OuterRef("file_version"),
    )
    there = SnapshotFile.objects.filter(snapshot=OuterRef(OuterRef("pk")), document_file=OuterRef("document_file"))
    new = SnapshotFile.objects.filter(~Exists(same), snapshot=OuterRef("pk"))
    gone = SnapshotFile.objects.filter(~Exists(there), snapshot=OuterRef("library__active_snapshot"))
    rejected = Decision.objects.filter(snapshot=OuterRef("pk"), verdict=Decision.Verdict.REJECTED)
    others = [files.annotate(verdict=last_verdict()).exclude(verdict="rejected") for files in (new, gone)]
    return Q(Exists(rejected), *(~Exists(files) for files in others))


def last_verdict() -> Coalesce:
    """Of a file of a snapshot or beside it: what was decided about it last."""
    about = Decision.objects.filter(snapshot=OuterRef(OuterRef("pk")), document_file=OuterRef("document_file"))
    return Coalesce(Subquery(about.order_by("-pk").values("verdict")[:1]), Value(""))


def visible_count(snapshot: Snapshot) -> int:
    files = snapshot.files.all()
    hidden = files.filter(document_file__library=snapshot.library_id, document_file__withdrawn_at__isnull=False)
    return files.count() - hidden.count()


def visible_members(snapshot: Snapshot | None, prefix: str = "") -> QuerySet[SnapshotFile]:
    """A snapshot's files that are not withdrawn, in reading order, or else by path: with `depth`, if they have one."""
    if snapshot is None:
        return SnapshotFile.objects.none()
    members = (
        SnapshotFile.objects.filter(snapshot=snapshot, document_file__library=snapshot.library_id)
        .filter(document_file__withdrawn_at__isnull=True)
        .select_related("document_file", "file_version")
        .defer("file_version__text", "file_version__warnings", "file_version__links")
    )
    if "\0" in prefix:  # Postgres has none
        return SnapshotFile.objects.none()
    if prefix:
        members = members.filter(below(prefix, "document_file__path"))
    if ReadingPlace.objects.filter(snapshot=snapshot).exists():
        return in_reading_order(members)
    return members.annotate(depth=Value(None, IntegerField())).order_by("document_file__path")
