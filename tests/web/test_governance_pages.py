"""Review, publication, withdrawal, members and the audit, as somebody does them on the pages and over REST."""

import json
import re
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from ingestion.collecting import drop_snapshot
from ingestion.erasing import erase
from ingestion.jobs import run_build
from ingestion.removing import remove_library
from ingestion.sources import SourceError
from knowledge.access import MAY, Act, may, those_who_may
from knowledge.accounts.invitations import find, open_invitations
from knowledge.governance import audit, query_log
from knowledge.governance.sight import readers
from knowledge.governance.withdrawal import restore, withdraw
from knowledge.models import (
    AuditEvent,
    Decision,
    DocumentFile,
    GateRun,
    Invitation,
    Job,
    Library,
    Membership,
    PlannedActivation,
    Snapshot,
)
from knowledge.pages import audit as audit_pages
from knowledge.upkeep import run_due
from tests.conftest import begun_elsewhere, write

FILES = {"lending.md": "# Lending\n\nA bike is lent for three days.\n", "old.md": "# Old\n\nThe coal stove.\n"}
REVIEW = "/libraries/one/review/"
NOT_YET = {"activate": False, "force": True}
PAGE = "/libraries/one/document/lending.md"


@pytest.fixture
def people(db) -> dict[str, Client]:
    found = {}
    for name in ("editor", "reviewer", "librarian", "outsider"):
        found[name] = Client()
        found[name].force_login(User.objects.create_user(name))
    return found


@pytest.fixture
def library(indexed, documents, people) -> Library:
    library = indexed("one", FILES, name="The handbook")
    library.requires_review = True
    library.save()
    for name in ("editor", "reviewer", "librarian"):
        Membership.objects.create(library=library, user=User.objects.get(username=name), role=name)
    write(
        documents / "one", {"lending.md": FILES["lending.md"].replace("three", "five"), "new.md": "# New\n\nA bell.\n"}
    )
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    library.refresh_from_db()
    return library


def active(library: Library) -> int:
    library.refresh_from_db()
    return library.active_snapshot.number


def text(response) -> str:
    return response.content.decode()


def test_from_the_diff_to_the_published_snapshot_and_back(library, people):
    shown = text(people["reviewer"].get(REVIEW))
    assert "2 files would change" in shown and "asked for by editor" in shown and "2 passages gained, 1 lost" in shown
    diff = text(people["reviewer"].get(f"{REVIEW}2/lending.md"))
    assert "A bike is lent for <del>three </del><ins>five </ins>days." in diff and "1 passage gained" in diff
    answer = people["editor"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"}, follow=True)
    assert "may not review" in text(answer) and "somebody else decides" in text(answer)
    answer = people["reviewer"].post(
        REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md", "comment": "good"}, follow=True
    )
    assert "1 file approved" in text(answer)
    answer = people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "publish"}, follow=True)
    assert "may not publish" in text(answer) and active(library) == 1
    answer = people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"}, follow=True)
    shown = text(answer)
    assert "Snapshot 3 is active; 1 file stays as it was; 1 is undecided, until the next build brings" in shown
    assert "1 undecided change of " in shown and "comes again with the next build" in shown
    assert "Read it in again" in shown
    again = people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"}, follow=True)  # from another tab
    assert "one@2: what is approved of it is active already" in text(again) and active(library) == 3
    answer = people["librarian"].post(REVIEW, {"do": "rollback", "snapshot": 1}, follow=True)
    assert "Snapshot 1 is active again" in text(answer) and active(library) == 1


def test_what_was_rolled_back_is_found_again_and_activated(library, people):
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    shown = text(people["librarian"].post(REVIEW, {"do": "rollback", "snapshot": 1}, follow=True))
    assert "can be activated again below" in shown and "?snapshot=2#Publish" in shown
    assert '<a href="/libraries/one/snapshots/2">2</a>' in shown.partition('id="Activations"')[2]
    assert f'href="{REVIEW}?snapshot=2"' in text(people["librarian"].get("/libraries/one/snapshots/2"))
    assert "Approve the chosen files" not in text(people["librarian"].get(f"{REVIEW}?snapshot=2"))
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    assert active(library) == 2
    shown = text(people["librarian"].get(REVIEW))
    assert "Roll back to snapshot 1" in shown and "Activate snapshot 1 again" not in shown
    drop_snapshot(library.snapshots.get(number=1))
    assert "/libraries/one/snapshots/1" not in text(people["librarian"].get(REVIEW))


def test_of_what_was_active_before_all_becomes_active_and_the_page_says_so(library, people):
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    people["librarian"].post(REVIEW, {"do": "rollback", "snapshot": 1})
    shown = text(people["librarian"].get(REVIEW, {"snapshot": 2}))
    assert "It was active before: all of it becomes active as it was" in shown and ">Activate it then<" in shown
    assert "undecided" not in shown and "what is approved" not in shown


def test_what_is_active_is_not_activated_again(library, people):
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    for _ in ("once", "from another tab"):
        told = people["librarian"].post(REVIEW, {"snapshot": 2, "active": "1", "do": "publish"}, follow=True)
        assert "Snapshot 2 is active" in text(told)
    assert AuditEvent.objects.filter(action="snapshot.activate", library="one", snapshot=2).count() == 1
    shown = text(people["librarian"].get(REVIEW, {"snapshot": 2}))
    assert "It is active." in shown and 'id="Publish"' not in shown and "can be activated as it is" not in shown


def test_what_waits_beside_what_is_active_is_said_where_its_build_ends(library, people):
    job = Job.objects.get(library=library, snapshot__number=2)
    told, page = (text(people["librarian"].get(at)) for at in (f"/jobs/{job.pk}/", "/libraries/one/"))
    assert "Snapshot 2 is ready and not active yet" in told and "Ask it something" not in told
    assert ">snapshot 2 waits</a>" in page
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    told, page = (text(people["librarian"].get(at)) for at in (f"/jobs/{job.pk}/", "/libraries/one/"))
    assert "not active yet" not in told and "Ask it something" in told and "2 waits" not in page


def test_only_the_newest_build_waits_and_none_that_is_older_than_what_was_active(library, documents, people):
    write(documents / "one", {"more.md": "# More\n"})
    run_build(Job.objects.create(library=library))
    shown = text(people["reviewer"].get(REVIEW))
    assert "snapshot 3 waits" in shown and "snapshot 2 waits" not in shown
    assert "snapshot 2</a> of " in shown.partition("Older builds")[2]
    first = Job.objects.get(library=library, snapshot__number=2)
    assert "is ready and not active yet" not in text(people["librarian"].get(f"/jobs/{first.pk}/"))
    people["reviewer"].post(REVIEW, {"snapshot": 3, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 3, "do": "publish"})
    people["librarian"].post(REVIEW, {"do": "rollback", "snapshot": 1})
    assert "Nothing waits for review" in text(people["librarian"].get(REVIEW))
    for address in ("/libraries/one/", "/dashboard/"):
        assert "?snapshot=2" not in text(people["librarian"].get(address))


