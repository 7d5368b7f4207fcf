"""What a source, a file name or a heading may try."""

import random
from pathlib import Path

import pytest

from ingestion.paths import fault_of_name
from tests.conftest import reindex


def test_a_name_with_a_line_end_is_rejected_and_shown_escaped(make_library, documents: Path):
    library = make_library("names", {})
    (documents / "names/a\nb.md").write_text("# A\n")

    assert reindex(library).rejected == [{"path": "a\\nb.md", "reason": "its name has control characters"}]


@pytest.mark.parametrize("unseen", ["\u202e", "\u2066", "\u200b", "\u2060", "\ufeff"])
def test_a_name_that_is_not_what_it_looks_like_is_no_file(unseen):
    assert fault_of_name(f"pay{unseen}dm.exe.md") == "its name has characters that nobody sees"


@pytest.mark.parametrize("name", ["نمی\u200cدانم.md", "क्\u200dष.md", "שלום.md"])
def test_what_scripts_are_joined_with_stays_in_names(name):
    assert fault_of_name(name) is None


def test_a_heading_of_any_length_has_an_anchor_that_postgres_can_index(make_library):
    heading = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789äöüßé", k=9000))

    assert reindex(make_library("long", {"a.md": f"# {heading}\n\nText.\n\n# {heading}\n\nMore.\n"})).active
