"""Governance, not editing: libraries are decided here; what was built from them can be looked at."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.debug import sensitive_post_parameters

from knowledge.access import NotAllowed, is_administrator
from knowledge.dashboard import with_health
from knowledge.golden import Question, as_json_lines, read_json_lines
from knowledge.governance_admin import EstimatingPaginator
from knowledge.models import (
    Answer,
    AnswerCitation,
    CredentialError,
    DocumentFile,
    EvaluationRun,
    FileVersion,
    GoldenQuestion,
    Job,
    JobEvent,
    Library,
    Snapshot,
    SourceCredential,
    VectorRecall,
)
from knowledge.models.credential import checked

admin.site.site_header = admin.site.site_title = "Muniment"
admin.site.index_title = "Governance"

LARGEST_IMPORT = 10_000_000  # bytes

# django-q2's own pages can run any dotted path.
for model in apps.get_app_config("django_q").get_models():
    if admin.site.is_registered(model):
        admin.site.unregister(model)


class OfReadableLibraries(admin.ModelAdmin):
    """A permission says what kind of rows somebody may look at; which, the libraries that they may read."""

    library_path = "library"
    paginator = EstimatingPaginator
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        readable = Library.objects.readable_by(request.user)
        if is_administrator(request.user):
            return super().get_queryset(request)
        return super().get_queryset(request).filter(**{f"{self.library_path}__in": readable})


class ReadOnly:
    """Built rows are written once: nobody adds, changes or deletes them by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class GoldenQuestionsForm(forms.Form):
    """A file of golden questions for one of the libraries that `user` may read."""

    library = forms.ModelChoiceField(Library.objects.none())
    file = forms.FileField(help_text="JSON lines: id, question and gold.")
    replace = forms.BooleanField(
        required=False, help_text="Switch off the library's questions that are not in the file."
    )

    def __init__(self, user: User, *args: Any) -> None:
        super().__init__(*args)
        library = self.fields["library"]
        assert isinstance(library, forms.ModelChoiceField)  # noqa: S101
        library.queryset = Library.objects.readable_by(user)

    def clean_file(self) -> list[Question]:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_IMPORT:
            raise forms.ValidationError(f"The file is larger than {LARGEST_IMPORT // 10**6} MB.")
        try:
            return read_json_lines(file.read().decode(), file.name)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error


class LibraryForm(forms.ModelForm):
    """A library and, write-only, what opens its git source."""

    token_user = forms.CharField(
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        help_text="The user that the token belongs to, where the host asks.",
    )
    token = forms.CharField(
        required=False,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="HTTPS: an access token that may read. It is sealed and never shown again.",
    )
    token_variable = forms.CharField(
        required=False, help_text="HTTPS: instead of a token, the environment variable that holds it."
    )
    new_deploy_key = forms.BooleanField(
        required=False, help_text="SSH: make a new pair of keys; its public half is shown below afterwards."
    )
    forget_credential = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        ways = ("token", "token_variable", "new_deploy_key", "forget_credential")
        chosen = [way for way in ways if values.get(way)]
        if len(chosen) > 1:
            raise forms.ValidationError("Give a token, a variable or a deploy key: one of them.")
        if chosen and (values.get("kind") or self.instance.kind) != Library.Kind.GIT:
            raise forms.ValidationError("Only a git library has a credential.")
        try:
            if values.get("token"):
                checked(values["token"])
        except CredentialError as error:
            raise forms.ValidationError({"token": str(error)}) from error
        if values.get("token_variable") and not values["token_variable"].isidentifier():
            raise forms.ValidationError({"token_variable": "That is not the name of an environment variable."})
        return values

    def set_credential(self, library: Library) -> None:
        values = self.cleaned_data
        if values.get("token"):
            SourceCredential.token(library, values["token"], values["token_user"])
        elif values.get("token_variable"):
            SourceCredential.in_variable(library, values["token_variable"], values["token_user"])
        elif values.get("new_deploy_key"):
            SourceCredential.deploy_key(library)
        elif values.get("forget_credential"):
            SourceCredential.objects.filter(library=library).delete()


