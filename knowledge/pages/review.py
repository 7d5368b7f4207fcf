"""What waits for review: a candidate beside what is active, decided file by file."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse

from knowledge.access import Act, demand, those_who_may
from knowledge.governance import gates, review
from knowledge.governance.activation import rollback
from knowledge.governance.differences import FileChange, chunk_diff, loss_in_words, text_diff
from knowledge.http.methods import require_http_methods, require_safe
from knowledge.models import (
    AuditEvent,
    Decision,
    GateRun,
    Library,
    PlannedActivation,
    Snapshot,
)
from knowledge.numbers import whole_number
from knowledge.pages.governed import PAGE, carried_out, governed, moment, signed_in
from knowledge.pages.libraries import unread
from knowledge.spaces import why_words_only
from knowledge.upkeep import why_overtaken

DECIDERS = 10  # names of those who may decide instead


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.INSPECT)
def review_page(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    if request.method == "POST":
        if carried_out(request, lambda: acted(request, library)):
            return redirect(next_page(request, library))
        number, path = whole_number(request.POST.get("snapshot", "")), request.POST.get("path", "")
        if "then" in request.POST and number and changes_file(library, number, path):
            return file_page(request, library, acts, number, path)
    asked = request.GET.get("snapshot", "")
    candidate = chosen(library, asked) if asked else review.candidates(library).first()
    planned = PlannedActivation.objects.waiting().filter(snapshot__library=library).select_related("snapshot__library")
    context = {
        "library": library,
        "acts": acts,
        "candidate": candidate,
        "candidates": list(review.candidates(library)[:20]),
        "plans": [(plan, why_overtaken(plan)) for plan in planned],
        "refused": refusal(library),
        "target": library.rollback_target(),
        "activations": library.activations.all()[:10],
    }
    if candidate is None:
        context["left_undecided"] = review.left_undecided(library.active_snapshot)
    else:
        context |= what_waits(request, library, acts, candidate)
    return render(request, "governance/review.html", context)


def what_waits(request: HttpRequest, library: Library, acts: frozenset[Act], candidate: Snapshot) -> dict[str, Any]:
    """What the page shows of a candidate, and who may do what with it."""
    user, last, found = signed_in(request), review.last_decision(candidate), review.changes(candidate)
    below = request.GET.get("path", "")
    shown = [change for change in found if change.path.startswith(below)]
    page = Paginator(shown, PAGE).get_page(request.GET.get("page"))
    approved, is_reviewed = sum(change.is_approved for change in found), review.is_reviewed(candidate, library)
    is_own, may_decide = review.is_own(candidate, user), review.may_decide(candidate, user)
    return {
        "changes": page,
        "below": below,
        "count": len(found),
        "last": last,
        "undecided": sum(change.decision is None for change in found),
        "left": sum(change.decision is None for change in shown),
        "rejected_before": sum(change.rejected is not None for change in shown),
        "withheld": sum(change.is_to_be_chosen and not (change.decision or change.rejected) for change in shown),
        "is_reviewed": is_reviewed,
        "was_active": candidate.activations.exists(),
        "approved": approved,
        "nothing_to_publish": bool(found) and not approved and is_reviewed,
        "loss": loss_in_words(library.active_snapshot, candidate),
        "chunks": chunk_diff(found) if found else None,
        "unread": unread(candidate),
        "gate": last_run(candidate),
        "has_gate": gates.is_set(library),
        "has_questions": library.golden_questions.active().exists(),
        "plan": candidate.planned.order_by("-pk").first(),
        "waiting": candidate.planned.waiting().first(),
        "is_own": is_own,
        "may_decide": may_decide,
        "yours": review.brought_by(user, page) if may_decide else set(),
        "deciders": those_who_may(Act.REVIEW, library).exclude(pk=user.pk)[:DECIDERS] if is_own else [],
        "may_override": Act.OVERRIDE in acts,
        "sent": request.POST,  # where it was refused
        "ticked": request.POST.getlist("path"),
    }


def refusal(library: Library) -> tuple[AuditEvent, Snapshot | None] | None:
    """The last activation that the gate refused, if it is newer than what is active and not passed since, and the
    candidate. Questions that were only asked refuse nothing."""
    newest = GateRun.objects.filter(snapshot__library=library).first()
    if newest is None or newest.passed or newest.override_reason:
        return None
    active = library.activations.first()
    refused = AuditEvent.objects.filter(
        library=library.slug, action="gate.refuse", at__gt=active.at if active else library.created_at
    )
    if (last := refused.order_by("-number").first()) is None:
        return None
    asked = library.snapshots.filter(number=last.snapshot or 0).select_related("derived_from").first()
    return last, asked and (asked.derived_from or asked)


def last_run(candidate: Snapshot) -> GateRun | None:
    """Also where it was asked of what is approved of it."""
    whole_or_part = Q(snapshot=candidate) | Q(snapshot__derived_from=candidate)
    return GateRun.objects.filter(whole_or_part).select_related("snapshot").first()


def chosen(library: Library, number: str) -> Snapshot:
    """The snapshot of this number."""
    if (asked := whole_number(number)) is None:
        raise Http404
    return get_object_or_404(library.snapshots.filter(state=Snapshot.State.READY), number=asked)


def next_page(request: HttpRequest, library: Library) -> str:
    """From a file's own page to the one that is named there; else this page."""
    number = whole_number(request.POST.get("snapshot", ""))
    path = request.POST.get("then", "")
    if number and changes_file(library, number, path):
        return reverse("review-file", args=[library.slug, number, path])
    return request.get_full_path()


