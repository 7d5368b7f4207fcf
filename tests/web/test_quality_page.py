import re
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from knowledge.golden import read_json_lines
from knowledge.models import Chunk, DocumentFile, EvaluationRun, GoldenQuestion, Library, Membership
from retrieval.pages import quality
from tests.conftest import reindex, write

QUESTIONS = """\
{"id": "days", "question": "How many days <b>can</b> I borrow a cargo bike?", "gold": [{"file": "lending.rst", "line_start": 10, "line_end": 10}]}
{"id": "late", "question": "What does a late bike cost?", "gold": [{"file": "lending.rst", "anchor": "late-returns"}]}
{"id": "moon", "question": "zeppelin", "gold": [{"file": "workshop #1?.md"}, {"file": "gone.md"}]}
"""  # noqa: E501


@pytest.fixture
def measured(handbook):
    GoldenQuestion.objects.take(handbook, read_json_lines(QUESTIONS, "q"), None)
    evaluate("handbook")
    return handbook


def evaluate(slug):
    call_command("evaluate", "--golden", "--library", slug, "--branches", "vector,lexical", "--json")


@pytest.fixture
def editor(db):
    user = User.objects.create_user("editor", password="editor")
    user.groups.add(Group.objects.get(name="editor"))
    client = Client()
    client.force_login(user)
    return client


def chunk_of(path):
    return Chunk.objects.filter(file_version__document_file__path=path).order_by("ordinal").last()


def test_a_library_that_was_never_measured_says_how(client, as_superuser, librarian):
    assert "Nothing has been measured yet" in client.get("/libraries/handbook/quality").content.decode()
    shown = as_superuser.get("/libraries/handbook/quality").content.decode()
    assert "\nmanage.py evaluate --golden --library handbook" in shown and "“Save as a golden question”" in shown
    assert f'<a href="{reverse("admin:knowledge_goldenquestion_import")}">' in shown
    client.force_login(librarian)
    shown = client.get("/libraries/handbook/quality").content.decode()
    assert "have an administrator import them" in shown and "/admin/" not in shown


def test_its_questions_are_measured_from_the_page(editor, handbook):
    GoldenQuestion.objects.take(handbook, read_json_lines(QUESTIONS, "q"), None)
    address = reverse("measure-golden", args=["handbook"])
    assert f'action="{address}"' in editor.get("/libraries/handbook/quality").content.decode()
    shown = editor.post(address, follow=True).content.decode()
    run = EvaluationRun.objects.get()
    assert (run.set_name, run.queries, run.run_by.username) == ("golden", 3, "editor")
    assert f"Run {run.pk}: 3 questions asked." in shown and "Measure again" in shown and "zeppelin" in shown


def test_what_cannot_be_measured_from_the_page_is_said(editor, handbook, monkeypatch):
    address = reverse("measure-golden", args=["handbook"])
    assert f'action="{address}"' not in editor.get("/libraries/handbook/quality").content.decode()
    assert "there is no golden question to ask." in editor.post(address, follow=True).content.decode()
    GoldenQuestion.objects.take(handbook, read_json_lines(QUESTIONS, "q"), None)
    monkeypatch.setattr("retrieval.evaluation.runs.MOST_MEASURED", 2)
    assert "more than 2 questions are measured on the server" in editor.post(address, follow=True).content.decode()
    assert not EvaluationRun.objects.exists()


def test_questions_that_are_being_asked_are_not_asked_again(editor, handbook, monkeypatch):
    GoldenQuestion.objects.take(handbook, read_json_lines(QUESTIONS, "q"), None)

    @contextmanager
    def taken(kind, key):
        yield False

    monkeypatch.setattr("retrieval.evaluation.runs.locks.tried", taken)
    shown = editor.post(reverse("measure-golden", args=["handbook"]), follow=True).content.decode()
    assert "they are being asked just now." in shown and not EvaluationRun.objects.exists()


def test_a_library_whose_first_snapshot_waits_is_not_said_to_be_unread(as_superuser, make_library):
    library = make_library("first", {"a.md": "# A\n"}, requires_review=True)
    assert "has not been read in yet" in as_superuser.get("/libraries/first/quality").content.decode()
    reindex(library)
    shown = as_superuser.get("/libraries/first/quality").content.decode()
    assert "Snapshot 1 is ready and not active yet." in shown and "has not been read in" not in shown


def test_a_set_that_no_library_can_have_is_not_found(as_superuser, handbook):
    assert as_superuser.get("/libraries/handbook/quality", {"set": "\0"}).status_code == 404


