"""Single sign-on by OpenID Connect (code flow with PKCE), where OIDC_ISSUER names a provider.

Who signs in for the first time gets an account without any role, and reads what everyone who signs in may read; roles
are given here. An account that is off stays off, whatever the provider says.
"""

import logging
import re
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import jwt
import requests
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from mozilla_django_oidc.auth import OIDCAuthenticationBackend
from mozilla_django_oidc.utils import import_from_settings
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView

from knowledge.models import SignOn

logger = logging.getLogger(__name__)

FOUND_OUT = {
    "OIDC_OP_AUTHORIZATION_ENDPOINT": "authorization_endpoint",
    "OIDC_OP_TOKEN_ENDPOINT": "token_endpoint",
    "OIDC_OP_USER_ENDPOINT": "userinfo_endpoint",
    "OIDC_OP_JWKS_ENDPOINT": "jwks_uri",
}
LONGEST = {"sub": 255, "preferred_username": 10_000, "email": 254}  # characters; a longer name is cut
FAILURES = (requests.RequestException, jwt.PyJWTError, SuspiciousOperation, LookupError, ValueError, IntegrityError)
REFUSED = "Signing in did not work: the provider could not be asked, or did not vouch for you."


def provider() -> str:
    """As a reader knows it; empty where there is none."""
    return urlsplit(settings.OIDC_ISSUER).hostname or ""


class Discovered:
    """The provider says by itself where it is asked (OpenID Connect Discovery 1.0), at the first sign-in."""

    @staticmethod
    def get_settings(attr: str, *args: Any) -> Any:
        if attr in FOUND_OUT:
            return discovered(settings.OIDC_ISSUER)[FOUND_OUT[attr]]
        return import_from_settings(attr, *args)


