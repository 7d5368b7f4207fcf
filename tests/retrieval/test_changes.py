"""What became of a quotation."""

from knowledge.changes.word_diff import differences
from retrieval.answering import changes
from retrieval.answering.changes import find, nearest
from retrieval.answering.replay import borne_out
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
    assert borne_out(" ".join(LIST.split()), hits)
    assert not borne_out(LIST.replace("kiln", "oven"), hits)


def test_of_two_places_of_a_quotation_the_one_nearest_to_its_line_counts():
    text = "Fees\n\nIt is free.\n\nRoom\n\nIt  is\nfree.\n\nHall\n\nIt is free."
    places = {line: text.count("\n", 0, find("It is free.", text, line).start) + 1 for line in (1, 3, 6, 8, 12, 99)}
    assert places == {1: 3, 3: 3, 6: 7, 8: 7, 12: 12, 99: 12}
    assert find("It is dear.", text, 3) is None and find(" ", text) is None


def test_only_what_may_be_alike_is_compared(monkeypatch):
    """A file of a megabyte took seconds, most of them for passages without a word of the quotation."""
    compared = []
    whole = changes.likeness
    monkeypatch.setattr(changes, "likeness", lambda *asked: compared.append(asked) or whole(*asked))
    text = "\n\n".join(["The yard is painted each spring."] * 500 + ["Tools are lent for two weeks to members."])
    assert now("Tools are lent for one week to members.", text) == "Tools are lent for two weeks to members."
    assert len(compared) < 10
