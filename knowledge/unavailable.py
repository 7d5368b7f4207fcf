"""A request that cannot be answered because a model is away, where an operator forbade to answer without it: 503."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from knowledge.endpoints import EndpointError

logger = logging.getLogger(__name__)

RETRY_SECONDS = 30
PROGRAMS = ("/api/", "/v1/", "/retrieve", "/mcp")


def away(error: EndpointError) -> str:
    """What a reader is told: which model is away, not where it should be."""
    return f"The {error.role} model does not answer, and this site is set not to answer without it."


class ModelUnavailable:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The log says where the model should be; a reader is told only which one is away."""
        if not isinstance(exception, EndpointError):
            return None
        logger.warning("%s: %s", request.path, exception)
        detail = away(exception)
        headers = {"Retry-After": str(RETRY_SECONDS)}
        if request.path.startswith(PROGRAMS):
            return JsonResponse({"detail": detail}, status=503, headers=headers)
        page = render_to_string("503.html", {"detail": detail}, request)
        return HttpResponse(page, status=503, headers=headers)
