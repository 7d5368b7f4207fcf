"""Governance in the admin: members, decisions, gates, the audit. Nothing here changes what was decided."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import cached_property

from knowledge.models import (
    AuditEvent,
    Decision,
    GateRun,
    IndexProfile,
    Invitation,
    LoggedQuery,
    Membership,
    PlannedActivation,
    QueryCount,
)

COUNTED = 10_000  # rows; of more, a list says roughly how many


class EstimatingPaginator(Paginator):
    """Counts what can be counted quickly. A whole large table is as long as Postgres's statistics say."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        most = rows.order_by()[: COUNTED + 1].count()
        if most <= COUNTED:
            return most
        if rows.query.where:
            return self.estimated(rows)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass", [rows.model._meta.db_table]
            )
            return max(most, cursor.fetchone()[0])

    @staticmethod
    def estimated(rows: Any) -> int:
        """What the planner expects of a filter."""
        sql, parameters = rows.order_by().values("pk").query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", parameters)
            found = cursor.fetchone()[0]
        return max(COUNTED + 1, int(found[0]["Plan"]["Plan Rows"]))


class LookedAt(admin.ModelAdmin):
    """Rows that acts have left: nobody adds, changes or deletes them by hand."""

    paginator = EstimatingPaginator
    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(AuditEvent)
class AuditEventAdmin(LookedAt):
    list_display = ["number", "at", "actor", "action", "library", "snapshot", "path"]
    search_fields = ["=actor", "=action", "=library", "path"]


@admin.register(Decision)
class DecisionAdmin(LookedAt):
    list_display = ["document_file", "snapshot", "verdict", "decided_by", "decided_at", "comment"]
    list_filter = ["verdict"]
    list_select_related = ["document_file", "snapshot__library", "decided_by"]
    search_fields = ["document_file__path", "comment"]


@admin.register(GateRun)
class GateRunAdmin(LookedAt):
    list_display = ["snapshot", "run_at", "questions", "recall", "passed", "fell", "overridden_by", "reason"]
    list_filter = ["passed"]
    list_select_related = ["snapshot__library", "overridden_by"]

    @admin.display(description="no longer answered")
    def fell(self, run: GateRun) -> int:
        return len(run.fallen)


@admin.register(PlannedActivation)
class PlannedActivationAdmin(LookedAt):
    list_display = ["snapshot", "at", "planned_by", "done_at", "outcome"]
    list_select_related = ["snapshot__library", "planned_by"]


@admin.register(QueryCount)
class QueryCountAdmin(LookedAt):
    list_display = ["library", "day", "searches", "questions", "refused", "degraded"]
    list_filter = ["library"]
    list_select_related = ["library"]


@admin.register(LoggedQuery)
class LoggedQueryAdmin(LookedAt):
    list_display = ["asked_at", "library", "asked_by", "kind", "text"]
    list_filter = ["library", "kind"]
    list_select_related = ["library", "asked_by"]
    search_fields = ["text"]


@admin.register(Invitation)
class InvitationAdmin(LookedAt):
    list_display = ["name", "role", "library", "invited_by", "created_at", "expires_at", "accepted_by"]
    list_filter = ["role"]
    list_select_related = ["library", "invited_by", "accepted_by"]


@admin.register(IndexProfile)
class IndexProfileAdmin(LookedAt):
    list_display = ["__str__", "created_at", "structure", "lexical"]

    @admin.display(description="structure")
    def structure(self, profile: IndexProfile) -> str:
        return profile.structure_hash[:12] if "parsers" in profile.settings else "–"

    @admin.display(description="words")
    def lexical(self, profile: IndexProfile) -> str:
        return profile.lexical_hash[:12] if "analysis" in profile.settings else "–"


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = ["user", "library", "role", "created_at"]
    list_filter = ["role", "library"]
    list_select_related = ["user", "library"]
    search_fields = ["user__username"]
    autocomplete_fields = ["user", "library"]


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["library"]


class MemberAdmin(UserAdmin):
    """An account is switched off rather than deleted: what it decided stays."""

    inlines = [MembershipInline]
    list_display = ["username", "first_name", "last_name", "is_active", "is_staff", "is_superuser", "last_login"]

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


admin.site.unregister(User)
admin.site.register(User, MemberAdmin)
