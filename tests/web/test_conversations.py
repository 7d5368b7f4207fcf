"""Conversations: follow-ups, whose they are, and answers that go on being written when their reader reloads."""

import json
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from ingestion.erasing import erase
from knowledge.endpoints import ChatStream, EndpointError, Hold
from knowledge.models import Answer, Chunk, Conversation, Library, Membership
from retrieval.answering import Asking, answer, desk, drafting, listening, live, pipeline, revocation
from retrieval.pages.chat import new_conversation, own
from retrieval.results import SearchOptions
from retrieval.view import UnknownLibrary
from tests.conftest import reindex
from tests.retrieval.answering_fakes import FakeChat

QUESTION = "For up to how many days can you borrow a cargo bike?"


def ask(client: Client, question: str = QUESTION, **data: object) -> Answer:
    response = client.post("/chat", {"q": question, **data})
    assert response.status_code == 302, response.content.decode()
    return Answer.objects.get(pk=response.headers["Location"].rpartition("#Answer")[2])


def follow_up(client: Client, row: Answer, question: str, **data: object) -> Answer:
    return ask(client, question, conversation=row.conversation_id, **data)


def page(client: Client, row: Answer) -> str:
    response = client.get(f"/chat/{row.pk}")
    assert response.status_code == 200
    return response.content.decode()


def test_a_follow_up_is_understood_shown_and_can_be_worded_otherwise(signed_in, handbook):
    first = ask(signed_in)
    second = follow_up(signed_in, first, "And what does it cost when it comes back late?")
    assert "cargo bike" in second.standalone and second.conversation == first.conversation
    shown = page(signed_in, second)
    assert f"Understood as “{second.standalone}”" in shown and QUESTION in shown and "ten euros" in shown
    address = f"/chat/{second.pk}/again"
    again = signed_in.post(address, {"standalone": "Who borrows a bike for three days?"})
    third = Answer.objects.get(replaces=second)
    assert again.headers["Location"] == f"/chat/{third.pk}#Answer{third.pk}"
    assert third.standalone == "Who borrows a bike for three days?" and third.question == second.question
    assert f'id="Answer{second.pk}"' not in page(signed_in, third) and f'id="Answer{first.pk}"' in page(
        signed_in, third
    )
    assert f'id="Answer{second.pk}"' in page(signed_in, second)  # still there, at its own address


def headings(shown: str) -> list[str]:
    """Those of the questions and of the box for the next one, in order: h1, h2."""
    return re.findall(r'<(h\d)(?: class="question")?>(?:For up to|And what|Ask)', shown)


def levels(shown: str) -> list[int]:
    """Of all headings, in order."""
    return [int(level) for level in re.findall(r"<h(\d)", shown)]


def test_no_heading_of_an_answer_skips_a_level(signed_in, handbook):
    first = ask(signed_in)
    second = follow_up(signed_in, first, "And what does it cost when it comes back late?")
    sentence = {"text": "# Lending", "citations": [], "supported": True}
    for row in (first, second):
        row.sentences = [sentence, *row.sentences]
        row.save()
    assert levels(page(signed_in, second)) == [1, 2, 2, 3, 2, 3, 3, 4, 2, 2]  # each with its own heading, and a source
    streamed = ["".join(data["html"] for _, _, data in events(signed_in, row)) for row in (first, second)]
    assert [levels(html) for html in streamed] == [[1, 2, 2, 3], [2, 3, 3, 4]]


@pytest.mark.django_db(transaction=True)
def test_an_earlier_question_asked_again_is_not_the_last_that_was_asked(signed_in, reader, handbook):
    first = ask(signed_in)
    second = follow_up(signed_in, first, "Who may book the meeting room?")
    signed_in.post(f"/chat/{first.pk}/again", {"standalone": "How long can you borrow a cargo bike?"})
    again = Answer.objects.get(replaces=first)
    said = pipeline.turns(first.conversation, reader)
    assert [turn.question for turn in said] == [again.standalone, second.standalone]
    again.citations.all().delete()
    Answer.objects.filter(pk=again.pk).update(state="incomplete", text="")
    assert [turn.question for turn in pipeline.turns(first.conversation, reader)] == [QUESTION, second.standalone]


