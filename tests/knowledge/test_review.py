"""Review is a pull request: what was approved is published, by somebody else than asked, and nothing else is."""

import io
import json
import re

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from ingestion import erasing, pipeline
from ingestion.collecting import collect, drop_snapshots
from ingestion.jobs import run_build
from knowledge.access import NotAllowed
from knowledge.governance import differences, review, settings
from knowledge.governance.activation import activate, rollback
from knowledge.governance.withdrawal import trash, withdraw
from knowledge.listing import newest_candidate
from knowledge.models import (
    Activation,
    AuditEvent,
    Decision,
    Job,
    Library,
    Membership,
    NotActivatable,
    Snapshot,
)
from knowledge.verification import run_checks
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.view import UnknownLibrary
from tests.conftest import begun_elsewhere, reindex, write
from tests.knowledge.conftest import FILES, approve, seen, well


def test_a_candidate_waits_and_says_what_it_changes(library, candidate, people):
    assert library.active_snapshot.number == 1 and candidate.number == 2
    assert candidate.needs_review and candidate.requested_by == people["editor"]
    assert list(review.candidates(library)) == [candidate]
    kinds = {change.path: (change.kind, change.old_path) for change in review.changes(candidate)}
    assert kinds == {
        "changed.md": ("changed", ""),
        "gone.md": ("removed", ""),
        "here/moved.md": ("renamed", "moved.md"),
        "new.md": ("added", ""),
    }


def test_what_waits_is_found_among_many_that_were_active(library, candidate):
    """The activations are read once, not for each snapshot: all by all takes seconds for a thousand."""
    many = 200
    copies = {
        Snapshot: {"id": 1000, "number": 100},
        Activation: {"id": 1000, "number": 100, "snapshot_id": 1000},
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL session_replication_role = replica")
        for model, columns in copies.items():
            table = model._meta.db_table
            changed = ", ".join(f"'{name}', {first} + i" for name, first in columns.items())
            cursor.execute(
                f"INSERT INTO {table} "
                f"SELECT (jsonb_populate_record(NULL::{table}, to_jsonb(one) || jsonb_build_object({changed}))).* "
                f"FROM generate_series(1, {many}) i, (SELECT * FROM {table} WHERE number = 1 LIMIT 1) one"
            )
    assert list(review.candidates(library)) == []
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(model._meta.db_table for model in copies)}")
    for found in (review.candidates(library), Library.objects.annotate(newest=newest_candidate())):
        told = found.explain(analyze=True, timing=False)
        read = [int(rows) * int(loops) for rows, loops in re.findall(r"rows=(\d+)[.\d]* loops=(\d+)", told)]
        assert max(read) < many * 2, told


def test_text_is_compared_by_section(candidate):
    change = next(change for change in review.changes(candidate) if change.path == "changed.md")
    found = [(section.kind, section.breadcrumb[-1]) for section in differences.text_diff(change)]
    assert [one for one in found if one[1] != "Tools"] == [("changed", "Brakes"), ("added", "Grease")]
    pieces = [piece for line in differences.text_diff(change)[0].lines for piece in line.pieces]
    changed = [(piece.kind, piece.text) for piece in pieces if piece.kind != "same"]
    assert changed == [("removed", "two winters. "), ("added", "one winter.")]
    gained, lost = differences.chunk_diff(review.changes(candidate))
    assert gained >= 2 and lost >= 2


def test_passages_are_gained_and_lost_as_snapshots_count_them(library, build):
    copied = build({"copy.md": FILES["kept.md"], "gone.md": None})
    gained, lost = differences.chunk_diff(review.changes(copied))
    assert gained == lost == 1 and gained - lost == copied.chunk_count - library.active_snapshot.chunk_count
    first = differences.compare(None, copied)
    assert differences.chunk_diff(first) == (copied.chunk_count, 0)


