"""bin/demo: what it starts, and what it does besides."""

import errno
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from config.local import demo, services
from config.local.home import CHECKOUT, kept_secret
from knowledge.models import Library


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Commands fail."""
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)  # the test's rows are in one of them
    command = Mock(side_effect=demo.DemoError("not below a directory that DIRECTORY_ROOTS allows"))
    monkeypatch.setattr(demo, "manage", command)
    return command


def test_the_sample_may_be_read_whatever_other_directories_may(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in ("", "/srv/handbooks"):
        monkeypatch.setenv("DIRECTORY_ROOTS", before)
        for _ in range(2):  # once is enough
            demo.allow_sample()
        roots = demo.os.environ["DIRECTORY_ROOTS"].split(",")
        assert roots == [*filter(None, [before]), str(CHECKOUT / "sample")]


def test_a_sample_that_was_read_before_need_not_be_read_again(
    indexed: Callable[..., Library], refused: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = indexed("sample", {"a.md": "# A\n"}).location
    monkeypatch.setattr(demo, "sample", lambda: location)
    assert "DIRECTORY_ROOTS" in demo.read_sample(must_read=False)
    with pytest.raises(demo.DemoError):
        demo.read_sample(must_read=True)


def test_a_sample_of_another_checkout_is_left_as_it_is(indexed: Callable[..., Library], refused: Mock) -> None:
    """Each start would make one more job that can only fail."""
    elsewhere = indexed("sample", {"a.md": "# A\n"}).location
    assert f"It is read from {elsewhere}" in demo.read_sample(must_read=False)
    refused.assert_not_called()


def test_a_sample_that_was_never_read_must_be(make_library: Callable[..., Library], refused: Mock) -> None:
    make_library("sample", {"a.md": "# A\n"})
    with pytest.raises(demo.DemoError):
        demo.read_sample(must_read=False)


def test_the_sample_comes_with_golden_questions_of_which_the_first_are_offered(
    db: None, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DIRECTORY_ROOTS = [demo.sample()]
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    monkeypatch.setattr(demo, "manage", lambda name, *rest, **_: name == "reindex" or call_command(name, *rest))
    assert demo.read_sample(must_read=True) == ""
    library = Library.objects.get(slug=demo.LIBRARY)
    kept = list(library.golden_questions.active().order_by("pk").values_list("identifier", flat=True))
    assert kept[:3] == ["loan-length", "late-return", "august-closure"] and len(kept) == 25
    library.golden_questions.update(active=False)
    demo.read_sample(must_read=True)
    assert not library.golden_questions.active().exists(), "who switched them off does not get them back"


def test_who_removed_the_sample_does_not_get_it_back(
    make_library: Callable[..., Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    assert demo.wants_sample(), "in an empty installation"
    other = make_library("handbook", {"a.md": "# A\n"})
    assert not demo.wants_sample()
    make_library("sample", {"a.md": "# A\n"})
    other.delete()
    assert demo.wants_sample(), "it is read again"


def test_an_administrator_of_ones_own_is_the_only_one(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    monkeypatch.setattr("django.core.management.call_command", Mock())
    User.objects.create_superuser("anna")
    demo.prepare_database()
    assert not User.objects.filter(username=demo.ADMIN).exists() and demo.first_account() == "as an account of yours"


def test_a_database_that_is_away_is_said_in_a_sentence() -> None:
    away = os.environ | {"DATABASE_URL": "postgres://nobody:secret@127.0.0.1:1/nothing", "AI_TEST_MODE": "true"}
    run = subprocess.run(
        [sys.executable, "-m", "config.local.demo"], cwd=CHECKOUT, env=away, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1 and "refused" in run.stderr and "Traceback" not in run.stderr
    assert "secret" not in run.stderr


def test_a_setting_that_is_wrong_is_said_and_nothing_promised_of_doctor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bin/demo"])
    monkeypatch.setattr(demo, "allow_sample", lambda: None)
    monkeypatch.setattr(demo.signal, "signal", lambda *_: None)
    monkeypatch.setattr(demo, "be_the_only_one", Mock(side_effect=ImproperlyConfigured("SECRET_KEY is too short")))
    assert demo.main() == 1 and capsys.readouterr().err == "\nSECRET_KEY is too short\n"


def test_what_the_readme_asks_for_stands_in_the_sample() -> None:
    told, sample = (CHECKOUT / "README.md").read_text(), CHECKOUT / "sample"
    (file,), (questions,) = (
        re.findall(rf"manage\.py .*{option} ([\w./]+)", told) for option in ("--why-not", "--questions")
    )
    assert (sample / file).is_file() and (CHECKOUT / questions).is_file()
    words = set(re.findall(r'manage\.py search "([\w ]+)"', told))
    texts = " ".join(page.read_text() for page in sample.rglob("*.rst"))
    assert words and all(wanted in texts for wanted in words)


@pytest.mark.parametrize("port", ["99999", "65536", "0", "-1", "http"])
def test_what_is_no_port_is_wrong_use(port: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["bin/demo", f"--port={port}"])
    with pytest.raises(SystemExit) as left:
        demo.main()
    assert left.value.code == 2 and f"{port} is no port" in capsys.readouterr().err


def test_a_port_is_refused_for_its_reason(monkeypatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(demo.DemoError, match="is taken"):
            demo.listen(other.getsockname()[1])

    def forbidden(port: int) -> socket.socket:
        raise PermissionError

    monkeypatch.setattr(demo, "listening", forbidden)
    with pytest.raises(demo.DemoError, match="You may not listen on port 80"):
        demo.listen(80)


def test_the_port_is_kept_from_the_start_on() -> None:
    with demo.listen(0) as door, pytest.raises(demo.DemoError, match="is taken"):
        demo.listen(door.getsockname()[1])


def test_the_web_server_answers_at_the_port_that_was_kept(tmp_path: Path) -> None:
    application = "wsgiref.simple_server:demo_app"
    with demo.listen(0) as door:
        command = [sys.executable, "-m", "gunicorn", application, "--bind", f"fd://{door.fileno()}"]
        command += ["--no-control-socket", "--worker-tmp-dir", str(tmp_path)]
        with subprocess.Popen(command, pass_fds=(door.fileno(),), stderr=subprocess.DEVNULL) as server:
            demo.wait_for_web(server, f"http://localhost:{door.getsockname()[1]}/")
            server.terminate()


def test_what_dies_again_and_again_is_not_started_for_ever(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path))
    monkeypatch.setattr(demo.time, "sleep", lambda seconds: web.process.wait())
    monkeypatch.setattr(demo, "first_account", lambda: "nobody")
    monkeypatch.setattr(demo, "has_sample", lambda: True)
    with ExitStack() as started:
        web = demo.Service(started, "web", ["-c", "print('no room'); raise SystemExit(1)"])
        with pytest.raises(demo.DemoError, match=r"(?s)The web process ended 5 times.*no room"):
            demo.serve("http://localhost/", [web])


def test_a_death_after_a_long_run_is_none_of_those_in_a_row(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path))
    with ExitStack() as started:
        web = demo.Service(started, "web", ["-c", ""])
        for began_before in (0, 0, 0, 0, services.SOON, 0, 0, 0, 0):  # seconds
            web.process.wait()
            web.began -= began_before
            web.start_again()
        web.process.wait()
        with pytest.raises(demo.DemoError, match="5 times"):
            web.start_again()


@pytest.mark.parametrize("there", [True, False])
def test_a_newcomer_is_told_what_to_ask_as_long_as_the_sample_is_there(there: bool, monkeypatch, capsys) -> None:
    monkeypatch.setattr(demo, "first_account", lambda: "nobody")
    monkeypatch.setattr(demo, "has_sample", lambda: there)
    monkeypatch.setattr(demo.time, "sleep", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        demo.serve("http://localhost/", [])
    assert (f"  Try        {demo.QUESTION}\n" in capsys.readouterr().out) is there


@pytest.mark.django_db
def test_the_first_account_is_told_as_long_as_it_signs_in(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(demo, "password_file", lambda: tmp_path / "admin_password")
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    account = User.objects.create_superuser(demo.ADMIN)
    assert "manage.py changepassword admin" in demo.first_account()
    first = kept_secret(demo.password_file(), 12)
    account.set_password(first)
    account.save()
    assert demo.first_account() == f"admin / {first}"
    account.set_password("another")
    account.save()
    assert "was changed" in demo.first_account()


def test_the_logs_of_the_start_before_are_kept(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path))
    for said in ("first", "second", "third"):
        with ExitStack() as started:
            demo.Service(started, "web", ["-c", f"print({said!r})"]).process.wait()
    assert [demo.log_file("web").read_text(), (tmp_path / "web.log.1").read_text()] == ["third\n", "second\n"]
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("web.log*")} == {0o600}


def test_a_log_that_grows_too_long_is_kept_and_begun_again_under_its_writer(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(services, "LARGEST_LOG", 10)
    log, earlier = tmp_path / "web.log", tmp_path / "web.log.1"
    services.bound_log(log)  # not there yet
    with log.open("a") as writer:
        for said in ("short\n", "much longer\n", "after it\n"):
            print(said, end="", file=writer, flush=True)
            services.bound_log(log)
    assert [earlier.read_text(), log.read_text()] == ["short\nmuch longer\n", "after it\n"]
    assert earlier.stat().st_mode & 0o777 == 0o600


def test_a_log_that_is_too_long_makes_room_on_a_disk_without_any(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(services, "LARGEST_LOG", 10)
    monkeypatch.setattr(services.shutil, "copyfile", Mock(side_effect=OSError(errno.ENOSPC, "full")))
    log = tmp_path / "web.log"
    log.write_text("the same again and again\n")
    services.bound_log(log)
    assert not log.read_text()
