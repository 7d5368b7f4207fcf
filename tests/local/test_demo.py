import socket

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
            demo.choose_port(other.getsockname()[1])

    def forbidden(port: int) -> int:
        raise PermissionError

    monkeypatch.setattr(demo, "bindable", forbidden)
    with pytest.raises(demo.DemoError, match="You may not listen on port 80"):
        demo.choose_port(80)


@pytest.mark.django_db
def test_the_first_account_is_told_as_long_as_it_signs_in(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(demo, "password_file", lambda: tmp_path / "admin_password")
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    account = User.objects.create_superuser(demo.ADMIN)
    assert demo.first_account() == "admin / (as you set it)"
    first = kept_secret(demo.password_file(), 12)
    account.set_password(first)
    account.save()
    assert demo.first_account() == f"admin / {first}"
    account.set_password("another")
    account.save()
    assert "was changed" in demo.first_account()
