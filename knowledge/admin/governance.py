"""Decisions, gates, the audit and what was asked: acts have left these rows, and nothing here changes them."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from knowledge.access import audit_of
from knowledge.admin.base import LookedAt, OfReadableLibraries, ReadableLibrariesFilter
from knowledge.models import (
    AuditEvent,
    Decision,
    GateRun,
    Invitation,
    LoggedQuery,
    PlannedActivation,
    QueryCount,
)


@admin.register(AuditEvent)
class AuditEventAdmin(LookedAt):
    list_display = ["number", "at", "actor", "action", "library", "snapshot", "path"]
    search_fields = ["=actor", "=action", "=library", "path"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        return audit_of(request.user)


@admin.register(Decision)
class DecisionAdmin(LookedAt, OfReadableLibraries):
    library_path = "snapshot__library"
    list_display = ["document_file", "snapshot", "verdict", "decided_by", "decided_at", "comment"]
    list_filter = ["verdict"]
    list_select_related = ["document_file", "snapshot__library", "decided_by"]
    search_fields = ["document_file__path", "comment"]


@admin.register(GateRun)
class GateRunAdmin(LookedAt, OfReadableLibraries):
    library_path = "snapshot__library"
    list_display = ["snapshot", "run_at", "questions", "recall", "passed", "fell", "overridden_by", "reason"]
    list_filter = ["passed"]
    list_select_related = ["snapshot__library", "overridden_by"]

    @admin.display(description="no longer answered")
    def fell(self, run: GateRun) -> int:
        return len(run.fallen)


@admin.register(PlannedActivation)
class PlannedActivationAdmin(LookedAt, OfReadableLibraries):
    library_path = "snapshot__library"
    list_display = ["snapshot", "at", "planned_by", "done_at", "outcome"]
    list_select_related = ["snapshot__library", "planned_by"]


@admin.register(QueryCount)
class QueryCountAdmin(LookedAt, OfReadableLibraries):
    list_display = ["library", "day", "searches", "questions", "refused", "degraded"]
    list_filter = [("library", ReadableLibrariesFilter)]
    list_select_related = ["library"]


@admin.register(LoggedQuery)
class LoggedQueryAdmin(LookedAt, OfReadableLibraries):
    list_display = ["asked_at", "library", "asked_by", "kind", "text"]
    list_filter = [("library", ReadableLibrariesFilter), "kind"]
    list_select_related = ["library", "asked_by"]
    search_fields = ["text"]


@admin.register(Invitation)
class InvitationAdmin(LookedAt, OfReadableLibraries):
    list_display = ["name", "role", "library", "invited_by", "created_at", "expires_at", "accepted_by"]
    list_filter = ["role"]
    list_select_related = ["library", "invited_by", "accepted_by"]
