"""Secrets at rest: sealed with a key that is not in the database, so that a dump of it opens nothing.

The key is CREDENTIALS_KEY, or a 0600 file in the home that is made when a secret is first sealed. Several keys may
stand, separated by commas or lines: the first seals, every one opens. That is how a key is changed without a moment
when nothing opens.
"""

import os
import tempfile
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class VaultError(Exception):
    """A secret cannot be opened; the message says what to do, and nothing of the secret."""


def seal(secret: str) -> str:
    if not keys():
        write_keys([Fernet.generate_key().decode()], only_if_missing=True)
    return opener().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    try:
        return opener().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise VaultError(f"a stored credential was sealed with another key: {remedy()}") from error


def reseal(sealed: str) -> str:
    """The same secret under the first key."""
    try:
        return opener().rotate(sealed.encode()).decode()
    except InvalidToken as error:
        raise VaultError("a stored credential was sealed with a key that is not here") from error


def remedy() -> str:
    return (
        f"bring back that key (CREDENTIALS_KEY, or {key_file().name} in the home), or set the credential anew with "
        "manage.py credential"
    )


def opener() -> MultiFernet:
    """A lost key is not made anew: it would open nothing, and stand where the old one belongs."""
    if not (found := keys()):
        raise VaultError(f"the key of the stored credentials is not here: {remedy()}")
    try:
        return MultiFernet([Fernet(key) for key in found])
    except ValueError as error:
        source = "CREDENTIALS_KEY" if configured_keys() else f"{key_file().name} in the home"
        raise VaultError(f"{source} holds something that is no key of 32 bytes in URL-safe base64") from error


def configured_keys() -> list[str]:
    return str(settings.CREDENTIALS_KEY).replace(",", " ").split()


def keys() -> list[str]:
    if configured := configured_keys():
        return configured
    return key_file().read_text(errors="replace").split() if key_file().exists() else []


def add_key() -> None:
    """A new first key. The old ones still open what they sealed, until `keep_first_key`."""
    write_keys([Fernet.generate_key().decode(), *keys()])


def keep_first_key() -> None:
    write_keys(keys()[:1])


def key_file() -> Path:
    return Path(settings.HOME / "credentials.key")


def write_keys(values: list[str], only_if_missing: bool = False) -> None:
    """Appears complete or not at all, readable by its owner alone; of two that make the first one, one wins."""
    key_file().parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=key_file().parent, prefix=".credentials-")
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join(values) + "\n")
        file.flush()
        os.fsync(file.fileno())
    if not only_if_missing:
        Path(draft).replace(key_file())
        return
    try:
        os.link(draft, key_file())
    except FileExistsError:
        pass
    finally:
        Path(draft).unlink()
