"""What was active when a job's first attempt began: later attempts undo no rollback."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0033_removed_conversations")]

    operations = [
        migrations.AddField(
            "job",
            "shown",
            models.PositiveIntegerField(
                blank=True,
                help_text="The number of what was active when its first attempt began; 0: nothing was.",
                null=True,
            ),
        ),
    ]
