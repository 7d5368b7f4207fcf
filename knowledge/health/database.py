"""The database: its version, extensions and settings, and whether its tables are those of this version."""

from collections.abc import Iterator
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from .examination import Examination, State

OLDEST_POSTGRES, OLDEST_PGVECTOR = 150000, (0, 8)
SHOWN = (
    "shared_buffers",
    "work_mem",
    "maintenance_work_mem",
    "max_connections",
    "jit",
    "statement_timeout",
    "server_encoding",
)


def examine_database() -> Iterator[Examination]:
    yield version()
    yield extensions()
    yield migrations()


def version() -> Examination:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int, current_setting('server_version')")
        number, name = cursor.fetchone()
        cursor.execute("SELECT name, current_setting(name) FROM unnest(%s::text[]) AS name", [list(SHOWN)])
        figures: dict[str, Any] = dict(cursor.fetchall())
        cursor.execute("SELECT pg_database_size(current_database()), count(*) FROM pg_stat_activity")
        figures["bytes"], figures["connections"] = cursor.fetchone()
    figures["version"] = name
    if number < OLDEST_POSTGRES:
        return Examination("database", State.BROKEN, f"Postgres {name} is too old", "upgrade to Postgres 15", figures)
    if figures["server_encoding"] != "UTF8":
        to_do = "create the database with ENCODING 'UTF8', and restore a dump into it"
        return Examination("database", State.BROKEN, f"its encoding is {figures['server_encoding']}", to_do, figures)
    used, most = figures["connections"], int(figures["max_connections"])
    if used > most * 0.8:
        to_do = "raise max_connections, or run fewer workers and threads"
        return Examination("database", State.DEGRADED, f"{used} of {most} connections are in use", to_do, figures)
    megabytes = figures["bytes"] // 10**6
    return Examination("database", State.OK, f"Postgres {name}, {megabytes:,} MB, {used} connections", "", figures)


def extensions() -> Examination:
    with connection.cursor() as cursor:
        cursor.execute("SELECT extname, extversion FROM pg_extension")
        found = dict(cursor.fetchall())
    if missing := {"vector", "pg_trgm"} - found.keys():
        to_do = "; ".join(f"CREATE EXTENSION {name}" for name in sorted(missing))
        return Examination("extensions", State.BROKEN, f"missing: {', '.join(sorted(missing))}", to_do, found)
    if tuple(int(part) for part in found["vector"].split(".")[:2]) < OLDEST_PGVECTOR:
        detail = f"pgvector {found['vector']} is too old"
        return Examination("extensions", State.BROKEN, detail, "install pgvector 0.8; ALTER EXTENSION vector UPDATE")
    return Examination("extensions", State.OK, f"pgvector {found['vector']}, pg_trgm {found['pg_trgm']}", "", found)


def migrations() -> Examination:
    """Those that wait, and those of a newer version, whose tables this one writes to as it knows them."""
    executor = MigrationExecutor(connection)
    loader = executor.loader
    replaced = {step for migration in loader.replacements.values() for step in migration.replaces}
    unknown = [".".join(step) for step in sorted(loader.applied_migrations.keys() - loader.disk_migrations - replaced)]
    if newer := [name for name in unknown if name.startswith("knowledge.")]:
        detail = f"the database is of a newer version: {', '.join(newer[:3])}"
        to_do = "run the version that made it, or restore the backup from before (docs/operations.md)"
        return Examination("migrations", State.BROKEN, detail, to_do, {"unknown": newer})
    waiting = [str(step) for step, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    if waiting:
        detail = f"{len(waiting)} migrations are not applied: {', '.join(waiting[:3])}"
        return Examination("migrations", State.BROKEN, detail, "manage.py migrate", {"waiting": waiting})
    return Examination("migrations", State.OK, "all are applied")
