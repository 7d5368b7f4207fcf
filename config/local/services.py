"""The processes that a demo starts, with a log for each, and how they end."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from config.local import running
from config.local.home import CHECKOUT, home
from knowledge.processes import end_with_parent

GRACE = 15  # seconds that worker and web get to finish
DEATHS, SOON = 5, 30  # so many in a row, each so many seconds after its start at most, and it is not started again
LARGEST_LOG = 20 * 1024**2  # bytes


class DemoError(Exception):
    """The demo cannot go on; the message says why."""


class Service:
    """A process in a session of its own: Ctrl-C reaches only the demo, which then ends everything in order.

    It ends when the demo does, however that ends: left over, it would start the servers again.
    """

    def __init__(self, started: ExitStack, name: str, arguments: list[str], pass_fds: tuple[int, ...] = ()) -> None:
        self.name, self.arguments, self.pass_fds = name, arguments, pass_fds
        self.deaths = 0
        keep_log(name)
        self.start()
        started.callback(self.end)

    def start(self) -> None:
        self.began = time.monotonic()
        with log_file(self.name).open("ab") as log, running.record(self.name) as record:
            self.process = subprocess.Popen(
                [sys.executable, *self.arguments],
                cwd=CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=[record.fileno(), *self.pass_fds],
                preexec_fn=end_with_parent,  # noqa: PLW1509 - we have one thread
            )
            print(self.process.pid, file=record)

    def start_again(self) -> None:
        """Raises DemoError where it dies again and again."""
        self.deaths = self.deaths + 1 if time.monotonic() - self.began < SOON else 0
        if self.deaths == DEATHS:
            raise DemoError(f"The {self.name} process ended {DEATHS} times, each time soon. {end_of_log(self.name)}")
        self.start()

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def log_file(name: str) -> Path:
    return home() / f"{name}.log"


def before(log: Path) -> Path:
    """Where what it held earlier is kept."""
    return log.with_name(f"{log.name}.1")


def keep_log(name: str) -> None:
    """That of the last time, under another name: it says what ended there. Both are for this user: they name files."""
    if (log := log_file(name)).exists():
        log.chmod(0o600)  # of an earlier version, which let everyone read it
        log.replace(before(log))
    log.touch(0o600)


def bound_log(log: Path) -> None:
    """What is too long is kept as `….1`, as at a start, and begun again in its place: its writer has it open, and
    appends. On a disk without room to keep it, it goes.
    """
    with suppress(OSError):  # nor is it there from the start, nor can every home be written
        if log.stat().st_size > LARGEST_LOG:
            try:
                before(log).unlink(missing_ok=True)  # its room first
                before(log).touch(0o600)
                shutil.copyfile(log, before(log))
            finally:
                os.truncate(log, 0)


def end_of_log(name: str) -> str:
    return f"See {log_file(name)}:\n{log_file(name).read_text(errors='replace')[-2000:]}"
