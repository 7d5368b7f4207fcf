"""Asking: the answer streams where JavaScript runs, and comes whole where it does not. Every answer is kept."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import cast

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from knowledge.models import Answer
from retrieval import answering
from retrieval.pages.forms import AskForm
from retrieval.pages.transcript import transcript

EVENT_STREAM = "text/event-stream"
REMEMBERED = "answers"  # in an anonymous reader's session: the ids of the answers that are theirs


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def chat(request: HttpRequest) -> HttpResponseBase:
    form = AskForm(request.user, request.POST or None, initial=request.GET.dict())
    if request.method != "POST" or not form.is_valid():
        status = 400 if form.errors else 200
        return render(request, "chat.html", {"form": form, "earlier": earlier(request)}, status=status)
    if EVENT_STREAM in request.headers.get("Accept", ""):
        return stream(request, form)
    *_, finished = answering.answer_events(request.user, form.cleaned_data["q"], form.options())
    row = cast(answering.Finished, finished).entry
    remember(request.session, row)
    return redirect("answer", row.pk)


@never_cache
@require_safe
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(theirs(request), pk=pk)
    form = AskForm(request.user)
    context = {"form": form, "transcript": transcript(row, request.user), "earlier": earlier(request)}
    return render(request, "chat.html", context)


def theirs(request: HttpRequest) -> QuerySet[Answer]:
    """The answers that this reader may open: their own; a superuser every one; who is not signed in, this session's."""
    user = request.user
    if user.is_authenticated:
        return Answer.objects.all() if user.is_superuser else Answer.objects.filter(asked_by=user)
    return Answer.objects.filter(asked_by__isnull=True, pk__in=request.session.get(REMEMBERED, []))


def earlier(request: HttpRequest) -> QuerySet[Answer]:
    """What this reader asked before. A superuser's list is their own, too."""
    mine = theirs(request).filter(asked_by=request.user) if request.user.is_authenticated else theirs(request)
    return mine.only("pk", "question", "asked_at", "refused")[:12]


def remember(session: SessionBase, row: Answer) -> None:
    """So that a reader who is not signed in finds the answer again, and nobody else does."""
    if row.asked_by_id is None:
        session[REMEMBERED] = [row.pk, *session.get(REMEMBERED, [])][:50]


def stream(request: HttpRequest, form: AskForm) -> StreamingHttpResponse:
    if not request.user.is_authenticated and not request.session.session_key:
        request.session.create()  # its cookie has to leave with the headers, before the answer is there
    told = events(request, form)
    first = next(told)  # what cannot be searched is refused before anything is sent
    response = StreamingHttpResponse(chain([first], told), content_type=EVENT_STREAM)
    response["X-Accel-Buffering"] = "no"
    return response


def events(request: HttpRequest, form: AskForm) -> Iterator[str]:
    """`retrieved` and `finished` carry HTML, `token` a piece of the draft."""
    for event in answering.answer_events(request.user, form.cleaned_data["q"], form.options()):
        match event:
            case answering.Retrieved(hits):
                yield sent("retrieved", html=render_to_string("chat.html#reading", {"hits": hits}))
            case answering.Token(text):
                yield sent("token", text=text)
            case answering.Finished(_, row):
                session = type(request.session)(request.session.session_key)
                if row.asked_by_id is None:
                    remember(session, row)
                    session.save()
                html = render_to_string("chat.html#answer", {"transcript": transcript(row, request.user)}, request)
                yield sent("finished", html=html, url=reverse("answer", args=[row.pk]), title=row.question)


def sent(event: str, **data: str) -> str:
    return f"event: {event}\ndata: {json.dumps(data)}\n\n"
