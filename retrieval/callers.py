"""Who is asking, over HTTP: a bearer token's user or the session's, and whose limits it counts against."""

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from knowledge.models import ApiToken
from knowledge.models.library import Reader


class BadToken(Exception):
    """A bearer token that is none, or not for this."""


def asker_of(request: HttpRequest, user: Reader = None) -> str:
    """Whose limits a question counts against. Of who is not signed in, no address is kept: only a keyed hash of it."""
    user = user or request.user
    if user.is_authenticated:
        return f"user:{user.pk}"
    return f"visitor:{salted_hmac('asker', request.META.get('REMOTE_ADDR', '')).hexdigest()[:24]}"


def bearer(request: HttpRequest, scope: str) -> User | None:
    """The user of the request's bearer token; None without one. Raises BadToken."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.casefold() != "bearer":
        return None
    found = ApiToken.objects.bearer(token.strip(), scope)
    if found is None:
        raise BadToken(f"This token is unknown, expired or revoked, or may not {scope}.")
    return found.user


def reader_by_token(request: HttpRequest, scope: str) -> User | AnonymousUser:
    """For programs: a session's cookie counts for nothing here, so no other site can use a reader's browser."""
    return bearer(request, scope) or AnonymousUser()
