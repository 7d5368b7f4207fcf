"""API tokens: what a program shows instead of a password. Only a hash is kept; the token is seen once."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

PREFIX = "mun_"  # so that a token is recognised where it leaks
USED_EVERY = timedelta(minutes=1)  # how exactly `used_at` is kept


def digest(token: str) -> str:
    """A token is 256 random bits: one hash is enough, and finds it by an index."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def alive(self) -> "ApiTokenQuerySet":
        return self.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now()), revoked_at__isnull=True, user__is_active=True
        )

    def living(self, token: str) -> "ApiTokenQuerySet":
        return self.alive().filter(digest=digest(token))

    def bearer(self, token: str, *scopes: str) -> "ApiToken | None":
        """The living token, if it has one of the scopes; that it was used is noted."""
        found = self.living(token).select_related("user").filter(scopes__overlap=scopes).first()
        now = timezone.now()
        if found and (found.used_at is None or found.used_at < now - USED_EVERY):
            ApiToken.objects.filter(pk=found.pk).update(used_at=now)
        return found


class ApiToken(models.Model):
    """Acts as its user, within its scopes, until it expires, is revoked or the user is off."""

    class Scope(models.TextChoices):
        SEARCH = "search", "Search and read"
        ASK = "ask", "Ask questions"
        MANAGE = "manage", "Bring files, steer jobs, review and publish"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope))
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["user", "name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scopes__contained_by=["search", "ask", "manage"]) & ~Q(scopes=[]), name="token_scopes"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.user})"

    @classmethod
    def issue(cls, user: User, name: str, scopes: list[str], lifetime: timedelta | None) -> tuple["ApiToken", str]:
        """A new token, and what is to be shown once."""
        token = PREFIX + secrets.token_urlsafe(32)
        expires_at = timezone.now() + lifetime if lifetime else None
        row = cls.objects.create(user=user, name=name, digest=digest(token), scopes=scopes, expires_at=expires_at)
        return row, token

    def revoke(self) -> None:
        self.revoked_at = timezone.now()
        self.save(update_fields=["revoked_at"])
