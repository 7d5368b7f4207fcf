"""Bearer tokens over HTTP. Each view says what a token must be for: by itself, to search and read."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from drf_spectacular.authentication import TokenScheme
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from knowledge.models import ApiToken
from knowledge.models.token import PREFIX


class BadToken(Exception):
    """A bearer token that is none."""

    status = 401


class OtherScope(BadToken):
    """It lives, and is not for this."""

    status = 403


def bearer(request: HttpRequest, *scopes: str) -> ApiToken | None:
    """The request's token, which must have one of the scopes; None without one. Raises BadToken or OtherScope."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.casefold() != "bearer":
        if (token.strip() or kind).startswith(PREFIX):
            raise BadToken("A token is sent as “Authorization: Bearer …”.")
        return None  # a proxy's, before it
    found = ApiToken.objects.bearer(token.strip(), *scopes)
    if found is None and ApiToken.objects.living(token.strip()).exists():
        raise OtherScope(f"This token may not {' or '.join(scopes)}: make one with --scope {' '.join(scopes)}.")
    if found is None:
        raise BadToken("This token is unknown, expired or revoked.")
    return found


class BearerToken(BaseAuthentication):
    scope = ApiToken.Scope.SEARCH

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        try:
            token = bearer(request._request, self.scope)
        except OtherScope as error:
            raise PermissionDenied(str(error)) from error
        except BadToken as error:
            raise AuthenticationFailed(str(error)) from error
        return (token.user, token) if token else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class AskingToken(BearerToken):
    """For questions, which a model answers."""

    scope = ApiToken.Scope.ASK


class ManagingToken(BearerToken):
    """For what changes a library, and what is behind its pages: as its user may, with a token that is for this."""

    scope = ApiToken.Scope.MANAGE


class BearerScheme(TokenScheme):
    target_class = "knowledge.rest.authentication.BearerToken"
    match_subclasses = False
    name = "bearer"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class AskingScheme(BearerScheme):
    target_class = "knowledge.rest.authentication.AskingToken"
    name = "asking"


class ManagingScheme(BearerScheme):
    target_class = "knowledge.rest.authentication.ManagingToken"
    name = "managing"