def broken_off(row: Answer) -> Answer:
    row.citations.all().delete()
    Answer.objects.filter(pk=row.pk).update(state="incomplete", text="", standalone="", sentences=[])
    return row


def test_a_question_goes_on_with_the_one_above_it_that_is_still_written_or_broke_off(signed_in, handbook):
    first = broken_off(ask(signed_in))
    second = follow_up(signed_in, first, "And what does it cost when it comes back late?")
    assert "cargo bike" in second.standalone
    follow_up(signed_in, broken_off(second), "Who may use the workshop?")
    signed_in.post(f"/chat/{second.pk}/again")
    again = Answer.objects.get(replaces=second)
    assert "cargo bike" in again.standalone and "workshop" not in again.standalone


def test_the_first_question_is_the_pages_title(signed_in, handbook):
    first = ask(signed_in)
    second = follow_up(signed_in, first, "And what does it cost when it comes back late?")
    assert headings(page(signed_in, second)) == ["h1", "h2", "h2"]
    streamed = ["".join(data["html"] for _, _, data in events(signed_in, row)) for row in (first, second)]
    assert [headings(html) for html in streamed] == [["h1"], ["h2"]]
    assert headings(signed_in.get("/chat").content.decode()) == ["h1"]


def test_only_some_files_and_an_older_snapshot_can_be_asked(signed_in, handbook):
    refused = ask(signed_in, only="workshop*")
    assert refused.refused and refused.options["files"] == ["workshop*"]
    assert 'value="workshop*"' in page(signed_in, refused)
    assert "Searched only in the files <code>workshop*</code>." in page(signed_in, refused)
    older = ask(signed_in, library="handbook", snapshot="1")
    assert older.snapshots == [["handbook", 1]] and not older.refused
    assert signed_in.post("/chat", {"q": QUESTION, "snapshot": "1"}).status_code == 400
    assert signed_in.post("/chat", {"q": QUESTION, "conversation": "99999"}).status_code == 400


def test_a_source_can_be_left_out_and_another_read_first(signed_in, handbook):
    row = ask(signed_in)
    cited = row.citations.get().chunk_id
    signed_in.post(f"/chat/{row.pk}/again", {"exclude": cited})
    without = Answer.objects.get(replaces=row)
    assert cited not in without.passages and without.options["excluded"] == [cited]
    assert "1 passage was left out, as you asked." in page(signed_in, without)
    signed_in.post(f"/chat/{without.pk}/again", {"restore": "yes"})
    assert Answer.objects.get(replaces=without).options["excluded"] == []
    late = next(pk for pk in row.passages if pk != cited)
    signed_in.post(f"/chat/{row.pk}/again", {"pin": late})
    pinned = Answer.objects.filter(replaces=row).latest("pk")
    assert pinned.passages[0] == late
    assert signed_in.post(f"/chat/{row.pk}/again", {"pin": "x"}).status_code == 400


def test_a_pinned_passage_that_may_not_be_seen_is_not_read(signed_in, reader, handbook, board):
    secret = board.active_snapshot.files.get().file_version.chunks.get()
    row = ask(signed_in)
    signed_in.post(f"/chat/{row.pk}/again", {"pin": secret.pk})
    assert secret.pk not in Answer.objects.get(replaces=row).passages


def test_a_verdict_is_kept_and_can_be_taken_back(signed_in, handbook):
    row = ask(signed_in)
    for verdict, liked in (("good", True), ("bad", False), ("none", None)):
        signed_in.post(f"/chat/{row.pk}/feedback", {"verdict": verdict})
        row.refresh_from_db()
        assert row.liked is liked
    assert '<p class="notice success" role="status">Thank you.' in page(signed_in, row)
    signed_in.post(f"/chat/{row.pk}/feedback", {"verdict": "<b>"})
    assert Answer.objects.get(pk=row.pk).liked is None


@pytest.fixture
def stranger(db) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("stranger"))
    return client


def test_a_conversation_is_its_owners_alone(signed_in, stranger, handbook):
    row = ask(signed_in)
    for address in ("", "/events", "/replay"):
        assert stranger.get(f"/chat/{row.pk}{address}").status_code == 404
    for address in ("stop", "again", "feedback"):
        assert stranger.post(f"/chat/{row.pk}/{address}", {"verdict": "bad"}).status_code == 404
    assert stranger.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"}).status_code == 404
    assert stranger.post("/chat", {"q": "And?", "conversation": row.conversation_id}).status_code == 400
    assert QUESTION not in stranger.get("/chat").content.decode()


