"""Libraries, and where their files come from."""

from django.conf import settings
from django.contrib.postgres.operations import TrigramExtension
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.models import Q
from pgvector.django import VectorExtension

from knowledge.models.schedule import check_cron

from ._tables import table

# Before these few there were 34, whose names no other may bear. A database that has them all has these, too; one that has
# only some is refused by Django, since 0002 depends on this one by the name of the last.
REPLACED = """
    0001_initial 0002_guards 0003_withdrawn_index 0005_learnt_fusion 0006_posting_trigrams 0007_natural_language
    0008_travelling 0009_sources 0012_jobs 0016_pages 0017_tuning 0018_tokens_and_reminders 0019_saved_view
    0021_no_source_state 0022_labels 0023_settings_history 0024_embedding_parts 0025_answer_evidence
    0026_governance_mended 0027_visitors 0028_caution 0029_inviter_gone 0030_numbers_rise 0031_decisions_stay
    0032_gate_bounds 0033_removed_conversations 0034_job_shown
"""


class Migration(migrations.Migration):
    initial = True
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    replaces = [("knowledge", name) for name in REPLACED.split()]

    operations = [
        VectorExtension(),
        TrigramExtension(),
        table(
            "Library",
            slug=models.SlugField(unique=True),
            name=models.CharField(max_length=200),
            kind=models.CharField(
                max_length=20,
                choices=[
                    ("git", "Git repository"),
                    ("directory", "Folder on the server"),
                    ("uploads", "Uploaded files"),
                    ("corpus", "Evaluation corpus"),
                    ("archive", "Imported snapshots"),
                ],
            ),
            location=models.CharField(max_length=1000, blank=True, help_text="A URL, or a path on the server."),
            ref=models.CharField(
                max_length=255, blank=True, help_text="Branch or tag; empty: the repository's default."
            ),
            subdirectory=models.CharField(
                max_length=1000,
                blank=True,
                help_text="Of a repository: only this folder is read; paths begin below it.",
            ),
            known_hosts=models.TextField(
                blank=True,
                help_text="Keys of the SSH host, as in OpenSSH's known_hosts; empty: the first one seen is kept.",
            ),
            include=models.JSONField(
                default=list, blank=True, help_text="Glob patterns; empty: every file we can read."
            ),
            exclude=models.JSONField(default=list, blank=True, help_text="Glob patterns."),
            unindexed=models.JSONField(
                default=list, blank=True, help_text="Paths that were taken out by hand; builds leave them out."
            ),
            language=models.CharField(
                max_length=40, default="english", help_text="Of most files: which forms of a word are one."
            ),
            access=models.CharField(
                max_length=20,
                choices=[
                    ("public", "Everyone"),
                    ("signed-in", "Everyone who is signed in"),
                    ("groups", "Chosen groups"),
                ],
                default="signed-in",
            ),
            groups=models.ManyToManyField("auth.group", blank=True, related_name="libraries"),
            requires_review=models.BooleanField(default=False),
            keep_snapshots=models.PositiveIntegerField(
                "snapshots that are kept", default=10, help_text="So many of the newest ready ones are kept."
            ),
            keep_days=models.PositiveIntegerField(
                "days for which all are kept",
                default=30,
                validators=[MaxValueValidator(36_500)],
                help_text="Younger snapshots are kept, however many.",
            ),
            summaries=models.BooleanField(default=False, help_text="Sections are summarised, and found by that, too."),
            query_log=models.CharField(
                max_length=10,
                choices=[("off", "Nothing"), ("counts", "How many a day"), ("full", "Who asked what")],
                default="counts",
                help_text="What is kept of searches and questions.",
            ),
            gate_minimum=models.FloatField(
                "least recall of the golden questions",
                null=True,
                blank=True,
                validators=[MinValueValidator(0), MaxValueValidator(1)],
                help_text="From 0 to 1: the share of their places that must be among the first ten hits to activate.",
            ),
            gate_may_fall=models.PositiveIntegerField(
                "golden questions that may be lost",
                null=True,
                blank=True,
                help_text="So many questions that were answered before may not be; empty: any number.",
            ),
            trash_days=models.PositiveIntegerField(
                "days in the trash",
                default=30,
                validators=[MaxValueValidator(36_500)],
                help_text="Days after which a file in the trash is erased for good.",
            ),
            last_number=models.PositiveIntegerField(
                default=0,
                db_default=0,
                editable=False,
                help_text="The highest that a snapshot ever had. Postgres keeps it.",
            ),
            lexical_weight=models.FloatField(
                "weight of words",
                default=1,
                db_default=1,
                validators=[MinValueValidator(0), MaxValueValidator(10)],
                help_text="Above 1, words count more than meaning; below, less. Times what the golden questions taught.",
            ),
            diversity=models.FloatField(
                default=1,
                db_default=1,
                validators=[MinValueValidator(0), MaxValueValidator(5)],
                help_text="How much better hits of the same section and file take from a hit. 0: nothing.",
            ),
            fusion=models.CharField(
                "words and meaning joined by",
                max_length=10,
                choices=[("scores", "Scores"), ("rrf", "Ranks (RRF)")],
                default="scores",
                db_default="scores",
            ),
            rrf_k=models.PositiveSmallIntegerField(
                "evenness of ranks",
                default=60,
                db_default=60,
                validators=[MinValueValidator(1), MaxValueValidator(1000)],
                help_text="Only where ranks are joined: the k of RRF. Lower: the first few ranks count for more.",
            ),
            depth=models.PositiveSmallIntegerField(
                "candidates",
                default=200,
                db_default=200,
                validators=[MinValueValidator(10), MaxValueValidator(1000)],
                help_text="So many of the best by words, and by meaning, are joined.",
            ),
            rerank=models.BooleanField(
                "reranked",
                default=True,
                db_default=True,
                help_text="A model reads the best once more and orders them anew, where one is set up.",
            ),
            top_k=models.PositiveSmallIntegerField(
                "hits shown", default=10, db_default=10, validators=[MinValueValidator(1), MaxValueValidator(50)]
            ),
            caution=models.FloatField(
                default=0,
                db_default=0,
                validators=[MinValueValidator(-2.0), MaxValueValidator(6.0)],
                help_text="From -2 to 6; 0 as measured. Higher: fewer wrong quotations, more refusals.",
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            meta={
                "verbose_name_plural": "libraries",
                "ordering": ["slug"],
                "constraints": [
                    models.CheckConstraint(condition=Q(caution__gte=-2.0, caution__lte=6.0), name="library_caution"),
                    models.CheckConstraint(
                        condition=Q(lexical_weight__gte=0, lexical_weight__lte=10, diversity__gte=0, diversity__lte=5)
                        & Q(rrf_k__gte=1, rrf_k__lte=1000, depth__gte=10, depth__lte=1000, top_k__gte=1, top_k__lte=50)
                        & Q(fusion__in=["scores", "rrf"]),
                        name="library_retrieval",
                    ),
                    models.CheckConstraint(
                        condition=Q(kind__in=["git", "directory", "uploads", "corpus", "archive"]), name="library_kind"
                    ),
                    models.CheckConstraint(
                        condition=Q(access__in=["public", "signed-in", "groups"]), name="library_access"
                    ),
                    models.CheckConstraint(
                        condition=Q(query_log__in=["off", "counts", "full"]), name="library_query_log"
                    ),
                    models.CheckConstraint(
                        condition=Q(gate_minimum__isnull=True) | Q(gate_minimum__gte=0, gate_minimum__lte=1),
                        name="library_gate",
                    ),
                    models.CheckConstraint(
                        condition=Q(keep_days__lte=36_500, trash_days__lte=36_500), name="library_days"
                    ),
                ],
            },
        ),
        table(
            "SourceCredential",
            library=models.OneToOneField("knowledge.library", models.CASCADE, related_name="credential"),
            kind=models.CharField(
                max_length=20,
                choices=[
                    ("token", "Access token (HTTPS)"),
                    ("variable", "Access token in an environment variable (HTTPS)"),
                    ("deploy-key", "Deploy key (SSH)"),
                ],
            ),
            username=models.CharField(max_length=200, default="git"),
            variable=models.CharField(
                max_length=200, blank=True, help_text="The environment variable that holds the token."
            ),
            sealed=models.TextField(blank=True, editable=False),
            public_key=models.TextField(
                blank=True, help_text="To be entered at the git host as a read-only deploy key."
            ),
            changed_at=models.DateTimeField(auto_now=True),
            meta={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(kind="variable", sealed="") | (~Q(kind="variable") & ~Q(sealed="")),
                        name="credential_is_sealed_or_elsewhere",
                    )
                ]
            },
        ),
        table(
            "Schedule",
            library=models.OneToOneField("knowledge.library", models.CASCADE, related_name="schedule"),
            cron=models.CharField(
                max_length=100, validators=[check_cron], help_text="minute hour day month weekday, in UTC"
            ),
            next_at=models.DateTimeField(editable=False),
        ),
        table(
            "Upload",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="uploads"),
            path=models.CharField(max_length=1000, db_collation="C"),
            sha256=models.CharField(max_length=64, help_text="Of the original, kept under this name."),
            size=models.PositiveBigIntegerField(),
            uploaded_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
            ),
            uploaded_at=models.DateTimeField(auto_now_add=True),
            ended_at=models.DateTimeField(null=True, blank=True, help_text="Replaced or removed then."),
            ended_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
            ),
            meta={
                "ordering": ["library", "path", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["library", "path"], condition=Q(ended_at=None), name="current_upload"
                    ),
                    models.CheckConstraint(condition=Q(sha256__regex="^[0-9a-f]{64}$"), name="upload_sha256"),
                ],
                "indexes": [models.Index(fields=["sha256"], name="upload_original")],
            },
        ),
    ]
