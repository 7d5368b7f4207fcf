"""A directory on the server, below one of the operator's roots."""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings

from ingestion.documents import SourceFile
from ingestion.parsers import suffix
from ingestion.paths import fault_of_name
from knowledge.models import Library

from .base import (
    MAX_FILE_BYTES,
    Source,
    SourceAway,
    SourceError,
    checked,
    fault_of_size,
    path_filter,
    shown,
    unreadable,
)

Found = tuple[str, os.stat_result | OSError]  # path below the root
ATTEMPTS = 3
CHANGING = "it changes while it is read; the next build tries again"


class StillWritten(OSError):
    """The file was another one after it was read than before."""


@contextmanager
def open_directory(library: Library, keep: bool = True) -> Iterator[Source]:
    root = allowed_directory(library.location)
    unread: Counter[str] = Counter()
    wanted = path_filter(library.include, library.exclude, suffix, unread)
    files = checked(listed(root, path, what) for path, what in walk(root, wanted))
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.path}\0{file.identity}\n".encode())
    yield Source(revision=digest.hexdigest(), files=files, unread=unread)


def allowed_directory(location: str) -> Path:
    """The directory, its links resolved. Raises SourceError unless it exists below one of DIRECTORY_ROOTS."""
    if re.match(r"[A-Za-z]:[\\/]", location):
        raise SourceError(f"{shown(location)} is a path of Windows: name a folder of the server that Muniment runs on")
    root = Path(location).expanduser()
    root = (root if root.is_absolute() else settings.BASE_DIR / root).resolve()
    roots = [Path(allowed).resolve() for allowed in settings.DIRECTORY_ROOTS]
    if not any(root.is_relative_to(allowed) for allowed in roots):
        listed = ", ".join(str(allowed) for allowed in dict.fromkeys(roots)) or "none"
        raise SourceError(
            f"{shown(str(root))} is not below a directory that DIRECTORY_ROOTS allows ({listed}). Whoever runs "
            "Muniment names others in .env (with compose: DOCUMENTS, which is /documents then) and starts it again"
        )
    if not root.is_dir():
        raise SourceAway(f"{shown(str(root))} is not a directory; is its disk mounted?")
    return root


def fault_of_directory(location: str) -> str:
    """Why no build may read it, or ""."""
    try:
        allowed_directory(location)
    except SourceError as error:
        return str(error)
    return ""


def walk(root: Path, wanted: Callable[[str], bool]) -> Iterator[Found]:
    """Regular files below `root`; hidden ones, symbolic links, pipes and devices are left out.

    Raises SourceError for a folder that cannot be listed: its files would look as if they had been removed. One that
    was removed since its own folder was listed is passed over.
    """
    for folder, folders, names in os.walk(root, followlinks=False, onerror=partial(cannot_list, root)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name).relative_to(root).as_posix()
            if name.startswith(".") or not wanted(path):
                continue
            try:
                what = Path(folder, name).lstat()
            except FileNotFoundError:
                continue  # removed since the folder was listed
            except OSError as error:
                yield path, error
                continue
            if stat.S_ISREG(what.st_mode):
                yield path, what


def listed(root: Path, path: str, what: os.stat_result | OSError) -> SourceFile:
    try:
        if isinstance(what, OSError):
            raise what
        size = what.st_size
        identity = identify(read(root, path)) if size <= MAX_FILE_BYTES else f"{size} bytes"
    except OSError as error:
        why = error.strerror or str(error)
        return unreadable(path, f"unreadable: {why}"[:64], f"it cannot be read: {why}")
    if reason := fault_of_name(path) or fault_of_size(size):
        return unreadable(path, identity, reason)
    return SourceFile(path, identity, size, partial(read, root, path), identify)


def read(root: Path, path: str) -> bytes:
    """One state of the file: read again while it changes. Raises OSError, StillWritten where it goes on changing."""
    for _ in range(ATTEMPTS):
        with os.fdopen(open_beneath(root, path), "rb") as opened:
            before = os.fstat(opened.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise OSError(0, "it is not a regular file any more")
            content = opened.read()
            after = os.fstat(opened.fileno())
        if (
            (before.st_size, before.st_mtime_ns)
            == (after.st_size, after.st_mtime_ns)
            == (len(content), after.st_mtime_ns)
        ):
            return content
    raise StillWritten(0, CHANGING)


def open_beneath(root: Path, path: str) -> int:
    """A descriptor of the file. No part of its path may be a symbolic link, not even one put there later."""
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    finally:
        os.close(here)


def identify(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def cannot_list(root: Path, error: OSError) -> None:
    if isinstance(error, FileNotFoundError) and Path(error.filename) != root and root.is_dir():
        return
    fault = SourceError if isinstance(error, PermissionError) else SourceAway
    raise fault(f"{shown(error.filename)} cannot be listed: {error.strerror}")
