"""The audit, and what of it is shown to whom."""

import ast
import csv
import re
from datetime import datetime

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from ingestion.removing import remove_library
from knowledge.governance import audit, audit_words
from knowledge.models import AuditEvent, Library, Membership
from knowledge.pages import audit as audit_pages
from tests.web.governance.conftest import FILES, PAGE, REVIEW, text

PARTS = ("knowledge", "ingestion", "retrieval", "config")


def test_the_audit_shows_what_belongs_to_ones_libraries(library, people, indexed, as_superuser):
    indexed("two", FILES)
    shown = text(people["librarian"].get("/audit/"))
    assert "Snapshot activated" in shown and "two, snapshot 1" not in shown
    assert "two, snapshot 1" in text(as_superuser.get("/audit/?library=two"))
    assert people["editor"].get("/audit/").status_code == 403


def test_every_act_that_is_recorded_has_words():
    """Also those that are made of a verb: none of their objects is without its verbs."""
    modules = [ast.parse(path.read_text()) for part in PARTS for path in (settings.BASE_DIR / part).rglob("*.py")]
    calls = (node for module in modules for node in ast.walk(module) if isinstance(node, ast.Call) and node.args)
    recorded = [call.args[0] for call in calls if ast.unparse(call.func) in ("record", "audit.record")]
    named = {act.value for act in recorded if isinstance(act, ast.Constant)}
    made = {act.values[0].value for act in recorded if isinstance(act, ast.JoinedStr)}
    assert len(named) > 30 and named <= audit_words.ACTS.keys()
    assert len(made) > 4 and all(any(name.startswith(one) for name in audit_words.ACTS) for one in made)


def test_the_audit_says_in_words_what_was_done(library, people, as_superuser):
    library.access, library.lexical_weight = "groups", 2.5
    library.save()
    audit.record("snapshot.plan", library=library, snapshot=2, at="2026-11-30T08:15:00+00:00")
    shown = text(as_superuser.get("/audit/"))
    assert ">Library’s settings changed</td>" in shown and "Weight of words: 1.0 → 2.5" in shown
    assert "Access: Everyone → Chosen groups" in shown and "At: 30 Nov 2026, 08:15" in shown
    assert ">Role given</td>" in shown and "Role: reviewer" in shown and "Account: reviewer" in shown
    day = r"\d+ \w+ \d{4}, \d\d:\d\d"
    assert re.search(rf'<time datetime="[^"]+" title="{day}:\d\d UTC">{day}</time>', shown)


def test_an_act_is_not_taken_for_another_that_begins_like_it(library, as_superuser):
    for name in ("snapshot.plan", "snapshot.plan_failed"):
        audit.record(name, library=library)
    found = as_superuser.get("/audit/", {"action": "snapshot.plan"}).context["events"]
    assert [event.action for event in found] == ["snapshot.plan"]


def test_what_is_exported_is_what_is_shown_and_no_more(library, people, as_superuser, monkeypatch, tmp_path):
    monkeypatch.setattr(audit_pages, "PAGE", 2)
    audit.record("document.withdraw", library=library, document="=1+1.md", reason="wrong; “old”")
    asked = {"library": "one"}
    pages = [as_superuser.get("/audit/", asked | {"page": page}).context["events"] for page in (1, 2, 3)]
    shown = [event.number for page in pages for event in page]
    kept = tmp_path / "audit.jsonl"
    kept.write_bytes(b"".join(as_superuser.get("/audit/", asked | {"as": "jsonl"})))
    call_command("audit_export", check=kept)
    answer = people["librarian"].get("/audit/", {"as": "csv"})
    assert answer["Content-Disposition"] == 'attachment; filename="audit.csv"'
    rows = list(csv.DictReader(b"".join(answer).decode().splitlines()))
    numbers = [int(row["event"]) for row in rows]
    assert numbers[-len(shown) :] == shown[::-1] and {row["library"] for row in rows} == {"one"}
    assert (rows[-1]["file"], rows[-1]["what was done"]) == ("'=1+1.md", "file withdrawn")
    assert rows[-1]["details"] == "Reason: wrong; “old”"
    assert people["outsider"].get("/audit/", {"as": "csv"}).status_code == 403


