"""The libraries, one library, and what a snapshot of it brought."""

from collections import Counter

from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from knowledge.access import acts_in, snapshots_for
from knowledge.governance import review
from knowledge.listing import visible_members, with_counts
from knowledge.models import Library, NearTwin, VectorRecall
from knowledge.models.upload import upload_limits
from knowledge.numbers import LARGEST, whole_number
from knowledge.pages.jobs import explained

PAGE = 100
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
    if (named := whole_number(request.GET.get("since", ""))) is not None:
        earlier = earlier.filter(number=named)
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
