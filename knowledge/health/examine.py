"""Everything that `doctor` looks at, in order. A database that is away ends it."""

from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils.module_loading import import_string

from knowledge.governance.review import candidates
from knowledge.models import Library

from .database import examine_database
from .disk import examine_disk
from .endpoints import examine_endpoints
from .examination import Examination, State
from .queue import examine_queue, examine_schedules, examine_workers

MISSING_LANGUAGES = "ingestion.recognition.missing"  # asked for by name: knowledge knows no ingestion
NOT_BUILT = (Library.Kind.CORPUS, Library.Kind.ARCHIVE)  # they have no source to be built from again


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
    yield examine_workers()
    yield examine_schedules()
    yield from examine_endpoints()
    yield examine_recognition()
    yield examine_libraries()
    yield from examine_profiles()
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
    unreviewed = [
        newest
        for library in libraries
        if library.active_snapshot_id is None
        and (newest := candidates(library).filter(needs_review=True).first()) is not None
    ]
    figures = {"libraries": len(libraries), "not_active": empty, "last_job_failed": failed}
    if failed:
        detail = f"the last job failed in {', '.join(failed)}"
        return Examination("libraries", State.DEGRADED, detail, "manage.py jobs says why", figures)
    if unreviewed:
        detail = ", ".join(f"snapshot {newest.number} of {newest.library} waits for review" for newest in unreviewed)
        to_do = ", ".join(f"manage.py review {newest.library} {newest.number}" for newest in unreviewed)
        return Examination("libraries", State.DEGRADED, detail, to_do, figures)
    if empty:
        detail = f"nothing is active in {', '.join(empty)}"
        return Examination("libraries", State.DEGRADED, detail, "manage.py reindex, or activate", figures)
    searchable = "one library" if len(libraries) == 1 else f"{len(libraries)} libraries"
    return Examination("libraries", State.OK, f"{searchable} can be searched", "", figures)


def examine_profiles() -> Iterator[Examination]:
    """Libraries that were built with another code or other settings than those of now; no model is called."""
    libraries = Library.objects.active().exclude(kind__in=NOT_BUILT)
    drifting = 0
    for library in libraries.select_related("active_snapshot__profile", "active_snapshot__space").order_by("slug"):
        if not (drifts := library.drift()):
            continue
        drifting += 1
        detail = f"changed since it was built: {'; '.join(map(str, drifts))}"
        figures = {"drift": [drift.as_json() for drift in drifts]}
        to_do = f"manage.py reindex --full {library}; searches go on with what is active"
        yield Examination(f"profile of {library}", State.DEGRADED, detail, to_do, figures)
    if not drifting:
        yield Examination(
            "profiles",
            State.OK,
            "every library was built with these settings (their models: above)",
        )


def examine_recognition() -> Examination:
    languages: str = settings.OCR_LANGUAGES
    if not languages:
        return Examination("text recognition", State.OFF, "OCR_LANGUAGES is not set: scans are rejected")
    if lacking := import_string(MISSING_LANGUAGES)(languages):
        detail = f"tesseract has no model for {', '.join(lacking)}: scans are rejected"
        return Examination("text recognition", State.DEGRADED, detail, "install it, or change OCR_LANGUAGES")
    return Examination("text recognition", State.OK, f"scans are read in {languages}")


def examine_settings() -> Examination:
    if settings.DEBUG:
        return Examination("settings", State.DEGRADED, "DEBUG is on", "unset DEBUG wherever others can reach the site")
    if settings.AI_TEST_MODE:
        detail = "AI_TEST_MODE is on: vectors are bags of words, answers are extracts"
        return Examination("settings", State.DEGRADED, detail, "unset AI_TEST_MODE")
    return Examination("settings", State.OK, "no debugging, real models")
