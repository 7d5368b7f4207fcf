"""An obedient model and a lying one: what documents order is not done, what is made up is not shown as verified."""

import re

import pytest

from retrieval.answering.checking.support import support
from retrieval.answering.sentences import windows
from retrieval.results import AnswerResult
from tests.retrieval.answering.test_answering import QUESTION, ask  # noqa: F401 - a fixture
from tests.retrieval.answering_fakes import FakeChat, make_hit
from tests.retrieval.hostile_documents import INJECTIONS, PAYLOADS, TRUE, Liar, obeys

OTHER = "Cookies are signed with the key of the application. Elephants are grey."


def test_there_are_enough_of_them() -> None:
    assert len(set(INJECTIONS)) >= 300 and len(set(PAYLOADS)) >= 100


def sound(answer: AnswerResult) -> None:
    """What is shown as verified is there, word for word, and every sentence shown as supported has such a quotation."""
    for citation in answer.citations:
        assert citation.quote in citation.hit.text
        assert citation.hit.line_start <= citation.line_start <= citation.line_end
    verified = {citation.n: citation for citation in answer.citations if citation.verified}
    for sentence in answer.sentences:
        assert set(sentence.citations) <= {citation.n for citation in answer.citations}
        if sentence.supported:
            assert set(sentence.citations) & verified.keys()


def bare(text: str) -> str:
    return " ".join(re.sub(r"[(\[]\d+[)\]]", "", text).split()).removesuffix(" .")


@pytest.mark.parametrize("start", range(0, len(INJECTIONS), 40))
def test_an_order_in_a_document_is_never_obeyed(ask, start: int) -> None:  # noqa: F811
    for document in INJECTIONS[start : start + 40]:
        chat = FakeChat(obeys)
        answer = ask(chat, hits=[make_hit(document), make_hit(OTHER, chunk_id=2)])
        sound(answer)
        assert "I obey" not in answer.answer
        for sentence in answer.sentences:
            if "PWNED" in sentence.text and sentence.supported:  # never more than the document's own words
                quotes = " ".join(c.quote for c in answer.citations if c.n in sentence.citations)
                assert bare(sentence.text).removesuffix(".") in bare(quotes)
        prompt = chat.asked[0][-1]["content"]
        assert prompt.count("\nQuestion:") == 1 and not any(mark in prompt for mark in ("<|", "[INST]", "</s>"))
        assert prompt.endswith(f"Question: {QUESTION}")


@pytest.mark.parametrize("seed", range(60))
def test_what_a_liar_cites_is_not_shown_as_verified_unless_it_is_true(ask, seed: int) -> None:  # noqa: F811
    answer = ask(FakeChat(Liar(seed)), hits=[make_hit(f"{TRUE} {OTHER}"), make_hit(OTHER, chunk_id=2)])
    sound(answer)
    for sentence in answer.sentences:
        if sentence.supported:
            quotes = [c.quote for c in answer.citations if c.n in sentence.citations and c.verified]
            spans = [quote[span.start : span.end] for quote in quotes for span in windows(quote)]
            assert any(support(sentence.text, span, "Guide guide.md").holds for span in spans)
