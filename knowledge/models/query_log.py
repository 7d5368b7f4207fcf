"""What was asked, as far as each library's policy says: nothing, how many, or who and what."""

from django.conf import settings
from django.db import models


class QueryCount(models.Model):
    """How often a library was searched or asked on a day."""

    library = models.ForeignKey("knowledge.Library", on_delete=models.CASCADE, related_name="query_counts")
    day = models.DateField()
    searches = models.PositiveIntegerField(default=0)
    questions = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    degraded = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-day", "library"]
        constraints = [models.UniqueConstraint(fields=["library", "day"], name="query_count")]

    def __str__(self) -> str:
        return f"{self.library} on {self.day}"


class LoggedQuery(models.Model):
    """One query in a library that logs them in full. It is no part of the audit's chain: it can be erased."""

    library = models.ForeignKey("knowledge.Library", on_delete=models.CASCADE, related_name="logged_queries")
    asked_at = models.DateTimeField(auto_now_add=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    kind = models.CharField(max_length=10, choices=[("search", "Search"), ("question", "Question")])
    text = models.CharField(max_length=1000)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "logged queries"

    def __str__(self) -> str:
        return self.text[:80]
