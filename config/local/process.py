"""What the embedded servers share: one lock, one port, and an honest answer to "is it running?"."""

import fcntl
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from knowledge.storage.whole_files import whole


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file exclusively. The kernel releases it when the holder dies, however it dies."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def runs(pid: int, directory: Path, *options: str) -> bool:
    """Whether this process lives and serves this directory (named on its command line) with these options.

    A pid file proves nothing: its process may be a zombie, or the number may belong to someone else by now.
    """
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and {str(directory), *options} <= {*process.cmdline()}
    except (psutil.Error, ValueError):
        return False


def failure(command: list[str | Path], **options: Any) -> str | None:
    """Run a program that may leave a server behind; what it said, if it failed. `options` are those of subprocess."""
    with tempfile.TemporaryFile() as output:  # not a pipe: the server would hold its other end open
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False, **options)
        if not done.returncode:
            return None
        output.seek(0)
        return output.read().decode(errors="replace").strip()


def free_port(preferred: int = 0) -> int:
    """The preferred port of the loopback address, or another one when it cannot be had (or 0)."""
    for port in (preferred, 0):
        with suppress(OSError):
            return bindable(port)
    raise OSError("no free port on the loopback address")


def bindable(port: int) -> int:
    """This port of the loopback address, or any for 0. Raises OSError when it is taken, or not ours to take."""
    with listening(port) as probe:
        return int(probe.getsockname()[1])


def listening(port: int) -> socket.socket:
    """A socket at this port of the loopback address that is nobody else's from now on. Raises OSError as `bindable`."""
    opened = socket.socket()
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # TIME_WAIT does not count as taken
        opened.bind(("127.0.0.1", port))
        opened.listen(socket.SOMAXCONN)
    except OSError:
        opened.close()
        raise
    return opened


def on_disk(path: Path) -> None:
    """Wait until what was written to this file is there after a power cut, too."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def write_whole(path: Path, text: str) -> None:
    """Replace the file in one step: a reader sees the old text or the new, never half of it."""
    with whole(path) as file:
        file.write(text.encode())
