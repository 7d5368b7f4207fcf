"""What was shown, and what somebody else has changed since: a form that stood open must not undo it."""

from typing import Any

from django.forms import ModelForm, ModelMultipleChoiceField

MEANWHILE = "Somebody has meanwhile changed this: nothing was saved. Open this page anew."


class OnlyChanges(ModelForm):
    """Beside each field stands what it was when it was shown. What is sent as it was shown stays as it is stored by
    now; what others have changed, too, is refused. Where what was shown is not sent, all is taken as it is sent.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            return
        begin = self.add_initial_prefix("")
        is_told = not self.is_bound or any(name.startswith(begin) for name in self.data)
        for name in stored_fields(self).intersection(self.fields):
            self.fields[name].show_hidden_initial = is_told and not self.fields[name].disabled

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        for name in values.keys() & stored_fields(self) if self.instance.pk else ():
            field = self.fields[name]
            if not field.show_hidden_initial:
                continue
            if name not in self.changed_data:
                is_many = isinstance(field, ModelMultipleChoiceField)
                values[name] = self.initial[name] if is_many else getattr(self.instance, name)
            elif self.is_overtaken(name):
                self.add_error(name, MEANWHILE)
        return values

    def is_overtaken(self, name: str) -> bool:
        """Whether it is stored otherwise than it was shown, and than it was sent."""
        field, stored = self.fields[name], self[name].initial
        shown = field.hidden_widget().value_from_datadict(self.data, self.files, self.add_initial_prefix(name))
        return field.has_changed(stored, shown) and field.has_changed(stored, self[name].data)


def stored_fields(form: "ModelForm[Any]") -> set[str]:
    """Those of its row, and of what belongs to it."""
    return {field.name for field in (*form.instance._meta.concrete_fields, *form.instance._meta.many_to_many)}


def changed_columns(form: "ModelForm[Any]") -> set[str]:
    """Those that are to be written: others write to the row, too."""
    return {field.name for field in form.instance._meta.concrete_fields}.intersection(form.changed_data)
