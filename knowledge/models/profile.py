"""The index profile: everything that changes what an index contains, identified by a hash."""

from typing import Any

from django.db import models

from knowledge.canonical import canonical_hash

SOMETIMES = ("ocr",)  # settings that structure depends on, absent where they are off
STRUCTURE_KEYS = ("parsers", "chunker", "budget", "limit", "overlap", "tokenizer")
LEXICAL_KEYS = ("language", "analysis")


class IndexProfileQuerySet(models.QuerySet["IndexProfile"]):
    def for_settings(self, settings: dict[str, Any]) -> "IndexProfile":
        profile, _ = self.get_or_create(hash=canonical_hash(settings), defaults={"settings": settings})
        return profile


class IndexProfile(models.Model):
    hash = models.CharField(max_length=64, unique=True)
    settings = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = IndexProfileQuerySet.as_manager()

    def __str__(self) -> str:
        return self.hash[:12]

    @property
    def structure_hash(self) -> str:
        """What file versions depend on: equal hashes mean equal sections and chunks."""
        present = [key for key in SOMETIMES if key in self.settings]
        return canonical_hash({key: self.settings[key] for key in (*STRUCTURE_KEYS, *present)})

    @property
    def in_parts(self) -> bool:
        """Whether passages were embedded in parts."""
        return "parts" in self.settings

    @property
    def lexical_hash(self) -> str:
        """What postings depend on."""
        return canonical_hash({key: self.settings[key] for key in LEXICAL_KEYS})