def test_what_is_approved_is_published_and_the_rest_stays(library, candidate, people):
    approve(candidate, people["reviewer"], "new.md", "here/moved.md")
    review.decide(candidate, "rejected", people["reviewer"], "Says who?", ["changed.md"])
    published = review.publish(candidate, people["librarian"])
    library.refresh_from_db()

    assert library.active_snapshot == published.snapshot != candidate
    assert published.snapshot.derived_from == candidate and set(published.left) == {"changed.md", "gone.md"}
    assert seen("tandem bell") and "here/moved.md" in seen("ladder shed")
    assert "moved.md" not in seen("ladder shed")
    contents = published.snapshot.files.values_list("document_file__path", flat=True)
    assert set(contents) == {"kept.md", "changed.md", "gone.md", "here/moved.md", "new.md"}
    assert any("two winters" in hit.text for hit in search(None, "pads winters").hits)
    assert well()
    assert not review.candidates(library).exists()


def test_publishing_the_same_decisions_again_gives_the_same_manifest(library, candidate, people):
    approve(candidate, people["reviewer"], "new.md")
    first = review.publish(candidate, people["librarian"]).snapshot
    library.refresh_from_db()
    rollback(library, people["librarian"])
    again = review.publish(candidate, people["librarian"]).snapshot
    assert again == first
    assert library.snapshots.count() == 3


def test_all_approved_activates_the_candidate_itself(library, candidate, people):
    approve(candidate, people["reviewer"])
    assert review.publish(candidate, people["librarian"]).snapshot == candidate
    library.refresh_from_db()
    assert library.active_snapshot == candidate and well()


def test_nothing_approved_is_not_published(library, candidate, people):
    with pytest.raises(NotActivatable, match="nothing"):
        review.publish(candidate, people["librarian"])
    with pytest.raises(NotActivatable, match="not approved"):
        activate(library, candidate, people["librarian"])


def test_whoever_asked_does_not_decide(library, candidate, people):
    Membership.objects.filter(user=people["editor"]).update(role="librarian")
    with pytest.raises(review.FourEyes):
        approve(candidate, people["editor"])


def test_a_superuser_who_asked_does_not_decide(library, build, people):
    people["root"] = User.objects.create_superuser("root")
    candidate = build({"new.md": "# New\n"}, by="root")
    with pytest.raises(review.FourEyes):
        approve(candidate, people["root"])
    document = library.document_files.get(path="new.md")
    row = Decision(snapshot=candidate, document_file=document, verdict="approved", decided_by=people["root"])
    with pytest.raises(IntegrityError, match="does not approve"), transaction.atomic():
        row.save()
    with pytest.raises(IntegrityError, match="does not approve"), transaction.atomic():
        Decision.objects.bulk_create([row])


@pytest.mark.parametrize("again", ["another job", "retry"])
def test_whoever_asks_again_for_a_build_that_broke_off_does_not_decide(library, build, people, monkeypatch, again):
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(pipeline, "embed_missing", lambda *_: 1 / 0)
        build({"new.md": "# New\n\nThe tandem has a bell.\n"}, by="editor")
    if again == "retry":
        job = library.jobs.get(state="failed").retry(people["librarian"])
    else:
        job = Job.objects.create(library=library, requested_by=people["librarian"])
    run_build(job)
    candidate = library.snapshots.latest("number")

    assert candidate.requested_by == people["librarian"]
    with pytest.raises(NotAllowed):
        approve(candidate, people["librarian"])
    assert approve(candidate, people["reviewer"], "new.md") and well()


@pytest.mark.parametrize("by", ["editor", None])
def test_a_build_that_broke_off_goes_on_for_who_asked_and_for_a_schedule(library, build, people, monkeypatch, by):
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(pipeline, "embed_missing", lambda *_: 1 / 0)
        build({"new.md": "# New\n\nThe tandem has a bell.\n"}, by="editor")
    begun = library.snapshots.get(state="building")
    assert build(by=by) == begun
    begun.refresh_from_db()
    assert begun.requested_by == people["editor"]


