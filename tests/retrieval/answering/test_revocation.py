"""An answer that is being written ends when its reader may no longer see what it is drawn from."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from ingestion import erasing
from knowledge.governance.withdrawal import withdraw
from knowledge.models import Answer, ApiToken, DocumentFile, Library, Membership
from retrieval import results
from retrieval.answering import conclusions, drafting, ledger, pipeline, revocation
from retrieval.answering.events import Finished, Token
from retrieval.answering.ledger import Asking
from retrieval.answering.pipeline import answer, answer_events
from retrieval.results import Citation, SearchOptions
from retrieval.search import search
from tests.conftest import all_checks_hold, begun_elsewhere
from tests.retrieval.answering_fakes import FakeChat

TEXT = "# Lending\n\nYou can borrow a cargo bike for up to three days.\n"
QUESTION = "For how many days can you borrow a cargo bike?"


@pytest.fixture
def library(indexed, reader) -> Library:
    library = indexed("one", {"lending.md": TEXT}, access=Library.Access.GROUPS)
    Membership.objects.create(library=library, user=reader, role="reader")
    return library


@pytest.fixture
def chat(monkeypatch) -> FakeChat:
    chat = FakeChat("You can borrow a cargo bike for up to three days [1]. " * 20)
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: chat)
    monkeypatch.setattr(revocation, "EVERY_SECONDS", 0)
    return chat


def take_away(user: User) -> None:
    withdraw(DocumentFile.objects.get(), None, "wrong")


def close(user: User) -> None:
    Membership.objects.all().delete()


def switch_off(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def revoke_token(user: User) -> None:
    user.api_tokens.get().revoke()


def expire_token(user: User) -> None:
    user.api_tokens.update(expires_at=timezone.now())


@pytest.mark.parametrize("revoke", [take_away, close, switch_off, revoke_token, expire_token])
def test_an_open_stream_ends_and_nothing_is_kept(library, reader, chat, revoke):
    tokens, token = 0, ApiToken.issue(reader, "t", ["ask"], None)[0]
    for event in answer_events(reader, QUESTION, asking=Asking(token=token)):
        if isinstance(event, Token):
            tokens += 1
            if tokens == 3:
                revoke(reader)
        if isinstance(event, Finished):
            finished = event
    assert tokens == 3
    assert finished.answer.refused and not finished.answer.citations and not finished.answer.hits
    row = Answer.objects.get()
    assert "three days" not in row.text and row.passages == [] and not row.citations.exists()


def test_what_is_closed_while_a_reranker_reads_the_answer_is_not_told(library, reader, chat, monkeypatch):
    class Reads:
        def scores(self, *_: object) -> list[float]:
            close(reader)
            return [0.5]

    monkeypatch.setattr(conclusions, "RERANKER", Reads())
    told = answer(reader, QUESTION)
    assert told.refused and not told.citations and not told.sentences and "three days" not in told.answer


def test_what_was_closed_for_a_moment_is_not_concluded_from_half_a_draft(library, reader, chat, monkeypatch):
    member, conclude, tokens = Membership.objects.get(), pipeline.conclude, 0

    def opened_again(*given: object) -> conclusions.Conclusion:
        member.save()
        return conclude(*given)

    monkeypatch.setattr(pipeline, "conclude", opened_again)
    for event in answer_events(reader, QUESTION):
        if isinstance(event, Token) and (tokens := tokens + 1) == 3:
            member.delete()
    assert tokens == 3 and event.answer.refused and Membership.objects.exists()


def test_an_answer_that_nobody_revokes_is_given(library, reader, chat):
    assert not answer(reader, QUESTION).refused


def drawn_from_both() -> results.AnswerResult:
    """Two passages were read; it cites the one that stays."""
    hits = search(None, "xylophonist tandem").hits
    assert {hit.source_file for hit in hits} == {"kept.md", "person.md"}
    kept = next(hit for hit in hits if hit.source_file == "kept.md")
    citation = Citation(1, kept.text, True, kept.line_start, kept.line_end, kept)
    words = "The xylophonist has a tandem."
    return results.AnswerResult("Who?", words, words, False, (), "fake", (citation,), (), {}, {}, hits, "Who?")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("first", ["erasing", "answer"])
def test_what_is_erased_while_an_answer_is_written_down_leaves_it_no_words(indexed, monkeypatch, first):
    """Whichever comes second waits for the first, and sees what that has done."""
    library = indexed("one", {"kept.md": "# Kept\n\nA red tandem.\n", "person.md": "# A member\n\nA xylophonist.\n"})
    given, entry = drawn_from_both(), ledger.begin(None, "Who?", SearchOptions(), Asking())
    told, begun = [], []

    def finish() -> None:
        told.append(pipeline.finish(None, entry, given, Asking()).answer)

    def erase() -> None:
        erasing.erase(library.document_files.get(path="person.md"), None, "they asked for it")

    module, name = (erasing, "leave_out") if first == "erasing" else (pipeline, "complete")
    run, run_elsewhere = (erase, finish) if first == "erasing" else (finish, erase)
    real = getattr(module, name)

    def meanwhile(*arguments: object) -> object:
        begun.append(begun_elsewhere(run_elsewhere))
        return real(*arguments)

    monkeypatch.setattr(module, name, meanwhile)
    run()
    begun[0].join(30)
    entry.refresh_from_db()
    assert (entry.searched_for, entry.passages, entry.citations.count()) == ("", [], 0)
    assert "xylophonist" not in entry.text + (told[0].answer if first == "erasing" else "")
    assert all_checks_hold()
