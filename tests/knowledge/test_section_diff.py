"""What changed in a text, section by section and word by word."""

from dataclasses import dataclass, field
from difflib import SequenceMatcher

import pytest

from knowledge.changes.section_diff import MOST_PAIRS, DiffLine, Matcher, section_diffs


@dataclass
class Part:
    anchor: str
    line_start: int
    line_end: int
    breadcrumb: list[str] = field(default_factory=list)


def lines(before: str, after: str) -> tuple[DiffLine, ...]:
    parts = [[Part("a", 1, text.count("\n") + 1)] for text in (before, after)]
    found = section_diffs(before, parts[0], after, parts[1])
    return found[0].lines if found else ()


def test_of_a_sentence_only_the_changed_words_are_marked():
    (line,) = lines("A bike is lent for\nthree days, and no longer.", "A bike is lent\nfor five days, and no longer.")
    assert [(piece.kind, piece.text) for piece in line.pieces] == [
        ("same", "A bike is lent\nfor "),
        ("removed", "three "),
        ("added", "five "),
        ("same", "days, and no longer."),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("A bike is lent for three days.", "Bread is sold at dawn."),
        ("if late:\n    warn()\n    return", "if late:\n    warn()\nreturn"),
        ("A bike is lent.", "A bike  is lent."),
        ("word " * 300, "word " * 299 + "other"),
    ],
)
def test_what_is_another_text_or_otherwise_spaced_is_shown_line_by_line(before, after):
    assert {line.sign for line in lines(before, after)} >= {"-", "+"}


def test_no_underline_is_shown_without_its_title():
    title = "How long\n========\n\n"
    shown = lines(f"{title}For up to three days.", f"{title}For up to four days.")
    assert [line.sign for line in shown] == ["~"]
    shown = lines(f"{title}A\nB\n---\nC", f"{title}A\nB\n+++\nC")
    assert [line.text for line in shown if line.sign != "~"] == ["A", "B", "---", "+++", "C"]


def test_a_section_with_another_after_it_is_not_changed_by_that():
    before, after = "# A\n\nText.", "# A\n\nText.\n\n# B\n\nMore."
    new = [Part("a", 1, 4, ["A"]), Part("b", 5, 7, ["B"])]
    found = section_diffs(before, [Part("a", 1, 3, ["A"])], after, new)
    assert [(section.breadcrumb, section.kind) for section in found] == [(("B",), "added")]


def test_of_long_texts_only_so_many_lines_are_compared(monkeypatch):
    looked_at = []
    find = SequenceMatcher.find_longest_match

    def counted(self, alo, ahi, blo, bhi):
        looked_at.append(sum(len(self.b2j.get(line, ())) for line in self.a[alo:ahi]))
        return find(self, alo, ahi, blo, bhi)

    monkeypatch.setattr(SequenceMatcher, "find_longest_match", counted)
    sections = 4
    before = [f"{n}" for n in range(2_000 * sections)]
    after = [line if n % 2 else f"+{n}" for n, line in enumerate(before)]
    parts = [Part(f"{n}", 1 + 2_000 * n, 2_000 * (n + 1)) for n in range(sections)]
    found = section_diffs("\n".join(before), parts, "\n".join(after), parts)
    assert len(found) == sections and 0 < sum(looked_at) <= MOST_PAIRS
    assert found[-1].lines[0] == DiffLine("-", "6000")


def test_what_is_not_compared_any_more_counts_as_rewritten_from_where_it_differs(monkeypatch):
    monkeypatch.setattr(Matcher, "left", 0)
    shown = lines("a\nb\nc\nbikes are lent\nd", "a\nb\nc\nclosed on Monday\nd")
    assert [f"{line.sign}{line.text}" for line in shown] == [
        " b",
        " c",
        "-bikes are lent",
        "-d",
        "+closed on Monday",
        "+d",
    ]


def test_two_changes_of_a_long_text_are_shown_alone():
    before = [f"Row {n}" for n in range(20_000)]
    after = ["first" if n == 5 else "last" if n == 19_990 else line for n, line in enumerate(before)]
    shown = lines("\n".join(before), "\n".join(after))
    assert [line.text for line in shown if line.sign in "+-"] == ["Row 5", "first", "Row 19990", "last"]
