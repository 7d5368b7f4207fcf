"""Accounts, their groups and their roles."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import BaseModelAdmin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from knowledge.access import Act, administrators, is_administrator
from knowledge.admin.base import OfLibrariesActedIn, OfReadableLibraries, ReadableLibrariesFilter
from knowledge.admin.meanwhile import OnlyChanges, changed_columns
from knowledge.models import Library, Membership, Role


@admin.register(Membership)
class MembershipAdmin(OfLibrariesActedIn, OfReadableLibraries):
    act = Act.MANAGE
    form = OnlyChanges
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
    form = OnlyChanges
    extra = 0
    autocomplete_fields = ["library"]


class OfAdministrators(BaseModelAdmin):
    """Accounts, and what they may do, are decided by administrators; who else has the permissions looks on."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_administrator(request.user) and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_administrator(request.user) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_administrator(request.user) and super().has_delete_permission(request, obj)


class MemberForm(OnlyChanges, UserChangeForm):
    """An account, and the roles that it has everywhere."""

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        groups = values.get("groups") or ()  # none where one of them is gone
        is_one = values.get("is_superuser") or any(group.name == Role.ADMINISTRATOR for group in groups)
        gets_in = values.get("is_active") and values.get("is_staff") and is_one
        if is_administrator(self.instance) and not gets_in and not self.others_get_in():
            raise forms.ValidationError("This is the last administrator: make another one first.")
        return values

    def others_get_in(self) -> bool:
        """Whether an administrator is left. They are held until this is saved: two who take each other's rights at one
        time wait for each other."""
        every = User.objects.filter(pk__in=administrators().values("pk")).order_by("pk")
        list(every.select_for_update(no_key=True))
        return administrators().filter(is_staff=True).exclude(pk=self.instance.pk).exists()


class MemberAdmin(OfAdministrators, UserAdmin):
    """An account is switched off rather than deleted: what it decided stays."""

    form = MemberForm
    inlines = [MembershipInline]
    list_display = ["username", "first_name", "last_name", "is_active", "is_staff", "is_superuser", "last_login"]

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Only what was changed. Roles in any library may be saved with it: they are locked before the audit."""
        Library.objects.lock_all(Library.objects.values("pk"))
        obj.save(update_fields=changed_columns(form) if change else None)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class RoleGroupAdmin(OfAdministrators, GroupAdmin):
    """A role is held by the group of its name: those groups keep it, and stay."""

    form = OnlyChanges

    def get_readonly_fields(self, request: HttpRequest, obj: Group | None = None) -> list[str]:
        return ["name"] if obj and obj.name in Role.values else []

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not (isinstance(obj, Group) and obj.name in Role.values)


admin.site.unregister([Group, User])
admin.site.register(Group, RoleGroupAdmin)
admin.site.register(User, MemberAdmin)
