"""Reading one state of the database, whatever is written meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection, transaction


@contextmanager
def one_state() -> Iterator[None]:
    """All reads see what was there at the first: nothing is collected between two of them. Within another transaction
    a savepoint, which reads as that one does.
    """
    if connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    connection.ensure_connection()
    raw = connection.connection
    with connection.wrap_database_errors:
        raw.isolation_level, raw.read_only = psycopg.IsolationLevel.REPEATABLE_READ, True
    try:
        with transaction.atomic():
            yield
    finally:
        if not raw.closed:
            raw.isolation_level = raw.read_only = None
