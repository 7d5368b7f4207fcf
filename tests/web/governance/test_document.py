"""A file's own page: its state, its details, who could see it, which answers used it."""

import re
from datetime import timedelta
from html import unescape

from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.utils import timezone

from ingestion.collecting import drop_snapshots
from ingestion.erasing import erase
from ingestion.jobs import run_build
from knowledge.access import Act, those_who_may
from knowledge.governance.withdrawal import restore, trash, withdraw
from knowledge.models import AuditEvent, DocumentFile, Job, Membership
from knowledge.wording import standing
from tests.web.governance.conftest import PAGE, REVIEW, active, text


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
    assert DocumentFile.objects.get(path="lending.md").state == "trashed"


def test_a_stale_button_undoes_and_rewrites_nothing_that_others_did_meanwhile(library, people):
    last = lambda: re.search(r'name="last" value="(\d+)"', text(people["librarian"].get(PAGE)))[1]  # noqa: E731
    document, visible = DocumentFile.objects.get(path="lending.md"), last()
    assert visible == "0"
    withdraw(document, None, "wrong days")
    stale, withdrawn = {"do": "withdraw", "reason": "typo", "last": visible}, last()
    assert "Nothing was done: it was meanwhile withdrawn (" in text(people["librarian"].post(PAGE, stale))
    trash(document, User.objects.get(username="librarian"), "GDPR")
    shown = text(people["librarian"].post(PAGE, {"do": "restore", "last": withdrawn}))
    assert "Nothing was done: it was meanwhile put in the trash (librarian: GDPR)." in shown
    document.refresh_from_db()
    assert (document.state, document.withdrawn_because) == ("trashed", "GDPR")
    assert AuditEvent.objects.get(action="document.trash").details["instead_of"] == "wrong days"
    people["librarian"].post(PAGE, {"do": "restore", "last": last()})
    document.refresh_from_db()
    assert document.state == "visible"


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


def test_tags_that_cannot_be_kept_are_refused_and_none_is_cut(library, people):
    for wrong, told in (("x" * 51, "at most 50 characters"), (",".join(map(str, range(21))), "no more than 20")):
        shown = text(people["editor"].post(PAGE, {"do": "keep", "tags": f"bikes, {wrong}"}))
        assert told in shown and "Nothing was saved: Tags:" in shown and f'value="bikes, {wrong}"' in shown
    assert DocumentFile.objects.get(path="lending.md").tags == []


def test_details_that_another_has_changed_meanwhile_are_left_as_they_are(library, people):
    page = text(people["editor"].get(PAGE))
    sent = dict(re.findall(r'<input[^>]* name="((?:initial-)?(?:owner|review_by|tags))"(?: value="([^"]*)")?', page))
    assert len(sent) == 6
    people["librarian"].post(PAGE, sent | {"do": "keep", "owner": "reviewer", "tags": "bikes"})
    people["editor"].post(PAGE, sent | {"do": "keep", "review_by": "2026-12-31"})
    document = DocumentFile.objects.get(path="lending.md")
    assert (document.owner.username, document.tags, str(document.review_by)) == ("reviewer", ["bikes"], "2026-12-31")
    told = text(people["librarian"].post(PAGE, sent | {"do": "keep", "review_by": "2027-01-31"}, follow=True))
    assert "somebody has meanwhile changed To be looked at again by." in told
    told = text(people["editor"].post(PAGE, sent | {"do": "keep", "tags": "lending"}, follow=True))
    assert "Nothing was saved: somebody has meanwhile changed Tags." in told
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
    assert "<li>reviewer <small>as reviewer of the library</small></li>" in asked(
        closed
    ) and "<li>outsider" not in asked(closed)
    assert "<li>editor" not in asked(closed)
    assert "It was withdrawn: wrong." in asked() and "Nobody." not in asked()
    inspecting = set(re.findall(r"<li>(\w+) <small>as \1 of", asked()))
    assert inspecting == {user.username for user in those_who_may(Act.INSPECT, library)} == {"librarian", "reviewer"}
    assert "A bike is lent" in text(people["reviewer"].get(PAGE, {"tab": "chunks"}))
    assert "not known then" in asked(before - timedelta(days=1))
    assert people["librarian"].get(PAGE, {"tab": "permissions", "at": "2024-13-01T00:00"}).status_code == 404


def test_what_let_each_of_them_is_told(library, people):
    ward = Group.objects.create(name="Pflege")
    library.access = "groups"
    library.save()
    library.groups.add(ward)
    for name in ("outsider", "reviewer"):
        User.objects.get(username=name).groups.add(ward)
    User.objects.create_superuser("root")
    shown = text(people["librarian"].get(PAGE, {"tab": "permissions"}))
    for told in (
        "outsider <small>by the group Pflege</small>",
        "reviewer <small>as reviewer of the library, by the group Pflege</small>",
        "root <small>as administrator</small>",
    ):
        assert f"<li>{told}</li>" in shown


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
    assert standing(DocumentFile.objects.get(path="lending.md")) == "not there; a new file of this path will be seen"
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
    drop_snapshots(library, library.snapshots.filter(number=1))
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
    behind = asked("new.md", before)
    assert "Only who may look behind its library's pages could see it." in unescape(behind) and "Nobody." not in behind
    assert set(re.findall(r"<li>(\w+) <small>as \1 of", behind)) == {"editor", "librarian", "reviewer"}
    assert people["editor"].get("/read/one/new.md?snapshot=2").status_code == 200
    now = timezone.now()
    drop_snapshots(library, library.snapshots.filter(number=1))
    shown = asked("old.md", now)
    assert "it has been pruned" in shown and "could see what the library held" in shown and "Nobody." not in shown


def test_which_answers_used_it(library, people):
    people["outsider"].post("/chat", {"q": "For how many days is a bike lent?"})
    shown = text(people["librarian"].get(PAGE, {"tab": "answers"}))
    assert "No answer cites it" in text(people["librarian"].get("/libraries/one/document/old.md?tab=answers"))
    assert "1 answer cites it" in shown and "For how many days is a bike lent?" in shown
    assert "For how many" not in text(people["reviewer"].get(PAGE, {"tab": "answers"}))


def test_a_refused_form_keeps_what_was_typed(library, people):
    wrong = {"do": "keep", "owner": "nobody-here", "tags": "bikes", "review_by": "", "initial-tags": ""}
    shown = text(people["editor"].post(PAGE, wrong))
    assert 'name="owner" value="nobody-here"' in shown and 'name="tags" value="bikes"' in shown


def test_where_the_bytes_of_a_withdrawn_file_are_still_found_is_said(indexed, client, superuser, capsys):
    pay = "# Pay\n\nTen a day.\n"
    library = indexed("pays", {"old.md": pay, "pay.md": pay, "more.md": "# More\n"})
    client.force_login(superuser)
    said = "old.md is withdrawn (the same bytes are still found in pay.md)"
    sent = {"do": "withdraw", "reason": "wrong"}
    assert said in text(client.post("/libraries/pays/document/old.md", sent, follow=True))
    call_command("withdraw", "pays", "old.md", "--reason", "very wrong")
    assert said in capsys.readouterr().out
    withdraw(library.document_files.get(path="more.md"), None, "wrong")
    withdraw(library.document_files.get(path="pay.md"), None, "wrong")
    assert library.document_files.get(path="old.md").still_found() == []
