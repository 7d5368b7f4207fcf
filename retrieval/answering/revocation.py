"""What was retrieved may be withdrawn, or closed to its reader, while the answer is being written: then it ends."""

from collections.abc import Sequence
from time import monotonic

from django.contrib.auth.models import User

from knowledge.models import ApiToken, Chunk, Library
from knowledge.models.library import Reader
from retrieval.results import Hit
from retrieval.view import release_connection

EVERY_SECONDS = 1.0  # an open stream looks again


class Sight:
    """Whether a reader may still see what an answer is drawn from."""

    def __init__(self, user: Reader, hits: Sequence[Hit], token: ApiToken | None = None) -> None:
        self.user, self.token, self.chunks = user, token, {hit.chunk_id for hit in hits}
        self.looked_at = monotonic()

    def is_lost(self) -> bool:
        """Asked at every piece, answered at most once a second."""
        if monotonic() - self.looked_at < EVERY_SECONDS:
            return False
        return self.is_lost_now()

    def is_lost_now(self) -> bool:
        self.looked_at = monotonic()
        user = self.user
        if self.token and not ApiToken.objects.alive().filter(pk=self.token.pk).exists():
            return True
        if isinstance(user, User):
            user = User.objects.filter(pk=user.pk, is_active=True).first()
            if user is None:
                return True
        visible = Chunk.objects.filter(
            pk__in=self.chunks,
            file_version__document_file__withdrawn_at=None,
            file_version__document_file__library__in=Library.objects.readable_by(user),
        )
        lost = visible.count() < len(self.chunks)
        release_connection()
        return lost
