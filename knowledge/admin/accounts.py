"""Accounts and their roles."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.options import BaseModelAdmin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from knowledge.access import Act, libraries_for
from knowledge.admin.base import OfReadableLibraries, ReadableLibrariesFilter
from knowledge.models import Membership


class OfManagedLibraries(BaseModelAdmin):
    """Roles are seen, given and taken by who manages their library."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(library__in=libraries_for(request.user, Act.MANAGE))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "library":
            kwargs["queryset"] = libraries_for(request.user, Act.MANAGE)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


@admin.register(Membership)
class MembershipAdmin(OfManagedLibraries, OfReadableLibraries):
    list_display = ["user", "library", "role", "created_at"]
    list_filter = ["role", ("library", ReadableLibrariesFilter)]
    list_select_related = ["user", "library"]
    search_fields = ["user__username"]
    autocomplete_fields = ["user", "library"]


class MembershipInline(OfManagedLibraries, admin.TabularInline):
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