def test_whoever_brought_a_file_does_not_approve_it(library, candidate, people):
    """Also when somebody else asked for the build."""
    document = library.document_files.get(path="new.md")
    version = document.versions.get()
    library.uploads.create(path="new.md", sha256=version.sha256, size=1, uploaded_by=people["reviewer"])
    library.uploads.create(
        path="gone.md", sha256="0" * 64, size=1, ended_by=people["reviewer"], ended_at=timezone.now()
    )
    for path in ("new.md", "gone.md"):
        with pytest.raises(review.FourEyes, match="brought or removed"):
            approve(candidate, people["reviewer"], path)
    decided = approve(candidate, people["reviewer"])
    assert {change.path for change in decided.changes} == {"changed.md", "here/moved.md"}
    with pytest.raises(ValueError, match="nothing to decide; 2 that you brought are for somebody else"):
        approve(candidate, people["reviewer"])
    row = Decision(snapshot=candidate, document_file=document, verdict="approved", decided_by=people["reviewer"])
    with pytest.raises(IntegrityError, match="brought or removed"), transaction.atomic():
        row.save()


def test_roles_decide_who_may(library, candidate, people):
    for name in ("editor", "outsider"):
        with pytest.raises(NotAllowed):
            approve(candidate, people[name])
    approve(candidate, people["reviewer"])
    for name in ("reviewer", "outsider"):
        with pytest.raises(NotAllowed):
            review.publish(candidate, people[name])


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE knowledge_library SET active_snapshot_id = {candidate}",
        "UPDATE knowledge_library SET requires_review = false, active_snapshot_id = {candidate}",
        "UPDATE knowledge_library SET requires_review = false; "
        "UPDATE knowledge_library SET active_snapshot_id = {candidate}",
        "UPDATE knowledge_library SET active_snapshot_id = NULL; "
        "UPDATE knowledge_library SET active_snapshot_id = {candidate}",
        "UPDATE knowledge_snapshot SET needs_review = false WHERE id = {candidate}",
        "UPDATE knowledge_snapshot SET requested_by_id = NULL WHERE id = {candidate}",
        "UPDATE knowledge_snapshot SET requested_by_id = {reviewer} WHERE id = {candidate}",
        "UPDATE knowledge_snapshot SET state = 'building' WHERE id = {candidate}",
        "UPDATE knowledge_snapshot SET derived_from_id = 1 WHERE id = {candidate}",
        "INSERT INTO knowledge_activation (library_id, snapshot_id, number, at) "
        "SELECT library_id, id, number, now() FROM knowledge_snapshot WHERE id = {candidate}",
        "UPDATE knowledge_activation SET snapshot_id = {candidate}",
        "INSERT INTO knowledge_decision (snapshot_id, document_file_id, verdict, decided_by_id, decided_at, comment) "
        "SELECT {candidate}, id, 'approved', {editor}, now(), '' FROM knowledge_documentfile",
        "UPDATE knowledge_decision SET verdict = 'approved'",
        "UPDATE knowledge_decision SET decided_by_id = {editor}",
        "DELETE FROM knowledge_decision WHERE verdict = 'rejected'; SET CONSTRAINTS ALL IMMEDIATE",
    ],
)
def test_four_eyes_are_not_passed_by_statements(library, candidate, people, sql):
    review.decide(candidate, "rejected", people["reviewer"], "No.", ["new.md"])
    keys = {"candidate": candidate.pk, "editor": people["editor"].pk, "reviewer": people["reviewer"].pk}
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.format(**keys))


def test_a_snapshot_with_other_contents_than_approved_is_refused(library, candidate, people):
    """Approval is of a version: a derived snapshot can't carry another one under it."""
    approve(candidate, people["reviewer"])
    forged = library.snapshots.create(
        number=9, profile=candidate.profile, space=candidate.space, derived_from=candidate, revision="x"
    )
    kept = library.document_files.get(path="kept.md")
    for document, version, identity in candidate.members():
        if document != kept.pk:
            forged.files.create(document_file_id=document, file_version_id=version, identity=identity)
    forged.seal()
    with pytest.raises(NotActivatable, match=r"to kept\.md was not approved"):
        activate(library, forged)


