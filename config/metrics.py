"""Counters that several web processes share: files in the home, which prometheus_client maps into memory.

To be called before anything imports prometheus_client, which looks for the directory only then. Each host has a folder
of its own. A container that is made anew has another name: whoever starts takes away the folders that nobody locks.
"""

import fcntl
import logging
import os
import re
import shutil
import socket
from contextlib import suppress
from pathlib import Path

import psutil

from config.local.home import home

_locked: list[int] = []  # descriptors of this host's folder, open for as long as the process lives

logger = logging.getLogger(__name__)


def share() -> None:
    """Where no folder can be made, as on a full disk, each process counts alone: the site is worth more than counts."""
    try:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(shared_folder())
    except OSError as error:
        logger.warning("This process counts alone: %s", error)


def shared_folder() -> Path:
    """Begun anew when none of the processes lives that wrote the files: a counter that restarts is no surprise."""
    folder = home() / "metrics" / re.sub(r"[^\w.-]", "_", socket.gethostname())
    folder.mkdir(parents=True, exist_ok=True)
    starting = os.open(folder.parent, os.O_RDONLY)
    try:
        lock(starting, fcntl.LOCK_EX)  # one at a time: a folder is not taken away before its host has locked it
        folder.mkdir(exist_ok=True)
        _locked.append(os.open(folder, os.O_RDONLY))
        lock(_locked[-1], fcntl.LOCK_SH)
        for other in folder.parent.iterdir():
            if other != folder and other.is_dir() and is_deserted(other):
                shutil.rmtree(other, ignore_errors=True)
    finally:
        os.close(starting)
    files = list(folder.glob("*.db"))
    if not any(lives(file) for file in files):
        for file in files:
            file.unlink(missing_ok=True)
    return folder


def lock(descriptor: int, how: int) -> None:
    """Where the file system knows no locks, nothing is ever deserted."""
    with suppress(OSError):
        fcntl.flock(descriptor, how)


def is_deserted(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def lives(file: Path) -> bool:
    number = file.stem.rpartition("_")[2]
    return number.isdigit() and psutil.pid_exists(int(number))
