"""Review is a pull request: what was approved is published, by somebody else than asked, and nothing else is."""

import io
import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from ingestion import erasing, pipeline
from ingestion.jobs import run_build
from knowledge import locks
from knowledge.access import NotAllowed
from knowledge.governance import gates, query_log, review, settings
from knowledge.governance.activation import activate, rollback
from knowledge.governance.gates import GateRefused
from knowledge.models import (
    Activation,
    Answer,
    AuditEvent,
    Decision,
    GateRun,
    Job,
    Library,
    Membership,
    NotActivatable,
    PlannedActivation,
    Snapshot,
)
from knowledge.verification import run_checks
from retrieval import query_vector
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.view import UnknownLibrary, release_connection
from tests.conftest import begun_elsewhere, reindex, write

FILES = {
    "kept.md": "# Kept\n\nThis stays.\n",
    "changed.md": "# Brakes\n\nPads last two winters.\n\n## Tools\n\nA five millimetre key.\n",
    "gone.md": "# Old\n\nThe coal stove.\n",
    "moved.md": "# Moved\n\nThe ladder hangs in the shed.\n",
}
ACTIONS = ["review.approve", "snapshot.activate"]


@pytest.fixture
def people(db) -> dict[str, User]:
    return {name: User.objects.create_user(name) for name in ("editor", "reviewer", "librarian", "outsider")}


@pytest.fixture
def library(indexed, people) -> Library:
    """Active is what was there before review was asked for."""
    library = indexed("one", FILES)
    library.requires_review = True
    library.save()
    for name in ("editor", "reviewer", "librarian"):
        Membership.objects.create(library=library, user=people[name], role=name)
    return library


@pytest.fixture
def build(library, documents, people):
    def make(changes: dict[str, str | None] = {}, by: str | None = "editor", **options) -> Snapshot:  # noqa: B006
        write(documents / "one", {path: text for path, text in changes.items() if text is not None})
        for path in (path for path, text in changes.items() if text is None):
            (documents / "one" / path).unlink()
        run_build(Job.objects.create(library=library, requested_by=people[by] if by else None, options=options))
        library.refresh_from_db()
        return library.snapshots.latest("number")

    return make


@pytest.fixture
def candidate(build) -> Snapshot:
    return build(
        {
            "changed.md": FILES["changed.md"].replace("two winters", "one winter") + "\n## Grease\n\nNone at all.\n",
            "gone.md": None,
            "moved.md": None,
            "here/moved.md": FILES["moved.md"],
            "new.md": "# New\n\nThe tandem has a bell.\n",
        }
    )


def approve(candidate, user, *paths, comment=""):
    return review.decide(candidate, "approved", user, comment, paths or None)


def seen(query: str) -> set[str]:
    return {hit.source_file for hit in search(None, query).hits}


def well() -> bool:
    return all(check.ok for check in run_checks(deep=False))


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


def test_text_is_compared_by_section(candidate):
    change = next(change for change in review.changes(candidate) if change.path == "changed.md")
    found = [(section.kind, section.breadcrumb[-1]) for section in review.text_diff(change)]
    assert [one for one in found if one[1] != "Tools"] == [("changed", "Brakes"), ("added", "Grease")]
    pieces = [piece for line in review.text_diff(change)[0].lines for piece in line.pieces]
    changed = [(piece.kind, piece.text) for piece in pieces if piece.kind != "same"]
    assert changed == [("removed", "two winters. "), ("added", "one winter.")]
    gained, lost = review.chunk_diff(review.changes(candidate))
    assert gained >= 2 and lost >= 2


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
    assert {change.path for change in decided} == {"changed.md", "here/moved.md"}
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


def test_another_profile_is_published_whole_or_not_at_all(library, build, people):
    library.language = "german"
    library.save()
    candidate = build({"new.md": "# New\n", "other.md": "# Other\n"}, full=True)
    approve(candidate, people["reviewer"], "new.md")
    with pytest.raises(NotActivatable, match="another index profile"):
        review.publish(candidate, people["librarian"])
    approve(candidate, people["reviewer"])
    assert review.publish(candidate, people["librarian"]).snapshot == candidate


