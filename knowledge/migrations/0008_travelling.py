"""Retention, snapshots from archives, and a ledger that outlives its libraries."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
    UPDATE knowledge_answercitation citation
    SET library = library.slug, path = document.path, sha256 = version.sha256
    FROM knowledge_fileversion version
    JOIN knowledge_documentfile document ON document.id = version.document_file_id
    JOIN knowledge_library library ON library.id = document.library_id
    WHERE version.id = citation.file_version_id
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0007_natural_language")]

    operations = [
        migrations.AddField(
            "library",
            "unindexed",
            models.JSONField(
                blank=True, default=list, help_text="Paths that were taken out by hand; builds leave them out."
            ),
        ),
        migrations.AddField(
            "library",
            "keep_snapshots",
            models.PositiveIntegerField(default=10, help_text="So many of the newest ready ones are kept."),
        ),
        migrations.AddField(
            "library",
            "keep_days",
            models.PositiveIntegerField(default=30, help_text="Younger snapshots are kept, however many."),
        ),
        migrations.AlterField(
            "library",
            "kind",
            models.CharField(
                max_length=20,
                choices=[
                    ("git", "Git repository"),
                    ("directory", "Directory"),
                    ("uploads", "Uploads"),
                    ("corpus", "Evaluation corpus"),
                    ("archive", "Imported snapshots"),
                ],
            ),
        ),
        migrations.RemoveConstraint("library", "library_kind"),
        migrations.AddConstraint(
            "library",
            models.CheckConstraint(
                condition=models.Q(kind__in=["git", "directory", "uploads", "corpus", "archive"]), name="library_kind"
            ),
        ),
        migrations.AddField(
            "snapshot",
            "pinned",
            models.BooleanField(default=False, help_text="Kept whatever the library's retention says."),
        ),
        migrations.AddField(
            "snapshot",
            "rebuilds",
            models.PositiveIntegerField(
                default=0, editable=False, help_text="How often its vectors and postings were made anew."
            ),
        ),
        migrations.AddField("answercitation", "library", models.SlugField(default=""), preserve_default=False),
        migrations.AddField(
            "answercitation", "path", models.CharField(default="", max_length=1000), preserve_default=False
        ),
        migrations.AddField(
            "answercitation",
            "sha256",
            models.CharField(default="", help_text="Of the file's original bytes.", max_length=64),
            preserve_default=False,
        ),
        migrations.AlterField(
            "answercitation",
            "file_version",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="citations",
                to="knowledge.fileversion",
            ),
        ),
        migrations.AlterField(
            "answercitation",
            "chunk",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="citations", to="knowledge.chunk"
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
