"""Everything that `doctor` looks at, in order. A database that is away ends it."""

from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection

from knowledge.models import Library

from .database import examine_database
from .disk import examine_disk
from .endpoints import examine_endpoints
from .examination import Examination, State
from .queue import examine_queue


def examine() -> Iterator[Examination]:
    try:
        connection.ensure_connection()
        parts = list(examine_database())
    except DatabaseError as error:
        reason = str(error).strip().splitlines()[0] if str(error) else type(error).__name__
        yield Examination("database", State.BROKEN, reason, "start Postgres, or set DATABASE_URL")
        yield examine_disk()
        return
    yield from parts
    yield examine_disk()
    if any(part.state == State.BROKEN for part in parts):
        return  # what follows reads tables
    yield examine_queue()
    yield from examine_endpoints()
    yield examine_libraries()
    yield examine_settings()


def examine_libraries() -> Examination:
    """A library nobody can search, and one whose last build failed, are worth a word."""
    libraries = Library.objects.exclude(kind=Library.Kind.CORPUS).order_by("slug")
    empty = [library.slug for library in libraries if library.active_snapshot_id is None]
    failed = [
        library.slug
        for library in libraries
        if (last := library.jobs.order_by("-pk").first()) is not None and last.state == last.State.FAILED
    ]
    figures = {"libraries": len(libraries), "not_active": empty, "last_job_failed": failed}
    if failed:
        detail = f"the last job failed in {', '.join(failed)}"
        return Examination("libraries", State.DEGRADED, detail, "manage.py jobs says why", figures)
    if empty:
        detail = f"nothing is active in {', '.join(empty)}"
        return Examination("libraries", State.DEGRADED, detail, "manage.py reindex, or activate", figures)
    return Examination("libraries", State.OK, f"{len(libraries)} libraries can be searched", "", figures)


def examine_settings() -> Examination:
    if settings.DEBUG:
        return Examination("settings", State.DEGRADED, "DEBUG is on", "unset DEBUG wherever others can reach the site")
    if settings.AI_TEST_MODE:
        detail = "AI_TEST_MODE is on: vectors are bags of words, answers are extracts"
        return Examination("settings", State.DEGRADED, detail, "unset AI_TEST_MODE")
    return Examination("settings", State.OK, "no debugging, real models")
