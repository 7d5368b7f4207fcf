import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from config.local import __main__ as command_line
from config.local import demo
from config.local.home import CHECKOUT, disk_fault, home, kept_secret, read_env, secret_key

from .race import race


def test_the_file_s_variables_are_read_and_those_of_the_environment_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("environ.Env.ENVIRON", found := {"HERE": "stays"})
    read_env(tmp_path / ".env")
    (tmp_path / ".env").write_text("\ufeffA=1\n\n  # a comment\nexport B='two words'\nHERE=goes\n", encoding="utf-8")
    read_env(tmp_path / ".env")
    assert found == {"HERE": "stays", "A": "1", "B": "two words"}


def test_another_file_may_be_read_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("HERE=read\n")
    told = "import os, config.local.home; print(os.environ['HERE'])"
    given = {"MUNIMENT_ENV_FILE": str(tmp_path / "other")}
    command = [sys.executable, "-c", told]
    run = subprocess.run(command, cwd=CHECKOUT, env=os.environ | given, stdout=subprocess.PIPE, text=True)
    assert run.stdout == "read\n"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"A=1\nCHAT_KEY = s3cret\n", "line 2 is neither"),
        (b" CHAT_KEY=s3cret\n", "line 1 is neither"),
        (b'A="two\ns3cret lines"\n', "line 2 is neither"),
        (b"A=s3cr\xe8t\n", "not written in UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_no_line_of_it_repeated(
    tmp_path: Path, written: bytes | None, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Read on without it, Muniment would work on another, empty database."""
    path = tmp_path / ".env"
    path.mkdir() if written is None else path.write_bytes(written)
    with pytest.raises(SystemExit, match=said) as left:
        read_env(path)
    assert str(path) in str(left.value) and "s3cr" not in str(left.value) + caplog.text


def test_processes_racing_on_an_empty_home_read_one_complete_key(tmp_path: Path) -> None:
    keys = race(tmp_path, "from config.local.home import secret_key\nprint(secret_key())")
    assert len(set(keys)) == 1
    assert len(keys[0]) == 67


def test_the_key_is_kept_for_its_owner_alone(empty_home: Path) -> None:
    assert secret_key() == secret_key()
    assert stat.S_IMODE((home() / "secret_key").stat().st_mode) == 0o600
    assert [file.name for file in home().iterdir()] == ["secret_key"]


def test_a_relative_home_is_one_place_wherever_muniment_is_called_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.local.home.CHECKOUT", checkout := tmp_path / "checkout")
    monkeypatch.setenv("MUNIMENT_HOME", "data")
    for directory in (tmp_path, checkout / "data"):
        monkeypatch.chdir(directory)
        assert home() == checkout / "data"


def test_an_existing_secret_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("chosen by hand")
    assert kept_secret(tmp_path / "key") == "chosen by hand"


def test_what_a_power_cut_left_empty_is_made_anew_once(tmp_path: Path) -> None:
    (tmp_path / "secret_key").touch()
    keys = race(tmp_path, "from config.local.home import secret_key\nprint(secret_key())")
    assert len(set(keys)) == 1
    assert len(keys[0]) == 67


def test_a_secret_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for step in ("fsync", "link"):
        real = getattr(os, step)
        monkeypatch.setattr(os, step, lambda *what, real=real, step=step: (done.append(step), real(*what)))
    kept_secret(tmp_path / "key")
    assert done == ["fsync", "link"]


def test_a_full_disk_is_said_in_one_line_with_its_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path))
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    said = f"{tmp_path} cannot be written: No space left on device; make room in {tmp_path}, or run manage.py gc."
    assert disk_fault(full) == disk_fault(shutil.Error([("a", "b", str(full))])) == said
    assert "writable" in (disk_fault(OSError(errno.EROFS, os.strerror(errno.EROFS))) or "")
    assert disk_fault(PermissionError(errno.EPERM, "of a process")) is None is disk_fault(FileNotFoundError(2, "no"))


def test_what_starts_the_servers_says_that_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path))
    for program, broken in ((command_line, "config.local.postgres.ensure"), (demo, "config.local.running.record")):
        monkeypatch.setattr(broken, full)
        monkeypatch.setattr("sys.argv", ["x", *(["start"] if program is command_line else [])])
        assert program.main() == 1
        assert f"make room in {tmp_path}" in capsys.readouterr().err
