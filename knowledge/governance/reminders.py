"""Files whose day to be looked at again has come: an event in the audit once, and one letter to the owner once."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from knowledge.access import Act, may
from knowledge.governance import audit
from knowledge.models import DocumentFile

AT_ONCE = 1000
SOON = timedelta(days=30)


def due(before: timedelta = timedelta(0)) -> QuerySet[DocumentFile]:
    """Those whose date has come, or comes within `before`; the longest overdue first.

    The trash, and what was erased, are nobody's work.
    """
    latest = timezone.localdate() + before
    files = DocumentFile.objects.filter(review_by__lte=latest, trashed_at=None)
    files = files.exclude(withdrawn_because__startswith=DocumentFile.ERASED)
    return files.select_related("library", "owner").order_by("review_by", "library", "path")


def not_yet(field: str) -> Q:
    """Nothing was done for the present date: dates that are moved begin anew."""
    return Q(**{f"{field}__isnull": True}) | ~Q(**{field: F("review_by")})


def note() -> None:
    """One event in the audit for each date that has come."""
    for document in due().filter(not_yet("reminded_for"))[:AT_ONCE]:
        with transaction.atomic():
            still = due().filter(not_yet("reminded_for"), pk=document.pk, review_by=document.review_by)
            if not still.update(reminded_for=document.review_by):
                continue  # it was noted meanwhile, its date was moved, or it is in the trash
            details: dict[str, Any] = {
                "review_by": str(document.review_by),
                "owner": document.owner.get_username() if document.owner else None,
            }
            audit.record("document.review_due", library=document.library, document=document, **details)


def write_to_owners() -> int:
    """One letter to each owner about what they were not written about; how many. Called once a day by the queue.

    Nothing is sent where no mail server is configured, to accounts that are off or have no address, or about files
    that their owner may no longer read.
    """
    if not settings.EMAIL_CONFIGURED:
        return 0
    waiting = due().filter(not_yet("written_for"), owner__is_active=True).exclude(owner__email="")
    by_owner: dict[User, list[DocumentFile]] = defaultdict(list)
    allowed = cache(may)  # asked once for an owner and a library
    theirs = (row for row in waiting.iterator() if row.owner and allowed(row.owner, Act.READ, row.library))
    for document in theirs:
        if document.owner and len(by_owner[document.owner]) < AT_ONCE:  # each by himself: nobody holds up the others
            by_owner[document.owner].append(document)
    return sum(write(owner, documents) for owner, documents in by_owner.items())


def write(owner: User, documents: Sequence[DocumentFile]) -> bool:
    """Who takes the letter on, says so first and has it committed: two workers, or a crash, never send it twice."""
    taken = take(documents)
    if not taken:
        return False
    try:
        send_mail(subject(taken), letter(owner, taken), None, [owner.email])
    except (OSError, ValueError) as error:  # smtplib's errors are the one, an address that is none the other
        give_back(taken, error)
        return False
    return True


def lock(documents: Sequence[DocumentFile]) -> None:
    """Before the first event: nobody then waits in a circle for the audit and for one of these files."""
    rows = DocumentFile.objects.filter(pk__in=[document.pk for document in documents]).order_by("pk")
    list(rows.select_for_update(of=("self",), no_key=True).values_list("pk"))


@transaction.atomic
def take(documents: Sequence[DocumentFile]) -> list[DocumentFile]:
    lock(documents)
    taken = []
    for document in documents:
        still = due().filter(not_yet("written_for"), pk=document.pk, review_by=document.review_by)
        if still.update(written_for=document.review_by):
            taken.append(document)
            owner = document.owner.get_username() if document.owner else None
            date = str(document.review_by)
            audit.record("document.remind", library=document.library, document=document, owner=owner, review_by=date)
    return taken


@transaction.atomic
def give_back(documents: Sequence[DocumentFile], error: OSError | ValueError) -> None:
    """It was not sent: tomorrow it is tried again."""
    lock(documents)
    for document in documents:
        DocumentFile.objects.filter(pk=document.pk, written_for=document.review_by).update(written_for=None)
        why = type(error).__name__  # what a server says may hold an address
        audit.record("document.remind_failed", library=document.library, document=document, why=why)


def subject(documents: Sequence[DocumentFile]) -> str:
    count = len(documents)
    return f"{count} file{'s' if count != 1 else ''} of yours should be looked at again"


def letter(owner: User, documents: Sequence[DocumentFile]) -> str:
    lines = [f"- {document.path} ({document.library.name}), since {document.review_by}" for document in documents]
    where = f"\n\n{settings.SITE_URL.rstrip('/')}{reverse('due')}" if settings.SITE_URL else ""
    return f"{owner.get_username()}, these are due:\n\n" + "\n".join(lines) + where + "\n"
