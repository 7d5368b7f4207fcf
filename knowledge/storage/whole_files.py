"""Files that are there whole or not at all, whatever is killed meanwhile."""

import glob
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

UNFINISHED_SECONDS = 3600  # a file or a clone that is still being written is younger


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write and read, its owner's alone, which is on the disk and at `path` once the block ends.

    Nothing is left of one that fails. Raises OSError, also where the folder is not there.
    """
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=draft_prefix(path))
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(draft).rename(path)
    except BaseException:  # a full disk, most likely
        Path(draft).unlink(missing_ok=True)
        raise


def draft_prefix(path: Path) -> str:
    """No file of somebody's own begins like this."""
    return f".{path.name}-draft-"


def discard_drafts(path: Path) -> None:
    """What a process left that was killed while it wrote this file."""
    for draft in path.parent.glob(f"{glob.escape(draft_prefix(path))}????????"):
        with suppress(OSError):
            if time.time() - draft.stat().st_mtime > UNFINISHED_SECONDS:
                draft.unlink()
