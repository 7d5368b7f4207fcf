"""Bearer tokens for the REST API. Reading needs a token that may search, asking one that may ask."""

from django.contrib.auth.models import User
from drf_spectacular.authentication import TokenScheme
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from knowledge.models import ApiToken
from retrieval.callers import BadToken, bearer


class BearerToken(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, None] | None:
        scope = ApiToken.Scope.SEARCH if request.method in ("GET", "HEAD", "OPTIONS") else ApiToken.Scope.ASK
        try:
            user = bearer(request._request, scope)
        except BadToken as error:
            raise AuthenticationFailed(str(error)) from error
        return (user, None) if user else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class BearerScheme(TokenScheme):
    target_class = "retrieval.rest.authentication.BearerToken"
    name = "bearer"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
