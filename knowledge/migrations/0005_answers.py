"""What was asked, and what was answered to it."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

from ._tables import table


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0004_people")]
    replaces = [("knowledge", "0013_answers")]

    operations = [
        table(
            "Conversation",
            owner=models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True),
            visitor=models.CharField(
                max_length=43, blank=True, db_index=True, help_text="Whose, as their session knows."
            ),
            title=models.CharField(max_length=200),
            shared=models.BooleanField(default=False),
            created_at=models.DateTimeField(auto_now_add=True),
            updated_at=models.DateTimeField(auto_now=True),
            removed_at=models.DateTimeField(null=True, blank=True, editable=False),
            meta={"ordering": ["-updated_at"]},
        ),
        table(
            "Answer",
            asked_by=models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True),
            asker=models.CharField(max_length=80, blank=True, help_text="Whose limits it counts against."),
            asked_at=models.DateTimeField(auto_now_add=True),
            via=models.CharField(max_length=20, blank=True, help_text="page, rest, openai, mcp or command."),
            conversation=models.ForeignKey(
                "knowledge.conversation", models.SET_NULL, null=True, blank=True, related_name="answers"
            ),
            replaces=models.ForeignKey(
                "knowledge.answer", models.SET_NULL, null=True, blank=True, related_name="again"
            ),
            question=models.TextField(),
            standalone=models.TextField(blank=True, help_text="The question as it was understood in its conversation."),
            searched_for=models.TextField(),
            options=models.JSONField(
                default=dict, help_text="Where was looked, and which passages were pinned or excluded."
            ),
            state=models.CharField(
                max_length=20,
                choices=[("incomplete", "Incomplete"), ("stopped", "Stopped by its reader"), ("complete", "Complete")],
                default="complete",
            ),
            draft=models.TextField(
                blank=True, help_text="What the model has written so far; checked text is in `text`."
            ),
            beat_at=models.DateTimeField(null=True, blank=True, help_text="The writer's last sign of life."),
            stopping=models.BooleanField(default=False),
            text=models.TextField(),
            refused=models.BooleanField(),
            degraded=models.JSONField(default=list),
            model=models.CharField(max_length=200, blank=True),
            prompt_hash=models.CharField(max_length=64, blank=True),
            snapshots=models.JSONField(default=list, help_text="The searched libraries and their snapshot numbers."),
            passages=models.JSONField(default=list, help_text="Chunk ids in the order in which the model saw them."),
            sentences=models.JSONField(default=list),
            weighed=models.JSONField(
                default=dict, help_text="How strong its evidence was, and a reader's opinions, if any."
            ),
            invented=models.PositiveIntegerField(
                default=0, help_text="Citations of passages that do not exist, or do not say so: dropped."
            ),
            usage=models.JSONField(default=dict),
            took_ms=models.JSONField(default=dict),
            liked=models.BooleanField(null=True, blank=True, help_text="The reader's verdict."),
            remark=models.CharField(max_length=1000, blank=True),
            meta={
                "ordering": ["-asked_at"],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(state__in=["incomplete", "stopped", "complete"]), name="answer_state"
                    ),
                    models.CheckConstraint(
                        condition=~Q(state="incomplete") | Q(text=""), name="incomplete_says_nothing"
                    ),
                ],
                "indexes": [
                    models.Index(fields=["asker", "asked_at"], name="answer_asker"),
                    models.Index(fields=["conversation", "asked_at"], name="answer_conversation"),
                ],
            },
        ),
        table(
            "AnswerCitation",
            answer=models.ForeignKey("knowledge.answer", models.CASCADE, related_name="citations"),
            n=models.PositiveSmallIntegerField(),
            file_version=models.ForeignKey(
                "knowledge.fileversion", models.SET_NULL, null=True, related_name="citations"
            ),
            chunk=models.ForeignKey("knowledge.chunk", models.SET_NULL, null=True, related_name="citations"),
            library=models.SlugField(),
            path=models.CharField(max_length=1000),
            sha256=models.CharField(max_length=64, help_text="Of the file's original bytes."),
            quote=models.TextField(),
            quote_hash=models.CharField(max_length=64),
            line_start=models.PositiveIntegerField(),
            line_end=models.PositiveIntegerField(),
            verified=models.BooleanField(),
            meta={
                "ordering": ["answer", "n"],
                "constraints": [models.UniqueConstraint(fields=["answer", "n"], name="citation_number")],
            },
        ),
        table(
            "QueryCount",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="query_counts"),
            day=models.DateField(),
            searches=models.PositiveIntegerField(default=0),
            questions=models.PositiveIntegerField(default=0),
            refused=models.PositiveIntegerField(default=0),
            degraded=models.PositiveIntegerField(default=0),
            meta={
                "ordering": ["-day", "library"],
                "constraints": [models.UniqueConstraint(fields=["library", "day"], name="query_count")],
            },
        ),
        table(
            "LoggedQuery",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="logged_queries"),
            asked_at=models.DateTimeField(auto_now_add=True),
            asked_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
            ),
            kind=models.CharField(max_length=10, choices=[("search", "Search"), ("question", "Question")]),
            text=models.CharField(max_length=1000),
            meta={"verbose_name_plural": "logged queries", "ordering": ["-pk"]},
        ),
    ]
