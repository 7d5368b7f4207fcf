"""What was changed in a form, where others may have changed the same since it was shown."""

from typing import Any

from django.db.models import Model
from django.forms import ModelForm


def show_initial(form: "ModelForm[Any]") -> None:
    """Beside each field stands what it was when it was shown; where that is not sent, it is what it is now."""
    for name, field in form.fields.items():
        field.show_hidden_initial = not form.is_bound or form.add_initial_prefix(name) in form.data


def changed(form: "ModelForm[Any]", row: Model) -> dict[str, Any]:
    """What was changed in a valid form. Raises ValueError where somebody else has set the same otherwise since."""
    values = {name: form.cleaned_data[name] for name in form.changed_data}
    for name, value in values.items():
        field, stored = form.fields[name], getattr(row, name)
        shown = form.data.get(form.add_initial_prefix(name), stored)
        if value != stored and field.has_changed(stored, shown):
            raise ValueError(f"nothing was saved: somebody has meanwhile changed {form[name].label}")
    return values