def test_nothing_is_decided_about_what_was_active_before(library, candidate, people):
    """It can be activated again all the same, and `verify` would take it for unapproved."""
    approve(candidate, people["reviewer"])
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    rollback(library, people["librarian"])
    left = Snapshot.objects.get(pk=candidate.pk)
    with pytest.raises(ValueError, match="was active before"):
        review.decide(left, "rejected", people["reviewer"], "the pads last longer", ["changed.md"])
    review.publish(left, people["librarian"])
    assert well()


def test_what_was_approved_then_is_activated_again_whatever_is_decided_since(library, candidate, people):
    """What is rejected after a part was published is not in the next part; the first part stays what it was."""

    def published(number: int) -> None:
        assert review.publish(Snapshot.objects.get(pk=candidate.pk), people["librarian"]).snapshot.number == number

    approve(candidate, people["reviewer"], "new.md")
    published(3)
    library.refresh_from_db()
    rollback(library, people["librarian"])
    fresh = Snapshot.objects.get(pk=candidate.pk)
    review.decide(fresh, "rejected", people["reviewer"], "There is no bell.", ["new.md"])
    approve(fresh, people["reviewer"], "changed.md")
    published(4)
    library.refresh_from_db()
    assert rollback(library, people["librarian"]).number == 1
    review.publish(library.snapshots.get(number=3), people["librarian"])
    assert Library.objects.get().active_snapshot.number == 3 and well()


def test_what_was_rejected_comes_back_as_that_and_is_decided_by_itself(library, candidate, build, people):
    review.decide(candidate, "rejected", people["reviewer"], "There is no bell.", ["new.md"])
    review.decide(candidate, "rejected", people["reviewer"], "It is warm.", ["gone.md"])
    approve(candidate, people["reviewer"], "changed.md")
    again = build({"more.md": "# More\n"})
    told = {change.path: change.rejected_before for change in review.changes(again)}
    assert told["new.md"] == "rejected in snapshot 2 by reviewer: There is no bell."
    assert told["gone.md"] == "rejected in snapshot 2 by reviewer: It is warm."
    assert told["changed.md"] == told["more.md"] == ""

    everything = approve(again, people["reviewer"])
    assert {change.path for change in everything.changes} == {"changed.md", "here/moved.md", "more.md"}
    assert everything.left_out == "; 2 that were rejected before are to be chosen"
    approve(again, people["reviewer"], "new.md")
    assert [change.path for change in review.changes(again) if change.rejected] == ["gone.md"]
    newer = build({"new.md": "# New\n\nThe tandem has two bells.\n"})
    assert [change.path for change in review.changes(newer) if change.rejected] == ["gone.md"]


def test_a_renamed_file_says_that_it_was_withdrawn_and_is_decided_by_itself(library, build, people):
    withdraw(library.document_files.get(path="moved.md"), people["librarian"], "wrong days")
    trash(library.document_files.get(path="gone.md"), people["librarian"], "out of date")
    job = build({"moved.md": None, "here/moved.md": FILES["moved.md"], "copy.md": FILES["gone.md"]}).jobs.get()
    why = {"here/moved.md": "moved.md, withdrawn: wrong days", "copy.md": "gone.md, in the trash: out of date"}
    why = {path: f"the same bytes as {said}" for path, said in why.items()}
    assert job.report["warnings"] == [f"{path} has {said}" for path, said in sorted(why.items())]
    candidate = build({"more.md": "# More\n"})
    told = {change.path: change.withheld for change in review.changes(candidate) if change.after}
    assert told == why | {"more.md": ""}
    told = approve(candidate, people["reviewer"])
    assert [change.path for change in told.changes] == ["more.md"]
    assert told.left_out == "; 2 with the bytes of a withdrawn file are to be chosen"
    approve(candidate, people["reviewer"], "copy.md")


