"""Work on a library that is no build (rebuild, unindex, import): it keeps its lease, and ends when it lost it."""

import os
import signal
import subprocess
import sys
import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from ingestion import heartbeat, rebuilding, rescue
from ingestion.archive.reading import import_snapshot
from ingestion.archive.writing import export_snapshot
from ingestion.operations import operation
from ingestion.rebuilding import rebuild
from ingestion.unindexing import unindex
from knowledge.models import Answer, Embedding, Job, LeaseLost, Library, Snapshot
from knowledge.storage import locks
from tests.conftest import all_checks_hold, as_another_process, environment
from tests.ingestion.test_jobs import FILES, ROOT

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shelf(indexed) -> Library:
    return indexed("shelf", FILES)


def vectors() -> dict[bytes, list[float]]:
    return {bytes(text): list(vector) for text, vector in Embedding.objects.values_list("content_hash", "vector")}


def test_a_rebuild_longer_than_its_lease_is_not_taken_over(shelf, monkeypatch):
    """While it makes no progress that it could tell, its heart renews the lease."""
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.02)
    beats, rescued = threading.Semaphore(0), []
    real_renew, real_postings = Job.renew, rebuilding.renew_postings

    def renew(job: Job) -> None:
        real_renew(job)
        beats.release()

    def takes_its_time(*arguments: object) -> None:
        for _ in range(3):
            Job.objects.filter(state="running").update(lease_expires_at=Now() - timedelta(seconds=1))
            while beats.acquire(blocking=False):
                pass
            assert beats.acquire(timeout=60) and beats.acquire(timeout=60)  # the second began after the lease was over
            as_another_process(lambda: rescued.extend(rescue.rescue())).join()
        real_postings(*arguments)

    monkeypatch.setattr(Job, "renew", renew)
    monkeypatch.setattr(rebuilding, "renew_postings", takes_its_time)
    rebuild(shelf)

    job = Job.objects.get(kind="rebuild")
    assert rescued == [] and (job.state, job.attempts, job.fence) == (Job.State.SUCCEEDED, 1, 1)


def test_an_operation_that_lost_its_lease_is_interrupted_and_writes_nothing_more(shelf, monkeypatch):
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.02)
    before, never = shelf.active_snapshot.rebuilds, threading.Event()

    def hangs(*_: object) -> None:
        as_another_process(lambda: Job.objects.get(kind="rebuild").cancel("enough")).join()
        never.wait(60)

    monkeypatch.setattr(rebuilding, "renew_postings", hangs)
    with pytest.raises(LeaseLost):
        rebuild(shelf)

    assert Job.objects.get(kind="rebuild").state == Job.State.CANCELLED
    assert Snapshot.objects.get().rebuilds == before and locks.holders(locks.BUILD) == {}
    monkeypatch.undo()
    rebuild(shelf)
    assert Snapshot.objects.get().rebuilds == before + 1 and all_checks_hold()


def test_an_older_holder_exchanges_no_vector_seals_nothing_and_activates_nothing(shelf, monkeypatch, tmp_path):
    """The fence alone, with no beat in between."""
    path = tmp_path / "shelf.zip"
    export_snapshot(shelf.active_snapshot, path)
    before = vectors()
    real = Job.take

    def taken_twice(job: Job) -> None:
        real(job)
        Job.objects.filter(pk=job.pk).update(fence=F("fence") + 1)

    monkeypatch.setattr(Job, "take", taken_twice)
    monkeypatch.setattr("ingestion.progress.Progress.beat", lambda *_, **__: None)
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 60)
    for work in (lambda: rebuild(shelf), lambda: unindex(shelf, "a"), lambda: import_snapshot(path, slug="copy")):
        with pytest.raises(LeaseLost):
            work()
        Job.objects.filter(state="running").delete()

    assert vectors() == before and Snapshot.objects.get() == shelf.active_snapshot
    shelf.refresh_from_db()
    assert shelf.unindexed == [] and all_checks_hold()


@pytest.mark.parametrize("site", ["embed.written", "embed.stored", "lock.taken", "job.before-take"])
def test_a_rebuild_that_was_killed_is_closed_by_the_watchdog_and_can_be_repeated(shelf, settings, site):
    before = vectors()
    dead = subprocess.run(
        [sys.executable, "manage.py", "rebuild", "shelf"],
        cwd=ROOT, env=environment(settings, FAILPOINTS=f"{site}=kill"), capture_output=True, check=False,
    )  # fmt: skip
    assert dead.returncode == -signal.SIGKILL
    left = Job.objects.filter(kind="rebuild").first()
    assert (left is None) == (site in ("lock.taken", "job.before-take")) and vectors() == before
    rescued = rescue.rescue()

    assert [job.pk for job in rescued] == ([left.pk] if left else [])
    if left:
        left.refresh_from_db()
        assert left.state == Job.State.FAILED and "the worker died" in left.message
    assert rebuild(shelf)["embeddings"] == len(before) and vectors() == before and all_checks_hold()


def test_a_sleeping_operation_is_left_alone_until_its_lease_is_over(shelf, settings):
    """Then its connection is closed: what it does when it wakes up has no effect."""
    sleeper = subprocess.Popen(
        [sys.executable, "manage.py", "rebuild", "shelf"],
        cwd=ROOT, env=environment(settings, FAILPOINTS="lexical.stored=stop"), stderr=subprocess.PIPE,
    )  # fmt: skip
    os.waitid(os.P_PID, sleeper.pid, os.WSTOPPED | os.WNOWAIT)
    assert rescue.rescue() == []
    Job.objects.filter(kind="rebuild").update(lease_expires_at=Now() - timedelta(seconds=1))
    assert [job.kind for job in rescue.rescue()] == ["rebuild"]
    rebuild(shelf)
    before = Snapshot.objects.get().rebuilds
    os.kill(sleeper.pid, signal.SIGCONT)
    sleeper.communicate(timeout=60)

    assert sleeper.returncode == 1 and Snapshot.objects.get().rebuilds == before
    assert sorted(Job.objects.filter(kind="rebuild").values_list("state", flat=True)) == ["failed", "succeeded"]
    assert all_checks_hold()


def test_what_goes_wrong_within_is_written_down(shelf):
    with pytest.raises(ZeroDivisionError), operation(shelf, "rebuild"):
        1 / 0  # noqa: B018
    assert Job.objects.get(kind="rebuild").message == "ZeroDivisionError: division by zero"


def test_an_operation_whose_worker_is_stopped_ends_and_can_be_repeated(shelf):
    with pytest.raises(LeaseLost), operation(shelf, "rebuild") as progress:
        rescue.give_back(Job.objects.get(pk=progress.job.pk))
        progress.job.renew()
    job = Job.objects.get(kind="rebuild")
    assert (job.state, job.message) == (Job.State.FAILED, "its worker was stopped") and job.finished_at
    rebuild(shelf)


def test_a_job_does_not_quote_the_row_that_postgres_refused(shelf):
    said = {"question": "What of my illness?", "searched_for": "x", "text": "half", "refused": False}
    with pytest.raises(IntegrityError), operation(shelf, "erase"), transaction.atomic():
        Answer.objects.create(**said, state="incomplete")
    job = shelf.jobs.get(kind="erase")
    assert "incomplete_says_nothing" in job.message and "illness" not in job.message
    assert not any("illness" in event.message for event in job.events.all())
