"""A build waits for a model's server that is away; the row says since when."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0008_rules")]

    operations = [
        migrations.AddField(
            "job",
            "away_since",
            models.DateTimeField(null=True, blank=True, help_text="Since when it waits for a model's server."),
        ),
    ]
