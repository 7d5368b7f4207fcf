"""Vectors: one per text and embedding space, ever."""

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
    pk = models.CompositePrimaryKey("space_id", "content_hash")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE)
    content_hash = models.BinaryField(max_length=32)
    vector = VectorField()

    def __str__(self) -> str:
        return f"{self.space_id}:{bytes(self.content_hash).hex()[:12]}"
