"""Answers in JSON become text, also while they are written: no database, no request."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.endpoints import by_schema
from retrieval.answering import structured
from retrieval.answering.structured import schema, unfolded


def written(*sentences: tuple[str, list[int]]) -> str:
    return json.dumps({"sentences": [{"text": text, "passages": passages} for text, passages in sentences]})


def told(whole: str) -> str:
    return "".join(unfolded([whole]))


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        ([("It costs 5 euros.", [2])], "It costs 5 euros. [2]"),
        ([("It costs 5 euros", [2, 1])], "It costs 5 euros. [2] [1]"),
        ([("It costs 5 euros [2].", [2])], "It costs 5 euros. [2]"),
        ([("It costs 5 euros [2].", [])], "It costs 5 euros [2]."),
        ([("It is closed. Come on Monday.", [3])], "It is closed. [3] Come on Monday. [3]"),
        ([("One.", [1]), ("Two.", [2])], "One. [1] Two. [2]"),
        ([("営業時間は9時です[2]。", [2])], "営業時間は9時です。 [2]"),
        ([("هل هو مفتوح؟", [1])], "هل هو مفتوح؟ [1]"),
        ([("I don't know.", [])], "I don't know."),
        ([("Ein „Schloß“\n\\ \u00e9 \U0001f600.", [1])], "Ein „Schloß“\n\\ é \U0001f600. [1]"),
        ([], ""),
    ],
)
def test_sentences_get_the_marks_of_their_passages(sentences, text):
    assert told(written(*sentences)) == text


def test_what_is_no_json_is_the_text():
    assert told("It costs 5 euros. [2]") == "It costs 5 euros. [2]"
    assert "".join(unfolded(["It costs ", "5 euros."])) == "It costs 5 euros."


@pytest.mark.parametrize(
    "broken", ["{", '{"sentences": [', '{"sentences": "no"}', '{"a": 1}', '{"sentences": [1, null]}']
)
def test_json_that_says_nothing_is_no_text(broken):
    assert told(broken) == ""


def test_a_cut_answer_keeps_its_whole_sentences_and_the_beginning_of_the_last():
    cut = written(("One.", [1]), ("Two is more than", [2]))[:-18]
    assert told(cut).startswith("One. [1] Two")


SAID = st.lists(
    st.tuples(st.text('ab.! [1]"\\\né\U0001f600A,', max_size=30), st.lists(st.integers(1, 12), max_size=3)), max_size=4
)


@given(SAID, st.integers(1, 9), st.booleans())
def test_the_pieces_together_are_the_text_however_they_come(sentences, size, ascii_only):
    rows = [{"text": text, "passages": passages} for text, passages in sentences]
    whole = json.dumps({"sentences": rows}, ensure_ascii=ascii_only)
    assert "".join(unfolded(whole[at : at + size] for at in range(0, len(whole), size))) == told(whole)


def test_what_is_whole_is_not_read_again(monkeypatch):
    """Counted, not timed: characters that are cut into sentences, of an answer that comes letter by letter."""
    read: list[int] = []
    spans = structured.sentence_spans
    monkeypatch.setattr(structured, "sentence_spans", lambda text: read.append(len(text)) or spans(text))

    def characters(count: int) -> int:
        read.clear()
        assert len("".join(unfolded(written(*[("It costs 5 euros.", [2])] * count)))) == 22 * count - 1
        return sum(read)

    assert characters(40) <= 2.2 * characters(20)


def test_a_sentence_without_passages_does_not_hold_up_the_next():
    rows = json.dumps({"sentences": [{"text": "One."}, {"text": "Two.", "passages": [2]}]})
    assert "".join(unfolded(rows)) == told(rows) == "One Two. [2]"


def test_the_schema_allows_only_passages_that_exist_and_nothing_else():
    sent = by_schema(schema(3))["response_format"]["json_schema"]["schema"]
    items = sent["properties"]["sentences"]["items"]
    assert items["properties"]["passages"]["items"]["enum"] == [1, 2, 3]
    assert items["required"] == ["text", "passages"] and sent["required"] == ["sentences"]
    assert items["additionalProperties"] is sent["additionalProperties"] is False
