"""What a script and a person at a terminal may rely on, whatever the command."""

import errno
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

import manage
from config.local.home import home
from knowledge.models import Job, Library
from tests.conftest import environment

ROOT = Path(__file__).parent.parent


@pytest.fixture
def sea(indexed) -> Library:
    return indexed("sea", {"tides.md": "# Tides\n\nHigh water is at noon.\n"})


def test_an_interactive_prompt_is_no_part_of_the_output(sea, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("noon\n\n"))
    call_command("search", "--json")

    assert json.loads(capsys.readouterr().out)["query"] == "noon"


def test_bytes_that_are_not_utf_8_can_be_asked(sea, capsys):
    call_command("ask", "When is high water\udcff?", "--json")

    assert "\udcff" not in json.loads(capsys.readouterr().out)["question"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["list_documents", "--path", "a\udcff"],
        ["snapshots", "a\udcff"],
        ["diff", "a\udcff", "1", "2"],
        ["reindex", "a\udcff"],
        ["remove_library", "a\udcff", "--yes"],
        ["evaluate", "--golden", "--library", "a\udcff"],
        ["add_library", "shelf", "--uploads", "--include", "a\udcff"],
        ["add_library", "shelf", "--uploads", "--name", "a\udcff"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_argument_that_is_not_utf_8_is_wrong_use(sea, monkeypatch, capsys, arguments):
    monkeypatch.setattr("sys.argv", ["manage.py", *arguments])
    monkeypatch.setattr("django.core.management.execute_from_command_line", lambda argv: call_command(*argv[1:]))
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert ended.value.code == 2 and capsys.readouterr() == ("", "An argument is not UTF-8: a\\xff\n")


def test_a_file_may_have_a_name_that_is_not_utf_8(sea, tmp_path, capsys):
    questions = tmp_path / "caf\udce9.jsonl"
    gold = [{"file": "tides.md", "line_start": 1, "line_end": 3}]
    questions.write_text(json.dumps({"id": "1", "question": "When is high water?", "gold": gold}))
    call_command("evaluate", "--questions", questions, "--library", "sea", "--branches", "lexical")
    assert "lexical" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["ask", "search"])
def test_bytes_that_are_not_utf_8_can_be_typed(sea, command, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9\n\n"), "utf-8", "strict"))
    call_command(command, "--json")

    told = json.loads(capsys.readouterr().out)
    assert told["question" if command == "ask" else "query"] == "caf\ufffd"


def test_options_that_take_several_may_also_be_repeated(sea, indexed, capsys):
    indexed("land", {"hills.md": "# Hills\n\nThe hill is high.\n"})
    call_command("search", "high", "--library", "sea", "--library", "land", "--json")

    assert [found["slug"] for found in json.loads(capsys.readouterr().out)["libraries"]] == ["land", "sea"]


def test_one_library_that_cannot_be_read_does_not_keep_the_others_from_it(sea, make_library, capsys):
    Library.objects.create(slug="gone", name="Gone", kind="directory", location="/nowhere")
    (Path(sea.location) / "new.md").write_text("# New\n")
    with pytest.raises(CommandError, match=r"gone: .*DIRECTORY_ROOTS"):
        call_command("reindex", "--json")

    gone, read = json.loads(capsys.readouterr().out)
    assert (gone["library"], gone["state"], read["library"]) == ("gone", "failed", "sea")
    assert "DIRECTORY_ROOTS" in gone["error"] and gone.keys() >= read.keys()
    for name in ("files", "chunks", "embeddings", "summaries", "seconds"):
        assert gone[name].keys() == read[name].keys() and set(gone[name].values()) == {0}


@pytest.mark.django_db(transaction=True)
def test_a_command_that_finds_its_library_busy_leaves_no_job_waiting(make_library, monkeypatch):
    library = make_library("busy", {"a.md": "# A\n"})
    from django.db import connection

    from ingestion.jobs import only_build_of

    other = connection.copy()
    with monkeypatch.context() as patched:
        patched.setattr("ingestion.jobs.connection", other)
        patched.setattr("knowledge.storage.locks.connection", other)
        held = only_build_of(library)
        held.__enter__()
    with pytest.raises(CommandError, match="is running"):
        call_command("reindex", "busy")
    other.close()

    assert not library.jobs.exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("reindex", "busy"), r"job {0} builds busy; wait, or `manage.py jobs --cancel {0}`"),
        (("unindex", "a", "--library", "busy", "--yes"), "job {0} builds"),
        (("rebuild", "busy"), "job {0} builds"),
        (("remove_library", "busy", "--yes"), "job {0} builds"),
    ],
)
def test_what_makes_a_library_busy_is_named(indexed, monkeypatch, command, said):
    library = indexed("busy", {"a.md": "# A\n"})
    job = Job.objects.create(library=library)
    job.take()
    monkeypatch.setattr("knowledge.storage.locks.try_lock", lambda *_: False)
    with pytest.raises(CommandError, match=said.format(job.pk)):
        call_command(*command)
    assert library.jobs.filter(pk__gte=job.pk).count() == 1