def test_what_is_decided_is_what_was_shown(library, documents, people):
    """A newer candidate has come since the page was opened."""
    write(documents / "one", {"late.md": "# Late\n\nNobody has seen this.\n"})
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    assert set(Decision.objects.values_list("snapshot__number", flat=True)) == {2}
    assert "Nothing waits here" in text(people["reviewer"].post(REVIEW, {"do": "approve", "all": "1"}, follow=True))
    refused = people["librarian"].post(REVIEW, {"do": "rollback", "snapshot": 2}, follow=True)
    assert "no older snapshot" in text(refused) and active(library) == 1
    shown = text(people["librarian"].get(REVIEW, {"snapshot": 2}))
    assert shown.count('<input type="hidden" name="snapshot" value="2">') >= 2


def test_what_is_decided_is_compared_with_what_was_shown(library, documents, people):
    """Another snapshot has become active since the pages were opened, and the candidate changes other files of it."""
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    write(documents / "one", {"late.md": "# Late\n\nIt is late.\n"})
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    shown, of_file = (text(people["reviewer"].get(address)) for address in (REVIEW, f"{REVIEW}3/late.md"))
    assert "1 file would change" in shown
    (active_then,) = {
        number for page in (shown, of_file) for number in re.findall(r'name="active" value="(.*?)"', page)
    }
    assert active_then == "2"
    people["librarian"].post(REVIEW, {"do": "rollback", "snapshot": 1})
    sent = {"snapshot": 3, "active": active_then, "do": "approve"}
    for more in ({"all": "1"}, {"path": "late.md"}, {"path": "late.md", "then": ""}):
        told = people["reviewer"].post(REVIEW, sent | more, follow=True)
        assert "Another snapshot is active by now: look at what would change." in text(told)
    refused = api(people["reviewer"], "review", snapshot=3, verdict="approved", active=2)
    assert refused.status_code == 400 and "another snapshot is active by now" in refused.json()["detail"]
    assert not Decision.objects.filter(snapshot__number=3).exists()
    now = api(people["reviewer"], "review").json()["active"]
    assert api(people["reviewer"], "review", snapshot=3, verdict="approved", active=now).status_code == 200
    assert Decision.objects.filter(snapshot__number=3).count() == 3


def test_what_is_activated_is_compared_with_what_was_shown(library, documents, people, as_superuser):
    """A newer snapshot has become active since the page was opened: it is not taken back."""
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    Library.objects.update(gate_may_fall=9)
    library.golden_questions.create(identifier="late", text="For how long?", gold=[{"file": "lending.md"}])
    for client, forms in ((people["librarian"], 2), (as_superuser, 3)):
        assert text(client.get(REVIEW)).count('name="active" value="1"') == forms
    write(documents / "one", {"late.md": "# Late\n\nIt is late.\n"})
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    people["reviewer"].post(REVIEW, {"snapshot": 3, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 3, "active": "1", "do": "publish"})
    assert active(library) == 3
    told = text(people["librarian"].post(REVIEW, {"snapshot": 2, "active": "1", "do": "publish"}, follow=True))
    assert "Another snapshot is active by now: look at what would change." in told and active(library) == 3
    refused = api(people["librarian"], "activate", snapshot=2, active=1)
    assert refused.status_code == 409 and "by now" in refused.json()["detail"] and active(library) == 3
    people["librarian"].post(REVIEW, {"do": "rollback", "snapshot": 1})
    assert api(people["librarian"], "activate", snapshot=2, active=1).json()["active"] == active(library) == 2


def test_what_becomes_active_while_a_snapshot_is_prepared_is_not_taken_back(library, documents, people, monkeypatch):
    write(documents / "one", {"late.md": "# Late\n\nIt is late.\n"})
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    for number in (2, 3):
        people["reviewer"].post(REVIEW, {"snapshot": number, "do": "approve", "all": "1"})
    newer = library.snapshots.get(number=3)
    monkeypatch.setattr(Snapshot, "prepare", lambda _: Library.objects.update(active_snapshot=newer))
    told = text(people["librarian"].post(REVIEW, {"snapshot": 2, "active": "1", "do": "publish"}, follow=True))
    assert "Another snapshot is active by now" in told and active(library) == 3


def test_what_is_decided_on_a_files_own_page_leads_back_to_the_list_where_it_is_not_changed_any_more(library, people):
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    sent = {"snapshot": 2, "active": 1, "path": "new.md", "then": "lending.md", "do": "reject", "comment": "No."}
    told = people["reviewer"].post(REVIEW, sent, follow=True)
    assert told.request["PATH_INFO"] == REVIEW and "Another snapshot is active by now" in text(told)


def test_before_anything_is_active_that_is_what_was_shown(documents, people):
    write(documents / "first", {"a.md": "# A\n\nText.\n"})
    location = str(documents / "first")
    first = Library.objects.create(slug="first", name="F", kind="directory", location=location, requires_review=True)
    Membership.objects.create(library=first, user=User.objects.get(username="reviewer"), role="reviewer")
    run_build(Job.objects.create(library=first))
    page = "/libraries/first/review/"
    assert 'name="active" value="0"' in text(people["reviewer"].get(page))
    sent = json.dumps({"snapshot": 1, "verdict": "rejected", "comment": "No.", "active": None})
    address = "/api/v1/libraries/first/review/"
    assert people["reviewer"].post(address, sent, content_type="application/json").status_code == 200
    people["reviewer"].post(page, {"snapshot": 1, "active": "0", "do": "approve", "path": "a.md"})
    assert list(Decision.objects.values_list("verdict", flat=True)) == ["approved", "rejected"]


def test_of_what_changes_no_file_nothing_is_to_be_decided(library, documents, people):
    write(documents / "one", {"lending.md": FILES["lending.md"]})
    (documents / "one/new.md").unlink()
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor"), options=NOT_YET))
    Membership.objects.filter(user__username="editor").update(role="librarian")
    shown = text(people["editor"].get(REVIEW, {"snapshot": 3}))
    assert "0 files would change" in shown and "nothing is to be decided" in shown and "Activate it" in shown
    assert "somebody else decides" not in shown and "Approve the chosen" not in shown


def test_who_asked_for_a_snapshot_is_told_who_may_decide(library, people):
    assert "decides about it: a reviewer or librarian of this library." in text(people["editor"].get(REVIEW))
    Membership.objects.filter(user__username="editor").update(role="librarian")
    assert "decides about it: librarian, reviewer." in text(people["editor"].get(REVIEW))
    Membership.objects.exclude(user__username="editor").delete()
    shown = text(people["editor"].get(REVIEW))
    assert "nobody else may yet" in shown and '<a href="/libraries/one/members">Invite a reviewer</a>' in shown


