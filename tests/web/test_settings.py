"""A library's settings: who may set them, how they came to be, and back; tried on the playground first."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ingestion.removing import remove_library
from knowledge.access import NotAllowed
from knowledge.governance.settings import change, refuse_erasing, restore
from knowledge.models import AuditEvent, LearntFusion, Library, Membership, SettingChange
from knowledge.verification.governance import chain
from retrieval.search import search
from tests.conftest import begun_elsewhere

PAGE = "/libraries/handbook/settings"


@pytest.fixture
def keeper(librarian) -> Client:
    client = Client()
    client.force_login(librarian)
    return client


def fields(page: str) -> dict[str, str]:
    """What the form would send as it stands."""
    sent = dict(re.findall(r'<input type="(?:number|text|hidden)" name="([\w-]+)" value="([^"]*)"', page))
    sent |= {
        name: ""
        for name in re.findall(r'<input type="(?:number|hidden)" name="([\w-]+)" (?!value)', page)
        if name not in sent
    }
    sent |= dict.fromkeys(re.findall(r'<input type="checkbox" name="(\w+)"[^>]* checked', page), "on")
    for name, options in re.findall(r'<select name="(\w+)".*?>(.*?)</select>', page, re.S):
        sent[name] = re.search(r'value="([^"]*)" selected', options)[1]
    return sent


def test_a_change_by_statement_or_update_is_in_the_history_once(keeper, handbook):
    Library.objects.filter(pk=handbook.pk).update(top_k=3, gate_minimum=0.5)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE knowledge_library SET top_k = 10, gate_minimum = NULL, location = '/elsewhere'")
    sent = fields(keeper.get(PAGE).content.decode())
    keeper.post(PAGE, sent | {"do": "save", "top_k": "3"})

    rows = SettingChange.objects.order_by("pk").values_list("field", "before", "after", "actor")
    ways = [row[:3] for row in rows]
    assert ways[:4] == [("gate_minimum", None, 0.5), ("top_k", 10, 3), ("gate_minimum", 0.5, None), ("top_k", 3, 10)]
    assert ways[4:] == [("top_k", 10, 3)] and rows[4][3] == "librarian"
    assert all(actor.startswith("in the database: ") for *_, actor in rows[:4])
    assert "in the database" in keeper.get(PAGE).content.decode()


def test_labels_stand_on_the_fields_so_the_admin_has_them_too(keeper, handbook, superuser):
    page = keeper.get(PAGE).content.decode()
    client = Client()
    client.force_login(superuser)
    admin = client.get(f"/admin/knowledge/library/{handbook.pk}/change/").content.decode()
    for label in ("Least recall of the golden questions", "Days in the trash", "Weight of words"):
        assert label in page and label in admin


def test_what_is_saved_acts_at_once_and_is_in_the_history(keeper, handbook):
    page = keeper.get(PAGE).content.decode()
    sent = fields(page)
    assert {"top_k", "lexical_weight", "keep_days", "gate_minimum", "query_log", "rerank", "caution"} <= sent.keys()

    answer = keeper.post(PAGE, sent | {"do": "save", "top_k": "1", "gate_minimum": "0.8"}, follow=True)
    handbook.refresh_from_db()
    assert (handbook.top_k, handbook.gate_minimum) == (1, 0.8) and len(search(None, "bike").hits) == 1
    told = answer.content.decode()
    assert "Saved: Hits shown, Least recall of the golden questions." in told
    assert "Back to 10" in told and "Back to nothing" in told
    rows = list(SettingChange.objects.values_list("field", "before", "after", "actor").order_by("field"))
    assert rows == [("gate_minimum", None, 0.8, "librarian"), ("top_k", 10, 1, "librarian")]
    event = AuditEvent.objects.filter(action="library.settings").first()
    assert event.actor == "librarian" and event.details["changes"]["top_k"] == [10, 1]


def test_what_is_wrong_elsewhere_in_the_library_is_said_above_the_form(keeper, handbook):
    """Its location was stored before such ones were refused."""
    sent = fields(keeper.get(PAGE).content.decode())
    Library.objects.update(kind="git", location="https://robot:secret@example.org/x", exclude=[5])
    answer = keeper.post(PAGE, sent | {"do": "save", "top_k": "0"})
    told = answer.content.decode()
    assert answer.status_code == 400 and "Exclude: A list of patterns" in told and "Hits shown: " in told
    Library.objects.update(exclude=[])
    told = keeper.post(PAGE, sent | {"do": "save", "top_k": "3"}).content.decode()
    assert "Location: Leave the user and secret out" in told and "secret@" not in told


def test_one_click_goes_back_and_that_is_in_the_history_too(keeper, handbook, librarian):
    for value in (3, 5):
        change(handbook, {"top_k": value}, librarian)
    first = SettingChange.objects.get(after=3)
    keeper.post(PAGE, {"do": "restore", "change": first.pk})
    handbook.refresh_from_db()
    assert handbook.top_k == 10
    steps = SettingChange.objects.order_by("pk").values_list("before", "after")
    assert list(steps) == [(10, 3), (3, 5), (5, 10)]


def test_what_another_has_changed_meanwhile_is_left_as_it_is(keeper, as_superuser, handbook):
    sent = fields(keeper.get(PAGE).content.decode())
    as_superuser.post(PAGE, sent | {"do": "save", "top_k": "3", "gate_minimum": "0.5", "fusion": "rrf", "rrf_k": "30"})
    unchecked = {name: value for name, value in sent.items() if name != "rerank"}
    told = keeper.post(PAGE, unchecked | {"do": "save", "depth": "100", "rrf_k": "30"}, follow=True).content.decode()
    assert "Saved: Candidates, Reranked." in told
    handbook.refresh_from_db()
    assert (handbook.top_k, handbook.gate_minimum, handbook.fusion, handbook.depth) == (3, 0.5, "rrf", 100)
    assert not handbook.rerank


@pytest.mark.django_db(transaction=True)
def test_of_two_that_save_at_once_the_second_waits_and_is_told(keeper, handbook):
    sent = fields(keeper.get(PAGE).content.decode())
    answers = []

    def save() -> None:
        answers.append(keeper.post(PAGE, sent | {"do": "save", "top_k": "5"}, follow=True).content.decode())

    with transaction.atomic():
        Library.objects.filter(pk=handbook.pk).update(top_k=3)
        other = begun_elsewhere(save)
        assert other.is_alive()  # it waits for what is not yet decided
    other.join()
    assert "Nothing was saved: somebody has meanwhile changed Hits shown." in answers[0]
    handbook.refresh_from_db()
    assert handbook.top_k == 3


def test_saving_waits_for_nobody_who_refers_to_the_library(keeper, handbook):
    """Whoever accepts an invitation has the audit's lock, and makes a row that refers to the library."""
    sent = fields(keeper.get(PAGE).content.decode())
    with CaptureQueriesContext(connection) as asked:
        keeper.post(PAGE, sent | {"do": "save", "top_k": "5"})
    locks = [query["sql"] for query in asked if " FOR " in query["sql"] and '"knowledge_library"' in query["sql"]]
    assert locks and all("FOR NO KEY UPDATE" in sql for sql in locks)


