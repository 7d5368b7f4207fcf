"""Vectors: one per text and embedding space, ever, and those of the text's parts."""

from django.db import models
from pgvector.django import VectorField


class EmbeddingSpace(models.Model):
    """The vectors of one embedding model, recognised by its canaries: the vectors of a few fixed texts."""

    model = models.CharField(max_length=200)
    dimension = models.PositiveIntegerField()
    max_tokens = models.PositiveIntegerField()
    query_prefix = models.CharField(max_length=200, blank=True)
    document_prefix = models.CharField(max_length=200, blank=True)
    canaries = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.model} ({self.dimension})"


class Embedding(models.Model):
    """`vector` is the text's, or, of one that was embedded in parts at first, their mean.

    `parts` are the parts' vectors (`knowledge.parts`): empty where the text is one part, NULL where it was embedded
    as a whole only: summaries, code by a model of its own, and what versions before did.
    """

    pk = models.CompositePrimaryKey("space_id", "content_hash")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE)
    content_hash = models.BinaryField(max_length=32)
    vector = VectorField()
    parts = models.BinaryField(null=True)

    def __str__(self) -> str:
        return f"{self.space_id}:{bytes(self.content_hash).hex()[:12]}"
