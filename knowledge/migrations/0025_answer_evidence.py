"""Why an answer was given or refused: how strong its evidence was."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0024_embedding_parts")]

    operations = [
        migrations.AddField(
            "answer",
            "weighed",
            models.JSONField(default=dict, help_text="How strong its evidence was, and a reader's opinions, if any."),
        ),
    ]
