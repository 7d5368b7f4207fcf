"""The audit, and what of it is shown to whom."""

import re
from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from ingestion.removing import remove_library
from knowledge.governance import audit
from knowledge.models import AuditEvent, Library, Membership
from knowledge.pages import audit as audit_pages
from tests.web.governance.conftest import FILES, PAGE, REVIEW, text


def test_the_audit_shows_what_belongs_to_ones_libraries(library, people, indexed, as_superuser):
    indexed("two", FILES)
    shown = text(people["librarian"].get("/audit/"))
    assert "snapshot.activate" in shown and "two@1" not in shown
    assert "two@1" in text(as_superuser.get("/audit/?library=two"))
    assert people["editor"].get("/audit/").status_code == 403


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
        return re.findall(r'<option value="([a-z.]+)">', text(client.get("/audit/", {"action": "review"})))

    everything = offered(as_superuser)
    assert everything == sorted(set(AuditEvent.objects.values_list("action", flat=True)))
    assert "session.open" in everything and "snapshot.activate" in offered(people["librarian"])
    assert "session.open" not in offered(people["librarian"])


def test_the_audit_leads_to_files_and_snapshots_that_are_still_there(library, people, as_superuser):
    for path, number in (("lending.md", 2), ("no.md", 9)):
        audit.record("test.link", library="one", document=path, snapshot=number)
    shown = text(as_superuser.get("/audit/?action=test.link"))
    assert f'<a class="file" href="{PAGE}">' in shown and '<a href="/libraries/one/snapshots/2">one@2</a>' in shown
    assert "one@9 <span" in shown and '<span class="file">no.md</span>' in shown
    assert f'<a class="file" href="{PAGE}">' in text(people["librarian"].get(f"{PAGE}?tab=history"))
    remove_library(library)
    gone = text(as_superuser.get("/audit/?action=test.link"))
    assert "one@2 <span" in gone and f'href="{PAGE}"' not in gone


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