@pytest.mark.parametrize("access", ["public", "signed-in", "groups"])
def test_those_who_may_now_or_might_then_are_those_of_whom_may_says_so(library, people, superuser, access):
    groups = {name: Group.objects.get_or_create(name=name)[0] for name in [*MAY, "staff"]}
    library.groups.add(groups["staff"])
    for name, group in groups.items():
        User.objects.create_user(f"every {name}").groups.add(group)
        User.objects.create_user(f"every {name} of the staff").groups.add(group, groups["staff"])
    Membership.objects.create(library=library, user=User.objects.create_user("guest"), role="reader")
    Membership.objects.create(library=library, user=User.objects.create_user("gone", is_active=False), role="reviewer")
    library.access = access
    library.save()
    for act in Act:
        wanted = [user for user in User.objects.filter(is_active=True).order_by("username") if may(user, act, library)]
        if act != Act.READ:
            assert list(those_who_may(act, library)) == wanted
        might = readers(library.pk, access, timezone.now(), act)
        assert might == tuple(sorted(user.username for user in wanted)), act


def test_nothing_is_activated_before_something_is_approved(library, people):
    shut = '<button name="do" value="publish" disabled data-shut>Activate what is approved</button>'
    opened = '<button name="do" value="publish">Activate what is approved</button>'
    shown = text(people["librarian"].get(REVIEW))
    assert shut in shown and "Nothing is approved yet." in shown
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md"})
    assert opened in text(people["librarian"].get(REVIEW))
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    again = '<button name="do" value="publish">Activate it</button>'
    assert again in text(people["librarian"].get(REVIEW, {"snapshot": 1}))


def test_what_is_hard_to_take_back_is_asked_once_more_without_javascript(library, people):
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    people["librarian"].post("/libraries/one/members", {"do": "invite", "name": "Ann", "role": "reader"})
    people["librarian"].post("/tokens", {"do": "make", "name": "laptop", "scopes": ["search"], "days": "30"})
    for address, values in (
        (REVIEW, ["publish"]),
        (PAGE, ["trash"]),
        ("/libraries/one/members", ["remove", "remove", "remove", "withdraw"]),
        ("/tokens", ["revoke"]),
    ):
        asked = re.findall(r'<details class="sure">.*?</details>', text(people["librarian"].get(address)), re.DOTALL)
        assert [re.findall(r'value="(\w+)"', one) for one in asked] == [[value] for value in values], address
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    asked = re.findall(r'<details class="sure">.*?</details>', text(people["librarian"].get(REVIEW)), re.DOTALL)
    assert ['value="rollback"' in one for one in asked] == [True]


def test_the_gate_is_overridden_where_there_is_one_and_apart_from_the_ordinary_button(library, as_superuser):
    assert 'name="override"' not in text(as_superuser.get(REVIEW))
    Library.objects.update(gate_minimum=0.5)
    assert "<details><summary>Override the gate</summary>" in text(as_superuser.get(REVIEW))


def test_a_gate_that_the_operator_overrode_is_not_said_to_have_refused(library, people):
    Library.objects.update(gate_minimum=0.5)
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    call_command("activate", "one", "2", override="agreed by telephone")
    shown = text(people["librarian"].get(f"{REVIEW}?snapshot=2"))
    assert "overridden by the operator: agreed by telephone" in shown and "not passed" not in shown


def test_a_file_that_is_taken_away_because_it_cannot_be_read_says_why(library, documents, people):
    (documents / "one" / "old.md").write_bytes(b"%PDF-1.4\n\0\1\2\xff")
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    shown = text(people["reviewer"].get(REVIEW))
    assert "old.md" in shown and "it could not be read: " in shown
    newest = library.snapshots.latest("number").number
    assert "It could not be read: " in text(people["reviewer"].get(f"{REVIEW}{newest}/old.md"))
    (documents / "one" / "old.md").unlink()
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    shown = text(people["reviewer"].get(REVIEW))
    assert "old.md" in shown and "it could not be read" not in shown


def test_new_files_that_could_not_be_read_are_said(library, documents, people):
    (documents / "one" / "broken.pdf").write_bytes(b"%PDF-1.4\n\0\1\2\xff")
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    told = text(people["reviewer"].get(REVIEW)).partition("1 file could not be read and is not in it")[2]
    assert '<span class="file">broken.pdf</span>' in told


def test_a_library_whose_first_snapshot_waits_says_so(documents, people):
    write(documents / "first", {"a.md": "# A\n\nText.\n"})
    library = Library.objects.create(
        slug="first", name="First", kind="directory", location=str(documents / "first"), requires_review=True
    )
    Membership.objects.create(library=library, user=User.objects.get(username="librarian"), role="librarian")
    page = "/libraries/first/"
    assert "has not been read in yet" in text(people["librarian"].get(page))
    job = Job.objects.create(library=library)
    assert "is being read in" in text(people["librarian"].get(page))
    run_build(job)
    told = text(people["librarian"].get(f"/jobs/{job.pk}/"))
    assert f'<a href="{page}review/?snapshot=1">It waits for review</a>' in told and "Ask it something" not in told
    assert "It waits for review" in text(people["librarian"].get(page))


def test_a_source_that_lost_most_of_its_files_is_said_on_the_job_and_on_the_review(indexed, documents, as_superuser):
    many = indexed("many", {f"{n}.md": f"# {n}\n" for n in range(12)})
    Library.objects.update(requires_review=True)
    for n in range(9):
        (documents / f"many/{n}.md").unlink()
    run_build(job := Job.objects.create(library=Library.objects.get(pk=many.pk)))
    told = text(as_superuser.get(f"/jobs/{job.pk}/")).partition('id="Events"')[0]
    assert "Only 3 files are left of 12; it is not active" in told and "rollback" not in told
    assert "Only 3 files are left of 12. If that is a mistake" in text(as_superuser.get("/libraries/many/review/"))


def test_who_may_not_open_jobs_is_led_to_none(documents, people):
    library = Library.objects.create(slug="first", name="First", kind="directory", location=str(documents / "none"))
    for name in ("editor", "reviewer", "librarian"):
        Membership.objects.create(library=library, user=User.objects.get(username=name), role=name)
    job = Job.objects.create(library=library)
    for says in ("is being read in", "could not be read in"):
        for name, led in (("editor", False), ("reviewer", False), ("librarian", True)):
            told = text(people[name].get("/libraries/first/"))
            assert says in told and (f'<a href="/jobs/{job.pk}/">' in told) is led
        if says == "is being read in":
            with pytest.raises(SourceError):
                run_build(job)


