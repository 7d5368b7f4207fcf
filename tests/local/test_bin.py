"""The commands in bin/, whoever calls them and from wherever."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.local import __main__ as command_line
from config.local.home import CHECKOUT

SAYS_ITS_SURROUNDINGS = """#!/usr/bin/env bash
[ "${0##*/}" != ruff ] || env >environment.txt
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """One whose programs do nothing, but that the first says where it is called."""
    folder = tmp_path / "checkout"
    (folder / ".venv/bin").mkdir(parents=True)
    shutil.copytree(CHECKOUT / "bin", folder / "bin")
    shutil.copy(CHECKOUT / ".env.example", folder)
    for name in ("ruff", "mypy", "lint-imports", "python"):
        (folder / ".venv/bin" / name).write_text(SAYS_ITS_SURROUNDINGS)
        (folder / ".venv/bin" / name).chmod(0o755)
    with (folder / "bin/_setup").open("a") as script:
        script.write("set_up() { return; }\n")
    return folder


def surroundings(checkout: Path, command: Path | str, **given: str) -> dict[str, str]:
    """What the programs that the command calls find in their environment."""
    (checkout / "environment.txt").unlink(missing_ok=True)
    run = subprocess.run([command], env=os.environ | given, cwd=checkout, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines = (checkout / "environment.txt").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_the_tests_leave_the_running_muniment_and_its_settings_alone(checkout: Path, tmp_path: Path) -> None:
    theirs = {"MUNIMENT_HOME": str(tmp_path / "live"), "CHAT_URL": "http://models.example/v1", "DATABASE_URL": "x"}
    found = surroundings(checkout, checkout / "bin/test", MUNIMENT_TEST_HOME="", **theirs)
    assert found["MUNIMENT_HOME"] not in ("", theirs["MUNIMENT_HOME"])
    assert found.keys() & theirs.keys() == {"MUNIMENT_HOME"} and found["MUNIMENT_ENV_FILE"] == os.devnull
    found = surroundings(checkout, checkout / "bin/test", MUNIMENT_TEST_HOME=str(tmp_path / "tests"), **theirs)
    assert found["MUNIMENT_HOME"] == str(tmp_path / "tests")


def test_a_command_finds_its_checkout_through_a_link_and_whatever_cdpath_says(checkout: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "bin").mkdir(parents=True)
    (elsewhere / "bin/check").symlink_to(checkout / "bin/test")
    for command in (elsewhere / "bin/check", "bin/test"):
        assert surroundings(checkout, command, CDPATH=str(elsewhere))["PWD"] == str(checkout)


def test_what_is_wrong_or_asks_for_help_stops_and_starts_nothing(checkout: Path) -> None:
    asked = checkout / "asked.txt"
    for program in ("python", "ruff"):
        (checkout / ".venv/bin" / program).write_text(f'#!/usr/bin/env bash\necho "$@" >{asked}\n')
    for command, said in (("stop", "Stop what bin/demo runs"), ("test", "pytest's arguments")):
        for option in ("--help", "-h"):
            run = subprocess.run([checkout / "bin" / command, option], cwd="/", capture_output=True, text=True)
            assert run.returncode == 0 and said in run.stdout and not asked.exists()
    subprocess.run([checkout / "bin/stop", "--nothing"], check=True)
    assert asked.read_text() == "-m config.local stop --nothing\n"  # which refuses it: below


def test_an_option_that_there_is_not_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line, "stop", lambda: pytest.fail("it stopped"))
    monkeypatch.setattr("sys.argv", ["x", "stop", "--nothing"])
    with pytest.raises(SystemExit) as left:
        command_line.main()
    assert left.value.code == 2


def test_who_reads_only_the_beginning_is_told_of_no_fault(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "config.local", "status"]
    reading, writing = os.pipe()
    os.close(reading)
    given = os.environ | {"MUNIMENT_HOME": str(tmp_path)}
    run = subprocess.run(command, cwd=CHECKOUT, env=given, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (run.returncode, run.stderr) == (0, "")
