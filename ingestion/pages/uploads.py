"""Bringing files to a library and taking them away again, for those who manage it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from ingestion.uploads.accept import NotForUploads, Receipt, accept, remove, request_build, wants_build
from ingestion.uploads.limits import upload_limits
from ingestion.uploads.outcomes import rejected, with_outcomes
from ingestion.uploads.receive import NotReceived, receiving
from knowledge.access import Act, may
from knowledge.http.methods import require_POST, require_safe
from knowledge.models import Job, Library
from knowledge.models.job_states import BUILD
from knowledge.pages.jobs import explained
from knowledge.progress_line import words

PAGE = 100
SHOWN, MOST = 8, 1000  # refused files that a message names for each reason: at once, and at all


@never_cache
@require_safe
def uploads(request: HttpRequest, slug: str) -> HttpResponse:
    """What was uploaded, and what became of it: all, or what was rejected alone."""
    library = managed(request, slug)
    prefix = request.GET.get("path", "").replace("\0", "")
    unread = rejected(library, prefix)
    is_narrowed = request.GET.get("state") == "rejected"
    rows = unread if is_narrowed else library.uploads.current().filter(path__startswith=prefix)
    page = Paginator(rows.select_related("uploaded_by"), PAGE).get_page(request.GET.get("page"))
    job = library.jobs.filter(kind=BUILD).first()
    context = {
        "library": library,
        "job": explained([job])[0] if job else None,
        "speed": words(job.counters) if job and job.state == Job.State.RUNNING else "",
        "files": page,
        "rejected": unread.count(),
        "is_narrowed": is_narrowed,
        "outcomes": with_outcomes(library, page),
        "limits": upload_limits(),
    }
    return render(request, "uploads.html", context)


@csrf_exempt  # until the form is received: the middleware would have Django's own parser read it
@require_POST
def upload(request: HttpRequest, slug: str) -> HttpResponse:
    library = managed(request, slug)
    try:
        with receiving(request):
            return uploaded(request, library)
    except NotReceived as reason:
        return answered(request, library, [(messages.ERROR, f"Nothing was taken: {reason}.")], reason.status)


@csrf_protect
def uploaded(request: HttpRequest, library: Library) -> HttpResponse:
    user = request.user if isinstance(request.user, User) else None
    brought: list[Any] = [*request.FILES.getlist("files"), *request.FILES.getlist("folder")]  # IntoFolder makes them
    if not brought:
        return answered(request, library, [(messages.ERROR, "No file was chosen.")], status=400)
    if "escaped" in request.POST:
        brought = [replace(file, name=unquote(file.name)) for file in brought]
    try:
        receipt = accept(library, brought, user)
    except NotForUploads as error:
        return answered(request, library, [(messages.ERROR, f"{error}.")], status=409)
    job = request_build(library, user) if wants_build(library, receipt) else None
    return answered(request, library, told(receipt, link(job, request.user) if job else None))


@require_POST
def remove_uploads(request: HttpRequest, slug: str) -> HttpResponse:
    library = managed(request, slug)
    user = request.user if isinstance(request.user, User) else None
    try:
        count = remove(library, request.POST.getlist("path"), user)
    except NotForUploads as error:
        return answered(request, library, [(messages.ERROR, f"{error}.")], status=409)
    if not count:
        return answered(request, library, [(messages.ERROR, "There is no such file any more.")])
    job = request_build(library, user)
    them = "it" if count == 1 else "them"
    files, end = f"{count:,} file{pluralize(count)}", "what it makes is approved and activated"
    end = end if library.requires_review else "it has ended"
    said = format_html(
        "{} removed. {} makes a snapshot without {}; until {}, searches still find {}.",
        files, link(job, request.user), them, end, them,
    )  # fmt: skip
    return answered(request, library, [(messages.SUCCESS, said)])


def managed(request: HttpRequest, slug: str) -> Library:
    """To everybody else the page does not exist."""
    library = get_object_or_404(Library, slug=slug)
    if not may(request.user, Act.EDIT, library):
        raise Http404
    return library


def told(receipt: Receipt, job: str | None) -> list[tuple[int, str | SafeString]]:
    counts = {"added": len(receipt.added), "replaced": len(receipt.replaced), "unchanged": len(receipt.unchanged)}
    taken = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    lines: list[tuple[int, str | SafeString]] = []
    if job:
        lines.append((messages.SUCCESS, format_html("Files: {}. {} reads them in.", taken, job)))
    elif taken:
        lines.append((messages.INFO, f"Files: {taken}. There is nothing new to read in."))
    if receipt.withheld:
        lines.append((messages.WARNING, by_reason("Taken, with bytes that were withdrawn", receipt.withheld)))
    if receipt.refused:
        lines.append((messages.ERROR, by_reason("Not taken", receipt.refused)))
    return lines or [(messages.ERROR, "There is no file in it.")]


def by_reason(head: str, files: Mapping[str, str]) -> SafeString:
    """Every reason with its files: the first of them at once, others where they are asked for."""
    grouped = defaultdict(list)
    for path, reason in files.items():
        grouped[reason].append(path)
    told = [
        {"reason": reason, "paths": paths[:SHOWN], "others": paths[SHOWN:MOST], "more": len(paths) - SHOWN}
        for reason, paths in sorted(grouped.items(), key=lambda one: -len(one[1]))
    ]
    return render_to_string("parts/refused.html", {"head": head, "told": told[:MOST]})


def link(job: Job, user: User | AnonymousUser) -> str:
    """To the job's page, for those who may open it."""
    if not may(user, Act.MANAGE, job.library):
        return f"Job {job.pk}"
    return format_html('<a href="{}">Job {}</a>', reverse("job", args=[job.pk]), job.pk)


def answered(
    request: HttpRequest, library: Library, said: list[tuple[int, str | SafeString]], status: int = 200
) -> HttpResponse:
    """A page for the form, its address for the script, which then goes there; what is said waits there."""
    for level, text in said:
        messages.add_message(request, level, text)
    where = reverse("uploads", args=[library.slug])
    if "application/json" in request.headers.get("Accept", ""):
        return JsonResponse({"url": where}, status=status)
    return redirect(where)
