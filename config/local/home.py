"""Where Muniment keeps what it runs on: the embedded servers, originals and clones.

`MUNIMENT_HOME` names it; otherwise `var/` in the checkout, or `/var/lib/muniment` for root (whose own directories
Postgres's unprivileged user could not reach).
"""

import os
import secrets
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def home() -> Path:
    """The home directory, made if it is not there."""
    chosen = os.environ.get("MUNIMENT_HOME")
    default = Path("/var/lib/muniment") if os.geteuid() == 0 else CHECKOUT / "var"
    path = Path(chosen).expanduser().resolve() if chosen else default
    path.mkdir(parents=True, exist_ok=True)
    return path


def secret_key() -> str:
    """Django's SECRET_KEY, made once and kept in the home."""
    path = home() / "secret_key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text()
    with os.fdopen(descriptor, "w") as file:
        file.write(key := secrets.token_urlsafe(50))
    return key
