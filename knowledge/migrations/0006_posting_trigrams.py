import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0005_learnt_fusion"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="posting",
            index=django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(("lexeme__regex", "[0-9]"), _negated=True),
                fields=["lexeme"],
                name="posting_trigrams",
                opclasses=["gin_trgm_ops"],
            ),
        ),
    ]
