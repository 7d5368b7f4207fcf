"""Governance, not editing: libraries are decided here; what was built from them can be looked at."""

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest

from knowledge.models import (
    Answer,
    AnswerCitation,
    DocumentFile,
    FileVersion,
    Job,
    JobEvent,
    Library,
    Snapshot,
)

admin.site.site_header = admin.site.site_title = "Muniment"
admin.site.index_title = "Governance"

# django-q2's own pages can run any dotted path.
for model in apps.get_app_config("django_q").get_models():
    if admin.site.is_registered(model):
        admin.site.unregister(model)


class OfReadableLibraries(admin.ModelAdmin):
    """A permission says what kind of rows somebody may look at; which, the libraries that they may read."""

    library_path = "library"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        readable = Library.objects.readable_by(request.user)
        return super().get_queryset(request).filter(**{f"{self.library_path}__in": readable})


class ReadOnly:
    """Built rows are written once: nobody adds, changes or deletes them by hand."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Library)
class LibraryAdmin(admin.ModelAdmin):
    list_display = ["slug", "name", "kind", "access", "requires_review", "active", "snapshot_count", "document_count"]
    list_filter = ["kind", "access", "requires_review"]
    list_select_related = ["active_snapshot__library"]
    search_fields = ["slug", "name"]  # not the location: it may hold a secret, and a search is a guess confirmed
    filter_horizontal = ["groups"]
    readonly_fields = ["active", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Library]:
        counts = {
            "snapshot_count": Count("snapshots", distinct=True),
            "document_count": Count("document_files", distinct=True),
        }
        return super().get_queryset(request).annotate(**counts)

    def get_readonly_fields(self, request: HttpRequest, obj: Library | None = None) -> list[str]:
        """A library's name and source in the index don't change under its snapshots."""
        return [*self.readonly_fields, "source", *(["slug", "kind"] if obj else [])]

    def get_fields(self, request: HttpRequest, obj: Library | None = None) -> list[Any]:
        """Who may look but not change sees the source without its secret."""
        fields = super().get_fields(request, obj)
        looks_on = obj is not None and not self.has_change_permission(request, obj)
        return ["source" if field == "location" and looks_on else field for field in fields if field != "source"]

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.display(description="active snapshot", ordering="active_snapshot__number")
    def active(self, library: Library) -> int | None:
        return library.active_snapshot.number if library.active_snapshot else None

    @admin.display(description="snapshots", ordering="snapshot_count")
    def snapshot_count(self, library: Any) -> int:
        return library.snapshot_count

    @admin.display(description="documents", ordering="document_count")
    def document_count(self, library: Any) -> int:
        return library.document_count


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["__str__", "state", "active", "file_count", "chunk_count", "short_revision", "sealed_at"]
    list_filter = ["state", "library"]
    list_select_related = ["library"]
    search_fields = ["library__slug", "revision", "manifest_hash"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Snapshot]:
        return super().get_queryset(request).annotate(file_count=Count("files"))

    @admin.display(description="revision")
    def short_revision(self, snapshot: Snapshot) -> str:
        return snapshot.revision[:12]

    @admin.display(boolean=True)
    def active(self, snapshot: Snapshot) -> bool:
        return snapshot.is_active

    @admin.display(description="files", ordering="file_count")
    def file_count(self, snapshot: Any) -> int:
        return snapshot.file_count


@admin.register(DocumentFile)
class DocumentFileAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["path", "library", "version_count", "withdrawn_at", "created_at"]
    list_filter = ["library", ("withdrawn_at", admin.EmptyFieldListFilter)]
    list_select_related = ["library"]
    search_fields = ["path"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentFile]:
        return super().get_queryset(request).annotate(version_count=Count("versions"))

    @admin.display(description="versions", ordering="version_count")
    def version_count(self, document: Any) -> int:
        return document.version_count


@admin.register(FileVersion)
class FileVersionAdmin(ReadOnly, OfReadableLibraries):
    library_path = "document_file__library"
    list_display = ["__str__", "library", "media_type", "line_count", "section_count", "chunk_count", "created_at"]
    list_filter = ["media_type", "document_file__library"]
    list_select_related = ["document_file__library"]
    search_fields = ["document_file__path", "title", "sha256"]
    date_hierarchy = "created_at"

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
    readonly_fields = ["n", "quote", "file_version", "line_start", "line_end", "verified"]
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[AnswerCitation]:
        return super().get_queryset(request).select_related("file_version__document_file")


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
