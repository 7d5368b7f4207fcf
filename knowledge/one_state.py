"""Reading one state of the database, whatever is written meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_state() -> Iterator[None]:
    """All reads see what was there at the first: nothing is collected between two of them. Within a transaction, as
    that one reads.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield
