"""Jobs: cancelled, paused, tried again, rescued; whatever is killed, there is one effect."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django_q.models import OrmQ
from django_q.models import Schedule as QueueSchedule
from django_q.signals import post_execute_in_worker, pre_execute

from ingestion import embedding, heartbeat, jobs, pipeline, rescue, supervisor, worker_lock
from ingestion.jobs import LibraryBusy, only_build_of, run, run_build
from ingestion.plan import POISONED
from ingestion.sandbox import client
from ingestion.sources import SourceError
from knowledge import failpoints
from knowledge.apps import make_schedule
from knowledge.endpoints import EndpointError
from knowledge.health.queue import examine_queue
from knowledge.metrics import exposition
from knowledge.models import Embedding, Job, JobEvent, LeaseLost, Library, NotPossible, Schedule, Snapshot, schedule
from knowledge.storage import locks
from knowledge.upkeep import bring_nearer
from knowledge.waiting import NO_WORKER, reasons
from tests.conftest import all_checks_hold, as_another_process, environment, reindex, write

ROOT = Path(__file__).resolve().parents[2]
A, B, C = "# A\n\nApples grow.\n", "# B\n\nBread rises.\n", "# C\n\nCandles burn.\n"
FILES = {"a.md": A, "b.md": B, "c.md": C}


@pytest.fixture
def shelf(make_library) -> Library:
    return make_library("shelf", FILES)


@pytest.fixture(autouse=True)
def disarmed():
    yield
    failpoints.arm("", allowed=True)


def queued(library: Library, **fields: object) -> Job:
    return Job.objects.create(library=library, **fields)


def metrics() -> str:
    return exposition().decode()


def bells() -> list[int]:
    return [bell.args()[0] for bell in OrmQ.objects.order_by("pk")]


# --- what people ask for ------------------------------------------------------------------------------


def test_a_cancelled_job_is_not_run_when_its_bell_rings(shelf):
    job = queued(shelf)
    job.cancel("not wanted")
    run(job.pk)

    job.refresh_from_db()
    assert (job.state, job.message, job.attempts) == (Job.State.CANCELLED, "not wanted", 0)


def test_a_running_job_stops_at_its_next_beat_when_it_is_cancelled(shelf, monkeypatch):
    job = queued(shelf)
    real = pipeline.embed_missing

    def cancelled_meanwhile(*arguments):
        Job.objects.get(pk=job.pk).cancel("not wanted")
        real(*arguments)

    monkeypatch.setattr(pipeline, "embed_missing", cancelled_meanwhile)
    with pytest.raises(LeaseLost):
        run_build(job)

    shelf.refresh_from_db()
    assert Job.objects.get().state == Job.State.CANCELLED and shelf.active_snapshot is None


@pytest.mark.django_db(transaction=True)
def test_a_parse_that_takes_its_time_is_interrupted(make_library, monkeypatch):
    job = queued(make_library("slow", {"a.txt": "sleep"}))
    slow = client.Sandbox(parser="tests.ingestion.evil_parsers:parse")
    monkeypatch.setattr(client, "PARSER", slow.parser)
    monkeypatch.setattr(client, "_idle", [slow])
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.05)
    submitted, real = threading.Event(), slow.wait

    def wait() -> None:
        submitted.set()
        return real()

    def cancel() -> None:
        submitted.wait(60)
        Job.objects.get(pk=job.pk).cancel("enough")

    slow.wait = wait
    hand = as_another_process(cancel)
    with pytest.raises(LeaseLost):
        run_build(job)
    hand.join()

    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED and slow.zygote is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("verb", ["cancel", "pause"])
def test_work_that_waits_for_a_model_is_interrupted(shelf, monkeypatch, verb):
    """Without any progress: the beat is a thread, and the main thread is interrupted by a signal."""
    job, reached, never = queued(shelf), threading.Event(), threading.Event()
    monkeypatch.setattr(heartbeat, "BEAT_SECONDS", 0.05)

    def hangs(*_: object) -> None:
        reached.set()
        never.wait(60)

    def steer() -> None:
        reached.wait(30)
        other = Job.objects.get(pk=job.pk)
        other.cancel("enough") if verb == "cancel" else other.pause()

    monkeypatch.setattr(embedding, "embedding_parts", hangs)
    hand = as_another_process(steer)
    with pytest.raises(LeaseLost):
        run_build(job)
    hand.join()

    job.refresh_from_db()
    assert job.outcome == {"cancel": "cancelled", "pause": "paused"}[verb]
    assert locks.holders(locks.BUILD) == {}
    monkeypatch.undo()
    if verb == "pause":
        run(job.pk)
        assert Job.objects.get().outcome == "paused"
        job.resume()
    else:
        job.retry()
    run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.SUCCEEDED, 1) and Snapshot.objects.count() == 1


def test_what_cannot_be_done_to_a_job_says_why(shelf):
    reindex(shelf)
    job = Job.objects.get()
    for verb in (lambda: job.cancel("x"), job.pause, job.resume, job.retry, lambda: job.retry(paths=["a.md"])):
        with pytest.raises(NotPossible, match=r"job \d+"):
            verb()


def test_a_failed_job_is_resumed_from_where_it_stopped(shelf, monkeypatch):
    broken = pytest.MonkeyPatch()
    broken.setattr(pipeline, "index_lexemes", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        reindex(shelf)
    broken.undo()
    job = Job.objects.get()
    embedded = Embedding.objects.count()
    job.retry()
    run(job.pk)

    job.refresh_from_db()
    assert job.state == Job.State.SUCCEEDED and job.report["embeddings"] == {"computed": 0, "reused": embedded}
    assert bells() == [job.pk]


def test_completed_with_rejections_is_an_outcome_and_a_rejected_file_is_tried_again_alone(shelf, documents):
    (documents / "shelf/bad.md").write_bytes(b"\0\1\2")
    reindex(shelf)
    job = Job.objects.get()
    assert job.outcome == "completed with rejections"
    (documents / "shelf/bad.md").write_text("# Good\n")
    again = job.retry(paths=["bad.md"])
    run(again.pk)

    again.refresh_from_db()
    assert again.outcome == "succeeded" and again.report["files"]["added"] == 1
    with pytest.raises(NotPossible, match=r"no\.md"):
        job.retry(paths=["no.md"])


@pytest.mark.parametrize("options", [{"activate": False}, {"activate": False, "test_mode": True, "full": True}])
def test_a_file_tried_again_does_not_publish_what_was_not_to_be_activated(shelf, documents, options):
    write(documents / "shelf", {"bad.md": "\0\1"})
    reindex(shelf)
    job = Job.objects.get()
    write(documents / "shelf", {"trial.md": "# Trial\n"})
    reindex(shelf, **options)
    write(documents / "shelf", {"bad.md": "# Good\n"})
    again = job.retry(paths=["bad.md"])
    run(again.pk)

    again.refresh_from_db()
    shelf.refresh_from_db()
    held = set(shelf.active_snapshot.files.values_list("document_file__path", flat=True))
    assert again.state == Job.State.SUCCEEDED and "bad.md" in held and "trial.md" not in held


# --- faults -------------------------------------------------------------------------------------------


def test_a_fault_that_may_pass_is_tried_again_later_and_the_third_is_final(shelf, monkeypatch):
    def gone(*_: object) -> None:
        raise EndpointError("embedding", "is gone")

    monkeypatch.setattr(pipeline, "embed_missing", gone)
    job = queued(shelf)
    for attempt in (1, 2, 3):
        with pytest.raises(EndpointError):
            run(job.pk)
        job.refresh_from_db()
        assert job.attempts == attempt and "is gone" in job.message
        if attempt < 3:
            assert "tried again at" in reasons([job])[job.pk] and f"{attempt + 1} of 3" in reasons([job])[job.pk]
            run(job.pk)  # too early
            assert Job.objects.get().attempts == attempt
            Job.objects.update(not_before=Now())
    assert job.state == Job.State.FAILED


def test_a_file_that_kills_the_worker_is_rejected_after_three_deaths_and_the_others_go_on(shelf, documents):
    job = queued(shelf)
    for _ in range(3):
        job.take()
        job.take_in_hand("b.md")
        job.died()
    run(job.pk)

    job.refresh_from_db()
    assert job.outcome == "completed with rejections"
    assert job.report["rejected"] == [{"path": "b.md", "reason": POISONED}] and job.report["files"]["added"] == 2
    assert reindex(shelf).snapshot == 1  # it is not looked at again …
    write(documents / "shelf", {"c.md": "# C\n\nChanged.\n"})
    assert [file["path"] for file in reindex(shelf).rejected] == ["b.md"]
    run(job.retry(paths=["b.md"]).pk)
    shelf.refresh_from_db()
    assert shelf.active_snapshot.rejected == [] and all_checks_hold()


def test_a_job_that_kills_its_worker_fails_after_three_attempts(shelf):
    job = queued(shelf)
    for attempt in (1, 2, 3):
        job.take()
        job.died()
        if attempt < 3:
            assert "tried again at" in reasons([job])[job.pk] and job.not_before > timezone.now() + timedelta(seconds=5)
            Job.objects.update(not_before=Now())

    assert job.state == Job.State.FAILED and "3 times" in job.message


class Full:
    """Of a method of a job: the database takes nothing so many times. Nobody waits meanwhile."""

    def __init__(self, monkeypatch, name: str, times: int) -> None:
        self.real, self.left = getattr(Job, name), times
        monkeypatch.setattr(Job, name, lambda job, message: self(job, message))
        monkeypatch.setattr(jobs, "sleep", lambda seconds: None)

    def __call__(self, job: Job, message: str) -> None:
        self.real(job, message)
        if self.left:
            self.left -= 1
            raise OperationalError("could not extend file: No space left on device")


@pytest.mark.django_db(transaction=True)
def test_why_a_job_failed_is_written_down_as_soon_as_the_database_takes_it(shelf, monkeypatch):
    monkeypatch.setattr(pipeline, "embed_missing", lambda *_: (_ for _ in ()).throw(OSError(28, "no space")))
    Full(monkeypatch, "try_again_later", times=3)
    job = queued(shelf)
    with pytest.raises(OSError, match="no space"):
        run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.QUEUED and "no space" in job.message and job.not_before
    assert JobEvent.objects.filter(job=job, message=job.message).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("error", "seconds"), [(KeyboardInterrupt(), 2), (ValueError("unheard of"), 20)])
def test_who_interrupts_a_build_waits_two_seconds_for_the_database(shelf, monkeypatch, error, seconds):
    waited: list[float] = []
    Full(monkeypatch, "fail", times=30)
    monkeypatch.setattr(jobs, "sleep", waited.append)
    monkeypatch.setattr(jobs, "monotonic", lambda: sum(waited))
    job = queued(shelf)
    job.take()
    jobs.record_failure(job, error, again=False)
    assert sum(waited) == seconds


def test_why_a_job_failed_is_in_the_log_where_the_database_takes_nothing(shelf, monkeypatch, caplog):
    """Within a transaction, as here, it will take nothing later either."""
    Full(monkeypatch, "fail", times=1)
    job = queued(shelf)
    job.take()
    jobs.record_failure(job, ValueError("unheard of"), again=False)
    assert "ValueError: unheard of" in caplog.text and str(job) in caplog.text


# --- one effect ---------------------------------------------------------------------------------------


def test_a_job_that_is_delivered_again_while_it_runs_is_left_alone(shelf, monkeypatch):
    job = queued(shelf)
    real = pipeline.embed_missing

    def rings_again(*arguments):
        with pytest.raises(LeaseLost):
            Job.objects.get(pk=job.pk).take()
        real(*arguments)

    monkeypatch.setattr(pipeline, "embed_missing", rings_again)
    run(job.pk)
    run(job.pk)

    assert Job.objects.get().attempts == 1 and Snapshot.objects.count() == 1


def victim(settings, job: Job, failpoint: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.ingestion.victim", str(job.pk)],
        cwd=ROOT,
        env=environment(settings, FAILPOINTS=failpoint),
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("site", ["parse.chunks-written", "embed.written", "seal.written", "activate.done"])
def test_a_worker_that_is_killed_is_rescued_and_the_result_is_the_undisturbed_one(shelf, make_library, settings, site):
    expected = reindex(make_library("undisturbed", FILES)).manifest_hash
    Embedding.objects.all().delete()
    job = queued(shelf)
    dead = victim(settings, job, f"{site}=kill")
    assert dead.wait(120) == -signal.SIGKILL
    job.refresh_from_db()
    assert job.state == Job.State.RUNNING

    assert [rescued.pk for rescued in rescue.rescue()] == [job.pk]
    Job.objects.update(not_before=None)  # 15 s that need not be waited for
    run(job.pk)
    job.refresh_from_db()
    shelf.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.SUCCEEDED, 1 if "parse" in site else 2)
    assert shelf.active_snapshot.manifest_hash == expected and shelf.snapshots.count() == 1
    reindex(Library.objects.get(slug="undisturbed"), force=True)  # its vectors were taken away
    assert all_checks_hold()


@pytest.mark.django_db(transaction=True)
def test_a_zombie_writes_nothing_after_its_job_was_given_to_another(shelf, settings):
    job = queued(shelf)
    zombie = victim(settings, job, "seal.before=stop")
    os.waitid(os.P_PID, zombie.pid, os.WSTOPPED | os.WNOWAIT)
    assert rescue.rescue() == []  # it sleeps, and its lease is fresh
    Job.objects.update(lease_expires_at=Now() - timedelta(seconds=1))
    assert len(rescue.rescue()) == 1
    Job.objects.update(not_before=None)
    run(job.pk)
    before = Snapshot.objects.values_list("pk", "manifest_hash", "sealed_at").get()
    os.kill(zombie.pid, signal.SIGCONT)
    zombie.wait(60)

    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.SUCCEEDED, 2)
    assert Snapshot.objects.values_list("pk", "manifest_hash", "sealed_at").get() == before
    assert all_checks_hold()


@pytest.mark.django_db(transaction=True)
def test_of_two_reindexes_at_once_one_builds_and_the_other_waits(shelf, settings, tmp_path):
    flag = tmp_path / "hold"
    first, second = queued(shelf), queued(shelf)
    builder = victim(settings, first, f"embed.before=hold:{flag}")
    while not flag.exists() and builder.poll() is None:
        os.sched_yield()
    run(second.pk)
    second.refresh_from_db()
    assert second.state == Job.State.QUEUED
    assert reasons([second]) == {second.pk: f"library busy with job {first.pk}"}
    with pytest.raises(LibraryBusy):
        run_build(queued(shelf))
    flag.unlink()
    assert builder.wait(60) == 0
    assert second.pk in bells()  # the first rang for it
    run(second.pk)

    assert Snapshot.objects.count() == 1 and Job.objects.get(pk=second.pk).state == Job.State.SUCCEEDED


@pytest.mark.parametrize("verb", ["cancel", "pause"])
def test_a_worker_that_hangs_when_its_job_is_taken_away_does_not_keep_the_library_locked(shelf, verb):
    job = queued(shelf)
    job.take()
    with connection.copy().cursor() as worker:
        worker.execute("SELECT pg_advisory_lock(%s, %s)", [locks.BUILD, shelf.pk])
        job.steer(verb, None)
        rescue.tend()
        assert shelf.pk in locks.holders(locks.BUILD)  # it may stop by itself
        Job.objects.update(lease_expires_at=F("lease_expires_at") - timedelta(minutes=1))
        assert rescue.tend() == [f"{job} is {job.outcome}: the connection of its worker, which hangs, was closed"]
    assert shelf.pk not in locks.holders(locks.BUILD)
    assert rescue.tend() == []


def test_whoever_takes_the_lock_after_a_cancelled_worker_is_not_ended_in_its_place(shelf):
    job = queued(shelf, state=Job.State.CANCELLED, lease_expires_at=timezone.now() - timedelta(seconds=1))
    with only_build_of(shelf):
        job.refresh_from_db()
        assert job.lease_expires_at is None and rescue.end_hanging() == []


def test_whoever_takes_the_lock_of_a_dead_worker_is_not_ended_in_its_place(shelf, monkeypatch):
    """As gc does: the watchdog would find a late job and somebody who holds its library's lock."""
    monkeypatch.setattr(locks, "end_holder", lambda *_: pytest.fail("ended"))
    job = queued(shelf, state=Job.State.RUNNING, lease_expires_at=timezone.now() - timedelta(seconds=1))
    with only_build_of(shelf):
        job.refresh_from_db()
        assert (job.state, job.message) == (Job.State.QUEUED, "the worker died, or could not write down why it stopped")
        assert rescue.rescue() == []


