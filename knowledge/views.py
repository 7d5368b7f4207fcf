"""What is known: the libraries, their files and snapshots; and whether the server is well."""

from collections import Counter
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.defaults import page_not_found

from knowledge import review
from knowledge.access import Act, acts_in, may_anywhere, snapshots_for
from knowledge.health import readiness
from knowledge.job_views import explained
from knowledge.metrics import CONTENT_TYPE, exposition
from knowledge.models import Job, Library, NearTwin, SnapshotFile, VectorRecall, in_reading_order
from knowledge.models.library import Reader
from knowledge.models.upload import upload_limits

PAGE = 100
LARGEST = 2**31 - 1
TWINS = 50


@require_safe
def libraries(request: HttpRequest) -> HttpResponse:
    return render(request, "libraries.html", {"libraries": with_counts(request.user)})


@require_safe
def library(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_counts(request.user), slug=slug)
    files = visible_members(found.active_snapshot_id, request.GET.get("path", ""))
    context = {
        "library": found,
        "acts": acts_in(request.user, found),
        "files": Paginator(files, PAGE).get_page(request.GET.get("page")),
        "snapshots": found.snapshots.annotate(file_count=Count("files")).order_by("-number")[:20],
        "recall": found.vector_recalls.filter(share=1, asked=VectorRecall.Asked.VECTORS).first(),
        "twins": NearTwin.objects.in_snapshot(found.active_snapshot_id)[:TWINS],
        "jobs": explained(list(found.jobs.select_related("library", "snapshot")[:10])),
        "may_manage": (may_manage := found.may_be_managed_by(request.user)),
        "drift": found.drift() if may_manage else (),
        "limits": upload_limits(),
    }
    return render(request, "library.html", context)


@require_safe
def snapshot(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What a snapshot brought, beside the one before it or the one that is named."""
    found = get_object_or_404(Library.objects.readable_by(request.user), slug=slug)
    acts = acts_in(request.user, found)
    ready = snapshots_for(request.user).filter(library=found)
    shown = get_object_or_404(ready, number=min(number, LARGEST))
    earlier = ready.filter(number__lt=shown.number)
    if (named := request.GET.get("since", "")).isascii() and named.isdigit():
        earlier = earlier.filter(number=min(int(named), LARGEST))
    before = earlier.order_by("-number").first()
    withdrawn = set(found.document_files.exclude(withdrawn_at=None).values_list("pk", flat=True))
    changes = [change for change in review.compare(before, shown) if not withdrawn.intersection(change.documents)]
    context = {
        "library": found,
        "acts": acts,
        "snapshot": shown,
        "before": before,
        "others": ready.filter(number__lt=shown.number).order_by("-number")[:20],
        "changes": Paginator(changes, PAGE).get_page(request.GET.get("page")),
        "counts": Counter(change.kind for change in changes).most_common(),
    }
    return render(request, "snapshot.html", context)


def with_counts(user: Reader) -> QuerySet[Library]:
    """Readable libraries with `file_count` (visible files), and their last job's state and time."""
    last_job = Job.objects.filter(library=OuterRef("pk"))
    visible = Q(active_snapshot__files__document_file__withdrawn_at__isnull=True)
    return (
        Library.objects.readable_by(user)
        .select_related("active_snapshot__profile", "active_snapshot__space")
        .annotate(
            file_count=Count("active_snapshot__files__document_file", filter=visible),
            last_job_state=Subquery(last_job.values("state")[:1]),
            last_job_at=Subquery(last_job.values("created_at")[:1]),
        )
        .order_by("slug")
    )


def visible_members(snapshot: int | None, prefix: str = "") -> QuerySet[SnapshotFile]:
    """A snapshot's files that are not withdrawn, in reading order, or else by path."""
    members = (
        SnapshotFile.objects.filter(snapshot=snapshot, document_file__withdrawn_at__isnull=True)
        .filter(document_file__path__startswith=prefix.replace("\0", ""))
        .select_related("document_file", "file_version")
        .defer("file_version__text", "file_version__warnings", "file_version__links")
    )
    return in_reading_order(members)


def governs(request: HttpRequest) -> dict[str, Any]:
    """For every template: whether its reader has anything to govern. Asked only where it is shown."""
    return {"governs": SimpleLazyObject(lambda: may_anywhere(request.user, Act.INSPECT))}


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A page for people, JSON for programs; the same for what is missing and what may not be seen."""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": "Not found."}, status=404)
    return page_not_found(request, exception)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    ready, told = readiness()
    return JsonResponse(told, status=200 if ready else 503)


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For Prometheus: who has the token, staff, and whoever asks from this machine itself."""
    if not may_read_metrics(request):
        return HttpResponse("METRICS_TOKEN is needed\n", status=403, content_type="text/plain")
    return HttpResponse(exposition(), content_type=CONTENT_TYPE)


def may_read_metrics(request: HttpRequest) -> bool:
    """A proxy on this machine passes others' requests on; those say so in a header, and are no local ones."""
    sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if settings.METRICS_TOKEN and constant_time_compare(sent, settings.METRICS_TOKEN):
        return True
    if request.user.is_active and getattr(request.user, "is_staff", False):
        return True
    passed_on = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"))
    return request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1") and not passed_on
