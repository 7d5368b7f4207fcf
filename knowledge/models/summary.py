"""What a section says in a sentence or two: found by meaning beside the section's own text, never quoted."""

from django.db import models
from django.db.models import Case, Q, Value, When

from .document import Section
from .snapshot import Snapshot

EXTRACTS = "extract-"  # the methods of what stands in for a summary that no model wrote


class SectionSummaryQuerySet(models.QuerySet["SectionSummary"]):
    def of_snapshot(self, snapshot: Snapshot) -> "SectionSummaryQuerySet":
        """What the snapshot has, in order of section: one for each, by its profile's method, else by extracts."""
        method = snapshot.profile.settings.get("summaries", "")
        own_first = Case(When(method=method, then=Value(0)), default=Value(1))
        held = self.filter(
            Q(method=method) | Q(method__startswith=EXTRACTS),
            pk__lte=snapshot.summaries_through,
            section__file_version__memberships__snapshot=snapshot,
        )
        return held.order_by("section_id", own_first, "-pk").distinct("section_id")


class SectionSummary(models.Model):
    """Written once. An equal text under equal titles has an equal `source_hash`, and is summarised once by a method.

    A snapshot has those of its sections with `id` up to its `summaries_through`, so later ones don't change it.
    """

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="summaries")
    method = models.CharField(max_length=250, help_text="Version of the extract, or of the prompt and its model.")
    source_hash = models.BinaryField(max_length=32, help_text="SHA-256 of the titles and the text.")
    text = models.TextField()
    content_hash = models.BinaryField(max_length=32, help_text="SHA-256 of the text that is embedded.")

    objects = SectionSummaryQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["section", "method"], name="section_summary")]
        indexes = [models.Index(fields=["source_hash", "method"], name="summary_source")]

    def __str__(self) -> str:
        return self.text[:80]
