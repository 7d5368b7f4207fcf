"""A page about one library for whom an act is allowed there."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from knowledge.access import Act, NotAllowed, acts_in
from knowledge.models import (
    Library,
    NotActivatable,
)
from knowledge.wording import sentence

REFUSED = (NotAllowed, NotActivatable, ValueError)
PAGE = 100
View = Callable[..., HttpResponse]


def governed(act: Act) -> Callable[[View], View]:
    """Find the library: one that may not be read is not there, one in which `act` is not allowed is shut."""

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def found(request: HttpRequest, slug: str, **rest: Any) -> HttpResponse:
            readable = Library.objects.readable_by(request.user).select_related("active_snapshot")
            library = get_object_or_404(readable, slug=slug)
            acts = acts_in(request.user, library)
            if act not in acts:
                raise PermissionDenied
            return view(request, library, acts, **rest)

        return found

    return decorate


def carried_out(request: HttpRequest, done: Callable[[], str]) -> bool:
    """Do it, and say what came of it: whether it was done. What has to happen whole is atomic in `done`: a refusal may
    leave its record.
    """
    try:
        messages.success(request, f"{done()}.")
    except REFUSED as error:
        messages.error(request, sentence(error))
        return False
    return True


def moment(text: str) -> datetime:
    """A date and time as a form sends it; without a zone it is UTC's. Raises ValueError."""
    try:
        at = parse_datetime(text)
        aware = at and (at if timezone.is_aware(at) else timezone.make_aware(at)).astimezone(UTC)
    except (ValueError, OverflowError):
        aware = None
    if aware is None:
        raise ValueError("that is no date and time")
    return aware


def signed_in(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user
