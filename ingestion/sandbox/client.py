"""The worker's side: a zygote, started when it is needed, and again when it died."""

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ingestion.documents import ParseError

from .limits import LIMITS, RECOGNITION_LIMITS, Limits, explain
from .wire import Input, Outcome, pack_inputs, unpack_outcomes

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 120  # importing the parsers on a busy machine
GRACE_SECONDS = 30
PARSER = "ingestion.parsers:parse"
RECOGNISER = "ingestion.parsers.ocr:parse"
KEPT = ("PATH", "LD_LIBRARY_PATH", "PYTHONHOME")  # of the environment: no addresses, no keys
LOST = "the process that read it was lost"


class SandboxError(Exception):
    """No file can be parsed: it is the installation's fault, and no file's."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the process ended that read a batch: seconds, bytes; `reason` is "" when it finished."""

    reason: str
    cpu_seconds: float = 0.0
    memory: int = 0
    lost: bool = False


class Sandbox:
    """One zygote, used by one thread at a time. It reads one batch of files after the other."""

    def __init__(self, limits: Limits = LIMITS, parser: str = PARSER, languages: str = "") -> None:
        self.limits, self.parser, self.languages = limits, parser, languages
        self.zygote: subprocess.Popen[bytes] | None = None
        self.control: socket.socket | None = None
        self.target = -1
        self.pending = self.greeted = False
        self.last = Ending("")

    def start(self) -> socket.socket:
        """The socket of a zygote that lives. Raises SandboxError where the system has no room for one."""
        if self.control and self.zygote and self.zygote.poll() is None:
            return self.control
        self.close()
        try:
            return self.spawn()
        except OSError as error:
            self.close()
            raise SandboxError(f"the process that parses files cannot be started: {error.strerror}") from error

    def spawn(self) -> socket.socket:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.zygote = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "ingestion.sandbox.zygote",
                    str(theirs.fileno()),
                    json.dumps(asdict(self.limits)),
                    self.parser,
                ],
                cwd=ROOT,
                env={name: os.environ[name] for name in KEPT if name in os.environ}
                | {
                    "LANG": "C.UTF-8",
                    "PYTHONHASHSEED": "0",
                    "MALLOC_ARENA_MAX": "1",
                    "RAYON_NUM_THREADS": "1",
                    "OMP_THREAD_LIMIT": "1",
                    "OCR_LANGUAGES": self.languages,
                },
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us
            )
        return self.control

    def submit(self, inputs: Sequence[Input]) -> None:
        """Begin to parse a batch. Call `collect` with the same batch before the next. Raises SandboxError."""
        control = self.start()
        source = memory_file(pack_inputs(inputs))
        self.target, self.pending = os.memfd_create("outcomes", os.MFD_CLOEXEC), True
        try:
            with contextlib.suppress(OSError):  # it died just now: `collect` finds out
                socket.send_fds(control, [b"parse"], [source, self.target])
        finally:
            os.close(source)

    def collect(self, inputs: Sequence[Input]) -> list[Outcome]:
        """One outcome per input. What a broken batch left is tried again, each file by itself."""
        outcomes, ending = self.finish(inputs)
        alone = len(inputs) == 1
        for content, path in inputs[len(outcomes) :]:
            if alone and not ending.lost:
                outcomes.append(ParseError(path, ending.reason))
                continue
            self.submit([(content, path)])
            retried, again = self.finish([(content, path)])
            outcomes += retried or [ParseError(path, again.reason)]
        return outcomes

    def finish(self, inputs: Sequence[Input]) -> tuple[list[Outcome], Ending]:
        """The outcomes that the process wrote before it ended, and how it ended."""
        try:
            status = self.wait()
            outcomes = unpack_outcomes(read_whole(self.target), [path for _, path in inputs])
        except BaseException:  # interrupted: the answer that is still to come would be taken for the next batch's
            self.close()
            raise
        finally:
            os.close(self.target)
            self.pending = False
        if status is None:
            self.close()
            self.last = Ending(LOST, lost=True)
            return outcomes, self.last
        reason = explain(status["status"], status["cpu_seconds"], status["timed_out"], self.limits)
        self.last = Ending(reason, status["cpu_seconds"], status["memory"])
        return outcomes, self.last

    def wait(self) -> dict[str, Any] | None:
        """The zygote's answer; None when it died. Raises SandboxError for one that cannot start."""
        if not self.greeted:
            self.greeted = bool(self.receive(START_SECONDS))
            if not self.greeted and self.zygote and self.zygote.poll() != -signal.SIGKILL:
                self.close()
                raise SandboxError("the process that parses files does not start; its own message says why")
        answer = self.receive(self.limits.wall_seconds + GRACE_SECONDS)
        return json.loads(answer) if answer else None

    def receive(self, seconds: float) -> bytes:
        """The next message; nothing when the other end is closed, or silent for so long."""
        if self.control is None:
            return b""
        ready, _, _ = select.select([self.control], [], [], seconds)
        try:
            return self.control.recv(1000) if ready else b""
        except OSError:
            return b""

    def close(self) -> None:
        if self.control:
            self.control.close()
        if self.zygote:
            self.zygote.kill()
            self.zygote.wait()
        self.control = self.zygote = None
        self.greeted = False


def memory_file(content: bytes) -> int:
    """A descriptor of a file without a name."""
    descriptor = os.memfd_create("inputs", os.MFD_CLOEXEC)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def read_whole(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()


_idle: list[Sandbox] = []


@contextmanager
def borrowed(languages: str = "", parser: str = "", limits: Limits = LIMITS) -> Iterator[Sandbox]:
    """A sandbox with this parser, or one that recognises text in these languages: an idle one, or a new one."""
    parser = RECOGNISER if languages else parser or PARSER
    idle = next((each for each in _idle if (each.languages, each.parser) == (languages, parser)), None)
    if idle:
        _idle.remove(idle)
    sandbox = idle or Sandbox(RECOGNITION_LIMITS if languages else limits, parser, languages)
    try:
        yield sandbox
    finally:
        if sandbox.pending:  # whoever submitted it went away
            sandbox.close()
        _idle.append(sandbox)


@atexit.register
def close_idle() -> None:
    while _idle:
        _idle.pop().close()


def disown() -> None:
    """In a process forked from ours: its parent's zygotes are not its own, and must see their parent end."""
    for sandbox in _idle:
        if sandbox.control:
            sandbox.control.close()
        sandbox.control = sandbox.zygote = None
    _idle.clear()


os.register_at_fork(after_in_child=disown)
