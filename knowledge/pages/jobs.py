"""The pages of jobs: a list, and one job's story with what may be done to it. For who manages libraries."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from knowledge.access import Act, jobs_for, may_anywhere
from knowledge.governance.review import candidates
from knowledge.http.methods import require_http_methods, require_POST, require_safe
from knowledge.models import Job, Library, NotPossible
from knowledge.pages.governed import governed, signed_in
from knowledge.progress_line import longest_first, words
from knowledge.waiting import reasons
from knowledge.wording import sentence

PAGE = 100


@login_required
@require_safe
def jobs(request: HttpRequest) -> HttpResponse:
    if not may_anywhere(request.user, Act.MANAGE):
        raise PermissionDenied
    rows = jobs_for(request.user).select_related("library", "snapshot", "requested_by")
    page = Paginator(rows.defer("report"), PAGE).get_page(request.GET.get("page"))
    return render(request, "jobs.html", {"jobs": explained(page), "live": any(job.is_unfinished for job in page)})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def job(request: HttpRequest, pk: int) -> HttpResponse:
    if not may_anywhere(request.user, Act.MANAGE):
        raise PermissionDenied
    rows = jobs_for(request.user).select_related("library", "snapshot", "requested_by")
    found = get_object_or_404(rows, pk=pk)
    if request.method == "POST":
        return redirect("job", steered(request, found).pk)
    report = found.report or {}
    rejected = report.get("rejected", [])[:1000]
    lost = found.library.document_files.lost().filter(path__in=[file["path"] for file in rejected])
    context = {
        "job": explained([found])[0],
        "events": found.events.order_by("-pk")[:200],
        "found": changes(report.get("files", {})),
        "seconds": longest_first(report.get("seconds", {})),
        "rejected": rejected,
        "lost": set(lost.values_list("path", flat=True)) if rejected else (),
        "warnings": report.get("warnings", []),
        "waits": found.snapshot is not None and candidates(found.library).first() == found.snapshot,
        "speed": words(found.counters) if found.state == Job.State.RUNNING else "",
    }
    return render(request, "job.html", context)


@require_POST
@governed(Act.MANAGE)
def build(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    """Read the library in again, or with `full` build it anew; leads to the job, or to one that waits to do so."""
    if not library.has_source:
        messages.error(request, sentence(Library.WITHOUT_SOURCE))
        return redirect("library", library.slug)
    job, is_new = Job.objects.read_again(library, signed_in(request), bool(request.POST.get("full")))
    if not is_new:
        messages.info(request, "It waits to be read in already.")
    return redirect("job", job.pk)


def changes(files: dict[str, int]) -> list[tuple[int, str]]:
    """What a build found of the library's files, most telling first; [] where it tells nothing."""
    counts = [(files.get(what, 0), what) for what in ("added", "changed", "removed", "rejected")]
    told = [(count, what) for count, what in counts if count]
    return [*told, (files["unchanged"], "unchanged")] if "unchanged" in files else told


def explained(jobs: Any) -> Any:
    """The same jobs, each with `waits`: why it is not running yet."""
    waits = reasons(jobs)
    for row in jobs:
        row.waits = waits.get(row.pk, "")
    return jobs


def steered(request: HttpRequest, job: Job) -> Job:
    """Do what the pressed button says; the job to look at next."""
    do = request.POST.get("do", "")
    try:
        if do == "retry-files":
            return job.retry(request.user, request.POST.getlist("path"))
        return job.steer(do, request.user)
    except NotPossible as error:
        messages.error(request, sentence(error))
    return job
