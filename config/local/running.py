"""The processes of bin/demo in this home, for bin/stop: alive, they would start the embedded servers again.

Each has a record that it holds open and locked. The kernel frees it when the process and what it forked end, however
they end. The number in a locked record may still be somebody else's: of what was forked, one may outlive the process,
and numbers of a container mean others outside of it. It is believed of a process that has the record open.
"""

import fcntl
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil

from config.local.home import home
from config.local.process import locked

END_TIMEOUT = 60  # seconds; answers that are written, the worker and the servers of a demo end one after another
KILL_TIMEOUT = 10


def folder() -> Path:
    path = home() / "running"
    path.mkdir(exist_ok=True)
    return path


@contextmanager
def record(name: str) -> Iterator[IO[str]]:
    """A locked record to write a process id into. A child that inherits it holds it on after the block."""
    living()
    with locked(folder() / "lock"):
        file = tempfile.NamedTemporaryFile("w", dir=folder(), prefix=f"{name}-", delete=False)  # noqa: SIM115
        fcntl.flock(file, fcntl.LOCK_EX)
    with file:
        yield file


def living(name: str = "*") -> list[int]:
    """The ids of the processes that hold their records (of this name), by name. Those that nobody holds are removed."""
    pids: list[int] = []
    with locked(folder() / "lock"):
        for path in sorted(folder().glob(f"{name}-*")):
            with path.open() as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
                except BlockingIOError:
                    pids += [pid for pid in map(int, file.read().split()) if has_open(pid, path)]
    return pids


def has_open(pid: int, path: Path) -> bool:
    try:
        return str(path.resolve()) in opened(pid)
    except (psutil.Error, OSError):
        return False


def opened(pid: int) -> Iterator[str]:
    """The paths of what the process has open. psutil looks at each, and fails where one is out of this user's reach."""
    descriptors = Path(f"/proc/{pid}/fd")
    if not descriptors.is_dir():
        yield from (file.path for file in psutil.Process(pid).open_files())
        return
    for descriptor in descriptors.iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            yield str(descriptor.readlink())


def stop() -> None:
    """End all of them, by force where they take too long."""
    for number, seconds in ((signal.SIGTERM, END_TIMEOUT), (signal.SIGKILL, KILL_TIMEOUT)):
        deadline = time.monotonic() + seconds
        for pid in living():
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        while living() and time.monotonic() < deadline:
            time.sleep(0.1)
