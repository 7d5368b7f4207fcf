"""What became of a quotation."""

import pytest

from knowledge.changes.word_diff import differences
from retrieval.answering import changes
from retrieval.answering.changes import find, nearest, was_part
from retrieval.answering.replay import sentences_now
from tests.retrieval.answering_fakes import make_hit

LIST = "Some tools stay here:\n\n- The lathe.\n- The saw bench.\n- The kiln.\n- The press.\n- The forge."
AROUND = "The mill stands by the river. {0}\n\nThe yard is painted each spring by those who have time for it."


def now(quote: str, text: str) -> str:
    span = nearest(quote, text)
    return text[span.start : span.end] if span else ""


def test_a_sentence_that_is_worded_otherwise_is_found_among_others():
    text = AROUND.format("Tools are lent for two weeks to members.")
    assert now("Tools are lent for one week to members.", text) == "Tools are lent for two weeks to members."
    assert now("Bread is sold at dawn in the square.", text) == ""


def test_a_long_quotation_is_compared_with_as_many_sentences():
    changed = LIST.replace("saw bench", "band saw")
    found = now(LIST, AROUND.format(changed))
    assert find(LIST, AROUND.format(changed)) is None and found == changed
    assert [piece.text.strip() for piece in differences(LIST, found) if piece.kind == "removed"] == ["saw bench."]


def test_a_quotation_that_stands_there_still_is_borne_out_however_long_it_is():
    hits = [make_hit(AROUND.format(LIST))]
    assert all(sentence.now for sentence in sentences_now(" ".join(LIST.split()), True, hits))


def test_of_a_quotation_whose_words_changed_each_sentence_is_judged_by_itself():
    hits = [make_hit(AROUND.format(LIST))]
    for changed in (LIST.replace("kiln", "oven"), " ".join(LIST.replace("kiln", "oven").split())):
        found = list(sentences_now(changed, True, hits))
        assert len(found) > 3 and [sentence.text for sentence in found if not sentence.now] == ["- The oven."]


def test_of_two_places_of_a_quotation_the_one_nearest_to_its_line_counts():
    text = "Fees\n\nIt is free.\n\nRoom\n\nIt  is\nfree.\n\nHall\n\nIt is free."
    places = {line: text.count("\n", 0, find("It is free.", text, line).start) + 1 for line in (1, 3, 6, 8, 12, 99)}
    assert places == {1: 3, 3: 3, 6: 7, 8: 7, 12: 12, 99: 12}
    assert find("It is dear.", text, 3) is None and find(" ", text) is None


@pytest.mark.parametrize(
    ("quote", "today"),
    [
        ("- Deposit: 50", "- Deposit: 500 euros"),
        ("- Deposit: 50", "- Deposit: 50 %"),
        ("- Version 1.2", "- Version 1.20"),
        ("- Version 1", "- Version 1.2"),
        ("- Employees may work from home", "- Employees may work from home only on Fridays"),
        ("- Employees may work from home", "- Employees may work from home\n  only on Fridays"),
        ("* Max. upload: 10 MB", "* Max. upload: 10 MB for admins, 2 MB for others"),
        ("Hunde sind erlaubt.", "Nicht alle Hunde sind erlaubt."),
        ("会员可以入场。", "非会员可以入场。"),
    ],
)
def test_what_is_now_a_part_of_a_sentence_is_worded_otherwise(quote: str, today: str):
    text = f"# Rules\n\n{today}\n\n- Shoes are to be left at the door."
    assert find(quote, text) is None and now(quote, text) in ("", today)


@pytest.mark.parametrize("quote", ["- Deposit: 50", "- Version 1.2"])
def test_a_number_that_has_changed_does_not_bear_out_what_was_said(quote: str):
    hit = make_hit(f"# Rules\n\n{quote}0\n\n- Shoes are to be left at the door.")
    assert not any(sentence.now for sentence in sentences_now(quote, True, [hit]))


@pytest.mark.parametrize(
    ("quote", "today"),
    [
        ("Deposit: 50", "- Deposit: 50"),
        ("- Deposit: 50", "- Deposit: 50."),
        ("Rates rise [3].", "Rates rise [3]. Then they fall."),
        ("入会は無料です。", "会費は月額です。入会は無料です。押金はありません。"),
        ("| a | b |", "| n | m |\n| - | - |\n| a | b |\n| c | d |"),
        ("Dogs stay\noutside", "> Dogs stay outside"),
    ],
)
def test_marks_around_a_sentence_are_not_words_of_it(quote: str, today: str):
    assert find(quote, f"# Rules\n\n{today}\n\n- Shoes are to be left at the door.")


def test_a_quotation_that_was_cut_off_is_known_from_its_text_then():
    then = "# Rules\n\nTools are lent to all who live here, and to their guests.\n\nTools are free."
    assert was_part("Tools are lent to all who live here,", then, 3)
    assert not was_part("Tools are free.", then, 5) and not was_part("Tools are dear.", then, 5)
    assert find("Tools are lent to all who live here,", then, 3, part=True)


def test_only_what_may_be_alike_is_compared(monkeypatch):
    """A file of a megabyte took seconds, most of them for passages without a word of the quotation."""
    compared = []
    whole = changes.likeness
    monkeypatch.setattr(changes, "likeness", lambda *asked: compared.append(asked) or whole(*asked))
    text = "\n\n".join(["The yard is painted each spring."] * 500 + ["Tools are lent for two weeks to members."])
    assert now("Tools are lent for one week to members.", text) == "Tools are lent for two weeks to members."
    assert len(compared) < 10
