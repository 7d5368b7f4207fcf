import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User

from config.local import demo
from config.local.home import kept_secret


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