def golden(library: Library) -> None:
    library.golden_questions.create(identifier="pads", text="How long do pads last?", gold=[{"file": "changed.md"}])
    library.golden_questions.create(identifier="stove", text="Where is the coal stove?", gold=[{"file": "gone.md"}])


def test_the_gate_refuses_and_names_the_questions_that_fell(library, candidate, people):
    golden(library)
    Library.objects.update(gate_may_fall=0)
    approve(candidate, people["reviewer"])
    with pytest.raises(GateRefused, match="Where is the coal stove"):
        review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    assert library.active_snapshot.number == 1
    run = GateRun.objects.get()
    assert not run.passed and [one["id"] for one in run.fallen] == ["stove"] and run.recall == 0.5
    assert AuditEvent.objects.latest("number").action == "gate.refuse"


def test_only_an_administrator_with_a_reason_passes_the_gate(library, candidate, people):
    golden(library)
    Library.objects.update(gate_minimum=0.9)
    approve(candidate, people["reviewer"])
    with pytest.raises(NotAllowed, match="override"):
        review.publish(candidate, people["librarian"], override="I want it")
    root = User.objects.create_superuser("root")
    review.publish(candidate, root, override="The stove was sold.")
    run = GateRun.objects.latest("pk")
    assert (run.overridden_by, run.override_reason) == (root, "The stove was sold.")
    events = AuditEvent.objects.filter(action="gate.override")
    assert events.get().details["fallen"] == ["Where is the coal stove?"]


def test_a_gate_without_questions_or_endpoint_refuses(library, candidate, people, monkeypatch):
    Library.objects.update(gate_minimum=0.1)
    approve(candidate, people["reviewer"])
    with pytest.raises(GateRefused, match="no golden question"):
        review.publish(candidate, people["librarian"])
    golden(library)

    def gone(*_: object) -> None:
        raise RuntimeError("cannot evaluate: embedding did not answer")

    monkeypatch.setattr("retrieval.evaluation.gate.measure", gone)
    with pytest.raises(GateRefused, match="did not answer"):
        review.publish(candidate, people["librarian"])


def test_a_build_that_the_gate_refuses_succeeds_and_waits(indexed, documents):
    library = indexed("two", FILES)
    golden(library)
    Library.objects.update(gate_may_fall=0)
    library.refresh_from_db()
    (documents / "two" / "gone.md").unlink()
    job = Job.objects.create(library=library)
    run_build(job)
    library.refresh_from_db()
    job.refresh_from_db()
    assert (job.state, library.active_snapshot.number) == ("succeeded", 1)
    assert job.events.filter(level="warning", message__contains="coal stove").exists()


def test_a_gate_that_is_set_while_a_library_is_built_is_asked(indexed, documents, monkeypatch):
    library, find_twins = indexed("two", FILES), pipeline.find_twins
    golden(library)
    (documents / "two" / "gone.md").unlink()

    def meanwhile(*args: object) -> None:
        Library.objects.update(gate_may_fall=0)
        find_twins(*args)

    monkeypatch.setattr(pipeline, "find_twins", meanwhile)
    assert not reindex(library).active and library.active_snapshot.number == 1
    assert [one["id"] for one in GateRun.objects.get().fallen] == ["stove"]


def test_a_candidate_of_another_embedding_model_is_held_against_what_words_find(indexed, documents, settings):
    library = indexed("two", FILES)
    golden(library)
    Library.objects.update(gate_may_fall=0)
    library.refresh_from_db()
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    reindex(library, full=True)
    library.refresh_from_db()
    run = GateRun.objects.get()
    assert library.active_snapshot.number == 2 and run.passed and "by words alone" in run.reason
    (documents / "two" / "gone.md").unlink()
    settings.EMBEDDING_DOCUMENT_PREFIX = "text: "
    query_vector.forget()
    reindex(library, full=True)
    library.refresh_from_db()
    run = GateRun.objects.latest("pk")
    assert library.active_snapshot.number == 2 and [one["id"] for one in run.fallen] == ["stove"]


