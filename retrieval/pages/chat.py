"""Asking: the answer streams where JavaScript runs, and comes whole where it does not. Every answer is kept.

A conversation is its owner's; who is not signed in owns those of the visitor that their session names.
"""

import json
import secrets
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, QuerySet, Subquery
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache

from knowledge.http.methods import require_http_methods, require_POST, require_safe
from knowledge.models import Answer, Conversation
from knowledge.pages.common import back
from knowledge.wording import sentence
from retrieval.answering import live
from retrieval.answering.events import Finished, Retrieved, Rewritten, Silent
from retrieval.answering.ledger import Asking, TooMany
from retrieval.answering.pasted import asked_in
from retrieval.answering.pipeline import answer_events
from retrieval.answering.replay import replay
from retrieval.answering.revocation import is_open
from retrieval.callers import asker_of
from retrieval.pages.forms import AgainForm, AskForm, FeedbackForm
from retrieval.pages.starters import starters
from retrieval.pages.transcript import Transcript, page_numbers, transcript, transcripts
from retrieval.query import clean
from retrieval.results import SearchOptions
from retrieval.streams import event_stream
from retrieval.view import UnknownLibrary, one_read

VISITOR = "visitor"  # in the session of someone who is not signed in: what their conversations know them by
PAGE = 15  # conversations
SHARED = "The conversation is shared. Send its address to whoever is to read it."
UNSHARED = "The conversation is yours alone again."
REMOVED = "The conversation is off your list, and its address opens for nobody any more."
THANKS = "Thank you. It is kept with the answer."
TAKEN_BACK = "It is taken back."
RETRY = 2_000  # milliseconds until a browser comes back to a stream that ended


@receiver(user_logged_in)
def take_over(request: HttpRequest | None, user: User, **_: Any) -> None:
    """What a visitor asked before they signed in is theirs afterwards."""
    session = getattr(request, "session", None)
    if session and (visitor := session.pop(VISITOR, "")):
        Conversation.objects.owned_by(None, visitor).update(owner=user, visitor="")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def chat(request: HttpRequest) -> HttpResponseBase:
    chosen = request.GET.dict() | {"library": request.GET.getlist("library")}
    form = AskForm(request.user, own(request), request.POST or None, initial=chosen)
    if request.method != "POST" or not form.is_valid():
        begun = form.cleaned_data.get("conversation") if form.is_bound else None
        row = begun.answers.order_by("asked_at").last() if begun else None
        return ask_page(request, form, row, status=400 if form.errors else 200)
    conversation = form.cleaned_data["conversation"] or new_conversation(request, form.cleaned_data["q"])
    asking = Asking(
        via="page",
        asker=asker_of(request),
        conversation=conversation,
        standalone=form.cleaned_data["standalone"],
        files=form.globs(),
    )
    return begin(request, form, form.cleaned_data["q"], form.options(), asking)


@never_cache
@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The same question once more: as it is worded now, with passages pinned or left out."""
    row = get_object_or_404(own_answers(request), pk=pk)
    form = AgainForm(request.POST)
    if not form.is_valid():
        return ask_page(request, form, row, status=400)
    asking = replace(form.asking(row, request.user), asker=asker_of(request))
    return begin(request, form, row.question, form.options(row), asking)


def begin(request: HttpRequest, form: Any, question: str, options: SearchOptions, asking: Asking) -> HttpResponseBase:
    """To the answer's page: at once where it can follow the answer being written, else once it is complete."""
    try:
        if request.POST.get("live"):
            with one_read(request.user, options.libraries, options.snapshot):
                pass  # who follows the writer is not told what it raises
            entry = live.start(request.user, question, options, asking)
        else:
            *_, finished = answer_events(request.user, question, options, asking)
            entry = cast(Finished, finished).entry
    except (TooMany, UnknownLibrary) as error:
        drop_if_empty(asking.conversation)
        form.add_error(None, sentence(error))
        before = (
            asking.conversation.answers.order_by("asked_at").last()
            if asking.conversation and asking.conversation.pk
            else None
        )
        row = asking.replaces or before
        if isinstance(error, UnknownLibrary):
            return ask_page(request, form, row, status=404)
        response = ask_page(request, form, row, status=429)
        response["Retry-After"] = str(error.seconds)
        return response
    return redirect(f"{address(entry)}#Answer{entry.pk}")


