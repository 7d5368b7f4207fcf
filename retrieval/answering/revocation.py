"""What an answer was drawn from may be withdrawn, or closed to its reader, or never have been open to another.

While it is written, it ends then. Later, what of it a reader may not see is withheld.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from time import monotonic

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from knowledge.access import snapshots_for
from knowledge.models import Answer, ApiToken, Chunk, DocumentFile, Library, Snapshot
from knowledge.models.library import Reader
from retrieval.results import Hit
from retrieval.view import release_connection

EVERY_SECONDS = 1.0  # an open stream looks again


def open_files(user: Reader, row: Answer | None = None) -> QuerySet[DocumentFile]:
    """The files that this reader may read; of what an answer was drawn from, as it was searched then."""
    libraries = Library.objects.readable_by(user)
    if row is not None:
        libraries = libraries.exclude(pk__in=closed_candidates(user, row))
    return DocumentFile.objects.filter(library__in=libraries.order_by().values("pk"), withdrawn_at__isnull=True)


def closed_candidates(user: Reader, row: Answer) -> list[int]:
    """The libraries that it was drawn from in a snapshot that this reader may not read: one that nobody approved.

    A snapshot that is not kept any more can't be told; the library itself decides then.
    """
    asked = [Q(library__slug=slug, number=number) for slug, number in row.snapshots]
    if not asked:
        return []
    there = Snapshot.objects.filter(reduce(or_, asked))
    return list(there.exclude(pk__in=snapshots_for(user).order_by().values("pk")).values_list("library", flat=True))


def libraries_then(user: Reader, row: Answer) -> QuerySet[Library]:
    """The libraries that this reader may read, as far as they were there when it was asked.

    A slug in the ledger may be another library's now: it is free again when its library is removed.
    """
    return Library.objects.readable_by(user).filter(created_at__lte=row.asked_at)


def sees_all(row: Answer, user: Reader) -> bool:
    """Whether every passage that it may have been drawn from is open to this reader."""
    return passages_seen(row, user).count() == len(set(row.passages))


def passages_seen(row: Answer, user: Reader) -> QuerySet[Chunk]:
    return Chunk.objects.filter(pk__in=row.passages, file_version__document_file__in=open_files(user, row))


def is_open_to(row: Answer, user: Reader, seen: int) -> bool:
    """Whether the reader may see every passage, of which they see so many. What is collected meanwhile can't be told:
    its asker knew it."""
    if seen == len(set(row.passages)):
        return True
    is_asker = user is not None and user.pk is not None and row.asked_by_id == user.pk
    return is_asker and Chunk.objects.filter(pk__in=row.passages).count() == seen


def is_open(row: Answer, user: Reader) -> bool:
    return is_open_to(row, user, passages_seen(row, user).count())


def is_wording_open(row: Answer, user: Reader) -> bool:
    """Whether the reader may see all that the earlier answers of its conversation were drawn from: a model that words
    a follow-up takes names from them."""
    if row.standalone in ("", row.question) or row.conversation_id is None:
        return True
    earlier = Answer.objects.filter(conversation=row.conversation_id, asked_at__lt=row.asked_at)
    before = Answer(asked_by_id=row.asked_by_id)
    for passages, snapshots in earlier.values_list("passages", "snapshots"):
        before.passages += passages
        before.snapshots += snapshots
    return is_open(before, user)


class ReaderAccess:
    """Whether a reader may still see what an answer is drawn from. What was lost once stays so: its draft broke off."""

    def __init__(
        self, user: Reader, hits: Sequence[Hit], searched: Sequence[tuple[str, int]], token: ApiToken | None = None
    ) -> None:
        self.user, self.token = user, token
        self.row = Answer(passages=[hit.chunk_id for hit in hits], snapshots=list(searched))
        self.looked_at, self.lost = monotonic(), False

    def is_lost(self) -> bool:
        """Asked at every piece, answered at most once a second."""
        if monotonic() - self.looked_at < EVERY_SECONDS:
            return self.lost
        return self.is_lost_now()

    def is_lost_now(self) -> bool:
        self.lost = self.lost or not self.sees()
        self.looked_at = monotonic()
        return self.lost

    def sees(self) -> bool:
        user = self.user
        if self.token and not ApiToken.objects.alive().filter(pk=self.token.pk).exists():
            return False
        if isinstance(user, User):
            user = User.objects.filter(pk=user.pk, is_active=True).first()
            if user is None:
                return False
        seen = sees_all(self.row, user)
        release_connection()
        return seen
