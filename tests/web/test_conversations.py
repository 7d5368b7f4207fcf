"""Conversations: follow-ups, what is asked of which files, what is judged, and asking again."""

import re
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.utils import timezone

from knowledge.endpoints import ChatStream, EndpointError
from knowledge.models import Answer, Chunk, Conversation, Library
from retrieval.answering import drafting
from retrieval.answering.followups import followup, history
from tests.conftest import reindex
from tests.retrieval.answering_fakes import FakeChat
from tests.web.asking import QUESTION, ask, events, follow_up, page


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


def test_an_answer_that_was_asked_again_leads_to_the_conversation_as_it_stands_now(signed_in, stranger, handbook):
    first = ask(signed_in)
    second = follow_up(signed_in, first, "And what does it cost when it comes back late?")
    signed_in.post(f"/chat/{first.pk}/again", {"standalone": "How long is a cargo bike lent?"})
    again = Answer.objects.get(replaces=first)
    signed_in.post(f"/conversations/{first.conversation_id}/share", {"shared": "yes"})
    leads_on = f'<a href="/chat/{again.pk}">The conversation as it stands now</a>'
    box, shared = 'id="Query"', f'/chat/{again.pk}" readonly'
    current = f'<a href="/chat/{again.pk}" aria-current="page">'
    before = page(signed_in, first)
    assert leads_on in before and shared in before and box not in before and current not in before
    for row in (second, again):
        now = page(signed_in, row)
        assert leads_on not in now and shared in now and box in now and current in now
    assert leads_on in page(stranger, first)
    refused = signed_in.post(f"/chat/{first.pk}/again", {"pin": "x"})
    assert refused.status_code == 400 and "Enter a whole number." in refused.content.decode()


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
    said = history.turns(first.conversation, reader)
    assert [turn.question for turn in said] == [again.standalone, second.standalone]
    again.citations.all().delete()
    Answer.objects.filter(pk=again.pk).update(state="incomplete", text="")
    assert [turn.question for turn in history.turns(first.conversation, reader)] == [QUESTION, second.standalone]


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


def test_a_follow_up_after_the_session_has_ended_says_to_sign_in_and_stays_typed(signed_in, handbook):
    row = ask(signed_in)
    signed_in.logout()
    refused = signed_in.post("/chat", {"q": "And what if it is late?", "conversation": row.conversation_id})
    shown = refused.content.decode()
    assert refused.status_code == 400 and "Sign in again to go on with it" in shown and "valid choice" not in shown
    assert ">And what if it is late?</textarea>" in shown


def test_a_question_from_a_page_that_was_signed_in_is_not_asked_of_what_is_open_to_everyone_alone(signed_in, handbook):
    (shown_to,) = set(re.findall(r'name="reader" value="(\d+)"', signed_in.get("/chat").content.decode()))
    begun = signed_in.get("/search?q=bike").content.decode()
    assert f'<input type="hidden" name="reader" value="{shown_to}">' in begun
    signed_in.logout()
    refused = signed_in.post("/chat", {"q": QUESTION, "reader": shown_to})
    shown = refused.content.decode()
    assert refused.status_code == 400 and "You are not signed in any more" in shown and not Answer.objects.exists()
    assert f">{QUESTION}</textarea>" in shown and 'name="reader"' not in shown
    (there,) = re.findall(r'<a href="/login\?next=([^"]*)">Sign in again</a>', shown)
    assert f">{QUESTION}</textarea>" in signed_in.get(unquote(there)).content.decode()
    assert ask(signed_in).conversation.visitor


def test_code_that_was_pasted_keeps_its_lines_and_is_no_part_of_the_question(signed_in, handbook):
    row = ask(signed_in, f"```python\r\ndef fee(loan):\r\n    return refund\r\n```\r\n{QUESTION}")
    assert row.question == f"```python\ndef fee(loan):\n    return refund\n```\n{QUESTION}"
    assert row.standalone == QUESTION and not row.refused and row.conversation.title == QUESTION
    assert f"Understood as “{QUESTION}”" in page(signed_in, row)


