"""A conversation can be taken off its owner's list: the ledger keeps its answers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0032_gate_bounds")]

    operations = [
        migrations.AddField("conversation", "removed_at", models.DateTimeField(blank=True, editable=False, null=True)),
    ]
