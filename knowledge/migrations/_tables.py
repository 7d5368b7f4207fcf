"""How tables are written here: as their models are, fields as keywords, and what a Meta says behind them."""

from typing import Any

from django.db import migrations, models


def table(name: str, /, *, meta: dict[str, Any] | None = None, **fields: models.Field) -> migrations.CreateModel:
    """With a numbered `id`, where no field is the primary key."""
    if not any(field.primary_key for field in fields.values()):
        fields = {"id": models.BigAutoField("ID", auto_created=True, primary_key=True, serialize=False), **fields}
    return migrations.CreateModel(name, list(fields.items()), meta)
