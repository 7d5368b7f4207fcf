"""Whose a conversation is, and what of it others see: what they may read themselves."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from ingestion.erasing import erase
from knowledge.models import Answer, Conversation, Library, Membership
from knowledge.verification import run_checks
from retrieval.answering import pipeline
from retrieval.answering.followups import history
from retrieval.answering.replay import replay
from retrieval.pages.chat import new_conversation, own
from tests.conftest import reindex
from tests.web.asking import QUESTION, ask, follow_up, page


def test_a_pinned_passage_that_may_not_be_seen_is_not_read(signed_in, reader, handbook, board):
    secret = board.active_snapshot.files.get().file_version.chunks.get()
    row = ask(signed_in)
    signed_in.post(f"/chat/{row.pk}/again", {"pin": secret.pk})
    assert secret.pk not in Answer.objects.get(replaces=row).passages


def test_a_conversation_is_its_owners_alone(signed_in, stranger, handbook):
    row = ask(signed_in)
    for address in ("", "/events", "/replay"):
        assert stranger.get(f"/chat/{row.pk}{address}").status_code == 404
    for address in ("stop", "again", "feedback"):
        assert stranger.post(f"/chat/{row.pk}/{address}", {"verdict": "bad"}).status_code == 404
    assert stranger.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"}).status_code == 404
    assert stranger.post("/chat", {"q": "And?", "conversation": row.conversation_id}).status_code == 400
    assert QUESTION not in stranger.get("/chat").content.decode()


def test_a_conversation_that_was_removed_opens_for_nobody_and_stays_in_the_ledger(
    signed_in, stranger, as_superuser, handbook
):
    first = ask(signed_in)
    second = follow_up(signed_in, first, "And a trailer?")
    signed_in.post(f"/conversations/{first.conversation_id}/share", {"shared": "yes"})
    address = f"/conversations/{first.conversation_id}/remove"
    assert stranger.post(address).status_code == as_superuser.post(address).status_code == 404
    assert f'action="{address}"' in page(signed_in, second) and address not in page(stranger, second)

    assert "off your list" in signed_in.post(address, follow=True).content.decode()
    for row in (first, second):
        for who in (signed_in, stranger, as_superuser):
            assert who.get(f"/chat/{row.pk}").status_code == who.get(f"/chat/{row.pk}/replay").status_code == 404
        assert signed_in.get(f"/api/v1/answers/{row.pk}/replay").status_code == 404
        assert signed_in.post(f"/chat/{row.pk}/again").status_code == 404
    assert QUESTION not in signed_in.get("/chat").content.decode()
    assert signed_in.post(address).status_code == 404
    assert signed_in.post("/chat", {"q": "And?", "conversation": first.conversation_id}).status_code == 400
    assert as_superuser.get(f"/admin/knowledge/answer/{second.pk}/change/").status_code == 200
    assert Answer.objects.filter(conversation=first.conversation).count() == 2
    assert all(check.ok for check in run_checks(deep=False))


def test_a_visitor_removes_their_own_conversation(client, handbook):
    row = ask(client)
    assert Client().post(f"/conversations/{row.conversation_id}/remove").status_code == 404
    client.post(f"/conversations/{row.conversation_id}/remove")
    assert client.get(f"/chat/{row.pk}").status_code == 404


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


def test_a_conversation_of_no_visitor_opens_for_no_session(client, handbook):
    row = ask(client)
    session = client.session
    del session["visitor"]
    session.save()
    Conversation.objects.update(visitor="")
    assert client.get(f"/chat/{row.pk}").status_code == 404


def test_a_shared_conversation_shows_each_reader_what_they_may_read(signed_in, reader, stranger, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Which bike did the secret ballot choose?")
    Answer.objects.filter(pk=row.pk).update(
        sentences=[*row.sentences, {"text": "Purple it was.", "citations": [], "supported": False}],
        text=f"{row.text} Purple it was.",
    )
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    theirs = page(stranger, row)
    assert "shared this conversation" in theirs and "purple" not in theirs.lower()
    assert "its source is not open to you.]" in theirs and "This source is not open to you." in theirs
    assert "Ask again" not in theirs and stranger.post(f"/chat/{row.pk}/again").status_code == 404
    assert "purple" not in stranger.get(f"/chat/{row.pk}/replay").content.decode().lower()
    assert Client().get(f"/chat/{row.pk}").status_code == 404
    assert "purple" in page(signed_in, row)
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "no"})
    assert stranger.get(f"/chat/{row.pk}").status_code == 404


@pytest.mark.parametrize("only", ["board.md", "purple-minutes.md"])
def test_files_that_were_chosen_are_named_to_whom_their_library_is_open(
    signed_in, reader, stranger, handbook, board, only
):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Which bike did the secret ballot choose?", library="board", only=only)
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    assert f"Searched only in the files <code>{only}</code>." in page(signed_in, row)
    theirs = page(stranger, row)
    assert only not in theirs and "Searched only in chosen files." in theirs


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
    assert history.turns(second.conversation, reader)[-1].question == second.question


@pytest.mark.django_db(transaction=True)
def test_a_question_is_asked_again_in_no_wording_that_is_closed_meanwhile(
    signed_in, reader, handbook, board, monkeypatch
):
    reader.groups.add(board.groups.get())
    first = ask(signed_in, "Which bike did the secret ballot choose?")
    with monkeypatch.context() as worded:
        worded.setattr(pipeline, "alone", lambda *_: "What does the purple bike cost when it is late?")
        second = follow_up(signed_in, first, "And what does it cost when it is late?", library="handbook")
    asked = signed_in.post(f"/chat/{second.pk}/again")
    kept = Answer.objects.get(replaces=second)
    assert asked.status_code == 302 and kept.standalone == second.standalone
    reader.groups.clear()
    signed_in.post(f"/chat/{kept.pk}/again", {"live": "yes"})
    again = Answer.objects.get(replaces=kept)
    told = b"".join(signed_in.get(f"/chat/{again.pk}/events").streaming_content).decode()
    again.refresh_from_db()
    assert "finished" in told and again.state == "complete"
    assert "purple" not in f"{told} {again.standalone} {again.searched_for}".lower()


def test_a_follow_up_keeps_its_wording_when_the_answer_above_is_completed_meanwhile(signed_in, handbook, monkeypatch):
    first = ask(signed_in)
    Answer.objects.filter(pk=first.pk).update(state="incomplete", text="", beat_at=timezone.now())
    citation = first.citations.get()
    first.citations.all().delete()
    monkeypatch.setattr(pipeline, "alone", lambda *_: "What does a cargo bike cost?")

    def completed_meanwhile(*_: object) -> dict[str, float]:
        Answer.objects.filter(pk=first.pk).update(state="complete", text=first.text, beat_at=None)
        citation.save(force_insert=True)
        return {}

    monkeypatch.setattr(pipeline, "cautions", completed_meanwhile)
    second = follow_up(signed_in, first, "And what does it cost?")
    assert second.standalone == "What does a cargo bike cost?"


def test_an_answer_about_an_older_snapshot_is_remembered_as_the_page_shows_it(signed_in, reader, handbook, documents):
    row = ask(signed_in)
    file = documents / "handbook" / "lending.rst"
    file.write_text(file.read_text().replace("up to three days", "up to nine days"))
    reindex(handbook)
    (turn,) = history.turns(row.conversation, reader)
    assert row.text and turn.answer == row.text and "three days" in page(signed_in, row)
    handbook.document_files.filter(path="lending.rst").update(withdrawn_at=timezone.now())
    (turn,) = history.turns(row.conversation, reader)
    assert (turn.answer, turn.cited) == ("", "")


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


def test_a_replay_says_that_what_is_not_open_was_not_compared(signed_in, reader, stranger, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Which bike did the secret ballot choose?")
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    address = f"/chat/{row.pk}/replay"
    mine, theirs = (who.get(address).content.decode() for who in (signed_in, stranger))
    assert "bear out every sentence that was borne out then." in mine and "not compared" not in mine
    assert "What it had said is not open to you." in theirs and "It had said nothing" not in theirs
    found = replay(row, User.objects.get(username="stranger"))
    assert (found.verdict, found.withheld, found.sentences) == ("withheld", 1, ())
    handbook_row = ask(signed_in)
    public = handbook_row.citations.get()
    public.pk, public.n, public.answer = None, 9, row
    public.save()
    said = handbook_row.sentences[0] | {"citations": [9]}
    Answer.objects.filter(pk=row.pk).update(sentences=[*row.sentences, said])
    Answer.objects.filter(pk=row.pk).update(question=QUESTION, standalone=QUESTION)
    theirs = stranger.get(address).content.decode()
    assert "bear out every sentence that is open to you. What is not open to you was not compared." in theirs


def test_a_shared_conversation_closes_with_its_owners_account(signed_in, reader, stranger, as_superuser, handbook):
    row = ask(signed_in)
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    assert f"{reader} shared this conversation" in page(stranger, row)
    User.objects.filter(pk=reader.pk).update(is_active=False)
    for who in (stranger, as_superuser):
        assert who.get(f"/chat/{row.pk}").status_code == who.get(f"/chat/{row.pk}/replay").status_code == 404
    User.objects.filter(pk=reader.pk).update(is_active=True)
    assert stranger.get(f"/chat/{row.pk}").status_code == 200
    reader.delete()
    assert stranger.get(f"/chat/{row.pk}").status_code == 404


def test_sharing_is_confirmed_and_shows_the_address(signed_in, handbook):
    row = ask(signed_in)
    address = f'value="http://testserver/chat/{row.pk}" readonly'
    assert address not in page(signed_in, row)
    for shared, said in (("yes", "shared."), ("no", "yours alone again.")):
        sent = {"shared": shared, "next": f"/chat/{row.pk}"}
        shown = signed_in.post(f"/conversations/{row.conversation_id}/share", sent, follow=True).content.decode()
        assert f'<div class="notice success" role="status">The conversation is {said}' in shown
        assert (address in shown) is (shared == "yes")


def test_who_is_not_signed_in_is_told_to_of_every_answer_that_they_may_not_see(signed_in, handbook):
    mine, shared = ask(signed_in), ask(signed_in)
    signed_in.post(f"/conversations/{shared.conversation_id}/share", {"shared": "yes"})
    seen = {}
    for pk in (shared.pk, mine.pk, 999_999_999):
        response = Client().get(f"/chat/{pk}")
        shown = response.content.decode()
        assert f'<h1><a href="/login?next=/chat/{pk}">Sign in</a> to read this</h1>' in shown
        assert response.status_code == 404
        seen[shown.replace(f"/chat/{pk}", "")] = pk
    assert len(seen) == 1, "nothing tells which of them are there"
    assert "<h1>Not found</h1>" in signed_in.get("/chat/999999999").content.decode()
    assert "<h1>Not found</h1>" in Client().get("/libraries/none/").content.decode()


def test_whose_an_answer_is_rows_and_queries_tell_alike(signed_in, reader, stranger, handbook):
    mine, visitors, removed, alone = ask(signed_in), ask(Client()), ask(signed_in), ask(signed_in)
    removed.conversation.remove()
    Answer.objects.filter(pk=alone.pk).update(conversation=None)
    visitor = visitors.conversation.visitor
    other = User.objects.exclude(pk=reader.pk).first()
    expected = {(reader, ""): {mine, alone}, (AnonymousUser(), visitor): {visitors}}
    for who in ((reader, ""), (reader, visitor), (other, ""), (AnonymousUser(), visitor), (AnonymousUser(), "")):
        owned = set(Answer.objects.owned_by(*who))
        assert owned == {row for row in Answer.objects.all() if row.is_owned_by(*who)}
        assert owned == expected.get(who, owned)
        assert owned <= set(Answer.objects.open_to(*who))


def test_sharing_leads_back_to_a_page_of_this_site_alone(signed_in, handbook):
    row = ask(signed_in)
    for there in ("https://evil.example/", "//evil.example/", "/\\evil.example", ""):
        sent = {"shared": "yes", "next": there}
        assert signed_in.post(f"/conversations/{row.conversation_id}/share", sent)["Location"] == "/chat"


def test_what_was_said_before_counts_only_as_far_as_it_may_be_seen(signed_in, reader, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Which bike did the secret ballot choose?")
    reader.groups.clear()
    (turn,) = history.turns(row.conversation, reader)
    assert "purple" not in f"{turn.answer} {turn.cited}".lower()


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


def test_a_refusal_names_to_others_only_what_they_may_read(signed_in, reader, stranger, handbook, board):
    reader.groups.add(board.groups.get())
    row = ask(signed_in, "Who invented the zeppelin of Atlantis?")
    signed_in.post(f"/conversations/{row.conversation_id}/share", {"shared": "yes"})
    assert row.refused and "board" in row.text and row.text in page(signed_in, row).replace("&#x27;", "'")
    theirs = page(stranger, row) + stranger.get(f"/chat/{row.pk}/replay").content.decode()
    assert "board" not in theirs and "handbook" in theirs


def test_who_reads_a_shared_answer_has_not_stopped_it(signed_in, stranger, handbook):
    signed_in.post("/chat", {"q": "How long can I borrow a cargo bike?"})
    Answer.objects.update(state="stopped")
    Conversation.objects.update(shared=True)
    mine, shared = (who.get(f"/chat/{Answer.objects.get().pk}").content.decode() for who in (signed_in, stranger))
    assert "You stopped this answer." in mine
    assert "This answer was stopped." in shared and "You stopped" not in shared


def test_of_an_answer_that_was_stopped_at_once_nothing_is_said_to_stand(signed_in, handbook):
    row = ask(signed_in)
    Answer.objects.update(state="stopped", text="", sentences=[])
    said = page(signed_in, row)
    assert "You stopped this answer before anything was written." in said and "was compared" not in said