def test_what_two_have_changed_is_the_firsts_and_the_second_is_told(keeper, as_superuser, handbook):
    sent = fields(keeper.get(PAGE).content.decode())
    as_superuser.post(PAGE, sent | {"do": "save", "top_k": "3"})
    told = keeper.post(PAGE, sent | {"do": "save", "top_k": "5", "depth": "100"}, follow=True).content.decode()
    assert "Nothing was saved: somebody has meanwhile changed Hits shown." in told
    handbook.refresh_from_db()
    assert (handbook.top_k, handbook.depth) == (3, 200)
    seen = fields(told)
    keeper.post(PAGE, seen | {"do": "save", "top_k": "5"})
    handbook.refresh_from_db()
    assert handbook.top_k == 5


def test_saving_the_same_writes_nothing(keeper, handbook):
    sent = fields(keeper.get(PAGE).content.decode())
    assert "was set like that already" in keeper.post(PAGE, sent | {"do": "save"}, follow=True).content.decode()
    assert not SettingChange.objects.exists()


@pytest.mark.parametrize(
    "bad",
    [
        {"top_k": "0"},
        {"lexical_weight": "x"},
        {"caution": "7"},
        {"gate_minimum": "2"},
        {"fusion": "magic"},
        {"keep_days": "-1"},
    ],
)
def test_what_is_impossible_is_said_and_changes_nothing(keeper, handbook, bad):
    sent = fields(keeper.get(PAGE).content.decode())
    answer = keeper.post(PAGE, sent | {"do": "save", "depth": "100"} | bad)
    handbook.refresh_from_db()
    assert answer.status_code == 400 and "notice bad" in answer.content.decode()
    assert handbook.depth == 200 and not SettingChange.objects.exists()


