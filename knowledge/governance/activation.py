"""Moving the pointer that searches follow: to a new snapshot as far as its gate lets it, and back."""

from django.db import IntegrityError, transaction

from knowledge import access
from knowledge.failpoints import failpoint
from knowledge.governance import audit, gates
from knowledge.models import AuditEvent, Library, NotActivatable, Snapshot
from knowledge.models.library import Reader


def activate(
    library: Library, snapshot: Snapshot, by: Reader = None, override: str = "", beside: int | None = None
) -> Snapshot | None:
    """Have searches see this snapshot, if the gate lets it; returns the one that was active before.

    `override` is an administrator's reason to activate what the gate refuses.
    `beside` is the number of the active snapshot that `by` was shown, 0 for none.
    Raises NotActivatable when the snapshot is another library's, not sealed, not approved or refused by the gate, or
    when another one is active than was shown; NotAllowed when `by` may not do this. Without `by` it is the operator, or
    the build that somebody asked for.
    """
    admit(library, snapshot, by, override)
    return point_at(library, snapshot, by, "snapshot.activate", beside)


def admit(library: Library, snapshot: Snapshot, by: Reader = None, override: str = "") -> None:
    """What comes before and takes time: that the gate lets it, and that no search will wait for its vectors.

    Raises NotActivatable or NotAllowed.
    """
    access.demand(by, access.Act.PUBLISH, library)
    if snapshot.library_id != library.pk:
        raise NotActivatable(f"{snapshot} belongs to another library")
    if Snapshot.objects.get(pk=snapshot.pk).state != Snapshot.State.READY:
        raise NotActivatable(f"{snapshot} is {snapshot.state}; only a ready snapshot can be activated")
    gates.check(library, snapshot, by, override)
    snapshot.prepare()


def demand_active(library: Library, number: int | None) -> None:
    """That this is what is active (0: nothing; None: whatever is). Raises NotActivatable."""
    if number not in (None, library.active_number):
        raise NotActivatable("another snapshot is active by now: look at what would change")


def rollback(library: Library, by: Reader = None, number: int | None = None, reason: str = "") -> Snapshot:
    """Activate the older snapshot that was active last (`Library.rollback_target`); no gate is asked.

    A `reason` that is given is kept in the audit.
    Raises NotActivatable if there is none, or if it is not the one of this `number`, which somebody was shown;
    NotAllowed when `by` may not do this.
    """
    access.demand(by, access.Act.PUBLISH, library)
    if library.active_snapshot is None:
        raise NotActivatable(f"“{library}” has no active snapshot")
    target = library.rollback_target()
    if target is None:
        raise NotActivatable(f"“{library}” has no older snapshot to roll back to{instead(library)}")
    if number not in (None, target.number):
        raise NotActivatable(f"“{library}” has changed meanwhile: it would now go back to snapshot {target.number}")
    target.prepare()
    reason = reason.replace("\0", "").strip()[:500]
    point_at(library, target, by, "snapshot.rollback", None, **({"reason": reason} if reason else {}))
    return target


def instead(library: Library) -> str:
    """Where only newer ones were active: which of them was so last. To go forward, it is activated."""
    others = library.snapshots.exclude(number__in={library.active_number, *AuditEvent.objects.given_up(library.slug)})
    last = others.filter(state="ready", activations__isnull=False).order_by("-activations").first()
    return f"; snapshot {last.number}, which is newer, was active before: activate that" if last else ""


def point_at(
    library: Library, snapshot: Snapshot, by: Reader, action: str, beside: int | None = None, **details: str
) -> Snapshot | None:
    """Postgres itself refuses what was not approved (`migrations/rules/`). What is active stays so, unsaid."""
    try:
        with transaction.atomic():
            row = Library.objects.select_related("active_snapshot").lock(library.pk)
            failpoint("activate.locked")
            before = row.active_snapshot
            if before == snapshot:
                library.active_snapshot = snapshot
                return before
            demand_active(row, beside)
            audit.record(  # first: from the update on, whoever holds the audit's lock could not refer to the library
                action,
                library=row,
                snapshot=snapshot,
                by=by,
                before=before.number if before else None,
                manifest_hash=snapshot.manifest_hash,
                **details,
            )
            row.active_snapshot = snapshot
            row.save(update_fields=["active_snapshot"])
    except IntegrityError as error:
        said = getattr(getattr(error.__cause__, "diag", None), "message_primary", None)
        raise NotActivatable(said or str(error)) from error
    library.active_snapshot = snapshot
    return before
