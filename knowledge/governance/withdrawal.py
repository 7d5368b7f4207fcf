"""Taking a document out of everybody's sight at once, with a reason; and giving it back."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils import timezone

from knowledge import access
from knowledge.governance import audit
from knowledge.models import AuditEvent, DocumentFile, FileVersion, Library
from knowledge.models.library import Reader

NOTHING = sha256().hexdigest()  # empty files are not the same for it
DONE = {
    "document.withdraw": "withdrawn",
    "document.trash": "put in the trash",
    "document.restore": "restored",
    "document.erase": "erased",
}


def govern(document: DocumentFile, do: str, by: Reader, reason: str) -> None:
    """ "withdraw", "trash" or "restore". Raises NotAllowed, and ValueError for another word or a missing reason."""
    match do:
        case "withdraw":
            withdraw(document, by, reason)
        case "trash":
            trash(document, by, reason)
        case "restore":
            restore(document, by, reason or "restored")
        case _:
            raise ValueError("nothing was to be done")


def demand_as_shown(document: DocumentFile, by: Reader, act: int | None) -> None:
    """That what was last done to it is the event of this number, 0 for nothing; and it stays so to the end of the
    transaction. Raises NotAllowed, and ValueError."""
    access.demand(by, access.Act.WITHDRAW, document.library)
    if act is None:
        return
    DocumentFile.objects.select_for_update(of=("self",), no_key=True).get(pk=document.pk)
    if (last := last_act(document)) and last.number != act:
        reason = last.details["reason"]
        raise ValueError(f"nothing was done: it was meanwhile {DONE[last.action]} ({last.actor}: {reason})")


def last_act(document: DocumentFile) -> AuditEvent | None:
    """What last changed whether it is seen."""
    events = AuditEvent.objects.filter(library=document.library.slug, path=document.path, action__in=DONE)
    return events.order_by("-number").first()


def withdraw(document: DocumentFile, by: Reader, reason: str) -> bool:
    """Invisible from the next request on, everywhere; whether it was not before. Raises NotAllowed; ValueError without
    a reason, or if erased."""
    return change(document, "document.withdraw", by, reason, {})


def restore(document: DocumentFile, by: Reader, reason: str = "restored") -> bool:
    """Take it out of the trash, too; False where it was not withdrawn: nothing is done then, nor recorded.

    Raises NotAllowed; ValueError where it was erased since `document` was read.
    """
    values = {"withdrawn_at": None, "trashed_at": None, "withdrawn_because": ""}
    return change(document, "document.restore", by, reason, values)


def trash(document: DocumentFile, by: Reader, reason: str) -> None:
    """Withdrawn, and erased when the library's days have passed. Raises as `withdraw`."""
    change(document, "document.trash", by, reason, {"trashed_at": timezone.now()})


def change(document: DocumentFile, action: str, by: Reader, reason: str, values: dict[str, Any]) -> bool:
    """What `values` do not name stays as the row has it by now; it is withdrawn, unless they say otherwise. Whether it
    is seen by others than before."""
    access.demand(by, access.Act.WITHDRAW, document.library)
    reason = reason.replace("\0", "").strip()[:500]
    if not reason:
        raise ValueError("say why: those who miss it will ask")
    if reason.startswith(DocumentFile.ERASED):
        raise ValueError(f"“{DocumentFile.ERASED.strip()}” begins the reason of what was erased: say it in other words")
    with transaction.atomic():
        row = DocumentFile.objects.select_for_update(of=("self",), no_key=True).get(pk=document.pk)
        if row.is_erased and action != "document.restore":
            raise ValueError("it was erased: there is nothing left to take out of sight")
        if row.is_erased and row.withdrawn_because != document.withdrawn_because:
            raise ValueError("it was erased meanwhile")
        standing = {"withdrawn_at": row.withdrawn_at or timezone.now(), "trashed_at": row.trashed_at}
        for name, value in {**standing, "withdrawn_because": reason, **values}.items():
            setattr(document, name, value)
        if action == "document.restore" and row.withdrawn_at is None:
            return False
        document.save(update_fields=["withdrawn_at", "withdrawn_because", "trashed_at"])
        active = document.active_version()
        version = active.sha256 if active else ""
        details: dict[str, Any] = {"reason": reason}
        if action != "document.restore" and row.withdrawn_because not in ("", reason):
            details["instead_of"] = row.withdrawn_because
        audit.record(action, library=document.library, document=document, version=version, by=by, **details)
        return (row.withdrawn_at is None) != (document.withdrawn_at is None)


def withheld(library: Library, contents: Mapping[str, str]) -> dict[str, str]:
    """Of these files, by path, with their SHA-256: which have the bytes of another that was withdrawn, put in the trash
    or erased, and why; in words."""
    hidden = {row.path: row for row in library.document_files.exclude(withdrawn_at=None)}
    if not hidden:
        return {}
    versions = FileVersion.objects.filter(document_file__library=library, document_file__withdrawn_at__isnull=False)
    whose = dict(versions.values_list("sha256", "document_file__path"))
    receipts = AuditEvent.objects.filter(library=library.slug, action="document.erase").since_creation()
    erased = receipts.filter(path__in=[path for path, row in hidden.items() if row.is_erased])
    whose |= {content: path for path, held in erased.values_list("path", "details__versions") for content in held}
    whose.pop(NOTHING, None)
    found = {path: whose[content] for path, content in contents.items() if content in whose and path not in hidden}
    return {path: f"the same bytes as {other}, {out_of_sight(hidden[other])}" for path, other in found.items()}


def out_of_sight(document: DocumentFile) -> str:
    """How, and why."""
    reason = document.withdrawn_because.removeprefix(DocumentFile.ERASED)
    return f"{document.state.label}: {reason}" if reason else document.state.label
