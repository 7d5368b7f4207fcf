"""REST for jobs: the same as their pages, for who manages libraries."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.decorators import api_view, authentication_classes, permission_classes, renderer_classes
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.permissions import BasePermission
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from knowledge.access import Act, jobs_for, libraries_for, may_anywhere
from knowledge.models import Job, JobEvent, Library, NotPossible
from knowledge.models.job import VERBS
from knowledge.rest.authentication import ManagingToken
from knowledge.rest.errors import Conflict, ErrorSerializer, validated
from knowledge.rest.governance import GovernanceView, allowed
from knowledge.waiting import reasons
from knowledge.wording import sentence

LAST = 200  # events that come with a job; a large build has thousands
NUMBER = OpenApiParameter("id", int, "path")


class JobEventSerializer(serializers.ModelSerializer):
    event = serializers.CharField(source="message")

    class Meta:
        model = JobEvent
        fields = ["at", "level", "stage", "event", "data"]


class JobSerializer(serializers.ModelSerializer):
    id = serializers.IntegerField(source="pk")
    library = serializers.SlugField(source="library.slug")
    snapshot = serializers.IntegerField(source="snapshot.number", allow_null=True, default=None)
    outcome = serializers.CharField(help_text="The state, or “completed with rejections”, or “paused”")
    waiting_for = serializers.SerializerMethodField(help_text="Why it is not running yet")

    class Meta:
        model = Job
        fields = [
            "id", "kind", "library", "snapshot", "state", "outcome", "waiting_for", "stage", "counters", "message",
            "attempts", "max_attempts", "created_at", "started_at", "finished_at", "not_before", "paused_at",
        ]  # fmt: skip

    def get_waiting_for(self, job: Job) -> str | None:
        waits: dict[int, str] = self.context.get("waits", {})
        return waits.get(job.pk)


class JobDetailSerializer(JobSerializer):
    events = serializers.SerializerMethodField(help_text=f"The last {LAST}; all of them: events/")
    report = serializers.JSONField(allow_null=True, help_text="What `reindex --json` prints of it")

    class Meta(JobSerializer.Meta):
        fields = [*JobSerializer.Meta.fields, "report", "events"]

    @extend_schema_field(JobEventSerializer(many=True))
    def get_events(self, job: Job) -> Any:
        return JobEventSerializer(reversed(job.events.order_by("-pk")[:LAST]), many=True).data


class RetrySerializer(serializers.Serializer):
    paths = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="For retry: only these files, which it rejected"
    )


class JobsQuerySerializer(serializers.Serializer):
    state = serializers.ListField(child=serializers.ChoiceField(Job.State.choices), required=False)
    library = serializers.ListField(child=serializers.SlugField(), required=False, help_text="Default: all you manage")


class BuildSerializer(serializers.Serializer[Any]):
    full = serializers.BooleanField(
        required=False, default=False, help_text="Build it anew where the profile changed, as `reindex --full` does."
    )


class AskedForSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class Manages(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        return may_anywhere(request.user, Act.MANAGE)


class Jobs:
    """The jobs of libraries that you manage."""

    authentication_classes = [ManagingToken, SessionAuthentication]
    permission_classes = [Manages]
    renderer_classes = [JSONRenderer]
    queryset = Job.objects.none()
    request: Request

    def get_queryset(self) -> QuerySet[Any]:
        return jobs_for(self.request.user).select_related("library", "snapshot")


@extend_schema(parameters=[JobsQuerySerializer], responses={200: JobSerializer(many=True), 404: ErrorSerializer})
class JobList(Jobs, ListAPIView):
    """The jobs of the libraries that you manage, newest first."""

    serializer_class = JobSerializer
    narrowed_by = ("state", "library")

    def get_queryset(self) -> QuerySet[Any]:
        query = self.request.query_params
        asked = {name: query.getlist(name) for name in self.narrowed_by if name in query}
        values = validated(JobsQuerySerializer(data=asked))
        rows = super().get_queryset()
        if "library" in values:
            rows = rows.filter(library__in=[self.managed(slug) for slug in values["library"]])
        return rows.filter(state__in=values["state"]) if "state" in values else rows

    def managed(self, slug: str) -> Library:
        return get_object_or_404(libraries_for(self.request.user, Act.MANAGE), slug=slug)

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        serializer = super().get_serializer(*args, **kwargs)
        if args:
            serializer.child.context["waits"] = reasons(args[0])
        return serializer


@extend_schema(parameters=[NUMBER])
class JobLog(Jobs, ListAPIView):
    """The whole log of a job, from its beginning."""

    serializer_class = JobEventSerializer

    def get_queryset(self) -> QuerySet[Any]:
        return get_object_or_404(jobs_for(self.request.user), pk=self.kwargs["pk"]).events.all()


@extend_schema(parameters=[NUMBER])
class JobDetail(Jobs, RetrieveAPIView):
    """One job, with the end of its log."""

    serializer_class = JobDetailSerializer

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(detailed(self.get_object()))


@extend_schema(
    request=RetrySerializer,
    responses={200: JobDetailSerializer, 409: ErrorSerializer},
    parameters=[NUMBER, OpenApiParameter("verb", str, "path", enum=VERBS)],
)
@api_view(["POST"])
@authentication_classes([ManagingToken, SessionAuthentication])
@permission_classes([Manages])
@renderer_classes([JSONRenderer])
def steer(request: Request, pk: str, verb: str) -> Response:
    """Cancel, pause, resume or retry a job. Retrying rejected files makes another job, which is answered."""
    job = get_object_or_404(jobs_for(request.user).select_related("library"), pk=pk)
    if verb not in VERBS:
        raise NotFound
    asked = validated(RetrySerializer(data=request.data))
    try:
        job = job.steer(verb, request.user, asked.get("paths"))
    except NotPossible as error:
        raise Conflict(f"{error}.") from error
    return Response(detailed(job))


def detailed(job: Job) -> Any:
    return JobDetailSerializer(job, context={"waits": reasons([job])}).data


class BuildView(GovernanceView):
    @extend_schema(request=BuildSerializer, responses={202: AskedForSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Read a library in again. Where a build waits to do so it is answered; behind one that runs another waits."""
        library, user = allowed(request, slug, Act.MANAGE)
        values = validated(BuildSerializer(data=request.data))
        if not library.has_source:
            raise Conflict(sentence(Library.WITHOUT_SOURCE))
        job, _ = Job.objects.read_again(library, user, values["full"])
        return Response({"job": job.pk}, status=202)