def test_a_worker_whose_lease_was_lost_neither_seals_nor_activates(shelf, monkeypatch):
    """The fence, with no beat in between."""
    job = queued(shelf)
    for stage in ("seal", "activate"):
        broken = pytest.MonkeyPatch()
        real = getattr(pipeline, stage)

        def taken_over(snapshot, *rest, real=real):
            Job.objects.filter(pk=job.pk).update(fence=99)
            real(snapshot, *rest)

        broken.setattr(pipeline, stage, taken_over)
        broken.setattr(pipeline.Progress, "beat", lambda *_, **__: None)
        with pytest.raises(LeaseLost):
            run_build(job)
        broken.undo()
        Job.objects.filter(pk=job.pk).update(state="queued", lease_expires_at=None)
        state = Snapshot.objects.get().state
        assert state == {"seal": "building", "activate": "ready"}[stage]
    shelf.refresh_from_db()
    assert shelf.active_snapshot is None


# --- the watchdog -------------------------------------------------------------------------------------


def test_a_bell_that_was_lost_is_rung_again_once(shelf):
    job = queued(shelf)
    assert rescue.ring_lost_bells() == 1 and rescue.ring_lost_bells() == 0
    assert bells() == [job.pk]
    OrmQ.objects.all().delete()
    Job.objects.update(rung_at=Now() - timedelta(minutes=1))
    assert rescue.ring_lost_bells() == 1
    OrmQ.objects.all().delete()
    Job.objects.update(rung_at=None)
    job.refresh_from_db()
    job.pause()
    assert rescue.ring_lost_bells() == 0