def test_a_quote_in_a_golden_question_is_words_for_the_gate(library, candidate, people):
    text = 'What is "the life of pads" in winters?'
    library.golden_questions.create(identifier="quote", text=text, gold=[{"file": "changed.md"}])
    Library.objects.update(gate_minimum=1.0)
    library.refresh_from_db()
    assert gates.run_gate(library, candidate).recall == 1.0


def test_questions_that_were_asked_before_they_were_logged_are_shown_to_nobody(library):
    """The ledger has them in any case, also those that were asked of a library that had this slug before."""
    for policy, question in (("counts", "Where is the key?"), ("full", "How long do pads last?")):
        Library.objects.update(query_log=policy)
        Answer.objects.create(question=question, searched_for=question, text="", refused=False, snapshots=[["one", 1]])
        query_log.note(None, "question", question, ["one"])
    library.refresh_from_db()
    assert gates.asked(library) == ["How long do pads last?"]


def test_a_planned_activation_happens_when_its_time_has_come(library, candidate, people):
    from knowledge.upkeep import run_due

    approve(candidate, people["reviewer"])
    review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    run_due()
    library.refresh_from_db()
    assert library.active_snapshot.number == 1
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=1), people["librarian"])
    run_due()
    library.refresh_from_db()
    plan.refresh_from_db()
    assert library.active_snapshot == candidate and plan.done_at
    last = AuditEvent.objects.filter(action="snapshot.activate").latest("number")
    assert last.actor == "librarian"


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


def test_a_candidate_is_read_by_whom_may_inspect_it_and_by_nobody_else(library, candidate, people, client, settings):
    """Whatever number they give: on the page, in a search, in REST."""
    Library.objects.update(access="signed-in")
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": static}
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


def test_a_candidate_still_waits_when_the_gate_refuses_its_part(library, candidate, people):
    golden(library)
    Library.objects.update(gate_may_fall=0)
    approve(candidate, people["reviewer"], "gone.md")
    with pytest.raises(GateRefused):
        review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    assert review.candidates(library).first() == candidate

    review.publish(candidate, User.objects.create_superuser("root"), override="The stove was sold.")
    library.refresh_from_db()
    assert library.active_snapshot.derived_from == candidate and not review.candidates(library)


def test_whoever_removed_a_file_does_not_approve_its_new_name(library, candidate, people):
    library.uploads.create(
        path="moved.md", sha256="0" * 64, size=1, ended_by=people["reviewer"], ended_at=timezone.now()
    )
    decided = approve(candidate, people["reviewer"])
    assert "here/moved.md" not in {change.path for change in decided}


def test_what_goes_wrong_with_one_plan_holds_up_nothing_else(library, candidate, people, monkeypatch):
    from knowledge import upkeep

    done = []
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=1), people["librarian"])
    monkeypatch.setattr(upkeep.review, "publish", lambda *_: 1 / 0)
    monkeypatch.setattr(upkeep.reminders, "note", lambda: done.append("reminders"))
    with pytest.raises(ExceptionGroup):
        upkeep.run_due()
    plan.refresh_from_db()
    assert done == ["reminders"] and plan.done_at is None


def test_a_plan_that_was_carried_out_is_not_carried_out_again(library, candidate, people):
    """It was activated, and rolled back, before it was written down that it was done."""
    from knowledge.upkeep import run_due

    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=1), people["librarian"])
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    rollback(library, people["librarian"])
    run_due()
    plan.refresh_from_db()
    library.refresh_from_db()
    assert plan.done_at and library.active_snapshot.number == 1


def when_its_time_has_come(plan: PlannedActivation) -> str:
    """What came of it."""
    from knowledge.upkeep import run_due

    PlannedActivation.objects.filter(pk=plan.pk).update(at=Now())
    run_due()
    plan.refresh_from_db()
    return plan.outcome