def test_planning_and_asking_the_gate(library, people):
    refused = people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"}, follow=True)
    assert "has no golden questions" in text(refused) and not GateRun.objects.exists()
    assert "Ask them now" not in text(refused)
    library.golden_questions.create(identifier="late", text="For how long?", gold=[{"file": "lending.md"}])
    assert "1 question asked" in text(people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"}, follow=True))
    later = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    assert "Planned for" in text(
        people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": later}, follow=True)
    )
    assert "no date" in text(people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": "soon"}, follow=True))
    assert "Nothing was to be done" in text(
        people["librarian"].post(REVIEW, {"snapshot": 2, "do": "dance"}, follow=True)
    )


def test_questions_that_were_asked_without_a_bar_are_no_gate(library, people):
    library.golden_questions.create(identifier="late", text="For how long?", gold=[{"file": "lending.md"}])
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"})
    assert GateRun.objects.get().passed and ">passed<" not in text(people["librarian"].get("/dashboard/"))
    Library.objects.update(gate_may_fall=0)
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"})
    assert ">passed<" in text(people["librarian"].get("/dashboard/"))


def test_the_gate_is_said_to_refuse_only_what_was_to_be_activated(library, people):
    library.golden_questions.create(identifier="none", text="Who sings?", gold=[{"file": "none.md"}])
    Library.objects.update(gate_minimum=1)
    shown = text(people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"}, follow=True))
    assert "asked of all of snapshot 2" in shown and ">not passed<" in shown and "The gate refused" not in shown
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    shown = text(people["librarian"].get(REVIEW))
    assert "The gate refused what was approved of snapshot 2 on" in shown and "of what was approved of it then" in shown
    assert f'<a href="{REVIEW}?snapshot=2"><span class="state failed">' in text(people["librarian"].get("/dashboard/"))


def test_a_plan_is_cancelled(library, people):
    later = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": later})
    assert "Cancel the plan" in text(people["librarian"].get(REVIEW))
    cancel = {"snapshot": 2, "do": "cancel-plan"}
    assert "may not publish" in text(people["reviewer"].post(REVIEW, cancel, follow=True))
    shown = text(people["librarian"].post(REVIEW, cancel, follow=True))
    assert "not activated by itself" in shown and "Cancel the plan" not in shown
    assert not PlannedActivation.objects.exists()
    event = AuditEvent.objects.get(action="snapshot.cancel_plan")
    assert (event.library, event.snapshot, event.actor) == ("one", 2, "librarian")
    assert "Nothing is planned any more" in text(people["librarian"].post(REVIEW, cancel, follow=True))


def test_a_plan_is_found_again_behind_a_newer_build(library, documents, people):
    later = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": later})
    write(documents / "one", {"more.md": "# More\n"})
    run_build(Job.objects.create(library=library))
    for address in ("/libraries/one/", "/dashboard/"):
        assert "snapshot 2 is planned for " in text(people["librarian"].get(address))
    shown = text(people["librarian"].get(REVIEW))
    assert "Snapshot 3: " in shown and "Snapshot 2</a> is planned for " in shown
    assert "Cancel the plan" in shown and "Cancel the plan" not in text(people["reviewer"].get(REVIEW))
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "cancel-plan"})
    assert "is planned for" not in text(people["librarian"].get("/dashboard/"))


def test_a_plan_that_did_nothing_says_so_and_why(library, people):
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": timezone.now().isoformat()})
    run_due()
    shown = text(people["librarian"].get(REVIEW))
    assert "by librarian; nothing was activated: one@2: nothing that it changes is approved." in shown
    assert "Cancel the plan" not in shown
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "plan", "at": timezone.now().isoformat()})
    assert "nothing was activated" not in text(people["librarian"].get(REVIEW))
    run_due()
    assert active(library) == 3
    assert "nothing was activated" not in text(people["librarian"].get(f"{REVIEW}?snapshot=2"))


def test_what_readers_asked_is_not_counted_as_golden(library, people):
    Library.objects.update(query_log="full")
    library.golden_questions.create(identifier="late", text="For how long?", gold=[{"file": "lending.md"}])
    query_log.note(None, "question", "How many days is a bike lent?", ["one"])
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "gate"})
    shown = text(people["reviewer"].get(REVIEW))
    assert "<span>1 asked on" in shown and "1 golden and 1 asked by readers find other passages" in shown
    assert "How many days is a bike lent? <small>asked by a reader</small>" in shown
    assert "For how long?</th>" in shown


