"""Writing the audit. `record` is called by every governing act, within its transaction: both happen or neither."""

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from knowledge.canonical import as_stored
from knowledge.models import AuditEvent, DocumentFile, Library, Snapshot
from knowledge.models.audit import GENESIS
from knowledge.models.library import Reader

CHAIN = 0x4D41  # "MA": the advisory lock under which events follow each other
_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)
_actor: ContextVar[Reader] = ContextVar("actor", default=None)
_unasked: ContextVar[bool] = ContextVar("unasked", default=False)


class Actor:
    """Middleware: what is done while a request is answered is done by its user, however it came in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _request.set(request)
        try:
            return self.get_response(request)
        finally:
            _request.reset(token)


@contextmanager
def acting(user: Reader) -> Iterator[None]:
    """What is done meanwhile is done by `user`; None: by the operator, on the server."""
    token = _actor.set(user)
    try:
        yield
    finally:
        _actor.reset(token)


@contextmanager
def by_itself() -> Iterator[None]:
    """What is done meanwhile is done because its time has come, by nobody: unless `acting` says for whom."""
    token = _unasked.set(True)
    try:
        yield
    finally:
        _unasked.reset(token)


def actor() -> User | None:
    """Who is at work: the user of the request or of `acting`; None: the operator."""
    request = _request.get()
    user = _actor.get() or (getattr(request, "user", None) if request else None)
    return user if isinstance(user, User) else None


@transaction.atomic
def record(
    action: str,
    *,
    library: Library | str = "",
    snapshot: Snapshot | int | None = None,
    document: DocumentFile | str = "",
    version: str = "",
    by: Reader = None,
    **details: Any,
) -> AuditEvent:
    """Append one event. `by` is who is at work unless told otherwise; `details` must be JSON."""
    user = by if isinstance(by, User) else actor()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [CHAIN])
    last = AuditEvent.objects.order_by("-number").values_list("number", "hash").first()
    number, previous = last or (0, GENESIS)
    event = AuditEvent(
        number=number + 1,
        at=timezone.now(),
        action=action,
        actor_id=user.pk if user else None,
        actor=user.get_username() if user else operator(),
        library=library.slug if isinstance(library, Library) else library,
        snapshot=snapshot.number if isinstance(snapshot, Snapshot) else snapshot,
        path=document.path if isinstance(document, DocumentFile) else document,
        version=version,
        details=as_stored(details),
        previous=previous,
    )
    event.hash = event.computed_hash()
    event.save(force_insert=True)
    return event


def operator() -> str:
    if _request.get() is not None:
        return "nobody, not signed in"
    if _unasked.get():
        return "by itself"
    try:
        return f"{getpass.getuser()} on the server"
    except (OSError, KeyError):  # a container's user without a name
        return "on the server"
