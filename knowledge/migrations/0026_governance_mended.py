"""What is published in part is made beside a build; days have an end; an original's versions are found by its hash."""

from django.core.validators import MaxValueValidator
from django.db import migrations, models

MOST_DAYS = 36_500
SHORTENED = """
    UPDATE knowledge_library SET keep_days = LEAST(keep_days, 36500), trash_days = LEAST(trash_days, 36500)
    WHERE keep_days > 36500 OR trash_days > 36500
"""


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0025_answer_evidence")]

    operations = [
        migrations.RunSQL(SHORTENED, migrations.RunSQL.noop),
        migrations.AlterField(
            "library",
            "keep_days",
            models.PositiveIntegerField(
                "days for which all are kept",
                default=30,
                validators=[MaxValueValidator(MOST_DAYS)],
                help_text="Younger snapshots are kept, however many.",
            ),
        ),
        migrations.AlterField(
            "library",
            "trash_days",
            models.PositiveIntegerField(
                "days in the trash",
                default=30,
                validators=[MaxValueValidator(MOST_DAYS)],
                help_text="Days after which a file in the trash is erased for good.",
            ),
        ),
        migrations.AddConstraint(
            "library",
            models.CheckConstraint(
                condition=models.Q(keep_days__lte=MOST_DAYS, trash_days__lte=MOST_DAYS), name="library_days"
            ),
        ),
        migrations.RemoveConstraint("snapshot", "one_building_snapshot"),
        migrations.AddConstraint(
            "snapshot",
            models.UniqueConstraint(
                fields=["library"],
                condition=models.Q(state="building", derived_from=None),
                name="one_building_snapshot",
            ),
        ),
        migrations.AddIndex("fileversion", models.Index(fields=["sha256"], name="version_original")),
    ]
