"""Taking a document out of everybody's sight at once, with a reason; and giving it back."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from knowledge import access
from knowledge.governance import audit
from knowledge.models import DocumentFile
from knowledge.models.library import Reader


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


def withdraw(document: DocumentFile, by: Reader, reason: str) -> None:
    """Invisible from the next request on, everywhere. Raises NotAllowed; ValueError without a reason."""
    change(document, "document.withdraw", by, reason, withdrawn_at=document.withdrawn_at or timezone.now())


def restore(document: DocumentFile, by: Reader, reason: str = "restored") -> None:
    """Take it out of the trash, too. Raises NotAllowed."""
    change(document, "document.restore", by, reason, withdrawn_at=None, trashed_at=None, withdrawn_because="")


def trash(document: DocumentFile, by: Reader, reason: str) -> None:
    """Withdrawn, and erased when the library's days have passed. Raises NotAllowed; ValueError without a reason."""
    now = timezone.now()
    change(document, "document.trash", by, reason, withdrawn_at=document.withdrawn_at or now, trashed_at=now)


def change(document: DocumentFile, action: str, by: Reader, reason: str, **values: Any) -> None:
    access.demand(by, access.Act.WITHDRAW, document.library)
    reason = reason.replace("\0", "").strip()[:500]
    if not reason:
        raise ValueError("say why: those who miss it will ask")
    for name, value in {"withdrawn_because": reason, **values}.items():
        setattr(document, name, value)
    with transaction.atomic():
        document.save(update_fields=["withdrawn_at", "withdrawn_because", "trashed_at"])
        active = document.active_version()
        version = active.sha256 if active else ""
        audit.record(action, library=document.library, document=document, version=version, by=by, reason=reason)