def test_the_page_shows_measures_history_and_what_fails(client, measured):
    page = client.get("/libraries/handbook/quality").content.decode()
    assert "3 golden questions" in page and "<svg viewBox" in page and 'class="line vector"' in page
    assert "zeppelin" in page and "gone.md" in page and "Judged by what is not in the active snapshot" in page
    assert "style=" not in page and "<script>" not in page.split("<main")[1]
    assert "/admin/" not in page


def test_the_page_shows_what_changed_since_the_run_before(client, measured, documents):
    write(documents / "handbook", {"lending.rst": "Lending\n=======\n\nNothing.\n"})
    reindex(measured)
    evaluate("handbook")
    page = client.get("/libraries/handbook/quality").content.decode()
    assert "What changed since run" in page and '<span class="change lost">lost</span>' in page
    assert "How many days &lt;b&gt;can&lt;/b&gt;" in page and "−0." in page
    first = EvaluationRun.objects.order_by("pk").first()
    assert "What changed" not in client.get(f"/libraries/handbook/quality?run={first.pk}").content.decode()


def test_what_is_not_listed_is_counted(client, measured, documents, monkeypatch):
    write(documents / "handbook", {"lending.rst": "Lending\n=======\n\nNothing.\n"})
    reindex(measured)
    evaluate("handbook")
    page = client.get("/libraries/handbook/quality").content.decode()
    assert "<summary>2 runs</summary>" in page and " more.</p>" not in page
    monkeypatch.setattr(quality, "MOST", 1)
    monkeypatch.setattr(quality, "HISTORY", 1)
    page = client.get("/libraries/handbook/quality").content.decode()
    assert "<summary>The newest 1 of 2 runs</summary>" in page
    changed, missing = page.partition('id="Missing"')[::2]
    assert "And 1 more." in changed and "And 2 more." in missing


@pytest.mark.parametrize("query", ["set=none", "measure=luck", "run=0", "run=x", "run=99999999999", "run=²"])
def test_what_was_not_measured_is_not_found(client, measured, query):
    assert client.get(f"/libraries/handbook/quality?{query}").status_code == 404


@pytest.mark.parametrize("query", ["measure=mrr@10", "set=golden", "all=1"])
def test_other_views_of_it_open(client, measured, query):
    assert client.get(f"/libraries/handbook/quality?{query}").status_code == 200


@pytest.mark.parametrize(("because", "said"), [("Old", "withdrawn"), (f"{DocumentFile.ERASED}Old", "erased")])
def test_the_path_of_a_withdrawn_file_is_not_shown(client, as_superuser, measured, because, said):
    """Nor among the questions that are kept, which an editor sees."""
    for reader in (client, as_superuser):
        assert "workshop #1?.md" in reader.get("/libraries/handbook/quality").content.decode()
    files = DocumentFile.objects.filter(path="workshop #1?.md")
    files.update(withdrawn_at=timezone.now(), withdrawn_because=because)
    for reader in (client, as_superuser):
        page = reader.get("/libraries/handbook/quality").content.decode()
        assert "workshop #1?.md" not in page and f"a file that is {said}" in page


def test_the_page_of_a_foreign_library_is_like_a_missing_one(client, signed_in, editor, board):
    for someone in (client, signed_in, editor):
        for there in ("quality", "golden"):
            ask = someone.get if there == "quality" else someone.post
            foreign, missing = (ask(f"/libraries/{slug}/{there}") for slug in ("board", "mossy"))
            asked_to_sign_in = someone is client and there == "golden"
            assert foreign.status_code == missing.status_code == (302 if asked_to_sign_in else 404)


def test_the_recall_stands_on_the_librarys_page(client, measured):
    assert "found by meaning" not in client.get("/libraries/handbook/").content.decode()
    call_command("evaluate", "--recall", "--library", "handbook", "--json")
    assert "100 % found by meaning" in client.get("/libraries/handbook/").content.decode()
    assert "Recall of searching by meaning" in client.get("/libraries/handbook/quality").content.decode()


def test_few_questions_are_asked_of_the_database(client, measured, django_assert_max_num_queries):
    evaluate("handbook")
    with django_assert_max_num_queries(20):
        client.get("/libraries/handbook/quality")


def test_only_editors_are_offered_to_save_a_hit(client, signed_in, editor, as_superuser, handbook):
    offered = [
        "Save as a golden question" in someone.get("/search?q=bike").content.decode()
        for someone in (client, signed_in, editor, as_superuser)
    ]
    assert offered == [False, False, True, True]
    older = editor.get("/search?q=bike&library=handbook&snapshot=1").content.decode()
    assert "Save as a golden question" not in older


