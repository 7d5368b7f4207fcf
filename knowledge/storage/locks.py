"""Postgres advisory locks: they go with the connection that holds them, so what is killed never keeps one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

BUILD = 0x4D55  # "MU"; the second key is the library that is built
PLAN = 0x4D50  # "MP"; the second key is the planned activation that is carried out
ORIGINALS = 0x4D4F  # "MO": shared by what keeps originals until its rows say so, alone by what discards one
MEASUREMENT = 0x4D4D  # "MM"; the second key is the library whose golden questions are asked from its page
WORKER = 0x4D56  # shared by every `manage.py worker` that lives
TASK = 0x4D54  # "MT": shared by the workers of one cluster while they run a task

HOLDERS = """
    SELECT objid, pid FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

COUNT = """
    SELECT count(*) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s AND objid = %s AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Held(threading.local):
    """How many locks this thread's connection holds: whoever closes it would give them up, and a new one holds none."""

    connection: object = None
    count = 0


_held = Held()


def holds_any() -> bool:
    return _held.count > 0 and _held.connection is connection.connection


def try_lock(kind: int, key: int) -> bool:
    locked = bool(ask("SELECT pg_try_advisory_lock(%s, %s)", kind, key))
    if locked:
        _held.count = _held.count + 1 if holds_any() else 1
        _held.connection = connection.connection
    return locked


def lock_to_the_end(kind: int, key: int) -> bool:
    """Whether the lock was free; it is held until the transaction ends."""
    return bool(ask("SELECT pg_try_advisory_xact_lock(%s, %s)", kind, key))


def wait_to_the_end(kind: int, key: int, shared: bool = False) -> None:
    """Wait until the lock is free; it is held until the transaction ends."""
    ask(f"SELECT pg_advisory_xact_lock{'_shared' if shared else ''}(%s, %s)", kind, key)


def unlock(kind: int, key: int) -> None:
    if holds_any():
        _held.count -= 1
    ask("SELECT pg_advisory_unlock(%s, %s)", kind, key)


def lock_shared(kind: int, key: int) -> None:
    ask("SELECT pg_advisory_lock_shared(%s, %s)", kind, key)


def unlock_shared(kind: int, key: int) -> None:
    ask("SELECT pg_advisory_unlock_shared(%s, %s)", kind, key)


@contextmanager
def tried(kind: int, key: int) -> Iterator[bool]:
    """Whether the lock was free; it is held meanwhile."""
    held = try_lock(kind, key)
    try:
        yield held
    finally:
        if held:
            unlock(kind, key)


def holders(kind: int) -> dict[int, int]:
    """second key → process id of the Postgres backend of whoever holds it."""
    with connection.cursor() as cursor:
        cursor.execute(HOLDERS, [kind])
        return dict(cursor.fetchall())


def count(kind: int, key: int = 0) -> int:
    """How many hold the lock; a shared one is held by several."""
    return int(str(ask(COUNT, kind, key)))


def end_holder(kind: int, key: int) -> bool:
    """Close the connection of whoever holds the lock; whether somebody did."""
    backend = holders(kind).get(key)
    return backend is not None and bool(ask("SELECT pg_terminate_backend(%s, 5000)", backend))


def ask(question: str, *parameters: int) -> object:
    with connection.cursor() as cursor:
        cursor.execute(question, parameters)
        return cursor.fetchone()[0]
