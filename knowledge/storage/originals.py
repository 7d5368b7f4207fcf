"""The original bytes of every file version, by their SHA-256, in the home. Written once, never changed."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from django.db import transaction

from knowledge.failpoints import failpoint

from . import folders, locks
from .whole_files import whole

PATIENCE = 60  # seconds until `discard` queues for its lock
AGAIN = 0.05  # seconds


def path_of(sha256: str) -> Path:
    return folders.originals() / sha256[:2] / sha256


def images_of(sha256: str) -> Path:
    """The folder of pictures of its pages, which go with it."""
    return folders.pages() / sha256[:2] / sha256


def keep(content: bytes) -> str:
    """Store the bytes and return their SHA-256. A reader never sees a partial file, whatever is killed meanwhile.

    One that is there and damaged is replaced.
    """
    sha256 = hashlib.sha256(content).hexdigest()
    path = path_of(sha256)
    if intact(sha256):
        os.utime(path)  # it is wanted again: `discard` leaves it alone
        return sha256
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as file:
        file.write(content)
        failpoint("parse.original-written")
    return sha256


def hold() -> None:
    """In a transaction, before `keep`: none is discarded until the rows that say which are wanted are there."""
    locks.wait_to_the_end(locks.ORIGINALS, 0, shared=True)


def read(sha256: str) -> bytes:
    return path_of(sha256).read_bytes()


def intact(sha256: str) -> bool:
    """Whether the original is there and hashes to its name."""
    try:
        return hashlib.sha256(read(sha256)).hexdigest() == sha256
    except FileNotFoundError:
        return False


def stored(older_than: float = 0) -> Iterator[str]:
    """The SHA-256 of every original that nobody has kept again for so many seconds."""
    for path in folders.originals().glob("[0-9a-f][0-9a-f]/*"):
        if len(path.name) == 64 and age(path) >= older_than:
            yield path.name


def age(path: Path) -> float:
    """Seconds since it was kept; less than any, where it has gone meanwhile."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return -1


@transaction.atomic
def discard(sha256: str, is_wanted: Callable[[str], bool], older_than: float) -> bool:
    """Remove an original, unless it is wanted after all; whoever keeps it meanwhile writes it anew.

    Those who `hold` the originals are waited for, at first without a place in the queue: others would wait behind it.
    """
    deadline = time.monotonic() + PATIENCE
    while not locks.lock_to_the_end(locks.ORIGINALS, 0):
        if time.monotonic() > deadline:
            locks.wait_to_the_end(locks.ORIGINALS, 0)
            break
        time.sleep(AGAIN)
    path = path_of(sha256)
    is_there = path.exists()
    if is_there and (is_wanted(sha256) or age(path) < older_than):
        return False
    path.unlink(missing_ok=True)
    shutil.rmtree(images_of(sha256), ignore_errors=True)  # also those that whoever was killed here left
    return is_there
