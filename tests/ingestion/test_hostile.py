"""What a source, a file name or a heading may try."""

import os
import random
import time
from pathlib import Path

import pytest

from ingestion.sources import SourceError
from ingestion.sources.git import allowed_url, forget_dead_locks, without_credentials
from tests.conftest import reindex


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org:99999/x.git",
        "ssh://git@host$(id)/x",
        "ssh://git@[::1/x",
        "https://example.org\\@127.0.0.1/x",
        "https://exam\nple.org/x",
    ],
)
def test_urls_that_parsers_read_in_two_ways_are_refused(url, settings, monkeypatch):
    settings.GIT_ALLOWED_SCHEMES = ["https", "ssh"]
    monkeypatch.setattr("ingestion.sources.git.public_address", lambda host, port: "192.0.2.1")
    with pytest.raises(SourceError):
        allowed_url(url)


def test_the_pin_is_for_the_port_that_is_used(settings, monkeypatch):
    settings.GIT_ALLOWED_SCHEMES = ["http", "https"]
    monkeypatch.setattr("ingestion.sources.git.public_address", lambda host, port: "192.0.2.1")

    assert allowed_url("http://example.org/x")[1] == "http.curloptResolve=example.org:80:192.0.2.1"
    assert allowed_url("https://example.org:8443/x")[1] == "http.curloptResolve=example.org:8443:192.0.2.1"


def test_a_secret_with_an_at_sign_is_hidden_whole():
    assert without_credentials("fatal: 'https://me:p@ss@host/x@y.git'") == "fatal: 'https://host/x@y.git'"


def test_locks_of_a_git_that_was_killed_are_forgotten_and_fresh_ones_kept(tmp_path: Path):
    old, fresh = tmp_path / "shallow.lock", tmp_path / "HEAD.lock"
    old.touch()
    fresh.touch()
    os.utime(old, (time.time() - 9000,) * 2)
    forget_dead_locks(tmp_path)

    assert not old.exists() and fresh.exists()


def test_a_name_with_a_line_end_is_rejected_and_shown_escaped(make_library, documents: Path):
    library = make_library("names", {})
    (documents / "names/a\nb.md").write_text("# A\n")

    assert reindex(library).rejected == [{"path": "a\\nb.md", "reason": "its name has control characters"}]


def test_a_heading_of_any_length_has_an_anchor_that_postgres_can_index(make_library):
    heading = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789äöüßé", k=9000))

    assert reindex(make_library("long", {"a.md": f"# {heading}\n\nText.\n\n# {heading}\n\nMore.\n"})).active
