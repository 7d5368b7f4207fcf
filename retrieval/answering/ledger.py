"""Writing an answer down: what was asked, what was said, and which exact words of which version bear it out.

The row is there before the first word. It becomes complete, with its citations, in one transaction or not at all.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from knowledge import models
from knowledge.governance import query_log
from knowledge.models.library import Reader
from retrieval.answering.followups.followup import Turn
from retrieval.answering.prompt import PROMPT_HASH
from retrieval.results import AnswerResult, Citation, Hit, SearchOptions, broke_off

COMMAND = "command"  # who asks on the command line has no limits
MOST_PINNED = 20  # passages; so many can be left out, too
MINUTE = timedelta(minutes=1)
WRITTEN = (
    *("state", "standalone", "searched_for", "text", "refused", "degraded", "model", "prompt_hash", "snapshots"),
    *("passages", "sentences", "weighed", "invented", "usage", "took_ms", "draft", "beat_at"),
)
HOLD_PASSAGES = "SELECT id FROM knowledge_chunk WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"


class TooMany(Exception):
    """This reader asks too much at once, or too often; `seconds` until it is worth trying again."""

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Asking:
    """What belongs to a question beside its words and where to look."""

    via: str = COMMAND
    asker: str = ""  # whose limits it counts against; empty: nobody's
    conversation: models.Conversation | None = None
    history: tuple[Turn, ...] = ()  # of a conversation that is kept elsewhere
    standalone: str = ""  # as the reader worded it; empty: as we understand it
    files: tuple[str, ...] = ()  # globs of paths
    pinned: tuple[int, ...] = ()  # chunks that are read first
    excluded: tuple[int, ...] = ()  # chunks that are not read
    replaces: models.Answer | None = None
    token: models.ApiToken | None = None  # that let it in: when it dies, the answer ends


def begin(user: Reader, question: str, options: SearchOptions, asking: Asking) -> models.Answer:
    """The row of an answer that is about to be written. Raises TooMany."""
    with transaction.atomic():
        if asking.asker:
            check_limits(asking.asker)
        if asking.conversation and asking.conversation.pk:
            asking.conversation.save(update_fields=["updated_at"])
        return models.Answer.objects.create(
            asked_by=user if user is not None and user.is_authenticated else None,
            asker=asking.asker,
            via=asking.via,
            conversation=asking.conversation,
            replaces=asking.replaces,
            question=question,
            options={
                "library": list(options.libraries),
                "mode": options.mode,
                "snapshot": options.snapshot,
                "files": list(asking.files),
                "pinned": list(asking.pinned),
                "excluded": list(asking.excluded),
            },
            state=models.Answer.State.INCOMPLETE,
            beat_at=timezone.now(),
            refused=False,
        )


def check_limits(asker: str) -> None:
    """One asker's questions are counted one after another, whichever process they come to."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [asker])
    theirs = models.Answer.objects.filter(asker=asker)
    if theirs.being_written().count() >= settings.ASK_AT_ONCE:
        raise TooMany(f"{settings.ASK_AT_ONCE} of your questions are being answered. Wait for one, or stop one.", 5)
    now = timezone.now()  # what was asked later was asked by a clock that was ahead
    recent = theirs.filter(asked_at__gt=now - MINUTE, asked_at__lt=now + MINUTE).order_by("asked_at")
    if (count := recent.count()) >= settings.ASK_PER_MINUTE:
        oldest = recent[count - settings.ASK_PER_MINUTE].asked_at
        seconds = max(1, round((oldest + MINUTE - now).total_seconds()))
        raise TooMany(f"You asked {settings.ASK_PER_MINUTE} questions in a minute. Try again in {seconds} s.", seconds)


def note_read(row: models.Answer, hits: Sequence[Hit], searched: Sequence[tuple[str, int]]) -> None:
    """How it was understood and what it is drawn from, before a word of it is kept: a draft that breaks off is shown to
    nobody who may not read that, and goes where that is erased."""
    row.passages = [hit.chunk_id for hit in hits]
    row.snapshots = [list(pair) for pair in searched]
    noted = {name: getattr(row, name) for name in ("passages", "snapshots", "standalone")}
    models.Answer.objects.filter(pk=row.pk).update(**noted)


def hold(row: models.Answer, answer: AnswerResult) -> bool:
    """Until the end of the transaction nobody else changes it, nor erases what it was drawn from. Whether all of that
    is there still.

    Whoever erases locks in the same order: passages, by their keys, before answers.
    """
    passages = {*row.passages, *(hit.chunk_id for hit in answer.hits)}
    with connection.cursor() as cursor:
        cursor.execute(HOLD_PASSAGES, [sorted(passages)])
        is_whole = len(cursor.fetchall()) == len(passages)
    models.Answer.objects.select_for_update().filter(pk=row.pk).values_list("pk").first()
    return is_whole


@transaction.atomic
def complete(row: models.Answer, answer: AnswerResult) -> models.Answer:
    """The row with its citations. What was retrieved is named by chunk, what is cited also by its words.

    A row that was deleted while its answer was written stays deleted, and who asked may be gone.
    """
    row.state = models.Answer.State.STOPPED if answer.stopped else models.Answer.State.COMPLETE
    row.standalone = answer.standalone
    row.searched_for = answer.searched_for
    row.text = answer.answer
    row.refused = answer.refused
    row.degraded = list(answer.degraded)
    row.model = answer.model
    row.prompt_hash = PROMPT_HASH
    row.snapshots = [list(pair) for pair in answer.searched]
    row.passages = [hit.chunk_id for hit in answer.hits]
    row.sentences = [asdict(sentence) | {"citations": list(sentence.citations)} for sentence in answer.sentences]
    row.weighed = answer.weighed
    row.invented = answer.invented
    row.usage = answer.usage
    row.took_ms = answer.took_ms
    row.draft, row.beat_at = "", None
    if not models.Answer.objects.filter(pk=row.pk).update(**{name: getattr(row, name) for name in WRITTEN}):
        return row
    cited = [citation.hit.chunk_id for citation in answer.citations]
    versions = dict(models.Chunk.objects.filter(pk__in=cited).values_list("pk", "file_version"))
    models.AnswerCitation.objects.bulk_create(
        written(row, citation, versions[citation.hit.chunk_id]) for citation in answer.citations
    )
    searched = {slug for slug, _ in answer.searched}
    asker = User.objects.filter(pk=row.asked_by_id).first() if row.asked_by_id else None
    refused = answer.refused and not broke_off(answer)
    query_log.note(asker, "question", answer.question, searched, refused, bool(answer.degraded))
    return row


def record(user: Reader, answer: AnswerResult) -> models.Answer:
    """An answer that was made elsewhere, whole."""
    return complete(begin(user, answer.question, SearchOptions(), Asking()), answer)


def written(row: models.Answer, citation: Citation, file_version: int) -> models.AnswerCitation:
    return models.AnswerCitation(
        answer=row,
        n=citation.n,
        file_version_id=file_version,
        chunk_id=citation.hit.chunk_id,
        library=citation.hit.library,
        path=citation.hit.source_file,
        sha256=citation.hit.version,
        quote=citation.quote,
        quote_hash=sha256(citation.quote.encode()).hexdigest(),
        line_start=citation.line_start,
        line_end=citation.line_end,
        verified=citation.verified,
    )
