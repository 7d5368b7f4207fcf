"""Review, publication, the audit and the history."""

from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

from ._tables import table


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0005_answers")]
    replaces = [("knowledge", "0014_governance")]

    operations = [
        table(
            "Decision",
            snapshot=models.ForeignKey("knowledge.snapshot", models.CASCADE, related_name="decisions"),
            document_file=models.ForeignKey("knowledge.documentfile", models.CASCADE, related_name="decisions"),
            verdict=models.CharField(max_length=20, choices=[("approved", "Approved"), ("rejected", "Rejected")]),
            decided_by=models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+"),
            decided_at=models.DateTimeField(auto_now_add=True),
            comment=models.CharField(max_length=2000, blank=True),
            meta={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(condition=Q(verdict__in=["approved", "rejected"]), name="decision_verdict")
                ],
                "indexes": [models.Index(fields=["snapshot", "document_file", "-id"], name="decision_latest")],
            },
        ),
        table(
            "GateRun",
            snapshot=models.ForeignKey("knowledge.snapshot", models.CASCADE, related_name="gate_runs"),
            run_at=models.DateTimeField(auto_now_add=True),
            questions=models.PositiveIntegerField(),
            recall=models.FloatField(null=True, help_text="Mean recall@10; empty: it could not be measured."),
            minimum=models.FloatField(null=True),
            may_fall=models.PositiveIntegerField(null=True),
            fallen=models.JSONField(
                default=list, help_text="Questions that the active snapshot answers and this one doesn't."
            ),
            changed=models.JSONField(
                default=list, help_text="Questions whose first ten hits differ from the active ones."
            ),
            passed=models.BooleanField(),
            reason=models.CharField(max_length=2000, blank=True),
            overridden_by=models.ForeignKey(
                settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
            ),
            override_reason=models.CharField(max_length=2000, blank=True),
            meta={"ordering": ["-pk"]},
        ),
        table(
            "PlannedActivation",
            snapshot=models.ForeignKey("knowledge.snapshot", models.CASCADE, related_name="planned"),
            at=models.DateTimeField(),
            planned_by=models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"),
            done_at=models.DateTimeField(null=True, blank=True),
            outcome=models.CharField(max_length=2000, blank=True),
            meta={
                "ordering": ["at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["snapshot"], condition=Q(done_at=None), name="one_planned_activation"
                    )
                ],
            },
        ),
        table(
            "Activation",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="activations"),
            snapshot=models.ForeignKey("knowledge.snapshot", models.SET_NULL, null=True, related_name="activations"),
            number=models.PositiveIntegerField(help_text="Of the snapshot, also when it has been pruned."),
            at=models.DateTimeField(),
            meta={"ordering": ["-pk"]},
        ),
        table(
            "SettingChange",
            library=models.ForeignKey(
                "knowledge.library", models.DO_NOTHING, db_constraint=False, related_name="setting_changes"
            ),
            field=models.CharField(max_length=60),
            before=models.JSONField(null=True),
            after=models.JSONField(null=True),
            actor_id=models.BigIntegerField(null=True, help_text="The user's key; empty: the operator, on the server."),
            actor=models.CharField(max_length=150, help_text="As the user was called then."),
            at=models.DateTimeField(auto_now_add=True),
            meta={"ordering": ["-pk"], "indexes": [models.Index(fields=["library", "-id"], name="setting_history")]},
        ),
        table(
            "AuditEvent",
            number=models.BigIntegerField(primary_key=True, serialize=False, help_text="1, 2, 3 …, without a gap."),
            at=models.DateTimeField(),
            action=models.CharField(max_length=60, help_text="Object and verb: snapshot.activate."),
            actor_id=models.BigIntegerField(null=True, help_text="The user's key; empty: the operator, on the server."),
            actor=models.CharField(max_length=150, help_text="As the user was called then."),
            library=models.CharField(max_length=50, blank=True, help_text="Its slug."),
            snapshot=models.PositiveIntegerField(null=True, help_text="Its number."),
            path=models.CharField(max_length=1000, blank=True, db_collation="C"),
            version=models.CharField(max_length=64, blank=True, help_text="SHA-256 of the file's original bytes."),
            details=models.JSONField(default=dict),
            previous=models.CharField(max_length=64, help_text="The hash of the event before."),
            hash=models.CharField(max_length=64),
            meta={
                "ordering": ["-number"],
                "indexes": [
                    models.Index(fields=["library", "path", "-number"], name="audit_of_document"),
                    models.Index(fields=["action", "-number"], name="audit_by_action"),
                    models.Index(fields=["at"], name="audit_by_time"),
                ],
            },
        ),
        table(
            "AuditHead",
            sole=models.BooleanField(primary_key=True, serialize=False, default=True),
            number=models.BigIntegerField(),
            hash=models.CharField(max_length=64),
        ),
        table(
            "RowState",
            relation=models.CharField(max_length=63),
            key=models.BigIntegerField(),
            at=models.DateTimeField(),
            state=models.JSONField(null=True, help_text="Null: deleted."),
            meta={"ordering": ["pk"], "indexes": [models.Index(fields=["relation", "key", "-id"], name="row_state")]},
        ),
    ]