def test_an_empty_file_has_not_the_bytes_of_another_that_was_withdrawn(library, build, people):
    approve(candidate := build({"no.md": ""}), people["reviewer"])
    review.publish(candidate, people["librarian"])
    withdraw(library.document_files.get(path="no.md"), people["librarian"], "nothing in it")
    (change,) = review.changes(build({"empty.md": ""}))
    assert (change.path, change.withheld) == ("empty.md", "")


def test_what_was_let_in_is_not_held_back_again_when_it_is_read_anew(library, build, people, monkeypatch):
    withdraw(library.document_files.get(path="moved.md"), people["librarian"], "wrong days")
    approve(candidate := build({"copy.md": FILES["moved.md"]}), people["reviewer"], "copy.md")
    review.publish(candidate, people["librarian"])
    monkeypatch.setattr("ingestion.profile.PARSER_VERSION", 0)
    anew = build(full=True)
    assert anew.jobs.get().report["warnings"] == []
    told = {change.path: (change.kind, change.withheld) for change in review.changes(anew)}
    assert told["copy.md"] == ("rebuilt", "")
    assert "copy.md" in [change.path for change in approve(anew, people["reviewer"]).changes]


def test_bytes_that_were_erased_say_so_under_another_path(library, build, people):
    erasing.erase(library.document_files.get(path="moved.md"), None, "they asked for it")
    (change,) = review.changes(build({"here.md": FILES["moved.md"]}))
    assert change.withheld == "the same bytes as moved.md, erased: they asked for it"


def test_a_later_decision_replaces_an_earlier_one(library, candidate, people):
    approve(candidate, people["reviewer"])
    review.decide(candidate, "rejected", people["reviewer"], "On second thoughts.", ["new.md"])
    review.publish(candidate, people["librarian"])
    assert "new.md" not in seen("tandem bell")


def test_a_rejection_says_why_and_paths_must_be_changed(library, candidate, people):
    with pytest.raises(ValueError, match="say why"):
        review.decide(candidate, "rejected", people["reviewer"], " ", ["new.md"])
    with pytest.raises(ValueError, match=r"does not change kept\.md"):
        approve(candidate, people["reviewer"], "kept.md")


def test_rolling_back_goes_to_what_was_active_before_and_asks_no_gate(library, candidate, people):
    approve(candidate, people["reviewer"])
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    library.gate_minimum = 1
    library.save()
    with pytest.raises(NotAllowed):
        rollback(library, people["reviewer"])
    assert rollback(library, people["librarian"]).number == 1
    assert [row.number for row in Activation.objects.order_by("pk")] == [1, 2, 1]
    assert well()


def test_the_next_build_shows_what_was_left_again(library, build, candidate, people):
    approve(candidate, people["reviewer"], "new.md")
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    again = build()
    assert {change.path for change in review.changes(again)} == {"changed.md", "gone.md", "here/moved.md"}
    assert build() == again, "a build that finds what waits already writes nothing"


def test_gc_keeps_the_newest_that_waits_and_what_a_part_was_published_of(library, build, candidate, people):
    Library.objects.update(keep_snapshots=0, keep_days=0)
    approve(candidate, people["reviewer"], "new.md")
    assert collect().snapshots == {} and candidate.decisions.exists()
    assert review.publish(candidate, people["librarian"]).snapshot.number == 3
    assert collect().snapshots == {} and candidate.decisions.exists()
    library.refresh_from_db()
    for text in ("Nobody waits for this.", "This waits."):
        build({"late.md": f"# Late\n\n{text}\n"})
    assert collect().snapshots == {"one": [4]} and well()


