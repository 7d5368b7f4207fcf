"""How good retrieval is: the golden questions of a library, and what was measured with them, written once."""

from collections.abc import Iterable
from itertools import chain, count

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from knowledge.canonical import canonical_hash
from knowledge.golden import LONGEST_ID, LONGEST_KIND, Gold, Question, read_places

from .document import Chunk
from .library import Library
from .snapshot import Snapshot

AT_ONCE = 500  # questions in one statement
KEPT = "q-"  # how the identifiers of those begin that were kept of a search


class GoldenQuestionQuerySet(models.QuerySet["GoldenQuestion"]):
    def active(self) -> "GoldenQuestionQuerySet":
        return self.filter(active=True)

    def questions(self) -> list[Question]:
        """As `evaluate` asks them, by identifier."""
        return [row.question for row in self.order_by("identifier")]

    @transaction.atomic
    def take(
        self, library: Library, questions: Iterable[Question], user: User | None, replace: bool = False
    ) -> dict[str, list[str]]:
        """Add these questions, or change those of the same identifier; `replace` switches the library's others off.

        Returns the identifiers of those that were added, changed, unchanged and switched off.
        """
        Library.objects.lock(library.pk)
        known = {row.identifier: row for row in self.filter(library=library)}
        told: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": [], "switched off": []}
        taken: set[str] = set()
        changed: list[GoldenQuestion] = []
        added: list[GoldenQuestion] = []
        for question in questions:
            taken.add(question.id)
            row = known.get(question.id) or GoldenQuestion(library=library, identifier=question.id, created_by=user)
            if row.pk and row.active and row.question == question:
                told["unchanged"].append(question.id)
                continue
            told["changed" if row.pk else "added"].append(question.id)
            row.text, row.kind, row.active, row.changed_by = question.text, question.kind, True, user
            row.gold, row.changed_at = [place.as_json() for place in question.gold], timezone.now()
            (changed if row.pk else added).append(row)
        GoldenQuestion.objects.bulk_create(added, batch_size=AT_ONCE)
        fields = ["text", "kind", "active", "changed_by", "changed_at", "gold"]
        GoldenQuestion.objects.bulk_update(changed, fields, batch_size=AT_ONCE)
        if replace:
            others = self.filter(library=library, active=True).exclude(identifier__in=taken)
            told["switched off"] = sorted(others.values_list("identifier", flat=True))
            others.update(active=False, changed_by=user, changed_at=timezone.now())
        return told

    @transaction.atomic
    def keep(self, chunk: Chunk, text: str, user: User | None) -> tuple["GoldenQuestion", bool]:
        """`text` is answered at this chunk: a new question, or one more place of it; and whether anything is new.

        The place is the chunk's page, else its section, which stays when lines move, else its lines. A question that
        was edited has other words, so it is another one, and keeps its identifier.
        """
        library = chunk.file_version.document_file.library
        Library.objects.lock(library.pk)
        place = place_of(chunk).as_json()
        same = self.filter(text=text, library=library).order_by("pk").first()
        if same and same.active and place in same.gold:
            return same, False
        row = same or GoldenQuestion(library=library, text=text, gold=[], created_by=user)
        row.identifier = row.identifier or free_identifier(
            f"{KEPT}{canonical_hash(text)[:12]}", self.filter(library=library)
        )
        row.gold = [*row.gold, *([] if place in row.gold else [place])]
        row.active, row.changed_by = True, user
        row.save()
        return row, True


def free_identifier(name: str, rows: models.QuerySet["GoldenQuestion"]) -> str:
    """The name, with a number behind it where these have it already."""
    taken = set(rows.filter(identifier__startswith=name).values_list("identifier", flat=True))
    return next(one for one in chain([name], (f"{name}-{number}" for number in count(2))) if one not in taken)


def place_of(chunk: Chunk) -> Gold:
    file = chunk.file_version.document_file.path
    if chunk.page is not None:
        return Gold(file, page=chunk.page)
    if chunk.section.anchor:
        return Gold(file, anchor=chunk.section.anchor)
    return Gold(file, lines=(chunk.line_start, chunk.line_end))


