"""Bearer tokens over HTTP. Reading needs a token that may search, asking one that may ask, governing one that may."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from drf_spectacular.authentication import TokenScheme
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from knowledge.models import ApiToken

READING = ("GET", "HEAD", "OPTIONS")


class BadToken(Exception):
    """A bearer token that is none, or not for this."""


def bearer(request: HttpRequest, scope: str) -> ApiToken | None:
    """The request's bearer token; None without one. Raises BadToken."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.casefold() != "bearer":
        return None
    found = ApiToken.objects.bearer(token.strip(), scope)
    if found is None:
        raise BadToken(f"This token is unknown, expired or revoked, or may not {scope}.")
    return found


class BearerToken(BaseAuthentication):
    def scope(self, request: Request) -> str:
        return ApiToken.Scope.SEARCH if request.method in READING else ApiToken.Scope.ASK

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        try:
            token = bearer(request._request, self.scope(request))
        except BadToken as error:
            raise AuthenticationFailed(str(error)) from error
        return (token.user, token) if token else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class ManagingToken(BearerToken):
    """For what changes a library, and what is behind its pages: as its user may, with a token that is for this."""

    def scope(self, request: Request) -> str:
        return ApiToken.Scope.MANAGE


class BearerScheme(TokenScheme):
    target_class = "knowledge.rest.authentication.BearerToken"
    match_subclasses = False
    name = "bearer"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class ManagingScheme(BearerScheme):
    target_class = "knowledge.rest.authentication.ManagingToken"
    name = "managing"
