"""/readyz: cheap enough to be asked every few seconds."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from knowledge.endpoints.probes import is_there

from .disk import examine_disk
from .examination import Examination, State
from .queue import examine_queue, examine_workers

REMEMBERED_SECONDS = 10.0  # what the endpoints said
DATABASE_SECONDS = 2  # to connect: what balances load does not wait as long as the pool does

_endpoints: tuple[float, dict[str, Any]] | None = None


def readiness() -> tuple[bool, dict[str, Any]]:
    """Whether this process can serve, and why. What is only degraded does not keep it from serving."""
    checks = {"database": check_database()}
    if not checks["database"]["ok"]:
        return False, {"ok": False, "checks": checks}
    checks["queue"] = checked(examine_queue)
    checks["workers"] = checked(examine_workers, "alive")
    checks["disk"] = check_disk()
    checks["endpoints"] = check_endpoints()
    degraded = [name for name, check in checks.items() if not check["ok"]]
    ready = "endpoints" not in degraded or settings.AI_OFFLINE_FALLBACK
    return ready, {"ok": ready, "checks": checks, "degraded": degraded}


def check_database() -> dict[str, Any]:
    started = time.perf_counter()
    try:
        with closing(own_connection()) as own, own.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return {"ok": False, "detail": type(error).__name__}
    return {"ok": True, "ms": round((time.perf_counter() - started) * 1000, 1)}


def own_connection() -> BaseDatabaseWrapper:
    """As the process's, but for its pool, whose connections may be of a server that is gone."""
    own: BaseDatabaseWrapper = connection.copy()
    own.settings_dict["OPTIONS"].pop("pool", None)
    own.settings_dict["OPTIONS"]["connect_timeout"] = DATABASE_SECONDS
    return own


def checked(examine: Callable[[], Examination], *figures: str) -> dict[str, Any]:
    """As `doctor` examines it."""
    try:
        found = examine()
    except DatabaseError as error:
        return {"ok": False, "detail": type(error).__name__}
    return {"ok": found.state == State.OK, "detail": found.detail} | {name: found.figures[name] for name in figures}


def check_disk() -> dict[str, Any]:
    """Whether the home can be written and has some room left; where it is, and how much, is not told to everyone."""
    return {"ok": examine_disk().state != State.BROKEN}


def check_endpoints() -> dict[str, Any]:
    """Of embedding, chat and reranking, whose absence a reader feels; asked anew every ten seconds."""
    global _endpoints  # noqa: PLW0603 - one per process, replaced whole
    if _endpoints is None or time.monotonic() - _endpoints[0] > REMEMBERED_SECONDS:
        there = {role: is_there(role) for role in ("embedding", "chat", "rerank")}
        found = {role: {None: "off", True: "ok", False: "away"}[answers] for role, answers in there.items()}
        _endpoints = time.monotonic(), {"ok": False not in there.values(), **found}
    return _endpoints[1]


def forget() -> None:
    global _endpoints  # noqa: PLW0603
    _endpoints = None
