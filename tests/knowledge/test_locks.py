"""Locks go with the connection that holds them, and it is not given back before them."""

import pytest
from django.db import connection

from knowledge.storage import locks
from retrieval.view import release_connection


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_holds_a_lock_is_not_given_back():
    """A gate searches while its build, or its plan, holds one."""
    with locks.tried(locks.PLAN, 7) as is_mine:
        release_connection()
        assert is_mine and 7 in locks.holders(locks.PLAN)
    release_connection()
    assert connection.connection is None


@pytest.mark.django_db(transaction=True)
def test_a_lock_that_went_with_its_connection_keeps_no_later_one():
    assert locks.try_lock(locks.PLAN, 7)
    connection.close()
    assert not locks.holders(locks.PLAN)
    release_connection()
    assert connection.connection is None


def test_the_locks_of_a_machine_that_vanished_go_within_a_minute(db):
    """Nobody closes its connections: Postgres has to ask whether they live."""
    with connection.cursor() as cursor:
        shown = [cursor.execute(f"SHOW tcp_keepalives_{name}").fetchone()[0] for name in ("idle", "interval", "count")]
    idle, interval, count = map(int, shown)
    assert 0 < idle + interval * count <= 60