def tab(client: Client) -> HttpRequest:
    """A request of this visitor that has read the session and not written it yet."""
    request = RequestFactory().get("/chat")
    request.user, request.session = AnonymousUser(), SessionStore(client.session.session_key)
    own(request)
    return request


def test_two_tabs_of_a_visitor_lose_nothing_of_each_other(client, handbook):
    first = ask(client)
    tabs = [tab(client), tab(client)]
    made = {new_conversation(one, "How long?") for one in tabs}
    for one in tabs:
        one.session.save()
    assert set(own(tab(client))) == made | {first.conversation}
    assert client.get(f"/chat/{first.pk}").status_code == 200 and Client().get(f"/chat/{first.pk}").status_code == 404


def test_what_sessions_remembered_by_lists_is_still_theirs(client, handbook):
    row = ask(client)
    session = client.session
    session["conversations"] = [row.conversation_id]
    del session["visitor"]
    session.save()
    Conversation.objects.update(visitor="")
    assert client.get(f"/chat/{row.pk}").status_code == 404
    migration = import_module("knowledge.migrations.0027_visitors")
    migration.name_visitors(apps, None)
    assert client.get(f"/chat/{row.pk}").status_code == 200 and "conversations" not in client.session
    later = ask(client)
    migration.list_conversations(apps, None)
    assert client.session["conversations"] == [later.conversation_id, row.conversation_id]
    assert "visitor" not in client.session


def test_a_shared_conversation_shows_each_reader_what_they_may_read(signed_in, reader, stranger, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Which bike did the secret ballot choose?")
    Answer.objects.filter(pk=row.pk).update(
        sentences=[*row.sentences, {"text": "Purple it was.", "citations": [], "supported": False}],
        text=f"{row.text} Purple it was.",
    )
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    theirs = page(stranger, row)
    assert "shared this conversation" in theirs and "purple" not in theirs.lower() and "withheld" in theirs
    assert "Ask again" not in theirs and stranger.post(f"/chat/{row.pk}/again").status_code == 404
    assert "purple" not in stranger.get(f"/chat/{row.pk}/replay").content.decode().lower()
    assert Client().get(f"/chat/{row.pk}").status_code == 404
    assert "purple" in page(signed_in, row)
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "no"})
    assert stranger.get(f"/chat/{row.pk}").status_code == 404


def test_what_a_follow_up_was_worded_with_is_shown_only_with_what_it_was_taken_from(
    signed_in, reader, stranger, handbook, board, monkeypatch
):
    reader.groups.add(board.groups.get())
    first = ask(signed_in, "Which bike did the secret ballot choose?")
    monkeypatch.setattr(pipeline, "alone", lambda *_: "What does the purple bike cost when it is late?")
    second = follow_up(signed_in, first, "And what does it cost when it is late?", library="handbook")
    signed_in.post(f"/conversations/{first.conversation_id}/share", {"shared": "yes"})
    assert "Understood as “What does the purple bike" in page(signed_in, second)
    assert "purple" not in page(stranger, second).lower()
    reader.groups.clear()
    assert "purple" not in page(signed_in, second).lower()
    assert pipeline.turns(second.conversation, reader)[-1].question == second.question


def test_a_wording_made_with_what_is_erased_meanwhile_is_not_kept(signed_in, reader, handbook, superuser, monkeypatch):
    first = ask(signed_in)
    lent = handbook.document_files.get(path="lending.rst")
    monkeypatch.setattr(pipeline, "alone", lambda *_: "What does the cargo bike of three days cost?")

    def erased_meanwhile(*_: object) -> dict[str, float]:
        erase(lent, superuser, "asked for")
        return {}

    kept = follow_up(signed_in, first, "And what does it cost?")
    assert kept.standalone == "What does the cargo bike of three days cost?"
    monkeypatch.setattr(pipeline, "cautions", erased_meanwhile)
    lost = follow_up(signed_in, first, "And what does it cost?")
    assert (lost.state, lost.standalone, lost.searched_for) == ("complete", "", "")


