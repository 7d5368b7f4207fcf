"""The audit: nothing is taken out of it, nothing in it changes unnoticed, and nobody acts beside it."""

import json

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from ingestion.removing import remove_library
from knowledge.governance import audit
from knowledge.governance.activation import rollback
from knowledge.governance.withdrawal import restore, withdraw
from knowledge.models import AuditEvent, DocumentFile, Library, Membership, SourceCredential
from knowledge.verification import run_checks
from tests.conftest import begun_elsewhere, reindex, write

FILES = {"a.md": "# A\n\nText of a.\n"}
CHAIN = "the audit's chain is unbroken, and its guards stand"


def run(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def forged(sql: str) -> None:
    """As somebody does who may switch the guards off."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL session_replication_role = replica")
        cursor.execute(sql)
        cursor.execute("SET LOCAL session_replication_role = origin")


def chain_is_whole() -> bool:
    return next(check.ok for check in run_checks(deep=False) if check.name == CHAIN)


@pytest.fixture
def events(db) -> list[AuditEvent]:
    return [audit.record("test.act", number=number) for number in range(5)]


def test_events_follow_each_other(events):
    assert not list(AuditEvent.objects.broken())
    numbers = [event.number for event in events]
    assert numbers == list(range(numbers[0], numbers[0] + 5))


ODD = [-0.0, 1e16, 1e22, 1.5e300, 1e-7, 5e-324, float("nan"), float("-inf"), 10**300]
ODD += ["a\0b", "\ud800", "\ud83d\ude00", {2: 0, 10: 0, None: 0, "\0": [True, (None, -0.0)]}]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_the_chain_holds_whatever_postgres_makes_of_a_value(db, odd):
    event = audit.record("test.act", odd=odd)
    kept = AuditEvent.objects.get(pk=event.pk)
    assert kept.details == event.details and kept.hash == kept.computed_hash()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE knowledge_auditevent SET actor = 'somebody else'",
        "DELETE FROM knowledge_auditevent",
        "UPDATE knowledge_audithead SET number = 0",
        "DELETE FROM knowledge_audithead",
        "DELETE FROM knowledge_rowstate",
        "UPDATE knowledge_rowstate SET state = NULL",
        "INSERT INTO knowledge_rowstate (relation, key, at) VALUES ('knowledge_library', 1, now())",
    ],
)
def test_no_statement_of_the_application_changes_it(events, sql):
    User.objects.create_user("somebody")
    with pytest.raises(IntegrityError):
        run(sql)


def test_it_is_not_emptied(events):
    run("SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE knowledge_auditevent ENABLE TRIGGER never_emptied")
    with pytest.raises(IntegrityError):
        run("TRUNCATE knowledge_auditevent")


def test_an_event_that_does_not_follow_the_last_one_is_refused(events):
    event = events[-1]
    for number, previous in ((event.number + 2, event.hash), (event.number + 1, events[0].hash)):
        event.number, event.previous = number, previous
        with pytest.raises(IntegrityError, match="does not follow"), transaction.atomic():
            event.save(force_insert=True)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE knowledge_auditevent SET actor = 'x' WHERE number = (SELECT max(number) - 2 FROM knowledge_auditevent)",
        "UPDATE knowledge_auditevent SET details = '{}' WHERE action = 'test.act'",
        "UPDATE knowledge_auditevent SET at = at + interval '1 day' WHERE number = 2",
        "DELETE FROM knowledge_auditevent WHERE number = 2",
        "DELETE FROM knowledge_auditevent WHERE number = (SELECT max(number) FROM knowledge_auditevent)",
        "DELETE FROM knowledge_auditevent WHERE number <= 2",
        "DELETE FROM knowledge_auditevent WHERE number > 2; DELETE FROM knowledge_audithead",
        "UPDATE knowledge_auditevent SET hash = repeat('a', 64) WHERE number = 3",
        "ALTER TABLE knowledge_auditevent DISABLE TRIGGER append_only",
        "DROP TRIGGER four_eyes ON knowledge_decision",
        "DROP TRIGGER requested ON knowledge_job",
        "DROP TRIGGER remember ON auth_user",
    ],
)
def test_verify_finds_what_was_changed_below_the_guards(events, sql):
    run("SET CONSTRAINTS ALL IMMEDIATE; ALTER TABLE knowledge_auditevent ENABLE TRIGGER never_emptied")
    run("ALTER TABLE knowledge_audithead ENABLE TRIGGER never_emptied")
    assert chain_is_whole()
    forged(sql)
    assert not chain_is_whole()


def test_an_export_is_json_lines_and_shows_a_rewritten_chain(events, tmp_path):
    file = tmp_path / "audit.jsonl"
    call_command("audit_export", output=file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["number"] for line in lines] == list(range(1, events[-1].number + 1))
    call_command("audit_export", check=file)

    previous = "0" * 64  # as somebody does who computes every hash anew
    for event in AuditEvent.objects.order_by("number"):
        event.actor, event.previous = "nobody", previous
        previous = event.computed_hash()
        forged(
            f"UPDATE knowledge_auditevent SET actor = 'nobody', previous = '{event.previous}', hash = '{previous}' "
            f"WHERE number = {event.number}"
        )
    forged(f"UPDATE knowledge_audithead SET hash = '{previous}'")
    assert not list(AuditEvent.objects.broken())
    with pytest.raises(CommandError, match="not what was exported"):
        call_command("audit_export", check=file)


@pytest.mark.parametrize("line", ["[1]", "null", '{"number": [1]}', "{}", "x"])
def test_what_is_no_export_is_not_compared(events, tmp_path, line):
    file = tmp_path / "audit.jsonl"
    file.write_text(line)
    with pytest.raises(CommandError, match="is no export of an audit"):
        call_command("audit_export", check=file)


def test_an_export_to_where_nothing_can_be_written_says_so(events, tmp_path):
    with pytest.raises(CommandError, match=r"missing/audit\.jsonl cannot be written: No such file"):
        call_command("audit_export", output=tmp_path / "missing" / "audit.jsonl")


def test_an_export_that_breaks_off_leaves_nothing(events, tmp_path, monkeypatch):
    file = tmp_path / "audit.jsonl"
    file.write_text("the one before")
    monkeypatch.setattr(AuditEvent, "as_json", lambda event: {"number": 1} if event.number == 1 else {"number": {1}})
    with pytest.raises(TypeError):
        call_command("audit_export", output=file)
    assert [path.name for path in tmp_path.iterdir()] == ["audit.jsonl"] and file.read_text() == "the one before"


def actions() -> list[str]:
    return list(AuditEvent.objects.order_by("number").values_list("action", flat=True))


def test_governing_acts_are_written_down_with_who_and_what(indexed, documents):
    root = User.objects.create_superuser("root")
    library = indexed("one", FILES)
    write(documents / "one", {"a.md": "# A\n\nOther text.\n"})
    reindex(library)
    rollback(library, by=root)
    document = DocumentFile.objects.get()
    withdraw(document, root, "wrong")
    restore(document, root)
    with audit.acting(root):
        Membership.objects.create(library=library, user=User.objects.create_user("ann"), role="reader").delete()
        root.groups.add(Group.objects.get(name="editor"))
        library.gate_minimum = 0.5
        library.save()

    found = {event.action: event for event in AuditEvent.objects.all()}
    back = found["snapshot.rollback"]
    assert (back.actor, back.library, back.snapshot) == ("root", "one", 1)
    assert back.details["before"] == 2 and back.details["manifest_hash"]
    withdrawn = found["document.withdraw"]
    assert (withdrawn.path, withdrawn.details["reason"]) == ("a.md", "wrong")
    assert withdrawn.version == document.versions.earliest("pk").sha256
    assert found["library.settings"].details["changes"] == {"gate_minimum": [None, 0.5]}
    assert {"membership.add", "membership.remove", "group.join", "user.create", "snapshot.activate"} <= found.keys()
    assert found["membership.add"].actor == "root"
    assert "server" in found["snapshot.activate"].actor


def test_a_role_that_is_moved_is_taken_there_and_given_here(make_library):
    one, two = make_library("one", FILES), make_library("two", FILES)
    ann, bob = User.objects.create_user("ann"), User.objects.create_user("bob")
    membership = Membership.objects.create(library=one, user=ann, role="reader")
    before = len(actions())
    membership.user, membership.library, membership.role = bob, two, "librarian"
    membership.save()
    taken, given = AuditEvent.objects.order_by("number")[before:]
    assert (taken.action, taken.library, taken.details) == (
        "membership.remove",
        "one",
        {"user": "ann", "role": "reader"},
    )
    assert (given.action, given.library, given.details) == (
        "membership.add",
        "two",
        {"user": "bob", "role": "librarian"},
    )
    membership.role = "editor"
    membership.save()
    assert actions()[-1] == "membership.change" and len(actions()) == before + 3


def test_permissions_of_an_account_are_in_it(db):
    ann, permission = User.objects.create_user("ann"), Permission.objects.get(codename="add_library")
    before = len(actions())
    ann.user_permissions.add(permission)
    permission.user_set.remove(ann)
    ann.user_permissions.set([permission])
    ann.user_permissions.clear()
    assert actions()[before:] == ["permission.grant", "permission.revoke"] * 2
    told = AuditEvent.objects.latest("number").details
    assert told == {"user": "ann", "permission": "knowledge.add_library"}


def test_permissions_of_a_group_are_in_it(db):
    """Everyone in the group has them."""
    group, permission = Group.objects.create(name="desk"), Permission.objects.get(codename="add_library")
    before = len(actions())
    group.permissions.add(permission)
    permission.group_set.remove(group)
    group.permissions.set([permission])
    group.permissions.clear()
    assert actions()[before:] == ["permission.grant", "permission.revoke"] * 2
    told = AuditEvent.objects.latest("number").details
    assert told == {"group": "desk", "permission": "knowledge.add_library"}


def test_an_act_that_fails_leaves_no_event(indexed):
    library = indexed("one", FILES)
    before = actions()
    with pytest.raises(ValueError, match="say why"):
        withdraw(DocumentFile.objects.get(), None, " ")
    with pytest.raises(ValueError, match="what was erased"):
        withdraw(DocumentFile.objects.get(), None, "erased: by mistake from the shelf")
    with pytest.raises(RuntimeError), transaction.atomic():
        withdraw(DocumentFile.objects.get(), None, "wrong")
        raise RuntimeError
    assert actions() == before and library.active_snapshot


def test_who_signed_in_and_who_failed_to_is_written_down(client, reader):
    assert not client.login(username="reader", password="wrong")
    assert client.login(username="reader", password="reader")
    assert actions()[-2:] == ["session.refuse", "session.open"]
    assert AuditEvent.objects.latest("number").actor == "reader"


def test_sources_credentials_and_groups_are_in_it(indexed):
    """The secrets are not."""
    library = indexed("one", FILES)
    Library.objects.filter(pk=library.pk).update(kind="git", location="https://ann:secret@example.org/a.git")
    library.refresh_from_db()
    library.location = "https://example.org/b.git"
    library.save()
    SourceCredential.token(library, "a-secret-token")
    group = Group.objects.create(name="readers")
    group.name = "administrator of something"
    group.save()
    group.delete()
    remove_library(library)

    said = {event.action: json.dumps(event.details) for event in AuditEvent.objects.all()}
    assert "https://example.org/a.git" in said["library.source"] and "example.org/b.git" in said["library.source"]
    assert {"credential.set", "credential.forget", "group.change", "group.delete", "library.remove"} <= said.keys()
    assert not any("secret" in details for details in said.values())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", [Membership.save, Membership.delete])
def test_who_changes_a_role_waits_for_the_library_before_the_audit(act):
    library = Library.objects.create(slug="one", name="One", kind="uploads")
    user = User.objects.create_user("someone")
    row = Membership.objects.create(library=library, user=user, role="reader")

    def changed() -> None:
        with transaction.atomic():
            found = Membership.objects.get(pk=row.pk)
            found.role = "editor"
            act(found)

    with transaction.atomic():  # as on the page of members, where a role is taken
        Library.objects.lock(library.pk)
        Membership.objects.select_for_update().get(pk=row.pk)
        other = begun_elsewhere(changed)
        audit.record("membership.remove", library=library)
    other.join()
    actions = list(AuditEvent.objects.order_by("number").values_list("action", flat=True))
    assert actions[-2:] == ["membership.remove", {"save": "membership.change"}.get(act.__name__, "membership.remove")]