def reason_of(error: Exception) -> str:
    """Why signing in failed, for the operator: nothing of what a provider's answer holds, which may be a token."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"{response.url.partition('?')[0]} answered {response.status_code}"
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


@lru_cache(maxsize=1)
def discovered(issuer: str) -> dict[str, str]:
    """Raises requests.RequestException, or ValueError where another provider answers."""
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    reply = requests.get(address, timeout=settings.OIDC_TIMEOUT)
    reply.raise_for_status()
    told: dict[str, str] = reply.json()
    if not isinstance(told, dict):
        raise ValueError(f"{address} does not describe a provider")
    if told["issuer"] != issuer:
        raise ValueError(f"{address} speaks for {told['issuer']}")
    if wrong := [name for name in FOUND_OUT.values() if not isinstance(told[name], str)]:
        raise ValueError(f"{address} has no address as {wrong[0]}")
    return told


class SingleSignOn(Discovered, OIDCAuthenticationBackend):
    def __init__(self) -> None:
        self.UserModel = User  # the library asks for addresses here already, for every wrong password

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        if "nonce" not in credentials:
            return None
        super().__init__()
        user: User | None = super().authenticate(request, **credentials)
        return user

    def verify_token(self, token: str, **kwargs: Any) -> dict[str, Any]:
        """Signed by the provider, for this sign-in, and for us: the library leaves the last out."""
        payload: dict[str, Any] = super().verify_token(token, **kwargs)
        audience = payload.get("aud")
        audience = audience if isinstance(audience, list) else [audience]
        if payload.get("iss") != settings.OIDC_ISSUER or settings.OIDC_RP_CLIENT_ID not in audience:
            raise SuspiciousOperation("The token is of another provider, or for somebody else.")
        return payload

    def get_token(self, payload: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = super().get_token(payload)
        if not isinstance(told, dict):
            raise SuspiciousOperation("The provider's answer holds no token.")
        return told

    def retrieve_matching_jwk(self, token: bytes) -> Any:
        try:
            return super().retrieve_matching_jwk(token)
        except (
            TypeError,
            AttributeError,
        ) as error:  # the library takes the answer for an object with a list of objects
            raise SuspiciousOperation("The provider's answer holds no keys.") from error

    def get_userinfo(self, access_token: str, id_token: str, payload: dict[str, Any]) -> dict[str, Any]:
        claims: dict[str, Any] = super().get_userinfo(access_token, id_token, payload)
        if not isinstance(claims, dict) or not claims.get("sub") or claims["sub"] != payload.get("sub"):
            raise SuspiciousOperation("The provider tells of another user than it vouched for.")
        if fault := fault_of(claims):
            raise SuspiciousOperation(fault)
        return claims

    def verify_claims(self, claims: dict[str, Any]) -> bool:
        return True  # what is needed was looked at above

    def filter_users_by_claims(self, claims: dict[str, Any]) -> Any:
        return User.objects.filter(sign_ons__issuer=settings.OIDC_ISSUER, sign_ons__subject=claims["sub"])

    def create_user(self, claims: dict[str, Any]) -> User:
        try:
            return made(claims)
        except IntegrityError:  # meanwhile they signed in elsewhere, as a double click does, or the name was taken
            found: User | None = self.filter_users_by_claims(claims).first()
            return found or made(claims)

    def get_user(self, user_id: int) -> User | None:
        user: User | None = super().get_user(user_id)
        return user if user and user.is_active else None


@transaction.atomic
def made(claims: dict[str, Any]) -> User:
    """The account. Raises IntegrityError where it, or another of its name, is made at the same time."""
    email = claims.get("email", "") if claims.get("email_verified") is True else ""
    user = User.objects.create_user(free_name(claims), email)
    SignOn.objects.create(user=user, issuer=settings.OIDC_ISSUER, subject=claims["sub"])
    return user


def fault_of(claims: dict[str, Any]) -> str:
    """Why no account can be kept by them; empty where one can."""
    for name, most in LONGEST.items():
        value = claims.get(name) or ""
        if not isinstance(value, str) or "\0" in value:
            return f"{name} is no text."
        if len(value) > most:
            return f"{name} has more than {most} characters."
    return ""


def free_name(claims: dict[str, Any]) -> str:
    """As the provider calls its user, with a number behind it where somebody here is called that."""
    wanted = claims.get("preferred_username") or claims.get("email") or claims["sub"]
    wanted = User.normalize_username(wanted)  # as it will be kept: another name may become one that is taken
    wanted = re.sub(r"[^\w.@+-]", "-", wanted)[:140]
    taken = set(User.objects.filter(username__istartswith=wanted).values_list("username", flat=True))
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 3)))
    lowered = {name.casefold() for name in taken}
    return next(name for name in names if name.casefold() not in lowered)


@method_decorator(never_cache, "dispatch")
class Begin(Discovered, OIDCAuthenticationRequestView):
    """To the provider."""

    def __init__(self, **kwargs: Any) -> None:
        super(OIDCAuthenticationRequestView, self).__init__(**kwargs)  # the library asks for addresses here already

    def get(self, request: HttpRequest) -> HttpResponse:
        if not settings.OIDC_ISSUER:
            raise Http404
        try:
            self.OIDC_OP_AUTH_ENDPOINT = self.get_settings("OIDC_OP_AUTHORIZATION_ENDPOINT")
            self.OIDC_RP_CLIENT_ID = settings.OIDC_RP_CLIENT_ID
            return super().get(request)
        except FAILURES as error:
            return refused(request, reason_of(error))


@method_decorator(never_cache, "dispatch")
class Back(Discovered, OIDCAuthenticationCallbackView):
    """From the provider."""

    def get(self, request: HttpRequest) -> HttpResponse:
        if not settings.OIDC_ISSUER:
            raise Http404
        try:
            return super().get(request)
        except FAILURES as error:
            return refused(request, reason_of(error))

    def login_failure(self) -> HttpResponse:
        return refused(self.request, self.reason())

    def reason(self) -> str:
        """What the library does not raise."""
        if told := self.request.GET.get("error"):
            return f"the provider says {told[:100]!r}"
        if not hasattr(self, "user"):
            return "the browser came back without a sign-in that it had begun here: does it keep cookies?"
        return f"the account {self.user} is off" if self.user else "no account for what the provider says"


def refused(request: HttpRequest, reason: str) -> HttpResponse:
    logger.warning("single sign-on failed: %s", reason)
    messages.error(request, REFUSED)
    return redirect("login")
