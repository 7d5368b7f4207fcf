"""REST: review, publication, withdrawal and the audit, by the same functions as the pages."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotAuthenticated, PermissionDenied, ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from knowledge.access import Act, NotAllowed, acts_in, audit_of
from knowledge.governance import review
from knowledge.governance.activation import rollback
from knowledge.governance.withdrawal import govern
from knowledge.models import AuditEvent, Decision, DocumentFile, Library, NotActivatable, Snapshot
from knowledge.numbers import LARGEST, whole_number
from knowledge.spaces import why_words_only
from knowledge.spellings import of_path

from .authentication import ManagingToken
from .errors import Conflict, ErrorSerializer, only, validated
from .paging import whole

SNAPSHOT = OpenApiParameter("snapshot", whole(0), description="A number; default: the newest that waits")


class RejectionSerializer(serializers.Serializer[Any]):
    snapshot = serializers.IntegerField()
    decided_by = serializers.CharField()
    decided_at = serializers.CharField()
    comment = serializers.CharField()


class ChangeSerializer(serializers.Serializer[Any]):
    path = serializers.CharField()
    kind = serializers.ChoiceField(["added", "changed", "rebuilt", "removed", "renamed"])
    old_path = serializers.CharField(allow_null=True)
    sha256 = serializers.CharField()
    verdict = serializers.ChoiceField(Decision.Verdict.choices, allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.CharField(allow_null=True)
    comment = serializers.CharField()
    rejected_before = RejectionSerializer(
        allow_null=True, help_text="Of an undecided file: the last rejection of the same content, or removal."
    )
    withheld = serializers.CharField(
        allow_null=True, help_text="That it has the bytes of another file that was withdrawn, and why."
    )


class ReviewSerializer(serializers.Serializer[Any]):
    snapshot = serializers.IntegerField(allow_null=True)
    active = serializers.IntegerField(allow_null=True)
    requested_by = serializers.CharField(allow_null=True)
    decided = serializers.IntegerField(help_text="The last decision about it, 0 for none.")
    changes = ChangeSerializer(many=True)


def active_as_shown(but: str = "") -> serializers.IntegerField:
    return serializers.IntegerField(
        min_value=1,
        max_value=LARGEST,
        required=False,
        allow_null=True,
        help_text=f"As the review said it: refused where another snapshot is active by now{but}.",
    )


class DecideSerializer(serializers.Serializer[Any]):
    snapshot = serializers.IntegerField(min_value=1, max_value=LARGEST)
    verdict = serializers.ChoiceField(Decision.Verdict.choices)
    paths = serializers.ListField(
        child=serializers.CharField(max_length=1000),
        required=False,
        help_text="Default: all that is undecided, but for what you brought, what was rejected before, and what has "
        "the bytes of a withdrawn file.",
    )
    comment = serializers.CharField(required=False, allow_blank=True, max_length=2000, default="")
    active = active_as_shown()
    decided = serializers.IntegerField(
        min_value=0,
        max_value=LARGEST,
        required=False,
        help_text="As the review said it: refused where somebody else has decided about one of the files since.",
    )


class ActivateSerializer(serializers.Serializer[Any]):
    snapshot = serializers.IntegerField(min_value=1, max_value=LARGEST)
    override = serializers.CharField(required=False, allow_blank=True, max_length=2000, default="")
    active = active_as_shown(", but for the one to activate: that stays so")


class RollbackSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(
        required=False, allow_blank=True, max_length=500, default="", help_text="Kept in the audit."
    )


class ActivatedSerializer(serializers.Serializer[Any]):
    active = serializers.IntegerField()
    before = serializers.IntegerField(allow_null=True)
    left = serializers.ListField(child=serializers.CharField(), help_text="Files that were not approved.")
    degraded = serializers.ListField(
        child=serializers.CharField(),
        help_text="`embedding`: its vectors are of another model than the one that answers; it is searched by words.",
    )


class WithdrawSerializer(serializers.Serializer[Any]):
    path = serializers.CharField(max_length=1000)
    do = serializers.ChoiceField(["withdraw", "restore", "trash"], default="withdraw")
    reason = serializers.CharField(required=False, allow_blank=True, max_length=500, default="")


class FileStateSerializer(serializers.Serializer[Any]):
    path = serializers.CharField()
    state = serializers.ChoiceField(DocumentFile.State.choices)
    still_found = serializers.ListField(
        child=serializers.CharField(),
        help_text="Other files of the library with the same bytes: these are found as before.",
    )


class AuditEventSerializer(serializers.ModelSerializer[AuditEvent]):
    class Meta:
        model = AuditEvent
        fields = (
            "number", "at", "action", "actor_id", "actor", "library", "snapshot", "path", "version", "details",
            "previous", "hash",
        )  # fmt: skip


def allowed(request: Request, slug: str, act: Act) -> tuple[Library, User]:
    """The library and the user: what may not be read is not there, what may not be done is refused."""
    readable = Library.objects.readable_by(request.user).select_related("active_snapshot")
    library = get_object_or_404(readable, slug=slug)
    if not isinstance(request.user, User):
        raise NotAuthenticated
    if act not in acts_in(request.user, library):
        raise PermissionDenied
    return library, request.user


def ready(library: Library, number: int) -> Snapshot:
    return get_object_or_404(library.snapshots.filter(state=Snapshot.State.READY), number=number)


def beside(values: dict[str, Any]) -> int | None:
    """The active snapshot that was sent, 0 for none; None: it was not sent."""
    return (values["active"] or 0) if "active" in values else None


class GovernanceView(APIView):
    """Somebody who has signed in, or a program with a token that may manage: as its user may."""

    authentication_classes = [ManagingToken, SessionAuthentication]
    renderer_classes = [JSONRenderer]

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, NotAllowed):
            exc = PermissionDenied(f"{exc}.")
        elif isinstance(exc, NotActivatable):
            exc = Conflict(f"{exc}.")
        elif isinstance(exc, ValueError):
            exc = ValidationError({"detail": f"{exc}."})
        return super().handle_exception(exc)


class ReviewView(GovernanceView):
    """What a candidate changes, and the decisions about it."""

    @extend_schema(parameters=[SNAPSHOT], responses={200: ReviewSerializer, 400: ErrorSerializer})
    def get(self, request: Request, slug: str) -> Response:
        library, _ = allowed(request, slug, Act.INSPECT)
        only(request.query_params, ("snapshot",))
        number = request.query_params.get("snapshot", "")
        if number and whole_number(number) is None:
            raise ValueError("snapshot: a valid integer is required")
        candidate = ready(library, int(number)) if number else review.candidates(library).first()
        return Response(review.described(library, candidate))

    @extend_schema(request=DecideSerializer, responses=ReviewSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Approve or reject. Whoever asked for the snapshot can't."""
        library, user = allowed(request, slug, Act.REVIEW)
        values = validated(DecideSerializer(data=request.data))
        candidate = ready(library, values["snapshot"])
        paths, seen = values.get("paths"), values.get("decided")
        review.decide(candidate, values["verdict"], user, values["comment"], paths, beside(values), seen=seen)
        return Response(review.described(library, candidate))


