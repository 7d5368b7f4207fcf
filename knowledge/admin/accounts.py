"""Accounts and their roles."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from knowledge.access import Act
from knowledge.admin.base import OfLibrariesActedIn, OfReadableLibraries, ReadableLibrariesFilter
from knowledge.models import Library, Membership


@admin.register(Membership)
class MembershipAdmin(OfLibrariesActedIn, OfReadableLibraries):
    act = Act.MANAGE
    list_display = ["user", "library", "role", "created_at"]
    list_filter = ["role", ("library", ReadableLibrariesFilter)]
    list_select_related = ["user", "library"]
    search_fields = ["user__username"]
    autocomplete_fields = ["user", "library"]

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        Library.objects.lock_all(queryset.order_by().values("library"))
        super().delete_queryset(request, queryset)


class MembershipInline(OfLibrariesActedIn, admin.TabularInline):
    act = Act.MANAGE
    model = Membership
    extra = 0
    autocomplete_fields = ["library"]


class MemberAdmin(UserAdmin):
    """An account is switched off rather than deleted: what it decided stays."""

    inlines = [MembershipInline]
    list_display = ["username", "first_name", "last_name", "is_active", "is_staff", "is_superuser", "last_login"]

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Before the account's own event in the audit: roles in any library may be saved with it."""
        Library.objects.lock_all(Library.objects.values("pk"))
        super().save_model(request, obj, form, change)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


admin.site.unregister(User)
admin.site.register(User, MemberAdmin)
