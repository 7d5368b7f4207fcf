"""Neighbouring words that may be one elsewhere."""

import pytest

from retrieval.compounds import compounds, halves, with_joined


@pytest.mark.parametrize(
    ("query", "wholes"),
    [
        ("life time", ["lifetime"]),
        ("a user name, please", ["auser", "username"]),
        ("the life of the user", []),
        ("user, name", []),
        ("HttpKernel life-time", ["HttpKernel", "lifetime"]),
        ("e mail", ["email"]),
        ("SHA 256 sum", ["SHA256"]),
        ("the 256", []),
        ("version 3.2", []),
        ("数据 库", []),
        (" ".join(["life time"] * 7), []),
        ("", []),
    ],
)
def test_neighbours_are_words_by_themselves(query, wholes):
    assert [compound.whole for compound in compounds(query)] == wholes


def test_marks_and_excerpts_look_for_both():
    assert with_joined("life time") == "life time lifetime"


def test_a_word_may_be_parted_where_two_letters_are_left_on_both_sides():
    assert halves("nodejs") == [("no", "dejs"), ("nod", "ejs"), ("node", "js")]
    assert halves("apart") == []
    assert halves("RFC6265") == [("RFC", "6265")]