def changes_file(library: Library, number: int, path: str) -> bool:
    """Whether the snapshot changes it, also beside what is active by now."""
    return bool(path) and any(change.path == path for change in review.changes(chosen(library, str(number))))


def acted(request: HttpRequest, library: Library) -> str:
    """Do what the pressed button says, with the snapshot that was shown beside it; what is to be said of it."""
    user, do, comment = signed_in(request), request.POST.get("do", ""), request.POST.get("comment", "")
    number = whole_number(request.POST.get("snapshot", ""))
    if number is None:
        raise ValueError("nothing waits here")
    if do == "rollback":
        target = rollback(library, user, number, request.POST.get("reason", ""))
        return f"Snapshot {target.number} is active again{by_words(target)}"
    candidate = chosen(library, str(number))
    if do in ("approve", "reject"):
        verdict = Decision.Verdict.APPROVED if do == "approve" else Decision.Verdict.REJECTED
        paths = None if request.POST.get("all") else request.POST.getlist("path")
        beside, seen = (whole_number(request.POST.get(name, "")) for name in ("active", "decided"))
        decided = review.decide(candidate, verdict, user, comment, paths, beside, request.GET.get("path", ""), seen)
        count = len(decided.changes)
        return f"{count} file{pluralize(count)} {verdict}{decided.left_out}"
    if do == "gate":
        demand(user, Act.REVIEW, library)
        if not library.golden_questions.active().exists():
            raise ValueError("this library has no golden questions")
        run = gates.run_gate(library, candidate)
        questions = f"{run.questions} question{pluralize(run.questions)}"
        return f"{questions} asked of all of snapshot {candidate.number}, whatever is decided about it"
    shown = whole_number(request.POST.get("plan", ""))
    if do == "plan":
        planned = review.plan(candidate, moment(request.POST.get("at", "")), user, shown)
        return f"Planned for {planned.at:%-d %b %Y, %H:%M} UTC"
    if do == "cancel-plan":
        review.cancel_plan(candidate, user, shown)
        return f"Snapshot {candidate.number} is not activated by itself any more"
    if do == "publish":
        beside = whole_number(request.POST.get("active", ""))
        published = review.publish(candidate, user, request.POST.get("override", ""), beside)
        count = len(published.left)
        kept = f"; {count} file{pluralize(count, ' stays as it was,s stay as they were')}" if count else ""
        if undecided := published.undecided:
            kept += f"; {undecided} {pluralize(undecided, 'is,are')} undecided, until the next build brings them again"
        return f"Snapshot {published.snapshot.number} is active{by_words(published.snapshot)}{kept}"
    raise ValueError("nothing was to be done")


def by_words(snapshot: Snapshot) -> str:
    why = why_words_only(snapshot)
    return why and f"; {why}"


def following(path: str, found: Iterable[FileChange]) -> str:
    """The next file that is not decided, after the last one from the first on; empty: there is no other."""
    undecided = [change.path for change in found if change.decision is None and change.path != path]
    return next((one for one in undecided if one > path), undecided[0] if undecided else "")


@require_safe
@governed(Act.INSPECT)
def review_file(request: HttpRequest, library: Library, acts: frozenset[Act], number: int, path: str) -> HttpResponse:
    return file_page(request, library, acts, number, path)


def file_page(request: HttpRequest, library: Library, acts: frozenset[Act], number: int, path: str) -> HttpResponse:
    user, candidate = signed_in(request), chosen(library, str(number))
    last = review.last_decision(candidate)
    found = {change.path: change for change in review.changes(candidate)}
    if path not in found:
        raise Http404
    change = found[path]
    context = {
        "library": library,
        "candidate": candidate,
        "change": change,
        "last": last,
        "unread": unread(candidate).get(path, "") if change.kind == "removed" else "",
        "sections": text_diff(change),
        "chunks": chunk_diff([change]),
        "may_decide": review.may_decide(candidate, user),
        "is_yours": bool(review.brought_by(user, [change])),
        "then": following(path, found.values()),
        "comment": request.POST.get("comment", ""),  # where it was refused
    }
    return render(request, "governance/review_file.html", context)