@pytest.mark.parametrize(("citing", "supported"), [([1, 2], True), ([1], False)])
def test_a_sentence_is_shown_to_others_only_for_what_they_may_read(
    signed_in, reader, stranger, handbook, board, citing, supported
):
    """A model cites what stands beside: the words may be those of another passage, or of another of its sources."""
    reader.groups.add(board.groups.get())
    row = ask(signed_in)
    secret = board.active_snapshot.files.get().file_version.chunks.get()
    public = row.citations.get()
    public.pk, public.n, public.chunk, public.file_version = None, 2, secret, secret.file_version
    public.save()
    sentences = [*row.sentences, {"text": "Purple it was.", "citations": citing, "supported": supported, "hint": None}]
    text = f"{row.text} Purple it was."
    Answer.objects.filter(pk=row.pk).update(sentences=sentences, text=text, passages=[*row.passages, secret.pk])
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    for end in ("", "/replay"):
        theirs, own = (one.get(f"/chat/{row.pk}{end}").content.decode() for one in (stranger, signed_in))
        assert "Purple" in own and "Purple" not in theirs and "three days" in theirs


def test_a_shared_conversation_whose_owner_has_left_says_so(signed_in, reader, stranger, handbook):
    row = ask(signed_in)
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    reader.delete()
    theirs = page(stranger, row)
    assert "Somebody who has no account any more shared this conversation" in theirs and "None shared" not in theirs


def test_sharing_is_confirmed_and_shows_the_address(signed_in, handbook):
    row = ask(signed_in)
    address = f'value="http://testserver/chat/{row.pk}" readonly'
    assert address not in page(signed_in, row)
    for shared, said in (("yes", "shared."), ("no", "yours alone again.")):
        sent = {"shared": shared, "next": f"/chat/{row.pk}"}
        shown = signed_in.post(f"/conversations/{row.conversation_id}/share", sent, follow=True).content.decode()
        assert f'<p class="notice success" role="status">The conversation is {said}' in shown
        assert (address in shown) is (shared == "yes")


def test_older_conversations_are_reached_page_by_page(signed_in, reader, handbook):
    row = ask(signed_in)
    for number in range(1, 17):
        talk = Conversation.objects.create(owner=reader, title=f"About {number:02}")
        Answer.objects.create(asked_by=reader, conversation=talk, question="Q?", refused=False)
    for address in ("/chat", f"/chat/{row.pk}"):
        newest, older = (signed_in.get(f"{address}?page={number}").content.decode() for number in (1, 2))
        assert 'href="?page=2#Earlier"' in newest and "About 16</a>" in newest and "About 01</a>" not in newest
        assert 'href="?page=1#Earlier"' in older and "About 01</a>" in older and f'href="/chat/{row.pk}">' in older