class StillCluster:
    """A cluster that takes nothing."""

    lives = True
    at_work = 0

    def holds(self, job: Job) -> bool:
        return True


def test_a_queue_that_takes_nothing_beside_an_idle_worker_is_stuck(shelf, make_library, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(supervisor, "Cluster", StillCluster)
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: now[0])
    watchdog = supervisor.Watchdog()
    assert not watchdog.is_stuck()
    queued(shelf)
    assert not watchdog.is_stuck()
    now[0] += supervisor.PATIENCE_SECONDS + 1
    assert watchdog.is_stuck()
    for n in range(supervisor.Conf.WORKERS):
        queued(make_library(f"busy-{n}", {})).take()
    assert not watchdog.is_stuck()  # every worker is busy: it waits its turn


def test_a_cluster_that_is_slow_to_start_gets_twice_the_time_of_the_one_before(shelf, monkeypatch):
    now, begun = [1000.0], []
    monkeypatch.setattr(StillCluster, "__init__", lambda self: begun.append(self), raising=False)
    monkeypatch.setattr(StillCluster, "kill", lambda self: None, raising=False)
    monkeypatch.setattr(supervisor, "Cluster", StillCluster)
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: now[0])
    watchdog = supervisor.Watchdog()
    monkeypatch.setattr(StillCluster, "holds", lambda self, job: False)
    monkeypatch.setattr(watchdog, "say_that_we_live", lambda: None)
    job = queued(shelf)
    waits = []
    for _ in range(3):
        since, before = now[0], len(begun)
        while len(begun) == before:
            watchdog.look()
            now[0] += supervisor.ROUND_SECONDS
        waits.append(now[0] - since)
    assert waits[0] < 40 and waits[1] > 1.5 * waits[0] and waits[2] > 1.5 * waits[1]
    job.take()
    watchdog.look()
    assert watchdog.patience == supervisor.PATIENCE_SECONDS


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_runs_a_task_which_is_no_job_is_not_idle(shelf, monkeypatch):
    begun, seen = threading.Event(), threading.Event()
    counts = []

    def upkeep() -> None:
        pre_execute.send(sender="django_q", func=None, task={})
        begun.set()
        seen.wait(30)
        post_execute_in_worker.send(sender="django_q", func=None, task={})
        counts.append(worker_lock.at_work(os.getpgrp()))

    monkeypatch.setattr(supervisor.Conf, "WORKERS", 1)
    monkeypatch.setattr(StillCluster, "at_work", property(lambda _: worker_lock.at_work(os.getpgrp())))
    monkeypatch.setattr(supervisor, "Cluster", StillCluster)
    watchdog = supervisor.Watchdog()
    watchdog.waiting[queued(shelf).pk] = 0.0
    assert watchdog.is_stuck()
    hand = as_another_process(upkeep)
    begun.wait(30)
    assert not watchdog.is_stuck() and worker_lock.at_work(1) == 0  # another cluster's
    seen.set()
    hand.join()
    assert counts == [0] and watchdog.is_stuck()


