"""The ledger: what was asked, what was answered, and from which exact words of which version."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from .library import Reader

SILENCE = timedelta(seconds=15)  # of its writer, which gives a sign of life every second: then it broke off


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def owned_by(self, user: Reader, visitor: str) -> "ConversationQuerySet":
        """Those of this user that they did not remove; of someone who is not signed in, those of the visitor that their
        session names."""
        kept = self.filter(removed_at=None)
        if user is not None and user.is_authenticated:
            return kept.filter(owner=user)
        return kept.filter(owner__isnull=True, visitor=visitor) if visitor else self.none()

    def open_to(self, user: Reader, visitor: str) -> "ConversationQuerySet":
        """One's own, and those that somebody whose account is on shared, also for an administrator.

        A shared one shows each reader only what they may read. Only its owner can close it: it ends with their account.
        """
        if user is not None and user.is_authenticated:
            return self.filter(Q(owner=user) | Q(shared=True, owner__is_active=True), removed_at=None)
        return self.owned_by(user, visitor)


class Conversation(models.Model):
    """Questions that follow each other. It is its owner's alone unless they share it with everyone who signs in, and
    nobody's once they removed it: its answers are kept in the ledger."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    visitor = models.CharField(max_length=43, blank=True, db_index=True, help_text="Whose, as their session knows.")
    title = models.CharField(max_length=200)
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    removed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ["-updated_at"]

    def __str__(self) -> str:
        return self.title

    def is_owned_by(self, user: Reader, visitor: str) -> bool:
        """As `ConversationQuerySet.owned_by` says, of a row at hand."""
        if self.removed_at:
            return False
        if user is not None and user.is_authenticated:
            return self.owner_id == user.pk
        return bool(visitor) and self.owner_id is None and self.visitor == visitor

    def remove(self) -> None:
        self.shared, self.removed_at = False, timezone.now()
        self.save(update_fields=["shared", "removed_at"])

    def latest(self, finished: bool = False, before: "Answer | None" = None) -> "list[Answer]":
        """The answers in order, without those that were asked for again; each stands where its first wording stood.

        `finished`: where one was written to its end, it stands for those that were not. `before`: those above this one.
        """
        rows = list(self.answers.order_by("asked_at", "pk"))
        by_key = {row.pk: row for row in rows}

        def place(row: Answer) -> int:
            while row.replaces_id in by_key:
                row = by_key[row.replaces_id]
            return row.pk

        newest = {place(row): row for row in rows}
        if finished:
            newest |= {place(row): row for row in rows if row.state != Answer.State.INCOMPLETE}
        return [newest[key] for key in sorted(newest) if before is None or key < place(before)]


NOT_SEARCHED = {"database", "timeout"}  # of what was missing: where nothing was found, the documents had no say
BROKE_OFF = Q(refused=True, passages=[], degraded__has_any_keys=sorted(NOT_SEARCHED))
UNANSWERED = ~BROKE_OFF & Q(refused=True)


class AnswerQuerySet(models.QuerySet["Answer"]):
    def unanswered(self) -> "AnswerQuerySet":
        """By the documents: they could be searched."""
        return self.filter(UNANSWERED)

    def owned_by(self, user: Reader, visitor: str) -> "AnswerQuerySet":
        """The answers that this reader may change."""
        return self.asked_by_or_in(user, Conversation.objects.owned_by(user, visitor))

    def open_to(self, user: Reader, visitor: str) -> "AnswerQuerySet":
        """The answers that this reader may open. What of them they may see is decided by source."""
        return self.asked_by_or_in(user, Conversation.objects.open_to(user, visitor))

    def asked_by_or_in(self, user: Reader, conversations: ConversationQuerySet) -> "AnswerQuerySet":
        found = Q(conversation__in=conversations)
        if user is not None and user.is_authenticated:
            found |= Q(asked_by=user, conversation__removed_at=None)
        return self.filter(found)

    def being_written(self) -> "AnswerQuerySet":
        now = timezone.now()  # a later beat is of a clock that was ahead
        return self.filter(state=Answer.State.INCOMPLETE, beat_at__gt=now - SILENCE, beat_at__lt=now + SILENCE)


