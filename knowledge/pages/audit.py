"""The audit, and the whole at a glance."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode

from knowledge.access import Act, audit_of, is_administrator, libraries_for, may_read_ledger
from knowledge.governance import reminders
from knowledge.governance.audit_exports import as_csv, as_json_lines
from knowledge.governance.audit_words import ACTS, act
from knowledge.governance.dashboard import of_ledger, overview
from knowledge.http.methods import require_safe
from knowledge.models import AuditEvent, DocumentFile, Snapshot
from knowledge.models.library import Reader
from knowledge.pages.governed import PAGE, moment
from knowledge.spellings import below

PERIOD = timedelta(days=14)  # of the dashboard
EXPORTS = {"csv": ("text/csv; charset=utf-8", as_csv), "jsonl": ("application/jsonl", as_json_lines)}
NARROWED = {
    "library": "library",
    "action": "action__startswith",  # of an act that is known: it alone
    "actor": "actor__startswith",
    "from": "at__gte",
    "to": "at__lte",
}


@login_required
@require_safe
def audit_page(request: HttpRequest) -> HttpResponseBase:
    libraries = libraries_for(request.user, Act.AUDIT)
    if not libraries.exists() and not is_administrator(request.user):
        raise PermissionDenied
    asked = {name: request.GET.get(name, "").replace("\0", "").strip() for name in (*NARROWED, "path")}
    chosen = {name: value for name, value in asked.items() if value}
    events, fault = audit_of(request.user), ""
    context = {"asked": asked} | choices(events, asked["action"], dict(libraries.values_list("slug", "name")))
    try:
        events = events.filter(narrowed(chosen))
    except ValueError:
        events, fault = events.none(), "A day is written like this: 2026-11-30."
    if not fault and (kind := request.GET.get("as")) in EXPORTS:
        return exported(events, kind)
    page = openable(request.user, Paginator(events, PAGE).get_page(request.GET.get("page")))
    context |= {"events": page, "fault": fault, "query": f"{urlencode(chosen)}&" if chosen else ""}
    return render(request, "governance/audit.html", context, status=400 if fault else 200)


def choices(events: "QuerySet[AuditEvent]", action: str, names: dict[str, str]) -> dict[str, Any]:
    """What these events can be narrowed to: libraries, also those that are gone, by name; acts by their words, and the
    group of acts whose name begins with `action`; and who acted."""

    def distinct(field: str) -> list[str]:
        return list(events.exclude(**{field: ""}).order_by(field).values_list(field, flat=True).distinct())

    acts = dict.fromkeys(distinct("action"))
    worded = [(name, act(name)) for name in acts]
    if action and action not in acts:
        worded.append((action, f"{action}…"))
    libraries = [(slug, names.get(slug, f"{slug} (gone)")) for slug in {*names, *distinct("library")}]
    by_words = sorted(worded, key=lambda one: one[1].casefold())
    return {
        "libraries": sorted(libraries, key=lambda one: one[1].casefold()),
        "acts": by_words,
        "actors": distinct("actor"),
    }


def exported(events: "QuerySet[AuditEvent]", kind: str) -> StreamingHttpResponse:
    """All of them, the oldest first, however many pages show them."""
    media_type, lines = EXPORTS[kind]
    rows = events.order_by("number").iterator(chunk_size=2000)
    named = {"Content-Disposition": f'attachment; filename="audit.{kind}"'}
    return StreamingHttpResponse(lines(rows), content_type=media_type, headers=named)


def openable(user: Reader, events: Any) -> Any:
    """The same events, each with what its library is called, and with `library_opens`, `file_opens` and
    `snapshot_opens`: whether its page is still there, and theirs."""
    inspected = libraries_for(user, Act.INSPECT).filter(slug__in={event.library for event in events}).order_by()
    named = {slug: (pk, name) for slug, pk, name in inspected.values_list("slug", "pk", "name")}
    slugs = {slug: pk for slug, (pk, _) in named.items()}
    paths, numbers = {event.path for event in events}, {event.snapshot for event in events} - {None}
    documents = DocumentFile.objects.filter(library__in=slugs.values(), path__in=paths).order_by()
    ready = Snapshot.objects.filter(library__in=slugs.values(), number__in=numbers, state=Snapshot.State.READY)
    files = set(documents.values_list("library", "path"))
    snapshots = set(ready.order_by().values_list("library", "number"))
    for event in events:
        library, event.library_name = named.get(event.library, (None, event.library))
        event.library_opens = library is not None
        event.file_opens = (library, event.path) in files
        event.snapshot_opens = (library, event.snapshot) in snapshots
    return events


def narrowed(chosen: dict[str, str]) -> Q:
    """The conditions of what was chosen; both days are part of it. Raises ValueError for what is no day."""
    at = {"from": "T00:00", "to": "T23:59:59.999999"}
    told = {name: moment(value + at[name]) if name in at else value for name, value in chosen.items()}
    by = NARROWED | ({"action": "action"} if chosen.get("action") in ACTS else {})
    return below(chosen.get("path", "")) & Q(**{by[name]: told[name] for name in told.keys() & by.keys()})


@login_required
@require_safe
def due_page(request: HttpRequest) -> HttpResponse:
    """Every file that somebody should look at again, or soon should; of who may only read, those that are theirs."""
    inspected, readable = (libraries_for(request.user, act).order_by() for act in (Act.INSPECT, Act.READ))
    own = Q(owner=request.user, library__in=readable.values("pk"))
    rows = reminders.due(reminders.SOON).filter(Q(library__in=inspected.values("pk")) | own)
    inspects = is_administrator(request.user) or inspected.exists()
    if not inspects and not rows.exists():
        raise PermissionDenied
    documents = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {"documents": documents, "days": reminders.SOON.days, "today": timezone.localdate()}
    context |= {"inspects": inspects, "inspected": set(inspected.values_list("pk", flat=True))}
    return render(request, "governance/due.html", context)


@login_required
@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    libraries = libraries_for(request.user, Act.INSPECT)
    if not libraries.exists() and not is_administrator(request.user):
        raise PermissionDenied
    context = overview(libraries, PERIOD) | {"ledger": may_read_ledger(request.user) and of_ledger(PERIOD)}
    context["managed"] = set(libraries_for(request.user, Act.MANAGE).order_by().values_list("pk", flat=True))
    return render(request, "governance/dashboard.html", context)
