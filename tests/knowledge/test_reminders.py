"""Files that somebody should look at again: on a page, in the audit, and once in a letter to their owner."""

from datetime import timedelta
from smtplib import SMTPAuthenticationError
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.utils import timezone

from knowledge.governance import reminders
from knowledge.governance.withdrawal import withdraw
from knowledge.health.mail import examine_mail
from knowledge.models import AuditEvent, Library, Membership
from knowledge.upkeep import run_due, write_reminders
from tests.conftest import begun_elsewhere

TODAY = timedelta(0)


@pytest.fixture
def owner(db) -> User:
    return User.objects.create_user("owner", email="owner@example.org")


@pytest.fixture
def library(indexed, owner, settings) -> Library:
    settings.EMAIL_CONFIGURED, settings.SITE_URL = True, "https://docs.example.org/"
    library = indexed("one", {f"{name}.md": f"# {name}\n\nText.\n" for name in "abc"}, access="groups")
    Membership.objects.create(library=library, user=owner, role="editor")
    library.document_files.update(owner=owner)
    set_date(library, "a.md", -timedelta(days=3))
    set_date(library, "b.md", TODAY)
    set_date(library, "c.md", timedelta(days=5))
    return library


def set_date(library: Library, path: str, after: timedelta) -> None:
    library.document_files.filter(path=path).update(review_by=timezone.localdate() + after)


def events(action: str) -> list[str]:
    return sorted(AuditEvent.objects.filter(action=action).values_list("path", flat=True))


def test_an_owner_gets_one_letter_for_all_that_is_due_and_never_a_second(library):
    for _ in range(3):
        write_reminders()
    (letter,) = mail.outbox
    assert letter.to == ["owner@example.org"] and letter.subject == "2 files of yours should be looked at again"
    assert "a.md" in letter.body and "b.md" in letter.body and "c.md" not in letter.body
    assert "https://docs.example.org/due/" in letter.body
    assert events("document.remind") == ["a.md", "b.md"]


def test_another_date_is_another_letter(library):
    write_reminders()
    set_date(library, "a.md", -timedelta(days=1))
    write_reminders()
    assert len(mail.outbox) == 2 and "1 file of yours" in mail.outbox[1].subject


def test_nothing_is_sent_where_no_mail_server_is_configured(library, settings):
    settings.EMAIL_CONFIGURED = False
    write_reminders()
    assert mail.outbox == [] and events("document.remind") == []
    run_due()
    assert events("document.review_due") == ["a.md", "b.md"], "the audit says it in any case"
    assert set(AuditEvent.objects.filter(action="document.review_due").values_list("actor")) == {("by itself",)}


def test_a_letter_is_written_by_nobody(library):
    write_reminders()
    assert set(AuditEvent.objects.filter(action="document.remind").values_list("actor")) == {("by itself",)}


@pytest.mark.parametrize(
    "change",
    [{"review_by": "2999-01-01"}, {"withdrawn_at": timezone.now(), "trashed_at": timezone.now()}],
    ids=["date", "trash"],
)
@pytest.mark.parametrize(
    ("begin", "action"), [(reminders.note, "document.review_due"), (write_reminders, "document.remind")]
)
def test_what_is_no_more_due_when_its_turn_comes_is_not_said_to_be(library, monkeypatch, begin, action, change):
    record = reminders.audit.record

    def meanwhile(*args: object, **about: object) -> None:
        """With the event of the first file, before the second one."""
        library.document_files.filter(path="b.md").update(**change)
        record(*args, **about)

    monkeypatch.setattr(reminders.audit, "record", meanwhile)
    begin()
    assert events(action) == ["a.md"]


@pytest.mark.parametrize("lost", ["account", "address", "library"])
def test_who_is_off_has_no_address_or_may_not_read_is_not_written_to(library, owner, lost):
    if lost == "account":
        User.objects.filter(pk=owner.pk).update(is_active=False)
    elif lost == "address":
        User.objects.filter(pk=owner.pk).update(email="")
    else:
        Membership.objects.all().delete()
    write_reminders()
    assert mail.outbox == []


