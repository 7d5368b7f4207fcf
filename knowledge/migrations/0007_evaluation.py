"""Golden questions; runs, their results and what was learnt of them."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import Q

from ._tables import table


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0006_governance")]
    replaces = [("knowledge", "0004_evaluation")]

    operations = [
        table(
            "GoldenQuestion",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="golden_questions"),
            identifier=models.CharField(max_length=200, help_text="What runs know this question by; keep it."),
            text=models.TextField(),
            kind=models.CharField(max_length=40, blank=True, help_text="Measures are also shown by kind."),
            gold=models.JSONField(
                help_text='Places, each with a "file", and in it "line_start" and "line_end", a "page", "start" and "end" in characters, or the "anchor" of a section; a file alone means all of it.'
            ),
            active=models.BooleanField(default=True, help_text="Only active questions are asked."),
            created_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            changed_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
            ),
            changed_at=models.DateTimeField(auto_now=True),
            meta={
                "ordering": ["library", "identifier"],
                "constraints": [
                    models.UniqueConstraint(fields=["library", "identifier"], name="golden_question"),
                    models.CheckConstraint(condition=~Q(text="") & ~Q(gold=[]), name="golden_question_is_judged"),
                ],
            },
        ),
        table(
            "EvaluationRun",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="evaluation_runs"),
            snapshot_number=models.PositiveIntegerField(),
            manifest_hash=models.CharField(max_length=64),
            profile_hash=models.CharField(max_length=64),
            set_name=models.CharField(max_length=200),
            branches=ArrayField(models.CharField(max_length=40)),
            options=models.JSONField(help_text="How each branch searched: candidates, fusion, weights."),
            code=models.CharField(max_length=16, help_text="Hash of the modules that rank."),
            documents=models.PositiveIntegerField(),
            chunks=models.PositiveIntegerField(),
            queries=models.PositiveIntegerField(),
            measures=models.JSONField(help_text="By branch, averaged over the questions."),
            run_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
            ),
            run_at=models.DateTimeField(auto_now_add=True),
            meta={
                "ordering": ["-pk"],
                "indexes": [models.Index(fields=["library", "set_name", "-id"], name="evaluation_history")],
            },
        ),
        table(
            "EvaluationResult",
            run=models.ForeignKey("knowledge.evaluationrun", models.CASCADE, related_name="results"),
            branch=models.CharField(max_length=40),
            question_id=models.CharField(max_length=200),
            text=models.TextField(),
            gold=models.JSONField(help_text="As it was judged then."),
            ranks=models.JSONField(help_text="Of each gold place: at which rank it was found first, or null."),
            measures=models.JSONField(),
            hits=models.JSONField(help_text="The first ten: path, first line, last line, hash of the text."),
            meta={
                "ordering": ["run", "branch", "question_id"],
                "constraints": [
                    models.UniqueConstraint(fields=["run", "branch", "question_id"], name="evaluation_result")
                ],
            },
        ),
        table(
            "LearntFusion",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="learnt_fusions"),
            profile_hash=models.CharField(max_length=64),
            lexical_weight=models.FloatField(help_text="What searches use: 1 unless the learnt weight proved itself."),
            learnt_weight=models.FloatField(help_text="Fitted to all the questions."),
            folds=ArrayField(models.FloatField(), help_text="Fitted to all but one fold each."),
            questions=models.PositiveIntegerField(),
            default_ndcg=models.FloatField(help_text="nDCG@10 with the weight 1."),
            learnt_ndcg=models.FloatField(help_text="nDCG@10 of each fold with the weight learnt from the others."),
            standard_error=models.FloatField(help_text="Of the mean difference of the two."),
            learnt_at=models.DateTimeField(auto_now_add=True),
            meta={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(condition=Q(lexical_weight__gt=0), name="learnt_weight_is_positive")
                ],
                "indexes": [models.Index(fields=["library", "profile_hash", "-id"], name="learnt_fusion_newest")],
            },
        ),
        table(
            "VectorRecall",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="vector_recalls"),
            snapshot_number=models.PositiveIntegerField(),
            space=models.ForeignKey("knowledge.embeddingspace", models.CASCADE, related_name="+"),
            chunks=models.PositiveIntegerField(),
            asked=models.CharField(max_length=20, choices=[("vectors", "Stored vectors"), ("questions", "Questions")]),
            share=models.FloatField(help_text="Of the chunks that the filter let through; 1 without a filter."),
            queries=models.PositiveIntegerField(),
            recall=models.FloatField(help_text="Mean over the queries of the share of the ten nearest that was found."),
            lowest=models.FloatField(help_text="Of the worst query."),
            too_few=models.PositiveIntegerField(help_text="Queries that brought fewer rows than there were to bring."),
            measured_at=models.DateTimeField(auto_now_add=True),
            meta={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(
                            recall__gte=0, recall__lte=1, lowest__gte=0, lowest__lte=1, share__gt=0, share__lte=1
                        ),
                        name="vector_recall_is_a_share",
                    ),
                    models.CheckConstraint(condition=Q(asked__in=["vectors", "questions"]), name="vector_recall_asked"),
                ],
            },
        ),
    ]
