"""The embedded model servers: `ensure("embedding")`, `ensure("reader")` start what is not there.

Like the embedded Postgres they may be asked for by any number of processes at any time, outlive their starter, and cost
a few file reads while they run. Models come out of installed packages; nothing is fetched.
"""

import ctypes
import json
import os
import signal
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from config.local import weights
from config.local.home import CHECKOUT, home, kept_secret
from config.local.process import failure, locked, runs
from config.local.weights import READER, READER_PACKAGES, ModelServerError

START_TIMEOUT = 120  # seconds; loading takes about one
STOP_TIMEOUT = 10


@dataclass(frozen=True, slots=True)
class Endpoint:
    url: str  # OpenAI-compatible, ends in /v1
    api_key: str
    model: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a role's server runs: how to get its model file, and how to ask it something small."""

    alias: str
    model: Callable[[], Path]
    slot_context: int
    slots: int
    options: tuple[str, ...]
    probe: tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ModelServer:
    """What `server.json` says, once it is known to be true."""

    pid: int
    port: int
    ready: bool


def offers(role: str) -> bool:
    """Whether there is an embedded model for this role. Nothing is started.

    The reader is a help, and no need: it is off where the packages of the embedded models are not installed.
    """
    return role in RECIPES and (role != "reader" or weights.are_installed(READER_PACKAGES))


def ensure(role: str) -> Endpoint | None:
    """The endpoint of a role, its server started first if it does not run; None for a role without an embedded model.

    Raises ModelServerError.
    """
    if not offers(role):
        return None
    server = running(role)
    if not (server and server.ready):
        with locked(directory(role) / "lock"):
            server = running(role)
            if not (server and server.ready):
                if not server:
                    end(role)  # one of another version
                server = start(role, server)
    return endpoint(role, server)


def stop(role: str) -> bool:
    """Stop a role's server, of whatever version; False when there was none."""
    with locked(directory(role) / "lock"):
        return end(role)


def end(role: str) -> bool:
    """The same, lock held."""
    server = recorded(role)
    if not server:
        return False
    os.kill(server.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_TIMEOUT
    while runs(server.pid, directory(role)):
        if time.monotonic() > deadline:
            os.kill(server.pid, signal.SIGKILL)
        time.sleep(0.02)
    return True


def status(role: str) -> dict[str, Any]:
    """Whether it runs, with pid, port, model and resident memory in bytes."""
    server = running(role)
    if not server:
        return {"running": False, "model": RECIPES[role].alias}
    memory = psutil.Process(server.pid).memory_info().rss
    return {"running": True, "pid": server.pid, "port": server.port, "model": RECIPES[role].alias, "memory": memory}


def recorded_roles() -> list[str]:
    """Whose servers this home knows of, also those of other versions."""
    return sorted(record.parent.name for record in (home() / "models").glob("*/server.json"))


def directory(role: str) -> Path:
    path = home() / "models" / role
    path.mkdir(parents=True, exist_ok=True)
    return path


def running(role: str) -> ModelServer | None:
    """The role's server, if it runs what this version's recipe says."""
    server = recorded(role)
    return server if server and runs(server.pid, directory(role), *settled(RECIPES[role])) else None


def recorded(role: str) -> ModelServer | None:
    """The role's server, of whatever version."""
    try:
        server = ModelServer(**json.loads((directory(role) / "server.json").read_text()))
    except (FileNotFoundError, ValueError):  # an empty one, after a power cut
        return None
    return server if runs(server.pid, directory(role)) else None


def start(role: str, starting: ModelServer | None) -> ModelServer:
    """Start the role's server (lock held), unless a starter who died left one loading; wait until it answers."""
    deadline = time.monotonic() + START_TIMEOUT
    if not starting:
        kept_secret(directory(role) / "key", 24)
        launch(role)
    while time.monotonic() < deadline:
        server = running(role)
        if not server:
            raise ModelServerError(f"The {role} server stopped while starting.{last_words(role)}")
        if server.ready:
            answer(role, endpoint(role, server))
            return server
        time.sleep(0.02)
    raise ModelServerError(f"The {role} server was not ready after {START_TIMEOUT} s.{last_words(role)}")


def launch(role: str) -> None:
    check_libraries()
    recipe = RECIPES[role]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    command: list[str | Path] = [sys.executable, "-m", "config.local.llama_server", str(directory(role))]
    command += ["--model", str(recipe.model()), *settled(recipe)]
    command += ["--threads", str(cores - 1 if cores > 2 else cores)]
    # Without PASSIVE an idle thread spins, and embeddings fell from 7.3/s to 1.9/s where two servers shared two cores.
    environment = os.environ | {"OMP_WAIT_POLICY": "PASSIVE"}
    if (said := failure(command, cwd=CHECKOUT, env=environment)) is not None:
        raise ModelServerError(f"The {role} server did not start: {said}")


def settled(recipe: Recipe) -> list[str]:
    """What is on the command line of every server of the recipe, whatever machine it runs on."""
    context = ["--slot-context", str(recipe.slot_context), "--slots", str(recipe.slots)]
    return ["--alias", recipe.alias, *recipe.options, *context]


def answer(role: str, server: Endpoint) -> None:
    """One real call: what a server says about itself proves nothing."""
    path, body = RECIPES[role].probe
    headers = {"Authorization": f"Bearer {server.api_key}", "Content-Type": "application/json"}
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), headers)  # noqa: S310 - loopback
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as response:
            json.load(response)
    except (OSError, ValueError) as error:
        raise ModelServerError(f"The {role} server does not answer: {error}{last_words(role)}") from error


def endpoint(role: str, server: ModelServer) -> Endpoint:
    key = (directory(role) / "key").read_text()
    return Endpoint(f"http://127.0.0.1:{server.port}/v1", key, RECIPES[role].alias)


def last_words(role: str) -> str:
    log = directory(role) / "server.log"
    return f" The end of {log}:\n{log.read_text(errors='replace')[-2000:]}" if log.exists() else ""


# --- the recipes -------------------------------------------------------------------------------------


def check_libraries() -> None:
    if sys.platform == "linux":
        try:
            ctypes.CDLL("libgomp.so.1")
        except OSError as error:
            raise ModelServerError("llama.cpp needs libgomp.so.1: `apt install libgomp1`.") from error


RECIPES = {
    "embedding": Recipe(
        alias="all-MiniLM-L6-v2-q8_0",
        model=weights.minilm,
        slot_context=512,
        slots=2,
        options=("--pooling", "mean"),
        probe=("/embeddings", {"input": "Are you there?"}),
    ),
    "reader": Recipe(
        alias=f"{READER}-q8_0",
        model=weights.reader,
        slot_context=512,
        slots=2,
        options=("--pooling", "rank"),
        probe=("/rerank", {"query": "Are you there?", "documents": ["Yes."]}),
    ),
}