def test_a_pasted_question_is_not_cut_and_too_long_a_one_is_refused_and_stays_typed(signed_in, handbook):
    row = ask(signed_in, f"{QUESTION} {'x' * 1000} end")
    assert row.question.endswith(" end") and "maxlength" not in page(signed_in, row)
    refused = signed_in.post("/chat", {"q": "y" * 8001})
    shown = refused.content.decode()
    assert refused.status_code == 400 and "has 8001 characters; at most 8000 are taken" in shown
    assert f">{'y' * 8001}</textarea>" in shown


def test_a_verdict_is_kept_and_can_be_taken_back(signed_in, handbook):
    row = ask(signed_in)
    for verdict, liked, said in (
        ("good", True, "Thank you. It is kept with the answer."),
        ("bad", False, "Thank you. It is kept with the answer."),
        ("none", None, "It is taken back."),
    ):
        sent = signed_in.post(f"/chat/{row.pk}/feedback", {"verdict": verdict})
        assert sent["Location"] == f"/chat/{row.pk}#Answer{row.pk}"  # not the top of a long conversation
        row.refresh_from_db()
        assert row.liked is liked
        assert re.findall(r'<div class="notice success" role="status">(.*?)</div>', page(signed_in, row)) == [said]
    signed_in.post(f"/chat/{row.pk}/feedback", {"verdict": "<b>"})
    assert Answer.objects.get(pk=row.pk).liked is None


def test_older_conversations_are_reached_page_by_page(signed_in, reader, handbook):
    row = ask(signed_in)
    for number in range(1, 17):
        talk = Conversation.objects.create(owner=reader, title=f"About {number:02}")
        Answer.objects.create(asked_by=reader, conversation=talk, question="Q?", refused=False)
    for address in ("/chat", f"/chat/{row.pk}"):
        newest, older = (signed_in.get(f"{address}?page={number}").content.decode() for number in (1, 2))
        assert 'href="?page=2#Earlier"' in newest and "About 16</a>" in newest and "About 01</a>" not in newest
        assert 'href="?page=1#Earlier"' in older and "About 01</a>" in older and f'href="/chat/{row.pk}">' in older


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


def test_of_a_passage_that_changed_in_part_the_rest_is_still_borne_out(signed_in, handbook: Library, documents):
    row = ask(signed_in)
    row.sentences[0]["text"] += " A bike that comes back late costs ten euros a day."
    row.save()
    file = documents / "handbook" / "lending.rst"
    file.write_text(file.read_text().replace("up to three days", "up to nine days"))
    reindex(handbook)
    shown = signed_in.get(f"/chat/{row.pk}/replay").content.decode()
    assert "In part. Some of its sentences have no passage any more." in shown
    assert "not any more</span> You can borrow" in shown and "borne out today</span> A bike that comes back" in shown


def test_a_sentence_that_stands_twice_and_was_cited_at_the_second_has_not_moved(
    signed_in, handbook: Library, documents
):
    row = ask(signed_in)
    cited = row.citations.get()
    file = documents / "handbook" / "lending.rst"
    lines = file.read_text().split("\n")
    lines[0:1] = [cited.quote, ""]  # the same words before, and one line more
    file.write_text("\n".join(lines))
    reindex(handbook)
    row.citations.update(line_start=cited.line_start + 1, line_end=cited.line_end + 1)
    shown = signed_in.get(f"/chat/{row.pk}/replay").content.decode()
    assert "It stands where it stood" in shown and "stands elsewhere" not in shown


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
    history = [followup.Turn(QUESTION, "Up to three days.", "lending a cargo bike three days")]
    wording = drafting.alone("What does it cost when it comes back late?", history)
    assert (wording == says) is kept and "cargo bike" in wording
