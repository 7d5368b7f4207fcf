"""What bin/demo does besides starting things."""

from collections.abc import Callable
from unittest.mock import Mock

import pytest

from config.local import demo
from config.local.home import CHECKOUT
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
        demo.allow_sample()
        roots = demo.os.environ["DIRECTORY_ROOTS"].split(",")
        assert roots == [*filter(None, [before]), str(CHECKOUT / "sample")]


def test_a_sample_that_was_read_before_need_not_be_read_again(indexed: Callable[..., Library], refused: Mock) -> None:
    indexed("sample", {"a.md": "# A\n"})
    assert "DIRECTORY_ROOTS" in demo.read_sample(must_read=False)
    with pytest.raises(demo.DemoError):
        demo.read_sample(must_read=True)


def test_a_sample_that_was_never_read_must_be(make_library: Callable[..., Library], refused: Mock) -> None:
    make_library("sample", {"a.md": "# A\n"})
    with pytest.raises(demo.DemoError):
        demo.read_sample(must_read=False)
