"""Where Muniment keeps what it runs on: the embedded servers, originals and clones.

`MUNIMENT_HOME` names it; otherwise `var/` in the checkout, or `/var/lib/muniment` for root (whose own directories
Postgres's unprivileged user could not reach).
"""

import errno
import fcntl
import os
import re
import secrets
import tempfile
from contextlib import suppress
from io import StringIO
from pathlib import Path

import environ

from knowledge.storage.room import FULL, UNWRITABLE

CHECKOUT = Path(__file__).resolve().parents[2]
NOT_OURS = (errno.EACCES, errno.EPERM)  # of a file, where one is named
VARIABLE = re.compile(r"(?:export )?[A-Za-z_0-9]+=.*")  # as django-environ takes one: on one line


def read_env(path: Path) -> None:
    """Put the file's variables into the environment, whose own come first. Raises SystemExit, which repeats no line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return
    except OSError as error:
        raise SystemExit(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SystemExit(f"{path} is not written in UTF-8.") from error
    lines = [line if line.strip() and not line.lstrip().startswith("#") else "" for line in lines]
    for number, line in enumerate(lines, 1):
        if line and not VARIABLE.fullmatch(line):
            raise SystemExit(
                f"{path}, line {number} is neither NAME=value, without blanks around the =, nor a comment."
            )
    environ.Env.read_env(StringIO("\n".join(lines)))


# here: not everything that needs the home reads the settings
read_env(Path(os.environ.get("MUNIMENT_ENV_FILE") or CHECKOUT / ".env"))


def home() -> Path:
    """The home directory, made if it is not there."""
    chosen = os.environ.get("MUNIMENT_HOME")
    default = Path("/var/lib/muniment") if os.geteuid() == 0 else CHECKOUT / "var"
    path = (CHECKOUT / Path(chosen).expanduser()).resolve() if chosen else default  # wherever we are called from
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SystemExit(
            f"Muniment keeps its data in {path}, which cannot be made: {error.strerror}. "
            "Set MUNIMENT_HOME to a directory that can."
        ) from error
    return path


def disk_fault(error: OSError) -> str | None:
    """What is wrong with the home, and what to do, in one line; None for an error of another kind.

    Of many files (`shutil.copytree`) an error has its numbers in its text alone.
    """
    found = re.search(r"\[Errno (\d+)\]", str(error))
    number = int(found[1]) if found else 0
    if number not in (*UNWRITABLE, *(NOT_OURS if error.filename else ())):
        return None
    to_do = f"make room in {home()}, or run manage.py gc" if number in FULL else "make it writable for this user"
    return f"{home()} cannot be written: {os.strerror(number)}; {to_do}."


def secret_key() -> str:
    """Django's SECRET_KEY, made once and kept in the home."""
    return kept_secret(home() / "secret_key")


def kept_secret(path: Path, length: int = 50) -> str:
    """The secret in this 0600 file, made up by whoever asks first.

    The file appears by `link`, complete or not at all, so any number of processes read the same secret.
    """
    remove_empty(path)
    if not path.exists():
        descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(length))
                file.flush()
                os.fsync(file.fileno())
            os.link(draft, path)
        except FileExistsError:
            pass  # another process was first: its secret counts
        finally:
            Path(draft).unlink()
    return path.read_text()


def remove_empty(path: Path) -> None:
    """Earlier versions did not wait for the disk: a power cut may have left a file without its secret."""
    with suppress(FileNotFoundError), path.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not file.read() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            path.unlink()
