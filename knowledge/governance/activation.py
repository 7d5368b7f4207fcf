"""Moving the pointer that searches follow: to a new snapshot as far as its gate lets it, and back."""

from django.db import IntegrityError, transaction

from knowledge import access
from knowledge.failpoints import failpoint
from knowledge.governance import audit, gates
from knowledge.models import Library, NotActivatable, Snapshot
from knowledge.models.library import Reader


def activate(
    library: Library, snapshot: Snapshot, by: Reader = None, override: str = "", past_gate: bool = False
) -> Snapshot | None:
    """Have searches see this snapshot, if the gate lets it; returns the one that was active before.

    `override` is an administrator's reason to activate what the gate refuses; `past_gate`: by the build, which has just
    asked it and prepared the snapshot. Any other is prepared here: no search waits for its vectors.
    Raises NotActivatable when the snapshot is another library's, not sealed, not approved or refused by the gate;
    NotAllowed when `by` may not do this. Without `by` it is the operator, or the build that somebody asked for.
    """
    access.demand(by, access.Act.PUBLISH, library)
    if snapshot.library_id != library.pk:
        raise NotActivatable(f"{snapshot} belongs to another library")
    if Snapshot.objects.get(pk=snapshot.pk).state != Snapshot.State.READY:
        raise NotActivatable(f"{snapshot} is {snapshot.state}; only a ready snapshot can be activated")
    if not past_gate:
        gates.check(library, snapshot, by, override)
        snapshot.prepare()
    return point_at(library, snapshot, by, "snapshot.activate")


def rollback(library: Library, by: Reader = None) -> Snapshot:
    """Activate the newest snapshot older than the active one that was active before, or needed no review.

    No gate is asked. Raises NotActivatable if there is none, NotAllowed when `by` may not do this.
    """
    access.demand(by, access.Act.PUBLISH, library)
    if library.active_snapshot is None:
        raise NotActivatable(f"{library} has no active snapshot")
    target = library.rollback_target()
    if target is None:
        raise NotActivatable(f"{library} has no older snapshot to roll back to")
    target.prepare()
    point_at(library, target, by, "snapshot.rollback")
    return target


def point_at(library: Library, snapshot: Snapshot, by: Reader, action: str) -> Snapshot | None:
    """Postgres itself refuses what was not approved (migration governance_guards)."""
    try:
        with transaction.atomic():
            locked = Library.objects.select_for_update(of=("self",)).select_related("active_snapshot")
            row = locked.get(pk=library.pk)
            failpoint("activate.locked")
            before = row.active_snapshot
            row.active_snapshot = snapshot
            row.save(update_fields=["active_snapshot"])
            audit.record(
                action,
                library=row,
                snapshot=snapshot,
                by=by,
                before=before.number if before else None,
                manifest_hash=snapshot.manifest_hash,
            )
    except IntegrityError as error:
        said = getattr(getattr(error.__cause__, "diag", None), "message_primary", None)
        raise NotActivatable(said or str(error)) from error
    library.active_snapshot = snapshot
    return before
