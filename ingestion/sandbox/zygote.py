"""The process that parsing processes are forked from: it has the parsers imported, and touches no file's content.

    python -m ingestion.sandbox.zygote SOCKET LIMITS PARSER

Each message on the socket carries two descriptors, the packed inputs and a file for the outcomes; the answer says how
the child ended. When the other end of the socket closes, for whatever reason, the zygote kills its child and ends.
"""

import ctypes
import encodings
import gc
import importlib
import json
import mimetypes
import mmap
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import liteparse

from ingestion.documents import ParseError

from .confinement import confine, leave_network
from .limits import TOO_MUCH_OUTPUT, Limits, mapped_bytes
from .wire import Outcome, pack_outcome, unpack_inputs

LAZY = ("heapq", "xml.dom.expatbuilder", "xml.parsers.expat", "unicodedata", "zlib", "bz2", "lzma", "stringprep")
Parser = Callable[[bytes, str], Outcome]


def main(descriptor: int, limits: Limits, parser: Parser) -> None:
    control = socket.socket(fileno=descriptor)
    preload()
    isolated = leave_network()
    os.chdir("/")
    gc.collect()
    gc.freeze()
    control.send(b"ready")
    while True:
        message, files, _, _ = socket.recv_fds(control, 16, 2)
        if not message:
            return
        try:
            status = run(control, files, limits, parser)
        finally:
            for file in files:
                os.close(file)
        control.send(json.dumps(status | {"network_namespace": isolated}).encode())


def preload() -> None:
    """What is imported or loaded on first use: a child can open nothing."""
    mimetypes.init()
    ctypes.CDLL(str(Path(liteparse.__file__).with_name("libpdfium.so")))
    for name in LAZY:
        importlib.import_module(name)
    for module in pkgutil.iter_modules(encodings.__path__):
        if module.name not in ("mbcs", "oem"):
            importlib.import_module(f"encodings.{module.name}")


def run(control: socket.socket, files: list[int], limits: Limits, parser: Parser) -> dict[str, Any]:
    """Fork a child for one message, and wait for it no longer than it may take."""
    mapped = mapped_bytes()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            control.close()
            work(files, limits, mapped, parser)
            code = 0
        finally:
            os._exit(code)
    timed_out = not ended(pid, control, limits.wall_seconds)
    _, status, usage = os.wait4(pid, 0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "timed_out": timed_out,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * 1024,
    }


def ended(pid: int, control: socket.socket, seconds: float) -> bool:
    """Whether the child ended by itself in time. Else it is dead now; and so are we, when nobody waits for it."""
    child = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(child, select.POLLIN)
    poll.register(control, 0)  # hang-ups
    found = {descriptor for descriptor, _ in poll.poll(seconds * 1000)}
    in_time = child in found
    os.close(child)
    if not in_time:
        for kill in (os.killpg, os.kill):
            try:
                kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
    if found and not in_time:
        os._exit(0)
    return in_time


def work(files: list[int], limits: Limits, mapped: int, parser: Parser) -> None:
    """In the child: confined, parse every input, and write each outcome as soon as it is known."""
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(silence, standard)
    source, target = files
    with mmap.mmap(source, 0, access=mmap.ACCESS_READ) as content:
        inputs = list(unpack_inputs(content[:]))
    limits.impose(mapped)
    confine()
    for data, path in inputs:
        try:
            write(target, outcome_of(parser, data, path, limits))
        except OSError:  # the limit on the size of a file
            os._exit(TOO_MUCH_OUTPUT)


def outcome_of(parser: Parser, data: bytes, path: str, limits: Limits) -> bytes:
    try:
        try:
            return pack_outcome(parser(data, path))
        except ParseError as error:
            return pack_outcome(error)
        except MemoryError:
            reason = f"reading it takes more than {limits.memory // 1024**2:,} MiB of memory"
            return pack_outcome(ParseError(path, reason))
        except RecursionError:
            return pack_outcome(ParseError(path, "it is nested too deeply"))
        except BaseException as error:  # a panic of Rust code is one, too
            problem = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            return pack_outcome(ParseError(path, f"it is damaged, or not what its name says ({problem})"))
    except UnicodeError:
        return pack_outcome(ParseError(path, "its text cannot be encoded as UTF-8"))


def write(target: int, frame: bytes) -> None:
    """Raises OSError beyond the file size that may be written."""
    view = memoryview(frame)
    while view:
        view = view[os.write(target, view) :]


if __name__ == "__main__":
    module, _, function = sys.argv[3].partition(":")
    loaded = importlib.import_module(module)
    if own := getattr(loaded, "preload", None):  # models of text recognition
        own()
    main(int(sys.argv[1]), Limits(**json.loads(sys.argv[2])), getattr(loaded, function))
