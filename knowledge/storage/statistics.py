"""Postgres's statistics of our tables, brought up to date at once where much was written."""

from django.apps import apps
from django.db import connection

# As autovacuum's rule (PostgreSQL, "Updating Planner Statistics"), but also of what this transaction wrote.
OUTDATED = """
    SELECT written.relname
    FROM pg_stat_user_tables written
    JOIN pg_stat_xact_user_tables here USING (relid)
    JOIN pg_class counted ON counted.oid = written.relid
    WHERE written.schemaname = current_schema() AND written.relname = ANY(%s)
      AND written.n_mod_since_analyze + here.n_tup_ins + here.n_tup_upd + here.n_tup_del
          > 50 + 0.1 * greatest(counted.reltuples, 0)
    ORDER BY written.relname
"""


def refresh_statistics() -> list[str]:
    """ANALYZE the tables of ours that changed by a tenth since it was last done; returns their names.

    Autovacuum does the same a minute later. Until then a query over tables just filled may be planned as if they were
    empty, with loops in loops: one over 300 chunks took minutes.
    """
    tables = [model._meta.db_table for model in apps.get_app_config("knowledge").get_models()]
    with connection.cursor() as cursor:
        cursor.execute(OUTDATED, [tables])
        outdated = [name for (name,) in cursor.fetchall()]
        if outdated:
            names = ", ".join(map(connection.ops.quote_name, outdated))
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {names}")  # one that is locked is being analysed by somebody else
    return outdated
