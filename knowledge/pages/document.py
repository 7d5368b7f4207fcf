"""A document behind the scenes: versions, chunks, history, who may see it, what was answered from it."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.contrib.postgres.forms import SimpleArrayField
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from knowledge.access import Act, demand, libraries_for
from knowledge.governance import past_access
from knowledge.governance.differences import FileChange, text_diff
from knowledge.governance.withdrawal import demand_as_shown, govern, last_act
from knowledge.http.methods import require_http_methods, require_safe
from knowledge.models import (
    Answer,
    AuditEvent,
    Chunk,
    DocumentFile,
    FileVersion,
    Library,
)
from knowledge.numbers import whole_number
from knowledge.pages.audit import openable
from knowledge.pages.governed import PAGE, carried_out, governed, moment, signed_in
from knowledge.pages.meanwhile import changed, show_initial
from knowledge.spellings import account_name, of_path
from knowledge.wording import standing

TABS = ("details", "versions", "chunks", "history", "permissions", "answers")
TAGS, LONGEST_TAG = 20, DocumentFile._meta.get_field("tags").base_field.max_length


class AccountField(forms.ModelChoiceField):
    """An account, by its username."""

    def to_python(self, value: Any) -> User | None:
        return super().to_python(account_name(value) if isinstance(value, str) else value)


class TagsField(SimpleArrayField):
    """In their order, each once; a comma too many says nothing."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return sorted({*super().to_python(value)} - {""})


class DetailsForm(forms.ModelForm):
    owner = AccountField(
        User.objects.filter(is_active=True),
        to_field_name="username",
        required=False,
        widget=forms.TextInput({"autocapitalize": "none"}),
        help_text="A username.",
        error_messages={"invalid_choice": "Nobody who may read this library is called %(value)s."},
    )
    review_by = forms.DateField(
        label="To be looked at again by",
        required=False,
        widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
        error_messages={"invalid": "That is no date."},
    )
    tags = TagsField(
        forms.CharField(max_length=LONGEST_TAG),
        max_length=TAGS,
        required=False,
        help_text="Separated by commas.",
        error_messages={"item_invalid": "One cannot be kept:"},
    )

    class Meta:
        model = DocumentFile
        fields = ("owner", "review_by", "tags")

    def clean_owner(self) -> User | None:
        owner: User | None = self.cleaned_data["owner"]
        if owner and "owner" in self.changed_data and self.instance.library not in libraries_for(owner, Act.READ):
            field = self.fields["owner"]
            raise forms.ValidationError(field.error_messages["invalid_choice"], params={"value": owner.get_username()})
        return owner


@require_http_methods(["GET", "HEAD", "POST"])
@governed(Act.INSPECT)
def document_page(request: HttpRequest, library: Library, acts: frozenset[Act], path: str) -> HttpResponse:
    if "\0" in path:
        raise Http404
    document = get_object_or_404(of_path(library.document_files.select_related("library", "owner"), path))
    if request.method == "POST":
        if carried_out(request, lambda: kept(request, document, acts)):
            return redirect(request.get_full_path())
        document.refresh_from_db()
    tab = request.GET.get("tab", "details")
    if tab not in TABS:
        raise Http404
    active = document.active_version()
    context = {"library": library, "document": document, "tab": tab, "tabs": TABS, "acts": acts, "active": active}
    return render(request, "governance/document.html", context | shown(request, document, tab, acts, active))


@require_safe
@governed(Act.INSPECT)
def withdrawn(request: HttpRequest, library: Library, acts: frozenset[Act]) -> HttpResponse:
    """The library's files that nobody sees, in the trash or not, and apart what was erased: the last one first."""
    rows = library.document_files.select_related("library").order_by("-withdrawn_at", "path")
    documents = Paginator(rows.withdrawn(), PAGE).get_page(request.GET.get("page"))
    erased = Paginator(rows.erased(), PAGE).get_page(request.GET.get("erased"))
    context = {"library": library, "documents": documents, "erased": erased}
    return render(request, "governance/withdrawn.html", context)


