"""REST for the files of an uploads library."""

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import TooManyFilesSent
from django.http.multipartparser import MultiPartParserError
from drf_spectacular.utils import OpenApiParameter, OpenApiTypes, extend_schema
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.parsers import BaseParser, DataAndFiles
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from ingestion.temporary import temporary_folder
from ingestion.uploads.accept import NotForUploads, accept, remove, request_build, wants_build
from ingestion.uploads.receive import TooMuch, parse, reason_of
from knowledge.rest.authentication import ManagingToken
from knowledge.rest.errors import Conflict, ErrorSerializer, only
from knowledge.rest.libraries import managed


class TooLarge(APIException):
    status_code = 413


class FilesParser(BaseParser):
    """Receives into the view's folder, with the files' paths as they were sent."""

    media_type = "multipart/form-data"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> DataAndFiles:
        request, view = parser_context["request"], parser_context["view"]
        meta = {**request.META, "CONTENT_TYPE": media_type}
        try:
            return DataAndFiles(*parse(meta, stream, view.folder, parser_context.get("encoding")))
        except TooMuch as error:
            raise TooLarge(str(error)) from error
        except (TooManyFilesSent, MultiPartParserError) as error:
            raise ValidationError({"detail": reason_of(error)}) from error


class RefusedSerializer(serializers.Serializer):
    path = serializers.CharField()
    reason = serializers.CharField()


class ReceiptSerializer(serializers.Serializer):
    added = serializers.ListField(child=serializers.CharField())
    replaced = serializers.ListField(child=serializers.CharField())
    unchanged = serializers.ListField(child=serializers.CharField())
    refused = RefusedSerializer(many=True)
    withheld = RefusedSerializer(many=True, help_text="Taken, though another file with these bytes was withdrawn.")
    job = serializers.IntegerField(
        allow_null=True, help_text="The job that reads them in; null: there is nothing to read."
    )


class RemovedSerializer(serializers.Serializer):
    removed = serializers.IntegerField()
    job = serializers.IntegerField(allow_null=True)


FORM = {
    "multipart/form-data": {
        "type": "object",
        "properties": {
            "files": {
                "type": "array",
                "items": {"type": "string", "format": "binary"},
                "description": "The file name of each part is its path in the library; a .zip is unpacked.",
            }
        },
        "required": ["files"],
    }
}
PATH = OpenApiParameter("path", OpenApiTypes.STR, many=True, required=True, description="Of a file; may be repeated")


class LibraryFiles(APIView):
    """The files of an uploads library, for those who manage it."""

    authentication_classes = [ManagingToken, SessionAuthentication]
    parser_classes = [FilesParser]
    renderer_classes = [JSONRenderer]

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        with temporary_folder() as self.folder:
            return super().dispatch(request, *args, **kwargs)

    @extend_schema(request=FORM, responses={201: ReceiptSerializer, 200: ReceiptSerializer, 409: ErrorSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Bring files; those of the same path are replaced. 201 where a job reads them in, 200 where none has to."""
        library = managed(request.user, slug)
        only(request.data, ("files",))
        brought = request.FILES.getlist("files")
        if not brought:
            raise ValidationError({"detail": "files: no file was sent."})
        try:
            receipt = accept(library, brought, who(request))
        except NotForUploads as error:
            raise Conflict(f"{error}.") from error
        job = request_build(library, who(request)) if wants_build(library, receipt) else None
        return Response(receipt.as_json() | {"job": job and job.pk}, status=201 if job else 200)

    @extend_schema(parameters=[PATH], responses={200: RemovedSerializer, 400: ErrorSerializer, 409: ErrorSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Take files away. What is not there is not counted."""
        library = managed(request.user, slug)
        only(request.query_params, ("path",))
        paths = request.query_params.getlist("path")
        if not paths:
            raise ValidationError({"detail": "path: This field is required."})
        try:
            count = remove(library, paths, who(request))
        except NotForUploads as error:
            raise Conflict(f"{error}.") from error
        job = request_build(library, who(request)) if count else None
        return Response({"removed": count, "job": job and job.pk})


def who(request: Request) -> User | None:
    return request.user if isinstance(request.user, User) else None
