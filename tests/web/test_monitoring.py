"""/readyz, /metrics and `doctor`: what works, what is degraded, and who may know."""

import errno
import json
import os
import shutil
import subprocess
import sys

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from prometheus_client.parser import text_string_to_metric_families

from ingestion.removing import remove_library
from knowledge.endpoints.probes import probe_chat
from knowledge.governance.withdrawal import withdraw
from knowledge.health import disk, queue, ready
from knowledge.health.endpoints import asked
from knowledge.health.examine import examine_settings
from knowledge.models import Answer, EmbeddingSpace, Job, Library, Schedule
from knowledge.storage import locks
from retrieval import query_vector
from retrieval.answering.pipeline import answer
from retrieval.search import search
from tests.conftest import reindex
from tests.stub_server import Stub

ENDPOINTS = {role: {"url": "", "model": ""} for role in ("embedding", "chat", "summary", "rerank", "code_embedding")}


@pytest.fixture(autouse=True)
def nothing_remembered():
    ready.forget()


@pytest.fixture(autouse=True)
def worker(request):
    """Somebody says that they are a worker, as `manage.py worker` does."""
    request.getfixturevalue("db")
    locks.lock_shared(locks.WORKER, 0)
    yield
    locks.ask("SELECT pg_advisory_unlock_shared(%s, %s)", locks.WORKER, 0)


@pytest.fixture
def sea(indexed) -> Library:
    return indexed("sea", {"tides.md": "# Tides\n\nThe tide rises twice a day.\n"})


@pytest.fixture
def stub():
    server = Stub()
    yield server
    server.close()


def examined(capsys, fails: bool = False) -> dict[str, dict]:
    capsys.readouterr()
    if fails:
        with pytest.raises(CommandError, match="does not work"):
            call_command("doctor", "--json")
    else:
        call_command("doctor", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is not fails
    return {examination["name"]: examination for examination in told["examinations"]}


def samples(client, **headers) -> dict[tuple[str, ...], float]:
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 200
    families = text_string_to_metric_families(response.content.decode())
    return {(s.name, *s.labels.values()): s.value for family in families for s in family.samples}


def test_it_is_ready_and_says_of_what(client, sea):
    told = client.get("/readyz").json()

    assert told["ok"] and told["degraded"] == []
    assert set(told["checks"]) == {"database", "queue", "workers", "disk", "endpoints"}


def test_an_endpoint_that_is_away_degrades_and_is_not_fatal_unless_it_must_be_there(client, sea, settings):
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = ENDPOINTS | {"embedding": {"url": "http://127.0.0.1:9/v1", "model": "m"}}
    response = client.get("/readyz")
    assert response.status_code == 200 and response.json()["degraded"] == ["endpoints"]
    assert response.json()["checks"]["endpoints"]["embedding"] == "away"
    settings.AI_OFFLINE_FALLBACK = False
    assert client.get("/readyz").status_code == 503


def test_a_full_disk_degrades(client, sea, monkeypatch):
    room = shutil.disk_usage("/")
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _: room._replace(free=100 * 2**20))
    response = client.get("/readyz")
    assert response.status_code == 200 and response.json()["degraded"] == ["disk"]
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _: room._replace(free=2**30))
    assert client.get("/readyz").json()["degraded"] == []


