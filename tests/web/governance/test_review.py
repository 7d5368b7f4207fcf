"""The review: what changed, who decides, what becomes active."""

import json
import re

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from ingestion.collecting import drop_snapshots
from ingestion.jobs import run_build
from ingestion.sources import SourceError
from knowledge.access import MAY, Act, may, those_who_may
from knowledge.governance.past_access import readers
from knowledge.governance.withdrawal import withdraw
from knowledge.models import AuditEvent, Decision, GateRun, Job, Library, Membership, Role, Snapshot
from tests.conftest import write
from tests.web.governance.conftest import FILES, NOT_YET, PAGE, REVIEW, active, api, text


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


def test_of_many_files_those_below_a_folder_are_shown_and_decided_together(library, people):
    shown = text(people["reviewer"].get(REVIEW, {"path": "new"}))
    assert "2 files would change" in shown and "Choose new.md" in shown and "Choose lending.md" not in shown
    assert "0 approved, 2 undecided" in shown
    answer = people["reviewer"].post(f"{REVIEW}?path=new", {"snapshot": 2, "do": "approve", "all": "1"}, follow=True)
    assert "1 file approved" in text(answer) and "1 approved, 1 undecided" in text(answer)
    assert "all that are undecided" not in text(answer)
    assert "all that are undecided" in text(people["reviewer"].get(REVIEW))
    assert Decision.objects.get().document_file.path == "new.md"
    nothing = text(people["reviewer"].get(REVIEW, {"path": "nowhere/"}))
    assert "No changed file's path begins like this" in nothing and "Approve the chosen files" not in nothing
    refused = people["reviewer"].post(f"{REVIEW}?path=nowhere/", {"snapshot": 2, "do": "approve", "all": "1"})
    assert "there is nothing to decide" in text(refused).lower()


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
    drop_snapshots(library, library.snapshots.filter(number=1))
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
        assert list(might) == sorted(user.username for user in wanted), act


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


def test_a_candidate_that_brings_back_what_was_withdrawn_says_so(library, documents, people):
    withdraw(library.document_files.get(path="new.md"), User.objects.get(username="librarian"), "no bell")
    (documents / "one/new.md").rename(documents / "one/bell.md")
    run_build(Job.objects.create(library=library))
    said = "the same bytes as new.md, withdrawn: no bell"
    shown = text(people["reviewer"].get(REVIEW))
    assert said in shown and "all that are undecided, but for 1 with the bytes of a withdrawn file" in shown
    assert said in text(people["reviewer"].get(f"{REVIEW}3/bell.md"))
    changes = {row["path"]: row["withheld"] for row in api(people["reviewer"], "review").json()["changes"]}
    assert changes == {"lending.md": None, "bell.md": said}
    shown = text(people["reviewer"].post(REVIEW, {"snapshot": 3, "do": "approve", "all": "1"}, follow=True))
    assert "1 file approved; 1 with the bytes of a withdrawn file is to be chosen." in shown


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


def test_a_refused_form_keeps_what_was_typed_and_chosen(library, people):
    sent = {"snapshot": 2, "do": "approve", "comment": "Well said", "path": ["new.md", "gone.md"]}
    shown = text(people["reviewer"].post(REVIEW, sent))
    assert 'value="Well said"' in shown and 'value="new.md" checked' in shown
    assert 'value="lending.md" checked' not in shown


def test_what_somebody_else_has_decided_meanwhile_is_not_decided_over_their_head(library, people):
    second = User.objects.create_user("second")
    Membership.objects.create(library=library, user=second, role=Role.REVIEWER)
    late = Client()
    late.force_login(second)
    shown = {"snapshot": 2, "active": 1, "decided": 0, "path": "new.md"}
    for page in (REVIEW, f"{REVIEW}2/new.md"):
        assert 'name="decided" value="0"' in text(late.get(page))
    people["reviewer"].post(REVIEW, {"snapshot": 2, "do": "approve", "path": "new.md", "comment": "rings well"})
    refused = late.post(REVIEW, shown | {"do": "reject", "comment": "too loud"})
    assert "Nothing was decided: new.md was meanwhile approved (reviewer: rings well)." in text(refused)
    assert 'value="new.md" checked' in text(refused) and 'value="too loud"' in text(refused)
    assert Decision.objects.get().verdict == "approved"
    sent = {"snapshot": 2, "verdict": "rejected", "paths": ["new.md"], "comment": "too loud"}
    assert "meanwhile approved" in api(late, "review", **sent, decided=0).json()["detail"]
    assert api(late, "review").json()["decided"] == refused.context["last"] == Decision.objects.get().pk
    again = shown | {"decided": refused.context["last"], "do": "reject", "comment": "too loud"}
    assert "1 file rejected" in text(late.post(REVIEW, again, follow=True))
    assert "1 file approved" in text(
        late.post(REVIEW, shown | {"do": "approve"}, follow=True)
    )  # their own, from before