def test_files_are_chosen_before_they_are_decided(library, people):
    shown = text(people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve"}, follow=True))
    assert "Choose at least one file." in shown and not Decision.objects.exists()
    assert shown.index("all that are undecided") < shown.index("Approve the chosen files")


def test_where_all_is_rejected_the_page_says_what_comes_of_it(library, documents, people, as_superuser):
    (documents / "one/old.md").unlink()
    run_build(Job.objects.create(library=library))

    def waits() -> set[bool]:
        lists = [(people["librarian"], "/libraries/one/"), (people["librarian"], "/dashboard/")]
        lists += [(as_superuser, "/admin/knowledge/library/")]
        return {"?snapshot=3" in text(client.get(address)) for client, address in lists}

    some = {"snapshot": 3, "do": "reject", "path": ["lending.md", "new.md"], "comment": "out of date"}
    people["reviewer"].post(REVIEW, some)
    assert waits() == {True}
    everything = {"snapshot": 3, "do": "reject", "all": "1", "comment": "out of date"}
    shown = text(people["reviewer"].post(REVIEW, everything, follow=True))
    assert "All of it is rejected: what is active stays" in shown and waits() == {False}
    people["reviewer"].post(REVIEW, {"snapshot": 3, "do": "approve", "path": "new.md"})
    assert "All of it is rejected" not in text(people["reviewer"].get(REVIEW)) and waits() == {True}


def test_the_dashboard_tells_the_gate_of_what_is_active_or_waits(library, people):
    GateRun.objects.create(snapshot=library.snapshots.get(number=2), questions=1, may_fall=0, passed=False)
    assert ">not passed<" in text(people["librarian"].get("/dashboard/"))
    everything = {"snapshot": 2, "do": "reject", "all": "1", "comment": "out of date"}
    people["reviewer"].post(REVIEW, everything)
    assert ">not passed<" not in text(people["librarian"].get("/dashboard/"))


def test_what_was_rejected_before_is_said_and_not_approved_with_all(library, documents, people):
    rejected = {"snapshot": 2, "do": "reject", "path": "new.md", "comment": "It is no bell."}
    people["reviewer"].post(REVIEW, rejected)
    write(documents / "one", {"more.md": "# More\n"})
    run_build(Job.objects.create(library=library))
    said = "rejected in snapshot 2 by reviewer: It is no bell."
    shown = text(people["reviewer"].get(REVIEW))
    assert said in shown and "all that are undecided, but for 1 that was rejected before" in shown
    assert said in text(people["reviewer"].get(f"{REVIEW}3/new.md"))
    changes = {row["path"]: row["rejected_before"] for row in api(people["reviewer"], "review").json()["changes"]}
    assert changes["more.md"] is None
    assert (changes["new.md"]["snapshot"], changes["new.md"]["comment"]) == (2, "It is no bell.")
    shown = text(people["reviewer"].post(REVIEW, {"snapshot": 3, "do": "approve", "all": "1"}, follow=True))
    assert "2 files approved; 1 that was rejected before is to be chosen." in shown
    assert not Decision.objects.filter(snapshot__number=3, document_file__path="new.md").exists()


def test_files_that_one_brought_are_said_to_be_ones_own(library, people):
    version = library.document_files.get(path="new.md").versions.get()
    reviewer = User.objects.get(username="reviewer")
    library.uploads.create(path="new.md", sha256=version.sha256, size=1, uploaded_by=reviewer)
    shown = text(people["reviewer"].get(REVIEW))
    assert ">yours</small>" in shown and 'aria-label="Choose new.md"' not in shown
    assert 'aria-label="Choose new.md"' in text(people["librarian"].get(REVIEW))
    page = text(people["reviewer"].get(f"{REVIEW}2/new.md"))
    assert "somebody else decides about it" in page and "Approve this file" not in page
    shown = text(people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"}, follow=True))
    assert "1 file approved; 1 that you brought is for somebody else." in shown


def test_a_file_is_decided_on_its_own_page_which_leads_to_the_next(library, people):
    page = f"{REVIEW}2/lending.md"
    assert "Approve this file" not in text(people["editor"].get(page))
    shown = text(people["reviewer"].get(page))
    assert f'<a rel="next" href="{REVIEW}2/new.md">' in shown
    decided = {"snapshot": 2, "path": "lending.md", "then": "new.md", "do": "reject"}
    refused = people["reviewer"].post(REVIEW, decided, follow=True)
    assert "Reject this file" in text(refused) and "Say why it is rejected." in text(refused)
    after = people["reviewer"].post(REVIEW, decided | {"do": "approve"}, follow=True)
    assert after.request["PATH_INFO"] == f"{REVIEW}2/new.md" and "1 file approved" in text(after)
    last = people["reviewer"].post(REVIEW, {"snapshot": 2, "path": "new.md", "then": "", "do": "approve"}, follow=True)
    assert last.request["PATH_INFO"] == REVIEW
    assert "A librarian of this library activates what is approved." in text(last)
    assert "somebody else decides" not in text(people["editor"].get(REVIEW))


@pytest.mark.parametrize("tab", ["details", "versions", "chunks", "history", "permissions", "answers"])
def test_every_tab_opens_with_few_questions(library, people, tab, django_assert_max_num_queries):
    people["librarian"].post("/chat", {"q": "For how long is a bike lent?"})
    with django_assert_max_num_queries(20):
        response = people["librarian"].get(PAGE, {"tab": tab})
    assert response.status_code == 200
    assert people["librarian"].get(PAGE, {"tab": "nothing"}).status_code == 404


def test_a_withdrawn_file_says_why_and_comes_back(library, people, client):
    library.access = "public"
    library.save()
    assert "Say why" in text(people["librarian"].post(PAGE, {"do": "withdraw"}, follow=True))
    assert "is withdrawn" in text(people["librarian"].post(PAGE, {"do": "withdraw", "reason": "wrong"}, follow=True))
    assert client.get("/read/one/lending.md").status_code == 404
    assert "may not withdraw" in text(people["editor"].post(PAGE, {"do": "restore"}, follow=True))
    people["librarian"].post(PAGE, {"do": "restore"})
    assert client.get("/read/one/lending.md").status_code == 200
    people["librarian"].post(PAGE, {"do": "trash", "reason": "old"})
    assert DocumentFile.objects.get(path="lending.md").state == "in the trash"


def test_owner_tags_and_review_by_are_kept(library, people):
    values = {"do": "keep", "owner": "reviewer", "tags": "bikes, lending,", "review_by": "2026-12-31"}
    people["editor"].post(PAGE, values)
    document = DocumentFile.objects.get(path="lending.md")
    assert (document.owner.username, document.tags, str(document.review_by)) == (
        "reviewer", ["bikes", "lending"], "2026-12-31",
    )  # fmt: skip
    assert AuditEvent.objects.get(action="document.settings").details["changes"]["owner"] == [None, "reviewer"]
    for wrong in ({"owner": "nobody"}, {"review_by": "31.12."}, {"review_by": "2026-02-31"}):
        assert "notice" in text(people["editor"].post(PAGE, values | wrong, follow=True))
    document.refresh_from_db()
    assert document.owner.username == "reviewer"


def test_details_that_another_has_changed_meanwhile_are_left_as_they_are(library, people):
    page = text(people["editor"].get(PAGE))
    sent = dict(re.findall(r'<input[^>]* name="((?:initial-)?(?:owner|review_by|tags))" value="([^"]*)"', page))
    assert len(sent) == 6
    people["librarian"].post(PAGE, sent | {"do": "keep", "owner": "reviewer", "tags": "bikes"})
    people["editor"].post(PAGE, sent | {"do": "keep", "review_by": "2026-12-31"})
    document = DocumentFile.objects.get(path="lending.md")
    assert (document.owner.username, document.tags, str(document.review_by)) == ("reviewer", ["bikes"], "2026-12-31")
    told = text(people["librarian"].post(PAGE, sent | {"do": "keep", "review_by": "2027-01-31"}, follow=True))
    assert "somebody has meanwhile changed by when it is to be looked at again." in told
    told = text(people["editor"].post(PAGE, sent | {"do": "keep", "tags": "lending"}, follow=True))
    assert "Nothing was saved: somebody has meanwhile changed the tags." in told
    assert 'name="tags" value="lending"' in told and 'name="initial-tags" value="bikes"' in told
    assert 'name="owner" value="reviewer"' in told  # what the other has changed, and this one has not
    document.refresh_from_db()
    assert document.tags == ["bikes"]


def test_who_could_see_it_then(library, people):
    before = timezone.now()
    library.access = "groups"
    library.save()
    Membership.objects.get(user__username="editor").delete()
    closed = timezone.now()
    withdraw(DocumentFile.objects.get(path="lending.md"), None, "wrong")

    def asked(at=None) -> str:
        return text(people["librarian"].get(PAGE, {"tab": "permissions"} | ({"at": at.isoformat()} if at else {})))

    assert "without an account" in asked(before) and "<li>outsider</li>" in asked(before)
    assert "<li>reviewer</li>" in asked(closed) and "<li>outsider</li>" not in asked(closed)
    assert "<li>editor</li>" not in asked(closed)
    assert "It was withdrawn: wrong." in asked() and "Nobody." not in asked()
    inspecting = set(re.findall(r"<li>(\w+)</li>", asked()))
    assert inspecting == {user.username for user in those_who_may(Act.INSPECT, library)} == {"librarian", "reviewer"}
    assert "A bike is lent" in text(people["reviewer"].get(PAGE, {"tab": "chunks"}))
    assert "not known then" in asked(before - timedelta(days=1))
    assert people["librarian"].get(PAGE, {"tab": "permissions", "at": "2024-13-01T00:00"}).status_code == 404


def test_what_was_erased_is_not_offered_as_if_it_came_back(library, people):
    erase(library.document_files.get(path="lending.md"), None, "they asked for it")
    shown = text(people["librarian"].get(PAGE))
    assert ">erased<" in shown and "What was erased does not come back." in shown and 'value="restore"' in shown
    assert "found and read again" not in shown and 'value="trash"' not in shown
    assert ">Erased files<" in text(people["librarian"].get("/libraries/one/withdrawn"))
    restored = text(people["librarian"].post(PAGE, {"do": "restore"}, follow=True))
    command = "manage.py unindex &#x27;^lending\\.md$&#x27; --library one --restore --yes"
    assert command in shown
    said = "is not there; a new file of this path is seen once an operator lets it in: "
    assert said + command in restored and "visible" not in restored
    call_command("unindex", r"^lending\.md$", "--library", "one", "--restore", "--yes")
    assert DocumentFile.objects.get(path="lending.md").state == "not there; a new file of this path will be seen"
    assert "nothing of it is erased" not in restored and 'value="trash"' not in restored
    assert "Read it" not in text(people["librarian"].get(PAGE))
    assert "Read it" in text(people["librarian"].get("/libraries/one/document/old.md"))


def test_a_file_that_the_active_snapshot_does_not_hold_is_not_called_visible(library, people):
    address = "/libraries/one/document/new.md"
    shown = text(people["librarian"].get(address))
    assert '<span class="state ">not in the active snapshot</span>' in shown
    assert "not found when a later one holds it" in shown and "From the next request on" not in shown
    gone = {"do": "withdraw", "reason": "wrong"}
    assert "Once restored, it is found and read again when an active one does." in text(
        people["librarian"].post(address, gone, follow=True)
    )
    assert "is not in the active snapshot" in text(people["librarian"].post(address, {"do": "restore"}, follow=True))
    assert '<span class="state ready">visible</span>' in text(people["librarian"].get(PAGE))


def test_what_was_erased_could_be_seen_before_and_by_nobody_after_it_was_restored(library, people):
    def asked(at) -> str:
        return text(people["librarian"].get(PAGE, {"tab": "permissions", "at": at.isoformat()}))

    document, before = library.document_files.get(path="lending.md"), timezone.now()
    erase(document, None, "they asked for it")
    erased = timezone.now()
    restore(document, None)
    assert "<li>outsider</li>" in asked(before) and "with version" in asked(before)
    assert "It was withdrawn: erased: they asked for it." in asked(erased) and "Nobody." in asked(erased)
    now = asked(timezone.now())
    assert (
        "does not hold it" in now
        and "Nobody." in now
        and people["outsider"].get("/read/one/lending.md").status_code == 404
    )


def test_what_a_pruned_snapshot_held_is_not_known_any_more(library, people):
    before = timezone.now()
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 2, "do": "publish"})
    assert active(library) == 2
    drop_snapshot(library.snapshots.get(number=1))
    shown = text(people["librarian"].get(PAGE, {"tab": "permissions", "at": before.isoformat()}))
    assert "has been pruned" in shown and "could see what the library held" in shown and "Nobody." not in shown


