"""Postgres advisory locks: they go with the connection that holds them, so what is killed never keeps one."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

BUILD = 0x4D55  # "MU"; the second key is the library that is built
WORKER = 0x4D56  # shared by every `manage.py worker` that lives

HOLDERS = """
    SELECT objid, pid FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


COUNT = """
    SELECT count(*) FROM pg_locks
    WHERE locktype = 'advisory' AND classid = %s AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def try_lock(kind: int, key: int) -> bool:
    return bool(ask("SELECT pg_try_advisory_lock(%s, %s)", kind, key))


def unlock(kind: int, key: int) -> None:
    ask("SELECT pg_advisory_unlock(%s, %s)", kind, key)


def lock_shared(kind: int, key: int) -> None:
    ask("SELECT pg_advisory_lock_shared(%s, %s)", kind, key)


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


def count(kind: int) -> int:
    """How many hold a lock of this kind; a shared one is held by several."""
    return int(str(ask(COUNT, kind)))


def end_holder(kind: int, key: int) -> bool:
    """Close the connection of whoever holds the lock; whether somebody did."""
    backend = holders(kind).get(key)
    return backend is not None and bool(ask("SELECT pg_terminate_backend(%s, 5000)", backend))


def ask(question: str, *parameters: int) -> object:
    with connection.cursor() as cursor:
        cursor.execute(question, parameters)
        return cursor.fetchone()[0]
