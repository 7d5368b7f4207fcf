"""benchmarks/refusals.py, before it asks anything."""

import sys

import pytest

from benchmarks import refusals
from knowledge.models import Library

pytestmark = pytest.mark.django_db


def test_a_set_that_lacks_something_is_refused_before_a_library_is_made(tmp_path, monkeypatch, capsys):
    for name in ("questions.jsonl", "unanswerable.jsonl"):
        (tmp_path / name).touch()
    assert refusals.fault(f"{tmp_path}=sample") is None
    for given, lacking in (("nosuch", "nosuch/questions.jsonl"), (str(tmp_path), f"{tmp_path}/documents")):
        monkeypatch.setattr(sys, "argv", ["refusals.py", given])
        with pytest.raises(SystemExit) as refused:
            refusals.main()
        assert refused.value.code == 2 and f"{lacking} is not there" in capsys.readouterr().err
    assert not Library.objects.exists()
