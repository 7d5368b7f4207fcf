"""The OpenAI-compatible endpoint: a model for each library that the token's user may read.

What is sent as the message has been checked, with its sources below it. While it streams, the draft goes as
`reasoning_content`, which chat front ends show as thinking and the openai client leaves alone.
"""

import json
import logging
import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, cast
from urllib.parse import urljoin

from django.core.exceptions import RequestDataTooBig
from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from knowledge.endpoints import EndpointError, storable
from knowledge.http.unavailable import RETRY_SECONDS, missed
from knowledge.models import Library
from knowledge.models.library import Reader
from knowledge.rest.authentication import BadToken
from knowledge.rest.errors import too_large
from retrieval.answering.events import Begun, Event, Finished, Silent, Token
from retrieval.answering.followups.followup import REMEMBERED, Turn
from retrieval.answering.ledger import Asking, TooMany
from retrieval.answering.pasted import asked_in
from retrieval.answering.phrases import IN
from retrieval.answering.pipeline import answer_events
from retrieval.answering.sentences import doubtful
from retrieval.callers import asker_of, reader_by_token
from retrieval.printed import MARKDOWN, escaped, headings_of, numbers_of, text_of, told_of_nearest
from retrieval.query import MAX_CHARACTERS
from retrieval.results import NEAREST, AnswerResult, Citation, SearchOptions
from retrieval.streams import event_stream
from retrieval.view import UnknownLibrary

RULES = ("system", "developer")  # whose messages change nothing, wherever they stand: the rules are ours
EVERYTHING = "muniment"  # the model that reads every library
PREFIX = "muniment/"
RECENT = 2 * REMEMBERED  # questions before this one that are looked at: some of them are thanks
PIECE = 40  # characters of the checked text in one event
BELOW_ANSWERS = re.compile(rf"(?:^|\n\n)(?:{'|'.join(heading for said in IN.values() for heading in said.below)})\n")
KINDS = {401: "authentication_error", 429: "rate_limit_error", 503: "server_error"}
logger = logging.getLogger(__name__)

View = Callable[..., HttpResponseBase]