def test_a_bar_beyond_all_recall_is_refused_in_words(keeper, handbook):
    sent = fields(keeper.get(PAGE).content.decode())
    page = keeper.post(PAGE, sent | {"do": "save", "gate_minimum": "80"}).content.decode()
    assert "golden questions: Ensure this value is less than or equal to 1" in page and "Constraint" not in page


def test_a_wrong_value_is_said_at_the_top_with_a_link_to_its_field(keeper, handbook):
    sent = fields(keeper.get(PAGE).content.decode())
    page = keeper.post(PAGE, sent | {"do": "save", "caution": "99"}).content.decode()
    summary = page[: page.index('<form method="post" class="stack">')]
    assert '<a href="#id_caution">Caution: Ensure this value is less than or equal to 6' in summary
    field = re.search(r'<input type="number" name="caution"[^>]*>', page)[0]
    assert 'aria-invalid="true"' in field and "id_caution_error" in field and 'id="id_caution_error"' in page


def test_numbers_say_their_bounds(keeper, handbook):
    page = keeper.get(PAGE).content.decode()
    shown = dict(re.findall(r'<input type="number" name="(\w+)"([^>]*)>', page))
    said = {name: tuple(re.findall(r'(?:min|max|step)="([^"]*)"', rest)) for name, rest in shown.items()}
    assert said["caution"] == ("any", "-2.0", "6.0") and said["top_k"] == ("1", "50")
    assert said["lexical_weight"] == ("any", "0", "10")
    assert said["gate_minimum"] == ("any", "0", "1") and "From 0 to 1: the share of their places" in page
    assert "From -2 to 6; 0 as measured." in page and "Only where ranks are joined: the k of RRF." in page


def test_changes_by_the_admin_and_the_shell_are_in_it(as_superuser, handbook):
    handbook.keep_days = 7
    handbook.save()
    row = SettingChange.objects.get()
    assert (row.field, row.before, row.after, row.actor_id) == ("keep_days", 30, 7, None)
    handbook.access = "signed-in"
    handbook.save()
    page = as_superuser.get(PAGE).content.decode()
    assert "signed-in" in page and "Back to 30" in page and "Back to public" not in page
    with pytest.raises(ValueError, match="not set here"):
        restore(SettingChange.objects.first(), None)


def test_only_who_manages_sets_and_foreign_changes_are_not_there(keeper, handbook, board, reader):
    change(board, {"top_k": 3}, None)
    row = SettingChange.objects.get()
    assert keeper.post(PAGE, {"do": "restore", "change": row.pk}).status_code == 404
    assert keeper.post("/libraries/board/settings", {"do": "restore", "change": row.pk}).status_code == 404
    with pytest.raises(NotAllowed):
        change(handbook, {"top_k": 3}, reader)
    with pytest.raises(ValueError, match="not set here"):
        change(handbook, {"access": "public"}, None)