def test_what_a_snapshot_holds_that_was_active_before_could_be_seen(library, documents, people):
    before = timezone.now()
    (documents / "one/old.md").unlink()
    run_build(Job.objects.create(library=library, requested_by=User.objects.get(username="editor")))
    people["reviewer"].post(REVIEW, {"snapshot": 3, "do": "approve", "all": "1"})
    people["librarian"].post(REVIEW, {"snapshot": 3, "do": "publish"})
    assert active(library) == 3 and people["outsider"].get("/read/one/old.md?snapshot=1").status_code == 200

    def asked(path: str, at=None) -> str:
        sent = {"tab": "permissions"} | ({"at": at.isoformat()} if at else {})
        return text(people["librarian"].get(f"/libraries/one/document/{path}", sent))

    shown = asked("old.md")
    assert "one that was active before does" in shown and "<li>outsider</li>" in shown and "Nobody." not in shown
    assert "Snapshot 3 was active. Snapshot 1 holds version" in shown
    assert "Snapshot 1 was active, with version" in asked("old.md", before)
    assert "Nobody." in asked("new.md", before)
    now = timezone.now()
    drop_snapshot(library.snapshots.get(number=1))
    shown = asked("old.md", now)
    assert "it has been pruned" in shown and "could see what the library held" in shown and "Nobody." not in shown


def test_which_answers_used_it(library, people):
    people["outsider"].post("/chat", {"q": "For how many days is a bike lent?"})
    shown = text(people["librarian"].get(PAGE, {"tab": "answers"}))
    assert "No answer cites it" in text(people["librarian"].get("/libraries/one/document/old.md?tab=answers"))
    assert "1 answer cites it" in shown and "For how many days is a bike lent?" in shown
    assert "For how many" not in text(people["reviewer"].get(PAGE, {"tab": "answers"}))


def test_an_invitation_works_once(library, people, client):
    sent = {"do": "invite", "name": "Ann", "role": "reviewer"}
    page = people["librarian"].post("/libraries/one/members", sent, follow=True)
    link = page.context["link"]
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    shown = text(client.get(link))
    assert "as reviewer of “The handbook”" in shown and re.search(r'name="username" value="Ann"', shown)
    assert client.post(link, account).status_code == 302
    assert Membership.objects.get(user__username="ann").role == "reviewer"
    assert Client().get(link).status_code == Client().post(link, account | {"username": "bob"}).status_code == 404
    over, unknown = (text(Client().get(address)) for address in (link, "/invitation/unknown"))
    assert "works once" in over and 'href="/login"' in over and over.split("<main")[1] == unknown.split("<main")[1]
    assert Invitation.objects.get().accepted_by.username == "ann"
    assert not User.objects.filter(username="bob").exists()


def test_an_invitation_that_is_sent_twice_lets_in_who_made_the_account(library, client):
    """A double click: the browser shows the answer to the second, with the cookies from before the first."""
    link = f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}"
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.post(link, account).status_code == 302
    second = Client()
    assert second.post(link, account).headers["Location"] == "/libraries/one/"
    assert second.get("/tokens").status_code == 200
    assert Client().post(link, account | {"password1": "another"}).status_code == 404
    Invitation.objects.update(accepted_at=timezone.now() - timedelta(minutes=2))
    assert Client().post(link, account).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_of_two_invitations_that_take_one_name_the_second_says_so(library, client, monkeypatch):
    first, second = (f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}" for _ in range(2))
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    accept, others, answers = Invitation.accept, [], []

    def meanwhile(row: Invitation, user: User) -> None:
        if not others:
            others.append(begun_elsewhere(lambda: answers.append(Client().post(second, account))))
        accept(row, user)

    monkeypatch.setattr(Invitation, "accept", meanwhile)
    assert client.post(first, account).status_code == 302
    others[0].join()
    assert answers[0].status_code == 200 and "already exists" in text(answers[0])


@pytest.mark.parametrize(
    ("role", "asked", "there"),
    [("reviewer", "to approve it", REVIEW), ("reader", "search its documents", "/libraries/one/")],
)
def test_an_invitation_says_what_for_and_leads_there(library, client, role, asked, there):
    link = f"/invitation/{Invitation.issue('Ann', role, library, None)[1]}"
    assert asked in text(client.get(link))
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.post(link, account).headers["Location"] == there


def test_an_invitation_says_whom_it_signs_out(library, people, client):
    link = f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}"
    assert "signed in as librarian" in text(people["librarian"].get(link))
    assert "signed in as" not in text(client.get(link))