def test_a_disk_that_takes_nothing_degrades_and_the_doctor_says_what_to_do(client, sea, monkeypatch):
    def refuses(number: int) -> None:
        def refused(**_: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(disk.tempfile, "TemporaryFile", refused)

    refuses(errno.ENOSPC)
    assert client.get("/readyz").json()["degraded"] == ["disk"] and "make room" in disk.examine_disk().to_do
    refuses(errno.EROFS)
    assert client.get("/readyz").json()["degraded"] == ["disk"] and "writable" in disk.examine_disk().to_do


def test_a_queue_that_nobody_empties_degrades(client, sea):
    job = Job.objects.create(library=sea)
    assert client.get("/readyz").json()["degraded"] == []
    with connection.cursor() as cursor:
        cursor.execute("UPDATE knowledge_job SET created_at = now() - interval '1 hour' WHERE id = %s", [job.pk])
    assert client.get("/readyz").json()["degraded"] == ["queue"]
    assert queue.waiting()["queued"] == 1


def test_a_worker_that_is_not_there_is_missed_and_is_not_fatal(client, sea, capsys):
    assert client.get("/readyz").json()["checks"]["workers"] == {"ok": True, "alive": 1, "detail": "1 alive"}
    locks.ask("SELECT pg_advisory_unlock_shared(%s, %s)", locks.WORKER, 0)
    response = client.get("/readyz")
    assert response.status_code == 200 and response.json()["degraded"] == ["workers"]
    assert response.json()["checks"]["workers"]["alive"] == 0
    assert examined(capsys)["workers"]["state"] == "degraded"
    locks.lock_shared(locks.WORKER, 0)


def test_metrics_do_not_count_what_is_withdrawn(client, indexed):
    library = indexed("lake", {"a.md": "# A\n\nTide.\n", "b.md": "# B\n\nEbb.\n"})
    assert samples(client)["muniment_chunks", "lake"] == samples(client)["muniment_documents", "lake"] == 2
    withdraw(library.document_files.get(path="a.md"), None, "wrong")
    after = samples(client)
    assert after["muniment_chunks", "lake"] == after["muniment_documents", "lake"] == 1
    assert after["muniment_snapshots", "lake"] == 1


def test_metrics_say_what_there_is_and_what_was_done(client, sea):
    before = samples(client)
    search(None, "tide")
    answer(None, "How often does the tide rise?")
    after = samples(client)

    assert after["muniment_libraries",] == 1 and after["muniment_documents", "sea"] == 1
    assert after["muniment_chunks", "sea"] == after["muniment_active_snapshot", "sea"] == 1
    assert after["muniment_jobs", "succeeded"] == 1 and after["muniment_jobs", "queued"] == 0
    assert after["muniment_answers_total", "answered"] == 1 and after["muniment_embeddings_computed_total",] == 1
    Answer.objects.create(question="Broken off?", state=Answer.State.INCOMPLETE, refused=False)
    Answer.objects.create(question="Too late?", refused=True, degraded=["vector", "timeout"])
    Answer.objects.create(question="Too late for some?", refused=True, degraded=["timeout"], passages=[1])
    after = samples(client)
    assert after["muniment_answers_total", "answered"] == 1, "what broke off is no answer"
    assert after["muniment_answers_total", "refused"] == after["muniment_answers_total", "broken_off"] == 1
    name = "muniment_searches_total", "hybrid"
    assert after[name] == before.get(name, 0) + 2
    assert after["muniment_search_seconds_count", "hybrid"] == after[name]


def test_what_was_degraded_and_what_endpoints_took_is_counted(client, sea, stub, settings):
    before = samples(client)
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = ENDPOINTS | {"embedding": {"url": "http://127.0.0.1:9/v1", "model": "m"}}
    query_vector.forget()
    assert search(None, "tide").degraded == ("embedding",)
    after = samples(client)

    for name in (("muniment_degraded_total", "embedding"), ("muniment_endpoint_seconds_count", "failed", "embedding")):
        assert after[name] > before.get(name, 0)


def test_who_may_read_metrics(client, sea, settings, reader):
    assert client.get("/metrics", REMOTE_ADDR="127.0.0.1").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="10.0.0.7").status_code == 403
    assert client.get("/metrics", headers={"X-Forwarded-For": "10.0.0.7"}).status_code == 403
    assert client.get("/metrics", REMOTE_ADDR="10.0.0.7", headers={"Authorization": "Bearer "}).status_code == 403
    settings.METRICS_TOKEN = "a token"
    for sent, status in (("Bearer a token", 200), ("Bearer another", 403), ("Bearer é", 403)):
        assert client.get("/metrics", REMOTE_ADDR="10.0.0.7", headers={"Authorization": sent}).status_code == status
    client.force_login(reader)
    assert client.get("/metrics", REMOTE_ADDR="10.0.0.7").status_code == 403
    client.force_login(User.objects.create_superuser("staff"))
    assert client.get("/metrics", REMOTE_ADDR="10.0.0.7").status_code == 200