class Answer(models.Model):
    class State(models.TextChoices):
        INCOMPLETE = "incomplete", "Incomplete"  # being written, or broken off
        STOPPED = "stopped", "Stopped by its reader"
        COMPLETE = "complete", "Complete"

    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    asker = models.CharField(max_length=80, blank=True, help_text="Whose limits it counts against.")
    asked_at = models.DateTimeField(auto_now_add=True)
    via = models.CharField(max_length=20, blank=True, help_text="page, rest, openai, mcp or command.")
    conversation = models.ForeignKey(
        Conversation, null=True, blank=True, on_delete=models.SET_NULL, related_name="answers"
    )
    replaces = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="again")
    question = models.TextField()
    standalone = models.TextField(blank=True, help_text="The question as it was understood in its conversation.")
    searched_for = models.TextField()
    options = models.JSONField(default=dict, help_text="Where was looked, and which passages were pinned or excluded.")
    state = models.CharField(max_length=20, choices=State, default=State.COMPLETE)
    draft = models.TextField(blank=True, help_text="What the model has written so far; checked text is in `text`.")
    beat_at = models.DateTimeField(null=True, blank=True, help_text="The writer's last sign of life.")
    stopping = models.BooleanField(default=False)
    text = models.TextField()
    refused = models.BooleanField()
    degraded = models.JSONField(default=list)
    model = models.CharField(max_length=200, blank=True)
    prompt_hash = models.CharField(max_length=64, blank=True)
    snapshots = models.JSONField(default=list, help_text="The searched libraries and their snapshot numbers.")
    passages = models.JSONField(default=list, help_text="Chunk ids in the order in which the model saw them.")
    sentences = models.JSONField(default=list)
    weighed = models.JSONField(default=dict, help_text="How strong its evidence was, and a reader's opinions, if any.")
    invented = models.PositiveIntegerField(
        default=0, help_text="Citations of passages that do not exist, or do not say so: dropped."
    )
    usage = models.JSONField(default=dict)
    took_ms = models.JSONField(default=dict)
    liked = models.BooleanField(null=True, blank=True, help_text="The reader's verdict.")
    remark = models.CharField(max_length=1000, blank=True)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        ordering = ["-asked_at"]
        indexes = [
            models.Index(fields=["asker", "asked_at"], name="answer_asker"),
            models.Index(fields=["conversation", "asked_at"], name="answer_conversation"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["incomplete", "stopped", "complete"]), name="answer_state"),
            # Never half an answer: what is shown as said is there only once it has been checked.
            models.CheckConstraint(condition=~Q(state="incomplete") | Q(text=""), name="incomplete_says_nothing"),
        ]

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def is_being_written(self) -> bool:
        is_alive = self.beat_at is not None and abs(self.beat_at - timezone.now()) < SILENCE
        return self.state == self.State.INCOMPLETE and is_alive

    @property
    def broke_off(self) -> bool:
        """As `BROKE_OFF` says, of a row at hand."""
        return self.refused and not self.passages and not NOT_SEARCHED.isdisjoint(self.degraded)

    def is_owned_by(self, user: Reader, visitor: str) -> bool:
        """As `AnswerQuerySet.owned_by` says, of a row at hand."""
        talk = self.conversation
        if talk and talk.is_owned_by(user, visitor):
            return True
        is_asker = user is not None and user.is_authenticated and self.asked_by_id == user.pk
        return is_asker and not (talk and talk.removed_at)

    def give_up(self, away: Sequence[str]) -> None:
        """No writer is at work any more; these models did not answer."""
        Answer.objects.filter(pk=self.pk, state=self.State.INCOMPLETE).update(beat_at=None, degraded=[*away])

    def stop(self) -> None:
        Answer.objects.filter(pk=self.pk, state=self.State.INCOMPLETE).update(stopping=True)

    def say(self, liked: bool | None, remark: str = "") -> None:
        self.liked, self.remark = liked, remark[:1000]
        self.save(update_fields=["liked", "remark"])

    @property
    def scope(self) -> dict[str, Any]:
        """What a follow-up keeps: where this was asked."""
        return {key: self.options[key] for key in ("library", "mode", "snapshot", "files") if self.options.get(key)}


class AnswerCitation(models.Model):
    """What was quoted stands here itself: library, path, version, lines and words outlive the library.

    The links are there for as long as the library is; `gc` keeps what they point at.
    """

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="citations")
    n = models.PositiveSmallIntegerField()
    file_version = models.ForeignKey(
        "knowledge.FileVersion", null=True, on_delete=models.SET_NULL, related_name="citations"
    )
    chunk = models.ForeignKey("knowledge.Chunk", null=True, on_delete=models.SET_NULL, related_name="citations")
    library = models.SlugField()
    path = models.CharField(max_length=1000)
    sha256 = models.CharField(max_length=64, help_text="Of the file's original bytes.")
    quote = models.TextField()
    quote_hash = models.CharField(max_length=64)
    line_start = models.PositiveIntegerField()
    line_end = models.PositiveIntegerField()
    verified = models.BooleanField()

    class Meta:
        ordering = ["answer", "n"]
        constraints = [models.UniqueConstraint(fields=["answer", "n"], name="citation_number")]

    def __str__(self) -> str:
        return f"[{self.n}] {self.quote[:60]}"
