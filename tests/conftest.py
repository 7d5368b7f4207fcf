"""Fixtures for tests that need rows. They run on the real Postgres; only the model endpoint is a deterministic one."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from hypothesis import settings as hypothesis_settings

from ingestion import pipeline, rebuilding
from ingestion.archive import reading as archive_reading
from ingestion.jobs import run_build
from ingestion.progress import BuildReport
from knowledge.endpoints import CODE
from knowledge.models import Job, Library
from knowledge.verification import governance, run_checks
from retrieval import query_vector, view
from retrieval import search as searching
from retrieval.answering import drafts
from retrieval.answering.reader_scores import READER
from retrieval.rerank import RERANKER
from retrieval.result_cache import results
from tests.code_model import CodeModel
from tests.small_chat import small_chat  # noqa: F401 - a fixture

hypothesis_settings.register_profile("any speed", parent=hypothesis_settings(), deadline=None)  # in CI: of its profile
hypothesis_settings.load_profile("any speed")

PROXIES = ("http_proxy", "https_proxy", "all_proxy")


def pytest_configure() -> None:
    """Passwords that guard nothing: the product's hash costs 0.3 s of a processor for every user that a test makes.
    Pages find their style sheet without collectstatic.
    """
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    leave_surroundings()


def leave_surroundings() -> None:
    """Git works as it comes, in the repository that it is given: a hook names its own, and users sign or rewrite.

    No proxy stands before the servers that tests start on this machine.
    """
    for name in [name for name in os.environ if name.startswith("GIT_") or name.lower() in PROXIES]:
        del os.environ[name]
    os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker) -> None:
    """Tests that commit empty all tables afterwards, which the audit refuses; test_audit switches that on again."""
    guarded = ("auditevent", "audithead", "rowstate", "settingchange")
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for table in guarded:
            cursor.execute(f"ALTER TABLE knowledge_{table} DISABLE TRIGGER never_emptied")
    governance.GUARDS -= {(f"knowledge_{table}", "never_emptied") for table in guarded}


@pytest.fixture(autouse=True)
def deterministic_models(
    request: pytest.FixtureRequest, settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """No test calls a model unless it is marked `models`; no test writes into the real home."""
    if "models" not in request.keywords:
        settings.AI_TEST_MODE = True
    if not request.node.path.is_relative_to(Path(__file__).parent / "local"):
        settings.HOME = tmp_path / "home"
    if not {"transactional_db", "live_server"} & set(request.fixturenames) and not is_transactional(request):
        monkeypatch.setattr(drafts, "put", lambda *_: None)  # its thread could not see what this test does not commit
    query_vector.forget()
    RERANKER.forget()
    READER.forget()
    results.clear()
    cache.clear()
    yield
    clear_desk()


def clear_desk() -> None:
    """Answers that a test left half written: nothing is saved any more when its database goes away."""
    saver = drafts._saver
    for pk, buffer in list(drafts._buffers.items()):
        buffer.stopped = True
        drafts.take_away(pk)
    if saver:
        saver.join(10)


def is_transactional(request: pytest.FixtureRequest) -> bool:
    marker = request.node.get_closest_marker("django_db")
    return bool(marker and marker.kwargs.get("transaction"))


@pytest.fixture
def documents(tmp_path: Path, settings) -> Path:
    """An empty directory in which directory libraries may live."""
    root = tmp_path / "documents"
    root.mkdir()
    settings.DIRECTORY_ROOTS = [root]
    return root


@pytest.fixture
def make_library(db, documents: Path) -> Callable[..., Library]:
    """A directory library with these files, not yet indexed: `make_library("handbook", {"a.md": "# A"})`."""

    def make(slug: str, files: dict[str, str], **fields: object) -> Library:
        folder = documents / slug
        folder.mkdir(exist_ok=True)
        write(folder, files)
        defaults = {"access": Library.Access.PUBLIC, "name": slug}
        return Library.objects.create(slug=slug, kind="directory", location=str(folder), **(defaults | fields))

    return make


@pytest.fixture
def indexed(make_library: Callable[..., Library]) -> Callable[..., Library]:
    """The same, with an active snapshot."""

    def make(slug: str, files: dict[str, str], **fields: object) -> Library:
        library = make_library(slug, files, **fields)
        reindex(library)
        return library

    return make


@pytest.fixture
def reader(db) -> User:
    return User.objects.create_user("reader", password="reader")


@pytest.fixture
def repository(tmp_path: Path, settings) -> Path:
    """An empty git repository that may be read by file://."""
    settings.GIT_ALLOWED_SCHEMES = ["https", "ssh", "file"]
    path = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    return path


@pytest.fixture
def code_model(monkeypatch: pytest.MonkeyPatch) -> type[CodeModel]:
    """Code has an embedding model of its own."""
    ordinary = query_vector.embedding_endpoint
    chosen = lambda role="embedding": CodeModel() if role == CODE else ordinary(role)  # noqa: E731
    monkeypatch.setattr(query_vector, "embedding_endpoint", chosen)
    for module in (pipeline, rebuilding, archive_reading):
        monkeypatch.setattr(module, "code_endpoint", lambda test_mode: CodeModel())
    monkeypatch.setattr(searching, "has_code_model", lambda: True)
    return CodeModel


def write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def commit(repository: Path, files: dict[str, str | None]) -> str:
    """Write (or, for None, remove) files and commit; returns the commit id."""
    for path, text in files.items():
        if text is None:
            (repository / path).unlink()
    write(repository, {path: text for path, text in files.items() if text is not None})
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(repository), *identity, "commit", "-qm", "x", "--allow-empty"], check=True)
    head = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    return head.stdout.strip()


def reindex(library: Library, **options: object) -> BuildReport:
    library.refresh_from_db()
    report = run_build(Job.objects.create(library=library, options=options))
    library.refresh_from_db()
    return report


def all_checks_hold() -> bool:
    """What `verify --deep` checks; fails with the checks that do not hold."""
    failed = [check for check in run_checks(deep=True) if not check.ok]
    assert not failed, failed
    return True


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What the command says with --json: one document, and nothing else."""
    capsys.readouterr()
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def forget_views() -> None:
    """Drop what searches keep in memory, as a new process would."""
    view._chunk_columns.clear()
    results.clear()


def as_another_process(work: Callable[[], object]) -> threading.Thread:
    """Begun, on a connection of its own."""

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def begun_elsewhere(work: Callable[[], object]) -> threading.Thread:
    """As another process does it; it has ended by now, or waits for a lock."""
    thread, deadline = as_another_process(work), time.monotonic() + 30
    with connection.cursor() as cursor:
        while thread.is_alive() and time.monotonic() < deadline:
            cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
            if cursor.fetchone()[0]:
                break
            time.sleep(0.01)
    return thread


def environment(settings, **more: str) -> dict[str, str]:
    """For a process that works on the test's database, in the test's home."""
    at = connection.settings_dict
    secret = f"{at['USER']}:{at['PASSWORD']}@" if at["PASSWORD"] else ""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": f"postgresql://{secret}{at['HOST']}:{at['PORT']}/{at['NAME']}",
        "MUNIMENT_HOME": str(settings.HOME),
        "SECRET_KEY": settings.SECRET_KEY,
        "DIRECTORY_ROOTS": str(settings.DIRECTORY_ROOTS[0]),
        "AI_TEST_MODE": "true",
        **more,
    }
