import re
import unicodedata
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from knowledge.access import is_administrator
from knowledge.admin.base import StorableJSONField
from knowledge.admin.meanwhile import MEANWHILE
from knowledge.governance.withdrawal import withdraw
from knowledge.models import (
    Answer,
    AuditEvent,
    Decision,
    DocumentFile,
    EvaluationRun,
    FileVersion,
    GateRun,
    GoldenQuestion,
    IndexProfile,
    Invitation,
    Job,
    Library,
    LoggedQuery,
    Membership,
    PlannedActivation,
    QueryCount,
    SavedView,
    Snapshot,
    VectorRecall,
)
from tests.conftest import begun_elsewhere, reindex, write

LOOKED_AT = [
    AuditEvent,
    Decision,
    GateRun,
    IndexProfile,
    Invitation,
    LoggedQuery,
    Membership,
    PlannedActivation,
    QueryCount,
    User,
]
BUILT = [Snapshot, DocumentFile, FileVersion, Job, Answer, EvaluationRun, VectorRecall]


def address(model, page="changelist", *args) -> str:
    from django.urls import reverse

    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture
def answered(as_superuser, handbook):
    as_superuser.post("/chat", {"q": "How long can I borrow a cargo bike?"})
    handbook.golden_questions.create(identifier="late", text="Late?", gold=[{"file": "lending.rst"}])
    call_command("evaluate", "--golden", "--library", "handbook", "--branches", "lexical", "--json")
    call_command("evaluate", "--recall", "--library", "handbook", "--json")


@pytest.mark.parametrize("model", [Library, GoldenQuestion, *BUILT, *LOOKED_AT])
def test_every_list_opens_is_searched_and_asks_few_questions(
    as_superuser, answered, model, django_assert_max_num_queries
):
    with django_assert_max_num_queries(12):
        assert as_superuser.get(address(model), {"q": "bike"}).status_code == 200
    assert as_superuser.get(address(model)).status_code == 200


def test_more_libraries_ask_no_more_questions(as_superuser, handbook, django_assert_max_num_queries):
    root = Path(handbook.location).parent
    for slug in ("more", "most", "all"):
        write(root / slug, {"a.md": "# Title\n\nText.\n"})
        reindex(Library.objects.create(slug=slug, kind="directory", location=str(root / slug)))
    with django_assert_max_num_queries(6):
        assert as_superuser.get(address(Library)).content.count(b'class="field-drift"') == 4


def test_more_files_ask_no_more_questions(as_superuser, handbook, django_assert_max_num_queries):
    root = Path(handbook.location)
    write(root, {f"{number}.md": f"# {number}\n\nText.\n" for number in range(8)})
    reindex(handbook)
    for number in range(3):
        (root / f"{number}.md").unlink()
    reindex(handbook)
    with django_assert_max_num_queries(7):
        states = re.findall(rb'class="field-state">([^<]+)<', as_superuser.get(address(DocumentFile)).content)
    assert states.count(b"visible") >= 5 and states.count(b"inactive") == 3


@pytest.mark.parametrize("model", BUILT)
def test_what_was_built_can_be_looked_at_and_not_touched(as_superuser, answered, model):
    row = model.objects.first()
    assert as_superuser.get(address(model, "change", row.pk)).status_code == 200
    assert as_superuser.post(address(model, "change", row.pk), {}).status_code == 403
    assert as_superuser.get(address(model, "add")).status_code == 403
    assert as_superuser.get(address(model, "delete", row.pk)).status_code == 403


def test_a_librarys_access_is_decided_here_and_its_slug_is_not(as_superuser, handbook):
    values = {"slug": "other", "name": "Renamed", "language": "english", "access": "signed-in"}
    values |= {"location": handbook.location}
    values |= {"include": "[]", "exclude": "[]", "unindexed": "[]", "keep_snapshots": 3, "keep_days": 7}
    values |= {"query_log": "full", "trash_days": 30, "gate_minimum": "0.8", "gate_may_fall": ""}
    values |= {"lexical_weight": 1, "diversity": 1, "fusion": "scores", "rrf_k": 60, "depth": 200, "top_k": 10}
    values |= {"caution": 0}
    Library.objects.update(unindexed=["taken-out.md"])  # since the form was opened
    response = as_superuser.post(address(Library, "change", handbook.pk), values)
    assert response.status_code == 302, response.content.decode()
    handbook.refresh_from_db()
    assert (handbook.slug, handbook.name, handbook.access) == ("handbook", "Renamed", "signed-in")
    assert handbook.unindexed == ["taken-out.md"]


