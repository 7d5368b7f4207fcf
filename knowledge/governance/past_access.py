"""Who could see a document at a moment: from what Postgres wrote down of access, whatever has changed since."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Max, Min, QuerySet

from knowledge.access import Act, roles_for
from knowledge.models import Activation, AuditEvent, DocumentFile, Library, Role, RowState, Snapshot, SnapshotFile

States = dict[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PastAccess:
    """The answer. `people` are the accounts that could see it then, and what let each; `everyone` means without an
    account, too.

    Where it can't be told any more whether the active snapshot held it, they are those who could read its library.
    """

    at: datetime
    why: str
    snapshot: int | None = None  # the active one
    earlier: int | None = None  # where that does not hold it: one that was active before, and could still be read
    version: str = ""  # SHA-256
    everyone: bool = False
    people: Mapping[str, str] = field(default_factory=dict)
    is_known: bool = True


def who_could_see(document: DocumentFile, at: datetime) -> PastAccess:
    library = states("knowledge_library", at, document.library_id).get(document.library_id)
    if library is None or document.created_at > at:
        return PastAccess(at, "It was not known then.")
    file = states("knowledge_documentfile", at, document.pk).get(document.pk, {})
    if file.get("withdrawn_at"):
        because = file.get("withdrawn_because") or "no reason was given"
        if because.startswith(DocumentFile.ERASED):
            return PastAccess(at, f"It was withdrawn: {because}.")
        why = f"It was withdrawn: {because}. Who may look behind its library's pages could do so still."
        return PastAccess(at, why, people=readers(document.library_id, library["access"], at, Act.INSPECT))
    active = library["active_snapshot_id"]
    access = library["access"]
    if active is None:
        return only_behind(document, access, at, "Its library had no active snapshot.", None)
    why = f"Its library was open to {Library.Access(access).label.lower()}, and to its members."
    everyone, people = access == Library.Access.PUBLIC, readers(document.library_id, access, at)
    snapshot = Snapshot.objects.filter(pk=active).first()
    number = snapshot.number if snapshot else None
    if snapshot and (version := version_in(snapshot, document, at)):
        return PastAccess(at, why, number, None, version, everyone, people)
    missed = "does not hold it" if snapshot else "has been pruned, and what it held is not known any more"
    missed = f"The snapshot that was active then {missed}"
    for earlier in Snapshot.objects.filter(activations__in=opened(document, at)).distinct().order_by("-number"):
        if version := version_in(earlier, document, at):
            why = f"{missed}; one that was active before does, and could be read and searched by its number. {why}"
            return PastAccess(at, why, number, earlier.number, version, everyone, people)
    if snapshot is None:
        return PastAccess(at, f"{missed}. {why}", None, None, "", everyone, people, is_known=False)
    if pruned(document, at):
        why = f"{missed}; whether one did that was active before is not known: it has been pruned. {why}"
        return PastAccess(at, why, number, None, "", everyone, people, is_known=False)
    return only_behind(document, access, at, f"{missed}, nor does one that was active before.", number)


def only_behind(document: DocumentFile, access: str, at: datetime, why: str, number: int | None) -> PastAccess:
    """No reader saw it; those did to whom a library shows its candidates and versions, but for what was erased."""
    erasures = AuditEvent.objects.about(document.library.slug, document.path).filter(action="document.erase")
    erased = erasures.filter(at__lte=at).aggregate(last=Max("at"))["last"]
    if erased and not document.versions.filter(created_at__range=(erased, at)).exists():
        return PastAccess(at, why, number)
    people = readers(document.library_id, access, at, Act.INSPECT)
    return PastAccess(at, f"{why} Only who may look behind its library's pages could see it.", number, people=people)


def version_in(snapshot: Snapshot, document: DocumentFile, at: datetime) -> str:
    """The SHA-256 of what the snapshot holds of the file, or held before it was erased; empty for nothing."""
    members = SnapshotFile.objects.filter(snapshot=snapshot, document_file=document)
    held = members.values_list("file_version__sha256", flat=True).first()
    erased = {file["path"]: file["sha256"] for file in snapshot.erased}.get(document.path, "")
    return held or (erased if erased and erased_later(snapshot, document, at) else "")


def erased_later(snapshot: Snapshot, document: DocumentFile, at: datetime) -> bool:
    events = AuditEvent.objects.about(document.library.slug, document.path)
    return events.filter(action="document.erase", at__gt=at, details__snapshots__contains=snapshot.number).exists()


def opened(document: DocumentFile, at: datetime) -> QuerySet[Activation]:
    """What had been active by then: any reader may read it, by its number (`access.snapshots_for`)."""
    return Activation.objects.filter(library=document.library_id, at__lte=at)


def pruned(document: DocumentFile, at: datetime) -> bool:
    """Whether one is gone, since then or before, that may have held the file: not one from before it was known."""
    gone = opened(document, at).filter(snapshot=None).order_by().values("number")
    return gone.annotate(first=Min("at")).filter(first__gte=document.created_at).exists()


def readers(library: int, access: str, at: datetime, act: Act = Act.READ) -> dict[str, str]:
    """The accounts that could do this there, by name: `access.those_who_may`, said of another moment; and what let each
    of them, nothing where everyone who had one could."""
    users = {key: user for key, user in states("auth_user", at).items() if user["is_active"]}
    if act == Act.READ and access != Library.Access.GROUPS:
        return dict.fromkeys(sorted(user["username"] for user in users.values()), "")
    groups = {key: group["name"] for key, group in states("auth_group", at).items()}
    in_groups = [(row["user_id"], row["group_id"]) for row in states("auth_user_groups", at).values()]
    roles = [row for row in states("knowledge_membership", at).values() if row["library_id"] == library]
    admitted = {
        row["group_id"] for row in states("knowledge_library_groups", at).values() if row["library_id"] == library
    }
    reading = set(users)
    if access == Library.Access.GROUPS:
        reading = {row["user_id"] for row in roles} | {user for user, group in in_groups if group in admitted}
    names = {*roles_for(act)} - {Role.ADMINISTRATOR}
    opening = admitted if act == Act.READ else {key for key, name in groups.items() if name in names}
    ways = [(key, "as administrator") for key, user in users.items() if user["is_superuser"]]
    ways += [(user, "as administrator") for user, group in in_groups if groups.get(group) == Role.ADMINISTRATOR]
    ways += [(row["user_id"], f"as {row['role']} of the library") for row in roles if row["role"] in names]
    ways += [
        (user, f"by the group {groups[group]}") for user, group in in_groups if group in opening and user in reading
    ]
    found = defaultdict(list)
    for key, way in dict.fromkeys(ways):
        if key in users:
            found[users[key]["username"]].append(way)
    return {name: ", ".join(found[name]) for name in sorted(found)}


def states(relation: str, at: datetime, key: int | None = None) -> States:
    """What each row of a table said at that moment; those that were not there are left out."""
    rows = RowState.objects.filter(relation=relation, at__lte=at)
    if key is not None:
        rows = rows.filter(key=key)
    latest = rows.order_by("key", "-pk").distinct("key").values_list("key", "state")
    return {found: state for found, state in latest if state is not None}