def test_a_weak_password_is_said_of_the_field_where_it_is_chosen(library, client):
    link = f"/invitation/{Invitation.issue('Ann', 'reader', library, None)[1]}"
    page = text(client.post(link, {"username": "ann", "password1": "12345", "password2": "12345"}))
    (first,) = re.findall(r'<input[^>]* name="password1"[^>]*>', page)
    assert 'aria-invalid="true"' in first and "autofocus" in first and "id_password1_error" in first
    assert page.count("autofocus") == 1 and 'id="id_password1_error"' in page


def test_an_invitations_link_is_not_used_up_by_a_head(library, people):
    where = "/libraries/one/members"
    people["librarian"].post(where, {"do": "invite", "name": "Ann", "role": "reader"})
    assert people["librarian"].head(where).status_code == 200
    assert people["librarian"].get(where).context["link"]


def test_an_open_invitation_is_withdrawn_and_no_other(library, people, client):
    where = "/libraries/one/members"
    page = people["librarian"].post(where, {"do": "invite", "name": "Ann", "role": "reader"}, follow=True)
    assert re.search(r'<input [^>]*readonly value="([^"]*)"', text(page))[1] == page.context["link"]
    assert "no-store" in page.headers["Cache-Control"] and len(page.redirect_chain) == 1, "reloaded, it makes no other"
    assert page.context["link"] not in text(people["librarian"].get(where)), "it is shown once"
    row = Invitation.objects.get()
    asked = {"do": "withdraw", "invitation": row.pk}
    assert f'name="invitation" value="{row.pk}"' in text(people["librarian"].get(where))
    assert people["reviewer"].post(where, asked).status_code == 403
    assert "invitation for Ann is withdrawn" in text(people["librarian"].post(where, asked, follow=True))
    assert client.get(page.context["link"]).status_code == 404
    assert AuditEvent.objects.filter(action="invitation.withdraw", library="one", actor="librarian").count() == 1
    assert "not open any more" in text(people["librarian"].post(where, asked, follow=True))
    Invitation.objects.update(accepted_at=timezone.now(), expires_at=timezone.now() + timedelta(1))
    assert "not open any more" in text(people["librarian"].post(where, asked, follow=True))
    other = Invitation.issue("Bob", "reader", None, None)[0]
    assert "not open" in text(people["librarian"].post(where, asked | {"invitation": other.pk}, follow=True))
    assert AuditEvent.objects.filter(action="invitation.withdraw").count() == 1


@pytest.mark.parametrize(
    "fall",
    [
        lambda user: User.objects.filter(pk=user.pk).update(is_active=False),
        lambda user: user.memberships.update(role="editor"),
        lambda user: user.memberships.all().delete(),
        lambda user: user.delete(),
    ],
    ids=["off", "no librarian", "no member", "gone"],
)
def test_an_invitation_falls_with_who_made_it(library, people, client, as_superuser, fall):
    made = {"do": "invite", "name": "Ann", "role": "librarian"}
    link = people["librarian"].post("/libraries/one/members", made, follow=True).context["link"]
    others = as_superuser.post("/libraries/one/members", made, follow=True).context["link"]
    assert open_invitations().count() == 2
    fall(User.objects.get(username="librarian"))
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.get(link).status_code == client.post(link, account).status_code == 404
    assert not User.objects.filter(username="ann").exists()
    assert client.post(others, account).status_code == 302


def test_an_invitation_without_a_library_needs_an_administrator(people, superuser, client):
    _, token = Invitation.issue("Ann", "reviewer", None, superuser)
    assert client.get(f"/invitation/{token}").status_code == 200
    User.objects.filter(pk=superuser.pk).update(is_superuser=False)
    assert client.get(f"/invitation/{token}").status_code == 404
    assert find(Invitation.issue("Bob", "reader", None, None)[1]), "the operator's"


def test_an_invitation_works_beside_single_sign_on(library, people, client, settings):
    settings.AUTHENTICATION_BACKENDS = [*settings.AUTHENTICATION_BACKENDS, "knowledge.accounts.sign_on.SingleSignOn"]
    sent = {"do": "invite", "name": "Ann", "role": "reviewer"}
    page = people["librarian"].post("/libraries/one/members", sent, follow=True)
    account = {"username": "ann", "password1": "a long enough one", "password2": "a long enough one"}
    assert client.post(page.context["link"], account).status_code == 302


def test_members_are_given_roles_and_lose_them(library, people):
    where = "/libraries/one/members"
    people["librarian"].post(where, {"do": "set", "user": "outsider", "role": "editor"})
    assert people["outsider"].get(REVIEW).status_code == 200
    people["librarian"].post(where, {"do": "remove", "user": "outsider"})
    assert people["outsider"].get(REVIEW).status_code == 403
    people["librarian"].post(where, {"do": "set", "user": "outsider", "role": "editor"})
    User.objects.filter(username="outsider").update(is_active=False)
    people["librarian"].post(where, {"do": "remove", "user": "outsider"})
    assert not Membership.objects.filter(user__username="outsider").exists()
    assert "no role" in text(
        people["librarian"].post(where, {"user": "outsider", "role": "administrator"}, follow=True)
    )


@pytest.mark.parametrize(
    ("access", "says", "there"),
    [("groups", "You won’t see this library", "/libraries/"), ("public", "You won’t manage", "/libraries/one/")],
)
def test_who_takes_their_own_role_is_asked_and_told(library, people, access, says, there):
    Library.objects.update(access=access)
    where = "/libraries/one/members"
    shown = text(people["librarian"].get(where))
    assert says in shown and 'aria-label="Remove librarian"' in shown and shown.count('<details class="sure">') == 3
    assert ("no group is chosen" in shown) == (access == "groups")
    gone = people["librarian"].post(where, {"do": "remove", "user": "librarian"}, follow=True)
    assert gone.status_code == 200 and gone.request["PATH_INFO"] == there
    assert "librarian has no role here any more." in text(gone)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "do", "left"), [("outsider", "give", ["editor"]), ("editor", "remove", [])])
def test_of_two_that_change_the_roles_of_somebody_one_waits(library, people, monkeypatch, name, do, left):
    """As after a double click; without waiting, one of both was an error."""
    save, others, answers = Membership.save, [], []
    other = Client()
    other.force_login(User.objects.get(username="librarian"))

    def do_the_same() -> None:
        answers.append(other.post("/libraries/one/members", {"do": do, "user": name, "role": "editor"}).status_code)

    def meanwhile(row: Membership, **options: object) -> None:
        if not others:
            others.append(begun_elsewhere(do_the_same))
        save(row, **options)

    monkeypatch.setattr(Membership, "save", meanwhile)
    people["librarian"].post("/libraries/one/members", {"do": "give", "user": name, "role": "reader"})
    others[0].join()
    assert answers == [302]
    assert list(library.memberships.filter(user__username=name).values_list("role", flat=True)) == left


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


def test_the_dashboard_shows_what_waits(library, people):
    assert "0 searches and 0 questions in 14 days, at most 0 a day" in text(people["librarian"].get("/dashboard/"))
    people["outsider"].get("/search", {"q": "bike"})
    shown = text(people["librarian"].get("/dashboard/"))
    assert "snapshot 2" in shown and "1 search and" in shown and "at most 1 a day" in shown
    assert "counted in each" not in shown
    assert people["outsider"].get("/dashboard/").status_code == 403


