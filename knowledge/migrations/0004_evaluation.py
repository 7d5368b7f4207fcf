"""Golden questions; runs, their results and measured recalls, which are written once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# Who ran it is forgotten with their account; the rest stays as it was measured.
WRITTEN_ONCE = """
    CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_evaluationresult FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
    CREATE TRIGGER written_once BEFORE UPDATE ON knowledge_vectorrecall FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
    CREATE TRIGGER written_once BEFORE UPDATE OF library_id, snapshot_number, manifest_hash, profile_hash, set_name, branches,
        options, code, documents, chunks, queries, measures, run_at
        ON knowledge_evaluationrun FOR EACH ROW EXECUTE FUNCTION muniment_written_once();
"""
UPDATABLE = """
    DROP TRIGGER written_once ON knowledge_evaluationresult;
    DROP TRIGGER written_once ON knowledge_vectorrecall;
    DROP TRIGGER written_once ON knowledge_evaluationrun;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0003_withdrawn_index"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="EvaluationRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("snapshot_number", models.PositiveIntegerField()),
                ("manifest_hash", models.CharField(max_length=64)),
                ("profile_hash", models.CharField(max_length=64)),
                ("set_name", models.CharField(max_length=200)),
                (
                    "branches",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None),
                ),
                ("options", models.JSONField(help_text="How each branch searched: candidates, fusion, weights.")),
                ("code", models.CharField(help_text="Hash of the modules that rank.", max_length=16)),
                ("documents", models.PositiveIntegerField()),
                ("chunks", models.PositiveIntegerField()),
                ("queries", models.PositiveIntegerField()),
                ("measures", models.JSONField(help_text="By branch, averaged over the questions.")),
                ("run_at", models.DateTimeField(auto_now_add=True)),
                (
                    "library",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evaluation_runs",
                        to="knowledge.library",
                    ),
                ),
                (
                    "run_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="EvaluationResult",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("branch", models.CharField(max_length=40)),
                ("question_id", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("gold", models.JSONField(help_text="As it was judged then.")),
                ("ranks", models.JSONField(help_text="Of each gold place: at which rank it was found first, or null.")),
                ("measures", models.JSONField()),
                (
                    "hits",
                    models.JSONField(help_text="The first ten: path, first line, last line, hash of the text."),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to="knowledge.evaluationrun",
                    ),
                ),
            ],
            options={
                "ordering": ["run", "branch", "question_id"],
            },
        ),
        migrations.CreateModel(
            name="GoldenQuestion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identifier", models.CharField(help_text="What runs know this question by; keep it.", max_length=200)),
                ("text", models.TextField()),
                ("kind", models.CharField(blank=True, help_text="Measures are also shown by kind.", max_length=40)),
                (
                    "gold",
                    models.JSONField(
                        help_text='Places, each with a "file", and in it "line_start" and "line_end", a "page", "start" and "end" in characters, or the "anchor" of a section; a file alone means all of it.'
                    ),
                ),
                ("active", models.BooleanField(default=True, help_text="Only active questions are asked.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "changed_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "library",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="golden_questions",
                        to="knowledge.library",
                    ),
                ),
            ],
            options={
                "ordering": ["library", "identifier"],
            },
        ),
        migrations.CreateModel(
            name="VectorRecall",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("snapshot_number", models.PositiveIntegerField()),
                ("chunks", models.PositiveIntegerField()),
                (
                    "asked",
                    models.CharField(
                        choices=[("vectors", "Stored vectors"), ("questions", "Questions")], max_length=20
                    ),
                ),
                (
                    "share",
                    models.FloatField(help_text="Of the chunks that the filter let through; 1 without a filter."),
                ),
                ("queries", models.PositiveIntegerField()),
                (
                    "recall",
                    models.FloatField(
                        help_text="Mean over the queries of the share of the ten nearest that was found."
                    ),
                ),
                ("lowest", models.FloatField(help_text="Of the worst query.")),
                (
                    "too_few",
                    models.PositiveIntegerField(help_text="Queries that brought fewer rows than there were to bring."),
                ),
                ("measured_at", models.DateTimeField(auto_now_add=True)),
                (
                    "library",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="vector_recalls",
                        to="knowledge.library",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="knowledge.embeddingspace"
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.AddIndex(
            model_name="evaluationrun",
            index=models.Index(fields=["library", "set_name", "-id"], name="evaluation_history"),
        ),
        migrations.AddConstraint(
            model_name="evaluationresult",
            constraint=models.UniqueConstraint(fields=("run", "branch", "question_id"), name="evaluation_result"),
        ),
        migrations.AddConstraint(
            model_name="goldenquestion",
            constraint=models.UniqueConstraint(fields=("library", "identifier"), name="golden_question"),
        ),
        migrations.AddConstraint(
            model_name="goldenquestion",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("text", ""), _negated=True), models.Q(("gold", []), _negated=True)),
                name="golden_question_is_judged",
            ),
        ),
        migrations.AddConstraint(
            model_name="vectorrecall",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("lowest__gte", 0),
                    ("lowest__lte", 1),
                    ("recall__gte", 0),
                    ("recall__lte", 1),
                    ("share__gt", 0),
                    ("share__lte", 1),
                ),
                name="vector_recall_is_a_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="vectorrecall",
            constraint=models.CheckConstraint(
                condition=models.Q(("asked__in", ["vectors", "questions"])), name="vector_recall_asked"
            ),
        ),
        migrations.RunSQL(WRITTEN_ONCE, UPDATABLE),
    ]
