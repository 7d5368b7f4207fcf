"""What a request rests on is away, or too slow: a model that an operator forbade to do without, the database, the disk.
503.
"""

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from knowledge.endpoints import EndpointError
from knowledge.storage.room import UNWRITABLE

logger = logging.getLogger(__name__)

RETRY_SECONDS = 30
PROGRAMS = ("/api/", "/v1/", "/retrieve/", "/mcp/", "/healthz/", "/readyz/", "/metrics/")
NO_DATABASE = "The database does not answer."
TOO_SLOW = "The database took too long."
NO_ROOM = "The server's disk is full, or cannot be written to."
LOST = ("08", "57P")  # SQLSTATE: the connection failed, the server goes down or comes up
DISK_FULL = "53100"  # SQLSTATE, of the database's own disk
CANCELLED = "57014"  # by the statement timeout


def is_for_programs(request: HttpRequest) -> bool:
    """Whether what is asked, with or without a slash at its end, is answered in JSON and not by a page."""
    return f"{request.path}/".startswith(PROGRAMS)


def away(role: str) -> str:
    """What a reader is told: which model is away, not where it should be."""
    return f"The {role} model does not answer, and this site is set not to answer without it."


def is_lost(error: Exception) -> bool:
    """Whether there is no database behind the connection. What psycopg itself finds has no SQLSTATE."""
    return isinstance(error, OperationalError | InterfaceError) and (not state(error) or state(error).startswith(LOST))


def is_full(error: Exception) -> bool:
    """Whether there is no room on the server's disk, or on the database's."""
    return state(error) == DISK_FULL or (isinstance(error, OSError) and error.errno in UNWRITABLE)


def state(error: Exception) -> str:
    """The SQLSTATE of what the database refused; empty where it is none's."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def missed(error: Exception) -> str | None:
    """What a reader is told is away: not where it should be. None for another error."""
    if isinstance(error, EndpointError):
        return away(error.role)
    if is_lost(error):
        return NO_DATABASE
    if isinstance(error, OperationalError) and state(error) == CANCELLED:
        return TOO_SLOW
    return NO_ROOM if is_full(error) else None


class Unavailable:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The log says where it should be; a reader is told only what is away."""
        detail = missed(exception)
        if detail is None:
            return None
        asked = None if is_lost(exception) else request  # who asks is not known without a database
        logger.warning("%s: %s", request.path, exception)
        headers = {"Retry-After": str(RETRY_SECONDS)}
        if is_for_programs(request):
            return JsonResponse({"detail": detail}, status=503, headers=headers)
        page = render_to_string("503.html", {"detail": detail}, asked)
        return HttpResponse(page, status=503, headers=headers)