def test_a_watchdog_outlives_a_database_that_is_away(db, monkeypatch):
    monkeypatch.setattr(supervisor, "Cluster", StillCluster)
    watchdog = supervisor.Watchdog()
    cluster = watchdog.cluster
    monkeypatch.setattr(watchdog, "say_that_we_live", lambda: (_ for _ in ()).throw(OperationalError("away")))
    monkeypatch.setattr(supervisor.connection, "close", lambda: None)
    watchdog.look()
    assert watchdog.cluster is cluster, "its workers go on where the database comes back"


def test_a_watchdog_outlives_a_job_that_is_cancelled_while_it_rescues_it(shelf, monkeypatch):
    job, still_runs = queued(shelf), rescue.still_runs
    job.take()
    cancelled = lambda found: still_runs(found) and not Job.objects.get(pk=job.pk).cancel("not wanted")  # noqa: E731
    monkeypatch.setattr(rescue, "still_runs", cancelled)
    monkeypatch.setattr(supervisor, "Cluster", StillCluster)
    supervisor.Watchdog().look()
    locks.ask("SELECT pg_advisory_unlock_shared(%s, %s)", locks.WORKER, 0)  # what says that a worker is alive
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


def test_a_job_given_back_has_lost_no_attempt(shelf):
    job = queued(shelf)
    job.take()
    rescue.give_back(job)
    rescue.give_back(job)  # it is not there any more

    job.refresh_from_db()
    assert (job.state, job.attempts, job.rung_at) == (Job.State.QUEUED, 0, None)


