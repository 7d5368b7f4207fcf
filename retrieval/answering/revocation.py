"""What an answer was drawn from may be withdrawn, or closed to its reader, or never have been open to another.

While it is written, it ends then. Later, what of it a reader may not see is withheld.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from operator import or_
from time import monotonic

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from knowledge.access import snapshots_for
from knowledge.models import Answer, ApiToken, Chunk, DocumentFile, Library, Snapshot
from knowledge.models.library import Reader
from retrieval.results import Hit
from retrieval.view import release_connection

Searched = tuple[str, int]  # a library's slug, and the number of a snapshot

EVERY_SECONDS = 1.0  # an open stream looks again


def open_files(user: Reader, row: Answer | None = None) -> QuerySet[DocumentFile]:
    """The files that this reader may read; of what an answer was drawn from, as it was searched then."""
    libraries = Library.objects.readable_by(user)
    if row is not None:
        libraries = libraries.exclude(pk__in=closed_candidates(user, row))
    return DocumentFile.objects.filter(library__in=libraries.order_by().values("pk"), withdrawn_at__isnull=True)


def closed_candidates(user: Reader, row: Answer) -> list[int]:
    """The libraries that it was drawn from in a snapshot that this reader may not read."""
    return list(closed(user, searched_in(row)).values())


def searched_in(row: Answer) -> set[Searched]:
    return {(slug, number) for slug, number in row.snapshots}


def closed(user: Reader, searched: Iterable[Searched]) -> dict[Searched, int]:
    """Of these snapshots those that this reader may not read, as nobody approved them; each with its library.

    A snapshot that is not kept any more can't be told; the library itself decides then.
    """
    numbers: dict[str, list[int]] = {}
    for slug, number in searched:
        numbers.setdefault(slug, []).append(number)
    if not numbers:
        return {}
    there = Snapshot.objects.filter(reduce(or_, (Q(library__slug=one, number__in=numbers[one]) for one in numbers)))
    unread = there.exclude(pk__in=snapshots_for(user).order_by().values("pk"))
    return {(slug, number): pk for slug, number, pk in unread.values_list("library__slug", "number", "library")}


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


def is_open(row: Answer, user: Reader) -> bool:
    return Sight(user, [row]).is_open(row)


def is_wording_open(row: Answer, user: Reader) -> bool:
    return Sight(user, [row]).is_wording_open(row)


class Sight:
    """What a reader may see of what these answers were drawn from; looked up once, however many they are."""

    def __init__(self, user: Reader, rows: Sequence[Answer]) -> None:
        self.user = user
        talks = {row.conversation_id for row in rows if is_reworded(row)}
        earlier = Answer.objects.filter(conversation__in=talks).only(
            "conversation", "asked_at", "passages", "snapshots"
        )
        self.earlier = list(earlier) if talks else []
        drawn = [*rows, *self.earlier]
        self.closed = closed(user, set().union(*map(searched_in, drawn)))
        self.passages = {pk for row in drawn for pk in row.passages}
        seen = Chunk.objects.filter(pk__in=self.passages, file_version__document_file__in=open_files(user))
        self.library_of = dict(seen.values_list("pk", "file_version__document_file__library"))

    def closed_for(self, row: Answer) -> set[int]:
        """The libraries that it was drawn from in a snapshot that is closed to the reader."""
        return {self.closed[searched] for searched in searched_in(row) & self.closed.keys()}

    def seen(self, row: Answer) -> list[int]:
        """Of its passages, those that the reader may see, in their order."""
        without = self.closed_for(row)
        return [pk for pk in dict.fromkeys(row.passages) if self.library_of.get(pk) not in {None, *without}]

    def is_open(self, row: Answer) -> bool:
        """Whether the reader may see every passage. What is collected meanwhile can't be told: its asker knew it."""
        passages, seen = set(row.passages), len(self.seen(row))
        if seen == len(passages):
            return True
        is_asker = self.user is not None and self.user.pk is not None and row.asked_by_id == self.user.pk
        return is_asker and len(passages & self.kept) == seen

    @cached_property
    def kept(self) -> set[int]:
        """The passages that are not collected."""
        return set(Chunk.objects.filter(pk__in=self.passages).values_list("pk", flat=True))

    def is_wording_open(self, row: Answer) -> bool:
        """Whether the reader may see all that the earlier answers of its conversation were drawn from: a model that
        words a follow-up takes names from them."""
        if not is_reworded(row):
            return True
        before = Answer(asked_by_id=row.asked_by_id)
        for one in self.earlier:
            if one.conversation_id == row.conversation_id and one.asked_at < row.asked_at:
                before.passages += one.passages
                before.snapshots += one.snapshots
        return self.is_open(before)


def is_reworded(row: Answer) -> bool:
    """Whether a follow-up was put in words that may tell of the answers before it."""
    return row.standalone not in ("", row.question) and row.conversation_id is not None


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
