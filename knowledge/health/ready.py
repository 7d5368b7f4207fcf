"""/readyz: cheap enough to be asked every few seconds."""

import time
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from knowledge import locks
from knowledge.endpoints.probes import is_there
from knowledge.waiting import NO_WORKER

from .examination import State
from .queue import examine_queue

REMEMBERED_SECONDS = 10.0  # what the endpoints said

_endpoints: tuple[float, dict[str, Any]] | None = None


def readiness() -> tuple[bool, dict[str, Any]]:
    """Whether this process can serve, and why. What is only degraded does not keep it from serving."""
    checks = {"database": check_database()}
    if not checks["database"]["ok"]:
        return False, {"ok": False, "checks": checks}
    checks["queue"] = check_queue()
    checks["workers"] = check_workers()
    checks["endpoints"] = check_endpoints()
    degraded = [name for name, check in checks.items() if not check["ok"]]
    ready = "endpoints" not in degraded or settings.AI_OFFLINE_FALLBACK
    return ready, {"ok": ready, "checks": checks, "degraded": degraded}


def check_database() -> dict[str, Any]:
    started = time.perf_counter()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return {"ok": False, "detail": type(error).__name__}
    return {"ok": True, "ms": round((time.perf_counter() - started) * 1000, 1)}


def check_queue() -> dict[str, Any]:
    try:
        found = examine_queue()
    except DatabaseError as error:
        return {"ok": False, "detail": type(error).__name__}
    return {"ok": found.state == State.OK, "detail": found.detail}


def check_workers() -> dict[str, Any]:
    try:
        alive = locks.count(locks.WORKER)
    except DatabaseError as error:
        return {"ok": False, "detail": type(error).__name__}
    return {"ok": alive > 0, "alive": alive, "detail": "" if alive else NO_WORKER}


def check_endpoints() -> dict[str, Any]:
    """Of embedding and chat, whose absence a reader feels; asked anew every ten seconds."""
    global _endpoints  # noqa: PLW0603 - one per process, replaced whole
    if _endpoints is None or time.monotonic() - _endpoints[0] > REMEMBERED_SECONDS:
        there = {role: is_there(role) for role in ("embedding", "chat", "rerank")}
        found = {role: {None: "off", True: "ok", False: "away"}[answers] for role, answers in there.items()}
        _endpoints = time.monotonic(), {"ok": False not in there.values(), **found}
    return _endpoints[1]


def forget() -> None:
    global _endpoints  # noqa: PLW0603
    _endpoints = None
