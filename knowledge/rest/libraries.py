"""REST: the libraries that a reader may see, their snapshots and files; others do not exist."""

from operator import itemgetter
from typing import Any

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.module_loading import import_string
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import NotAuthenticated, PermissionDenied, ValidationError
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.renderers import JSONRenderer

from knowledge.above import OUTCOMES, REJECTED
from knowledge.access import Act, acts_in, may, snapshots_for, snapshots_listed
from knowledge.listing import visible_members, with_counts
from knowledge.models import Library, Snapshot, SnapshotFile, Upload
from knowledge.models.library import Reader
from knowledge.numbers import whole_number
from knowledge.rest.authentication import ManagingToken
from knowledge.rest.errors import refuse
from knowledge.rest.paging import whole
from knowledge.spellings import composed

VISIBLE_STATE, REJECTED_STATE = STATES = ("visible", "rejected")
SNAPSHOT = OpenApiParameter("snapshot", whole(0), description="A number; default: the active snapshot")
PREFIX = OpenApiParameter("path", OpenApiTypes.STR, description="Only files whose path begins like this")
STATE = OpenApiParameter(
    "state", OpenApiTypes.STR, enum=STATES, default=VISIBLE_STATE,
    description="`rejected`, for who manages the library: what was left out, and why",
)  # fmt: skip


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


class RejectedSerializer(serializers.Serializer[Any]):
    path = serializers.CharField()
    reason = serializers.CharField()


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


DOCUMENTS = PolymorphicProxySerializer(
    "DocumentOrRejected", [DocumentSerializer, RejectedSerializer], resource_type_field_name=None, many=True
)


@extend_schema(parameters=[SNAPSHOT, PREFIX, STATE], responses=DOCUMENTS)
class DocumentList(ListAPIView):
    """The files of a library's snapshot, in reading order where the files have one, or else by path.

    Or (`state=rejected`) what the snapshot left out; of an uploads library, if no snapshot is named, all files there
    now that were rejected, by a reviewer too.
    """

    renderer_classes = [JSONRenderer]
    narrowed_by = ("snapshot", "path", "state")
    queryset = SnapshotFile.objects.none()

    @property
    def is_of_rejected(self) -> bool:
        return self.request is not None and self.request.GET.get("state") == REJECTED_STATE

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [ManagingToken(), SessionAuthentication()] if self.is_of_rejected else super().get_authenticators()

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Any]]:
        return RejectedSerializer if self.is_of_rejected else DocumentSerializer

    def get_queryset(self) -> QuerySet[Any] | list[dict[str, Any]]:
        user, query = self.request.user, self.request.query_params
        number, prefix = query.get("snapshot", ""), query.get("path", "").replace("\0", "")
        if query.get("state", VISIBLE_STATE) not in STATES:
            refuse({"state": [f"There are: {', '.join(STATES)}."]})
        if not self.is_of_rejected:
            return visible_members(chosen(user, readable(user, self.kwargs["slug"]), number), prefix)
        library = managed(user, self.kwargs["slug"])
        if library.kind == Library.Kind.UPLOADS and not number:
            return import_string(REJECTED)(library, prefix)
        snapshot = chosen(user, library, number)
        begins = composed(prefix)
        rejected = snapshot.rejected if snapshot else ()
        left_out = (file for file in rejected if composed(file["path"]).startswith(begins))
        return sorted(left_out, key=itemgetter("path"))

    def paginate_queryset(self, queryset: Any) -> list[Any] | None:
        page = super().paginate_queryset(queryset)
        if not page or not isinstance(page[0], Upload):
            return page
        outcomes = import_string(OUTCOMES)(page[0].library, page)
        return [{"path": one.upload.path, "reason": one.reason} for one in outcomes]


def managed(user: Reader, slug: str) -> Library:
    """404 for what one may not read; 403 for what one may read and not manage."""
    library = readable(user, slug)
    if may(user, Act.EDIT, library):
        return library
    raise PermissionDenied if user and user.is_authenticated else NotAuthenticated


def readable(user: Reader, slug: str) -> Library:
    return get_object_or_404(Library.objects.readable_by(user), slug=slug)


def chosen(user: Reader, library: Library, number: str) -> Snapshot | None:
    """The library's ready snapshot of this number, or of the active one."""
    if not number:
        return library.active_snapshot
    if (asked := whole_number(number)) is None:
        raise ValidationError({"detail": "snapshot: A valid integer is required."})
    return get_object_or_404(snapshots_for(user).filter(library=library), number=asked)