def test_a_newer_build_waits_on_when_a_part_of_an_older_one_is_published(library, build, candidate, people):
    newer = build({"newer.md": "# Newer\n\nThe trailer has two wheels.\n"})
    approve(newer, people["reviewer"], "newer.md")
    approve(candidate, people["reviewer"], "new.md")
    part = review.publish(candidate, people["librarian"]).snapshot
    library.refresh_from_db()
    assert part.number > newer.number and list(review.candidates(library)) == [newer]
    assert list(Library.objects.values_list(newest_candidate())) == [(newer.number,)]
    Library.objects.update(keep_snapshots=0, keep_days=0)
    collect()
    assert library.snapshots.filter(pk=newer.pk).exists()

    published = review.publish(newer, people["librarian"]).snapshot
    library.refresh_from_db()
    held = set(published.files.values_list("document_file__path", flat=True))
    assert held == {*FILES, "new.md", "newer.md"} and well()
    assert rollback(library, people["librarian"]) == part


def test_nothing_is_built_anew_beside_what_waits_behind_a_part(library, build, candidate, people):
    newer = build({"newer.md": "# Newer\n\nThe trailer has two wheels.\n"})
    approve(candidate, people["reviewer"], "new.md")
    review.publish(candidate, people["librarian"])
    build()
    assert list(review.candidates(library)) == [newer] and library.snapshots.count() == 4


def test_what_was_published_in_part_and_then_whole_is_rolled_back_to_the_part(library, build, candidate, people):
    approve(candidate, people["reviewer"], "new.md")
    part = review.publish(candidate, people["librarian"]).snapshot
    approve(candidate, people["reviewer"])
    library.refresh_from_db()
    assert review.publish(candidate, people["librarian"]).snapshot == candidate
    library.refresh_from_db()
    assert library.snapshots.newest_built() == candidate
    assert rollback(library, people["librarian"]) == part
    assert library.rollback_target().number == 1
    build()
    assert library.snapshots.count() == 3 and library.active_snapshot == part and well()


def test_gc_leaves_waiting_what_is_newer_than_a_part_that_was_rolled_back(library, build, candidate, people):
    newer = build({"newer.md": "# Newer\n\nThe trailer has two wheels.\n"})
    approve(candidate, people["reviewer"], "new.md")
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    rollback(library, people["librarian"])
    Library.objects.update(keep_snapshots=1, keep_days=0)
    collect()
    assert list(review.candidates(library)) == [newer] and well()


def test_another_profile_is_published_whole_or_not_at_all(library, build, people):
    library.language = "german"
    library.save()
    candidate = build({"new.md": "# New\n", "other.md": "# Other\n"}, full=True)
    approve(candidate, people["reviewer"], "new.md")
    with pytest.raises(NotActivatable, match="another index profile"):
        review.publish(candidate, people["librarian"])
    approve(candidate, people["reviewer"])
    assert review.publish(candidate, people["librarian"]).snapshot == candidate


def test_the_commands_do_the_same(library, candidate, people):
    def run(*args: str) -> str:
        out = io.StringIO()
        call_command(*args, stdout=out)
        return out.getvalue()

    assert "~ changed.md  (undecided)" in run("review", "one", "--diff")
    with pytest.raises(CommandError, match="--as"):
        run("review", "one", "--approve")
    people["editor"].groups.add(Group.objects.get(name="reviewer"))
    with pytest.raises(CommandError, match="somebody else"):
        run("review", "one", "--approve", "--as", "editor")
    run("review", "one", "2", "--approve", "--path", "new.md", "--as", "reviewer")
    shown = json.loads(run("review", "one", "2", "--json"))
    assert {row["path"]: row["verdict"] for row in shown["changes"]}["new.md"] == "approved"
    assert "3 files were not approved" in run("activate", "one", "2", "--as", "librarian")
    assert "snapshot 1 is active" in run("rollback", "one", "--as", "librarian")
    left = json.loads(run("activate", "one", "2", "--as", "librarian", "--json"))["left"]
    assert len(left) == 3 and "changed.md" in left
    with pytest.raises(CommandError, match="say why"):
        run("withdraw", "one", "kept.md")
    assert "is withdrawn" in run("withdraw", "one", "kept.md", "--reason", "wrong")
    assert "kept.md" not in seen("stays")
    assert "is visible" in run("withdraw", "one", "kept.md", "--restore")