@transaction.atomic
def kept(request: HttpRequest, document: DocumentFile, acts: frozenset[Act]) -> str:
    user, do = signed_in(request), request.POST.get("do", "")
    if do == "keep":
        demand(user, Act.EDIT, document.library)
        mine = DocumentFile.objects.select_for_update(of=("self",)).select_related("library", "owner")
        keep(form_of(document, request.POST), mine.get(pk=document.pk))
        return "Saved"
    demand_as_shown(document, user, whole_number(request.POST.get("last", "")))
    govern(document, do, user, request.POST.get("reason", ""))
    return f"{document} is {standing(document)}"


def keep(sent: DetailsForm, document: DocumentFile) -> None:
    """Set what was changed. Raises ValueError where it cannot be, or somebody else has meanwhile changed the same."""
    if not sent.is_valid():
        told = (f"{sent[name].label}: {' '.join(map(str, found))}" for name, found in sent.errors.items())
        raise ValueError(f"nothing was saved: {' '.join(told)}".removesuffix("."))
    values = changed(sent, document)
    for name, value in values.items():
        setattr(document, name, value)
    document.save(update_fields=values)


def form_of(document: DocumentFile, sent: Mapping[str, Any] | None = None) -> DetailsForm:
    form = DetailsForm(sent, instance=document, initial={"owner": document.owner}, label_suffix="")
    show_initial(form)
    return form


def form_anew(document: DocumentFile, sent: Mapping[str, Any]) -> DetailsForm:
    """As it was refused: beside what is stored by now, what was changed as it was typed."""
    typed: dict[str, Any] = {}
    is_changed = form_of(document, sent).changed_data
    document.refresh_from_db()
    for field in form_of(document):
        stored = field.field.widget.format_value(field.value()) or ""
        typed[field.html_initial_name] = stored
        typed[field.html_name] = sent.get(field.html_name, stored) if field.name in is_changed else stored
    return form_of(document, typed)


def shown(
    request: HttpRequest, document: DocumentFile, tab: str, acts: frozenset[Act], active: FileVersion | None
) -> dict[str, Any]:
    """What this tab shows, and nothing of the others."""
    if tab == "versions":
        versions = document.versions.defer("text").order_by("-pk")[:50]
        return {"versions": versions, "sections": compared(request, document)}
    if tab == "chunks":
        chunks = Chunk.objects.filter(file_version=active).select_related("section").order_by("ordinal")
        return {"chunks": Paginator(chunks, PAGE).get_page(request.GET.get("page"))}
    if tab == "history":
        if Act.AUDIT not in acts:
            return {"decisions": document.decisions.select_related("snapshot", "decided_by")[:PAGE]}
        events = AuditEvent.objects.about(document.library.slug, document.path)
        return {
            "events": openable(request.user, Paginator(events, PAGE).get_page(request.GET.get("page"))),
            "decisions": document.decisions.select_related("snapshot", "decided_by")[:PAGE],
        }
    if tab == "permissions":
        try:
            at = moment(request.GET["at"]) if request.GET.get("at") else timezone.now()
        except ValueError as error:
            raise Http404 from error
        return {"past_access": past_access.who_could_see(document, at)}
    if tab == "answers":
        used = Answer.objects.filter(citations__file_version__document_file=document).distinct()
        rows = used.prefetch_related("citations__file_version").order_by("-pk")
        return {"answers": Paginator(rows, 25).get_page(request.GET.get("page")), "may_read": Act.AUDIT in acts}
    form = form_anew(document, request.POST) if request.POST.get("do") == "keep" else form_of(document)
    last = last_act(document)
    return {"form": form, "sent": request.POST, "last": last.number if last else 0}


def compared(request: HttpRequest, document: DocumentFile) -> list[Any]:
    """The text of two of its versions, section by section."""
    keys = [whole_number(request.GET.get(name, "")) for name in ("before", "after")]
    if None in keys:
        return []
    before, after = (get_object_or_404(document.versions, pk=key) for key in keys)
    change = FileChange(document.path, "changed", (document.pk,), before.pk, after.pk, after.sha256)
    return text_diff(change)
