"""What lists of the admin have in common: whose rows, read only, and no slow counts."""

import json
import re
from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import BaseModelAdmin
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import connection, models
from django.db.models import Model, QuerySet
from django.forms.fields import InvalidJSONInput, JSONField
from django.http import HttpRequest
from django.utils.functional import cached_property

from knowledge.access import Act, is_administrator, libraries_for
from knowledge.models import Library

NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes it, and not a backslash before these letters
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


class StorableJSONField(JSONField):
    """Refuses what Postgres cannot keep: NULs, half characters, what is no number, and nesting without end."""

    def to_python(self, value: Any) -> Any:
        try:
            found = super().to_python(value)
            text = json.dumps(found, ensure_ascii=False, allow_nan=False)
            text.encode()
        except (ValueError, RecursionError) as error:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from error
        if NUL.search(text):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return found

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What was sent, as it was sent where it is refused."""
        try:
            self.to_python(data)
        except ValidationError:
            return InvalidJSONInput(data)
        return super().bound_data(data, initial)


class ReadableLibrariesFilter(admin.RelatedFieldListFilter):
    """Offers no library that its reader may not read. Which of them have rows is not looked for: a list may be long."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        readable = Library.objects.readable_by(request.user)
        choices: list[tuple[str, Any]] = field.get_choices(include_blank=False, limit_choices_to={"pk__in": readable})
        return choices


class NamedValuesFilter(admin.AllValuesFieldListFilter):
    """Django's own links the empty value by no words at all."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield choice | {"display": choice["display"] or "none"}


class OfReadableLibraries(admin.ModelAdmin):
    """A permission says what kind of rows somebody may look at; which, the libraries that they may read."""

    library_path = "library"
    paginator = EstimatingPaginator
    show_full_result_count = False
    formfield_overrides = {models.JSONField: {"form_class": StorableJSONField}}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        readable = Library.objects.readable_by(request.user)
        if is_administrator(request.user):
            return super().get_queryset(request)
        return super().get_queryset(request).filter(**{f"{self.library_path}__in": readable})


class OfLibrariesActedIn(BaseModelAdmin):
    """Rows are seen, made, changed and taken away by who may do `act` in their library."""

    act: Act

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(library__in=libraries_for(request.user, self.act))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "library":
            kwargs["queryset"] = libraries_for(request.user, self.act)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class ReadOnly:
    """Built rows are written once: nobody adds, changes or deletes them by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class LookedAt(ReadOnly, admin.ModelAdmin):
    """Rows that acts have left, whoever they belong to."""

    paginator = EstimatingPaginator
    show_full_result_count = False
    list_per_page = 50
