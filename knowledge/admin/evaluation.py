"""Golden questions, and what evaluations have measured."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from knowledge.access import Act, libraries_for
from knowledge.admin.base import OfLibrariesActedIn, OfReadableLibraries, ReadOnly
from knowledge.admin.meanwhile import OnlyChanges, changed_columns
from knowledge.golden import Question, as_json_lines, read_json_lines
from knowledge.governance import gold
from knowledge.http.bodies import SmallFormHandler
from knowledge.models import (
    EvaluationRun,
    GoldenQuestion,
    Library,
    VectorRecall,
)

LARGEST_IMPORT = 10_000_000  # bytes
LARGEST_FORM = LARGEST_IMPORT + 1024**2


class GoldenQuestionsHandler(SmallFormHandler):
    most = LARGEST_FORM


class GoldenQuestionsForm(forms.Form):
    """A file of golden questions for one of the libraries whose questions `user` may keep."""

    library = forms.ModelChoiceField(Library.objects.none())
    file = forms.FileField(help_text=f"JSON lines: id, question and gold. {LARGEST_IMPORT // 10**6} MB at most.")
    replace = forms.BooleanField(
        required=False, help_text="Switch off the library's questions that are not in the file."
    )

    def __init__(self, user: User, *args: Any) -> None:
        super().__init__(*args)
        library = self.fields["library"]
        assert isinstance(library, forms.ModelChoiceField)  # noqa: S101
        library.queryset = libraries_for(user, Act.EDIT)

    def clean_file(self) -> list[Question]:
        file = self.cleaned_data["file"]
        if file.size > LARGEST_IMPORT:
            raise forms.ValidationError(f"The file is larger than {LARGEST_IMPORT // 10**6} MB.")
        try:
            questions = read_json_lines(file.read().decode("utf-8-sig"), file.name)
        except UnicodeDecodeError as error:
            raise forms.ValidationError(f"{file.name} is no text in UTF-8: JSON lines are expected.") from error
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        if not questions:
            raise forms.ValidationError(f"{file.name} holds no question.")
        return questions


@admin.register(GoldenQuestion)
class GoldenQuestionAdmin(OfLibrariesActedIn, OfReadableLibraries):
    """They decide what a gate lets through: whoever may not keep them does not change them here, either."""

    act = Act.EDIT
    form = OnlyChanges
    list_display = ["__str__", "library", "kind", "place_count", "active", "changed_by", "changed_at"]
    list_filter = ["active", "kind", ("library", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["library", "changed_by"]
    search_fields = ["text", "identifier"]
    readonly_fields = ["created_by", "created_at", "changed_by", "changed_at"]
    actions = ["switch_on", "switch_off", "export"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """What runs know a question by stays."""
        return [*self.readonly_fields, *(["library", "identifier"] if obj else [])]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A place to fill in."""
        return {"gold": [{"file": ""}], **super().get_changeform_initial_data(request)}

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.changed_by = request.user
        if not change:
            obj.created_by = request.user
        obj.save(update_fields={"changed_by", "changed_at", *changed_columns(form)} if change else None)
        self.warn(request, obj.library, [obj.question])

    def warn(self, request: HttpRequest, library: Library, questions: list[Question]) -> None:
        if missing := gold.missing(library, questions):
            self.message_user(request, gold.said_missing(library, missing), messages.WARNING)

    @admin.display(description="places")
    def place_count(self, question: GoldenQuestion) -> int:
        return len(question.gold)

    @admin.action(description="Ask the selected questions", permissions=["change"])
    def switch_on(self, request: Any, questions: QuerySet[GoldenQuestion]) -> None:
        gold.switch(questions, request.user, on=True)

    @admin.action(description="Don't ask the selected questions", permissions=["change"])
    def switch_off(self, request: Any, questions: QuerySet[GoldenQuestion]) -> None:
        gold.switch(questions, request.user, on=False)

    @admin.action(description="Export the selected questions as JSON lines", permissions=["view"])
    def export(self, request: HttpRequest, questions: QuerySet[GoldenQuestion]) -> HttpResponse:
        lines = as_json_lines(row.question for row in questions.order_by("library", "identifier"))
        headers = {"Content-Disposition": 'attachment; filename="questions.jsonl"'}
        return HttpResponse(lines, content_type="application/jsonl; charset=utf-8", headers=headers)

    def get_urls(self) -> list[Any]:
        here = path("import/", self.admin_site.admin_view(self.take), name="knowledge_goldenquestion_import")
        return [here, *super().get_urls()]

    @method_decorator(csrf_exempt)  # until the handler is set: the middleware would have the form read
    def take(self, request: HttpRequest) -> HttpResponse:
        """Import from a file."""
        if may_import := self.has_add_permission(request) and self.has_change_permission(request):
            request.upload_handlers = [GoldenQuestionsHandler(request)]
        return self.taken(request, may_import)

    @method_decorator(csrf_protect)
    def taken(self, request: HttpRequest, may_import: bool) -> HttpResponse:
        if not (isinstance(request.user, User) and may_import):
            raise PermissionDenied
        form = GoldenQuestionsForm(request.user, request.POST or None, request.FILES or None)
        if form.is_valid():
            library, replace = form.cleaned_data["library"], form.cleaned_data["replace"]
            counts = gold.take(library, form.cleaned_data["file"], request.user, replace)
            said = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
            self.message_user(request, f"{library}: {said or 'no questions'}.")
            self.warn(request, library, form.cleaned_data["file"])
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
