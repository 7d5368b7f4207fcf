"""A document behind the scenes: versions, chunks, history, who may see it, what was answered from it."""

from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date

from knowledge.access import Act, demand, libraries_for
from knowledge.governance import past_access
from knowledge.governance.differences import FileChange, text_diff
from knowledge.governance.withdrawal import demand_as_shown, govern, last_act
from knowledge.http.methods import require_http_methods, require_safe
from knowledge.models import (
    Answer,
    AuditEvent,
    Chunk,
    DocumentFile,
    FileVersion,
    Library,
)
from knowledge.numbers import whole_number
from knowledge.pages.audit import openable
from knowledge.pages.governed import PAGE, carried_out, governed, moment, signed_in
from knowledge.wording import standing

TABS = ("details", "versions", "chunks", "history", "permissions", "answers")
LABELS = {"owner": "the owner", "review_by": "by when it is to be looked at again", "tags": "the tags"}


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.INSPECT)
def document_page(request: HttpRequest, library: Library, acts: frozenset[Act], path: str) -> HttpResponse:
    if "\0" in path:
        raise Http404
    document = get_object_or_404(library.document_files.select_related("library", "owner"), path=path)
    if request.method == "POST":
        if carried_out(request, lambda: kept(request, document, acts)):
            return redirect(request.get_full_path())
        document.refresh_from_db()
    tab = request.GET.get("tab", "details")
    if tab not in TABS:
        raise Http404
    active = document.active_version()
    context = {"library": library, "document": document, "tab": tab, "tabs": TABS, "acts": acts, "active": active}
    return render(request, "governance/document.html", context | shown(request, document, tab, acts, active))


@require_safe
@governed(Act.INSPECT)
def withdrawn(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    """The library's files that nobody sees, in the trash or not, and apart what was erased: the last one first."""
    rows = library.document_files.select_related("library").order_by("-withdrawn_at", "path")
    documents = Paginator(rows.withdrawn(), PAGE).get_page(request.GET.get("page"))
    erased = Paginator(rows.erased(), PAGE).get_page(request.GET.get("erased"))
    context = {"library": library, "documents": documents, "erased": erased}
    return render(request, "governance/withdrawn.html", context)


@transaction.atomic
def kept(request: HttpRequest, document: DocumentFile, acts: frozenset[Act]) -> str:
    user, do = signed_in(request), request.POST.get("do", "")
    if do == "keep":
        demand(user, Act.EDIT, document.library)
        mine = DocumentFile.objects.select_for_update(of=("self",)).select_related("library")
        keep(request, mine.get(pk=document.pk))
        return "Saved"
    demand_as_shown(document, user, whole_number(request.POST.get("last", "")))
    govern(document, do, user, request.POST.get("reason", ""))
    return f"{document} is {standing(document)}"


def keep(request: HttpRequest, document: DocumentFile) -> None:
    """Set what was changed on the page. Raises ValueError where somebody else has changed the same meanwhile."""
    stored = as_typed(document)
    shown = {name: request.POST.get(f"initial-{name}", value) for name, value in stored.items()}
    sent = {name: request.POST.get(name, "").replace("\0", "").strip() for name in stored}
    changed = [name for name in stored if sent[name] != shown[name]]
    for name in changed:
        if stored[name] not in (shown[name], sent[name]):
            raise ValueError(f"nothing was saved: somebody has meanwhile changed {LABELS[name]}")
    if "owner" in changed:
        document.owner = reader_called(sent["owner"], document.library)
    if "review_by" in changed:
        document.review_by = day(sent["review_by"])
    if "tags" in changed:
        tags = {tag.strip()[:50] for tag in sent["tags"].split(",")}
        document.tags = sorted(tags - {""})[:20]
    document.save(update_fields=changed)


def as_typed(document: DocumentFile) -> dict[str, str]:
    """What the form shows of a document."""
    return {
        "owner": document.owner.get_username() if document.owner else "",
        "review_by": document.review_by.isoformat() if document.review_by else "",
        "tags": ", ".join(document.tags),
    }


def typed(request: HttpRequest, stored: dict[str, str]) -> dict[str, str]:
    """What the form was refused with: what was changed in it; else what is stored."""
    sent = {name: request.POST.get(name, value) for name, value in stored.items()}
    return {name: sent[name] if sent[name] != request.POST.get(f"initial-{name}") else stored[name] for name in stored}


def reader_called(name: str, library: Library) -> User | None:
    """None for an empty name. Raises ValueError for who may not read the library."""
    user = User.objects.filter(username=name, is_active=True).first() if name else None
    if name and (user is None or library not in libraries_for(user, Act.READ)):
        raise ValueError(f"nobody who may read this library is called {name}")
    return user


def day(text: str) -> date | None:
    """None for an empty text. Raises ValueError."""
    try:
        found = parse_date(text) if text else None
    except ValueError as error:
        raise ValueError("that is no date") from error
    if text and found is None:
        raise ValueError("that is no date")
    return found


def shown(
    request: HttpRequest, document: DocumentFile, tab: str, acts: frozenset[Act], active: FileVersion | None
) -> dict[str, Any]:
    """What this tab shows, and nothing of the others."""
    if tab == "versions":
        versions = document.versions.defer("text").order_by("-pk")[:50]
        return {"versions": versions, "sections": compared(request, document)}
    if tab == "chunks":
        chunks = Chunk.objects.filter(file_version=active).select_related("section").order_by("ordinal")
        return {"chunks": Paginator(chunks, PAGE).get_page(request.GET.get("page"))}
    if tab == "history":
        if Act.AUDIT not in acts:
            return {"decisions": document.decisions.select_related("snapshot", "decided_by")[:PAGE]}
        events = AuditEvent.objects.about(document.library.slug, document.path)
        return {
            "events": openable(request.user, Paginator(events, PAGE).get_page(request.GET.get("page"))),
            "decisions": document.decisions.select_related("snapshot", "decided_by")[:PAGE],
        }
    if tab == "permissions":
        try:
            at = moment(request.GET["at"]) if request.GET.get("at") else timezone.now()
        except ValueError as error:
            raise Http404 from error
        return {"past_access": past_access.who_could_see(document, at)}
    if tab == "answers":
        used = Answer.objects.filter(citations__file_version__document_file=document).distinct()
        rows = used.prefetch_related("citations__file_version").order_by("-pk")
        return {"answers": Paginator(rows, 25).get_page(request.GET.get("page")), "may_read": Act.AUDIT in acts}
    stored, last = as_typed(document), last_act(document)
    last_number = last.number if last else 0
    return {"stored": stored, "typed": typed(request, stored), "sent": request.POST, "last": last_number}


def compared(request: HttpRequest, document: DocumentFile) -> list[Any]:
    """The text of two of its versions, section by section."""
    keys = [whole_number(request.GET.get(name, "")) for name in ("before", "after")]
    if None in keys:
        return []
    before, after = (get_object_or_404(document.versions, pk=key) for key in keys)
    change = FileChange(document.path, "changed", (document.pk,), before.pk, after.pk, after.sha256)
    return text_diff(change)
