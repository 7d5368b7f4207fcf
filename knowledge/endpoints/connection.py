"""Where a role's model is, and one way to call it: explicit timeouts, few retries, one kind of error."""

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import httpx2
import openai
from django.conf import settings
from django.utils.module_loading import import_string

from knowledge.metrics import endpoint_called
from knowledge.texts.addresses import without_userinfo

T = TypeVar("T")

CONNECT_SECONDS = 5.0
READ_SECONDS = 120.0  # between two reads; without a GPU a chat model is silent for a minute over a long prompt
SHORT_SECONDS = 20.0  # for what is done at once, and may stand behind one batch of a running build
PAUSES = (0.5, 1.5)  # before asking a server again that is loading (503) or busy (429)
LARGEST_REPLY = 64 * 1024**2  # bytes; 16 vectors of 8,192 numbers in JSON are 3 MB
LONGEST_REPLY = 600.0  # seconds; a server that sends a byte a minute never runs into READ_SECONDS
BROKEN_OFF = (httpx2.RemoteProtocolError, httpx2.ReadError)
PASSING = {401, 403, 408, 429, 502, 503, 504}  # of the moment, or of the key: they say nothing of what a server can
SHORT = openai.Timeout(SHORT_SECONDS, connect=CONNECT_SECONDS)
AWAY = PASSING - {401, 403}
INPUT_FAULTS = {400, 413, 422, 500}  # llama.cpp answers 500 to a text over its physical batch


class EndpointError(Exception):
    """A model endpoint did not do its work.

    `reason` is for people. `status` is the HTTP status, where there was one. `index` is the position of the text at
    fault, where one text is. `divisible` says that the input may be at fault: a smaller request may still succeed.
    """

    def __init__(
        self, role: str, reason: str, *, status: int | None = None, index: int | None = None, divisible: bool = False
    ) -> None:
        super().__init__(f"The {role} endpoint {reason}")
        self.role = role
        self.reason = reason
        self.status = status
        self.index = index
        self.divisible = divisible

    @property
    def passes(self) -> bool:
        """Whether the same call may succeed another time, so that nothing is to be concluded from this one."""
        return self.status is None or self.status in PASSING

    @property
    def is_away(self) -> bool:
        """Whether the server is not reached, or too busy: when it is back, the same call may succeed."""
        if isinstance(self.__cause__, EndpointError):
            return self.__cause__.is_away
        return self.status in AWAY or isinstance(self.__cause__, openai.APIConnectionError)

    @property
    def is_of_the_key(self) -> bool:
        """Whether the server refused the API key, which only who configures it can mend."""
        return isinstance(self.__cause__, openai.AuthenticationError)


@dataclass(frozen=True, slots=True)
class Address:
    url: str  # ends in /v1
    api_key: str
    model: str  # empty: whatever the server serves
    embedded: bool

    @property
    def shown(self) -> str:
        """As it may be told: without the user and password that a proxy may ask for."""
        return without_userinfo(self.url)


def resolve(role: str) -> Address | None:
    """The role's address: the configured one, else the embedded server's (started if need be); None when it is off."""
    configured = settings.ENDPOINTS.get(role, {})
    if url := configured.get("url", "").rstrip("/"):
        url += "" if urlsplit(url).path else "/v1"
        return Address(url, settings.OPENAI_API_KEY or "none", configured.get("model", ""), embedded=False)
    try:
        server = import_string(settings.EMBEDDED_ENDPOINTS)(role)
    except (OSError, RuntimeError) as error:
        raise EndpointError(role, f"could not be started: {error}") from error
    return server and Address(server.url, server.api_key, server.model, embedded=True)


class ReplyWithoutEnd(Exception):
    """A reply is larger, or takes longer, than any that is meant."""


