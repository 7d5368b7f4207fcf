"""Running git: what it may read, reach, write and ask for, and for how long."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from ingestion.sources.base import SourceAway, SourceError, SourceRefused, SourceSlow
from knowledge.texts.addresses import without_userinfo

LOCAL_SECONDS = 120
LIMITED = 'ulimit -f "$0" && exec "$@"'  # of sh, in blocks of 512 bytes
FULL = "No space left on device"
AWAY = re.compile(  # said of a server that is not reached, breaks off or is overloaded; never of one that refuses
    r"Could(n't| not) (resolve|connect)|Failed to connect|Connection (refused|reset|timed out|closed by)"
    r"|Operation timed out|Operation too slow|timed out after|No route to host|Network is unreachable"
    r"|Empty reply|early EOF|unexpected disconnect|hung up unexpectedly|returned error: (429|5\d\d)",
    re.IGNORECASE,
)
DAMAGED = re.compile(  # said of objects and files of the clone that are not as they were written
    r"corrupt|bad (tree )?object|missing (blob|tree|commit)|unable to read (?!askpass)|Could not read [0-9a-f]{40,64}"
    r"|loose object|object file .* is empty|could not get object info|did not send all necessary objects"
    r"|too (small|short)|does not match index|reference broken|broken ref|bad (config|shallow) line"
    r"|not a git repository: "
)
REFUSED = re.compile(  # said where a token or a key may help: what is private is often said not to be there
    r"could not read (Username|Password)|Authentication failed|Permission denied|repository .*not found"
    r"|returned error: 40[134]|unable to read askpass",
    re.IGNORECASE,
)
OVER_LIMIT = ("File size limit exceeded", "signal 25", "unpack-objects died", "index-pack died", "invalid index-pack")


class CloneDamaged(SourceError):
    """What git says of the clone may be because the clone lacks something."""


def git(
    clone: Path,
    *arguments: str,
    timeout: int = LOCAL_SECONDS,
    pass_fds: Sequence[int] = (),
    secrets: Sequence[str] = (),
) -> bytes:
    """git's standard output. Raises SourceError with what git failed of, without any secret; SourceAway where git was
    killed, CloneDamaged where that may be the clone's."""
    with running(clone, *arguments, stderr=subprocess.PIPE, pass_fds=pass_fds) as process:
        try:
            out, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            raise SourceSlow(f"git did not finish within {timeout} s") from error
    if process.returncode:
        said = errors.decode("utf-8", "replace").strip()
        if FULL in said:
            raise SourceAway(f"there is no room left on the disk of {settings.HOME}")
        if any(sign in said for sign in OVER_LIMIT):
            raise SourceError(f"the repository sends a pack of more than {settings.GIT_MAX_PACK_MB:,} MB")
        if process.returncode < 0:
            raise SourceAway(f"git was killed (signal {-process.returncode})")
        raise fault_of(said)(f"git: {without_secrets(failure(said), secrets)}")
    return out


def fault_of(said: str) -> type[SourceError]:
    if AWAY.search(said):
        return SourceAway
    if DAMAGED.search(said):
        return CloneDamaged
    return SourceRefused if REFUSED.search(said) else SourceError


def failure(said: str) -> str:
    """The last line that git calls fatal, and the one before it, where ssh or the server says why. Advice follows."""
    lines = [line for line in said.splitlines() if line.strip()] or ["no reason given"]
    fatal = [number for number, line in enumerate(lines) if line.startswith("fatal: ")]
    return "; ".join(lines[max(fatal[-1] - 1, 0) : fatal[-1] + 1]) if fatal else lines[-1]


@contextmanager
def running(
    clone: Path,
    *arguments: str,
    stderr: int = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
    stdin: int | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A git in a process group of its own, which ends with the block, and its helpers with it."""
    process = subprocess.Popen(
        ["sh", "-c", LIMITED, str(settings.GIT_MAX_PACK_MB * 2048), *command(clone, *arguments)],
        stdin=stdin or subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environment(),
        cwd="/",  # no repository is found there by chance
        pass_fds=pass_fds,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(BrokenPipeError):
            if process.stdin:
                process.stdin.close()
        with suppress(ProcessLookupError):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()
        process.wait()


def command(clone: Path, *arguments: str) -> list[str]:
    settings_given = [
        "protocol.allow=never",
        *(f"protocol.{scheme}.allow=always" for scheme in settings.GIT_ALLOWED_SCHEMES),
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.bigFileThreshold=50m",  # larger objects are streamed, not held
        "fetch.unpackLimit=1",  # one pack, which the limit on files bounds
        "fetch.recurseSubmodules=false",
        "gc.auto=0",
        "maintenance.auto=false",
        "pack.threads=1",
        f"pack.packSizeLimit={settings.GIT_MAX_PACK_MB}m",  # several packs, where one would be over the limit on files
        "http.followRedirects=false",
        "http.lowSpeedLimit=100",
        "http.lowSpeedTime=60",
        "credential.helper=",
    ]
    pinned = [word for setting in settings_given for word in ("-c", setting)]
    return ["git", f"--git-dir={clone}", *pinned, *arguments]


def environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SSH_AUTH_SOCK", "SSL_CERT_FILE") if name in os.environ}
    return kept | {
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }


def without_secrets(message: str, secrets: Sequence[str] = ()) -> str:
    """`https://user:secret@host` loses its user and secret; known secrets, which a server may echo, go wherever."""
    for secret in secrets:
        message = message.replace(secret, "…")
    return without_userinfo(message)