@pytest.mark.parametrize("sql", ["UPDATE {} SET actor = 'x'", "DELETE FROM {}"])
def test_postgres_lets_nobody_rewrite_the_history(handbook, sql):
    change(handbook, {"top_k": 3}, None)
    with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql.format("knowledge_settingchange"))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE knowledge_settingchange DISABLE TRIGGER append_only")
    assert any("knowledge_settingchange.append_only" in line for line in chain(False).examples)


def test_who_may_not_erase_leaves_files_a_day_in_the_trash(keeper, as_superuser, handbook, librarian):
    sent = fields(keeper.get(PAGE).content.decode()) | {"do": "save"}
    told = keeper.post(PAGE, sent | {"trash_days": "0"}, follow=True).content.decode()
    assert "only an administrator does that" in told
    keeper.post(PAGE, sent | {"trash_days": "1"})
    handbook.refresh_from_db()
    assert handbook.trash_days == 1
    as_superuser.post(PAGE, fields(as_superuser.get(PAGE).content.decode()) | {"do": "save", "trash_days": "0"})
    sent = fields(keeper.get(PAGE).content.decode()) | {"do": "save"}
    keeper.post(PAGE, sent | {"top_k": "3"})
    handbook.refresh_from_db()
    assert (handbook.trash_days, handbook.top_k) == (0, 3)
    change(handbook, {"trash_days": 1}, librarian)
    with pytest.raises(NotAllowed):
        restore(SettingChange.objects.first(), librarian)
    librarian.is_staff = True
    librarian.save()
    librarian.user_permissions.add(Permission.objects.get(codename="change_library"))
    place = f"/admin/knowledge/library/{handbook.pk}/change/"
    assert "only an administrator does that" in keeper.post(place, {"trash_days": "0"}).content.decode()


def test_of_a_library_that_is_being_added_only_an_administrator_erases_at_once(librarian, superuser):
    refuse_erasing({"trash_days": 0}, superuser, Library(slug="new"))
    with pytest.raises(NotAllowed):
        refuse_erasing({"trash_days": 0}, librarian, Library(slug="new"))


def test_a_library_that_is_removed_leaves_its_history(handbook):
    change(handbook, {"top_k": 3}, None)
    remove_library(handbook)
    assert not Library.objects.exists() and SettingChange.objects.count() == 1


def test_what_was_tried_side_by_side_is_saved_from_there(keeper, handbook):
    tried = "/playground?q=late+bike&library=handbook&a_mode=hybrid&b_mode=hybrid&b_lexical_weight=3&b_diversity=0"
    page = keeper.get(tried).content.decode()
    forms = re.findall(r'<form method="post" action="/libraries/handbook/settings">(.*?)</form>', page)
    assert len(forms) == 2
    sent = dict(re.findall(r'name="(\w+)" value="([^"]*)"', forms[1]))
    keeper.post(PAGE, sent | {"do": "tune"})
    handbook.refresh_from_db()
    assert (handbook.lexical_weight, handbook.diversity, handbook.rerank, handbook.top_k) == (3, 0, False, 10)
    assert {row.field for row in SettingChange.objects.all()} == {"lexical_weight", "diversity", "rerank"}
    assert 'name="a_lexical_weight" value="3.0"' in keeper.get("/playground?library=handbook").content.decode()


def test_what_golden_questions_taught_stands_beside_what_is_set(keeper, handbook):
    taught = {"folds": [], "questions": 24, "default_ndcg": 0.5, "learnt_ndcg": 0.6, "standard_error": 0.01}
    taught |= {"library": handbook, "profile_hash": handbook.active_snapshot.profile.hash, "learnt_weight": 1.512}
    for weight, said in ((1.0, False), (1.512, True)):
        LearntFusion.objects.create(lexical_weight=weight, **taught)
        for page in (PAGE, "/playground?library=handbook"):
            assert ("times 1.51, learnt on" in keeper.get(page).content.decode()) is said, page


def test_the_playground_saves_for_nobody_else(signed_in, reader, handbook):
    Membership.objects.create(library=handbook, user=reader, role="editor")
    page = signed_in.get("/playground?q=late+bike").content.decode()
    assert "lending.rst" in page and "/libraries/handbook/settings" not in page