class Refused(Exception):
    """A request that cannot be answered, as OpenAI's clients expect it."""

    def __init__(self, status: int, message: str, code: str = "", **headers: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code
        self.headers = {name.replace("_", "-").title(): value for name, value in headers.items()}

    def as_json(self) -> dict[str, Any]:
        kind = KINDS.get(self.status, "invalid_request_error")
        return {"error": {"message": str(self), "type": kind, "param": None, "code": self.code or None}}

    def response(self) -> JsonResponse:
        return JsonResponse(self.as_json(), status=self.status, headers=self.headers)


def unavailable(error: EndpointError | Error) -> Refused:
    """Raises what is no sign of something that is away."""
    if (reason := missed(error)) is None:
        raise error
    logger.warning("a completion broke off: %s", error)
    code = "model_unavailable" if isinstance(error, EndpointError) else ""
    return Refused(503, reason, code, retry_after=str(RETRY_SECONDS))


def endpoint(*methods: str) -> Callable[[View], View]:
    """No cookie is looked at, so there is nothing that another site could forge. Every refusal is JSON."""

    def decorated(view: View) -> View:
        @csrf_exempt
        @never_cache
        @wraps(view)
        def answered(request: HttpRequest, **named: str) -> HttpResponseBase:
            try:
                if request.method not in methods:
                    raise Refused(405, f"Use {methods[0]}.", allow=", ".join(methods))
                return view(request, **named)
            except BadToken as error:
                code = "invalid_api_key" if error.status == 401 else "insufficient_permissions"
                return Refused(error.status, str(error), code, www_authenticate="Bearer").response()
            except (EndpointError, Error) as error:
                return unavailable(error).response()
            except RequestDataTooBig:
                return Refused(413, too_large(), "request_too_large").response()
            except Refused as error:
                return error.response()

        return answered

    return decorated


@endpoint("GET", "HEAD")
def models(request: HttpRequest) -> JsonResponse:
    reader, _ = reader_by_token(request)
    return JsonResponse({"object": "list", "data": [described(name) for name in open_to(reader)]})


@endpoint("GET", "HEAD")
def model(request: HttpRequest, name: str) -> JsonResponse:
    reader, _ = reader_by_token(request)
    name = name.rstrip("/")
    if name not in open_to(reader):
        raise unknown(name)
    return JsonResponse(described(name))


def open_to(reader: Reader) -> list[str]:
    """The names of the models that may be asked."""
    libraries = Library.objects.readable_by(reader).searched()
    return [EVERYTHING, *(PREFIX + slug for slug in libraries.values_list("slug", flat=True))]


def described(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "muniment"}


def unknown(name: str) -> Refused:
    return Refused(404, f"The model “{name}” does not exist, or is not open to you.", "model_not_found")


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What was asked for, checked."""

    model: str
    question: str
    history: tuple[Turn, ...]
    stream: bool
    include_usage: bool

    @property
    def libraries(self) -> tuple[str, ...]:
        return () if self.model == EVERYTHING else (self.model.removeprefix(PREFIX),)


@endpoint("POST")
def completions(request: HttpRequest) -> HttpResponseBase:
    reader, token = reader_by_token(request)
    asked = read_request(request.body)
    if asked.model not in open_to(reader):
        raise unknown(asked.model)
    asking = Asking(via="openai", asker=asker_of(request, reader), history=asked.history, token=token)
    events = answer_events(reader, asked.question, SearchOptions(asked.libraries), asking)
    try:
        first, *_ = next(events), next(events), next(events)  # until retrieved: errors are said before a stream
    except UnknownLibrary as error:
        raise unknown(asked.model) from error
    except TooMany as error:
        raise Refused(429, str(error), "rate_limit_exceeded", retry_after=str(error.seconds)) from error
    entry = cast(Begun, first).entry
    head = {"id": f"chatcmpl-{entry.pk}", "created": int(time.time()), "model": asked.model}
    site = request.build_absolute_uri("/")
    if asked.stream:
        return event_stream(streamed(head, asked, events, site))
    answer = next(event.answer for event in events if isinstance(event, Finished))
    said = {"role": "assistant", "content": message_text(answer, site)}
    choice = {"index": 0, "message": said, "finish_reason": "stop", "logprobs": None}
    body = {"object": "chat.completion", "choices": [choice], "usage": usage(answer), "muniment": told(answer, site)}
    return JsonResponse(head | body)


def streamed(head: dict[str, Any], asked: CompletionRequest, events: Iterator[Event], site: str) -> Iterator[str]:
    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]
        return event({**head, "object": "chat.completion.chunk", "choices": choices, **more})

    def finished(answer: AnswerResult) -> Iterator[str]:
        text = message_text(answer, site)
        for start in range(0, len(text), PIECE):
            yield chunk({"content": text[start : start + PIECE]})
        yield chunk({}, "stop", muniment=told(answer, site))
        if asked.include_usage:
            yield event({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage(answer)})

    yield chunk({"role": "assistant", "content": ""})
    try:
        for one in events:
            if isinstance(one, Token):
                yield chunk({"reasoning_content": one.text})
            elif isinstance(one, Silent):
                yield one.SENT
            elif isinstance(one, Finished):
                yield from finished(one.answer)
    except (EndpointError, Error) as error:
        yield event(unavailable(error).as_json())
    yield "data: [DONE]\n\n"


def event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def message_text(answer: AnswerResult, site: str) -> str:
    """The answer with its sources as text: links that only a click follows."""
    sources = [
        f"[{citation.n}] {citation.hit.library}: {citation.hit.source_file}:{citation.line_start}"
        f"{'' if citation.verified else ' (not borne out)'} {urljoin(site, citation.hit.url)}"
        for citation in as_counted(answer)
    ]
    nearest = [
        f"- {hit.library}: {hit.source_file}:{hit.line_start} {urljoin(site, hit.url)}"
        for hit in (answer.hits[:NEAREST] if answer.refused else ())
    ]
    if told_first := told_of_nearest(answer):
        nearest[0] += f"\n  > {escaped(told_first)}\n"
    doubts = [f"- {said.text}" for said in doubtful(answer.sentences)]
    below = zip(headings_of(answer), (doubts, sources, nearest), strict=True)
    parts = [
        text_of(answer, MARKDOWN),
        *("\n".join([heading, *lines]) for heading, lines in below if lines),
    ]
    return "\n\n".join(part for part in parts if part)


def as_counted(answer: AnswerResult) -> list[Citation]:
    """With the numbers that the message's text has, in their order."""
    numbers = numbers_of(answer)
    return sorted((replace(one, n=numbers[one.n]) for one in answer.citations), key=lambda one: one.n)


def told(answer: AnswerResult, site: str) -> dict[str, Any]:
    """What the message's text cannot say exactly."""
    return {
        "refused": answer.refused,
        "standalone": answer.standalone,
        "degraded": list(answer.degraded),
        "answered_by": answer.model,
        "citations": [
            citation.as_json() | {"url": urljoin(site, citation.hit.url), "explain": None}
            for citation in as_counted(answer)
        ],
    }


def usage(answer: AnswerResult) -> dict[str, int]:
    prompt, completion = answer.usage.get("prompt_tokens", 0), answer.usage.get("completion_tokens", 0)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def read_request(body: bytes) -> CompletionRequest:
    """Raises Refused."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "The body is not JSON.") from error
    if not isinstance(given, dict):
        raise Refused(400, "The body is not a JSON object.")
    model, said = given.get("model"), given.get("messages")
    if model is None:
        raise Refused(400, f"model: “{EVERYTHING}” or “{PREFIX}” and a library is needed; see /v1/models.")
    if not isinstance(model, str) or not (model == EVERYTHING or model.startswith(PREFIX)):
        raise Refused(404, f"model: “{EVERYTHING}” or “{PREFIX}” and a library; see /v1/models.", "model_not_found")
    if not isinstance(said, list) or not all(isinstance(message, dict) for message in said):
        raise Refused(400, "messages: a list of messages is needed.")
    check_reply(given)
    roles = [(message.get("role"), content_of(message.get("content"))) for message in said]
    spoken = [(role, text) for role, text in roles if role not in RULES]
    if not spoken or spoken[-1][0] != "user" or not spoken[-1][1].strip():
        raise Refused(400, "messages: the last one must be the user's, with text.")
    question = spoken[-1][1].strip()
    if len(question) > MAX_CHARACTERS:
        raise Refused(400, f"messages: a question has at most {MAX_CHARACTERS} characters.", "string_above_max_length")
    extra = given.get("stream_options")
    with_usage = isinstance(extra, dict) and extra.get("include_usage") is True
    return CompletionRequest(model, question, turns(spoken[:-1]), bool(given.get("stream")), with_usage)


def check_reply(given: dict[str, Any]) -> None:
    """Raises Refused where a reply of another kind is asked for. What else clients send changes nothing."""
    wanted = given.get("response_format")
    if given.get("n") not in (None, 1) or given.get("n") is True:
        raise Refused(400, "n: one choice is all there is.")
    for name in ("max_tokens", "max_completion_tokens"):
        if not is_number(given.get(name), (int,), 1, math.inf):
            raise Refused(400, f"{name}: a whole number, at least 1.")
    for name, most in (("temperature", 2), ("top_p", 1)):
        if not is_number(given.get(name), (int, float), 0, most):
            raise Refused(400, f"{name}: a number from 0 to {most}.")
    if (wanted.get("type") if isinstance(wanted, dict) else wanted) not in (None, "text"):
        raise Refused(400, "response_format: text is all there is.")
    for name in ("tool_choice", "function_call"):
        if given.get(name) not in (None, "none", "auto"):
            raise Refused(400, f"{name}: no tool is called.")
    if given.get("modalities") not in (None, [], ["text"]):
        raise Refused(400, "modalities: text is all there is.")
    if given.get("stream") not in (None, True, False):
        raise Refused(400, "stream: true or false.")


def is_number(value: Any, kinds: tuple[type[int] | type[float], ...], least: float, most: float) -> bool:
    """Whether it is one between the bounds, or null. No truth value is, nor the NaN that Python's JSON reads."""
    return value is None or (isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most)


def content_of(content: Any) -> str:
    """Text alone, or the text of parts. Images are not looked at."""
    if isinstance(content, list):
        texts = [part.get("text", "") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return storable("\n".join(text for text in texts if isinstance(text, str)))
    return storable(content) if isinstance(content, str) else ""


def turns(spoken: list[tuple[Any, str]]) -> tuple[Turn, ...]:
    """Each of the last questions before with the reply behind it."""
    found: list[tuple[str, str]] = []
    for role, text in spoken:
        if role == "user":
            found.append((text[:MAX_CHARACTERS], ""))
        elif role == "assistant" and found:
            found[-1] = found[-1][0], text
    return tuple(
        Turn(asked_in(question), BELOW_ANSWERS.split(reply, maxsplit=1)[0][:MAX_CHARACTERS])
        for question, reply in found[-RECENT:]
    )
