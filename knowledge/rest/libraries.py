"""REST: the libraries that a reader may see, their snapshots and files; others do not exist."""

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.renderers import JSONRenderer

from knowledge.access import acts_in, snapshots_for, snapshots_listed
from knowledge.listing import visible_members, with_counts
from knowledge.models import Library, Snapshot, SnapshotFile
from knowledge.models.library import Reader
from knowledge.numbers import whole_number

SNAPSHOT = OpenApiParameter("snapshot", OpenApiTypes.INT, description="A number; default: the active snapshot")
PREFIX = OpenApiParameter("path", OpenApiTypes.STR, description="Only files whose path begins like this")


class SnapshotSerializer(serializers.ModelSerializer):
    file_count = serializers.IntegerField(read_only=True)
    active = serializers.BooleanField(source="is_active", read_only=True)

    class Meta:
        model = Snapshot
        fields = [
            "number", "state", "active", "file_count", "chunk_count", "revision", "manifest_hash",
            "created_at", "sealed_at",
        ]  # fmt: skip


class LibrarySerializer(serializers.ModelSerializer):
    active_snapshot = serializers.IntegerField(
        source="active_snapshot.number", read_only=True, allow_null=True, default=None
    )
    file_count = serializers.IntegerField(read_only=True)
    chunk_count = serializers.IntegerField(source="passage_count", read_only=True)

    class Meta:
        model = Library
        fields = ["slug", "name", "kind", "language", "access", "active_snapshot", "file_count", "chunk_count"]


class DocumentSerializer(serializers.ModelSerializer):
    path = serializers.CharField(source="document_file.path")
    title = serializers.CharField(source="file_version.title")
    sha256 = serializers.CharField(source="file_version.sha256")
    media_type = serializers.CharField(source="file_version.media_type")
    size = serializers.IntegerField(source="file_version.size")
    line_count = serializers.IntegerField(source="file_version.line_count")
    chunk_count = serializers.IntegerField(source="file_version.chunk_count")
    depth = serializers.IntegerField(allow_null=True, help_text="How many files it stands below in the reading order")

    class Meta:
        model = SnapshotFile
        fields = ["path", "title", "sha256", "media_type", "size", "line_count", "chunk_count", "depth"]


class LibraryList(ListAPIView):
    """The libraries that you may read."""

    renderer_classes = [JSONRenderer]
    serializer_class = LibrarySerializer

    def get_queryset(self) -> QuerySet[Library]:
        return with_counts(self.request.user)


class LibraryDetail(RetrieveAPIView):
    """One library."""

    renderer_classes = [JSONRenderer]
    serializer_class = LibrarySerializer
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Library]:
        return with_counts(self.request.user)


class SnapshotList(ListAPIView):
    """The snapshots of a library, newest first: those that were active, and the others for who may inspect them."""

    renderer_classes = [JSONRenderer]
    serializer_class = SnapshotSerializer
    queryset = Snapshot.objects.none()

    def get_queryset(self) -> QuerySet[Snapshot]:
        library = readable(self.request.user, self.kwargs["slug"])
        shown = snapshots_listed(self.request.user, library, acts_in(self.request.user, library))
        return shown.select_related("library").annotate(file_count=Count("files")).order_by("-number")


@extend_schema(parameters=[SNAPSHOT, PREFIX])
class DocumentList(ListAPIView):
    """The files of a library's snapshot, in reading order where the files have one, or else by path."""

    renderer_classes = [JSONRenderer]
    serializer_class = DocumentSerializer
    narrowed_by = ("snapshot", "path")
    queryset = SnapshotFile.objects.none()

    def get_queryset(self) -> QuerySet[SnapshotFile]:
        library = readable(self.request.user, self.kwargs["slug"])
        snapshot = chosen(self.request.user, library, self.request.query_params.get("snapshot", ""))
        return visible_members(snapshot, self.request.query_params.get("path", ""))


def readable(user: Reader, slug: str) -> Library:
    return get_object_or_404(Library.objects.readable_by(user), slug=slug)


def chosen(user: Reader, library: Library, number: str) -> Snapshot | None:
    """The library's ready snapshot of this number, or of the active one."""
    if not number:
        return library.active_snapshot
    if (asked := whole_number(number)) is None:
        raise ValidationError({"detail": "snapshot: A valid integer is required."})
    return get_object_or_404(snapshots_for(user).filter(library=library), number=asked)
