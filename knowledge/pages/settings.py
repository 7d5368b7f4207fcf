"""What a library is set to, how that came to be, and back."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.paginator import Paginator
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import transaction
from django.forms import IntegerField, ModelForm, modelform_factory
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from knowledge.access import Act
from knowledge.governance.settings import change, restore
from knowledge.http.methods import require_http_methods
from knowledge.models import LearntFusion, Library, SettingChange
from knowledge.models.tuning import ANSWERS, GATES, RETENTION, RETRIEVAL, SETTINGS
from knowledge.numbers import whole_number
from knowledge.pages.governed import PAGE, carried_out, governed, signed_in
from knowledge.pages.meanwhile import changed, show_initial
from knowledge.wording import label

GROUPS = {"Searching": RETRIEVAL, "Answers": ANSWERS, "Retention": RETENTION, "Gates": GATES}


class SettingsForm(ModelForm):
    """Numbers are bounded as the library's own are. What its check finds in a field that is not here is said above."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        validators = {field.name: field.validators for field in Library._meta.fields}
        for name, field in self.fields.items():
            if isinstance(field, IntegerField):  # a FloatField is one, too
                field.widget.attrs |= bounds(validators[name])

    def add_error(self, field: str | None, error: Any) -> None:
        if not hasattr(error, "error_dict"):
            super().add_error(field, error)
            return
        for name, found in error.error_dict.items():
            if name in self.fields or name == NON_FIELD_ERRORS:
                super().add_error(None, ValidationError({name: found}))
            else:
                for text in ValidationError(found).messages:
                    super().add_error(None, f"{label(name)}: {text}")


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.MANAGE)
def settings_page(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    """“save” sets what was changed; “tune”, as the playground sends it, the settings of retrieval that were sent."""
    form = form_of(library)
    do = request.POST.get("do", "")
    if do == "restore":
        row = get_object_or_404(library.setting_changes.all(), pk=whole_number(request.POST.get("change", "")))
        carried_out(request, lambda: restored(request, row))
        return redirect("settings", library.slug)
    if request.method == "POST":
        names = [name for name in RETRIEVAL if name in request.POST] if do == "tune" else SETTINGS
        sent = form_of(Library.objects.get(pk=library.pk), names, request)
        if sent.is_valid():
            carried_out(request, lambda: saved(sent, signed_in(request)))
            return redirect("settings", library.slug)
        form = sent
    changes = Paginator(library.setting_changes.all(), PAGE).get_page(request.GET.get("page"))
    context = {
        "library": library,
        "form": form,
        "groups": [(title, [form[name] for name in names if name in form.fields]) for title, names in GROUPS.items()],
        "learnt": LearntFusion.objects.used_by(library.active_snapshot),
        "changes": changes,
        "rows": [(row, label(row.field), row.field in SETTINGS) for row in changes],
    }
    return render(request, "governance/settings.html", context, status=400 if form.errors else 200)


def form_of(
    library: Library, names: list[str] | tuple[str, ...] = SETTINGS, request: HttpRequest | None = None
) -> "ModelForm[Library]":
    sent = request.POST if request else None
    form = modelform_factory(Library, SettingsForm, fields=names)(sent, instance=library, label_suffix="")
    show_initial(form)
    return form


def restored(request: HttpRequest, row: SettingChange) -> str:
    restore(row, signed_in(request))
    return f"{label(row.field)} is as it was before"


def saved(form: "ModelForm[Library]", by: User) -> str:
    """Of two that save at once the second waits, and is told what the first has set."""
    with transaction.atomic():
        library = Library.objects.lock(form.instance.pk)
        names = change(library, changed(form, library), by)
    return f"Saved: {', '.join(map(label, names))}" if names else f"{library.name} was set like that already"


def bounds(validators: Iterable[Any]) -> dict[str, float]:
    """What a number's widget says of them: the narrowest `min` and `max`."""
    least = [found.limit_value for found in validators if isinstance(found, MinValueValidator)]
    most = [found.limit_value for found in validators if isinstance(found, MaxValueValidator)]
    return ({"min": max(least)} if least else {}) | ({"max": min(most)} if most else {})