class ActivateView(GovernanceView):
    @extend_schema(request=ActivateSerializer, responses={200: ActivatedSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Make what was approved of a snapshot the active one, if the gate lets it."""
        library, user = allowed(request, slug, Act.PUBLISH)
        values = validated(ActivateSerializer(data=request.data))
        candidate = ready(library, values["snapshot"])
        published = review.publish(candidate, user, values["override"], beside(values))
        return Response(activated(published.snapshot, published.before, published.left))


class RollbackView(GovernanceView):
    @extend_schema(request=RollbackSerializer, responses={200: ActivatedSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Go back to the older snapshot that was active last, but not to what a rollback left; no gate is asked."""
        library, user = allowed(request, slug, Act.PUBLISH)
        values = validated(RollbackSerializer(data=request.data))
        before = library.active_snapshot
        return Response(activated(rollback(library, user, reason=values["reason"]), before, ()))


def activated(now: Snapshot, before: Snapshot | None, left: tuple[str, ...]) -> dict[str, Any]:
    return {
        "active": now.number,
        "before": before.number if before else None,
        "left": list(left),
        "degraded": ["embedding"] if why_words_only(now) else [],
    }


class WithdrawView(GovernanceView):
    @extend_schema(request=WithdrawSerializer, responses=FileStateSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Make a file invisible at once, everywhere; restore it; or put it into the trash."""
        library, user = allowed(request, slug, Act.WITHDRAW)
        values = validated(WithdrawSerializer(data=request.data))
        document = get_object_or_404(of_path(library.document_files.select_related("library"), values["path"]))
        govern(document, values["do"], user, values["reason"])
        return Response({"path": document.path, "state": document.state, "still_found": document.still_found()})


class AuditList(ListAPIView[AuditEvent]):
    """What was done in a library, newest first."""

    authentication_classes = [ManagingToken, SessionAuthentication]
    renderer_classes = [JSONRenderer]
    serializer_class = AuditEventSerializer
    queryset = AuditEvent.objects.none()

    def get_queryset(self) -> QuerySet[AuditEvent]:
        library, _ = allowed(self.request, self.kwargs["slug"], Act.AUDIT)
        return audit_of(self.request.user).filter(library=library.slug)
