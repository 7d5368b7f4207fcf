"""Vectors of more than 2,000 numbers, which fill a page, are kept beside their row; shorter ones stay in it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0009_away_since")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE knowledge_embedding ALTER COLUMN vector SET STORAGE MAIN",
            "ALTER TABLE knowledge_embedding ALTER COLUMN vector SET STORAGE PLAIN",
        ),
    ]
