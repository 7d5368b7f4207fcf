"""What pages of every app have in common: what base.html asks, and the page of what is not there."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.functional import SimpleLazyObject
from django.views.defaults import page_not_found

from knowledge.access import acts_somewhere


def menu(request: HttpRequest) -> dict[str, Any]:
    """For every template: what its reader may do somewhere. Asked only where it is shown, and once."""
    return {"may_somewhere": SimpleLazyObject(lambda: acts_somewhere(request.user))}


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A page for people, JSON for programs; the same for what is missing and what may not be seen."""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": "Not found."}, status=404)
    return page_not_found(request, exception)