def as_shown(client: Client, place: str) -> dict[str, list[str]]:
    """What the form would send as it stands."""
    page = client.get(place).content.decode()
    sent: dict[str, list[str]] = {}
    for tag in re.findall(r"<input [^>]*>", page):
        given = {name: unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        is_choice = given.get("type") in ("checkbox", "radio")
        if given.get("type") not in ("submit", "search") and (not is_choice or " checked" in tag) and "name" in given:
            sent.setdefault(given["name"], []).append(given.get("value", "on" if is_choice else ""))
    for name, options in re.findall(r'<select name="([\w-]+)".*?>(.*?)</select>', page, re.DOTALL):
        sent[name] = re.findall(r'<option value="([^"]*)" selected', options)
    for name, text in re.findall(r'<textarea name="([\w-]+)".*?>(.*?)</textarea>', page, re.DOTALL):
        sent[name] = [unescape(text).strip()]
    return {name: values for name, values in sent.items() if "__prefix__" not in name}


def test_a_form_that_stood_open_undoes_nothing_of_a_library(as_superuser, board):
    place, group = address(Library, "change", board.pk), board.groups.get()
    sent = as_shown(as_superuser, place)
    others = Group.objects.create(name="others")
    as_superuser.post(place, sent | {"access": "public", "groups": [str(group.pk), str(others.pk)]})
    assert as_superuser.post(place, sent | {"name": "Renamed"}).status_code == 302
    board.refresh_from_db()
    assert (board.name, board.access, set(board.groups.all())) == ("Renamed", "public", {group, others})
    events = AuditEvent.objects.filter(action="library.settings", library="board").order_by("number")
    assert [set(event.details["changes"]) for event in events] == [{"access"}, {"name"}]

    told = as_superuser.post(place, sent | {"access": "signed-in", "ref": "main"})
    assert told.context["adminform"].form.errors == {"access": [MEANWHILE]}
    board.refresh_from_db()
    assert (board.access, board.ref) == ("public", "")
    assert as_superuser.post(place, sent | {"access": "public"}).status_code == 302, "both wanted the same"


def test_a_form_that_stood_open_undoes_nothing_of_an_account(as_superuser, reader, handbook, board):
    for library in (handbook, board):
        Membership.objects.create(library=library, user=reader, role="librarian")
    place, group = address(User, "change", reader.pk), board.groups.get()
    sent = as_shown(as_superuser, place)
    assert reader.password not in str(sent)
    as_superuser.post(place, {name: value for name, value in sent.items() if name != "is_active"})
    reader.groups.add(group)
    reader.memberships.filter(library=board).update(role="reader")
    assert as_superuser.post(place, sent | {"first_name": "Ann"}).status_code == 302
    reader.refresh_from_db()
    assert (reader.first_name, reader.is_active, reader.groups.get()) == ("Ann", False, group)
    assert set(reader.memberships.values_list("library", "role")) == {(handbook.pk, "librarian"), (board.pk, "reader")}
    roles = [name for name, values in sent.items() if name.endswith("-role") and values == ["librarian"]]
    answers = [as_superuser.post(place, sent | {name: "editor"}).status_code for name in roles if "initial" not in name]
    assert sorted(answers) == [200, 302]
    assert set(reader.memberships.values_list("role", flat=True)) == {"editor", "reader"}


def test_a_form_that_stood_open_undoes_nothing_of_a_golden_question(as_superuser, superuser, handbook):
    question = handbook.golden_questions.create(identifier="late", text="Late?", gold=[{"file": "lending.rst"}])
    place = address(GoldenQuestion, "change", question.pk)
    sent = as_shown(as_superuser, place)
    as_superuser.post(address(GoldenQuestion), {"action": "switch_off", "_selected_action": question.pk})
    assert as_superuser.post(place, sent | {"text": "How late?"}).status_code == 302
    question.refresh_from_db()
    assert (question.text, question.active, question.changed_by) == ("How late?", False, superuser)
    assert as_superuser.post(place, sent | {"text": "Too late?"}).status_code == 200


def test_jobs_are_filtered_by_the_state_that_is_shown(as_superuser, handbook):
    handbook.jobs.update(counters={"rejected": 2})
    for outcome, count in (("completed with rejections", 1), ("succeeded", 0), ("paused", 0)):
        page = as_superuser.get("/admin/knowledge/job/", {"outcome": outcome})
        assert page.context["cl"].result_count == count, outcome
        assert f"?outcome={outcome.replace(' ', '+')}" in page.content.decode(), outcome


def test_a_job_shows_its_log(as_superuser, handbook):
    assert "started" in as_superuser.get(address(Job, "change", Job.objects.get().pk)).content.decode()


def test_the_queues_own_pages_are_closed(db):
    assert not any(admin.site.is_registered(model) for model in apps.get_app_config("django_q").get_models())


def test_the_admin_is_for_staff(client, signed_in):
    assert client.get("/admin/").status_code == signed_in.get("/admin/").status_code == 302


def test_files_are_withdrawn_and_restored_in_bulk_with_a_reason(as_superuser, handbook):
    chosen = [str(pk) for pk in DocumentFile.objects.values_list("pk", flat=True)[:2]]

    def act(action: str, reason: str = "") -> int:
        values = {"action": action, "_selected_action": chosen, "reason": reason}
        as_superuser.post(address(DocumentFile), values)
        return DocumentFile.objects.filter(withdrawn_at__isnull=False).count()

    assert act("withdraw") == 0, "nobody would know why"
    assert act("withdraw", "wrong") == 2
    assert act("restore") == 0
    assert AuditEvent.objects.filter(action="document.withdraw", actor="root").count() == 2


def test_acts_in_bulk_say_what_was_done_and_what_was_so_already(as_superuser, handbook):
    first, *others = DocumentFile.objects.order_by("path")
    withdraw(first, None, "wrong")

    def told(action: str, chosen: list[DocumentFile]) -> str:
        values = {"action": action, "_selected_action": [file.pk for file in chosen], "reason": "old"}
        return as_superuser.post(address(DocumentFile), values, follow=True).content.decode()

    assert "1 file restored; 1 was visible already." in told("restore", [first, others[0]])
    withdraw(first, None, "wrong")
    assert "1 file withdrawn; 1 was withdrawn already." in told("withdraw", [first, others[0]])


def test_a_batch_locks_its_files_before_it_writes_the_audit(as_superuser, handbook):
    """Erasing does it in this order; one file after the other would have the two wait for each other."""
    chosen = [str(pk) for pk in DocumentFile.objects.values_list("pk", flat=True)]
    values = {"action": "withdraw", "_selected_action": chosen, "reason": "wrong"}
    with CaptureQueriesContext(connection) as asked:
        as_superuser.post(address(DocumentFile), values)
    asked = [query["sql"] for query in asked]
    (locked, *_) = [number for number, sql in enumerate(asked) if "FOR NO KEY UPDATE" in sql]
    audited = [number for number, sql in enumerate(asked) if "pg_advisory_xact_lock" in sql]
    assert len(audited) == len(chosen) > 1 and locked < audited[0]
    assert all(pk in asked[locked].partition(" IN (")[2] for pk in chosen)


def test_many_files_are_withdrawn_in_batches_that_each_stand(as_superuser, handbook, monkeypatch):
    broken = DocumentFile.objects.order_by("path").last()

    def until_it_breaks(document: DocumentFile, *given: object) -> bool:
        if document == broken:
            raise ValueError("it broke")
        return withdraw(document, *given)

    monkeypatch.setattr("knowledge.admin.documents.BATCH", 1)
    monkeypatch.setattr("knowledge.admin.documents.withdraw", until_it_breaks)
    values = {"action": "withdraw", "_selected_action": [broken.pk], "select_across": "1", "reason": "wrong"}
    told = as_superuser.post(address(DocumentFile), values, follow=True).content.decode()
    assert "It broke." in told and "2 files withdrawn." in told
    assert AuditEvent.objects.filter(action="document.withdraw").count() == 2
    assert set(DocumentFile.objects.filter(withdrawn_at=None)) == {broken}


def test_where_one_file_may_not_be_withdrawn_none_is(indexed, handbook, client, monkeypatch):
    indexed("other", {"a.md": "# A\n\nText.\n"})
    librarian = User.objects.create_user("librarian", is_staff=True)
    librarian.user_permissions.add(Permission.objects.get(codename="view_documentfile"))
    Membership.objects.create(library=handbook, user=librarian, role="librarian")
    client.force_login(librarian)
    monkeypatch.setattr("knowledge.admin.documents.BATCH", 1)
    chosen = list(DocumentFile.objects.order_by("library_id").values_list("pk", flat=True))
    values = {"action": "withdraw", "_selected_action": chosen, "reason": "wrong"}
    assert "may not withdraw" in client.post(address(DocumentFile), values, follow=True).content.decode()
    assert not DocumentFile.objects.exclude(withdrawn_at=None).exists()


def test_a_list_says_roughly_how_long_it_is_when_it_is_long(as_superuser, handbook, monkeypatch):
    monkeypatch.setattr("knowledge.admin.base.COUNTED", 1)
    assert as_superuser.get(address(DocumentFile)).status_code == 200
    assert as_superuser.get(address(DocumentFile), {"q": "e"}).status_code == 200


def test_versions_are_found_by_words_of_their_path_and_by_a_whole_hash(as_superuser, handbook):
    def found(query: str) -> set[str]:
        rows = as_superuser.get(address(FileVersion), {"q": query}).context["cl"].queryset
        return {version.document_file.path for version in rows}

    assert found("LENDING") == found("ending rst") == {"lending.rst"} and found("lending workshop") == set()
    assert len(found("")) == 3
    version = FileVersion.objects.get(document_file__path="lending.rst")
    assert found(version.sha256) == {"lending.rst"} and found("%") == found(version.sha256[:12]) == set()


def test_a_list_is_kept_with_its_filters_for_oneself_alone(as_superuser, handbook, client):
    place, query = address(DocumentFile), "library__id__exact=1&q=lending"
    kept = {"do": "save", "model": "knowledge.documentfile", "name": "Lending", "query": query}
    assert as_superuser.post("/saved-view", kept).headers["Location"] == f"{place}?{query}"
    for page in (place, "/admin/"):
        assert f'href="{place}?{query.replace("&", "&amp;")}">Lending<' in as_superuser.get(page).content.decode()
    assert "Lending<" not in as_superuser.get(address(FileVersion)).content.decode()
    as_superuser.post("/saved-view", kept | {"query": "q=other"})
    view = SavedView.objects.get()
    assert view.query == "q=other", "the same name is the same view"

    client.force_login(User.objects.create_superuser("other"))
    assert "Lending<" not in client.get(place).content.decode()
    assert client.post("/saved-view", {"do": "forget", "view": view.pk}).status_code == 404
    assert as_superuser.post("/saved-view", {"do": "forget", "view": view.pk}).headers["Location"] == place
    assert not SavedView.objects.exists()


def test_a_view_whose_list_is_gone_breaks_no_page(as_superuser, superuser):
    for model in ("auth_user", "gone.model"):
        view = SavedView.objects.create(user=superuser, model=model, name="Gone")
        assert as_superuser.get("/admin/").status_code == 200
        assert as_superuser.post("/saved-view", {"do": "forget", "view": view.pk}, follow=True).status_code == 200


BAD = [("name", ""), ("name", "x" * 61), ("model", "knowledge.nothing"), ("model", "//evil"), ("model", "auth_user")]


@pytest.mark.parametrize(("field", "value"), BAD)
def test_a_view_of_nothing_is_not_kept(as_superuser, field, value):
    kept = {"do": "save", "model": "knowledge.documentfile", "name": "Lending", "query": "q=x"}
    assert as_superuser.post("/saved-view", kept | {field: value}).status_code == 400
    assert not SavedView.objects.exists()


GOVERNED = [Library, Membership, Snapshot, DocumentFile, FileVersion, Job, GoldenQuestion, Decision, GateRun]
GOVERNED += [EvaluationRun, VectorRecall, PlannedActivation, QueryCount, LoggedQuery, Invitation, AuditEvent]


@pytest.fixture
def staff(db):
    """One of the group of this role, with every permission to look."""

    def make(role: str) -> tuple[User, Client]:
        user, client = User.objects.create_user(f"staff-{role}", is_staff=True), Client()
        user.groups.add(Group.objects.get(name=role))
        looks = [f"view_{model._meta.model_name}" for model in GOVERNED]
        user.user_permissions.add(*Permission.objects.filter(codename__in=looks))
        client.force_login(user)
        return user, client

    return make


@pytest.fixture
def governed(board, reader):
    """The closed library, with a row of every kind."""
    snapshot, file = board.active_snapshot, board.document_files.get()
    Membership.objects.create(library=board, user=reader, role="reviewer")
    Decision.objects.create(
        snapshot=snapshot, document_file=file, verdict="approved", decided_by=reader, comment="purple"
    )
    GateRun.objects.create(snapshot=snapshot, questions=1, passed=False, reason="purple")
    PlannedActivation.objects.create(snapshot=snapshot, at=timezone.now(), planned_by=reader, outcome="purple")
    board.golden_questions.create(identifier="purple", text="Purple?", gold=[{"file": "board.md"}])
    LoggedQuery.objects.create(library=board, kind="search", text="purple")
    QueryCount.objects.create(library=board, day=timezone.localdate(), searches=1)
    Invitation.issue("purple", "reader", board, reader)
    return board


@pytest.mark.parametrize("role", ["editor", "librarian"])
@pytest.mark.parametrize("model", GOVERNED)
def test_a_closed_library_is_in_no_list_and_no_filter(staff, handbook, governed, indexed, model, role):
    indexed("third", {"a.md": "# A\n\nText.\n"})
    user, client = staff(role)
    page = client.get(address(model))
    assert page.status_code == 200
    assert "board" not in page.content.decode() and "purple" not in page.content.decode()
    for row in model.objects.all():
        if f"{getattr(row, 'library', row)}" == "board":
            assert client.get(address(model, "change", row.pk)).status_code == 302
    governed.groups.first().user_set.add(user)
    if role == "librarian" and model not in (EvaluationRun, VectorRecall):
        assert "board" in client.get(address(model)).content.decode(), "it is no longer closed to them"


def test_the_ledger_is_for_administrators(staff, answered):
    """Its rows hold what others asked, and words of libraries that are closed to staff."""
    permission = Permission.objects.get(codename="view_answer")
    places = [address(Answer), address(Answer, "change", Answer.objects.get().pk)]
    for role, status in (("librarian", 403), ("administrator", 200)):
        user, client = staff(role)
        user.user_permissions.add(permission)
        assert [client.get(place).status_code for place in places] == [status, status]


def test_golden_questions_are_changed_by_who_may_keep_them(staff, handbook):
    """They decide what a gate lets through: a reader with the permissions of staff looks at none of them here."""
    question = handbook.golden_questions.create(identifier="late", text="Late?", gold=[{"file": "lending.rst"}])
    values = {"library": handbook.pk, "identifier": "mine", "text": "Mine?", "gold": "[]"}
    user, client = staff("reader")
    acts = Permission.objects.filter(content_type__model="goldenquestion")
    user.user_permissions.add(*acts)
    assert client.get(address(GoldenQuestion, "change", question.pk)).status_code == 302
    client.post(address(GoldenQuestion), {"action": "switch_off", "_selected_action": question.pk})
    assert "Select a valid choice" in client.post(address(GoldenQuestion, "add"), values).content.decode()
    file = SimpleUploadedFile("q.jsonl", b'{"id": "late", "question": "Other?", "gold": [{"file": "a"}]}')
    imported = client.post("/admin/knowledge/goldenquestion/import/", {"library": handbook.pk, "file": file})
    assert "Select a valid choice" in imported.content.decode()
    kept = handbook.golden_questions.get()
    assert kept.active and kept.text == "Late?"
    Membership.objects.create(library=handbook, user=user, role="editor")
    client.post(address(GoldenQuestion), {"action": "switch_off", "_selected_action": question.pk})
    assert not handbook.golden_questions.get().active


def test_nobody_makes_themselves_librarian_where_they_manage_nothing(staff, governed):
    user, client = staff("librarian")
    given = {"user": user.pk, "library": governed.pk, "role": "librarian"}
    added = client.post(address(Membership, "add"), given)
    assert "Select a valid choice" in added.content.decode()
    membership = Membership.objects.get()
    assert client.post(address(Membership, "change", membership.pk), given).status_code == 302
    assert client.post(address(Membership, "delete", membership.pk), {"post": "yes"}).status_code == 302
    chosen = {"action": "delete_selected", "_selected_action": membership.pk, "post": "yes"}
    client.post(address(Membership), chosen)
    assert Membership.objects.get() == membership and membership.user != user


def test_roles_are_given_and_taken_where_one_manages(staff, handbook, board, reader):
    _, client = staff("librarian")
    client.post(address(Membership, "add"), {"user": reader.pk, "library": handbook.pk, "role": "editor"})
    membership = Membership.objects.get()
    assert (membership.user, membership.library, membership.role) == (reader, handbook, "editor")
    moved = {"user": reader.pk, "library": board.pk, "role": "editor"}
    refused = client.post(address(Membership, "change", membership.pk), moved)
    assert "Select a valid choice" in refused.content.decode()
    client.post(address(Membership, "delete", membership.pk), {"post": "yes"})
    assert not Membership.objects.exists()


@pytest.mark.parametrize("role", ["", "reader", "reviewer"])
def test_a_library_is_changed_by_who_manages_it(staff, board, role):
    """Whoever has the permission, and reads the library by another role at most, looks on."""
    user, client = staff("editor")
    user.user_permissions.add(Permission.objects.get(codename="change_library"))
    if role:
        Membership.objects.create(library=board, user=user, role=role)
    place = address(Library, "change", board.pk)
    assert client.post(place, {"access": "public", "name": "x"}).status_code == (403 if role else 302)
    page = client.get(place)
    assert page.status_code == (200 if role else 302) and b'name="access"' not in page.content
    Membership.objects.update_or_create(library=board, user=user, defaults={"role": "librarian"})
    assert b'name="access"' in client.get(place).content


def test_whoever_adds_a_library_here_is_its_librarian(staff, documents):
    user, client = staff("librarian")
    user.user_permissions.add(Permission.objects.get(codename="add_library"))
    form = client.get(address(Library, "add")).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    values = {name: value for name, value in values.items() if value is not None and value is not False}
    values |= {"slug": "own", "name": "Own", "kind": "directory", "location": str(documents), "access": "groups"}
    assert client.post(address(Library, "add"), values).status_code == 302
    assert Membership.objects.get(library__slug="own").user == user


ODD = ['["a\\u0000.md"]', '["\\ud800"]', "[" * 100_000, f"[{'9' * 5_000}]", "[NaN]", "["]


@pytest.mark.parametrize("odd", ODD, ids=["nul", "half", "deep", "long", "nan", "torn"])
def test_json_that_cannot_be_kept_is_refused(as_superuser, handbook, odd):
    given = {"library": handbook.pk, "identifier": "x", "text": "t", "gold": odd}
    told = as_superuser.post(address(GoldenQuestion, "add"), given)
    assert told.context["adminform"].form.errors["gold"][0] == "Enter a valid JSON."


def test_patterns_are_written_as_where_a_library_is_added(as_superuser, handbook):
    place = address(Library, "change", handbook.pk)
    sent = as_shown(as_superuser, place)
    for typed, kept in (
        ("*.md", ["*.md"]),
        ("*.rst 'a b.md'", ["*.rst", "a b.md"]),
        ('["*.rst", "c d.md"]', ["*.rst", "c d.md"]),
        ("[ab]*.md", ["[ab]*.md"]),
        ("", []),
    ):
        assert as_superuser.post(place, as_shown(as_superuser, place) | {"include": typed}).status_code == 302
        handbook.refresh_from_db()
        assert handbook.include == kept
    as_superuser.post(place, as_shown(as_superuser, place) | {"include": "*.rst 'a b.md'"})
    assert "*.rst &#x27;a b.md&#x27;</textarea>" in as_superuser.get(place).content.decode()
    assert as_superuser.post(place, sent | {"name": "Renamed"}).status_code == 302
    handbook.refresh_from_db()
    assert (handbook.name, handbook.include) == ("Renamed", ["*.rst", "a b.md"])
    told = as_superuser.post(place, sent | {"include": "*.md"})
    assert told.context["adminform"].form.errors["include"] == [MEANWHILE]


@pytest.mark.parametrize("odd", [*ODD[:2], "a'b", "a\0b"], ids=["nul", "half", "torn", "a nul"])
def test_patterns_that_cannot_be_kept_are_refused(as_superuser, odd):
    values = {"kind": "directory", "include": odd, "slug": "new", "name": "New", "location": "x"}
    told = as_superuser.post(address(Library, "add"), values)
    assert "include" in told.context["adminform"].form.errors


def test_json_may_speak_of_a_nul():
    assert StorableJSONField().clean(r'["\\u0000"]') == [r"\u0000"]


def test_a_directory_that_no_build_may_read_is_refused(as_superuser, documents):
    values = {"kind": "directory", "slug": "new", "name": "New", "language": "english", "access": "public"}
    told = as_superuser.post("/admin/knowledge/library/add/", values | {"location": "/etc"})
    assert "DIRECTORY_ROOTS" in told.context["adminform"].form.errors["location"][0]
    told = as_superuser.post("/admin/knowledge/library/add/", values | {"location": str(documents)})
    assert told.status_code == 302 or "location" not in told.context["adminform"].form.errors


@pytest.mark.parametrize("location", ["https://[x/y", "https://[::1/y"])
def test_a_location_of_which_nothing_can_be_told_is_refused(as_superuser, location):
    values = {"kind": "git", "slug": "new", "name": "New", "location": location}
    told = as_superuser.post(address(Library, "add"), values)
    assert "location" in told.context["adminform"].form.errors
    assert Library(kind="git", location=location).source == "…"


def test_a_librarys_form_is_in_groups_and_offers_the_languages_that_can_be_stemmed(as_superuser, handbook):
    page = as_superuser.get(address(Library, "change", handbook.pk)).content.decode()
    assert "Who may read it, and who decides" in page and "Credential of a git repository" in page
    assert '<option value="german">' in page and '<option value="english" selected>' in page
    settings = as_superuser.get("/libraries/handbook/settings").content.decode()
    assert f'href="{address(Library, "change", handbook.pk)}"' in settings


def test_a_refusal_is_ticked_as_no_answer_and_leads_to_its_page(as_superuser, handbook):
    as_superuser.post("/chat", {"q": "Who was king of Spain in 1700?"})
    row = Answer.objects.get()
    assert row.refused and 'alt="False"' in as_superuser.get(address(Answer)).content.decode()
    assert f'href="/chat/{row.pk}"' in as_superuser.get(address(Answer, "change", row.pk)).content.decode()


def test_no_link_leads_to_the_page_of_an_answer_that_is_somebody_elses(as_superuser, handbook, signed_in):
    signed_in.post("/chat", {"q": "How long can I borrow a cargo bike?"})
    row = Answer.objects.get()
    assert as_superuser.get(f"/chat/{row.pk}").status_code == 404
    assert f'href="/chat/{row.pk}"' not in as_superuser.get(address(Answer, "change", row.pk)).content.decode()


def test_one_signs_out_of_the_admin_as_of_any_page(as_superuser):
    page = as_superuser.get("/admin/").content.decode()
    assert 'action="/logout"' in page and "Sign out" in page and "Log out" not in page
    assert '<a href="/">View site</a>' in page and '<a href="/password">Change password</a>' in page


def test_what_readers_thought_of_answers_is_found(as_superuser, handbook):
    for liked in (True, False, None):
        row = Answer.objects.create(question=f"{liked}?", searched_for="", text="x", refused=False, liked=liked)
        row.say(liked, "out of date" if liked is False else "")
    for asked in ({"liked__exact": "0"}, {"q": "out of date"}):
        rows = as_superuser.get(address(Answer), asked).context["cl"].queryset
        assert [row.question for row in rows] == ["False?"]


def test_the_dashboard_leads_to_the_answers_that_helped_nobody(as_superuser, staff, handbook):
    rows = (False, False, 0), (False, False, 13), (False, True, 14), (None, True, 0), (True, False, 0)
    for liked, refused, days in rows:
        row = Answer.objects.create(
            question=f"{liked}, {refused}, {days}?", searched_for="", text="x", refused=refused, liked=liked
        )
        Answer.objects.filter(pk=row.pk).update(asked_at=timezone.now() - timedelta(days=days))
    broken_off = {"refused": True, "passages": [], "degraded": ["timeout"]}
    Answer.objects.create(question="Broken off?", searched_for="", text="x", **broken_off)
    page = as_superuser.get("/dashboard/").content.decode()
    for said, questions in (
        ("2 answers not helpful", ["False, False, 0?", "False, False, 13?"]),
        ("1 question was not answered", ["None, True, 0?"]),
    ):
        place = unescape(re.search(rf'<a href="([^"]+)">{said}</a>', page)[1])
        rows = as_superuser.get(place).context["cl"].queryset
        assert [row.question for row in rows] == questions
    for answered, count in (("yes", 3), ("no", 2), ("broken-off", 1)):
        assert as_superuser.get(address(Answer), {"answered": answered}).context["cl"].queryset.count() == count
    _, librarian = staff("librarian")
    theirs = librarian.get("/dashboard/").content.decode()
    assert "not helpful" not in theirs
    caption = "not answered by the documents"  # counted once for each library, so never beside the ledger's number
    assert caption in theirs and caption not in page


def test_answers_by_no_model_are_filtered_by_a_word(as_superuser, handbook):
    for model in ("", "some-model"):
        Answer.objects.create(question=f"By {model}?", searched_for="", text="x", refused=not model, model=model)
    page = as_superuser.get(address(Answer)).content.decode()
    assert re.search(r'href="\?model=">\s*none\s*</a>', page)
    assert (
        "By some-model?"
        not in as_superuser.get(address(Answer), {"model": ""}).content.decode().split("result_list")[1]
    )


def test_the_groups_that_are_roles_keep_their_names_and_stay(as_superuser, db):
    role, other = Group.objects.get(name="reviewer"), Group.objects.create(name="board")
    for group, name in ((role, "reviewer"), (other, "renamed")):
        as_superuser.post(address(Group, "change", group.pk), {"name": "renamed"})
        group.refresh_from_db()
        assert group.name == name
    assert as_superuser.post(address(Group, "delete", role.pk), {"post": "yes"}).status_code == 403
    for groups in ([role.pk, other.pk], [other.pk]):
        chosen = {"action": "delete_selected", "_selected_action": groups, "post": "yes"}
        as_superuser.post(address(Group), chosen)
        assert Group.objects.filter(pk=role.pk).exists() and Group.objects.filter(pk=other.pk).exists() == (
            len(groups) > 1
        )


def test_a_group_is_not_deleted_without_naming_the_libraries_that_it_reads(as_superuser, board):
    page = as_superuser.get(address(Group, "delete", board.groups.get().pk)).content.decode()
    assert "board reads board" in page and "object (" not in page


def test_a_file_is_found_however_its_accents_are_written(as_superuser, board):
    DocumentFile.objects.create(library=board, path=unicodedata.normalize("NFD", "Übergabe/Größen.md"))
    for model in (DocumentFile, FileVersion):
        for typed in ("übergabe größen", unicodedata.normalize("NFD", "Größen")):
            shown = as_superuser.get(address(model), {"q": typed}).context["cl"].queryset
            assert shown.count() == (model is DocumentFile)
    assert not as_superuser.get(address(DocumentFile), {"q": "übergabe maße"}).context["cl"].queryset


@pytest.mark.django_db(transaction=True)
def test_of_two_administrators_who_take_each_others_rights_one_stays(client, superuser, monkeypatch):
    second = User.objects.create_superuser("second", password="p")
    clients, answers, others = {superuser: client, second: Client()}, [], []
    for user, browser in clients.items():
        browser.force_login(user)
    places = {user: address(User, "change", user.pk) for user in clients}
    forms = {user: as_shown(client, place) for user, place in places.items()}
    for values in forms.values():
        del values["is_superuser"]
    save = User.save

    def take(of: User, by: User) -> None:
        answers.append(clients[by].post(places[of], forms[of]).status_code)

    def meanwhile(row: User, **options: object) -> None:
        if not others:
            others.append(begun_elsewhere(lambda: take(superuser, by=second)))
        save(row, **options)

    monkeypatch.setattr(User, "save", meanwhile)
    take(second, by=superuser)
    others[0].join()
    assert is_administrator(User.objects.get(pk=superuser.pk)) and not is_administrator(User.objects.get(pk=second.pk))
    assert sorted(answers) in ([200, 302], [302, 403])


def test_the_last_administrator_stays_one(as_superuser, superuser, reader):
    place = address(User, "change", superuser.pk)
    for taken in ("is_active", "is_superuser", "is_staff"):
        values = as_shown(as_superuser, place)
        del values[taken]
        told = as_superuser.post(place, values).content.decode()
        assert "This is the last administrator: make another one first." in told
    group = Group.objects.get(name="administrator")
    values = as_shown(as_superuser, place) | {"groups": [str(group.pk)]}
    del values["is_superuser"]
    assert as_superuser.post(place, values).status_code == 302  # is one by the group
    User.objects.filter(pk=superuser.pk).update(is_superuser=True)
    values = as_shown(as_superuser, place)
    del values["is_active"]
    reader.groups.add(group)
    assert as_superuser.post(place, values).status_code == 200, "who cannot get into the admin cannot make another one"
    User.objects.filter(pk=reader.pk).update(is_staff=True)
    assert as_superuser.post(place, values).status_code == 302
    superuser.refresh_from_db()
    assert not superuser.is_active


def test_accounts_and_groups_are_changed_by_administrators_alone(staff, superuser):
    """Whoever has the permissions besides, and would make an administrator of themselves, looks on."""
    user, client = staff("librarian")
    accounts = Permission.objects.filter(content_type__app_label="auth", content_type__model__in=["user", "group"])
    user.user_permissions.add(*accounts)
    role, administrator = Group.objects.get(name="librarian"), Group.objects.get(name="administrator")
    own, given = address(User, "change", user.pk), {"username": user.username, "is_active": "on", "is_staff": "on"}
    given |= {"date_joined_0": "2026-05-03", "date_joined_1": "12:00:00"}
    given |= {f"memberships-{forms}_FORMS": 0 for forms in ("TOTAL", "INITIAL")}
    assert client.get(own).status_code == 200 and "is_superuser" not in as_shown(client, own)
    for rights in ({"is_superuser": "on"}, {"groups": administrator.pk}, {"user_permissions": accounts[0].pk}):
        assert client.post(own, given | rights).status_code == 403
    password = {"password1": "otter-otter-9", "password2": "otter-otter-9", "usable_password": "true"}
    assert client.post(f"/admin/auth/user/{superuser.pk}/password/", password).status_code == 403
    assert client.post(address(User, "add"), password | {"username": "another"}).status_code == 403
    assert client.post(address(Group, "change", role.pk), {"permissions": accounts[0].pk}).status_code == 403
    assert client.post(address(Group, "add"), {"name": "another"}).status_code == 403
    board = Group.objects.create(name="board")
    assert client.post(address(Group, "delete", board.pk), {"post": "yes"}).status_code == 403
    user.refresh_from_db()
    assert not user.is_superuser and not is_administrator(user)
    user.groups.add(administrator)
    assert client.post(own, as_shown(client, own) | {"is_superuser": "on"}).status_code == 302


def test_an_account_with_a_group_that_is_gone_is_told_of(as_superuser, reader):
    place = address(User, "change", reader.pk)
    told = as_superuser.post(place, as_shown(as_superuser, place) | {"groups": ["9999"]})
    assert told.status_code == 200 and "groups" in told.context["adminform"].form.errors


def test_a_library_of_uploads_has_no_source(as_superuser, db):
    values = {"kind": "uploads", "slug": "shelf", "name": "Shelf", "location": "/srv/x"}
    told = as_superuser.post(address(Library, "add"), values)
    assert "brought to a library of uploads" in told.context["adminform"].form.errors["location"][0]
    shelf = Library.objects.create(slug="shelf", name="Shelf", kind="uploads", location="/srv/x")
    page = as_superuser.get(address(Library, "change", shelf.pk)).content.decode()
    assert 'name="location"' not in page and "/srv/x" not in page and "Credential of a git" not in page
    values = as_shown(as_superuser, address(Library, "change", shelf.pk)) | {"name": "The shelf"}
    assert as_superuser.post(address(Library, "change", shelf.pk), values).status_code == 302
    shelf.refresh_from_db()
    assert shelf.name == "The shelf"
    page = as_superuser.get("/libraries/shelf/").content.decode()
    assert "/srv/x" not in page and "Its source is changed" not in page and "remove_library shelf" in page


def test_a_file_that_is_no_text_is_no_golden_questions(as_superuser, handbook):
    file = SimpleUploadedFile("q.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3")
    page = as_superuser.post("/admin/knowledge/goldenquestion/import/", {"library": handbook.pk, "file": file})
    assert "q.pdf is no text in UTF-8: JSON lines are expected." in page.content.decode()


def test_a_decision_is_called_by_its_file_and_snapshot(as_superuser, handbook, superuser):
    document = handbook.document_files.get(path="lending.rst")
    snapshot = handbook.active_snapshot
    row = Decision(snapshot=snapshot, document_file=document, verdict="approved", decided_by=superuser)
    assert str(row) == "lending.rst in handbook@1: approved"


def test_the_health_of_the_server_is_where_an_administrator_looks(as_superuser, handbook):
    for page in ("/dashboard/", "/admin/"):
        assert 'href="/dashboard/health"' in as_superuser.get(page).content.decode()


def test_the_health_of_the_server_is_a_page_that_says_what_is_degraded_and_what_to_do(as_superuser, handbook):
    page = as_superuser.get("/dashboard/health?now=yes").content.decode()
    amiss, well = page.split('id="Well"')
    assert "No worker is alive" in amiss and "start manage.py worker" in amiss  # as `doctor` says it
    assert "Database" in well and "Postgres" in well
    assert 'href="/dashboard/"' in page and 'href="/readyz"' in page


def test_the_health_of_the_server_is_shown_before_a_model_was_asked(as_superuser, handbook, monkeypatch):
    monkeypatch.setattr("knowledge.pages.health.examine", None)
    page = as_superuser.get("/dashboard/health").content.decode()
    assert 'hx-get="?now=yes"' in page and "every model is asked something" in page and "Everything works" not in page
    assert '<noscript><meta http-equiv="refresh" content="0; url=?now=yes"></noscript>' in page
