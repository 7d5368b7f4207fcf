"""What bin/demo runs is found by bin/stop, and nothing else is; and it does not outlive the demo."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import Mock

import psutil
import pytest

from config.local import demo, running
from config.local.home import CHECKOUT
from knowledge.processes import end_with_parent

from .race import wait_until_gone

WAIT = "import time; print(flush=True); time.sleep(600)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAIT}"


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def recorded(code: str, pid: int | None = None, name: str = "test") -> subprocess.Popen[str]:
    """A process that holds a record, of itself or of the process `pid`."""
    with running.record(name) as record:
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, pass_fds=[record.fileno()]
        )
        print(pid or process.pid, file=record)
    assert process.stdout
    process.stdout.readline()
    return process


def test_what_is_recorded_is_ended_by_force_if_need_be(
    empty_home: Path, started: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    started += [recorded(WAIT), recorded(DEAF)]
    assert sorted(running.living()) == sorted(process.pid for process in started)
    monkeypatch.setattr(running, "END_TIMEOUT", 1)
    running.stop()

    assert not running.living()
    assert [process.wait(10) for process in started] == [-15, -9]


def test_a_process_is_found_whose_other_files_are_out_of_reach(
    empty_home: Path, started: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    started += [recorded(WAIT)]
    out_of_reach = Mock(side_effect=psutil.AccessDenied())  # as of a log in a directory of somebody else's
    monkeypatch.setattr(psutil.Process, "open_files", out_of_reach)
    assert running.living() == [started[0].pid]
    running.stop()
    assert started[0].wait(10) == -15


def test_the_record_of_a_process_that_is_gone_names_nobody(empty_home: Path) -> None:
    stale = running.folder() / "web-stale"
    stale.write_text(f"{os.getpid()}\n")  # the number belongs to another process by now
    assert running.living() == []
    assert not stale.exists()
    running.stop()


def test_a_number_that_belongs_to_somebody_else_by_now_is_left_alone(
    empty_home: Path, started: list[subprocess.Popen[str]]
) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", WAIT], stdout=subprocess.PIPE, text=True)
    started += [bystander, recorded(WAIT, bystander.pid)]  # the latter as if forked by a process that is gone
    assert running.living() == []
    running.stop()

    assert [process.poll() for process in started] == [None, None]


def test_a_new_record_takes_the_place_of_those_of_processes_that_are_gone(empty_home: Path) -> None:
    for _ in range(3):
        with running.record("web"):
            assert len([*running.folder().glob("web-*")]) == 1


def test_a_service_ends_with_a_demo_that_is_killed(empty_home: Path, started: list[subprocess.Popen[str]]) -> None:
    script = f"""
import django, time; django.setup()
from contextlib import ExitStack
from config.local import demo
print(demo.Service(ExitStack(), "sleeper", ["-c", {WAIT!r}]).process.pid, flush=True)
time.sleep(600)
"""
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"}
    starter = subprocess.Popen(
        [sys.executable, "-c", script], cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True
    )
    started.append(starter)
    assert starter.stdout
    service = int(starter.stdout.readline())
    assert running.living() == [service]
    starter.kill()
    wait_until_gone(service)
    assert running.living() == []


def test_outside_linux_nothing_is_asked_to_end_with_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr("ctypes.CDLL", Mock(side_effect=AttributeError("prctl")))
    end_with_parent()


def test_a_second_demo_is_refused_and_touches_nothing(
    empty_home: Path, started: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    started.append(recorded(WAIT, name="demo"))
    monkeypatch.setattr("sys.argv", ["bin/demo"])
    monkeypatch.setattr(demo, "allow_sample", lambda: None)
    monkeypatch.setattr(demo, "start", lambda *_, **__: pytest.fail("it started"))
    assert demo.main() == 1
    told = capsys.readouterr()
    assert f"already runs in this home (pid {started[0].pid})" in told.err and not told.out
    assert running.living() == [started[0].pid]


def test_a_demo_is_started_beside_what_is_left_of_another(
    empty_home: Path, started: list[subprocess.Popen[str]]
) -> None:
    started.append(recorded(WAIT, name="web"))
    with ExitStack() as stack:
        demo.be_the_only_one(stack)
        assert running.living("demo") == [os.getpid()]
