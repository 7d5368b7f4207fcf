"""What pages of every app have in common: what base.html asks, the way back, and the pages of what is not there or
no request.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme

from knowledge.access import acts_somewhere
from knowledge.http.methods import not_taken
from knowledge.http.unavailable import is_for_programs
from knowledge.models import Library

OTHER_NAME = (
    "This site does not answer to the name in its address. Whoever runs it may add the name to ALLOWED_HOSTS in its "
    "settings."
)
OPENAI_OFFERS = "Not found. For OpenAI's clients there are GET /v1/models and POST /v1/chat/completions."


def menu(request: HttpRequest) -> dict[str, Any]:
    """For every template: what its reader may do somewhere, and what libraries are called. Asked where it is shown."""
    return {
        "may_somewhere": SimpleLazyObject(lambda: acts_somewhere(request.user)),
        "library_names": SimpleLazyObject(lambda: names_of_libraries(request)),
    }


def names_of_libraries(request: HttpRequest) -> dict[str, str]:
    """By slug, of those that the reader may read."""
    return dict(Library.objects.readable_by(request.user).values_list("slug", "name"))


def back(request: HttpRequest, default: str) -> HttpResponseRedirect:
    """To the page of this site from which a form was sent, as its `next` says, or to another address."""
    there = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(
        there, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        there = default
    return HttpResponseRedirect(there)  # `redirect` would take other words for a page's name


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A page for people, JSON for programs; the same for what is missing and what may not be seen.

    Django's own view would look for a token in a body that nobody has read, whatever its size.
    """
    if is_for_programs(request):
        return told(request, OPENAI_OFFERS if is_for_openai(request) else "Not found.", 404)
    return render(request, "404.html", {"page": page_of_form(request)}, status=404)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A page for people, JSON for programs: 413 for what is too large to be read, 400 for what cannot be."""
    too_large, other_name = isinstance(exception, RequestDataTooBig), isinstance(exception, DisallowedHost)
    status = 413 if too_large else 400
    if is_for_programs(request):
        reason = "Too large." if too_large else OTHER_NAME if other_name else "Bad request."
        return told(request, reason, status)
    told_here = {"too_large": too_large, "other_name": OTHER_NAME if other_name else ""}
    return render(request, "400.html", told_here, status=status)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Where it may be the server's settings that are wrong, no form of any page would ever be taken.

    Nor is one where nothing can be sent to, whatever its token.
    """
    if response := not_taken(request):
        return response
    elsewhere = reason == REASON_NO_CSRF_COOKIE or "checking failed" in reason  # of the origin or the referer
    return render(request, "403_csrf.html", {"elsewhere": elsewhere}, status=403)


class SignedOut:
    """Who sends a form when their session is over is told that nothing was done, and comes back to its page:
    what it was sent to may be the address of a button.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "POST" or not response.get("Location", "").startswith(f"{reverse('login')}?next="):
            return response
        messages.error(request, "You are not signed in any more, and nothing was done. Sign in, and send it once more.")
        return redirect_to_login(page_of_form(request), reverse("login"))


def page_of_form(request: HttpRequest) -> str:
    """Where the browser says that what is sent comes from, if it is a page of this site; else where it goes."""
    there, site = request.headers.get("Referer", ""), f"{request.scheme}://{request.get_host()}"
    return there.removeprefix(site) if there.startswith(f"{site}/") else request.get_full_path()


class OtherMethods:
    """Where an address is opened that only a button calls, as after a log-in, or something is sent to one that is only
    read, Django says nothing at all.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code != 405 or is_for_programs(request):
            return response
        told_here = {"is_opened": request.method in ("GET", "HEAD"), "taken": response["Allow"]}
        page = render(request, "405.html", told_here, status=405)
        page["Allow"] = response["Allow"]
        return page


def is_for_openai(request: HttpRequest) -> bool:
    return f"{request.path}/".startswith("/v1/")


def told(request: HttpRequest, reason: str, status: int) -> JsonResponse:
    """For programs; below /v1 as OpenAI's clients expect it."""
    if is_for_openai(request):
        error = {"message": reason, "type": "invalid_request_error", "param": None, "code": None}
        return JsonResponse({"error": error}, status=status)
    return JsonResponse({"detail": reason}, status=status)
