"""What REST answers where a request is worded wrongly, or what it asks is not possible as things stand."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import islice
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import Http404
from django.utils.datastructures import MultiValueDict
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, ListSerializer
from rest_framework.settings import api_settings
from rest_framework.views import exception_handler

# Where the framework speaks of Python's types.
NO_CHOICE = "There is no such choice."
SAID: dict[type[serializers.Field[Any, Any, Any, Any]], dict[str, str]] = {
    serializers.Serializer: {"invalid": "Give an object, with names and values."},
    serializers.ListSerializer: {"not_a_list": "Give a list."},
    serializers.ListField: {"not_a_list": "Give a list."},
    serializers.ChoiceField: {"invalid_choice": NO_CHOICE},
}
for kind, words in SAID.items():
    kind.default_error_messages = {**kind.default_error_messages, **words}

UNMATCHED = re.compile(r"No (\w+) matches the given query\.")  # Django's get_object_or_404
PASSED = ("format", "version", "csrfmiddlewaretoken")  # beside the fields of any address
NO_FIELD, WHOLE = api_settings.NON_FIELD_ERRORS_KEY, "body"  # what is about no field, and how it is told
LIKE = 0.8  # difflib's ratio: libraris, topk; not query_id
MOST_NAMED = 5
LONGEST_NAME = 100


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
    if isinstance(error, RequestDataTooBig):
        error = BodyTooLarge(too_large())
    elif isinstance(error, Http404) and not hasattr(context["request"], "accepted_renderer"):
        error = NotFound("There is no such format here: leave “format” out.")
    elif match := UNMATCHED.fullmatch(str(error)) if isinstance(error, Http404) else None:
        error = NotFound(f"There is no such {'file' if match[1] == 'DocumentFile' else match[1].lower()}.")
    return exception_handler(error, context)


def validated(serializer: BaseSerializer[Any], others: bool = False) -> dict[str, Any]:
    """The checked values. Raises ValidationError whose `detail` is a sentence and whose `errors` name the fields.

    A name that is no field's is refused: passed over, a misspelt `library` would be all of them. With `others`, only
    one that is nearly a field's is.
    """
    errors = by_field(islice(unknown_fields(serializer, others), MOST_NAMED))
    if not serializer.is_valid():
        for name, messages in serializer.errors.items():
            field, choices = WHOLE if name == NO_FIELD else name, choices_of(serializer, name)
            told = [message.replace(NO_CHOICE, f"{NO_CHOICE} {choices}") for message in worded(messages)]
            errors[field] = [*errors.get(field, ()), *told]
    refuse(errors)
    values: dict[str, Any] = serializer.validated_data
    return values


def choices_of(serializer: BaseSerializer[Any], name: str) -> str:
    field = getattr(serializer, "fields", {}).get(name)
    field = getattr(field, "child", field)
    return f"There are: {', '.join(map(str, field.choices))}." if isinstance(field, serializers.ChoiceField) else ""


def only(sent: Iterable[str], known: Sequence[str]) -> None:
    """Raises ValidationError where a name is sent that is none of them, nor one that any address passes over."""
    refuse(by_field(islice(unknown(sent, known), MOST_NAMED)))


def refuse(errors: Mapping[str, list[str]]) -> None:
    if errors:
        detail = " ".join(f"{field}: {message}" for field, messages in errors.items() for message in messages)
        raise ValidationError({"detail": detail, "errors": errors})


def by_field(told: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    errors: dict[str, list[str]] = {}
    for field, message in told:
        errors.setdefault(field, []).append(message)
    return errors


def unknown_fields(serializer: BaseSerializer[Any], others: bool) -> Iterator[tuple[str, str]]:
    """Also those inside of fields that hold several of a kind, which a form cannot send."""
    if isinstance(sent := serializer.initial_data, Mapping):
        nested = {name: field for name, field in serializer.fields.items() if isinstance(field, ListSerializer)}
        if isinstance(sent, MultiValueDict) and (inner := next(filter(partial(is_within, nested), sent), None)):
            yield inner.partition("[")[0], "Send the body as JSON: a form cannot say it."
            return
        yield from unknown(sent, list(serializer.fields), getattr(serializer, "other_names", ()), others)
        for name, field in nested.items():
            several = sent.get(name)
            for place, one in enumerate(several if isinstance(several, list) else ()):
                if isinstance(one, Mapping):
                    for inner, message in unknown(one, list(field.child.fields)):
                        yield name, f"{place}: {inner}: {message}"


def is_within(nested: Collection[str], sent: str) -> bool:
    """Whether a form's field, `history` or `history[0]question`, is one that holds others."""
    return sent.partition("[")[0] in nested


def unknown(
    sent: Iterable[str], known: Sequence[str], also: Sequence[str] = (), others: bool = False
) -> Iterator[tuple[str, str]]:
    for name in sent:
        if name not in (*known, *also, *PASSED) and (nearest(name, (*known, *also)) or not others):
            yield next(worded(name[:LONGEST_NAME])), f"There is no such field. {proposed(name, known, also)}"


def proposed(name: str, known: Sequence[str], also: Sequence[str] = ()) -> str:
    """The one that may be meant by a name that is none of them, or all of them but those that `also` name one."""
    like = nearest(name, (*known, *also))
    return f"Did you mean “{like}”?" if like else f"There are: {', '.join(known)}."


def nearest(name: str, known: Sequence[str]) -> str:
    return "".join(get_close_matches(name[:LONGEST_NAME], known, 1, LIKE))


def worded(messages: Any) -> Iterator[str]:
    """The messages of a field, each after the place that it is about where the field holds others."""
    if isinstance(messages, Mapping):
        for place, inner in messages.items():
            yield from (message if place == NO_FIELD else f"{place}: {message}" for message in worded(inner))
    elif isinstance(messages, list):
        for inner in messages:
            yield from worded(inner)
    else:
        yield str(messages).encode(errors="replace").decode()  # it may repeat half a character of what was sent
