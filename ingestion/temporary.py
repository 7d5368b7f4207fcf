"""Folders that are needed for the length of one request or build, on the disk that has room: the home's."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

PREFIX = ".passing-"
ABANDONED_SECONDS = 24 * 3600  # nothing that is received or looked at takes a day


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Gone with the block; what a killed process left is gone with the next one's, a day later."""
    home = Path(settings.HOME)
    home.mkdir(parents=True, exist_ok=True)
    for left in home.glob(f"{PREFIX}*"):
        try:
            if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
        except FileNotFoundError:
            continue  # its owner was faster
    with tempfile.TemporaryDirectory(dir=home, prefix=PREFIX) as folder:
        yield Path(folder)
