"""What is done to golden questions is told: a gate lets through what they find."""

import pytest
from django.contrib.auth.models import User

from ingestion.removing import remove_library
from knowledge.golden import Gold, Question
from knowledge.governance import gold
from knowledge.models import AuditEvent, GoldenQuestion, Library


@pytest.fixture
def library(db) -> Library:
    return Library.objects.create(slug="one", name="One", kind="uploads")


@pytest.fixture
def editor(db) -> User:
    return User.objects.create_user("editor")


def question(name: str) -> Question:
    return Question(name, f"{name}?", (Gold("a.md"),), "")


def told() -> list[tuple[str, dict]]:
    events = AuditEvent.objects.filter(action__startswith="golden.").order_by("number")
    return list(events.values_list("action", "details"))


def test_what_is_made_changed_and_removed_is_told(library):
    row = library.golden_questions.create(identifier="q", text="Late?", gold=[{"file": "a.md"}])
    row.active = False
    row.save()
    row.save()
    row.delete()
    assert told() == [
        ("golden.add", {"question": "q", "active": True}),
        ("golden.change", {"question": "q", "changes": {"active": [True, False]}}),
        ("golden.remove", {"question": "q", "active": False}),
    ]


def test_an_import_is_one_event(library, editor):
    counts = gold.take(library, [question("p"), question("q")], editor)
    gold.take(library, [question("p"), question("q")], editor)
    gold.take(library, [Question("p", "Other?", (Gold("b.md"),), "")], editor, replace=True)
    assert counts == {"added": 2, "changed": 0, "unchanged": 0, "switched off": 0}
    ((_, first), (_, second)) = told()
    assert first == {"replace": False, "counts": counts, "questions": {"added": ["p", "q"]}}
    assert second["questions"] == {"changed": ["p"], "switched off": ["q"]}
    assert second["counts"] == {"added": 0, "changed": 1, "unchanged": 0, "switched off": 1}
    assert AuditEvent.objects.filter(action="golden.import", actor="editor", library="one").count() == 2
    changed = GoldenQuestion.objects.get(identifier="p")
    assert (changed.text, changed.changed_by, changed.gold) == ("Other?", editor, [{"file": "b.md"}])


def test_switching_many_is_one_event_of_each_library(library, editor):
    other = Library.objects.create(slug="two", name="Two", kind="uploads")
    for one in (library, other):
        gold.take(one, [question("p"), question("q")], editor)
    library.golden_questions.filter(identifier="p").update(active=False)
    gold.switch(GoldenQuestion.objects.all(), editor, on=False)
    gold.switch(GoldenQuestion.objects.all(), editor, on=False)
    events = AuditEvent.objects.filter(action="golden.switch_off").order_by("library")
    assert [(event.library, event.details) for event in events] == [
        ("one", {"count": 1, "questions": ["q"]}),
        ("two", {"count": 2, "questions": ["p", "q"]}),
    ]
    assert not GoldenQuestion.objects.active().exists()


def test_a_library_that_goes_is_one_event(library, editor):
    gold.take(library, [question("p"), question("q")], editor)
    remove_library(library)
    assert not AuditEvent.objects.filter(action="golden.remove").exists()
