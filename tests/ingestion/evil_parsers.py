"""What a parser might do that a file has taken over. Imported by the sandbox under test, never by the tests."""

import ctypes
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

from ingestion.documents import Block, BlockKind, ParsedDocument, ParseError


def parse(data: bytes, path: str) -> ParsedDocument:
    """The first word says what to try; the text says how it went."""
    act, _, argument = data.decode().partition(" ")
    text = ACTS[act](argument) if act in ACTS else data.decode()
    return ParsedDocument(path, text, "", "text/plain", (Block(BlockKind.PARAGRAPH, 1, 1),))


def attempt(action):
    try:
        return f"done: {action()}"
    except OSError as error:
        return f"refused: {error.strerror}"


def allocate(_):
    return str(len(bytes(2 * 1024**3)))


def spin(_):
    while True:
        pass


def sleep(_):
    time.sleep(600)


def write_much(_):
    return "x" * 24 * 1024**2


def thread(_):
    ran = []
    worker = threading.Thread(target=ran.append, args=(1,))
    worker.start()
    worker.join()
    return f"{len(ran)} thread"


def disordered(_):
    os._exit(3)


def refuse(_):
    raise ParseError("x", "it says no", 7)


def connect(port):
    return socket.create_connection(("127.0.0.1", int(port)), timeout=2)


ACTS = {
    "allocate": allocate,
    "spin": spin,
    "sleep": sleep,
    "write_much": write_much,
    "thread": thread,
    "exit": disordered,
    "refuse": refuse,
    "crash": lambda _: ctypes.string_at(0),
    "recurse": lambda argument: ACTS["recurse"](argument),
    "who": lambda _: f"{os.getuid()} {os.environ.get('DATABASE_URL')}",
    "read": lambda name: attempt(lambda: Path(name).read_text()),
    "write": lambda name: attempt(lambda: Path(name).write_text("touched")),
    "unlink": lambda name: attempt(lambda: Path(name).unlink()),
    "list": lambda name: attempt(lambda: list(Path(name).iterdir())),
    "connect": lambda port: attempt(lambda: connect(port)),
    "fork": lambda _: attempt(os.fork),
    "run": lambda name: attempt(lambda: subprocess.run(["/bin/touch", name], check=True)),
    "kill": lambda pid: attempt(lambda: os.kill(int(pid), signal.SIGKILL)),
}