def test_a_plan_does_not_bring_back_what_was_rolled_back(library, candidate, people):
    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    review.publish(candidate, people["librarian"])
    library.refresh_from_db()
    rollback(library, people["librarian"])
    assert when_its_time_has_come(plan) == "snapshot 2 was activated after this was planned"
    library.refresh_from_db()
    assert library.active_snapshot.number == 1
    assert AuditEvent.objects.filter(action="snapshot.plan_failed", snapshot=2).exists()


def test_the_rest_of_what_was_published_in_part_follows_as_it_was_planned(library, candidate, people):
    approve(candidate, people["reviewer"], "new.md")
    plan = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    review.publish(candidate, people["librarian"])
    approve(candidate, people["reviewer"])
    assert when_its_time_has_come(plan) == "snapshot 2 is active"


def test_a_plan_does_not_take_back_what_was_published_since(library, candidate, build, people):
    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    newer = build({"new.md": "# New\n\nThe tandem has two bells.\n"})
    approve(newer, people["reviewer"])
    review.publish(newer, people["librarian"])
    assert when_its_time_has_come(plan) == "snapshot 3 was activated after this was planned"
    again = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    assert when_its_time_has_come(again) == "snapshot 2 is active", "whoever plans it now knows what they do"


def test_a_plan_made_after_a_part_was_published_is_carried_out(library, candidate, people):
    """For the minute that has begun, as the page offers it."""
    from knowledge.upkeep import run_due

    approve(candidate, people["reviewer"], "new.md")
    review.publish(candidate, people["librarian"])
    approve(candidate, people["reviewer"])
    plan = review.plan(candidate, timezone.now() - timedelta(seconds=59), people["librarian"])
    run_due()
    plan.refresh_from_db()
    library.refresh_from_db()
    assert library.active_snapshot == candidate and plan.outcome == "snapshot 2 is active"


@pytest.mark.django_db(transaction=True)
def test_nothing_is_planned_anew_while_a_plan_is_carried_out(library, candidate, people, monkeypatch):
    """The new plan would be taken for done by what the old one had begun to publish."""
    from knowledge import upkeep

    approve(candidate, people["reviewer"], "new.md")
    first = review.plan(candidate, timezone.now(), people["librarian"])
    publish, refused = review.publish, []

    def plan_again() -> None:
        try:
            review.plan(candidate, timezone.now(), people["librarian"])
        except ValueError as error:
            refused.append(str(error))

    def meanwhile(*arguments: object) -> review.Published:
        begun_elsewhere(plan_again).join()
        return publish(*arguments)

    monkeypatch.setattr(upkeep.review, "publish", meanwhile)
    upkeep.run_due()
    first.refresh_from_db()
    assert refused == ["what was planned is being carried out just now; see what comes of it"]
    assert first.outcome == "snapshot 3 is active"
    later = review.plan(candidate, timezone.now() + timedelta(hours=1), people["librarian"])
    assert list(candidate.planned.filter(done_at=None)) == [later]


@pytest.mark.parametrize("days", [-1, 4000])
def test_nothing_is_planned_for_the_past_or_the_far_future(candidate, people, days):
    with pytest.raises(ValueError, match="in the past"):
        review.plan(candidate, timezone.now() + timedelta(days=days), people["librarian"])


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_holds_a_lock_is_not_given_back():
    """A gate searches while its build, or its plan, holds one."""
    with locks.tried(locks.PLAN, 7) as is_mine:
        release_connection()
        assert is_mine and 7 in locks.holders(locks.PLAN)
    release_connection()
    assert connection.connection is None


@pytest.mark.django_db(transaction=True)
def test_a_lock_that_went_with_its_connection_keeps_no_later_one():
    assert locks.try_lock(locks.PLAN, 7)
    connection.close()
    assert not locks.holders(locks.PLAN)
    release_connection()
    assert connection.connection is None


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
