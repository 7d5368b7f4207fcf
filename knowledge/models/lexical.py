"""The BM25 index: immutable segments of postings.

A segment numbers its chunks 0, 1, 2 … (their *local ordinals*). For every lexeme it has one row of packed arrays:
which ordinals hold it, and how often in the body and in the headings. Arrays are little-endian.
"""

from django.contrib.postgres.indexes import GinIndex
from django.db import models

from .library import Library


class LexicalSegment(models.Model):
    library = models.ForeignKey(Library, on_delete=models.CASCADE, related_name="segments")
    lexical = models.CharField(max_length=64, help_text="IndexProfile.lexical_hash")
    chunk_ids = models.BinaryField(help_text="int64 by local ordinal, ascending")
    body_lengths = models.BinaryField(help_text="int32 by local ordinal: lexemes in the text")
    head_lengths = models.BinaryField(help_text="int32 by local ordinal: lexemes in the breadcrumb")
    size = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["library", "lexical"], name="segment_of_library")]

    def __str__(self) -> str:
        return f"segment {self.pk} of {self.library.slug}"


class Posting(models.Model):
    pk = models.CompositePrimaryKey("lexeme", "segment_id")
    segment = models.ForeignKey(LexicalSegment, on_delete=models.CASCADE, db_index=True)
    lexeme = models.TextField(db_collation="C")
    ordinals = models.BinaryField(help_text="int32, ascending")
    body_counts = models.BinaryField(help_text="uint8, capped at 255 as in a tsvector")
    head_counts = models.BinaryField(help_text="uint8")

    class Meta:
        indexes = [
            GinIndex(
                name="posting_trigrams",
                fields=["lexeme"],
                opclasses=["gin_trgm_ops"],
                condition=~models.Q(lexeme__regex="[0-9]"),
            ),
        ]

    def __str__(self) -> str:
        return self.lexeme
