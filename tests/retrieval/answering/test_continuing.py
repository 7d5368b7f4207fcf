"""A quotation that its passage cuts off goes on in the next one."""

import pytest

from knowledge.models import Chunk
from retrieval.answering import drafting, grounds
from retrieval.answering.pipeline import answer
from retrieval.answering.quoting.continuing import going_on, is_cut_off
from retrieval.answering.quoting.extracts import extract
from retrieval.results import Hit
from tests.retrieval.answering_fakes import FakeChat, make_hit

FILLER = "The workshop has been in the old mill since the town gave it to the members, who look after the roof."
TIPS = "Tips for riders\n\nBefore a long ride the following helps every rider of a cargo bike:\n\n• Look at the brakes."


def pair(first: str, second: str, lines_between: int = 2) -> tuple[Hit, Hit]:
    """Two passages that follow each other in a section."""
    hit = make_hit(first)
    start, line = hit.char_end + lines_between, hit.line_end + lines_between
    place = {"char_start": start, "char_end": start + len(second), "line_start": line, "ordinal": 1, "chunk_id": 2}
    return hit, make_hit(second, **place, line_end=line + second.count("\n"))


def told(question: str, first: str, second: str) -> list[str]:
    hit, following = pair(first, second)
    best = extract(question, [hit])[0]
    assert is_cut_off(best)
    parts = going_on(best, following, 2)
    assert all(part.quote.support.holds and part.quote.text in part.quote.hit.text for part in parts)
    assert [part.n for part in parts] == [1, 2][: len(parts)]
    return [part.quote.text for part in parts]


def test_a_list_goes_on_and_what_follows_it_does_not() -> None:
    items = "• Pump up the tyres. They want 4 bar.\n" + "\n".join(f"• Look at part {n} of the bike." for n in range(9))
    first, second = told("What helps before a long ride on a cargo bike?", TIPS, f"{items}\n\n{FILLER}")
    assert first.endswith("brakes.") and second == items


def test_what_a_heading_at_the_end_stands_over_is_told() -> None:
    text = "Late returns of cargo bikes cost five euros for each day that begins.\n\nHow to avoid the charge"
    first, second = told("What do late returns of cargo bikes cost?", text, f"Call the desk before noon.\n\n{FILLER}")
    assert first.endswith("How to avoid the charge") and second.startswith("Call the desk before noon.")


def test_a_sentence_that_a_page_cut_in_two_is_told_whole() -> None:
    text = "Cargo bikes are lent to members of sixteen and more. Guests leave a deposit that depends on the bike or"
    first, second = told("To whom are cargo bikes lent?", text, f"the length of the loan.\n\n{FILLER * 8}")
    assert first.endswith("the bike or") and second == "the length of the loan."


def test_passages_that_overlap_are_told_once() -> None:
    hit, _ = pair(TIPS, "")
    second = "• Look at the brakes.\n• Oil the chain."
    start = len(TIPS) - len("• Look at the brakes.")
    following = make_hit(second, char_start=start, char_end=start + len(second), ordinal=1, chunk_id=2)
    parts = going_on(extract("What helps before a long ride on a cargo bike?", [hit])[0], following, 2)
    assert [part.quote.text for part in parts][1:] == ["• Oil the chain."]


@pytest.mark.parametrize("second", [FILLER, "Notes\n=====\n\nNothing."])
def test_what_is_said_to_its_end_stays_alone(second: str) -> None:
    lent = [f"A cargo bike is lent for {days} days in month {days}, to members of group {days}." for days in range(9)]
    hit, following = pair(" ".join(lent), second)
    best = extract("For how many days is a cargo bike lent?", [hit])[0]
    assert going_on(best, following, 2) == (best,)


def test_what_stands_in_the_middle_of_its_passage_is_not_cut_off() -> None:
    hit = make_hit("\n\n".join([TIPS, *[FILLER] * 5]))
    assert not any(map(is_cut_off, extract("What helps before a long ride on a cargo bike?", [hit])))


def test_an_answer_goes_on_in_the_next_passage_and_cites_both(indexed, monkeypatch) -> None:
    rules = [f"- Rule {n}: whoever rides bike {n} looks at lamp {n} and tells the desk so." for n in range(60)]
    text = f"{FILLER}\n\n{FILLER}\n\nRiders of the yard keep these rules:\n\n" + "\n".join(rules)
    indexed("yard", {"rules.md": f"# Rules\n\n{text}\n"})
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: FakeChat("x", fails_after=0))
    before = Chunk.objects.count()
    assert before > 1
    given = answer(None, "Which rules do riders of the yard keep?")
    assert len(given.citations) == 2 and all(one.verified and one.quote in one.hit.text for one in given.citations)
    first, second = sorted(given.citations, key=lambda one: one.hit.ordinal)
    assert second.hit.ordinal == first.hit.ordinal + 1 and second.line_start > first.line_end
    assert given.hits[second.n - 1].chunk_id == second.hit.chunk_id
    monkeypatch.setattr(grounds, "is_cut_off", lambda extract: False)
    assert len(answer(None, "Which rules do riders of the yard keep?").citations) == 1
