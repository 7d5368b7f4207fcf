"""The libraries, one library, and what a snapshot of it brought."""

from collections import Counter
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.module_loading import import_string

from knowledge.above import REJECTED, UPLOAD_LIMITS
from knowledge.access import Act, acts_in, snapshots_for, snapshots_listed
from knowledge.governance.differences import FileChange, compare
from knowledge.http.methods import require_safe
from knowledge.listing import visible_count, visible_members, with_counts
from knowledge.models import Library, NearTwin, Snapshot, VectorRecall
from knowledge.numbers import LARGEST, whole_number
from knowledge.pages.jobs import explained

PAGE = 50
SNAPSHOTS = 20
TWINS = 50


@require_safe
def libraries(request: HttpRequest) -> HttpResponse:
    return render(request, "libraries.html", {"libraries": with_counts(request.user)})


@require_safe
def library(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(with_counts(request.user), slug=slug)
    prefix = request.GET.get("path", "")
    files = Paginator(visible_members(found.active_snapshot, prefix), PAGE)
    if found.active_snapshot and not prefix:
        files.count = visible_count(found.active_snapshot)
    acts = acts_in(request.user, found)
    may_bring = Act.EDIT in acts and found.kind == Library.Kind.UPLOADS
    twins = list(NearTwin.objects.in_snapshot(found.active_snapshot_id)[: TWINS + 1])
    context = {
        "library": found,
        "acts": acts,
        "files": files.get_page(request.GET.get("page")),
        "snapshots": Paginator(snapshots_listed(request.user, found, acts).order_by("-number"), SNAPSHOTS).page(1),
        "recall": found.vector_recalls.filter(share=1, asked=VectorRecall.Asked.VECTORS).first(),
        "twins": twins[:TWINS],
        "more_twins": len(twins) > TWINS,
        "jobs": explained(list(found.jobs.select_related("library", "snapshot")[:10])) if Act.INSPECT in acts else [],
        "withdrawn": found.document_files.withdrawn().count() if Act.INSPECT in acts else 0,
        "erased": found.document_files.erased().count() if Act.INSPECT in acts else 0,
        "may_manage": (may_manage := Act.EDIT in acts),
        "drift": found.drift() if may_manage else (),
        "limits": import_string(UPLOAD_LIMITS)() if may_bring else {},
        "rejected": import_string(REJECTED)(found).count() if may_bring else 0,
        "unread": len(unread(found.active_snapshot)) if found.active_snapshot and Act.INSPECT in acts else 0,
    }
    return render(request, "library.html", context)


@require_safe
def snapshot(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """What a snapshot brought, beside the one that was active before it or the one that is named."""
    found = get_object_or_404(Library.objects.readable_by(request.user), slug=slug)
    acts = acts_in(request.user, found)
    ready = snapshots_for(request.user).filter(library=found)
    shown = get_object_or_404(ready, number=min(number, LARGEST))
    earlier = ready.filter(number__lt=shown.number).order_by("-number")
    named = whole_number(request.GET.get("since", ""))
    before = active_before(shown) if named is None else earlier.filter(number=named).first()
    page = request.GET.get("page")
    changes, counts = differing(before, shown, page) if before else files_of(shown, page)
    context = {
        "library": found,
        "acts": acts,
        "snapshot": shown,
        "before": before,
        "others": earlier[:20],
        "changes": changes,
        "counts": counts,
        "since": f"since={named}&" if named is not None else "",
        "unread": unread(shown) if Act.INSPECT in acts else {},
    }
    return render(request, "snapshot.html", context)


def unread(shown: Snapshot) -> dict[str, str]:
    """The files that could not be read when it was made, and why."""
    return {file["path"]: file["reason"] for file in shown.rejected}


def active_before(shown: Snapshot) -> Snapshot | None:
    """What readers had when it was first activated; beside one that never was, what they had last of what is older."""
    activated = shown.library.activations.exclude(snapshot=None).order_by("-pk")
    first = shown.activations.order_by("pk").first()
    before = activated.filter(pk__lt=first.pk) if first else activated.filter(number__lt=shown.number)
    last = before.select_related("snapshot").first()
    return last.snapshot if last else None


def differing(
    before: Snapshot, after: Snapshot, number: str | None
) -> tuple["Page[FileChange]", list[tuple[str, int]]]:
    """A page of what changed, and how many files changed in which way. What is withdrawn is not shown."""
    withdrawn = set(after.library.document_files.exclude(withdrawn_at=None).values_list("pk", flat=True))
    changes = [change for change in compare(before, after) if not withdrawn.intersection(change.documents)]
    return Paginator(changes, PAGE).get_page(number), Counter(change.kind for change in changes).most_common()


def files_of(first: Snapshot, number: str | None) -> tuple["Page[FileChange]", list[tuple[str, int]]]:
    """The same of a library's first snapshot, in which every file is new."""
    files: Paginator[Any] = Paginator(visible_members(first), PAGE)
    files.count = visible_count(first)
    page = files.get_page(number)
    new = [FileChange.new(member) for member in page]
    return Page(new, page.number, files), [("added", files.count)]