def test_a_candidate_is_read_by_whom_may_inspect_it_and_by_nobody_else(library, candidate, people, client):
    """Whatever number they give: on the page, in a search, in REST."""
    Library.objects.update(access="signed-in")
    number = candidate.number
    path = candidate.files.select_related("document_file").first().document_file.path
    addresses = (
        f"/read/{library.slug}/{path}?snapshot={number}",
        f"/original/{library.slug}/{path}?snapshot={number}",
        f"/libraries/{library.slug}/snapshots/{number}",
        f"/api/v1/libraries/{library.slug}/documents/?snapshot={number}",
    )
    for person, status in (("outsider", 404), ("reviewer", 200)):
        client.force_login(people[person])
        assert [client.get(address).status_code for address in addresses] == [status] * len(addresses)
    asked = SearchOptions(libraries=(library.slug,), snapshot=number)
    assert search(people["reviewer"], "text", asked) and search(None, "text", asked)
    with pytest.raises(UnknownLibrary, match="no ready snapshot"):
        search(people["outsider"], "text", asked)


def test_a_rollback_passes_over_what_never_was_active(indexed, documents):
    library = indexed("two", FILES)
    for changed, options in (("b.md", {"activate": False}), ("c.md", {})):
        write(documents / "two", {changed: f"# {changed}\n\nMore.\n"})
        run_build(Job.objects.create(library=library, options=options))
    library.refresh_from_db()
    assert library.active_snapshot.number == 3

    with pytest.raises(NotActivatable, match="changed meanwhile"):
        rollback(library, number=2)
    assert rollback(library, number=1, reason="wrong prices").number == 1
    assert AuditEvent.objects.get(action="snapshot.rollback").details["reason"] == "wrong prices"


def test_a_rollback_goes_to_what_was_active_before_and_never_to_what_another_one_left(indexed, documents):
    library = indexed("two", FILES)

    def released() -> None:
        write(documents / "two", {"b.md": f"# B\n\nThe {library.snapshots.count()}th.\n"})
        reindex(library)

    released()
    released()
    assert rollback(library).number == 2
    released()
    assert library.active_snapshot.number == 4 and library.rollback_target().number == 2
    Library.objects.update(keep_snapshots=0, keep_days=0)
    collect()
    assert set(library.snapshots.values_list("number", flat=True)) == {2, 4}  # gc keeps where it goes
    assert rollback(library).number == 2 and library.rollback_target() is None
    with pytest.raises(NotActivatable, match=r"no older snapshot to roll back to$"):
        rollback(library)


def test_what_was_activated_again_after_a_rollback_is_good_to_go_back_to(indexed, documents):
    library = indexed("two", FILES)
    for text in ("two", "three"):
        write(documents / "two", {"b.md": f"# B\n\nThe {text}.\n"})
        reindex(library)
    rollback(library)
    activate(library, library.snapshots.get(number=3))
    write(documents / "two", {"b.md": "# B\n\nThe four.\n"})
    reindex(library)
    assert library.rollback_target().number == 3
    activate(library, library.snapshots.get(number=2))
    assert library.rollback_target().number == 1


def test_a_rollback_goes_to_no_newer_snapshot_and_names_the_one_that_was_active_before(indexed, documents):
    library = indexed("two", FILES)
    write(documents / "two", {"b.md": "# B\n\nMore.\n"})
    reindex(library)
    activate(library, library.snapshots.get(number=1))
    with pytest.raises(NotActivatable, match="snapshot 2, which is newer, was active before: activate that"):
        rollback(library)


