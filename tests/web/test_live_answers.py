"""Answers while they are written: they go on when their reader reloads, and end whole or broken off."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from django.test import Client
from django.utils import timezone

from knowledge.endpoints import Hold
from knowledge.models import Answer, Library, Membership
from retrieval.answering import drafting, drafts, listening, live, pipeline, revocation
from retrieval.answering.drafts import put  # as it is without `conftest.py`
from retrieval.answering.ledger import Asking, TooMany
from retrieval.answering.pipeline import answer
from retrieval.results import SearchOptions
from retrieval.view import UnknownLibrary
from tests.conftest import reindex
from tests.retrieval.answering_fakes import FakeChat
from tests.web.asking import QUESTION, ask, events, page

ANSWER = "You can borrow a cargo bike for up to three days [1]."


@pytest.mark.django_db(transaction=True)
def test_what_an_answer_is_drawn_from_is_noted_before_its_first_word(signed_in, handbook, patient):
    row = begun(signed_in)
    stream = events(signed_in, row)
    next(stream)
    row.refresh_from_db()
    assert row.state == "incomplete" and row.snapshots == [["handbook", 1]] and row.passages
    assert row.standalone == QUESTION
    patient.write(100)
    list(stream)  # until it is written: the database is emptied after this


@pytest.mark.django_db(transaction=True)
def test_who_may_not_inspect_a_candidate_any_more_is_told_no_more_of_it(
    signed_in, reader, handbook, documents, patient, monkeypatch
):
    monkeypatch.setattr(revocation, "EVERY_SECONDS", 0)
    Membership.objects.create(library=handbook, user=reader, role="editor")
    Library.objects.filter(pk=handbook.pk).update(requires_review=True)
    file = documents / "handbook" / "lending.rst"
    file.write_text(file.read_text().replace("up to three days", "up to ninety days"))
    reindex(handbook)
    row = ask(signed_in, live="yes", library="handbook", snapshot="2")
    stream = events(signed_in, row)
    next(stream)
    patient.write(2)
    assert next(stream)[0] == "token"
    Membership.objects.update(role="reader")
    assert [event[0] for event in events(signed_in, row)] == []  # a reload is sent nothing of the draft
    patient.write(100)
    *_, last = stream
    assert last[0] == "finished" and "ninety" not in last[2]["html"]
    row.refresh_from_db()
    assert (row.refused, row.passages) == (True, [])


def test_nothing_stays_on_the_desk_of_a_question_to_no_library(handbook, monkeypatch):
    put = []
    monkeypatch.setattr(drafts, "put", lambda pk, buffer: put.append(pk))
    taken = []
    monkeypatch.setattr(drafts, "take_away", taken.append)
    with pytest.raises(UnknownLibrary):
        answer(None, QUESTION, SearchOptions(("nowhere",)))
    assert put == taken and put[0] and not Answer.objects.exists()


class PatientChat(FakeChat):
    """Writes a piece each time it is let."""

    def __init__(self, says: str, fails_after: int | None = None) -> None:
        super().__init__(says, fails_after)
        self.let, self.written = threading.Semaphore(0), threading.Semaphore(0)

    def _pieces(self, text: str) -> Iterator[str]:
        for piece in super()._pieces(text):
            assert self.let.acquire(timeout=20)
            yield piece
            self.written.release()

    def write(self, pieces: int) -> None:
        for _ in range(pieces):
            self.let.release()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> PatientChat:
    chat = PatientChat(ANSWER)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    return chat


def begun(client: Client) -> Answer:
    return ask(client, live="yes")


@pytest.mark.django_db(transaction=True)
def test_an_answer_survives_a_reload_and_goes_on_where_the_reader_left(signed_in, handbook, patient):
    row = begun(signed_in)
    assert row.state == "incomplete" and f'data-events="/chat/{row.pk}/events?from=0"' in page(signed_in, row)
    stream = events(signed_in, row)
    assert next(stream)[0] == "retrieved"
    patient.write(4)
    name, seen, data = next(stream)
    assert name == "token" and ANSWER.startswith(data["text"]) and seen == str(len(data["text"]))
    stream.close()  # the reader reloads
    drafts.save({row.pk: drafts._buffers[row.pk]})
    assert Answer.objects.get(pk=row.pk).draft and Answer.objects.get(pk=row.pk).text == ""
    again = events(signed_in, row, seen)
    assert next(again)[0] == "retrieved"
    patient.write(100)  # now that it is followed: what is complete is sent as a whole
    later = list(again)
    assert data["text"] + "".join(event[2]["text"] for event in later[:-1]) == ANSWER
    assert later[-1][0] == "finished" and "word for word in the file" in later[-1][2]["html"]
    row.refresh_from_db()
    assert (row.state, row.text, row.draft) == ("complete", ANSWER, "")
    assert [event[0] for event in events(signed_in, row)] == ["finished"]


@pytest.mark.django_db(transaction=True)
def test_stop_keeps_what_was_checked(signed_in, handbook, patient):
    row = begun(signed_in)
    stream = events(signed_in, row)
    next(stream)
    patient.write(5)
    stopped = signed_in.post(f"/chat/{row.pk}/stop")
    assert stopped["Location"] == f"/chat/{row.pk}#Answer{row.pk}"
    page = signed_in.get(f"/chat/{row.pk}").content.decode()
    assert "Stopping …" in page and ">Stop</button>" not in page
    patient.write(1)
    *_, last = stream
    assert last[0] == "finished" and "You stopped this answer" in last[2]["html"]
    row.refresh_from_db()
    assert row.state == "stopped" and patient.taken < 10


@pytest.mark.django_db(transaction=True)
def test_a_writer_that_dies_leaves_an_incomplete_answer(signed_in, handbook, patient, monkeypatch):
    def dies(*_: object) -> None:
        raise MemoryError("gone")

    monkeypatch.setattr(pipeline, "conclude", dies)
    row = begun(signed_in)
    patient.write(100)
    *_, last = events(signed_in, row)
    assert last[0] == "finished" and "broke off before it was checked" in last[2]["html"]
    row.refresh_from_db()
    assert (row.state, row.text, row.citations.count()) == ("incomplete", "", 0) and not row.is_being_written


def test_an_answer_that_no_thread_writes_is_not_being_written(reader, handbook, monkeypatch):
    class NoThread:
        def __init__(self, **_: object) -> None:
            pass

        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(live.threading, "Thread", NoThread)
    monkeypatch.setattr(drafts, "put", lambda *_: None)
    with pytest.raises(RuntimeError):
        live.start(reader, QUESTION, SearchOptions(), Asking())
    assert not Answer.objects.get().is_being_written and not live._writers


@pytest.mark.django_db(transaction=True)
def test_another_process_follows_by_what_the_database_knows(signed_in, handbook):
    row = ask(signed_in)
    row.citations.all().delete()
    Answer.objects.filter(pk=row.pk).update(state="incomplete", text="", draft="You can", beat_at=timezone.now())
    stream = live.follow(row.pk, 4)
    assert next(stream) == live.Piece("can", 7)
    Answer.objects.filter(pk=row.pk).update(draft="You can borrow", beat_at=timezone.now())
    assert next(stream) == live.Piece(" borrow", 14)
    Answer.objects.filter(pk=row.pk).update(beat_at=None)
    assert [type(event).__name__ for event in stream] == ["Silent", "Ended"]


def test_one_reader_leaves_seats_to_others(settings, monkeypatch):
    monkeypatch.setattr(live, "_seats", Counter())  # a browser that has gone may still be followed by its server
    settings.ASK_STREAMS = live.SEATS_EACH + 1
    with ExitStack() as taken:
        for _ in range(live.SEATS_EACH):
            taken.enter_context(live.seat("user:1"))
        with pytest.raises(TooMany), live.seat("user:1"):
            pass
        taken.enter_context(live.seat("user:2"))
        with pytest.raises(TooMany), live.seat("user:3"):
            pass
    assert not live._seats


def test_what_is_written_already_is_sent_without_a_seat(signed_in, handbook, settings):
    settings.ASK_STREAMS = 0
    row = ask(signed_in)
    assert [event[0] for event in events(signed_in, row)] == ["finished"]
    row.citations.all().delete()
    Answer.objects.filter(pk=row.pk).update(state="incomplete", text="", draft="You can", beat_at=timezone.now())
    assert list(events(signed_in, row)) == []


@pytest.mark.django_db(transaction=True)
def test_a_model_that_breaks_off_leaves_the_documents_words(signed_in, handbook, monkeypatch):
    chat = FakeChat(ANSWER, fails_after=9)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    row = begun(signed_in)
    *_, last = events(signed_in, row)
    page = last[2]["html"]
    assert "The chat model is not available. From the documents:" in page and page.count("chat model") == 1


def test_a_grammar_is_sent_to_a_server_that_takes_one(signed_in, handbook, monkeypatch):
    chat = FakeChat(ANSWER)
    chat.holds_by = Hold.GRAMMAR
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    ask(signed_in)
    rules = chat.forms[0]["grammar"]
    assert '"I don\'t know."' in rules and '("1"' in rules


def test_a_schema_is_sent_to_a_server_that_takes_one_and_its_json_becomes_the_answer(signed_in, handbook, monkeypatch):
    said, number = ANSWER.rsplit(" [", 1)
    chat = FakeChat(json.dumps({"sentences": [{"text": said, "passages": [int(number[:-1].rstrip("]"))]}]}))
    chat.holds_by = Hold.SCHEMA
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    row = ask(signed_in)
    schema = chat.forms[0]["response_format"]["json_schema"]["schema"]
    assert 1 in schema["properties"]["sentences"]["items"]["properties"]["passages"]["items"]["enum"]
    assert row.model == "fake" and row.text == f"{said.rstrip('.')}. [{number.rstrip('.')}"


def test_strong_evidence_is_asked_about_once_more_and_more_tightly(signed_in, handbook, monkeypatch):
    replies = iter(["Elephants fly over the moon.", ANSWER])
    chat = FakeChat(lambda messages: next(replies))
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    buffers: list[drafts.DraftBuffer] = []
    monkeypatch.setattr(drafts, "put", lambda pk, buffer: buffers.append(buffer))
    row = ask(signed_in)
    assert row.text == ANSWER and "copied word for word" in chat.asked[1][0]["content"]
    assert buffers[0].text == "Elephants fly over the moon."  # what was read stays, in every process
    assert row.usage == {"prompt_tokens": 10, "completion_tokens": 14}


@pytest.mark.django_db(transaction=True)
def test_a_stop_is_heard_while_the_model_reads_its_prompt(signed_in, handbook, patient, monkeypatch):
    monkeypatch.setattr(listening, "EVERY", 0.01)
    row = begun(signed_in)
    stream = events(signed_in, row)
    next(stream)
    signed_in.post(f"/chat/{row.pk}/stop")
    assert [event[0] for event in stream] == ["finished"]
    row.refresh_from_db()
    assert row.state == "stopped"
    patient.write(1)


def test_a_desk_that_got_no_thread_asks_for_one_again(monkeypatch):
    saved = threading.Event()
    start, failures = threading.Thread.start, [RuntimeError("can't start new thread")]

    def scarce(thread: threading.Thread) -> None:
        if failures:
            raise failures.pop()
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    monkeypatch.setattr(drafts, "SAVED_EVERY", 0.01)
    monkeypatch.setattr(drafts, "save", lambda buffers: saved.set() if [*buffers] == [2] else None)
    with pytest.raises(RuntimeError):
        put(1, drafts.DraftBuffer())
    drafts.take_away(1)
    put(2, drafts.DraftBuffer())
    assert saved.wait(10)
    drafts.take_away(2)


def test_an_answer_whose_desk_got_no_thread_is_given_up(handbook, monkeypatch):
    def fails(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(drafts, "put", fails)
    with pytest.raises(RuntimeError):
        answer(None, QUESTION)
    row = Answer.objects.get()
    assert (row.state, row.beat_at) == ("incomplete", None)


def test_stopping_the_second_draft_keeps_what_the_first_one_led_to(signed_in, handbook, monkeypatch):
    buffers: list[drafts.DraftBuffer] = []

    def says(messages: object) -> str:
        if len(chat.asked) == 2:
            buffers[0].stopped = True
            return ANSWER
        return "Elephants fly over the moon."

    chat = FakeChat(says)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    monkeypatch.setattr(drafts, "put", lambda pk, buffer: buffers.append(buffer))
    row = ask(signed_in)
    assert len(chat.asked) == 2 and (row.state, row.model) == ("stopped", "extract")


@pytest.mark.django_db(transaction=True)
def test_drafts_are_saved_again_after_whatever_went_wrong(signed_in, handbook, patient, monkeypatch):
    """A saver that died would leave every later answer of this process unsaved, and nobody could stop it."""
    saved = threading.Event()

    def save(buffers: object) -> None:
        if not saved.is_set():
            saved.set()
            raise RuntimeError("the database is not what it was")
        second.set()

    second = threading.Event()
    monkeypatch.setattr(drafts, "SAVED_EVERY", 0.01)
    monkeypatch.setattr(drafts, "save", save)
    row = begun(signed_in)
    assert saved.wait(10) and second.wait(10)
    patient.write(100)
    assert [event[0] for event in events(signed_in, row)][-1] == "finished"


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_is_deleted_while_it_is_followed_ends_its_stream(signed_in, handbook, patient):
    row = begun(signed_in)
    stream = events(signed_in, row)
    assert next(stream)[0] == "retrieved"
    row.delete()
    patient.write(100)
    assert "finished" not in [event[0] for event in stream]
    assert not Answer.objects.filter(pk=row.pk).exists()  # it is not written back


@pytest.mark.django_db(transaction=True)
def test_an_answer_ends_whole_when_whoever_asked_is_deleted_meanwhile(signed_in, handbook, patient, reader):
    row = begun(signed_in)
    stream = events(signed_in, row)
    assert next(stream)[0] == "retrieved"
    reader.delete()
    patient.write(100)
    list(stream)
    row.refresh_from_db()
    assert (row.state, row.asked_by) == ("complete", None)
