"""Sections are known again by their anchors, and where those are gone by their text."""

import json
from io import StringIO
from pathlib import Path

from django.core.management import call_command

from knowledge.changes.section_changes import Place, section_changes
from tests.conftest import reindex


def place(anchor: str, order: int, text: str = "", path: str = "a.md", under: tuple[str, ...] = ()) -> Place:
    return Place(path, anchor, (*under, anchor), order, text or f"text of {anchor}")


def told(before: list[Place], after: list[Place]) -> list[tuple[str, str]]:
    return [(str(each.change), (each.after or each.before).anchor) for each in section_changes(before, after)]


def test_equal_versions_differ_in_nothing_also_when_lines_were_put_before_them():
    sections = [place("a", 0), place("b", 1)]
    assert told(sections, sections) == []
    assert told(sections, [place("new", 0), place("a", 1), place("b", 2)]) == [("added", "new")]


def test_text_that_changed_is_told_from_text_that_moved():
    before = [place("a", 0), place("b", 1), place("c", 2)]
    after = [place("b", 0), place("c", 1, "other words"), place("a", 2)]
    assert told(before, after) == [("text changed", "c"), ("moved", "a")]


def test_a_section_under_another_heading_has_moved():
    assert told([place("a", 0, under=("one",))], [place("a", 0, under=("two",))]) == [("moved", "a")]


def test_a_section_that_was_renamed_or_went_to_another_file_is_known_by_its_text():
    [change] = section_changes([place("old", 0, "same")], [place("new", 0, "same", path="b.md")])
    assert (change.change, change.before.anchor, change.after.path) == ("moved", "old", "b.md")


def test_text_that_stands_twice_tells_nothing():
    before = [place("a", 0, "same"), place("b", 1, "same")]
    assert told(before, [place("c", 0, "same")]) == [("added", "c"), ("removed", "a"), ("removed", "b")]


def test_the_command_says_what_became_of_sections(make_library, documents: Path):
    library = make_library(
        "moving", {"a.md": "# A\n\nOne.\n\n## B\n\nTwo.\n\n## C\n\nThree.\n", "b.md": "# Same\n\nSame.\n"}
    )
    reindex(library)
    (documents / "moving/a.md").write_text("# A\n\nOne, put otherwise.\n\n## C\n\nThree.\n")
    (documents / "moving/c.md").write_text("# Elsewhere\n\n## B\n\nTwo.\n")
    reindex(library)
    out = StringIO()
    call_command("diff", "moving", "1", "2", "--sections", "--json", stdout=out)
    sections = {(row["change"], row["path"], row["anchor"]) for row in json.loads(out.getvalue())["sections"]}

    assert sections == {
        ("text changed", "a.md", "a"),
        ("added", "c.md", "elsewhere"),
        ("moved", "c.md", "b"),
    }
