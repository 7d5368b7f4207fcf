"""What a section says in a sentence or two: found by meaning beside the section's own text, never quoted."""

from django.db import models

from .document import Section


class SectionSummary(models.Model):
    """Written once. An equal text under equal titles has an equal `source_hash`, and is summarised once by a method.

    A snapshot has those of its sections with `id` up to its `summaries_through`, so later ones don't change it.
    """

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="summaries")
    method = models.CharField(max_length=250, help_text="Version of the extract, or of the prompt and its model.")
    source_hash = models.BinaryField(max_length=32, help_text="SHA-256 of the titles and the text.")
    text = models.TextField()
    content_hash = models.BinaryField(max_length=32, help_text="SHA-256 of the text that is embedded.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["section", "method"], name="section_summary")]
        indexes = [models.Index(fields=["source_hash", "method"], name="summary_source")]

    def __str__(self) -> str:
        return self.text[:80]
