"""REST: the same two functions as the pages."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import Error
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import SessionAuthentication
from rest_framework.decorators import api_view, authentication_classes, renderer_classes
from rest_framework.exceptions import NotFound, Throttled
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from knowledge.endpoints import EndpointError
from knowledge.http.unavailable import missed
from knowledge.models import Answer
from knowledge.models.library import Reader
from knowledge.rest.authentication import AskingToken
from knowledge.rest.errors import ErrorSerializer, validated
from knowledge.wording import sentence
from retrieval import search as searching
from retrieval.answering.events import Finished, Retrieved, Rewritten, Silent, Token
from retrieval.answering.followups import followup
from retrieval.answering.ledger import Asking, TooMany
from retrieval.answering.pipeline import answer_events
from retrieval.answering.replay import replay
from retrieval.callers import asker_of
from retrieval.code.symbols import NoSuchSymbol, find_symbols
from retrieval.query_logging import note_search
from retrieval.rest.serializers import (
    AnswerSerializer,
    QuestionSerializer,
    ReplaySerializer,
    SearchQuerySerializer,
    SearchResultSerializer,
    SymbolsQuerySerializer,
    SymbolsSerializer,
)
from retrieval.results import SearchOptions
from retrieval.streams import EVENT_STREAM, event_stream
from retrieval.view import UnknownLibrary

logger = logging.getLogger(__name__)

ERRORS = {400: ErrorSerializer, 404: ErrorSerializer}


@contextmanager
def missing_as_404() -> Iterator[None]:
    try:
        yield
    except (UnknownLibrary, NoSuchSymbol) as error:
        raise NotFound(sentence(error)) from error


class EventStreamRenderer(BaseRenderer):
    """Lets a client ask for server-sent events; the view writes them itself."""

    media_type = EVENT_STREAM
    format = "events"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return sent("error", data)


@extend_schema(methods=["GET"], parameters=[SearchQuerySerializer], responses={200: SearchResultSerializer, **ERRORS})
@extend_schema(methods=["POST"], request=SearchQuerySerializer, responses={200: SearchResultSerializer, **ERRORS})
@api_view(["GET", "HEAD", "POST"])
@renderer_classes([JSONRenderer])
def search(request: Request) -> Response:
    """The passages that answer a query best. Posted, the query may be longer than an address."""
    values = validated(SearchQuerySerializer(data=request.data if request.method == "POST" else request.query_params))
    with missing_as_404():
        result = searching.search(request.user, values["q"], options(values))
    note_search(request.user, result)
    return Response(result.as_json())


@extend_schema(parameters=[SymbolsQuerySerializer], responses={200: SymbolsSerializer, **ERRORS})
@api_view(["GET", "HEAD"])
@renderer_classes([JSONRenderer])
def symbols(request: Request) -> Response:
    """What source code defines under a name, and who calls it, or what it calls."""
    values = validated(SymbolsQuerySerializer(data=request.query_params))
    asked = values["name"], values.get("library", ()), values.get("direction", ""), values["depth"]
    with missing_as_404():
        return Response(find_symbols(request.user, *asked).as_json())


@extend_schema(request=QuestionSerializer, responses={200: AnswerSerializer, **ERRORS, 429: ErrorSerializer})
@api_view(["POST"])
@authentication_classes([AskingToken, SessionAuthentication])
@renderer_classes([JSONRenderer, EventStreamRenderer])
def ask(request: Request) -> HttpResponseBase:
    """An answer from the documents alone, each sentence with its sources.

    With `Accept: text/event-stream` it comes as it is written: `retrieved` (the question as understood, and hits),
    `token` (text of the unchecked draft), `finished` (the checked answer); or `error`, where a model or the database
    went away. While the model says nothing a comment is sent every ten seconds.
    """
    values = validated(QuestionSerializer(data=request.data))
    asking = Asking(
        via="rest",
        asker=asker_of(request, request.user),
        token=request.auth,
        standalone=values.get("standalone", ""),
        files=tuple(values.get("files", ())),
        pinned=tuple(values.get("pinned", ())),
        excluded=tuple(values.get("excluded", ())),
        history=tuple(followup.Turn(**turn) for turn in values.get("history", ())),
    )
    events = told(request.user, values["question"], options(values), asking)
    try:
        with missing_as_404():
            first = next(events)  # what cannot be searched is refused before anything is sent
    except TooMany as error:
        throttled = Throttled(detail=f"{error}")  # which says already when to try again
        throttled.wait = error.seconds
        raise throttled from error
    if request.accepted_renderer.format == EventStreamRenderer.format:
        return event_stream(stream(first, events))
    *_, (_, answer) = events
    return Response(answer)


@extend_schema(responses={200: ReplaySerializer})
@api_view(["GET", "HEAD"])
@authentication_classes([AskingToken, SessionAuthentication])
@renderer_classes([JSONRenderer])
def replayed(request: Request, pk: str) -> Response:
    """Would it still say that? An answer's quotations and sentences against today's documents; no model is asked."""
    row = get_object_or_404(Answer.objects.open_to(request.user, "").exclude(asked_by=None), pk=pk)
    return Response(replay(row, request.user).as_json())


def told(user: Reader, question: str, chosen: SearchOptions, asking: Asking) -> Iterator[tuple[str, dict[str, Any]]]:
    """Begins with what was understood and retrieved; what has no name tells nothing new. A client that goes away leaves
    an incomplete answer."""
    standalone = ""
    for event in answer_events(user, question, chosen, asking):
        match event:
            case Rewritten(standalone):
                pass
            case Retrieved(hits):
                yield "retrieved", {"standalone": standalone, "hits": [hit.as_json() for hit in hits]}
            case Token(text):
                yield "token", {"text": text}
            case Silent():
                yield "", {}
            case Finished(answer, row):
                url = reverse("answer", args=[row.pk]) if row.asked_by_id else None
                yield "finished", {"id": row.pk, "url": url, **answer.as_json()}


def stream(first: tuple[str, dict[str, Any]], rest: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[bytes]:
    yield sent(*first)
    try:
        for name, data in rest:
            yield sent(name, data) if name else Silent.SENT.encode()
    except (EndpointError, Error) as error:
        if (reason := missed(error)) is None:
            raise
        logger.warning("an answer broke off: %s", error)
        yield sent("error", {"detail": reason})


def sent(event: str, data: Any) -> bytes:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False, default=str)}\n\n".encode()


def options(values: dict[str, Any]) -> SearchOptions:
    return SearchOptions(
        libraries=tuple(values.get("library", ())),
        mode=values.get("mode", "hybrid"),
        top_k=values.get("top_k"),
        snapshot=values.get("snapshot"),
        rerank=values.get("rerank"),
        explain=values.get("explain", False),
        why_not=values.get("why_not", ""),
    )