@never_cache
@require_safe
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(readable(request), pk=pk)
    initial = row.scope | {"conversation": row.conversation_id, "only": " ".join(row.options.get("files", []))}
    form = AskForm(request.user, own(request), initial=initial)
    return ask_page(request, form, row)


def ask_page(request: HttpRequest, form: Any, row: Answer | None, status: int = 200) -> HttpResponse:
    conversation = row.conversation if row else None
    rows = conversation.latest() if conversation else [row] if row else []
    newest = max(rows, key=attrgetter("asked_at", "pk"), default=None)
    is_earlier = row is not None and row not in rows
    if row and is_earlier:
        rows = [row]  # asked again since: shown by itself
    mine = row is None or row.is_owned_by(request.user, visitor_of(request))
    asked = form if isinstance(form, AskForm) else AskForm(request.user, own(request))
    context = {
        "form": asked,
        "errors": [said for errors in form.errors.values() for said in errors] or ([] if is_earlier else unasked(form)),
        "row": row,
        "starters": [] if row or asked["q"].value() else starters(asked.searched()),
        "newest": newest,
        "is_earlier": is_earlier,
        "conversation": conversation,
        "address": request.build_absolute_uri(address(newest)) if newest else "",
        "turns": transcripts(rows, request.user),
        "mine": mine,
        "writing": any(one.is_being_written for one in rows),
        "earlier": earlier(request),
    }
    return render(request, "chat.html", context, status=status)


