"""What runs the tests, and where, does not reach into them, nor they into it."""

import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import commit, leave_surroundings


def test_a_hook_s_repository_and_a_user_s_settings_of_git_are_left_alone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    subprocess.run(["git", "init", "-q", str(theirs)], check=True)
    before = commit(theirs, {"a.md": "theirs"})
    (tmp_path / ".gitconfig").write_text("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    monkeypatch.setenv("GIT_DIR", str(theirs / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(theirs / ".git/index"))

    leave_surroundings()
    made = commit(repository, {"a.md": "ours"})

    heads = [(path / ".git/refs/heads").glob("*") for path in (theirs, repository)]
    assert [next(head).read_text().strip() for head in heads] == [before, made]


@pytest.mark.parametrize("name", ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def test_no_proxy_is_asked_for_what_a_test_serves(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    leave_surroundings()
    assert not {"http", "https", "all"} & set(urllib.request.getproxies_environment())