def test_processes_that_serve_together_count_together(tmp_path):
    program = """if True:
        import os, sys
        from config.metrics import share; share()
        from prometheus_client import CollectorRegistry, Counter, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector
        Counter("searches", "x").inc()
        if sys.argv[1:]:
            child = os.fork() or os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
            os.waitpid(child, 0)
        registry = CollectorRegistry(); MultiProcessCollector(registry)
        print(generate_latest(registry).decode())
    """
    run = subprocess.run(
        [sys.executable, "-c", program, program],
        env=os.environ | {"MUNIMENT_HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "searches_total 2.0" in run.stdout  # two processes, each once: told by the one that still lives
    again = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"MUNIMENT_HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "searches_total 1.0" in again.stdout  # none of the others lives: begun anew


NO_ROOM = """if True:
    import errno, os
    from config.metrics import share; share()
    def full(*_): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.posix_fallocate = full
    import django; django.setup()
    from knowledge.metrics import SEARCHES, searched
    searched("hybrid", 0.1, ["embedding"]); searched("hybrid", 0.1, [])
    print(SEARCHES.labels("hybrid")._value.get(), os.listdir(os.environ["PROMETHEUS_MULTIPROC_DIR"]))
"""


def test_where_the_disk_is_full_a_search_is_counted_in_memory(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", NO_ROOM],
        env=os.environ | {"MUNIMENT_HOME": str(tmp_path), "DATABASE_URL": "postgres:///x"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert run.stdout.split("\n")[0] == "2.0 []" and "not in /metrics" in run.stderr


ROOM_AGAIN = (
    NO_ROOM.replace("os.posix_fallocate = full", "there, os.posix_fallocate = os.posix_fallocate, full")
    + """
    os.posix_fallocate = there
    from knowledge import metrics
    before = metrics.monotonic()
    searched("hybrid", 0.1, [])
    print(os.listdir(os.environ["PROMETHEUS_MULTIPROC_DIR"]))
    metrics.monotonic = lambda: before + 100
    searched("hybrid", 0.1, []); searched("lexical", 0.1, [])
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector
    MultiProcessCollector(registry := CollectorRegistry())
    print(generate_latest(registry).decode())
"""
)


def test_what_was_counted_in_memory_is_shared_once_the_disk_has_room_again(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", ROOM_AGAIN],
        env=os.environ | {"MUNIMENT_HOME": str(tmp_path), "DATABASE_URL": "postgres:///x"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    full, not_yet, *told = run.stdout.split("\n")
    assert (full, not_yet) == ("2.0 []", "[]")
    assert 'muniment_searches_total{mode="hybrid"} 4.0' in told
    assert 'muniment_searches_total{mode="lexical"} 1.0' in told
    assert 'muniment_search_seconds_count{mode="hybrid"} 4.0' in told


NO_LINUX = NO_ROOM.replace("os.posix_fallocate = full", "del os.posix_fallocate, os.memfd_create")


def test_where_room_cannot_be_reserved_processes_share_their_counts_all_the_same(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", NO_LINUX],
        env=os.environ | {"MUNIMENT_HOME": str(tmp_path), "DATABASE_URL": "postgres:///x"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert run.stdout.startswith("2.0 ['") and ".db" in run.stdout


def test_what_cannot_be_shared_keeps_nothing_from_starting(tmp_path):
    (tmp_path / "metrics").write_text("no folder")
    program = "from config.metrics import share; share(); import os; print('PROMETHEUS_MULTIPROC_DIR' in os.environ)"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"MUNIMENT_HOME": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert run.stdout == "False\n" and "counts alone" in run.stderr


def test_folders_of_containers_that_are_gone_go_with_the_next_start(tmp_path):
    program = """if True:
        import socket, sys
        socket.gethostname = lambda: sys.argv[1]
        from config.metrics import share; share()
        print(flush=True); sys.stdin.read()
    """

    def started(name: str) -> subprocess.Popen:
        run = subprocess.Popen(
            [sys.executable, "-c", program, name],
            env=os.environ | {"MUNIMENT_HOME": str(tmp_path)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        run.stdout.readline()
        return run

    def ended(run: subprocess.Popen) -> None:
        run.communicate()

    ended(started("gone"))
    with started("lives") as lives:
        ended(started("new"))
        assert {folder.name for folder in (tmp_path / "metrics").iterdir()} == {"lives", "new"}
        ended(lives)


def test_the_doctor_finds_nothing_where_all_is_well(sea, capsys):
    found = examined(capsys)

    assert {name: e["state"] for name, e in found.items() if e["state"] not in ("ok", "off")} == {
        "settings": "degraded"
    }
    assert found["embedding endpoint"]["figures"]["dimension"] == 384
    assert found["database"]["figures"]["version"] and found["extensions"]["figures"]["vector"]
    call_command("doctor")
    assert "pgvector" in capsys.readouterr().out


def test_the_doctor_says_what_to_do_about_an_endpoint_that_is_away(sea, capsys, settings):
    settings.AI_TEST_MODE = False
    away = {"url": "http://127.0.0.1:9/v1", "model": "m"}
    settings.ENDPOINTS = ENDPOINTS | {"embedding": away, "chat": away, "rerank": away, "summary": away}
    found = examined(capsys, fails=True)

    assert found["embedding endpoint"]["state"] == found["chat endpoint"]["state"] == "broken"
    assert found["rerank endpoint"]["state"] == found["summary endpoint"]["state"] == "degraded"
    assert "EMBEDDING_URL" in found["embedding endpoint"]["to_do"]


def test_the_doctor_sees_a_model_that_was_changed(sea, capsys):
    EmbeddingSpace.objects.update(canaries=[[1.0] + [0.0] * 383] * 4)
    found = examined(capsys)

    assert found["vectors of sea"]["state"] == "degraded" and "reindex --full sea" in found["vectors of sea"]["to_do"]


def test_the_doctor_sees_a_profile_that_drifted(sea, capsys):
    assert examined(capsys)["profiles"]["state"] == "ok"
    sea.summaries = True
    sea.save()
    found = examined(capsys)["profile of sea"]

    assert found["state"] == "degraded" and "how sections are summarised" in found["detail"]
    assert "reindex --full sea" in found["to_do"]


def test_the_doctor_tells_of_schedules_and_of_text_recognition(sea, capsys, settings):
    found = examined(capsys)
    assert found["schedules"]["state"] == found["text recognition"]["state"] == "off"
    Schedule.objects.create(library=sea, cron="30 2 * * *")
    settings.OCR_LANGUAGES = "xyz_none"
    found = examined(capsys)
    assert found["schedules"]["figures"]["next"][0]["library"] == "sea" and found["schedules"]["state"] == "ok"
    assert found["text recognition"]["state"] == "degraded" and "xyz_none" in found["text recognition"]["detail"]
    Schedule.objects.update(next_at="2020-01-01T00:00:00Z")
    assert "overdue: sea" in examined(capsys)["schedules"]["detail"]


def test_the_doctor_sees_migrations_that_wait_and_libraries_that_nobody_can_search(sea, capsys):
    Library.objects.create(slug="new", name="New", kind="uploads")
    Job.objects.create(library=sea, state="failed")
    found = examined(capsys)
    assert found["libraries"]["figures"]["not_active"] == ["new"]
    assert found["libraries"]["figures"]["last_job_failed"] == ["sea"]
    assert found["libraries"]["detail"] == "the last job failed in sea; nothing is active in new"
    assert found["libraries"]["to_do"] == "manage.py jobs says why; manage.py reindex, or activate"
    Job.objects.all().delete()
    Library.objects.filter(slug="new").update(kind="archive")  # it has no source to be built from
    found = examined(capsys)["libraries"]
    assert (found["detail"], found["to_do"]) == (
        "nothing is active of what was imported into new",
        "manage.py import_snapshot FILE --library new",
    )
    Library.objects.filter(slug="sea").update(kind="archive", active_snapshot=None)
    assert examined(capsys)["libraries"]["to_do"].endswith("manage.py activate sea 1")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'knowledge'")
    found = examined(capsys, fails=True)
    assert found["migrations"]["state"] == "broken" and "migrate" in found["migrations"]["to_do"]


def test_the_doctor_names_settings_that_lead_nowhere(settings, tmp_path):
    settings.AI_TEST_MODE, settings.DIRECTORY_ROOTS = False, [tmp_path]
    assert examine_settings().state == "ok"
    settings.DIRECTORY_ROOTS = [tmp_path, tmp_path / "gone"]
    found = examine_settings()
    assert found.state == "degraded" and f"no directory: {tmp_path / 'gone'}" in found.detail
    assert found.to_do == "make it, or change DIRECTORY_ROOTS"


def test_the_doctor_says_that_a_library_waits_for_review_and_how_to_look_at_it(make_library, capsys):
    reindex(make_library("shelf", {"a.md": "# A\n\nText.\n"}, requires_review=True))
    Library.objects.create(slug="new", name="New", kind="uploads")
    found = examined(capsys)["libraries"]
    assert found["detail"] == "snapshot 1 of shelf waits for review; nothing is active in new"
    assert found["to_do"] == "manage.py review shelf 1; manage.py reindex, or activate"


def test_the_doctor_sees_a_database_of_a_newer_version(sea, capsys):
    """As after the code was put back, and the database was not."""
    with connection.cursor() as cursor:
        for app in ("knowledge", "gone"):
            cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES (%s, '9999_later', now())", [app])
    found = examined(capsys, fails=True)["migrations"]
    assert found["state"] == "broken" and found["detail"].endswith("version: knowledge.9999_later")


def test_the_doctor_asks_a_chat_endpoint_for_what_it_must_be_able_to(sea, capsys, settings, stub):
    said: list[dict] = []

    def reply(body):
        said.append(body)
        head = {"id": "1", "created": 1, "model": "m"}
        content = '{"said": "quite so"}' if body.get("response_format") else "ready"
        deltas = [({"content": content[:2]}, None), ({"content": content[2:]}, None), ({}, "stop")]
        pieces = [{"index": 0, "delta": delta, "finish_reason": reason} for delta, reason in deltas]
        chunks = [json.dumps(head | {"object": "chat.completion.chunk", "choices": [piece]}) for piece in pieces]
        return 200, "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]).encode()

    stub.answer["/v1/chat/completions"] = reply
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = ENDPOINTS | {"chat": {"url": stub.url, "model": "m"}}
    figures = probe_chat()

    assert figures["streams"] and figures["json_schema"] and not figures["grammar"] and figures["context_tokens"] == 512
    assert said[0]["stream"] and said[1]["grammar"] and said[2]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("thinking", "state", "detail"),
    [
        (0, "ok", "m: context tokens 4096"),
        (2000, "ok", "m: context tokens 2096"),
        (3000, "degraded", "CHAT_THINKING leaves 1,096 tokens for prompt and answer"),
        (5000, "degraded", "CHAT_THINKING leaves 0 tokens for prompt and answer"),
    ],
)
def test_the_doctor_says_that_thoughts_take_the_place_of_the_answer(settings, thinking, state, detail):
    settings.CHAT_THINKING = thinking
    settings.ENDPOINTS = ENDPOINTS | {"chat": {"url": "http://127.0.0.1:9/v1", "model": "m"}}
    settings.AI_TEST_MODE = False
    found = asked("chat", lambda: {"model": "m", "context_tokens": 4096 - thinking}, "")
    assert (found.state, found.detail) == (state, detail)


def test_an_answer_of_a_removed_library_withholds_its_sources(sea, client, admin_user):
    client.force_login(admin_user)
    answer(admin_user, "How often does the tide rise?")
    remove_library(sea)
    page = client.get(f"/chat/{Answer.objects.get().pk}")

    assert page.status_code == 200 and "rises twice a day" not in page.content.decode()