def test_files_that_their_owners_may_not_read_keep_nobody_waiting(library, owner, monkeypatch):
    gone = User.objects.create_user("gone", email="gone@example.org")
    library.document_files.filter(path="a.md").update(owner=gone)  # the longest overdue
    monkeypatch.setattr(reminders, "AT_ONCE", 1)
    write_reminders()
    (letter,) = mail.outbox
    assert letter.to == ["owner@example.org"] and "b.md" in letter.body


def test_a_letter_that_could_not_be_sent_is_tried_again_the_next_day(library, monkeypatch):
    def refused(*_: object) -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as patched:
        patched.setattr(reminders, "send_mail", refused)
        write_reminders()
    assert mail.outbox == [] and events("document.remind_failed") == ["a.md", "b.md"]
    write_reminders()
    assert len(mail.outbox) == 1


def test_an_address_that_is_none_keeps_no_other_owner_waiting(library):
    first = User.objects.create_user("first", email="first\n@example.org")
    Membership.objects.create(library=library, user=first, role="editor")
    library.document_files.filter(path="a.md").update(owner=first)  # the longest overdue
    write_reminders()
    assert [letter.to for letter in mail.outbox] == [["owner@example.org"]]
    assert events("document.remind_failed") == ["a.md"]


def test_an_owner_with_more_files_than_a_letter_holds_keeps_no_other_owner_waiting(library, monkeypatch):
    first = User.objects.create_user("first", email="first\n@example.org")
    Membership.objects.create(library=library, user=first, role="editor")
    library.document_files.filter(path="a.md").update(owner=first)  # the longest overdue
    monkeypatch.setattr(reminders, "AT_ONCE", 1)
    for _ in range(2):
        write_reminders()
    assert [letter.to for letter in mail.outbox] == [["owner@example.org"]]


def test_who_takes_it_on_first_sends_it_alone(library):
    documents = list(reminders.due())
    assert reminders.take(documents) and reminders.take(documents) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_refused", [False, True])
def test_a_file_is_withdrawn_while_its_owner_is_written_to(library, monkeypatch, is_refused):
    """Neither waits for what the other holds while the other waits for it: Postgres would end one of them."""
    record, others, went_wrong = reminders.audit.record, [], []

    def withdraw_other() -> None:
        try:
            withdraw(library.document_files.select_related("library").get(path="b.md"), None, "it is wrong")
        except Exception as error:
            went_wrong.append(error)

    def meanwhile(action: str, **about: object) -> None:
        """Between the event of the first file and the second file."""
        record(action, **about)
        if not others and action == f"document.remind{'_failed' if is_refused else ''}":
            others.append(begun_elsewhere(withdraw_other))

    monkeypatch.setattr(reminders.audit, "record", meanwhile)
    monkeypatch.setattr(reminders, "send_mail", Mock(side_effect=ConnectionRefusedError if is_refused else None))
    write_reminders()
    others[0].join()
    assert not went_wrong and library.document_files.get(path="b.md").withdrawn_at


def test_the_doctor_logs_in_at_the_mail_server_and_sends_nothing(settings, monkeypatch, mailoutbox):
    settings.EMAIL_CONFIGURED = False
    assert examine_mail().state == "off"
    settings.EMAIL_CONFIGURED, settings.EMAIL_HOST = True, "mail.example.org"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "anna", "s3cret"
    server = Mock()
    monkeypatch.setattr("smtplib.SMTP", server)
    assert (examine_mail().state, examine_mail().detail) == ("ok", "mail.example.org lets us in")
    server.return_value.login.assert_called_with("anna", "s3cret")
    server.return_value.sendmail.assert_not_called()
    for fault in (SMTPAuthenticationError(535, b"no such user"), ConnectionRefusedError("refused"), UnicodeError("s3")):
        server.return_value.login.side_effect = fault
        found = examine_mail()
        assert found.state == "degraded" and "EMAIL_URL" in found.to_do and "s3" not in found.detail
