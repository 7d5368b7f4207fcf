"""The environment's values, and what is wrong with one that cannot be used."""

import logging
import re
from base64 import urlsafe_b64decode
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from knowledge.numbers import LARGEST

TRUE = environ.Env.BOOLEAN_TRUE_STRINGS
FALSE = ("false", "off", "n", "no", "0")
KINDS = {int: "whole number", float: "number"}
POSTGRES = "django.db.backends.postgresql"
SMTP = "django.core.mail.backends.smtp.EmailBackend"
NOTSET = environ.Env.NOTSET
HOST = r"\*|\.?[\w.-]+|\[[0-9A-Fa-f:.]+\]"  # all, one with or without those below it, an IPv6 address

KEY_BYTES = 32
LEAST_SECRET = 32  # characters; the key that is made up where none is given has twice as many
LEAST_DIFFERENT = 5


class Env(environ.Env):
    """As django-environ reads it; but a number or a truth value that is left empty is unset, and a `$` is itself."""

    def get_value(self, var: str, cast: Any = None, default: Any = NOTSET, parse_default: bool = False) -> Any:
        """Raises ImproperlyConfigured, which names the variable."""
        written = self.ENVIRON.get(var, "").strip()
        if cast in (bool, *KINDS) and not written and default is not NOTSET:
            return default
        if cast is bool and written.lower() not in (*TRUE, *FALSE):
            raise ImproperlyConfigured(f"{var}: “{written}” is neither true nor false")
        try:
            if written.startswith("$"):  # a password may; django-environ would look for a variable of that name
                return self.parse_value(self.ENVIRON[var], cast)
            return super().get_value(var, cast, default, parse_default)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var}: “{written}” is no {KINDS.get(cast, 'such value')}") from error

    def names(self, var: str, default: Sequence[str] = ()) -> list[str]:
        """What commas separate, without the spaces around it."""
        return [name.strip() for name in self.list(var, default=[*default]) if name.strip()]

    def count(self, var: str, default: int, least: int = 0) -> int:
        """No more than Postgres and C take for an integer. Raises ImproperlyConfigured, which names the variable."""
        found: int = self.int(var, default=default)
        if found < least:
            raise ImproperlyConfigured(f"{var}: {found} is less than {least}")
        if found > LARGEST:
            raise ImproperlyConfigured(f"{var}: {found} is more than {LARGEST}")
        return found

    def hosts(self, var: str) -> list[str]:
        """Names as a browser's Host has them, without a port. Raises ImproperlyConfigured."""
        for name in (names := self.names(var)):
            if not re.fullmatch(HOST, name):
                raise ImproperlyConfigured(f"{var}: “{name}” is no name of a host, as docs.example.org is one")
        return names

    def origins(self, var: str) -> list[str]:
        """Raises ImproperlyConfigured."""
        for name in (names := self.names(var)):
            scheme, _, host = name.partition("://")
            if scheme not in ("http", "https") or not re.fullmatch(rf"(?:{HOST})(?::\d+)?", host.removeprefix("*")):
                raise ImproperlyConfigured(f"{var}: “{name}” is no origin, as https://docs.example.org is one")
        return names

    def address(self, var: str, example: str = "http://HOST:PORT/v1") -> str:
        """Of a server; empty where it is unset. Raises ImproperlyConfigured, which tells nothing of the address."""
        url: str = self.str(var, default="").strip()
        problem = f"{var} is no address of a server: {example}"
        try:
            parts = urlsplit(url)
            _ = parts.port  # which is looked at only now
        except ValueError as error:
            raise ImproperlyConfigured(problem) from error
        if url and not (parts.scheme in ("http", "https") and parts.hostname):
            raise ImproperlyConfigured(problem)
        return url

    def schemes(self, var: str, default: Sequence[str], known: Sequence[str]) -> list[str]:
        """Raises ImproperlyConfigured."""
        for name in (names := self.names(var, default)):
            if name not in known:
                raise ImproperlyConfigured(f"{var}: “{name}” is none of {', '.join(known)}")
        return names

    def secret(self, var: str) -> str:
        """Empty where it is unset. Raises ImproperlyConfigured, which tells nothing of it."""
        written: str = self.str(var, default="")
        if written and (len(written) < LEAST_SECRET or len(set(written)) < LEAST_DIFFERENT):
            raise ImproperlyConfigured(
                f"{var} can be guessed: it needs {LEAST_SECRET} characters, {LEAST_DIFFERENT} of them different; "
                "unset, a good one is made and kept in the home"
            )
        return written

    def one_of(self, var: str, default: str, known: Sequence[str]) -> str:
        """Raises ImproperlyConfigured."""
        written: str = self.str(var, default="").strip() or default
        if written not in known:
            raise ImproperlyConfigured(f"{var}: “{written}” is none of {', '.join(known)}")
        return written

    def keys(self, var: str) -> str:
        """Of Fernet, separated by commas or lines. Raises ImproperlyConfigured, which tells nothing of them."""
        written: str = self.str(var, default="")
        for key in written.replace(",", " ").split():
            try:
                length = len(urlsafe_b64decode(key))
            except ValueError:
                length = 0
            if length != KEY_BYTES:
                raise ImproperlyConfigured(f"{var} holds what is no key of {KEY_BYTES} bytes in URL-safe base64")
        return written

    def postgres(self, var: str) -> dict[str, Any]:
        """Raises ImproperlyConfigured, which tells nothing of the address: it may hold a password."""
        problem = f"{var} is no address of a database: postgres://USER:PASSWORD@HOST/NAME"
        try:
            scheme = urlsplit(self.str(var)).scheme
            found: dict[str, Any] = self.db(var) if self.DB_SCHEMES.get(scheme) == POSTGRES else {}
        except (ValueError, ImproperlyConfigured) as error:
            raise ImproperlyConfigured(problem) from error
        if not found.get("NAME"):
            raise ImproperlyConfigured(problem)
        return found

    def level(self, var: str, default: str) -> str:
        """A name that logging knows, in capitals. Raises ImproperlyConfigured."""
        name = self.str(var, default="").strip().upper() or default
        if name not in (levels := logging.getLevelNamesMapping()):
            raise ImproperlyConfigured(
                f"{var}: “{name}” is none of {', '.join(sorted(levels, key=levels.__getitem__))}"
            )
        return name

    def networks(self, var: str, default: Sequence[str] = (), as_gunicorn: bool = False) -> list[str]:
        """Addresses and networks; as gunicorn takes them: `*`, too, and none with bits beyond its mask.

        Raises ImproperlyConfigured.
        """
        names = self.names(var, default)
        for name in names:
            try:
                if not (as_gunicorn and name == "*"):
                    ip_network(name, strict=as_gunicorn)
            except ValueError as error:
                raise ImproperlyConfigured(f"{var}: “{name}” is no network, as 10.0.0.0/8 is one") from error
        return names

    def mail(self, var: str) -> dict[str, Any]:
        """Raises ImproperlyConfigured, which tells nothing of the address: it may hold a password."""
        problem = f"{var} is no address of a mail server: smtp+tls://USER:PASSWORD@HOST:587"
        try:
            found: dict[str, Any] = self.email(var)
        except (ValueError, ImproperlyConfigured) as error:
            raise ImproperlyConfigured(problem) from error
        if found["EMAIL_BACKEND"] == SMTP and not found["EMAIL_HOST"]:
            raise ImproperlyConfigured(problem)
        return found