def test_every_reason_for_waiting_is_told(shelf, make_library):
    job = queued(shelf)
    assert reasons([job]) == {job.pk: NO_WORKER}
    locks.lock_shared(locks.WORKER, 0)
    assert reasons([job])[job.pk] == "the next free worker takes it"
    locks.ask("SELECT pg_advisory_unlock_shared(%s, %s)", locks.WORKER, 0)
    job.pause()
    assert reasons([job])[job.pk] == "somebody has to resume it"
    assert reasons([]) == {}


def test_a_job_that_is_paused_or_not_yet_due_waits_for_no_worker(shelf, make_library):
    long_ago, later = timezone.now() - timedelta(hours=1), timezone.now() + timedelta(hours=1)
    queued(shelf, paused_at=long_ago)
    queued(make_library("later", {}), not_before=later)
    queued(make_library("by-now", {}), not_before=timezone.now())
    Job.objects.update(created_at=long_ago)
    found = examine_queue()
    assert found.state == "ok" and found.figures["queued"] == 1
    assert Job.objects.due().longest_wait() < 60 and "muniment_oldest_queued_job_seconds 3600" not in metrics()
    Job.objects.update(paused_at=None)
    assert examine_queue().state == "degraded"
    assert Job.objects.due().longest_wait() >= 3600 and "muniment_oldest_queued_job_seconds 36" in metrics()


