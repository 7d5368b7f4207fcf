"""Answers from an OpenAI-compatible chat endpoint, whole or as they are written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Any, cast

import openai
from django.conf import settings

from knowledge.endpoints import tokens
from knowledge.endpoints.connection import CONNECT_SECONDS, Connection, EndpointError, ReplyWithoutEnd
from knowledge.texts.thoughts import aloud, without_thoughts

Message = dict[str, str]  # role, content
Form = dict[str, Any]  # fields of a request that hold the model to a form

UNTOLD_CONTEXT = 4096  # assumed of a server without /props
COUNTED = ("prompt_tokens", "completion_tokens")
TOLD_APART = ("reasoning_content", "reasoning")  # beside `content`, by servers that tell thoughts from what is said
PROVED = "quite so"  # what no model says by itself


class Hold(StrEnum):
    """By what a server holds its model to a form."""

    GRAMMAR = "grammar"  # GBNF, of llama.cpp
    SCHEMA = "schema"  # JSON schema, of OpenAI, vLLM and others
    NONE = ""


def by_grammar(rules: str) -> Form:
    return {"grammar": rules}


def by_schema(schema: dict[str, Any]) -> Form:
    named = {"name": "answer", "strict": True, "schema": closed(schema)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def closed(schema: Any) -> Any:
    """Every object in it has all of its properties and no others: strict servers take no schema else."""
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(value) for name, value in schema.items()}
    if schema.get("type") != "object":
        return inner
    return {**inner, "required": [*schema["properties"]], "additionalProperties": False}


PROOFS = {  # a form, and all that it leaves to be said
    Hold.GRAMMAR: (by_grammar(f'root ::= "{PROVED}"'), PROVED),
    Hold.SCHEMA: (
        by_schema({"type": "object", "properties": {"said": {"type": "string", "enum": [PROVED]}}}),
        f'{{"said":"{PROVED}"}}',
    ),
}
PROOF_LENGTH = 24  # tokens

_holds: dict[str, Hold] = {}  # by address


@dataclass(slots=True)
class ChatStream:
    """Iterate for the pieces of the text; `usage` and `finish_reason` are known once it has ended.

    Iterating may raise EndpointError. Closing it early frees the server's slot.
    """

    pieces: Iterator[str]
    usage: dict[str, int] = field(default_factory=dict)
    finish_reason: str = ""  # "length": cut by max_tokens
    thinks_apart: bool = False  # what it thinks is in none of the pieces

    def __iter__(self) -> Iterator[str]:
        return self.pieces

    def close(self) -> None:
        if hasattr(self.pieces, "close"):
            self.pieces.close()


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    usage: dict[str, int]
    finish_reason: str


class ChatEndpoint:
    judges = True  # it tells by itself that passages do not answer, so that it may be asked on weak evidence

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def model(self) -> str:
        return self._connection.model

    @cached_property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together, besides what it thinks."""
        return (tokens.context_tokens(self._connection) or UNTOLD_CONTEXT) - settings.CHAT_THINKING

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return tokens.count_tokens(self._connection, texts)

    @property
    def holds_by(self) -> Hold:
        """What the server holds its model to a form by: found out by real calls, once per address."""
        address = self._connection.address.url
        if address not in _holds:
            try:
                _holds[address] = next((hold for hold in PROOFS if self.keeps(hold)), Hold.NONE)
            except EndpointError:
                return Hold.NONE  # away: ask again another time
        return _holds[address]

    def keeps(self, hold: Hold) -> bool:
        """Whether the server holds its model to a form that way. Raises EndpointError if it does not answer at all."""
        form, expected = PROOFS[hold]
        try:
            said = self.complete([{"role": "user", "content": "Say anything."}], PROOF_LENGTH, form=form).text
        except EndpointError as error:
            if error.passes:
                raise
            return False
        return "".join(said.split()) == "".join(expected.split())

    def stream(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        temperature: float = 0.0,
        timeout: float | None = None,
        form: Form | None = None,
    ) -> ChatStream:
        """Nothing is asked before the first piece is taken. Of what the model thinks first come empty pieces.

        `max_tokens` are of what it says; `timeout` is seconds between two pieces; `form` is for a server that holds its
        model to one, from its first word on.
        """
        stream = ChatStream(iter(()))
        pieces = self._pieces(stream, messages, max_tokens + settings.CHAT_THINKING, temperature, timeout, form)
        thinks = settings.CHAT_THINKING > 0 and form is None
        stream.pieces = aloud(pieces, lambda: thinks and not stream.thinks_apart)
        return stream

    def complete(
        self, messages: Sequence[Message], max_tokens: int, temperature: float = 0.0, form: Form | None = None
    ) -> Completion:
        stream = self.stream(messages, max_tokens, temperature, form=form)
        text = without_thoughts("".join(stream))
        return Completion(text, stream.usage, stream.finish_reason)

    def _pieces(
        self,
        stream: ChatStream,
        messages: Sequence[Message],
        max_tokens: int,
        temperature: float,
        timeout: float | None,
        form: Form | None,
    ) -> Iterator[str]:
        model = self.model
        limit = openai.NOT_GIVEN if timeout is None else openai.Timeout(timeout, connect=CONNECT_SECONDS)

        def start(client: openai.OpenAI) -> tuple[Any, list[Any]]:
            """With the first chunk, so that a connection that breaks at once is tried again."""
            reply = client.chat.completions.create(
                model=model,
                messages=cast(Any, list(messages)),
                max_tokens=max_tokens,
                temperature=temperature,
                stream=True,
                stream_options={"include_usage": True},
                extra_body=form,
                timeout=limit,
            )
            return reply, [chunk for chunk in (next(reply, None),) if chunk is not None]

        reply, first = self._connection.call(start)
        with reply:
            chunks = chain(first, reply)
            while (chunk := self._next(chunks)) is not None:
                if piece := self._read(chunk, stream):
                    yield piece
        if not stream.finish_reason:
            raise EndpointError(self._connection.role, "broke off in the middle of an answer")

    def _next(self, chunks: Iterator[Any]) -> Any | None:
        try:
            return next(chunks, None)
        except (openai.OpenAIError, ReplyWithoutEnd, ValueError) as error:
            raise EndpointError(self._connection.role, f"broke off in the middle of an answer ({error})") from error

    def _read(self, chunk: Any, stream: ChatStream) -> str:
        """The chunk's piece of text: empty in the first one (a role) and in the last one (the usage)."""
        try:
            if chunk.usage:
                counts = {name: getattr(chunk.usage, name, None) for name in COUNTED}
                stream.usage = {name: count for name, count in counts.items() if isinstance(count, int)}
            if not chunk.choices:
                return ""
            stream.finish_reason = chunk.choices[0].finish_reason or stream.finish_reason
            delta = chunk.choices[0].delta
            stream.thinks_apart |= any(getattr(delta, name, None) for name in TOLD_APART)
            return storable(delta.content or "")
        except (AttributeError, LookupError, TypeError) as error:  # the client checks no shapes
            raise EndpointError(self._connection.role, "sent a piece of no known shape") from error


def storable(text: str) -> str:
    """Without what Postgres and UTF-8 do not hold: zero bytes and halves of surrogate pairs."""
    return text.replace("\0", "").encode(errors="replace").decode()