def test_a_misspelt_question_is_saved_as_it_was_asked(editor, handbook):
    page = editor.get("/search", {"q": "How long can I borow a bike? file:lending.rst"}).content.decode()
    assert "Did you mean" in page
    saved = set(re.findall(r'name="q" value="([^"]*)"><input type="hidden" name="chunk"', page))
    assert saved == {"How long can I borow a bike?"}


def test_a_hit_becomes_a_golden_question(editor, handbook):
    chunk = chunk_of("lending.rst")
    values = {"q": "  What does\x01 late cost? ", "chunk": chunk.pk, "next": "/search?q=late"}
    response = editor.post("/libraries/handbook/golden", values, follow=True)
    assert response.redirect_chain == [("/search?q=late", 302)] and "1 place answers it" in response.content.decode()
    question = GoldenQuestion.objects.get()
    assert (question.text, question.created_by.username) == ("What does late cost?", "editor")
    assert question.gold == [{"file": "lending.rst", "anchor": chunk.section.anchor}]

    assert "already answers" in editor.post("/libraries/handbook/golden", values, follow=True).content.decode()
    other = {**values, "chunk": chunk_of("booking/pricing.py").pk}
    assert "2 places answer it" in editor.post("/libraries/handbook/golden", other, follow=True).content.decode()
    assert len(GoldenQuestion.objects.get().gold) == 2
    evaluate("handbook")
    assert EvaluationRun.objects.get().measures["lexical"]["hit@10"] == 1.0


def test_what_was_saved_says_where_it_stands(editor, handbook):
    values = {"q": "What does <b>late</b> cost?", "chunk": chunk_of("lending.rst").pk, "next": "/search"}
    for _ in range(2):
        page = editor.post("/libraries/handbook/golden", values, follow=True).content.decode()
        address = re.search(r'<a href="([^"#]+)#Questions">golden questions</a> of', page)[1]
        assert "“What does &lt;b&gt;late&lt;/b&gt; cost?”" in page
        assert 'id="Questions"' in editor.get(address).content.decode()


def test_who_keeps_the_questions_of_a_library_sees_them_and_switches_them_off(client, signed_in, measured):
    page, switch = "/libraries/handbook/quality", "/libraries/handbook/golden/switch"
    assert "Its golden questions" not in signed_in.get(page).content.decode()
    question = GoldenQuestion.objects.get(identifier="late")
    assert signed_in.post(switch, {"question": question.pk, "do": "off"}).status_code == 403
    keeper = User.objects.create_user("keeper")
    Membership.objects.create(library=measured, user=keeper, role="editor")
    client.force_login(keeper)
    shown = client.get(page).content.decode()
    assert (
        "What does a late bike cost?" in shown and shown.count(">Switch off</button>") == 3 and "/admin/" not in shown
    )
    told = client.post(switch, {"question": question.pk, "do": "off"}, follow=True).content.decode()
    assert "“What does a late bike cost?” is not asked any more." in told and told.count(">Switch off</button>") == 2
    question.refresh_from_db()
    assert not question.active and question.changed_by == keeper
    client.post(switch, {"question": question.pk, "do": "on"})
    assert GoldenQuestion.objects.active().count() == 3
    for nothing in ("", "x", "0"):
        assert client.post(switch, {"question": nothing, "do": "off"}).status_code == 404


def test_a_question_that_was_edited_is_another_one(editor, handbook):
    values = {"q": "What does late cost?", "chunk": chunk_of("lending.rst").pk}
    editor.post("/libraries/handbook/golden", values)
    GoldenQuestion.objects.update(text="How long is a loan?")
    for _ in range(2):
        editor.post("/libraries/handbook/golden", values | {"chunk": chunk_of("booking/pricing.py").pk})
    edited, new = GoldenQuestion.objects.order_by("pk")
    assert ([place["file"] for place in edited.gold], edited.text) == (["lending.rst"], "How long is a loan?")
    assert (new.text, new.identifier) == ("What does late cost?", f"{edited.identifier}-2")


def test_who_may_not_keep_questions_keeps_none(client, signed_in, handbook):
    values = {"q": "late?", "chunk": chunk_of("lending.rst").pk}
    assert client.post("/libraries/handbook/golden", values)["Location"].startswith("/login")
    assert signed_in.post("/libraries/handbook/golden", values).status_code == 403
    assert client.get("/libraries/handbook/golden").status_code == 405
    assert not GoldenQuestion.objects.exists()


@pytest.mark.parametrize("values", [{}, {"q": "\x00", "chunk": 1}, {"q": "a", "chunk": "x"}, {"q": "\x01", "chunk": 1}])
def test_what_is_no_question_is_not_kept(editor, handbook, values):
    response = editor.post("/libraries/handbook/golden", {**values, "next": "https://evil.example/"})
    assert (response.status_code, response.headers["Location"]) == (302, "/search")
    assert not GoldenQuestion.objects.exists()