def test_test_mode_calls_no_model(make_library, settings, capsys):
    make_library("sea", {"tides.md": "# Tides\n\nHigh water.\n"})
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = settings.ENDPOINTS | {"embedding": {"url": "http://127.0.0.1:9/v1", "model": "x"}}
    call_command("reindex", "sea", "--test-mode", "--json")

    assert json.loads(capsys.readouterr().out)[0]["active"]


def test_a_database_that_is_away_is_said_in_one_line():
    away = os.environ | {"DATABASE_URL": "postgres://nobody:secret@127.0.0.1:1/nothing", "AI_TEST_MODE": "true"}
    run = subprocess.run(
        [sys.executable, "manage.py", "snapshots", "sea", "--json"],
        cwd=ROOT, env=away, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert run.returncode == 1 and run.stdout == "" and "secret" not in run.stderr
    assert run.stderr.startswith("The database cannot be used") and "Traceback" not in run.stderr


def test_no_command_shares_its_connections_whatever_the_web_does():
    code = "from django.conf import settings; print('pool' in settings.DATABASES['default']['OPTIONS'])"
    run = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
        cwd=ROOT, env=os.environ | {"DATABASE_POOL": "24"}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert run.stdout == "False\n"


def test_a_home_that_cannot_be_made_is_said_in_one_line(tmp_path):
    (tmp_path / "file").touch()
    run = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT, env=os.environ | {"MUNIMENT_HOME": str(tmp_path / "file/home")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert run.returncode == 1 and run.stderr.startswith("Muniment keeps its data in") and "\nTrace" not in run.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status"),
    [("?path=%00", 200), ("?limit=99999999999999999999", 200), ("?offset=99999999999999999999", 400)],
)
def test_odd_parameters_of_a_list_are_no_server_error(sea, client, address, status):
    assert client.get(f"/api/v1/libraries/sea/documents/{address}").status_code == status


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("arguments", [["list_documents", "--json"], ["list_documents", "--help"]], ids=str)
def test_a_reader_that_has_had_enough_of_the_output_is_no_fault(sea, settings, arguments):
    buffered = {name: value for name, value in environment(settings).items() if name != "PYTHONUNBUFFERED"}
    listing = subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=buffered,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    listing.stdout.close()
    assert listing.stderr.read() == b""
    assert listing.wait() == 128 + signal.SIGPIPE


def test_what_is_watched_is_seen_while_it_is_waited_for(sea, monkeypatch):
    Job.objects.create(library=sea)
    written, seen = io.BytesIO(), []

    def sleep(seconds: float) -> None:
        seen.append(written.getvalue().decode())
        Job.objects.update(state=Job.State.CANCELLED)

    monkeypatch.setattr("time.sleep", sleep)
    call_command("jobs", "--watch", stdout=io.TextIOWrapper(written))

    assert len(seen) == 1 and "queued" in seen[0]


def test_what_is_watched_as_json_is_one_document(sea, monkeypatch, capsys):
    job = Job.objects.create(library=sea)
    monkeypatch.setattr("time.sleep", lambda _: Job.objects.update(state=Job.State.CANCELLED))
    call_command("jobs", str(job.pk), "--watch", "--json")

    assert json.loads(capsys.readouterr().out)["state"] == "cancelled"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), f"{home()} cannot be written: No space left on device"),
        (OSError(errno.EROFS, "Read-only file system", "/home/x"), "The disk cannot be written to: Read-only file sys"),
        (OSError(errno.EROFS, "Read-only file system", f"{home()}/.x-1"), f"{home()} cannot be written: Read-only"),
        (KeyboardInterrupt(), 130),
    ],
)
def test_what_ends_a_command_from_outside_is_no_stack_trace(monkeypatch, capsys, error, code):
    monkeypatch.setattr("django.core.management.execute_from_command_line", Mock(side_effect=error))
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert str(ended.value.code).startswith(str(code))
    assert capsys.readouterr().err == ("interrupted\n" if code == 130 else "")


