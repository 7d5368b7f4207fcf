"""The settings of a library's retrieval and answers, and the history of all of a library's settings."""

from typing import TYPE_CHECKING, Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from .library import Library

LEAST_CAUTION, MOST_CAUTION = -2.0, 6.0  # in logits of a reader


class Tuned(models.Model):
    """How searches of a library rank, where whoever asks does not say otherwise, and when it answers. Read by
    retrieval.retrieval_settings and retrieval.answering.
    """

    class Fusion(models.TextChoices):
        SCORES = "scores", "Scores"
        RRF = "rrf", "Ranks (RRF)"

    lexical_weight = models.FloatField(
        "weight of words",
        default=1,
        db_default=1,
        validators=[MinValueValidator(0), MaxValueValidator(10)],
        help_text="Above 1, words count more than meaning; below, less. Times what the golden questions taught.",
    )
    diversity = models.FloatField(
        default=1,
        db_default=1,
        validators=[MinValueValidator(0), MaxValueValidator(5)],
        help_text="How much better hits of the same section and file take from a hit. 0: nothing.",
    )
    fusion = models.CharField(
        "words and meaning joined by", max_length=10, choices=Fusion, default=Fusion.SCORES, db_default=Fusion.SCORES
    )
    rrf_k = models.PositiveSmallIntegerField(
        "evenness of ranks",
        default=60,
        db_default=60,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="Only where ranks are joined: the k of RRF. Lower: the first few ranks count for more.",
    )
    depth = models.PositiveSmallIntegerField(
        "candidates",
        default=200,
        db_default=200,
        validators=[MinValueValidator(10), MaxValueValidator(1000)],
        help_text="So many of the best by words, and by meaning, are joined.",
    )
    rerank = models.BooleanField(
        "reranked",
        default=True,
        db_default=True,
        help_text="A model reads the best once more and orders them anew, where one is set up.",
    )
    top_k = models.PositiveSmallIntegerField(
        "hits shown", default=10, db_default=10, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )

    caution = models.FloatField(
        default=0,
        db_default=0,
        validators=[MinValueValidator(LEAST_CAUTION), MaxValueValidator(MOST_CAUTION)],
        help_text=f"From {LEAST_CAUTION:g} to {MOST_CAUTION:g}; 0 as measured. Higher: fewer wrong quotations, more "
        "refusals.",
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(caution__gte=LEAST_CAUTION, caution__lte=MOST_CAUTION), name="library_caution"
            ),
            models.CheckConstraint(
                condition=Q(lexical_weight__gte=0, lexical_weight__lte=10, diversity__gte=0, diversity__lte=5)
                & Q(rrf_k__gte=1, rrf_k__lte=1000, depth__gte=10, depth__lte=1000, top_k__gte=1, top_k__lte=50)
                & Q(fusion__in=["scores", "rrf"]),
                name="library_retrieval",
            ),
        ]


ANSWERS = ("caution",)
RETRIEVAL = tuple(field.name for field in Tuned._meta.fields if field.name not in ANSWERS)
RETENTION = ("keep_snapshots", "keep_days", "trash_days", "query_log")
GATES = ("gate_minimum", "gate_may_fall")
SETTINGS = (*RETRIEVAL, *ANSWERS, *RETENTION, *GATES)  # what a library's settings page sets


class SettingChangeQuerySet(models.QuerySet["SettingChange"]):
    def record(self, library: "Library", differences: dict[str, list[Any]], actor: Any, name: str) -> None:
        """One row for each field: what it was, what it is about to be, and whose doing that is."""
        rows = [
            self.model(library=library, field=field, before=before, after=after, actor_id=actor, actor=name)
            for field, (before, after) in differences.items()
        ]
        self.bulk_create(rows)


class SettingChange(models.Model):
    """A setting of a library got another value. Written once: Postgres refuses to change or delete it."""

    # It outlives its library, as the audit does.
    library = models.ForeignKey(
        "knowledge.Library", on_delete=models.DO_NOTHING, db_constraint=False, related_name="setting_changes"
    )
    field = models.CharField(max_length=60)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    actor_id = models.BigIntegerField(null=True, help_text="The user's key; empty: the operator, on the server.")
    actor = models.CharField(max_length=150, help_text="As the user was called then.")
    at = models.DateTimeField(auto_now_add=True)

    objects = SettingChangeQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["library", "-id"], name="setting_history")]

    def __str__(self) -> str:
        return f"{self.field}: {self.before} → {self.after}"