@pytest.mark.parametrize("is_told", [True, False])
def test_a_librarys_audit_begins_with_its_own_creation(library, people, make_library, as_superuser, documents, is_told):
    """Its slug was another's, which is gone."""
    audit.record("test.before", library="one", document="a.md")
    last = audit.record("test.before", library="one").number
    remove_library(library)
    if is_told:
        new = make_library("one", FILES)
    else:  # as from a fixture: without an event
        (new,) = Library.objects.bulk_create([Library(slug="one", kind="uploads", access="public")])
    Membership.objects.create(library=new, user=User.objects.get(username="librarian"), role="librarian")
    audit.record("test.after", library="one", document="a.md")

    def numbers(client: Client) -> list[int]:
        page = [event.number for event in client.get("/audit/?library=one").context["events"]]
        told = [event["number"] for event in client.get("/api/v1/libraries/one/audit/").json()["results"]]
        assert page == told[: len(page)] and page
        return page

    seen = numbers(people["librarian"])
    actions = set(AuditEvent.objects.filter(number__in=seen).values_list("action", flat=True))
    assert min(seen) > last and actions == {"membership.add", "test.after"} | ({"library.create"} if is_told else set())
    assert last in numbers(as_superuser)
    assert min(AuditEvent.objects.about("one", "a.md").values_list("number", flat=True)) == min(seen)


def test_the_audit_is_narrowed_by_how_an_act_a_name_or_a_path_begins(library, people, as_superuser):
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md"})
    for asked in ({"action": "review"}, {"action": "review.approve"}, {"actor": "review"}, {"path": "new"}):
        found = {event.action for event in as_superuser.get("/audit/", asked).context["events"]}
        assert "review.approve" in found and "library.create" not in found
    nothing = text(as_superuser.get("/audit/", {"action": "approve"}))
    assert "Nothing of this kind was done" in nothing and "found by how they begin" in nothing


def test_the_audit_offers_the_acts_that_occur_in_what_its_reader_may_audit(library, people, as_superuser):
    def offered(client: Client) -> list[str]:
        return re.findall(r'<option value="([a-z]+\.[a-z_]+)">', text(client.get("/audit/", {"action": "review"})))

    everything = offered(as_superuser)
    acts = set(AuditEvent.objects.values_list("action", flat=True))
    assert everything == sorted(acts, key=audit_words.act)
    assert "session.open" in everything and "snapshot.activate" in offered(people["librarian"])
    assert "session.open" not in offered(people["librarian"])


def test_the_audit_leads_to_files_and_snapshots_that_are_still_there(library, people, as_superuser):
    for path, number in (("lending.md", 2), ("no.md", 9)):
        audit.record("test.link", library="one", document=path, snapshot=number)
    shown = text(as_superuser.get("/audit/?action=test.link"))
    assert f'<a class="file" href="{PAGE}">' in shown
    assert '<a href="/libraries/one/snapshots/2">The handbook, snapshot 2</a>' in shown
    assert '<a href="/libraries/one/">The handbook</a>, snapshot 9 <span' in shown
    assert '<span class="file">no.md</span>' in shown
    assert f'<a class="file" href="{PAGE}">' in text(people["librarian"].get(f"{PAGE}?tab=history"))
    remove_library(library)
    gone = text(as_superuser.get("/audit/?action=test.link"))
    assert ">one, snapshot 2 <span" in gone and ">one (gone)</option>" in gone and f'href="{PAGE}"' not in gone


def test_the_audit_is_narrowed_to_days(library, as_superuser, monkeypatch):
    days = {day: datetime.fromisoformat(f"2020-02-{day}Z") for day in ("01T23:59:59.9", "02T00:00", "03T23:59:59.9")}
    for name, at in days.items():
        with monkeypatch.context() as then:
            then.setattr(timezone, "now", lambda at=at: at)
            audit.record(f"test.{name[:2]}")

    def found(**asked: str) -> list[str]:
        return [event.action for event in as_superuser.get("/audit/", {"action": "test"} | asked).context["events"]]

    assert found() == ["test.03", "test.02", "test.01"]
    assert found(**{"from": "2020-02-02"}) == ["test.03", "test.02"]
    assert found(to="2020-02-02") == ["test.02", "test.01"] and found(to="9999-12-31") == found()
    assert found(**{"from": "2020-02-02", "to": "2020-02-02"}) == ["test.02"]
    for bad in ("yesterday", "2020-02-30", "2020-02-02T10:00"):
        refused = as_superuser.get("/audit/", {"from": bad})
        assert refused.status_code == 400 and "A day is written like this" in text(refused)
    monkeypatch.setattr(audit_pages, "PAGE", 1)
    assert "?from=2020-02-02&amp;page=2" in text(as_superuser.get("/audit/", {"from": "2020-02-02"}))


def test_the_next_page_of_the_audit_is_of_the_same_kind(library, as_superuser, monkeypatch):
    monkeypatch.setattr(audit_pages, "PAGE", 1)
    shown = text(as_superuser.get("/audit/", {"library": "one", "actor": ""}))
    assert "?library=one&amp;page=2" in shown