@admin.register(Library)
class LibraryAdmin(admin.ModelAdmin):
    form = LibraryForm
    list_display = [
        "slug",
        "name",
        "kind",
        "access",
        "requires_review",
        "active",
        "document_count",
        "drift",
        "withdrawn",
        "waits",
        "gate",
        "job",
    ]
    list_filter = ["kind", "access", "requires_review"]
    list_select_related = ["active_snapshot__library", "active_snapshot__profile", "active_snapshot__space"]
    search_fields = ["slug", "name"]  # not the location: it may hold a secret, and a search is a guess confirmed
    filter_horizontal = ["groups"]
    readonly_fields = ["active", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Library]:
        return with_health(super().get_queryset(request))

    def get_readonly_fields(self, request: HttpRequest, obj: Library | None = None) -> list[str]:
        """A library's name and source in the index don't change under its snapshots."""
        built = ["slug", "kind", "credential_now", "drift"] if obj else []
        return [*self.readonly_fields, "source", *built]

    def get_fields(self, request: HttpRequest, obj: Library | None = None) -> list[Any]:
        """Who may look but not change sees the source without its secret."""
        fields = super().get_fields(request, obj)
        looks_on = obj is not None and not self.has_change_permission(request, obj)
        hidden = {"source", *(LibraryForm.base_fields.keys() - self.model_fields() if looks_on else ())}
        return ["source" if field == "location" and looks_on else field for field in fields if field not in hidden]

    def model_fields(self) -> set[str]:
        return {field.name for field in self.model._meta.get_fields()}

    @method_decorator(sensitive_post_parameters("token"))
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().changeform_view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        form.set_credential(obj)

    @admin.display(description="credential")
    def credential_now(self, library: Library) -> str:
        """Its kind and, of a pair of keys, the public half."""
        credential = SourceCredential.objects.filter(library=library).first()
        if credential is None:
            return "none"
        since = f"{credential}, since {credential.changed_at:%d %b %Y}"
        return f"{since}: {credential.public_key or credential.variable}".rstrip(": ")

    @admin.display(description="changed since it was built")
    def drift(self, library: Library) -> str:
        return "; ".join(map(str, library.drift())) or "nothing"

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="active snapshot", ordering="active_snapshot__number")
    def active(self, library: Library) -> int | None:
        return library.active_snapshot.number if library.active_snapshot else None

    @admin.display(description="documents")
    def document_count(self, library: Library) -> int:
        return library.active_snapshot.document_count if library.active_snapshot else 0

    @admin.display(description="withdrawn")
    def withdrawn(self, library: Any) -> int:
        return library.withdrawn or 0

    @admin.display(description="waits for review")
    def waits(self, library: Any) -> str:
        if library.waiting is None:
            return "–"
        address = reverse("review", args=[library.slug])
        return format_html('<a href="{}?snapshot={}">snapshot {}</a>', address, library.waiting, library.waiting)

    @admin.display(description="gate", boolean=True)
    def gate(self, library: Any) -> bool | None:
        return library.gate_passed

    @admin.display(description="last job")
    def job(self, library: Any) -> str:
        return library.last_job or "–"


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(OfReadableLibraries):
    list_display = ["__str__", "library", "kind", "place_count", "active", "changed_by", "changed_at"]
    list_filter = ["active", "kind", ("library", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["library", "changed_by"]
    search_fields = ["text", "identifier"]
    readonly_fields = ["created_by", "created_at", "changed_by", "changed_at"]
    actions = ["switch_on", "switch_off", "export"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """What runs know a question by stays."""
        return [*self.readonly_fields, *(["library", "identifier"] if obj else [])]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "library":
            kwargs["queryset"] = Library.objects.readable_by(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.changed_by = request.user
        if not change:
            obj.created_by = request.user
        super().save_model(request, obj, form, change)

    @admin.display(description="places")
    def place_count(self, question: GoldenQuestion) -> int:
        return len(question.gold)

    @admin.action(description="Ask the selected questions", permissions=["change"])
    def switch_on(self, request: HttpRequest, questions: QuerySet[GoldenQuestion]) -> None:
        questions.update(active=True, changed_by=request.user, changed_at=timezone.now())

    @admin.action(description="Don't ask the selected questions", permissions=["change"])
    def switch_off(self, request: HttpRequest, questions: QuerySet[GoldenQuestion]) -> None:
        questions.update(active=False, changed_by=request.user, changed_at=timezone.now())

    @admin.action(description="Export the selected questions as JSON lines", permissions=["view"])
    def export(self, request: HttpRequest, questions: QuerySet[GoldenQuestion]) -> HttpResponse:
        lines = as_json_lines(row.question for row in questions.order_by("library", "identifier"))
        headers = {"Content-Disposition": 'attachment; filename="questions.jsonl"'}
        return HttpResponse(lines, content_type="application/jsonl; charset=utf-8", headers=headers)

    def get_urls(self) -> list[Any]:
        here = path("import/", self.admin_site.admin_view(self.take), name="knowledge_goldenquestion_import")
        return [here, *super().get_urls()]

    def take(self, request: HttpRequest) -> HttpResponse:
        """Import from a file."""
        may_import = self.has_add_permission(request) and self.has_change_permission(request)
        if not (isinstance(request.user, User) and may_import):
            raise PermissionDenied
        form = GoldenQuestionsForm(request.user, request.POST or None, request.FILES or None)
        if form.is_valid():
            library, replace = form.cleaned_data["library"], form.cleaned_data["replace"]
            counts = GoldenQuestion.objects.take(library, form.cleaned_data["file"], request.user, replace)
            said = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
            self.message_user(request, f"{library}: {said or 'no questions'}.")
            return redirect("admin:knowledge_goldenquestion_changelist")
        context = {**self.admin_site.each_context(request), "title": "Import golden questions", "form": form}
        return render(request, "admin/knowledge/goldenquestion/import.html", {**context, "opts": self.opts})


@admin.register(EvaluationRun)
class EvaluationRunAdmin(ReadOnly, OfReadableLibraries):
    """Question by question, a run is on its library's page of quality."""

    list_display = ["id", "set_name", "library", "snapshot_number", "queries", "code", "run_by", "run_at"]
    list_filter = [("library", admin.RelatedOnlyFieldListFilter), "set_name"]
    list_select_related = ["library", "run_by"]
    search_fields = ["set_name", "library__slug", "code", "profile_hash"]


@admin.register(VectorRecall)
class VectorRecallAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["library", "snapshot_number", "asked", "share", "queries", "recall", "lowest", "measured_at"]
    list_filter = [("library", admin.RelatedOnlyFieldListFilter), "asked"]
    list_select_related = ["library"]
    search_fields = ["library__slug"]


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["__str__", "state", "active", "document_count", "chunk_count", "short_revision", "sealed_at"]
    list_filter = ["state", "library"]
    list_select_related = ["library"]
    search_fields = ["library__slug", "revision", "manifest_hash"]

    @admin.display(description="revision")
    def short_revision(self, snapshot: Snapshot) -> str:
        return snapshot.revision[:12]

    @admin.display(boolean=True)
    def active(self, snapshot: Snapshot) -> bool:
        return snapshot.is_active


class ReasonForm(ActionForm):
    reason = forms.CharField(required=False, max_length=500, help_text="For withdrawing.")


@admin.register(DocumentFile)
class DocumentFileAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["path", "library", "state", "version_count", "owner", "review_by", "tags", "created_at"]
    list_filter = ["library", ("withdrawn_at", admin.EmptyFieldListFilter), ("trashed_at", admin.EmptyFieldListFilter)]
    list_select_related = ["library", "owner"]
    search_fields = ["path"]
    ordering = ["library_id", "path"]
    actions = ["withdraw", "restore"]
    action_form = ReasonForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentFile]:
        versions = FileVersion.objects.filter(document_file=OuterRef("pk")).order_by().values("document_file")
        counted = Subquery(versions.annotate(n=Count("pk")).values("n"))
        return super().get_queryset(request).annotate(version_count=counted)

    @admin.display(description="versions")
    def version_count(self, document: Any) -> int:
        return document.version_count or 0

    @admin.action(description="Withdraw the selected files at once")
    def withdraw(self, request: HttpRequest, documents: QuerySet[DocumentFile]) -> None:
        reason = request.POST.get("reason", "")
        self.govern(request, documents, lambda document: document.withdraw(request.user, reason))

    @admin.action(description="Restore the selected files")
    def restore(self, request: HttpRequest, documents: QuerySet[DocumentFile]) -> None:
        self.govern(request, documents, lambda document: document.restore(request.user))

    def govern(
        self, request: HttpRequest, documents: QuerySet[DocumentFile], act: Callable[[DocumentFile], None]
    ) -> None:
        try:
            with transaction.atomic():
                for document in documents.select_related("library"):
                    act(document)
        except (NotAllowed, ValueError) as error:
            self.message_user(request, f"{error}.", messages.ERROR)
        else:
            self.message_user(request, f"{documents.count()} files.")


@admin.register(FileVersion)
class FileVersionAdmin(ReadOnly, OfReadableLibraries):
    library_path = "document_file__library"
    list_display = ["__str__", "library", "media_type", "line_count", "section_count", "chunk_count", "created_at"]
    list_filter = ["document_file__library"]
    list_select_related = ["document_file__library"]
    search_fields = ["document_file__path", "=sha256"]
    ordering = ["-pk"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[FileVersion]:
        rows = super().get_queryset(request)
        changelist = request.resolver_match and request.resolver_match.url_name == "knowledge_fileversion_changelist"
        return rows.defer("text", "warnings") if changelist else rows

    @admin.display(ordering="document_file__library")
    def library(self, version: FileVersion) -> str:
        return version.document_file.library.slug


class JobEventInline(ReadOnly, admin.TabularInline):
    model = JobEvent
    readonly_fields = ["at", "level", "stage", "message", "data"]
    extra = 0


@admin.register(Job)
class JobAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["id", "kind", "library", "state", "stage", "attempts", "event_count", "created_at", "finished_at"]
    list_filter = ["state", "kind", "library"]
    list_select_related = ["library"]
    search_fields = ["library__slug", "message"]
    inlines = [JobEventInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        return super().get_queryset(request).annotate(event_count=Count("events"))

    @admin.display(description="events", ordering="event_count")
    def event_count(self, job: Any) -> int:
        return job.event_count


class AnswerCitationInline(ReadOnly, admin.TabularInline):
    model = AnswerCitation
    fields = readonly_fields = ("n", "quote", "library", "path", "sha256", "line_start", "line_end", "verified")
    extra = 0


@admin.register(Answer)
class AnswerAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ["__str__", "asked_by", "asked_at", "refused", "model", "citation_count"]
    list_filter = ["refused", "model"]
    list_select_related = ["asked_by"]
    search_fields = ["question", "text"]
    date_hierarchy = "asked_at"
    inlines = [AnswerCitationInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Answer]:
        return super().get_queryset(request).annotate(citation_count=Count("citations"))

    @admin.display(description="citations", ordering="citation_count")
    def citation_count(self, answer: Any) -> int:
        return answer.citation_count
