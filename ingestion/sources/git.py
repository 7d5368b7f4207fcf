"""A git repository, kept as a bare clone that is never checked out.

git runs with a pinned environment: no user or system configuration, no prompts, no helpers, no hooks, only the
allowed protocols, no redirects, and the host's address resolved once, checked and pinned.
"""

import ipaddress
import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from ingestion.documents import SourceFile
from ingestion.parsers import suffix
from knowledge.failpoints import failpoint
from knowledge.models import Library

from .base import Source, SourceError, checked, fault_of_name, fault_of_size, path_filter, unreadable

FETCH_SECONDS = 900
REF = "refs/muniment/source"
SCP_LIKE = re.compile(r"[\w.-]+@[\w.-]+:[^:]+")
HOST = re.compile(r"(?!-)[\w.-]+|[0-9a-f:.]+", re.ASCII)


@contextmanager
def open_git(library: Library) -> Iterator[Source]:
    clone = settings.HOME / "clones" / f"{library.pk}.git"
    fetch(clone, library.location, library.ref)
    revision = git(clone, "rev-parse", "--verify", "--end-of-options", f"{REF}^{{commit}}").decode().strip()
    with BlobReader(clone) as reader:
        wanted = path_filter(library.include, library.exclude, suffix)
        yield Source(revision=revision, files=checked(tree(clone, revision, reader, wanted)))


def fetch(clone: Path, url: str, ref: str) -> None:
    """Bring the newest commit of `ref` (or the default branch, or a full commit id) into the clone."""
    pins = allowed_url(url)
    if ref.startswith("-") or not re.fullmatch(r"[\w./@+-]*", ref) or ".." in ref:
        raise SourceError(f"“{ref}” is not a branch, tag or commit id")
    if not (clone / "HEAD").exists():
        clone.parent.mkdir(parents=True, exist_ok=True)
        git(clone, "init", "--quiet", "--bare")
        failpoint("source.clone-made")
    forget_dead_locks(clone)
    failpoint("source.before-fetch")
    arguments = [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--depth=1",
        "--force",
        "--no-write-fetch-head",
    ]
    git(clone, *pins, *arguments, "--", url, f"{ref or 'HEAD'}:{REF}", timeout=FETCH_SECONDS)
    failpoint("source.fetched")


def forget_dead_locks(clone: Path) -> None:
    """A git that was killed leaves its locks behind, and every later one would refuse to work."""
    dead = time.time() - 2 * FETCH_SECONDS
    for lock in (*clone.glob("*.lock"), *clone.glob("refs/muniment/*.lock")):
        if lock.stat().st_mtime < dead:
            lock.unlink(missing_ok=True)


def allowed_url(url: str) -> list[str]:
    """git options that pin the URL's host. Raises SourceError for a URL that may not be fetched."""
    if re.search(r"[\x00-\x1f\x7f\\]", url):  # which one parser drops and another reads
        raise SourceError("the git URL has control characters or a backslash")
    if SCP_LIKE.fullmatch(url):
        url = "ssh://" + url.replace(":", "/", 1)
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80, "ssh": 22, "git": 9418}.get(parts.scheme, 0)
    except ValueError as error:
        raise SourceError(f"this is not a URL: {error}") from error
    if parts.scheme not in settings.GIT_ALLOWED_SCHEMES or "::" in url.split("//")[0]:
        allowed = ", ".join(settings.GIT_ALLOWED_SCHEMES)
        raise SourceError(f"git URLs must begin with one of: {allowed} (GIT_ALLOWED_SCHEMES)")
    if parts.scheme == "file":
        return []
    if not HOST.fullmatch(parts.hostname or ""):  # it stands in a shell's command line and in curl's option
        raise SourceError("the git URL names no host")
    address = public_address(str(parts.hostname), port)
    host = f"[{address}]" if ":" in address else address
    if parts.scheme == "ssh":
        pinned = f"-oHostname={address} -oHostKeyAlias={parts.hostname}"
        return ["-c", f"core.sshCommand=ssh -oBatchMode=yes -oStrictHostKeyChecking=accept-new {pinned}"]
    return ["-c", f"http.curloptResolve={parts.hostname}:{port}:{host}"]


def public_address(host: str, port: int) -> str:
    """The host's address. Refuses loopback, link-local (cloud metadata), multicast and unspecified addresses."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise SourceError(f"{host} cannot be resolved: {error.strerror}") from error
    for *_, sockaddr in found:
        address = ipaddress.ip_address(str(sockaddr[0]).split("%")[0])
        address = getattr(address, "ipv4_mapped", None) or address
        if address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified:
            raise SourceError(f"{host} resolves to {address}, which a git source may not reach")
    return str(found[0][4][0])


def tree(clone: Path, revision: str, reader: "BlobReader", wanted: Callable[[str], bool]) -> Iterator[SourceFile]:
    """The commit's regular files. Symbolic links, submodules and hidden folders are left out."""
    listing = git(clone, "ls-tree", "-r", "-z", "-l", "--full-tree", revision)
    for entry in listing.split(b"\0")[:-1]:
        meta, raw_path = entry.split(b"\t", 1)
        mode, kind, blob, size = meta.split()
        path = raw_path.decode("utf-8", "surrogateescape")
        if kind != b"blob" or mode not in (b"100644", b"100755"):
            continue
        if any(part.startswith(".") for part in path.split("/")) or not wanted(path):
            continue
        if reason := fault_of_name(path) or fault_of_size(int(size)):
            yield unreadable(path, blob.decode(), reason)
        else:
            yield SourceFile(path, blob.decode(), int(size), partial(reader.read, blob.decode()))


class BlobReader:
    """Reads blobs through one `git cat-file --batch`."""

    def __init__(self, clone: Path) -> None:
        self.clone = clone
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "BlobReader":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process:
            self.process.communicate()

    def read(self, blob: str) -> bytes:
        if self.process is None:
            self.process = subprocess.Popen(
                command(self.clone, "cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
            )
        assert self.process.stdin and self.process.stdout  # noqa: S101 - both are pipes
        self.process.stdin.write(f"{blob}\n".encode())
        self.process.stdin.flush()
        header = self.process.stdout.readline().split()
        if len(header) != 3 or header[1] != b"blob":
            raise SourceError(f"git has no blob {blob}")
        content = self.process.stdout.read(int(header[2]))
        self.process.stdout.read(1)
        return content


def git(clone: Path, *arguments: str, timeout: int = 120) -> bytes:
    """git's standard output. Raises SourceError with the last line of what git said."""
    try:
        run = subprocess.run(
            command(clone, *arguments), capture_output=True, timeout=timeout, env=environment(), check=False
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git did not finish within {timeout} s") from error
    if run.returncode:
        said = run.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        raise SourceError(f"git: {without_credentials(said[-1])}")
    return run.stdout


def command(clone: Path, *arguments: str) -> list[str]:
    settings_given = [
        "protocol.allow=never",
        *(f"protocol.{scheme}.allow=always" for scheme in settings.GIT_ALLOWED_SCHEMES),
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "http.followRedirects=false",
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


def without_credentials(message: str) -> str:
    """`https://user:secret@host` loses its user and secret."""
    return re.sub(r"(?<=://)[^/\s]+@", "", message)