def test_the_dashboard_leads_to_what_it_tells_of(library, people):
    GateRun.objects.create(snapshot=library.snapshots.get(number=2), questions=1, may_fall=0, passed=False)
    job = library.jobs.first()
    for who, manages in (("librarian", True), ("editor", False)):
        shown = text(people[who].get("/dashboard/"))
        assert 'href="/libraries/one/snapshots/1"' in shown
        assert f'<a href="{REVIEW}?snapshot=2"><span class="state failed">not passed' in shown
        assert (f'href="/jobs/{job.pk}/"' in shown) == manages
    for page in (f"/jobs/{job.pk}/", "/jobs/", "/libraries/one/"):
        assert 'href="/libraries/one/snapshots/2"' in text(people["librarian"].get(page)), page


def test_the_dashboard_of_several_libraries_says_how_searches_are_counted(library, people):
    two = Library.objects.create(slug="two", name="Two", kind="uploads", access="public")
    Membership.objects.create(library=two, user=User.objects.get(username="librarian"), role="librarian")
    shown = text(people["librarian"].get("/dashboard/"))
    assert "at most 0 a day; a search of several libraries is counted in each." in shown


REQUIRED = "This field is required."


def api(client: Client, what: str, **data: object):
    address = f"/api/v1/libraries/one/{what}/"
    if not data:
        return client.get(address)
    return client.post(address, json.dumps(data), content_type="application/json")


def test_the_same_over_rest(library, people):
    changes = api(people["reviewer"], "review").json()
    assert changes["snapshot"] == 2 and [row["kind"] for row in changes["changes"]] == ["changed", "added"]
    assert api(people["editor"], "review", snapshot=2, verdict="approved").status_code == 403
    Membership.objects.filter(user__username="editor").update(role="librarian")
    refused = api(people["editor"], "review", snapshot=2, verdict="approved")
    assert refused.status_code == 403 and "somebody else" in refused.json()["detail"]
    assert api(people["librarian"], "activate", snapshot=2).status_code == 409
    missing = api(people["librarian"], "activate", override="x").json()
    assert missing == {"detail": "snapshot: This field is required.", "errors": {"snapshot": [REQUIRED]}}
    wrong = api(people["reviewer"], "review", snapshot=2, verdict="approved", paths=["old.md"])
    assert wrong.status_code == 400 and "does not change old.md" in str(wrong.json())
    assert api(people["reviewer"], "review", snapshot=2, verdict="approved", paths=["new.md"]).status_code == 200
    done = api(people["librarian"], "activate", snapshot=2).json()
    assert done == {"active": 3, "before": 1, "left": ["lending.md"], "degraded": []}
    rolled = people["librarian"].post("/api/v1/libraries/one/rollback/").json()
    assert rolled == {"active": 1, "before": 3, "left": [], "degraded": []}
    assert api(people["librarian"], "withdraw", path="old.md").status_code == 400
    assert api(people["librarian"], "withdraw", path="old.md", reason="x").json()["state"] == "withdrawn"
    assert api(people["librarian"], "withdraw", path="no.md", reason="x").status_code == 404
    events = api(people["librarian"], "audit").json()["results"]
    assert events[0]["action"] == "document.withdraw" and events[0]["actor"] == "librarian"


def test_what_was_never_withdrawn_is_not_recorded_as_restored(library, people):
    restores = AuditEvent.objects.filter(action="document.restore")
    for gone in (False, True):
        if gone:
            api(people["librarian"], "withdraw", path="old.md", reason="x")
        for _ in range(2):
            assert api(people["librarian"], "withdraw", path="old.md", do="restore").json()["state"] == "visible"
        assert restores.count() == gone


def test_a_decision_is_recorded_where_the_address_lacks_its_slash(library, people):
    sent = json.dumps({"snapshot": 2, "verdict": "approved", "paths": ["new.md"]})
    people["reviewer"].post("/api/v1/libraries/one/review", sent, content_type="application/json", follow=True)
    assert Decision.objects.get().verdict == "approved"


def test_a_global_role_acts_in_every_library_that_one_may_read(library, people):
    user = User.objects.get(username="outsider")
    user.groups.add(Group.objects.get(name="reviewer"))
    assert api(people["outsider"], "review", snapshot=2, verdict="approved").status_code == 200
    Library.objects.update(access="groups")
    assert people["outsider"].get(REVIEW).status_code == 404
    assert AuditEvent.objects.filter(action="group.join", details__group="reviewer").exists()


def test_what_is_due_or_soon_is_shown_of_ones_own_libraries(library, people, indexed):
    other = indexed("two", {"z.md": "# Z\n\nText.\n"}, access="groups")
    today = timezone.localdate()
    library.document_files.filter(path="lending.md").update(review_by=today)
    library.document_files.filter(path="old.md").update(review_by=today + timedelta(days=5))
    library.document_files.filter(path="new.md").update(review_by=today + timedelta(days=50))
    other.document_files.update(review_by=today)
    page = text(people["editor"].get("/due/"))
    assert [page.count(f">{name}.md<") for name in ("lending", "old", "new", "z")] == [1, 1, 0, 0]
    assert page.count(">due<") == 1 and "/due/" in text(people["editor"].get("/dashboard/"))
    assert people["outsider"].get("/due/").status_code == 403


def test_an_owner_who_may_only_read_sees_what_of_theirs_is_due(library, people):
    reader = User.objects.get(username="outsider")
    Membership.objects.create(library=library, user=reader, role="reader")
    library.document_files.update(review_by=timezone.localdate())
    assert people["outsider"].get("/due/").status_code == 403
    library.document_files.filter(path="lending.md").update(owner=reader)
    page = text(people["outsider"].get("/due/"))
    assert '"/read/one/lending.md"' in page and "old.md" not in page and "/dashboard/" not in page
    assert people["outsider"].get("/read/one/lending.md").status_code == 200


def test_a_refused_form_keeps_what_was_typed(library, people):
    wrong = {"do": "keep", "owner": "nobody-here", "tags": "bikes", "review_by": "", "initial-tags": ""}
    shown = text(people["editor"].post(PAGE, wrong))
    assert 'name="owner" value="nobody-here"' in shown and 'name="tags" value="bikes"' in shown

    sent = {"snapshot": 2, "do": "approve", "comment": "Well said", "path": ["new.md", "gone.md"]}
    shown = text(people["reviewer"].post(REVIEW, sent))
    assert 'value="Well said"' in shown and 'value="new.md" checked' in shown
    assert 'value="lending.md" checked' not in shown

    for form in ({"do": "set", "user": "nobody"}, {"do": "invite", "name": ""}):
        shown = text(people["librarian"].post("/libraries/one/members", form | {"role": "editor"}))
        assert shown.count('<option value="editor" selected>') == 1
    shown = text(people["librarian"].post("/libraries/one/members", {"do": "set", "user": "no<b>", "role": "reader"}))
    assert 'name="user" value="no&lt;b&gt;"' in shown