class Bounded(httpx2.SyncByteStream):
    """A reply's bytes, up to a size and a time."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self.stream = stream

    def __iter__(self) -> Iterator[bytes]:
        size, deadline = 0, time.monotonic() + LONGEST_REPLY
        for part in self.stream:
            size += len(part)
            if size > LARGEST_REPLY:
                raise ReplyWithoutEnd(f"sends more than {LARGEST_REPLY // 1024**2} MB")
            if time.monotonic() > deadline:
                raise ReplyWithoutEnd(f"was still sending after {LONGEST_REPLY:g} s")
            yield part

    def close(self) -> None:
        self.stream.close()


def wrong_with(error: Exception) -> str:
    """With a reply, for people: what Python says of its shape is none of theirs."""
    if isinstance(error, json.JSONDecodeError):
        return "it is no JSON"
    if isinstance(error, TypeError | LookupError | AttributeError | StopIteration):
        return "it lacks what such servers send, or has another form"
    return str(error)


def _bound(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = Bounded(response.stream)


@lru_cache(maxsize=16)
def _client(_process: int, address: Address) -> openai.OpenAI:
    """One pool of connections per process (sockets must not cross a fork) and address."""
    return openai.OpenAI(
        base_url=address.url,
        api_key=address.api_key,
        timeout=openai.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
        max_retries=0,  # the client would repeat a permanent 500
        http_client=openai.DefaultHttpxClient(
            trust_env=not address.embedded,  # no proxy stands before loopback
            event_hooks={"response": [_bound]},
        ),
    )


class Connection:
    """Calls to one role's server. `call` is the only door."""

    def __init__(self, role: str, address: Address) -> None:
        self.role = role
        self.address = address
        self._listed = ""

    @classmethod
    def open(cls, role: str) -> Self | None:
        """None when the role is off. Raises EndpointError when an embedded server does not start."""
        address = resolve(role)
        return cls(role, address) if address else None

    @property
    def root(self) -> str:
        """llama.cpp's own addresses (`/tokenize`, `/props`) stand beside `/v1`, not under it."""
        return self.address.url.removesuffix("/v1")

    @property
    def model(self) -> str:
        """The model's name: as configured, else the first that the server lists."""
        if not self.address.model and not self._listed:
            self._listed = self.call(lambda client: next(iter(client.models.list(timeout=SHORT).data)).id)
        return self.address.model or self._listed

    def get(self, url: str) -> Any:
        return self.call(lambda client: client.get(url, cast_to=object, options={"timeout": SHORT}))

    def post(self, url: str, body: dict[str, Any], timeout: openai.Timeout | None = None) -> Any:
        options: Any = {"timeout": timeout} if timeout else {}
        return self.call(lambda client: client.post(url, cast_to=object, body=body, options=options))

    def call(self, action: Callable[[openai.OpenAI], T]) -> T:
        """What `action` returns; whatever goes wrong inside it becomes an EndpointError.

        A broken connection is tried once more (pooled ones fail now and then after a stream), after starting an
        embedded server again, which may have been killed; its new process has a new key, so a 401 counts as broken.
        """
        again, pauses = True, list(PAUSES)
        while True:
            try:
                with endpoint_called(self.role):
                    return action(_client(os.getpid(), self.address))
            except openai.APITimeoutError as error:
                raise EndpointError(self.role, f"at {self.address.shown} did not answer in time") from error
            except ReplyWithoutEnd as error:
                raise EndpointError(self.role, f"at {self.address.shown} {error}") from error
            except (openai.APIConnectionError, openai.AuthenticationError) as error:
                if isinstance(error.__cause__, ReplyWithoutEnd):
                    raise EndpointError(self.role, f"at {self.address.shown} {error.__cause__}") from error
                refused = isinstance(error, openai.AuthenticationError)
                if not again or (refused and not self.address.embedded):
                    broken = isinstance(error.__cause__, BROKEN_OFF)
                    gone = "broke off in the middle of a reply" if broken else "cannot be reached"
                    reason = "refused the API key" if refused else gone
                    raise EndpointError(self.role, f"at {self.address.shown} {reason}") from error
                again = False
                self._find_again()
            except openai.APIStatusError as error:
                if error.status_code not in {429, 503} or not pauses:
                    raise self._status_error(error) from error
                time.sleep(pauses.pop(0))
            except (openai.OpenAIError, ValueError, TypeError, LookupError, AttributeError, StopIteration) as error:
                reason = f"at {self.address.shown} gave no valid reply: {wrong_with(error)}"
                raise EndpointError(self.role, reason, divisible=True) from error

    def _find_again(self) -> None:
        if self.address.embedded and (address := resolve(self.role)):
            self.address = address

    def _status_error(self, error: openai.APIStatusError) -> EndpointError:
        body = error.body if isinstance(error.body, dict) else {}
        detail = str(body.get("message") or error.message)[:300]
        reason = f"at {self.address.shown} answered {error.status_code}: {detail}"
        return EndpointError(self.role, reason, status=error.status_code, divisible=error.status_code in INPUT_FAULTS)
