"""What a request rests on is away: a model that an operator forbade to do without, the database, the disk. 503."""

import errno
import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from knowledge.endpoints import EndpointError

logger = logging.getLogger(__name__)

RETRY_SECONDS = 30
PROGRAMS = ("/api/", "/v1/", "/retrieve", "/mcp")
NO_DATABASE = "The database does not answer."
NO_ROOM = "The server's disk is full, or cannot be written to."
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
LOST = ("08", "57P")  # SQLSTATE: the connection failed, the server goes down or comes up
DISK_FULL = "53100"  # SQLSTATE, of the database's own disk


def away(error: EndpointError) -> str:
    """What a reader is told: which model is away, not where it should be."""
    return f"The {error.role} model does not answer, and this site is set not to answer without it."


def is_lost(error: Exception) -> bool:
    """Whether there is no database behind the connection. What psycopg itself finds has no SQLSTATE."""
    return isinstance(error, OperationalError | InterfaceError) and (not state(error) or state(error).startswith(LOST))


def is_full(error: Exception) -> bool:
    """Whether there is no room on the server's disk, or on the database's."""
    return state(error) == DISK_FULL or (isinstance(error, OSError) and error.errno in FULL)


def state(error: Exception) -> str:
    """The SQLSTATE of what the database refused; empty where it is none's."""
    return getattr(error.__cause__, "sqlstate", None) or ""


class Unavailable:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The log says where it should be; a reader is told only what is away."""
        if isinstance(exception, EndpointError):
            detail, asked = away(exception), request
        elif is_lost(exception):
            detail, asked = NO_DATABASE, None  # who asks is not known without it
        elif is_full(exception):
            detail, asked = NO_ROOM, request
        else:
            return None
        logger.warning("%s: %s", request.path, exception)
        headers = {"Retry-After": str(RETRY_SECONDS)}
        if request.path.startswith(PROGRAMS):
            return JsonResponse({"detail": detail}, status=503, headers=headers)
        page = render_to_string("503.html", {"detail": detail}, asked)
        return HttpResponse(page, status=503, headers=headers)
