"""Everything that `doctor` looks at, in order. A database that is away ends it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils.module_loading import import_string

from knowledge.above import MISSING_LANGUAGES
from knowledge.accounts import sign_on
from knowledge.governance.review import candidates
from knowledge.models import Library, SourceCredential
from knowledge.storage.vault import VaultError

from .database import examine_database
from .disk import examine_disk
from .endpoints import examine_endpoints
from .examination import Examination, State
from .mail import examine_mail
from .queue import examine_queue, examine_schedules, examine_workers

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
    yield examine_credentials()
    yield examine_sign_on()
    yield examine_mail()
    yield examine_settings()


def examine_libraries() -> Examination:
    """A library nobody can search, and one whose last build failed, are worth a word."""
    libraries = Library.objects.exclude(kind=Library.Kind.CORPUS).order_by("slug")
    empty = [library for library in libraries if library.active_snapshot_id is None]
    waiting = {
        library.slug: newest.number
        for library in empty
        if (newest := candidates(library).filter(needs_review=True).first()) is not None
    }
    idle = [library for library in empty if library.slug not in waiting]
    imported = [library for library in idle if library.kind == Library.Kind.ARCHIVE]
    built = [library.slug for library in idle if library.kind != Library.Kind.ARCHIVE]
    failed = [
        library.slug
        for library in libraries
        if (last := library.jobs.order_by("-pk").first()) is not None and last.state == last.State.FAILED
    ]
    figures = {
        "libraries": len(libraries),
        "not_active": [library.slug for library in empty],
        "last_job_failed": failed,
    }
    faults = {
        f"snapshot {number} of {slug} waits for review": f"manage.py review {slug} {number}"
        for slug, number in waiting.items()
    }
    told = (
        (failed, "the last job failed in", "manage.py jobs says why"),
        (built, "nothing is active in", "manage.py reindex, or activate"),
    )
    faults |= {f"{what} {', '.join(slugs)}": to_do for slugs, what, to_do in told if slugs}
    faults |= {f"nothing is active of what was imported into {library}": to_activate(library) for library in imported}
    if faults:
        return degraded("libraries", faults, figures)
    searchable = "one library" if len(libraries) == 1 else f"{len(libraries)} libraries"
    return Examination("libraries", State.OK, f"{searchable} can be searched", "", figures)


def to_activate(library: Library) -> str:
    """What to do for one whose snapshots were imported."""
    if newest := library.snapshots.filter(state="ready").order_by("-number").first():
        return f"manage.py activate {library} {newest.number}"
    return f"manage.py import_snapshot FILE --library {library}"


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


def examine_credentials() -> Examination:
    """What is sealed here; a token in a variable is in the environment of whoever builds."""
    name, remedy, closed = "credentials", "", []
    sealed = SourceCredential.objects.exclude(sealed="").select_related("library").order_by("library__slug")
    for credential in sealed:
        try:
            credential.secret()
        except VaultError as error:
            remedy = str(error)
            closed.append(credential.library.slug)
    if closed:
        return Examination(name, State.BROKEN, f"those of {', '.join(closed)} do not open", remedy)
    if not sealed:
        return Examination(name, State.OFF, "no library has a token or a key of its own")
    return Examination(name, State.OK, "all can be opened")


def examine_sign_on() -> Examination:
    """The provider is asked anew: what it told this process before may have changed."""
    name = "single sign-on"
    if not settings.OIDC_ISSUER:
        return Examination(name, State.OFF, "OIDC_ISSUER is not set: people sign in with a password")
    to_do = "look at that server and at OIDC_ISSUER; until then people sign in with a password"
    if not (settings.OIDC_RP_CLIENT_ID and settings.OIDC_RP_CLIENT_SECRET):
        return Examination(name, State.BROKEN, "OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is not set", "set both")
    try:
        sign_on.discovered.__wrapped__(settings.OIDC_ISSUER)
    except sign_on.FAILURES as error:
        return Examination(name, State.BROKEN, sign_on.reason_of(error), to_do)
    return Examination(name, State.OK, f"{sign_on.provider()} answers")


def examine_settings() -> Examination:
    if faults := dict(faults_of_settings()):
        return degraded("settings", faults)
    return Examination("settings", State.OK, "no debugging, real models")


def faults_of_settings() -> Iterator[tuple[str, str]]:
    """Each with what to do."""
    if settings.DEBUG:
        yield "DEBUG is on", "unset DEBUG wherever others can reach the site"
    if settings.AI_TEST_MODE:
        yield "AI_TEST_MODE is on: vectors are bags of words, answers are extracts", "unset AI_TEST_MODE"
    if missing := [str(root) for root in settings.DIRECTORY_ROOTS if not Path(root).is_dir()]:
        yield f"DIRECTORY_ROOTS names what is no directory: {', '.join(missing)}", "make it, or change DIRECTORY_ROOTS"


def degraded(name: str, faults: dict[str, str], figures: dict[str, Any] | None = None) -> Examination:
    """By several faults, each with what to do."""
    return Examination(name, State.DEGRADED, "; ".join(faults), "; ".join(faults.values()), figures or {})
