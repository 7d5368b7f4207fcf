"""The ledger: what was asked, what was answered, and from which exact words of which version."""

from django.conf import settings
from django.db import models


class Answer(models.Model):
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    asked_at = models.DateTimeField(auto_now_add=True)
    question = models.TextField()
    searched_for = models.TextField()
    text = models.TextField()
    refused = models.BooleanField()
    degraded = models.JSONField(default=list)
    model = models.CharField(max_length=200, blank=True)
    prompt_hash = models.CharField(max_length=64, blank=True)
    snapshots = models.JSONField(default=list, help_text="The searched libraries and their snapshot numbers.")
    passages = models.JSONField(default=list, help_text="Chunk ids in the order in which the model saw them.")
    sentences = models.JSONField(default=list)
    usage = models.JSONField(default=dict)
    took_ms = models.JSONField(default=dict)

    class Meta:
        ordering = ["-asked_at"]

    def __str__(self) -> str:
        return self.question[:80]


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
