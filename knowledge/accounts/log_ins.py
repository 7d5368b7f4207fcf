"""Guessing of passwords: who failed too often waits, and the audit has a few events for many failures.

Counted in memory, by each web process for itself: with two, a guesser has twice as many. Of one name only the failures
from one address are counted together: nobody locks somebody else out. Of IPv6 a /64 counts as one address.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.crypto import salted_hmac

from knowledge.http.network import network_of

from .sign_on import provider

WINDOW = 600  # seconds in which failures are counted together
OF_NAME, OF_ADDRESS = 10, 100  # failures from one address: with one name, and with any

View = Callable[..., HttpResponseBase]


def throttled(view: View) -> View:
    """Of a page that takes a name and a password."""

    @wraps(view)
    def asked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if request.method != "POST" or not must_wait(request, request.POST.get("username", "")):
            return view(request, *args, **kwargs)
        context = {
            "form": AuthenticationForm(request),
            "next": request.POST.get("next", ""),
            "sign_on": provider,
        }
        return wait(request, "registration/login.html", context)

    return asked


def wait(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    response = render(request, template, {**context, "minutes": WINDOW // 60}, status=429)
    response["Retry-After"] = str(WINDOW)
    return response


def must_wait(request: HttpRequest, name: str) -> bool:
    of_name, of_address = keys(request, name)
    return cache.get(of_name, 0) >= OF_NAME or cache.get(of_address, 0) >= OF_ADDRESS


def failed(request: HttpRequest | None, name: str) -> tuple[bool, int]:
    """Count a failure: whether it is the first with this name, and how many there were where a limit is reached now.

    Whoever reaches one waits WINDOW from then on.
    """
    limits = zip(keys(request, name), (OF_NAME, OF_ADDRESS), strict=True)
    of_name, of_address = (counted(key, limit) for key, limit in limits)
    reached = of_name if of_name == OF_NAME else of_address if of_address == OF_ADDRESS else 0
    return of_name == 1, reached


def succeeded(request: HttpRequest | None, name: str) -> None:
    of_name, _ = keys(request, name)
    cache.delete(of_name)


def counted(key: str, limit: int) -> int:
    if cache.add(key, 1, WINDOW):
        return 1
    try:
        count = int(cache.incr(key))
        if count == limit:
            cache.touch(key, WINDOW)
        return count
    except ValueError:  # its time was up meanwhile
        cache.set(key, 1, WINDOW)
        return 1


def keys(request: HttpRequest | None, name: str) -> tuple[str, str]:
    """No address is kept, only a keyed hash of it; names are told apart as the log-in tells them apart."""
    address = network_of(request) if request else ""
    same = User.normalize_username(name[:1000].strip())
    of_name, of_address = (salted_hmac("log-in", f"{address}\n{text}").hexdigest() for text in (f"name {same}", ""))
    return of_name, of_address