def test_where_nothing_else_is_left_a_rollback_goes_to_what_another_one_left(indexed, documents):
    library = indexed("two", FILES)
    for text in ("two", "three"):
        write(documents / "two", {"b.md": f"# B\n\nThe {text}.\n"})
        reindex(library)
        if text == "two":
            rollback(library)
    drop_snapshots(library, library.snapshots.filter(number=1))
    assert library.active_snapshot.number == 3 and library.rollback_target().number == 2


def test_what_was_rolled_back_is_not_activated_by_the_next_build(indexed, documents):
    library = indexed("two", FILES)
    write(documents / "two", {"b.md": "# B\n\nMore.\n"})
    for _ in range(2):
        job = Job.objects.create(library=library)
        run_build(job)
        library.refresh_from_db()
        if library.active_snapshot.number == 2:
            rollback(library)
    assert library.active_snapshot.number == 1
    assert job.events.filter(message__contains="not activated again").exists()


def test_a_file_tried_again_is_added_to_what_waits(library, build, documents, people):
    """And not to what is active: that would undo the rest."""
    (documents / "one/bad.md").write_bytes(b"\0\1\2")
    build({"changed.md": "# Other\n", "gone.md": None})
    (documents / "one/bad.md").write_text("# Good\n")
    again = Job.objects.latest("pk").retry(people["editor"], ["bad.md"])
    run_build(again)
    assert [(change.path, change.kind) for change in review.changes(again.snapshot)] == [
        ("bad.md", "added"), ("changed.md", "changed"), ("gone.md", "removed")
    ]  # fmt: skip


def test_a_candidate_that_changes_no_file_does_not_wait(library, build, documents):
    """A new commit that touches none of the library's files makes one, as does a file that is rejected."""
    (documents / "one/bad.md").write_bytes(b"\0\1\2")
    made = build()
    assert made.number == 2 and library.active_snapshot == made and not review.candidates(library).exists()
    assert all(check.ok for check in run_checks(deep=False))


def test_a_part_is_published_beside_a_build(library, candidate, people):
    """A build that is killed leaves its unfinished snapshot, too."""
    library.new_snapshot(profile=candidate.profile, space=candidate.space)
    approve(candidate, people["reviewer"], "new.md")
    assert review.publish(candidate, people["librarian"]).snapshot.number == 4


def test_whoever_removed_a_file_does_not_approve_its_new_name(library, candidate, people):
    library.uploads.create(
        path="moved.md", sha256="0" * 64, size=1, ended_by=people["reviewer"], ended_at=timezone.now()
    )
    decided = approve(candidate, people["reviewer"])
    assert "here/moved.md" not in {change.path for change in decided.changes}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "govern",
    [
        lambda candidate, people: review.publish(candidate, people["librarian"]),
        lambda candidate, people: review.plan(candidate, timezone.now(), people["librarian"]),
        lambda candidate, people: settings.change(candidate.library, {"trash_days": 3}, people["librarian"]),
    ],
    ids=["publish", "plan", "settings"],
)
def test_a_candidate_is_governed_while_one_of_its_files_is_erased(library, candidate, people, monkeypatch, govern):
    """Neither waits for what the other holds while the other waits for it: Postgres would end one of them."""
    approve(candidate, people["reviewer"], "new.md")
    went_wrong: list[Exception] = []

    def govern_candidate() -> None:
        try:
            govern(Snapshot.objects.get(pk=candidate.pk), people)
        except Exception as error:
            went_wrong.append(error)

    def meanwhile(*arguments: object) -> None:
        """Between taking the file out and keeping it out."""
        others.append(begun_elsewhere(govern_candidate))
        leave_out(*arguments)

    others, leave_out = [], erasing.leave_out
    monkeypatch.setattr(erasing, "leave_out", meanwhile)
    erasing.erase(library.document_files.get(path="kept.md"), None, "they asked for it")
    others[0].join()
    assert not went_wrong and well()
