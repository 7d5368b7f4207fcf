import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0031_decisions_stay")]

    operations = [
        migrations.AlterField(
            model_name="library",
            name="gate_minimum",
            field=models.FloatField(
                "least recall of the golden questions",
                blank=True,
                help_text="From 0 to 1: mean recall@10 of the golden questions below which nothing is activated.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(1),
                ],
            ),
        ),
    ]
