"""Who is asking, over HTTP: a bearer token's user or the session's, and whose limits it counts against."""

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from knowledge.http.network import network_of
from knowledge.models import ApiToken
from knowledge.models.library import Reader
from knowledge.rest.authentication import bearer


def asker_of(request: HttpRequest, user: Reader = None) -> str:
    """Whose limits a question counts against. Of who is not signed in, no address is kept: only a keyed hash of it."""
    user = user or request.user
    if user.is_authenticated:
        return f"user:{user.pk}"
    return f"visitor:{salted_hmac('asker', network_of(request)).hexdigest()[:24]}"


def reader_by_token(request: HttpRequest) -> tuple[User | AnonymousUser, ApiToken | None]:
    """For programs: a session's cookie counts for nothing here, so no other site can use a reader's browser."""
    token = bearer(request, ApiToken.Scope.ASK)
    return (token.user, token) if token else (AnonymousUser(), None)