# --- schedules ----------------------------------------------------------------------------------------


def test_a_schedule_asks_once_for_what_was_missed(shelf):
    schedule = Schedule.objects.create(library=shelf, cron="*/5 * * * *")
    assert Schedule.objects.fire() == []
    Schedule.objects.update(next_at=Now() - timedelta(days=2))
    (job,) = Schedule.objects.fire()

    schedule.refresh_from_db()
    assert schedule.next_at > job.created_at and bells() == [job.pk]
    Schedule.objects.update(next_at=Now())
    assert Schedule.objects.fire() == []  # that one still waits
    job.pause()
    queued(shelf, options={"paths": ["a.md"]})
    Schedule.objects.update(next_at=Now())
    assert len(Schedule.objects.fire()) == 1  # neither of them reads the library


def test_what_was_put_off_by_a_clock_that_ran_ahead_comes_when_it_is_time(shelf):
    """A schedule whose time is right, or has come, stays as it is."""
    make_schedule()
    Schedule.objects.create(library=shelf, cron="*/5 * * * *")
    QueueSchedule.objects.update(next_run=Now() + timedelta(seconds=30))
    assert bring_nearer() == 0

    Schedule.objects.update(next_at=Now() + timedelta(days=365))
    QueueSchedule.objects.update(next_run=Now() + timedelta(days=365))
    assert rescue.tend() == ["3 schedules were brought nearer: the clock was ahead when they were last due"]
    assert Schedule.objects.get().next_at <= timezone.now() + timedelta(minutes=5)
    assert not QueueSchedule.objects.filter(next_run__gt=timezone.now()).exists()
    Schedule.objects.update(next_at=Now() - timedelta(days=365))
    assert bring_nearer() == 0