def test_a_hit_of_another_library_or_of_a_withdrawn_file_is_not_found(editor, handbook, board):
    secret, chunk = chunk_of("board.md"), chunk_of("lending.rst")
    DocumentFile.objects.filter(path="lending.rst").update(withdrawn_at=timezone.now())
    for pk in (secret.pk, chunk.pk, 2**62):
        assert editor.post("/libraries/handbook/golden", {"q": "late?", "chunk": pk}).status_code == 404


def test_questions_are_imported_and_exported_in_the_admin(as_superuser, handbook):
    from django.core.files.uploadedfile import SimpleUploadedFile

    def send(text, **values):
        file = SimpleUploadedFile("q.jsonl", text.encode())
        there = "/admin/knowledge/goldenquestion/import/"
        return as_superuser.post(there, {"library": handbook.pk, "file": file, **values}, follow=True)

    assert "import/" in as_superuser.get("/admin/knowledge/goldenquestion/").content.decode()
    assert "andbook: 3 added." in send(QUESTIONS).content.decode()
    assert "andbook: 3 unchanged." in send(f"\ufeff{QUESTIONS}").content.decode(), "with a byte-order mark"
    assert "q.jsonl:1" in send("nonsense").content.decode()
    assert "q.jsonl holds no question." in send(" \n", replace="on").content.decode()
    assert "1 changed, 2 switched off" in send('{"id": "days", "question": "?", "gold": [{"file": "a"}]}', replace="on").content.decode()  # fmt: skip  # noqa: E501

    selected = {"action": "export", "_selected_action": list(GoldenQuestion.objects.values_list("pk", flat=True))}
    exported = as_superuser.post("/admin/knowledge/goldenquestion/", selected).content.decode()
    assert [question.id for question in read_json_lines(exported, "f")] == ["days", "late", "moon"]
    as_superuser.post("/admin/knowledge/goldenquestion/", {**selected, "action": "switch_on"})
    assert GoldenQuestion.objects.active().count() == 3


def test_a_golden_question_is_changed_in_the_admin_and_its_place_is_checked(as_superuser, measured):
    row = GoldenQuestion.objects.get(identifier="days")
    there = f"/admin/knowledge/goldenquestion/{row.pk}/change/"
    values = {"text": "When?", "kind": "", "active": "on", "identifier": "other"}
    for gold in ('[{"file": "a", "page": 0}]', "[]", "{}", "nonsense"):
        assert as_superuser.post(there, {**values, "gold": gold}).status_code == 200
    changed = as_superuser.post(there, {**values, "gold": '[{"file": "a", "page": 2, "note": "x"}]'})
    row.refresh_from_db()
    assert changed.status_code == 302 and (row.text, row.identifier) == ("When?", "days")
    assert row.gold == [{"file": "a", "page": 2}] and row.changed_by.username == "root"


def test_a_golden_question_about_a_place_that_is_not_there_is_kept_with_a_warning(as_superuser, measured):
    row = GoldenQuestion.objects.get(identifier="late")
    there = f"/admin/knowledge/goldenquestion/{row.pk}/change/"
    values = {"text": "When?", "kind": "", "active": "on", "identifier": "late"}
    told = as_superuser.post(there, {**values, "gold": '[{"file": "nope.md"}]'}, follow=True).content.decode()
    assert "Not in the active snapshot of handbook, so no search finds it: nope.md." in told
    lines = '[{"file": "lending.rst", "line_start": 900, "line_end": 901}]'
    told = as_superuser.post(there, {**values, "gold": lines}, follow=True).content.decode()
    assert "so no search finds it: lending.rst:900–901." in told
    right = as_superuser.post(there, {**values, "gold": '[{"file": "lending.rst"}]'}, follow=True).content.decode()
    assert "was changed successfully" in right and "no search finds it" not in right
    file = SimpleUploadedFile("q.jsonl", b'{"id": "x", "question": "?", "gold": [{"file": "nope.md"}]}')
    sent = {"library": measured.pk, "file": file}
    told = as_superuser.post("/admin/knowledge/goldenquestion/import/", sent, follow=True).content.decode()
    assert "1 added" in told and "so no search finds it: nope.md." in told


def test_a_library_in_which_nothing_is_active_is_not_offered_to_be_tried(as_superuser, db):
    Library.objects.create(slug="shelf", name="The shelf", kind="uploads", access="public")
    for page in ("quality", "settings"):
        shown = as_superuser.get(f"/libraries/shelf/{page}").content.decode()
        assert "?library=shelf" not in shown, page
    assert "has not been read in yet" in as_superuser.get("/libraries/shelf/quality").content.decode()
