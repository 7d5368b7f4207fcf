"""What a library is set to, how that came to be, and back."""

from django.core.paginator import Paginator
from django.forms import ModelForm, modelform_factory
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods

from knowledge.access import Act
from knowledge.governance.settings import change, restore
from knowledge.models import Library, SettingChange
from knowledge.models.tuning import GATES, RETENTION, RETRIEVAL, SETTINGS
from knowledge.numbers import whole_number
from knowledge.pages.governed import PAGE, governed, said, signed_in

GROUPS = {"Retrieval": RETRIEVAL, "Retention": RETENTION, "Gates": GATES}


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.MANAGE)
def settings_page(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    """“save” sets everything; “tune”, as the playground sends it, only the settings of retrieval that were sent."""
    form = form_of(library)
    do = request.POST.get("do", "")
    if do == "restore":
        row = get_object_or_404(library.setting_changes.all(), pk=whole_number(request.POST.get("change", "")))
        said(request, lambda: restored(request, row))
        return redirect("settings", library.slug)
    if request.method == "POST":
        names = [name for name in RETRIEVAL if name in request.POST] if do == "tune" else SETTINGS
        sent = form_of(Library.objects.get(pk=library.pk), names, request)
        if sent.is_valid():
            said(request, lambda: saved(library, change(library, sent.cleaned_data, signed_in(request))))
            return redirect("settings", library.slug)
        form = sent
    changes = Paginator(library.setting_changes.all(), PAGE).get_page(request.GET.get("page"))
    context = {
        "library": library,
        "form": form,
        "groups": [(title, [form[name] for name in names if name in form.fields]) for title, names in GROUPS.items()],
        "changes": changes,
        "rows": [(row, label(row.field), row.field in SETTINGS) for row in changes],
    }
    return render(request, "governance/settings.html", context, status=400 if form.errors else 200)


def form_of(
    library: Library, names: list[str] | tuple[str, ...] = SETTINGS, request: HttpRequest | None = None
) -> "ModelForm[Library]":
    return modelform_factory(Library, fields=names)(
        request.POST if request else None, instance=library, label_suffix=""
    )


def restored(request: HttpRequest, row: SettingChange) -> str:
    restore(row, signed_in(request))
    return f"{label(row.field)} is as it was before"


def saved(library: Library, changed: list[str]) -> str:
    names = ", ".join(label(name) for name in changed)
    return f"Saved: {names}" if changed else f"{library.name} was set like that already"


def label(name: str) -> str:
    """As the form calls it; a field that is no more, by its name."""
    verbose = {field.name: field.verbose_name for field in Library._meta.fields}
    return capfirst(str(verbose.get(name, name)))