@pytest.mark.parametrize("words", ["one line", "more than is kept back " * 1000])
def test_an_output_that_is_full_is_no_home_that_is(words):
    code = f"""
import manage, django.core.management as management
management.execute_from_command_line = lambda argv: print({words!r})
manage.main()
"""
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (run.returncode, run.stderr) == (1, "The output cannot be written: No space left on device.\n")


@pytest.mark.parametrize("arguments", [["nonsense"], ["help", "nonsense"]])
def test_a_command_that_there_is_none_of_is_wrong_use(monkeypatch, capsys, arguments):
    monkeypatch.setattr("sys.argv", ["manage.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        manage.main()
    assert ended.value.code == 2 and "nonsense" in capsys.readouterr().err


def test_a_build_that_is_interrupted_says_what_becomes_of_it(make_library, monkeypatch, capsys):
    library = make_library("sea", {"tides.md": "# Tides\n"})
    monkeypatch.setattr("ingestion.jobs.build", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt, match=r"interrupted: job \d+ \(build sea\) has failed"):
        call_command("reindex", "--json")

    job = library.jobs.get()
    assert (job.state, job.message) == (Job.State.FAILED, "interrupted") and capsys.readouterr().out == ""


@pytest.mark.django_db
@pytest.mark.parametrize("rows", ["no_such_table", "(SELECT 1) AS row"])
def test_a_database_that_a_migration_is_missing_from_is_said_in_one_line(monkeypatch, rows):
    ask = lambda _: connection.cursor().execute(f"SELECT no_such_column FROM {rows}")  # noqa: E731
    monkeypatch.setattr("django.core.management.execute_from_command_line", ask)
    with pytest.raises(
        SystemExit, match=r"The database lacks a (table|column): run manage.py migrate first. \("
    ) as ended:
        manage.main()
    assert "\n" not in str(ended.value.code)


@pytest.mark.django_db
def test_a_database_that_was_left_between_migrations_that_are_joined_now_is_refused_in_one_line(monkeypatch):
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'knowledge' AND name > '0033'")
    migrate = lambda _: call_command("migrate", plan=True)  # noqa: E731
    monkeypatch.setattr("django.core.management.execute_from_command_line", migrate)
    with pytest.raises(SystemExit, match=r"manage.py migrate of the newest .+ '0034_job_shown'") as ended:
        manage.main()
    assert "\n" not in str(ended.value.code)


def test_a_library_that_was_imported_does_not_fail_the_reading_of_all(sea, capsys):
    Library.objects.create(slug="imported", name="Imported", kind="archive")
    call_command("reindex", "--json")
    assert [report["library"] for report in json.loads(capsys.readouterr().out)] == ["sea"]
