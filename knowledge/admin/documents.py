"""Snapshots, document files and their versions."""

import re
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.template.defaultfilters import pluralize

from knowledge.access import Act, NotAllowed, demand
from knowledge.admin.base import LookedAt, OfReadableLibraries, ReadableLibrariesFilter, ReadOnly
from knowledge.governance.withdrawal import restore, withdraw
from knowledge.models import DocumentFile, FileVersion, IndexProfile, Snapshot
from knowledge.spellings import holding
from knowledge.wording import sentence

SHA256 = re.compile("[0-9a-f]{64}")
BATCH = 50  # files of one transaction, half a second: 2,000 at once kept the audit's lock for 13 seconds


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["__str__", "state", "active", "document_count", "chunk_count", "short_revision", "sealed_at"]
    list_filter = ["state", ("library", ReadableLibrariesFilter)]
    list_select_related = ["library"]
    search_fields = ["library__slug", "revision", "manifest_hash"]

    @admin.display(description="revision")
    def short_revision(self, snapshot: Snapshot) -> str:
        return snapshot.revision[:12]

    @admin.display(boolean=True)
    def active(self, snapshot: Snapshot) -> bool:
        return snapshot.is_active


class ReasonForm(ActionForm):
    reason = forms.CharField(required=False, max_length=500, help_text="For withdrawing.")


@admin.register(DocumentFile)
class DocumentFileAdmin(ReadOnly, OfReadableLibraries):
    list_display = ["path", "library", "state", "version_count", "owner", "review_by", "tags", "created_at"]
    list_filter = [
        ("library", ReadableLibrariesFilter),
        ("withdrawn_at", admin.EmptyFieldListFilter),
        ("trashed_at", admin.EmptyFieldListFilter),
    ]
    list_select_related = ["library", "owner"]
    search_fields = ["path"]  # as get_search_results does it
    ordering = ["library_id", "path"]
    actions = ["withdraw", "restore"]
    action_form = ReasonForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentFile]:
        versions = FileVersion.objects.filter(document_file=OuterRef("pk"))
        counted = versions.order_by().values("document_file").annotate(n=Count("pk")).values("n")
        return (
            super()
            .get_queryset(request)
            .annotate(
                version_count=Subquery(counted),
                has_versions=Exists(versions),
                is_active=Exists(versions.filter(memberships__snapshot=OuterRef("library__active_snapshot"))),
            )
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[DocumentFile], search_term: str
    ) -> tuple[QuerySet[DocumentFile], bool]:
        return queryset.filter(holding(search_term)), False

    @admin.display(description="versions")
    def version_count(self, document: Any) -> int:
        return document.version_count or 0

    @admin.action(description="Withdraw the selected files at once")
    def withdraw(self, request: HttpRequest, documents: QuerySet[DocumentFile]) -> None:
        reason = request.POST.get("reason", "")
        self.govern(request, documents, lambda document: withdraw(document, request.user, reason), "withdrawn")

    @admin.action(description="Restore the selected files")
    def restore(self, request: HttpRequest, documents: QuerySet[DocumentFile]) -> None:
        self.govern(request, documents, lambda document: restore(document, request.user), "restored", "visible")

    def govern(
        self,
        request: HttpRequest,
        documents: QuerySet[DocumentFile],
        act: Callable[[DocumentFile], bool],
        done: str,
        before: str = "",
    ) -> None:
        """All of them, or none where one is not allowed. Whoever else writes the audit waits for one batch at most.

        What is said is how many are `done` now, and how many were so, or as `before` says, already.
        The rows of a batch are locked before its first event, as erasing does it: so nobody waits in a circle.
        """
        chosen, changed = list(documents.select_related("library")), list[bool]()
        rows = DocumentFile.objects.select_for_update(of=("self",), no_key=True).order_by("pk")
        try:
            for library in {document.library for document in chosen}:
                demand(request.user, Act.WITHDRAW, library)
            for start in range(0, len(chosen), BATCH):
                batch = chosen[start : start + BATCH]
                with transaction.atomic():
                    list(rows.filter(pk__in=[document.pk for document in batch]))
                    outcomes = [act(document) for document in batch]
                changed += outcomes
        except (NotAllowed, ValueError) as error:
            self.message_user(request, sentence(error), messages.ERROR)
        if changed:
            count, already = sum(changed), len(changed) - sum(changed)
            same = f"; {already} {pluralize(already, 'was,were')} {before or done} already" if already else ""
            self.message_user(request, f"{count} file{pluralize(count)} {done}{same}.")


@admin.register(FileVersion)
class FileVersionAdmin(ReadOnly, OfReadableLibraries):
    library_path = "document_file__library"
    list_display = ["__str__", "library", "media_type", "line_count", "section_count", "chunk_count", "created_at"]
    list_filter = [("document_file__library", ReadableLibrariesFilter)]
    list_select_related = ["document_file__library"]
    search_fields = ["document_file__path", "=sha256"]  # as get_search_results does it
    ordering = ["-pk"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[FileVersion]:
        rows = super().get_queryset(request)
        changelist = request.resolver_match and request.resolver_match.url_name == "knowledge_fileversion_changelist"
        return rows.defer("text", "warnings") if changelist else rows

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[FileVersion], search_term: str
    ) -> tuple[QuerySet[FileVersion], bool]:
        """A whole hash, or words of the path. Files are found by their index before versions are joined to them."""
        if SHA256.fullmatch(search_term):
            return queryset.filter(sha256=search_term), False
        files = DocumentFile.objects.order_by().filter(holding(search_term))
        return (queryset.filter(document_file__in=files.values("pk")) if search_term else queryset), False

    @admin.display(ordering="document_file__library")
    def library(self, version: FileVersion) -> str:
        return version.document_file.library.slug


@admin.register(IndexProfile)
class IndexProfileAdmin(LookedAt):
    list_display = ["__str__", "created_at", "structure", "lexical"]

    @admin.display(description="structure")
    def structure(self, profile: IndexProfile) -> str:
        return profile.structure_hash[:12] if "parsers" in profile.settings else "–"

    @admin.display(description="words")
    def lexical(self, profile: IndexProfile) -> str:
        return profile.lexical_hash[:12] if "analysis" in profile.settings else "–"
