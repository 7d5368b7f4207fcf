"""Jobs and answers: what was done, and what was said."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from knowledge.access import may_read_ledger
from knowledge.admin.base import NamedValuesFilter, OfReadableLibraries, ReadableLibrariesFilter, ReadOnly
from knowledge.models import (
    Answer,
    AnswerCitation,
    Job,
    JobEvent,
)
from knowledge.models.job_states import PAUSED, WITH_REJECTIONS, outcome_in_sql
from knowledge.models.ledger import BROKE_OFF


class JobEventInline(ReadOnly, admin.TabularInline):
    model = JobEvent
    readonly_fields = ["at", "level", "stage", "message", "data"]
    extra = 0


class OutcomeFilter(admin.SimpleListFilter):
    """By what the list shows as the state."""

    title, parameter_name = "state", "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(outcome, outcome) for outcome in (*Job.State.values, WITH_REJECTIONS, PAUSED)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        return queryset.alias(told=outcome_in_sql()).filter(told=self.value()) if self.value() else queryset


@admin.register(Job)
class JobAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["id", "kind", "library", "said", "stage", "attempts", "event_count", "created_at", "finished_at"]
    list_filter = [OutcomeFilter, "kind", ("library", ReadableLibrariesFilter)]
    list_select_related = ["library"]
    search_fields = ["library__slug", "message"]
    inlines = [JobEventInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        return super().get_queryset(request).annotate(event_count=Count("events"))

    @admin.display(description="state", ordering="state")
    def said(self, job: Job) -> str:
        return job.outcome

    @admin.display(description="events", ordering="event_count")
    def event_count(self, job: Any) -> int:
        return job.event_count


class AnswerCitationInline(ReadOnly, admin.TabularInline):
    model = AnswerCitation
    fields = readonly_fields = ("n", "quote", "library", "path", "version", "line_start", "line_end", "verified")
    extra = 0

    @admin.display(description="SHA-256")
    def version(self, citation: AnswerCitation) -> str:
        return citation.sha256[:12]


class AnsweredFilter(admin.SimpleListFilter):
    """By the documents, or not; or these could not be searched."""

    title, parameter_name = "answered", "answered"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "yes"), ("no", "no"), ("broken-off", "the search broke off")]

    def queryset(self, request: HttpRequest, queryset: Any) -> QuerySet[Answer]:
        match self.value():
            case "yes":
                return queryset.filter(refused=False)
            case "no":
                return queryset.unanswered()
            case "broken-off":
                return queryset.filter(BROKE_OFF)
        return queryset


@admin.register(Answer)
class AnswerAdmin(ReadOnly, admin.ModelAdmin):
    """The ledger as it is kept, word for word, whoever asked: for administrators, whatever permission staff have."""

    list_display = ["__str__", "asked_by", "asked_at", "answered", "liked", "model", "citation_count"]
    list_filter = [AnsweredFilter, "liked", ("model", NamedValuesFilter)]
    list_select_related = ["asked_by"]
    search_fields = ["question", "text", "remark"]
    date_hierarchy = "asked_at"
    inlines = [AnswerCitationInline]

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return may_read_ledger(request.user)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Answer]:
        return super().get_queryset(request).annotate(citation_count=Count("citations"))

    def view_on_site(self, answer: Answer) -> str:
        return reverse("answer", args=[answer.pk])

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """The link to its page is for whom that page is there: a conversation is its owner's alone."""
        response: Any = super().render_change_form(request, context, *args, **kwargs)
        answer = context.get("original")
        if not (answer and Answer.objects.open_to(request.user, "").filter(pk=answer.pk).exists()):
            response.context_data["has_absolute_url"] = False
        return response

    @admin.display(boolean=True, ordering="refused")
    def answered(self, answer: Answer) -> bool:
        return not answer.refused

    @admin.display(description="citations", ordering="citation_count")
    def citation_count(self, answer: Any) -> int:
        return answer.citation_count
