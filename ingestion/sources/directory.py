"""A directory on the server, below one of the operator's roots."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings

from ingestion.documents import SourceFile
from ingestion.parsers import suffix
from knowledge.models import Library

from .base import MAX_FILE_BYTES, Source, SourceError, checked, fault_of_name, fault_of_size, path_filter, unreadable


@contextmanager
def open_directory(library: Library) -> Iterator[Source]:
    root = allowed_directory(library.location)
    wanted = path_filter(library.include, library.exclude, suffix)
    files = checked(walk(root, wanted))
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.path}\0{file.identity}\n".encode())
    yield Source(revision=digest.hexdigest(), files=files)


def allowed_directory(location: str) -> Path:
    """The directory, its links resolved. Raises SourceError unless it exists below one of DIRECTORY_ROOTS."""
    root = Path(location).expanduser()
    root = (root if root.is_absolute() else settings.BASE_DIR / root).resolve()
    roots = [Path(allowed).resolve() for allowed in settings.DIRECTORY_ROOTS]
    if not any(root.is_relative_to(allowed) for allowed in roots):
        listed = ", ".join(str(allowed) for allowed in roots) or "none"
        raise SourceError(f"{root} is not below a directory that DIRECTORY_ROOTS allows ({listed})")
    if not root.is_dir():
        raise SourceError(f"{root} is not a directory")
    return root


def walk(root: Path, wanted: Callable[[str], bool]) -> Iterator[SourceFile]:
    """Regular files below `root`; hidden ones and symbolic links are left out.

    Raises SourceError for a folder that cannot be listed: its files would look as if they had been removed.
    """
    for folder, folders, names in os.walk(root, followlinks=False, onerror=cannot_list):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            path = file.relative_to(root).as_posix()
            if name.startswith(".") or file.is_symlink() or not file.is_file() or not wanted(path):
                continue
            yield listed(file, path)


def listed(file: Path, path: str) -> SourceFile:
    try:
        size = file.stat().st_size
        identity = identify(read(file)) if size <= MAX_FILE_BYTES else f"{size} bytes"
    except OSError as error:
        return unreadable(path, f"unreadable: {error.strerror}"[:64], f"it cannot be read: {error.strerror}")
    if reason := fault_of_name(path) or fault_of_size(size):
        return unreadable(path, identity, reason)
    return SourceFile(path, identity, size, partial(read, file), identify)


def read(file: Path) -> bytes:
    """Not through a symbolic link that has taken the file's place."""
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as opened:
        return opened.read()


def identify(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def cannot_list(error: OSError) -> None:
    raise SourceError(f"{error.filename} cannot be listed: {error.strerror}")
