"""What opens a git source: a token for HTTPS, or a deploy key for SSH. Sealed; shown to nobody again."""

import os
from typing import Self

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import models

from knowledge.storage import vault

from .library import Library

USER_OF_TOKEN = "git"  # noqa: S105 - hosts that take tokens ignore it, or say which they want
LONGEST_SECRET, LONGEST_NAME = 20_000, 200


class CredentialError(Exception):
    """A credential that cannot be used; the message holds nothing of it."""


class SourceCredential(models.Model):
    class Kind(models.TextChoices):
        TOKEN = "token", "Access token (HTTPS)"
        VARIABLE = "variable", "Access token in an environment variable (HTTPS)"
        DEPLOY_KEY = "deploy-key", "Deploy key (SSH)"

    library = models.OneToOneField(Library, on_delete=models.CASCADE, related_name="credential")
    kind = models.CharField(max_length=20, choices=Kind)
    username = models.CharField(max_length=LONGEST_NAME, default=USER_OF_TOKEN)
    variable = models.CharField(
        max_length=LONGEST_NAME, blank=True, help_text="The environment variable that holds the token."
    )
    sealed = models.TextField(blank=True, editable=False)
    public_key = models.TextField(blank=True, help_text="To be entered at the git host as a read-only deploy key.")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="variable", sealed="") | (~models.Q(kind="variable") & ~models.Q(sealed="")),
                name="credential_is_sealed_or_elsewhere",
            ),
        ]

    def __str__(self) -> str:
        return self.get_kind_display()

    @classmethod
    def token(cls, library: Library, token: str, username: str = "") -> Self:
        user, sealed = checked_user(username), vault.seal(checked(token))
        return cls._set(library, cls.Kind.TOKEN, username=user, sealed=sealed)

    @classmethod
    def in_variable(cls, library: Library, variable: str, username: str) -> Self:
        user, variable = checked_user(username), checked_variable(variable)
        return cls._set(library, cls.Kind.VARIABLE, username=user, variable=variable)

    @classmethod
    def deploy_key(cls, library: Library, private: str = "") -> Self:
        """With this private key, in OpenSSH's or PEM format, or with a new pair."""
        try:
            key = (
                serialization.load_ssh_private_key(private.encode(), None)
                if "OPENSSH" in private
                else serialization.load_pem_private_key(private.encode(), None)
                if private
                else Ed25519PrivateKey.generate()
            )
            kept = key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
            )
            public = key.public_key().public_bytes(
                serialization.Encoding.OpenSSH,
                serialization.PublicFormat.OpenSSH,
            )
        except (ValueError, TypeError, AttributeError) as error:
            raise CredentialError("that is not a private key without a passphrase") from error
        comment = f"muniment-{library.slug}"
        return cls._set(
            library, cls.Kind.DEPLOY_KEY, sealed=vault.seal(kept.decode()), public_key=f"{public.decode()} {comment}"
        )

    @classmethod
    def _set(cls, library: Library, kind: str, **values: str) -> Self:
        blank = {"username": USER_OF_TOKEN, "variable": "", "sealed": "", "public_key": ""}
        credential, _ = cls.objects.update_or_create(library=library, defaults={"kind": kind, **blank, **values})
        return credential

    def secret(self) -> str:
        """The token or private key. Raises CredentialError or VaultError."""
        if self.kind != self.Kind.VARIABLE:
            return vault.unseal(self.sealed)
        if not (token := os.environ.get(self.variable, "")):
            raise CredentialError(f"the environment variable {self.variable} is not set where this build runs")
        return checked(token)


def checked(token: str) -> str:
    """Raises CredentialError for what cannot be a token: git reads it line by line."""
    token = token.strip()
    if not token or len(token) > LONGEST_SECRET or not token.isprintable():
        raise CredentialError("the token is empty, too long, or has control characters")
    return token


def checked_user(name: str) -> str:
    """Raises CredentialError for what git would read as more than a user."""
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise CredentialError("the token's user is too long, or has control characters")
    return name or USER_OF_TOKEN


def checked_variable(name: str) -> str:
    """Raises CredentialError for what is no name of an environment variable."""
    if len(name) > LONGEST_NAME or not name.isidentifier():
        raise CredentialError("that is not the name of an environment variable")
    return name
