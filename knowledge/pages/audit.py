"""The audit, and the whole at a glance."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode

from knowledge.access import Act, audit_of, is_administrator, libraries_for, may_read_ledger
from knowledge.governance import reminders
from knowledge.governance.dashboard import of_ledger, overview
from knowledge.http.methods import require_safe
from knowledge.models import DocumentFile, Snapshot
from knowledge.models.library import Reader
from knowledge.pages.governed import PAGE, moment
from knowledge.spellings import below

PERIOD = timedelta(days=14)  # of the dashboard
NARROWED = {
    "library": "library",
    "action": "action__startswith",
    "actor": "actor__startswith",
    "from": "at__gte",
    "to": "at__lte",
}


@login_required
@require_safe
def audit_page(request: HttpRequest) -> HttpResponse:
    libraries = libraries_for(request.user, Act.AUDIT)
    if not libraries.exists() and not is_administrator(request.user):
        raise PermissionDenied
    asked = {name: request.GET.get(name, "").replace("\0", "").strip() for name in (*NARROWED, "path")}
    chosen = {name: value for name, value in asked.items() if value}
    events, fault = audit_of(request.user), ""
    acts = events.order_by("action").values_list("action", flat=True).distinct()
    try:
        events = events.filter(narrowed(chosen))
    except ValueError:
        events, fault = events.none(), "A day is written like this: 2026-11-30."
    page = openable(request.user, Paginator(events, PAGE).get_page(request.GET.get("page")))
    context = {"events": page, "libraries": libraries, "acts": acts, "asked": asked, "fault": fault}
    context["query"] = f"{urlencode(chosen)}&" if chosen else ""
    return render(request, "governance/audit.html", context, status=400 if fault else 200)


def openable(user: Reader, events: Any) -> Any:
    """The same events, each with `file_opens` and `snapshot_opens`: whether its page is still there, and theirs."""
    inspected = libraries_for(user, Act.INSPECT).filter(slug__in={event.library for event in events}).order_by()
    slugs = dict(inspected.values_list("slug", "pk"))
    paths, numbers = {event.path for event in events}, {event.snapshot for event in events} - {None}
    documents = DocumentFile.objects.filter(library__in=slugs.values(), path__in=paths).order_by()
    ready = Snapshot.objects.filter(library__in=slugs.values(), number__in=numbers, state=Snapshot.State.READY)
    files = set(documents.values_list("library", "path"))
    snapshots = set(ready.order_by().values_list("library", "number"))
    for event in events:
        library = slugs.get(event.library)
        event.file_opens = (library, event.path) in files
        event.snapshot_opens = (library, event.snapshot) in snapshots
    return events


def narrowed(chosen: dict[str, str]) -> Q:
    """The conditions of what was chosen; both days are part of it. Raises ValueError for what is no day."""
    at = {"from": "T00:00", "to": "T23:59:59.999999"}
    told = {name: moment(value + at[name]) if name in at else value for name, value in chosen.items()}
    return below(chosen.get("path", "")) & Q(**{NARROWED[name]: told[name] for name in told.keys() & NARROWED.keys()})


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