def test_a_schedule_does_not_ask_twice_where_the_clock_is_behind_the_databases(shelf, monkeypatch):
    class Late(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Late":
            return super().now(tz) - timedelta(days=500)

    Schedule.objects.create(library=shelf, cron="0 0 1 1 *")
    monkeypatch.setattr(schedule, "datetime", Late)
    Schedule.objects.update(next_at=Now())
    (job,) = Schedule.objects.fire()
    run(job.pk)

    assert Schedule.objects.fire() == [] and Schedule.objects.get().next_at > timezone.now()


# --- failpoints ---------------------------------------------------------------------------------------

SITE = re.compile(r'failpoint\("([\w.-]+)"\)')


def test_failpoints_stand_at_every_boundary_each_with_its_own_name():
    files = [*ROOT.glob("ingestion/**/*.py"), *ROOT.glob("knowledge/**/*.py")]
    sites = [site for file in files for site in SITE.findall(file.read_text())]
    stages = {site.partition(".")[0] for site in sites}
    assert len(sites) == len(set(sites)) >= 40
    assert {"source", "parse", "embed", "lexical", "seal", "activate", "merge", "job", "rescue"} <= stages


def test_failpoints_are_refused_in_production_and_when_misspelt():
    with pytest.raises(ImproperlyConfigured, match="AI_TEST_MODE"):
        failpoints.arm("*=kill@1", allowed=False)
    with pytest.raises(ImproperlyConfigured, match="nonsense"):
        failpoints.arm("nonsense", allowed=True)


def test_a_failpoint_acts_at_the_nth_visit(shelf, tmp_path):
    failpoints.arm(f"*=trace:{tmp_path / 'visited'},parse.stored=raise@2", allowed=True)
    with pytest.raises(failpoints.InjectedFault, match=r"parse\.stored"):
        reindex(shelf)

    visited = (tmp_path / "visited").read_text().split()
    assert visited.count("parse.stored") == 2 and "job.failed" in visited


# --- the log ------------------------------------------------------------------------------------------


def test_events_tell_the_story_with_figures(shelf, documents):
    (documents / "shelf/bad.md").write_bytes(b"\0\1\2")
    reindex(shelf)
    events = [json.loads(json.dumps(event.as_json())) for event in JobEvent.objects.all()]
    told = {event["event"]: event["data"] for event in events}
    assert told["parse done"]["steps"] == 4 and told["started"]["attempt"] == 1
    assert any(event["level"] == "warning" and event["data"].get("path") == "bad.md" for event in events)


def test_muniments_own_reasons_stand_without_the_names_of_their_classes(shelf):
    shelf.location = "/etc"
    shelf.save()
    job = queued(shelf)
    with pytest.raises(SourceError):
        run_build(job)
    job.refresh_from_db()
    assert job.message.startswith("/etc is not below")


def test_a_reason_that_postgres_cannot_keep_is_kept_with_escapes(shelf, monkeypatch):
    job = queued(shelf)
    monkeypatch.setattr(pipeline, "open_source", lambda _: (_ for _ in ()).throw(ValueError("no caf\udce9\0")))
    with pytest.raises(ValueError, match="no caf"):
        run_build(job)
    job.refresh_from_db()
    assert job.state == Job.State.FAILED and job.message == r"ValueError: no caf\udce9\x00"
    job.log("read caf\udce9\0")
    assert JobEvent.objects.filter(message=r"read caf\udce9\x00").exists()
