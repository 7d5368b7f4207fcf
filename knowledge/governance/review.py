"""Review is a pull request: what a candidate would change, decided file by file, and published as far as approved."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Greatest, Now
from django.template.defaultfilters import pluralize
from django.utils import timezone

from knowledge import access
from knowledge.governance import audit
from knowledge.governance.activation import activate, demand_active
from knowledge.governance.differences import FileChange, compare
from knowledge.governance.withdrawal import withheld
from knowledge.models import (
    Decision,
    DocumentFile,
    Library,
    NotActivatable,
    PlannedActivation,
    Snapshot,
    Upload,
)
from knowledge.models.library import Reader
from knowledge.storage import locks

LONGEST_COMMENT = 2000
A_MOMENT, FARTHEST = timedelta(minutes=5), timedelta(days=3653)  # how far from now an activation is planned


class FourEyes(access.NotAllowed):
    """Whoever asked for a snapshot does not approve it."""


@dataclass(frozen=True, slots=True)
class Published:
    snapshot: Snapshot  # the candidate, or one that holds what was approved of it
    before: Snapshot | None
    left: tuple[str, ...]  # paths that keep their active version
    undecided: int = 0  # of these


@dataclass(frozen=True, slots=True)
class Decided:
    changes: list[FileChange]
    left_out: str = ""  # where all are decided at once: what is not, as it is said behind that


def candidates(library: Library) -> QuerySet[Snapshot]:
    """Ready, and newer than all that were ever active: the first is what waits, the others are older builds."""
    return library.snapshots.undecided(library.activations.all()).order_by("-number")


def described(library: Library, candidate: Snapshot | None) -> dict[str, Any]:
    """A candidate and what it changes, as JSON has it; without one, that nothing waits."""
    decided = last_decision(candidate) if candidate else 0  # before what is decided is read
    return {
        "snapshot": candidate.number if candidate else None,
        "active": library.active_number or None,
        "requested_by": candidate.requested_by.get_username() if candidate and candidate.requested_by else None,
        "decided": decided,
        "changes": [change.as_json() for change in changes(candidate)] if candidate else [],
    }


def changes(candidate: Snapshot) -> list[FileChange]:
    """What it would change, by path, with what was decided about it, and what was rejected before, or withdrawn
    elsewhere, of the same."""
    found = compare(candidate.library.active_snapshot, candidate)
    contents = {change.path: change.sha256 for change in found if change.brings_bytes}
    hidden = withheld(candidate.library, contents)
    found = [replace(change, withheld=hidden.get(change.path, "")) for change in found]
    undecided = [change.documents[0] for change in found if change.decision is None]
    earlier = Decision.objects.earlier(candidate, undecided)
    return [with_rejection(change, earlier) if change.decision is None else change for change in found]


def with_rejection(change: FileChange, earlier: Mapping[tuple[int, str | None], Decision]) -> FileChange:
    decision = earlier.get((change.documents[0], change.sha256 if change.after else None))
    is_rejected = decision is not None and decision.verdict == Decision.Verdict.REJECTED
    return replace(change, rejected=decision) if is_rejected else change


@transaction.atomic
def decide(
    candidate: Snapshot,
    verdict: str,
    by: User,
    comment: str = "",
    paths: Collection[str] | None = None,
    beside: int | None = None,
    below: str = "",
    seen: int | None = None,
) -> Decided:
    """Approve or reject what the candidate does to these files (None: to all that are not decided yet and whose path
    begins with `below`, but for what `by` brought, what was rejected before, and what has the bytes of a withdrawn
    file).

    `beside` is the number of the active snapshot that `by` was shown the changes against, 0 for none; `seen` the key of
    the last decision that was shown, 0 for none.
    Raises FourEyes, NotAllowed; ValueError when no path is given or one is not changed, when nothing is left to decide,
    when a rejection says nothing, when another snapshot is active than was shown, when somebody else has decided about
    one of the files since, or of what was active before: it can be activated again, whatever is decided.
    """
    demand_decidable(candidate, by)
    demand_still_active(candidate, beside)
    if paths is not None and not paths:
        raise ValueError("choose at least one file")
    comment = comment.replace("\0", "").strip()[:LONGEST_COMMENT]
    if verdict == Decision.Verdict.REJECTED and not comment:
        raise ValueError("say why it is rejected")
    decided = chosen_by(by, candidate, paths, below)
    if not (chosen := decided.changes):
        raise ValueError(f"there is nothing to decide{decided.left_out}")
    demand_none_since(chosen, by, seen)
    Decision.objects.bulk_create(
        [
            Decision(snapshot=candidate, document_file_id=document, verdict=verdict, decided_by=by, comment=comment)
            for change in chosen
            for document in change.documents
        ],
        batch_size=2000,
    )
    action = "review.approve" if verdict == Decision.Verdict.APPROVED else "review.reject"
    one = chosen[0] if len(chosen) == 1 else None
    audit.record(
        action,
        library=candidate.library,
        snapshot=candidate,
        document=one.path if one else "",
        version=one.sha256 if one else "",
        by=by,
        comment=comment,
        files=[[change.path, change.kind, change.sha256] for change in chosen],
    )
    return decided


def is_own(candidate: Snapshot | None, user: User) -> bool:
    """Whether `user` asked for it."""
    return candidate is not None and candidate.requested_by_id == user.pk


def may_decide(candidate: Snapshot | None, user: User) -> bool:
    try:
        if candidate is not None:
            demand_decidable(candidate, user)
    except (access.NotAllowed, ValueError):
        return False
    return candidate is not None


def demand_decidable(candidate: Snapshot, by: User) -> None:
    """That `by` may decide about it, and it is to be decided. Raises NotAllowed, FourEyes or ValueError."""
    access.demand(by, access.Act.REVIEW, candidate.library)
    if candidate.state != Snapshot.State.READY:
        raise ValueError(f"{candidate} is {candidate.state}; only a ready snapshot can be reviewed")
    if is_own(candidate, by):
        raise FourEyes(f"{by} asked for {candidate}; somebody else must decide")
    if candidate.activations.exists():
        raise ValueError(f"{candidate} was active before, so nothing of it is to be decided")


def demand_still_active(candidate: Snapshot, number: int | None) -> None:
    """As `demand_active`, and it stays so to the end of the transaction. Raises ValueError."""
    if number is None:
        return
    try:
        demand_active(Library.objects.select_related("active_snapshot").lock(candidate.library_id), number)
    except NotActivatable as error:
        raise ValueError(str(error)) from error


def last_decision(candidate: Snapshot) -> int:
    """The key of the newest decision about the candidate, 0 for none: read before what is decided is."""
    return candidate.decisions.values_list("pk", flat=True).first() or 0


def demand_none_since(chosen: Iterable[FileChange], by: User, seen: int | None) -> None:
    """That nobody else has decided about these files behind the decision of this key. Raises ValueError."""
    for change in chosen:
        decision = change.decision
        if decision and seen is not None and decision.pk > seen and decision.decided_by_id != by.pk:
            why = f": {decision.comment}" if decision.comment else ""
            raise ValueError(
                f"nothing was decided: {change.path} was meanwhile {decision.verdict} ({decision.decided_by}{why})"
            )


def chosen_by(user: User, candidate: Snapshot, paths: Collection[str] | None, below: str) -> Decided:
    """The changes of these files (None: of all below there that are not decided yet, that `user` may decide about, and
    that are not to be chosen one by one), and what is left out.

    Raises ValueError for a file that is not changed, FourEyes for one that `user` brought.
    """
    found = {change.path: change for change in changes(candidate)}
    own = brought_by(user, found.values())
    if paths is None:
        undecided = [change for change in found.values() if change.decision is None and change.path.startswith(below)]
        chosen = [change for change in undecided if not change.is_to_be_chosen and change.path not in own]
        return Decided(chosen, left_out(undecided, own))
    if unknown := sorted(set(paths) - found.keys()):
        raise ValueError(f"{candidate} does not change {unknown[0]}")
    if mine := sorted(own.intersection(paths)):
        raise FourEyes(f"{user} brought or removed {mine[0]}; somebody else must decide")
    return Decided([found[path] for path in sorted(set(paths))])


def left_out(undecided: Sequence[FileChange], brought: Set[str]) -> str:
    """What of these is left by who decides about all at once and `brought` some, as it is said behind the decided."""
    own = sum(change.path in brought for change in undecided)
    others = [change for change in undecided if change.path not in brought]
    again = sum(change.rejected is not None for change in others)
    hidden = sum(change.is_to_be_chosen for change in others) - again
    told = f"; {own} that you brought {pluralize(own, 'is,are')} for somebody else" if own else ""
    if again:
        told += (
            f"; {again} {pluralize(again, 'that was rejected before is,that were rejected before are')} to be chosen"
        )
    if hidden:
        told += f"; {hidden} with the bytes of a withdrawn file {pluralize(hidden, 'is,are')} to be chosen"
    return told


def brought_by(user: User, found: Iterable[FileChange]) -> set[str]:
    """The paths of these changes that `user` uploaded or removed, and so does not decide about."""
    changed = {document: change for change in found for document in change.documents}
    files = DocumentFile.objects.filter(pk__in=changed)
    uploads = Upload.objects.filter(Q(uploaded_by=user) | Q(ended_by=user))
    mine = files.filter(Exists(uploads.filter(library=OuterRef("library"), path=OuterRef("path"))))
    documents = list(mine.values_list("pk", "library", "path"))
    at_these = uploads.filter(library__in={row[1] for row in documents}, path__in=[row[2] for row in documents])
    uploaded = set(at_these.filter(uploaded_by=user).values_list("library", "path", "sha256"))
    ended = set(at_these.filter(ended_by=user).values_list("library", "path"))
    own = set()
    for document, library, path in documents:
        change = changed[document]
        stays = change.after is not None and path == change.path  # else it is taken away, or renamed
        if (library, path, change.sha256) in uploaded if stays else (library, path) in ended:
            own.add(change.path)
    return own


def is_reviewed(candidate: Snapshot, library: Library) -> bool:
    """Whether its changes need approval: not where none is asked for, nor of what was active before."""
    return (candidate.needs_review or library.requires_review) and not candidate.activations.exists()


def is_to_be_decided(candidate: Snapshot, library: Library) -> bool:
    """Whether somebody has to look at it first: not where it holds the very files that are active, made alike."""
    active = library.active_snapshot
    if not is_reviewed(candidate, library) or active is None:
        return is_reviewed(candidate, library)
    return built_with(active) != built_with(candidate) or bool(compare(active, candidate))


def publish(candidate: Snapshot, by: Reader, override: str = "", beside: int | None = None) -> Published:
    """Make what was approved of a candidate the active snapshot; files that were not keep their active version.

    `beside` is the number of the active snapshot that `by` was shown the changes against, 0 for none.
    Raises NotActivatable (nothing is approved, or it is active already, or another snapshot is than was shown, or the
    gate refused), NotAllowed.
    """
    library = Library.objects.select_related("active_snapshot").get(pk=candidate.library_id)
    access.demand(by, access.Act.PUBLISH, library)
    if candidate != library.active_snapshot:
        demand_active(library, beside)
    if not is_reviewed(candidate, library):
        return Published(candidate, activate(library, candidate, by, override, beside=beside), ())
    if candidate.state != Snapshot.State.READY:
        raise NotActivatable(f"{candidate} is {candidate.state}; only a ready snapshot can be activated")
    found = compare(library.active_snapshot, candidate)
    left = [change for change in found if not change.is_approved]
    if not left:
        return Published(candidate, activate(library, candidate, by, override, beside=beside), ())
    if len(left) == len(found):
        is_done = library.active_snapshot is not None and library.active_snapshot.derived_from_id == candidate.pk
        what = "what is approved of it is active already" if is_done else "nothing that it changes is approved"
        raise NotActivatable(f"{candidate}: {what}")
    chosen = derive(candidate, library.active_snapshot, left)
    before = activate(library, chosen, by, override, beside=beside)
    undecided = sum(change.decision is None for change in left)
    return Published(chosen, before, tuple(change.path for change in left), undecided)


def left_undecided(active: Snapshot | None) -> int:
    """How many changes of the candidate of which the active snapshot is a part nobody has decided about."""
    candidate = active.derived_from if active else None
    return sum(change.decision is None for change in compare(active, candidate)) if candidate else 0


@transaction.atomic
def derive(candidate: Snapshot, active: Snapshot | None, left: Sequence[FileChange]) -> Snapshot:
    """A sealed snapshot that holds the candidate's files, except these, which are as in the active one.

    The same decisions give the same contents, and so the same manifest hash. Raises NotActivatable.
    """
    if active and built_with(active) != built_with(candidate):
        raise NotActivatable(
            f"{candidate} was built with another index profile than {active}: their files can't be mixed, "
            "so all of its changes must be approved"
        )
    library = Library.objects.lock(candidate.library_id)
    kept_back = {document for change in left for document in change.documents}
    files = {row[0]: row for row in candidate.members() if row[0] not in kept_back}
    files |= {row[0]: row for row in (active.members() if active else []) if row[0] in kept_back}
    for known in candidate.derived.filter(state=Snapshot.State.READY).select_related("library"):
        if {row[0]: row for row in known.members()} == files:
            return known
    draft = candidate.derive(files.values(), requested_by=candidate.requested_by, derived_from=candidate)
    audit.record(
        "snapshot.derive", library=library, snapshot=draft, candidate=candidate.number, left=[c.path for c in left]
    )
    return draft


def built_with(snapshot: Snapshot) -> tuple[int, int, int | None]:
    return snapshot.profile_id, snapshot.space_id, snapshot.code_space_id


@transaction.atomic
def plan(candidate: Snapshot, at: datetime, by: User, shown: int | None = None) -> PlannedActivation:
    """Publish it then, as far as it is approved then. A later plan replaces an earlier one; what is past is now.

    `shown` is the key of the plan that `by` was shown, 0 for none.
    Raises NotAllowed; ValueError for a moment that is long past, or so far away that it must be a mistake, where
    another plan waits than was shown, and while an earlier plan is carried out.
    """
    access.demand(by, access.Act.PUBLISH, candidate.library)
    if not -A_MOMENT < at - timezone.now() < FARTHEST:
        raise ValueError("that is in the past, or more than ten years away")
    drop_plan(candidate, shown)
    row = PlannedActivation.objects.create(snapshot=candidate, at=Greatest(at, Now()), planned_by=by)
    row.refresh_from_db(fields=["at"])  # by Postgres' clock, as activations are
    audit.record("snapshot.plan", library=candidate.library, snapshot=candidate, by=by, at=row.at.isoformat())
    return row


@transaction.atomic
def cancel_plan(candidate: Snapshot, by: User, shown: int | None = None) -> None:
    """Raises NotAllowed; ValueError where nothing is planned any more, or another plan waits than was `shown` (as in
    `plan`), and while it is carried out."""
    access.demand(by, access.Act.PUBLISH, candidate.library)
    planned = drop_plan(candidate, shown)
    if planned is None:
        raise ValueError("nothing is planned any more; see what is active")
    at = planned.at.isoformat()
    audit.record("snapshot.cancel_plan", library=candidate.library, snapshot=candidate, by=by, at=at)


def drop_plan(candidate: Snapshot, shown: int | None) -> PlannedActivation | None:
    """The plan that waited and is no more. Raises ValueError while it is carried out, or where it is not that one."""
    Library.objects.lock(candidate.library_id)
    waiting = PlannedActivation.objects.waiting().filter(snapshot=candidate).first()
    if waiting is not None:
        if shown not in (None, waiting.pk):
            when, who = f"{waiting.at:%-d %b %Y, %H:%M} UTC", waiting.planned_by or "the operator"
            raise ValueError(f"nothing was done: it was meanwhile planned for {when} by {who}")
        if not locks.lock_to_the_end(locks.PLAN, waiting.pk):
            raise ValueError("what was planned is being carried out just now; see what comes of it")
        deleted, _ = PlannedActivation.objects.waiting().filter(pk=waiting.pk).delete()
        return waiting if deleted else None
    return None