@never_cache
@require_safe
def events(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """The draft from the character that `Last-Event-ID` names; then the checked answer."""
    row = get_object_or_404(own_answers(request), pk=pk)
    seen = request.headers.get("Last-Event-ID", "") or request.GET.get("from", "")
    start = int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 9 else 0
    return event_stream(streamed(request, row, start))


def streamed(request: HttpRequest, row: Answer, start: int) -> Iterator[str]:
    yield f"retry: {RETRY}\n\n"
    if not row.is_being_written:
        yield said(request, row, live.Ended(row.pk))
        return
    if not is_open(row, request.user):  # its draft was drawn from what is closed now
        return  # its writer notices within a second; the browser comes back
    reader = f"user:{request.user.pk}" if request.user.is_authenticated else f"visitor:{visitor_of(request)}"
    try:
        with live.seat(reader):
            for event in live.follow(row.pk, start):
                yield said(request, row, event)
    except TooMany:
        return  # the browser comes back after a while
    except Answer.DoesNotExist:
        return  # the library or the account went away meanwhile; a browser that comes back is told so


def said(request: HttpRequest, row: Answer, event: Any) -> str:
    match event:
        case Silent():
            return Silent.SENT
        case live.Piece(text, end):
            return sent("token", end, text=text)
        case Rewritten(standalone) if standalone != row.question:
            return sent("understood", html=render_to_string("chat.html#understood", {"standalone": standalone}))
        case Retrieved(hits):
            return sent("retrieved", html=render_to_string("chat.html#reading", {"hits": hits}))
        case live.Ended(pk):
            turn = told(Answer.objects.get(pk=pk), request)
            context = {"turn": turn, "mine": True, "is_first": is_first(turn.row)}
            return sent("finished", html=render_to_string("chat.html#turn", context, request))
        case _:
            return ""


@never_cache
@require_POST
def stop(request: HttpRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(own_answers(request), pk=pk)
    live.stop(row)
    return redirect(f"{address(row)}#Answer{row.pk}")


@never_cache
@require_POST
def feedback(request: HttpRequest, pk: int) -> HttpResponse:
    row = get_object_or_404(own_answers(request), pk=pk)
    form = FeedbackForm(request.POST)
    if form.is_valid():
        row.say(form.liked(), form.cleaned_data["remark"])
        messages.success(request, TAKEN_BACK if form.liked() is None else THANKS)
    return redirect(f"{address(row)}#Answer{row.pk}")


@never_cache
@login_required
@require_POST
def share(request: HttpRequest, pk: int) -> HttpResponse:
    """Open a conversation to everyone who signs in, or close it again."""
    conversation = get_object_or_404(own(request), pk=pk)
    conversation.shared = request.POST.get("shared") == "yes"
    conversation.save(update_fields=["shared"])
    messages.success(request, SHARED if conversation.shared else UNSHARED)
    return back(request, reverse("chat"))


@never_cache
@require_POST
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a conversation off its owner's list; what of it is being written still is stopped."""
    conversation = get_object_or_404(own(request), pk=pk)
    conversation.remove()
    for row in conversation.answers.being_written():
        live.stop(row)
    messages.success(request, REMOVED)
    return redirect("chat")


@never_cache
@require_safe
def replayed(request: HttpRequest, pk: int) -> HttpResponse:
    """Would it still say that?"""
    row = get_object_or_404(readable(request), pk=pk)
    found, numbers = replay(row, request.user), page_numbers(row)
    spans = sorted(((numbers.get(span.n, span.n), span) for span in found.spans), key=itemgetter(0))
    return render(request, "replay.html", {"row": row, "replay": found, "spans": spans})


# --- whose ----------------------------------------------------------------------------------------


def visitor_of(request: HttpRequest) -> str:
    return str(request.session.get(VISITOR, ""))


def own(request: HttpRequest) -> QuerySet[Conversation]:
    return Conversation.objects.owned_by(request.user, visitor_of(request))


def own_answers(request: HttpRequest) -> QuerySet[Answer]:
    """Those that this reader may change."""
    return Answer.objects.owned_by(request.user, visitor_of(request))


def readable(request: HttpRequest) -> QuerySet[Answer]:
    return Answer.objects.open_to(request.user, visitor_of(request)).select_related("conversation__owner")


def new_conversation(request: HttpRequest, question: str) -> Conversation:
    title = clean(asked_in(question))[:200]
    if request.user.is_authenticated:
        return Conversation.objects.create(owner=request.user, title=title)
    visitor = visitor_of(request) or secrets.token_urlsafe()
    request.session[VISITOR] = visitor  # the same from every tab: neither overwrites what the other one asked
    return Conversation.objects.create(visitor=visitor, title=title)


def drop_if_empty(conversation: Conversation | None) -> None:
    if conversation and not conversation.answers.exists():
        conversation.delete()


def is_first(row: Answer) -> bool:
    """Whether its question opens its conversation's page."""
    return not row.conversation or row.conversation.latest()[0] == row


def earlier(request: HttpRequest) -> "Page[Any]":
    """What this reader talked about before; each with its last answer."""
    last = Answer.objects.filter(conversation=OuterRef("pk")).order_by("-asked_at", "-pk")
    found = own(request).annotate(last=Subquery(last.values("pk")[:1])).filter(last__isnull=False)
    return Paginator(found, PAGE).get_page(request.GET.get("page"))


def told(row: Answer, request: HttpRequest) -> Transcript:
    return transcript(row, request.user)


def unasked(form: Any) -> list[str]:
    """That a library which a link or an earlier question names cannot be asked: others would be, unsaid."""
    closed = [] if form.is_bound else list(form.closed(form["library"].value() or ()))
    return [*closed, "Choose others, or every library is asked."] if closed else []


# --- small things ---------------------------------------------------------------------------------


def address(row: Answer) -> str:
    return reverse("answer", args=[row.pk])


def sent(event: str, identifier: int | None = None, **data: str) -> str:
    mark = "" if identifier is None else f"id: {identifier}\n"
    return f"{mark}event: {event}\ndata: {json.dumps(data)}\n\n"
