"""What REST answers where a request is worded wrongly, or what it asks is not possible as things stand."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import exception_handler


class ErrorSerializer(serializers.Serializer[Any]):
    detail = serializers.CharField()
    errors = serializers.DictField(child=serializers.ListField(child=serializers.CharField()), required=False)


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_detail = "Not possible."


class BodyTooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE


def too_large() -> str:
    return f"The body is too large: at most {settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024:,} KB are read."


def answered(error: Exception, context: dict[str, Any]) -> Response | None:
    """As Django REST framework does; a body that Django would not read is answered in JSON, too."""
    return exception_handler(BodyTooLarge(too_large()) if isinstance(error, RequestDataTooBig) else error, context)


def validated(serializer: BaseSerializer[Any]) -> dict[str, Any]:
    """The checked values. Raises ValidationError whose `detail` is a sentence and whose `errors` name the fields."""
    if not serializer.is_valid():
        errors = {field: list(worded(messages)) for field, messages in serializer.errors.items()}
        detail = " ".join(f"{field}: {message}" for field, messages in errors.items() for message in messages)
        raise ValidationError({"detail": detail, "errors": errors})
    values: dict[str, Any] = serializer.validated_data
    return values


def worded(messages: Any) -> Iterator[str]:
    """The messages of a field, each after the place that it is about where the field holds others."""
    if isinstance(messages, Mapping):
        for place, inner in messages.items():
            yield from (message if place == "non_field_errors" else f"{place}: {message}" for message in worded(inner))
    elif isinstance(messages, list):
        for inner in messages:
            yield from worded(inner)
    else:
        yield str(messages).encode(errors="replace").decode()  # it may repeat half a character of what was sent
