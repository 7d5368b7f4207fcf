"""Snapshots, what searches in them need, and the jobs that make them."""

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models
from django.db.models import Q
from pgvector.django import VectorField

from ._tables import table


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0002_documents")]
    replaces = [("knowledge", "0011_reading_order")]

    operations = [
        table(
            "IndexProfile",
            hash=models.CharField(max_length=64, unique=True),
            settings=models.JSONField(),
            created_at=models.DateTimeField(auto_now_add=True),
        ),
        table(
            "EmbeddingSpace",
            model=models.CharField(max_length=200),
            dimension=models.PositiveIntegerField(),
            max_tokens=models.PositiveIntegerField(),
            query_prefix=models.CharField(max_length=200, blank=True),
            document_prefix=models.CharField(max_length=200, blank=True),
            canaries=models.JSONField(),
            created_at=models.DateTimeField(auto_now_add=True),
        ),
        table(
            "Embedding",
            pk=models.CompositePrimaryKey("space_id", "content_hash", serialize=False),
            space=models.ForeignKey("knowledge.embeddingspace", models.CASCADE),
            content_hash=models.BinaryField(max_length=32),
            vector=VectorField(),
            parts=models.BinaryField(null=True),
        ),
        table(
            "LexicalSegment",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="segments"),
            lexical=models.CharField(max_length=64, help_text="IndexProfile.lexical_hash"),
            chunk_ids=models.BinaryField(help_text="int64 by local ordinal, ascending"),
            body_lengths=models.BinaryField(help_text="int32 by local ordinal: lexemes in the text"),
            head_lengths=models.BinaryField(help_text="int32 by local ordinal: lexemes in the breadcrumb"),
            size=models.PositiveIntegerField(),
            created_at=models.DateTimeField(auto_now_add=True),
            meta={"indexes": [models.Index(fields=["library", "lexical"], name="segment_of_library")]},
        ),
        table(
            "Posting",
            pk=models.CompositePrimaryKey("lexeme", "segment_id", serialize=False),
            segment=models.ForeignKey("knowledge.lexicalsegment", models.CASCADE),
            lexeme=models.TextField(db_collation="C"),
            ordinals=models.BinaryField(help_text="int32, ascending"),
            body_counts=models.BinaryField(help_text="uint8, capped at 255 as in a tsvector"),
            head_counts=models.BinaryField(help_text="uint8"),
            meta={
                "indexes": [
                    GinIndex(
                        fields=["lexeme"],
                        opclasses=["gin_trgm_ops"],
                        condition=~Q(lexeme__regex="[0-9]"),
                        name="posting_trigrams",
                    )
                ]
            },
        ),
        table(
            "Snapshot",
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="snapshots"),
            number=models.PositiveIntegerField(),
            state=models.CharField(
                max_length=20,
                choices=[("building", "Building"), ("ready", "Ready"), ("failed", "Failed")],
                default="building",
            ),
            profile=models.ForeignKey("knowledge.indexprofile", models.RESTRICT),
            space=models.ForeignKey("knowledge.embeddingspace", models.RESTRICT),
            revision=models.CharField(
                max_length=200, blank=True, help_text="What the source was: a commit, or a hash of the files."
            ),
            manifest_hash=models.CharField(max_length=64, blank=True),
            rejected=models.JSONField(
                default=list, help_text="Files that could not be read: path, identity and reason."
            ),
            chunk_count=models.PositiveIntegerField(default=0),
            pinned=models.BooleanField(default=False, help_text="Kept whatever the library's retention says."),
            rebuilds=models.PositiveIntegerField(
                default=0, editable=False, help_text="How often its vectors and postings were made anew."
            ),
            summaries_through=models.BigIntegerField(default=0, help_text="It has no summaries with a higher id."),
            code_space=models.ForeignKey(
                "knowledge.embeddingspace",
                models.RESTRICT,
                null=True,
                related_name="+",
                help_text="Of the code's vectors, where a model of its own made them.",
            ),
            document_count=models.PositiveIntegerField(default=0, help_text="Files, counted when it was sealed."),
            erased=models.JSONField(
                default=list,
                editable=False,
                help_text="What the manifest says of files that were erased since: only hashes.",
            ),
            requested_by=models.ForeignKey(
                settings.AUTH_USER_MODEL,
                models.PROTECT,
                null=True,
                blank=True,
                editable=False,
                related_name="+",
                help_text="Who asked for the build, and so may not approve it. Postgres takes it from the job.",
            ),
            needs_review=models.BooleanField(
                default=False, editable=False, help_text="Whether its library required review when it was built."
            ),
            derived_from=models.ForeignKey(
                "knowledge.snapshot",
                models.SET_NULL,
                null=True,
                blank=True,
                editable=False,
                related_name="derived",
                help_text="The candidate of which this holds what was approved.",
            ),
            created_at=models.DateTimeField(auto_now_add=True),
            sealed_at=models.DateTimeField(null=True, blank=True),
            meta={
                "ordering": ["library", "-number"],
                "constraints": [
                    models.UniqueConstraint(fields=["library", "number"], name="snapshot_number"),
                    models.UniqueConstraint(
                        fields=["library"],
                        condition=Q(state="building", derived_from=None),
                        name="one_building_snapshot",
                    ),
                    models.CheckConstraint(
                        condition=~Q(state="ready") | (~Q(manifest_hash="") & Q(sealed_at__isnull=False)),
                        name="ready_is_sealed",
                    ),
                    models.CheckConstraint(
                        condition=Q(state__in=["building", "ready", "failed"]), name="snapshot_state"
                    ),
                ],
            },
        ),
        migrations.AddField(
            "library",
            "active_snapshot",
            models.OneToOneField(
                "knowledge.snapshot", models.RESTRICT, null=True, blank=True, editable=False, related_name="+"
            ),
        ),
        table(
            "SnapshotFile",
            pk=models.CompositePrimaryKey("snapshot_id", "document_file_id", serialize=False),
            snapshot=models.ForeignKey("knowledge.snapshot", models.CASCADE, related_name="files"),
            document_file=models.ForeignKey("knowledge.documentfile", models.RESTRICT, related_name="+"),
            file_version=models.ForeignKey("knowledge.fileversion", models.RESTRICT, related_name="memberships"),
            identity=models.CharField(
                max_length=64, help_text="The source's name for this content, such as a git blob id."
            ),
            meta={"constraints": [models.CheckConstraint(condition=~Q(identity=""), name="membership_identity")]},
        ),
        table(
            "ReadingPlace",
            pk=models.CompositePrimaryKey("snapshot_id", "document_file_id", serialize=False),
            snapshot=models.ForeignKey("knowledge.snapshot", models.CASCADE, related_name="reading_places"),
            document_file=models.ForeignKey("knowledge.documentfile", models.CASCADE, related_name="reading_places"),
            place=models.PositiveIntegerField(),
            depth=models.PositiveSmallIntegerField(),
        ),
        table(
            "Job",
            kind=models.CharField(max_length=40, default="build"),
            library=models.ForeignKey("knowledge.library", models.CASCADE, related_name="jobs"),
            snapshot=models.ForeignKey(
                "knowledge.snapshot", models.SET_NULL, null=True, blank=True, related_name="jobs"
            ),
            state=models.CharField(
                max_length=20,
                choices=[
                    ("queued", "Queued"),
                    ("running", "Running"),
                    ("succeeded", "Succeeded"),
                    ("failed", "Failed"),
                    ("cancelled", "Cancelled"),
                ],
                default="queued",
            ),
            stage=models.CharField(max_length=40, blank=True),
            options=models.JSONField(default=dict, blank=True),
            counters=models.JSONField(default=dict, blank=True),
            report=models.JSONField(null=True, blank=True),
            message=models.TextField(blank=True),
            attempts=models.PositiveSmallIntegerField(default=0),
            max_attempts=models.PositiveSmallIntegerField(default=3),
            fence=models.PositiveBigIntegerField(
                default=0, help_text="Rises with every attempt; an older holder may not write."
            ),
            lease_expires_at=models.DateTimeField(null=True, blank=True),
            holder=models.CharField(max_length=200, blank=True, help_text="host:process of the last attempt."),
            in_hand=models.CharField(max_length=1000, blank=True, help_text="The file that the worker reads now."),
            deaths=models.JSONField(
                default=dict, blank=True, help_text="How many workers died with which file in hand."
            ),
            shown=models.PositiveIntegerField(
                null=True,
                blank=True,
                help_text="The number of what was active when its first attempt began; 0: nothing was.",
            ),
            paused_at=models.DateTimeField(null=True, blank=True),
            not_before=models.DateTimeField(
                null=True, blank=True, help_text="It waits until then before the next attempt."
            ),
            rung_at=models.DateTimeField(null=True, blank=True, help_text="When the queue was last told of it."),
            requested_by=models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True),
            created_at=models.DateTimeField(auto_now_add=True),
            started_at=models.DateTimeField(null=True, blank=True),
            finished_at=models.DateTimeField(null=True, blank=True),
            meta={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["library"], condition=Q(state="running"), name="one_running_job_per_library"
                    ),
                    models.CheckConstraint(
                        condition=~Q(state="running") | Q(lease_expires_at__isnull=False),
                        name="running_job_holds_lease",
                    ),
                    models.CheckConstraint(
                        condition=Q(state__in=["queued", "running", "succeeded", "failed", "cancelled"]),
                        name="job_state",
                    ),
                ],
            },
        ),
        table(
            "JobEvent",
            job=models.ForeignKey("knowledge.job", models.CASCADE, related_name="events"),
            at=models.DateTimeField(auto_now_add=True),
            level=models.CharField(max_length=10, default="info"),
            stage=models.CharField(max_length=40, blank=True),
            message=models.TextField(),
            data=models.JSONField(default=dict, blank=True),
            meta={"ordering": ["job", "pk"]},
        ),
    ]
