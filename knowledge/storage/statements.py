"""How long Postgres may take for a statement."""

from django.db import connection

LIMIT = "SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, true)"


def limit(timeout: int | str) -> str:
    """To the end of the transaction; in milliseconds, 0: for as long as it takes. Returns what was the limit before."""
    with connection.cursor() as cursor:
        cursor.execute(LIMIT, [str(timeout)])
        before: str = cursor.fetchone()[0]
    return before