def test_what_was_said_before_counts_only_as_far_as_it_may_be_seen(signed_in, reader, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Which bike did the secret ballot choose?")
    reader.groups.clear()
    (turn,) = pipeline.turns(row.conversation, reader)
    assert "purple" not in f"{turn.answer} {turn.cited}".lower()


def test_too_many_questions_get_a_clear_answer(signed_in, handbook, settings):
    settings.ASK_AT_ONCE = 1
    row = ask(signed_in)
    Answer.objects.filter(pk=row.pk).update(state="incomplete", text="", beat_at=timezone.now())
    response = signed_in.post("/chat", {"q": QUESTION})
    assert response.status_code == 429 and "are being answered" in response.content.decode()
    assert response.headers["Retry-After"] == "5" and Conversation.objects.count() == 1
    Answer.objects.update(beat_at=timezone.now() - timedelta(minutes=1))  # its writer is gone
    ask(signed_in)


def test_what_broke_off_says_so_and_can_be_asked_again(signed_in, handbook):
    row = ask(signed_in)
    row.citations.all().delete()
    Answer.objects.filter(pk=row.pk).update(
        state="incomplete", text="", sentences=[], passages=[], draft="Half a <b>", beat_at=None
    )
    shown = page(signed_in, row)
    assert "broke off before it was checked" in shown and "Half a &lt;b&gt;" in shown and "Ask again" in shown
    assert "data-events" not in shown


def test_a_draft_that_broke_off_is_withheld_with_what_it_was_drawn_from(signed_in, reader, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Which bike did the secret ballot choose?")
    row.citations.all().delete()
    Answer.objects.filter(pk=row.pk).update(
        state="incomplete", text="", sentences=[], standalone="the purple bike", draft="Purple it", beat_at=None
    )
    assert "Purple it" in page(signed_in, row)
    reader.groups.clear()
    shown = page(signed_in, row) + b"".join(signed_in.get(f"/chat/{row.pk}/events").streaming_content).decode()
    assert "broke off" in shown and "purple" not in shown.lower()


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


def test_a_candidate_that_nobody_approved_is_not_read_in_a_shared_answer(
    signed_in, reader, stranger, handbook, documents
):
    Membership.objects.create(library=handbook, user=reader, role="editor")
    Library.objects.filter(pk=handbook.pk).update(requires_review=True)
    file = documents / "handbook" / "lending.rst"
    file.write_text(file.read_text().replace("up to three days", "up to ninety days"))
    reindex(handbook)
    row = ask(signed_in, library="handbook", snapshot="2")
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    assert "ninety" in page(signed_in, row)
    assert "ninety" not in page(stranger, row) + stranger.get(f"/chat/{row.pk}/replay").content.decode()


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


def test_a_refusal_names_to_others_only_what_they_may_read(signed_in, reader, stranger, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Who invented the zeppelin of Atlantis?")
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    assert row.refused and "board" in row.text and row.text in page(signed_in, row).replace("&#x27;", "'")
    theirs = page(stranger, row) + stranger.get(f"/chat/{row.pk}/replay").content.decode()
    assert "board" not in theirs and "handbook" in theirs


@pytest.mark.parametrize("live", [{}, {"live": "1"}])
def test_a_library_or_snapshot_that_is_gone_meanwhile_is_said_to_be(signed_in, reader, handbook, board, live):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, library="board")
    reader.groups.clear()
    for address, data in (
        (f"/chat/{row.pk}/again", {}),
        ("/chat", {"q": QUESTION, "library": "handbook", "snapshot": 99}),
    ):
        response = signed_in.post(address, data | live)
        said = response.content.decode()
        assert response.status_code == 404 and ("There is no library" in said or "no ready snapshot 99" in said)
    assert Answer.objects.count() == Conversation.objects.count() == 1


def test_some_files_are_all_that_is_read_however_long_the_question(signed_in, handbook):
    row = ask(signed_in, QUESTION + " I ask because" + " of the long weekend" * 30, only="workshop*")
    paths = set(Chunk.objects.filter(pk__in=row.passages).values_list("file_version__document_file__path", flat=True))
    assert paths <= {"workshop #1?.md"} and row.refused


def test_nothing_stays_on_the_desk_of_a_question_to_no_library(handbook, monkeypatch):
    put = []
    monkeypatch.setattr(desk, "put", lambda pk, sheet: put.append(pk))
    taken = []
    monkeypatch.setattr(desk, "take_away", taken.append)
    with pytest.raises(UnknownLibrary):
        answer(None, QUESTION, SearchOptions(("nowhere",)))
    assert put == taken and put[0] and not Answer.objects.exists()


def test_would_it_still_say_that(signed_in, handbook: Library, documents):
    row = ask(signed_in)
    assert "Yes. Today’s passages" in signed_in.get(f"/chat/{row.pk}/replay").content.decode()
    file = documents / "handbook" / "lending.rst"
    file.write_text(file.read_text().replace("up to three days", "up to nine days"))
    reindex(handbook)
    shown = signed_in.get(f"/chat/{row.pk}/replay").content.decode()
    assert "No. Today’s passages" in shown and "<del>three </del><ins>nine </ins>" in shown and "snapshot 2" in shown
    file.write_text("Moved.\n\n" + file.read_text().replace("nine days", "three days"))
    reindex(handbook)
    assert "stands elsewhere" in signed_in.get(f"/chat/{row.pk}/replay").content.decode()
    file.unlink()
    reindex(handbook)
    assert "not in the library any more" in signed_in.get(f"/chat/{row.pk}/replay").content.decode()


# --- while it is written --------------------------------------------------------------------------


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


ANSWER = "You can borrow a cargo bike for up to three days [1]."


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> PatientChat:
    chat = PatientChat(ANSWER)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    return chat


def begun(client: Client) -> Answer:
    return ask(client, live="yes")


def events(client: Client, row: Answer, seen: str = "") -> Iterator[tuple[str, str, dict]]:
    headers = {"Last-Event-ID": seen} if seen else {}
    response = client.get(f"/chat/{row.pk}/events", headers=headers)
    for block in response.streaming_content:
        lines = dict(line.split(": ", 1) for line in block.decode().strip().split("\n") if ": " in line)
        if "event" in lines:
            yield lines["event"], lines.get("id", ""), json.loads(lines["data"])


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
    desk.save({row.pk: desk._sheets[row.pk]})
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


def test_who_reads_a_shared_answer_has_not_stopped_it(signed_in, stranger, handbook):
    signed_in.post("/chat", {"q": "How long can I borrow a cargo bike?"})
    Answer.objects.update(state="stopped")
    Conversation.objects.update(shared=True)
    mine, shared = (who.get(f"/chat/{Answer.objects.get().pk}").content.decode() for who in (signed_in, stranger))
    assert "You stopped this answer." in mine
    assert "This answer was stopped." in shared and "You stopped" not in shared


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
    monkeypatch.setattr(desk, "put", lambda *_: None)
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


@pytest.mark.django_db(transaction=True)
def test_a_model_that_breaks_off_leaves_the_documents_words(signed_in, handbook, monkeypatch):
    chat = FakeChat(ANSWER, fails_after=9)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    row = begun(signed_in)
    *_, last = events(signed_in, row)
    assert "chat model does not answer" in last[2]["html"] and "From the documents" in last[2]["html"]


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
    sheets: list[desk.Sheet] = []
    monkeypatch.setattr(desk, "put", lambda pk, sheet: sheets.append(sheet))
    row = ask(signed_in)
    assert row.text == ANSWER and "copied word for word" in chat.asked[1][0]["content"]
    assert sheets[0].text == "Elephants fly over the moon."  # what was read stays, in every process
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


def test_stopping_the_second_draft_keeps_what_the_first_one_led_to(signed_in, handbook, monkeypatch):
    sheets: list[desk.Sheet] = []

    def says(messages: object) -> str:
        if len(chat.asked) == 2:
            sheets[0].stopped = True
            return ANSWER
        return "Elephants fly over the moon."

    chat = FakeChat(says)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    monkeypatch.setattr(desk, "put", lambda pk, sheet: sheets.append(sheet))
    row = ask(signed_in)
    assert len(chat.asked) == 2 and (row.state, row.model) == ("stopped", "extract")


class Rewriter(FakeChat):
    def complete(self, messages, max_tokens, temperature=0.0, form=None):
        if self.fails_after == 0:
            raise EndpointError("chat", "is off")
        return super().complete(messages, max_tokens, temperature)

    def stream(self, messages, max_tokens, temperature=0.0, form=None) -> ChatStream:
        return super().stream(messages, max_tokens, temperature, form)


@pytest.mark.parametrize(
    ("says", "kept"),
    [
        ("What does a cargo bike cost when it comes back late?", True),
        ("What does an elephant cost?", False),  # lost the subject, and made one up
        ("", False),
        ("It costs ten euros.", False),
    ],
)
def test_a_models_wording_is_taken_only_if_it_loses_and_adds_nothing(reader, handbook, monkeypatch, says, kept):
    chat = Rewriter(says)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    history = [pipeline.Turn(QUESTION, "Up to three days.", "lending a cargo bike three days")]
    wording = drafting.alone("What does it cost when it comes back late?", history)
    assert (wording == says) is kept and "cargo bike" in wording


@pytest.mark.django_db(transaction=True)
def test_drafts_are_saved_again_after_whatever_went_wrong(signed_in, handbook, patient, monkeypatch):
    """A saver that died would leave every later answer of this process unsaved, and nobody could stop it."""
    saved = threading.Event()

    def save(sheets: object) -> None:
        if not saved.is_set():
            saved.set()
            raise RuntimeError("the database is not what it was")
        second.set()

    second = threading.Event()
    monkeypatch.setattr(desk, "SAVED_EVERY", 0.01)
    monkeypatch.setattr(desk, "save", save)
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