class GoldenQuestion(models.Model):
    """A question with the places that must be found for it."""

    library = models.ForeignKey(Library, on_delete=models.CASCADE, related_name="golden_questions")
    identifier = models.CharField(max_length=LONGEST_ID, help_text="What runs know this question by; keep it.")
    text = models.TextField()
    kind = models.CharField(max_length=LONGEST_KIND, blank=True, help_text="Measures are also shown by kind.")
    gold = models.JSONField(
        help_text='Places, each with a "file", and in it "line_start" and "line_end", a "page", "start" and "end" in '
        'characters, or the "anchor" of a section; a file alone means all of it.',
    )
    active = models.BooleanField(default=True, help_text="Only active questions are asked.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    changed_at = models.DateTimeField(auto_now=True)

    objects = GoldenQuestionQuerySet.as_manager()

    class Meta:
        ordering = ["library", "identifier"]
        constraints = [
            models.UniqueConstraint(fields=["library", "identifier"], name="golden_question"),
            models.CheckConstraint(condition=~Q(text="") & ~Q(gold=[]), name="golden_question_is_judged"),
        ]

    def __str__(self) -> str:
        return self.text[:80]

    def clean(self) -> None:
        """Keep of the gold only what is known of a place."""
        super().clean()
        try:
            self.gold = [place.as_json() for place in read_places(self.gold)]
        except ValueError as error:
            raise ValidationError({"gold": str(error)}) from error

    @property
    def question(self) -> Question:
        return Question(self.identifier, self.text, read_places(self.gold), self.kind)

    @property
    def places(self) -> tuple[Gold, ...]:
        return self.question.gold


class EvaluationRun(models.Model):
    """What one snapshot scored on one set of questions. The snapshot is named, not held: it may be pruned."""

    library = models.ForeignKey(Library, on_delete=models.CASCADE, related_name="evaluation_runs")
    snapshot_number = models.PositiveIntegerField()
    manifest_hash = models.CharField(max_length=64)
    profile_hash = models.CharField(max_length=64)
    set_name = models.CharField(max_length=200)
    branches = ArrayField(models.CharField(max_length=40))
    options = models.JSONField(help_text="How each branch searched: candidates, fusion, weights.")
    code = models.CharField(max_length=16, help_text="Hash of the modules that rank.")
    documents = models.PositiveIntegerField()
    chunks = models.PositiveIntegerField()
    queries = models.PositiveIntegerField()
    measures = models.JSONField(help_text="By branch, averaged over the questions.")
    run_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    run_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["library", "set_name", "-id"], name="evaluation_history")]

    def __str__(self) -> str:
        return f"{self.set_name} on {self.library.slug}@{self.snapshot_number}"

    def before(self) -> "EvaluationRun | None":
        """The run before this one with the same questions of the same library, and a branch that this one has."""
        same = EvaluationRun.objects.filter(library=self.library_id, set_name=self.set_name, pk__lt=self.pk)
        return same.filter(branches__overlap=self.branches).order_by("-pk").first()


class EvaluationResult(models.Model):
    """What one branch found for one question."""

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="results")
    branch = models.CharField(max_length=40)
    question_id = models.CharField(max_length=LONGEST_ID)
    text = models.TextField()
    gold = models.JSONField(help_text="As it was judged then.")
    ranks = models.JSONField(help_text="Of each gold place: at which rank it was found first, or null.")
    measures = models.JSONField()
    hits = models.JSONField(help_text="The first ten: path, first line, last line, hash of the text.")

    class Meta:
        ordering = ["run", "branch", "question_id"]
        constraints = [models.UniqueConstraint(fields=["run", "branch", "question_id"], name="evaluation_result")]

    def __str__(self) -> str:
        return f"{self.branch}: {self.text[:60]}"


class VectorRecall(models.Model):
    """How many of the truly nearest ten the vector branch brings: sampled, against every stored vector."""

    class Asked(models.TextChoices):
        VECTORS = "vectors", "Stored vectors"
        QUESTIONS = "questions", "Questions"

    library = models.ForeignKey(Library, on_delete=models.CASCADE, related_name="vector_recalls")
    snapshot_number = models.PositiveIntegerField()
    space = models.ForeignKey("knowledge.EmbeddingSpace", on_delete=models.CASCADE, related_name="+")
    chunks = models.PositiveIntegerField()
    asked = models.CharField(max_length=20, choices=Asked)
    share = models.FloatField(help_text="Of the chunks that the filter let through; 1 without a filter.")
    queries = models.PositiveIntegerField()
    recall = models.FloatField(help_text="Mean over the queries of the share of the ten nearest that was found.")
    lowest = models.FloatField(help_text="Of the worst query.")
    too_few = models.PositiveIntegerField(help_text="Queries that brought fewer rows than there were to bring.")
    measured_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(recall__gte=0, recall__lte=1, lowest__gte=0, lowest__lte=1, share__gt=0, share__lte=1),
                name="vector_recall_is_a_share",
            ),
            models.CheckConstraint(condition=Q(asked__in=["vectors", "questions"]), name="vector_recall_asked"),
        ]

    def __str__(self) -> str:
        return f"{self.library.slug}@{self.snapshot_number}: {self.recall:.3f}"


class LearntFusionQuerySet(models.QuerySet["LearntFusion"]):
    def used_by(self, snapshot: Snapshot | None) -> "LearntFusion | None":
        """What was learnt and weighs words in searches of this snapshot, as `retrieval.view` says it in SQL."""
        if snapshot is None:
            return None
        newest = self.filter(library=snapshot.library_id, profile_hash=snapshot.profile.hash).order_by("-pk").first()
        return newest if newest and newest.lexical_weight != 1 else None


class LearntFusion(models.Model):
    """What golden questions taught about weighing words against meaning. The newest of a library and profile holds."""

    library = models.ForeignKey(Library, on_delete=models.CASCADE, related_name="learnt_fusions")
    profile_hash = models.CharField(max_length=64)
    lexical_weight = models.FloatField(help_text="What searches use: 1 unless the learnt weight proved itself.")
    learnt_weight = models.FloatField(help_text="Fitted to all the questions.")
    folds = ArrayField(models.FloatField(), help_text="Fitted to all but one fold each.")
    questions = models.PositiveIntegerField()
    default_ndcg = models.FloatField(help_text="nDCG@10 with the weight 1.")
    learnt_ndcg = models.FloatField(help_text="nDCG@10 of each fold with the weight learnt from the others.")
    standard_error = models.FloatField(help_text="Of the mean difference of the two.")
    learnt_at = models.DateTimeField(auto_now_add=True)

    objects = LearntFusionQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["library", "profile_hash", "-id"], name="learnt_fusion_newest")]
        constraints = [models.CheckConstraint(condition=Q(lexical_weight__gt=0), name="learnt_weight_is_positive")]

    def __str__(self) -> str:
        return f"{self.library.slug}: {self.lexical_weight:.2f}"

    @property
    def adopted(self) -> bool:
        return self.lexical_weight == self.learnt_weight
