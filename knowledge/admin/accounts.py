"""Accounts and their roles."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpRequest

from knowledge.access import Act
from knowledge.admin.base import OfLibrariesActedIn, OfReadableLibraries, ReadableLibrariesFilter
from knowledge.models import Membership


@admin.register(Membership)
class MembershipAdmin(OfLibrariesActedIn, OfReadableLibraries):
    act = Act.MANAGE
    list_display = ["user", "library", "role", "created_at"]
    list_filter = ["role", ("library", ReadableLibrariesFilter)]
    list_select_related = ["user", "library"]
    search_fields = ["user__username"]
    autocomplete_fields = ["user", "library"]


class MembershipInline(OfLibrariesActedIn, admin.TabularInline):
    act = Act.MANAGE
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
