"""Governance, page by page: what waits for review, a document behind the scenes, members, the audit."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from knowledge import gates, review, sight
from knowledge.access import Act, NotAllowed, acts_in, demand, is_administrator, libraries_for
from knowledge.dashboard import overview
from knowledge.models import (
    Answer,
    AuditEvent,
    Chunk,
    Decision,
    DocumentFile,
    GateRun,
    Invitation,
    Library,
    Membership,
    NotActivatable,
    Snapshot,
)
from knowledge.models.membership import IN_LIBRARY

PAGE = 100
LARGEST = 2**31 - 1
REFUSED = (NotAllowed, NotActivatable, ValueError)
View = Callable[..., HttpResponse]


def governed(act: Act) -> Callable[[View], View]:
    """Find the library: one that may not be read is not there, one in which `act` is not allowed is shut."""

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def found(request: HttpRequest, slug: str, **rest: Any) -> HttpResponse:
            readable = Library.objects.readable_by(request.user).select_related("active_snapshot")
            library = get_object_or_404(readable, slug=slug)
            acts = acts_in(request.user, library)
            if act not in acts:
                raise PermissionDenied
            return view(request, library, acts, **rest)

        return found

    return decorate


def said(request: HttpRequest, done: Callable[[], str]) -> None:
    """Do it, and say what came of it."""
    try:
        with transaction.atomic():
            messages.success(request, done())
    except REFUSED as error:
        messages.error(request, f"{error}.")


# --- review -----------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.INSPECT)
def review_page(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    candidate = chosen(library, request.GET.get("snapshot", ""))
    if request.method == "POST":
        try:
            messages.success(request, acted(request, library, candidate))
        except REFUSED as error:
            messages.error(request, f"{error}.")
        return redirect(request.get_full_path())
    found = review.changes(candidate) if candidate else []
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "library": library,
        "acts": acts,
        "candidate": candidate,
        "changes": page,
        "undecided": sum(change.decision is None for change in found),
        "approved": sum(change.is_approved for change in found),
        "chunks": review.chunk_diff(found) if found else None,
        "candidates": review.candidates(library)[:20],
        "gate": GateRun.objects.filter(snapshot=candidate).first() if candidate else None,
        "refused": refusal(library),
        "has_gate": gates.is_set(library),
        "plan": candidate.planned.filter(done_at=None).first() if candidate else None,
        "target": library.rollback_target(),
        "activations": library.activations.all()[:10],
        "is_own": candidate is not None and candidate.requested_by_id == request.user.pk,
        "may_override": is_administrator(request.user),
    }
    return render(request, "governance/review.html", context)


def refusal(library: Library) -> GateRun | None:
    """The last one, if it is newer than what is active."""
    newest = GateRun.objects.filter(snapshot__library=library).select_related("snapshot").first()
    active = library.activations.first()
    is_news = newest is not None and (active is None or newest.run_at > active.at)
    return newest if newest and is_news and not newest.passed and newest.overridden_by_id is None else None


def chosen(library: Library, number: str) -> Snapshot | None:
    """The snapshot of this number, or the newest that waits."""
    if not number:
        return review.candidates(library).first()
    if not (number.isascii() and number.isdigit() and int(number) <= LARGEST):
        raise Http404
    return get_object_or_404(library.snapshots.filter(state=Snapshot.State.READY), number=int(number))


def acted(request: HttpRequest, library: Library, candidate: Snapshot | None) -> str:
    """Do what the pressed button says; what is to be said of it."""
    user, do, comment = signed_in(request), request.POST.get("do", ""), request.POST.get("comment", "")
    if do == "rollback":
        return f"Snapshot {library.rollback(user).number} is active again"
    if candidate is None:
        raise ValueError("nothing waits here")
    if do in ("approve", "reject"):
        verdict = Decision.Verdict.APPROVED if do == "approve" else Decision.Verdict.REJECTED
        paths = None if request.POST.get("all") else request.POST.getlist("path")
        return f"{len(review.decide(candidate, verdict, user, comment, paths))} files {verdict}"
    if do == "gate":
        demand(user, Act.REVIEW, library)
        run = gates.run_gate(library, candidate)
        return f"{run.questions} questions asked"
    if do == "plan":
        at = parse_datetime(request.POST.get("at", ""))
        if at is None:
            raise ValueError("that is no date and time")
        at = at if timezone.is_aware(at) else timezone.make_aware(at)
        return f"Planned for {review.plan(candidate, at, user).at:%d %b %Y, %H:%M} UTC"
    if do == "publish":
        published = review.publish(candidate, user, request.POST.get("override", ""))
        left = f"; {len(published.left)} files stay as they were" if published.left else ""
        return f"Snapshot {published.snapshot.number} is active{left}"
    raise ValueError("nothing was to be done")


def signed_in(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


@require_safe
@governed(Act.INSPECT)
def review_file(request: HttpRequest, library: Library, acts: frozenset[Act], number: int, path: str) -> HttpResponse:
    candidate = chosen(library, str(number))
    found = {change.path: change for change in review.changes(candidate)} if candidate else {}
    if path not in found:
        raise Http404
    change = found[path]
    context = {
        "library": library,
        "candidate": candidate,
        "change": change,
        "sections": review.text_diff(change),
        "chunks": review.chunk_diff([change]),
    }
    return render(request, "governance/review_file.html", context)


# --- one document -----------------------------------------------------------------------------------

TABS = ("details", "versions", "chunks", "history", "permissions", "answers")


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.INSPECT)
def document_page(request: HttpRequest, library: Library, acts: frozenset[Act], path: str) -> HttpResponse:
    if "\0" in path:
        raise Http404
    document = get_object_or_404(library.document_files.select_related("library", "owner"), path=path)
    if request.method == "POST":
        said(request, lambda: kept(request, document, acts))
        return redirect(request.get_full_path())
    tab = request.GET.get("tab", "details")
    if tab not in TABS:
        raise Http404
    context = {"library": library, "document": document, "tab": tab, "tabs": TABS, "acts": acts}
    return render(request, "governance/document.html", context | shown(request, document, tab, acts))


def kept(request: HttpRequest, document: DocumentFile, acts: frozenset[Act]) -> str:
    user, do = signed_in(request), request.POST.get("do", "")
    if do == "keep":
        demand(user, Act.EDIT, document.library)
        keep(request, document)
        return "Saved"
    document.govern(do, user, request.POST.get("reason", ""))
    return f"{document} is {document.state}"


def keep(request: HttpRequest, document: DocumentFile) -> None:
    name, date = request.POST.get("owner", "").strip(), request.POST.get("review_by", "").strip()
    document.owner = User.objects.filter(username=name, is_active=True).first() if name else None
    if name and (document.owner is None or document.library not in libraries_for(document.owner, Act.READ)):
        raise ValueError(f"nobody who may read this library is called {name}")
    try:
        document.review_by = parse_date(date) if date else None
    except ValueError as error:
        raise ValueError("that is no date") from error
    if date and document.review_by is None:
        raise ValueError("that is no date")
    tags = {tag.strip()[:50] for tag in request.POST.get("tags", "").replace("\0", "").split(",")}
    document.tags = sorted(tags - {""})[:20]
    document.save(update_fields=["owner", "review_by", "tags"])


def shown(request: HttpRequest, document: DocumentFile, tab: str, acts: frozenset[Act]) -> dict[str, Any]:
    """What this tab shows, and nothing of the others."""
    active = document.active_version()
    if tab == "versions":
        versions = document.versions.defer("text").order_by("-pk")[:50]
        return {"active": active, "versions": versions, "sections": compared(request, document)}
    if tab == "chunks":
        chunks = Chunk.objects.filter(file_version=active).select_related("section").order_by("ordinal")
        return {"active": active, "chunks": Paginator(chunks, PAGE).get_page(request.GET.get("page"))}
    if tab == "history":
        if Act.AUDIT not in acts:
            return {"decisions": document.decisions.select_related("snapshot", "decided_by")[:PAGE]}
        events = AuditEvent.objects.about(document.library.slug, document.path)
        return {
            "events": Paginator(events, PAGE).get_page(request.GET.get("page")),
            "decisions": document.decisions.select_related("snapshot", "decided_by")[:PAGE],
        }
    if tab == "permissions":
        asked = parse_datetime(request.GET.get("at", "")) if request.GET.get("at") else timezone.now()
        if asked is None:
            raise Http404
        at = asked if timezone.is_aware(asked) else timezone.make_aware(asked)
        return {"sight": sight.who_could_see(document, at)}
    if tab == "answers":
        used = Answer.objects.filter(citations__file_version__document_file=document).distinct()
        rows = used.prefetch_related("citations__file_version").order_by("-pk")
        return {"answers": Paginator(rows, 25).get_page(request.GET.get("page")), "may_read": Act.AUDIT in acts}
    return {"active": active}


def compared(request: HttpRequest, document: DocumentFile) -> list[Any]:
    """The text of two of its versions, section by section."""
    keys = [request.GET.get(name, "") for name in ("before", "after")]
    if not all(key.isascii() and key.isdigit() and int(key) <= LARGEST for key in keys):
        return []
    before, after = (get_object_or_404(document.versions, pk=int(key)) for key in keys)
    change = review.Change(document.path, "changed", (document.pk,), before.pk, after.pk, after.sha256)
    return review.text_diff(change)


# --- members and invitations ------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.MANAGE)
def members(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    invitation = None
    if request.method == "POST":
        if request.POST.get("do") == "invite":
            invitation = invited(request, library)
        else:
            said(request, lambda: membership(request, library))
            return redirect("members", library.slug)
    context = {
        "library": library,
        "members": library.memberships.select_related("user").order_by("user__username"),
        "groups": library.groups.order_by("name"),
        "invitations": Invitation.objects.open().filter(library=library).select_related("invited_by"),
        "roles": IN_LIBRARY,
        "link": request.build_absolute_uri(reverse("invitation", args=[invitation])) if invitation else "",
    }
    response = render(request, "governance/members.html", context)
    response["Cache-Control"] = "no-store"
    return response


def role_of(request: HttpRequest) -> str:
    role = request.POST.get("role", "")
    if role not in IN_LIBRARY:
        raise ValueError("that is no role in a library")
    return role


def invited(request: HttpRequest, library: Library) -> str:
    """The token of a new invitation, or nothing and a message."""
    try:
        name = request.POST.get("name", "").replace("\0", "").strip()[:200]
        if not name:
            raise ValueError("say whom the invitation is for")
        return Invitation.issue(name, role_of(request), library, signed_in(request))[1]
    except ValueError as error:
        messages.error(request, f"{error}.")
        return ""


def membership(request: HttpRequest, library: Library) -> str:
    name = request.POST.get("user", "").replace("\0", "").strip()
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise ValueError(f"there is no active account {name}")
    if request.POST.get("do") == "remove":
        for row in library.memberships.filter(user=user):
            row.delete()
        return f"{user} has no role here any more"
    row = library.memberships.filter(user=user).first() or Membership(library=library, user=user)
    row.role = role_of(request)
    row.save()
    return f"{user} is {row.get_role_display().lower()} here"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Whoever has the link makes an account, once. What is wrong with a link is not said."""
    found = Invitation.objects.find(token)
    if found is None:
        raise Http404
    form: UserCreationForm[User] = UserCreationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            taken = Invitation.objects.open().select_for_update(of=("self",)).filter(pk=found.pk).first()
            if taken is None:
                raise Http404
            user = form.save()
            taken.accept(user)
        login(request, user)
        return redirect("home")
    return render(request, "governance/invitation.html", {"invitation": found, "form": form})


# --- the audit and the whole ------------------------------------------------------------------------


@login_required
@require_safe
def audit_page(request: HttpRequest) -> HttpResponse:
    """Of one's libraries; an administrator's also shows what belongs to none."""
    libraries = libraries_for(request.user, Act.AUDIT)
    everything = is_administrator(request.user)
    if not everything and not libraries.exists():
        raise PermissionDenied
    events = AuditEvent.objects.all()
    if not everything:
        events = events.filter(library__in=libraries.values("slug"))
    for name in ("library", "action", "actor", "path"):
        if value := request.GET.get(name, "").replace("\0", ""):
            events = events.filter(**{name: value})
    page = Paginator(events, PAGE).get_page(request.GET.get("page"))
    return render(request, "governance/audit.html", {"events": page, "libraries": libraries})


@login_required
@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    libraries = libraries_for(request.user, Act.INSPECT)
    if not libraries.exists() and not is_administrator(request.user):
        raise PermissionDenied
    return render(request, "governance/dashboard.html", overview(request.user, libraries, timedelta(days=14)))
