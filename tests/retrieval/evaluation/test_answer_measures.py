"""The measures of answers: by rule, and with the half that nothing was chosen on."""

import json
import re
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from knowledge.golden import Gold, Question
from knowledge.models import Answer as Row
from retrieval.answering import drafting, grounds
from retrieval.answering.citations import Checked
from retrieval.answering.evidence import answers, are_answered_beside
from retrieval.answering.replay import sentences_now
from retrieval.evaluation.answer_measures import JudgedAnswer, at_caution, is_held_out, report, summary
from retrieval.evaluation.answering import judge_by_rule, verdict
from retrieval.evaluation.questions import read_unanswerable
from retrieval.management.commands import evaluate
from retrieval.results import AnswerResult, Citation, Sentence
from tests.retrieval.answering_fakes import FakeChat, make_hit


def answered(*citations: Citation, refused: bool = False) -> AnswerResult:
    sentences = tuple(Sentence("x", (citation.n,), citation.verified) for citation in citations)
    return AnswerResult("q", "q", "x", refused, (), "fake", citations, sentences, {}, {"total": 1.0}, ())


def test_an_answer_is_held_against_its_gold() -> None:
    right = Citation(1, "Sessions expire.", True, 10, 10, make_hit("Sessions expire."))
    wrong = Citation(2, "invented", False, 99, 99, make_hit("Cookies.", line_start=40, line_end=40))
    question = Question("a", "q", (Gold("guide.md", lines=(10, 10)), Gold("other.md")))
    judged = judge_by_rule(question, answered(right, wrong))
    assert (judged.cited, judged.cited_gold, judged.cited_file, judged.verified) == (2, 1, 2, 1)
    assert (judged.gold, judged.gold_cited, judged.resolved) == (2, 1, 1)
    assert (judged.sentences, judged.supported) == (2, 1)


@pytest.mark.parametrize(
    ("gold", "found"),
    [
        (Gold("guide.md", lines=(10, 10)), False),
        (Gold("guide.md", lines=(12, 14)), True),
        (Gold("guide.md", characters=(100, 120)), False),
        (Gold("guide.md", characters=(130, 131)), True),
        (Gold("guide.md", page=2), True),
    ],
)
def test_a_citation_finds_what_it_quotes_and_not_the_rest_of_its_passage(gold: Gold, found: bool) -> None:
    text = "It is so.\nOther words.\nIt is so."
    passage = make_hit(text, page=2, char_start=100, char_end=100 + len(text))
    judged = judge_by_rule(Question("a", "q", (gold,)), answered(Citation(1, "It is so.", True, 12, 12, passage)))
    assert (judged.cited_gold, judged.gold_cited, judged.resolved) == (found, found, 1)


@pytest.mark.parametrize(
    ("gold", "overlaps", "is_near"),
    [
        (Gold("guide.md", page=4), True, True),
        (Gold("guide.md", page=5), False, True),
        (Gold("guide.md", page=6), False, False),
        (Gold("other.md", page=5), False, False),
        (Gold("guide.md", lines=(11, 11)), False, False),
    ],
)
def test_a_page_beside_that_of_the_gold_is_told_apart(gold: Gold, overlaps: bool, is_near: bool) -> None:
    citation = Citation(1, "It is so.", True, 10, 10, make_hit("It is so.", page=4))
    judged = judge_by_rule(Question("a", "q", (gold,)), answered(citation))
    assert (judged.cited_gold, judged.cited_near) == (overlaps, is_near)


@pytest.mark.parametrize("announced", ["Members get:", "会员可以："])
def test_what_announces_a_list_is_no_claim_wherever_an_answer_is_judged(announced: str) -> None:
    said, passage = "A cargo bike is lent for three days.", make_hit("A cargo bike is lent for three days.")
    citation = Citation(1, passage.text, True, 1, 1, passage)
    sentences = (*(Sentence(announced, (), False) for _ in range(2)), Sentence(said, (1,), True))
    answer = replace(answered(citation), sentences=sentences)
    assert judge_by_rule(Question("a", "q", ()), answer).sentences == 1
    assert answers("How long is a cargo bike lent?", Checked("", sentences, (citation,), 0))
    assert [one.now for one in sentences_now(f"{announced}\n\n{said}", True, [passage])] == [True]
    assert not any(one.now for one in sentences_now(announced, True, [passage]))


@pytest.mark.parametrize(("logits", "stands"), [([2.0], True), ([-2.0], False), ([], False)])
def test_an_answer_in_other_words_than_the_questions_stands_where_the_reader_takes_it_for_one(
    logits: list[float], stands: bool
) -> None:
    said = "Call 555 0143 at once."
    passage = make_hit(said, breadcrumb=("Insurance", "Theft"))
    checked = Checked("", (Sentence(said, (1,), True),), (Citation(1, said, True, 1, 1, passage),), 0)
    read: list[str] = []
    question = "Someone stole my bike, what now?"
    assert answers(question, checked, lambda texts: read.extend(texts) or logits) is stands
    assert [text.endswith(f"\n{said}") for text in read] == [True]
    assert not answers(question, checked)


@pytest.mark.parametrize(
    "question", ["Can I extend it? (borrow, trailer)", "Can it be extended (borrow, trailer, days)"]
)
def test_what_a_follow_up_is_about_need_not_be_said_again(question: str) -> None:
    said = "A loan can be extended once, by one lending day, if nobody else has booked the bike."
    checked = Checked("", (Sentence(said, (1,), True),), (Citation(1, said, True, 1, 1, make_hit(said)),), 0)
    assert answers(question, checked) and not answers("Can I sell it? (borrow, trailer)", checked)


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("According to the handbook, cargo bikes can be borrowed for a maximum of three days.", True),
        ("A cargo bike can be borrowed for no longer than three days.", True),
        ("According to the handbook, you can borrow a cargo bike.", False),
        ("You can borrow a cargo bike for a maximum.", False),
    ],
)
def test_whose_words_they_are_and_how_a_bound_is_put_tell_nothing(said: str, tells: bool) -> None:
    passage = make_hit("You can borrow a cargo bike for up to three days.")
    checked = Checked("", (Sentence(said, (1,), True),), (Citation(1, passage.text, True, 1, 1, passage),), 0)
    assert answers("How long can I borrow a cargo bike?", checked) is tells


def test_what_is_true_of_another_year_is_no_answer() -> None:
    said = "The dividend was 2.2 per cent."
    passage = make_hit("For the financial year 2023 the dividend was 2.2 per cent.")
    checked = Checked("", (Sentence(said, (1,), True),), (Citation(1, passage.text, True, 1, 1, passage),), 0)
    assert answers("What was the dividend for 2023?", checked)
    assert not answers("What was the dividend for 2022?", checked)


@pytest.mark.parametrize(("logits", "stands"), [(None, True), ([2.0], True), ([-2.0], False), ([], False)])
def test_what_stands_beside_a_quotation_may_say_what_it_is_about(logits: list[float] | None, stands: bool) -> None:
    question, said = (
        "A guest takes Otter for two days. What does it cost?",
        "Two days make €36, with a deposit of €150.",
    )
    quote = "Two days at €18 make €36; the deposit is €150."
    passage = make_hit(f"A guest takes Otter from Saturday to Tuesday. {quote} A member takes Wren.")
    checked = Checked("", (Sentence(said, (1,), True),), (Citation(1, quote, True, 1, 1, passage),), 0)
    read: list[str] = []
    reading = None if logits is None else lambda texts: read.extend(texts) or logits
    assert not answers(question, checked)
    assert are_answered_beside(question, checked, reading) is stands
    assert all(text.endswith(passage.text) for text in read) and bool(read) is (logits is not None)
    assert not are_answered_beside("How old must a trailer's rider be?", checked, reading)
    doubted = replace(checked, sentences=(*checked.sentences, Sentence("Owls watch them at night.", (), False)))
    assert not are_answered_beside(question, doubted, reading)


def test_refusals_are_right_or_wrong() -> None:
    judged = [
        JudgedAnswer("a", answerable=True, refused=False, cited=1, cited_gold=1, gold=1, gold_cited=1),
        JudgedAnswer("b", answerable=True, refused=True),
        JudgedAnswer("c", answerable=False, refused=True),
        JudgedAnswer("d", answerable=False, refused=False),
    ]
    measured = summary(judged)
    assert measured["refusal_precision"] == measured["refusal_recall"] == measured["false_refusals"] == 0.5
    assert measured["citation_precision"] == measured["citation_recall"] == 1
    assert summary([])["refusal_recall"] is None


def test_what_more_caution_would_refuse_is_told_for_every_step_above_the_present() -> None:
    judged = [
        JudgedAnswer("a", True, False, cited_gold=1, margin=2.2),
        JudgedAnswer("b", True, False, margin=0.7),
        JudgedAnswer("c", True, False, cited_gold=1),  # a larger model's own words
        JudgedAnswer("d", False, False, margin=1.2),
        JudgedAnswer("e", False, True, margin=-1.0),
    ]
    rows = {row["caution"]: row for row in at_caution(judged, 0.5)}
    assert list(rows) == [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
    found = [(rows[step]["answered"], rows[step]["false_refusals"], rows[step]["refusal_recall"]) for step in rows]
    assert found[:5] == [(4, 0, 0.5), (3, 0.3333, 0.5), (2, 0.3333, 1), (2, 0.3333, 1), (1, 0.6667, 1)]
    assert rows[1.0]["answers_citing_gold"] == 1


def test_a_librarys_caution_is_heard_and_what_it_costs_is_told(indexed, tmp_path, monkeypatch) -> None:
    library = indexed("lending", {"a.md": "# Loan\n\nA cargo bike is lent for 3 days, with a helmet.\n"})
    asked = {"id": "1", "question": "For how many days is a cargo bike lent?", "gold": [{"file": "a.md"}]}
    (tmp_path / "asked.jsonl").write_text(json.dumps(asked) + "\n")
    asking = {"answers": True, "library": "lending", "questions": tmp_path / "asked.jsonl", "json": True}
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: FakeChat("Elephants.", judges=False))
    monkeypatch.setattr(grounds, "reader_scores", lambda question, texts: [2.0] * len(texts))

    def refused(caution: float) -> tuple[float, list[float]]:
        type(library).objects.update(caution=caution)
        call_command("evaluate", stdout=(out := StringIO()), **asking)
        measured = json.loads(out.getvalue())
        return measured["all"]["false_refusals"], [row["false_refusals"] for row in measured["at_caution"]]

    now, foreseen = refused(0)
    assert now == 0 and foreseen[0] == 0 and foreseen[-1] == 1
    assert refused(4)[0] == 1


def test_gold_that_is_not_there_is_said_of_answers_too(indexed, tmp_path) -> None:
    indexed("lending", {"a.md": "# Loan\n\nA cargo bike is lent for three days.\n"})
    asked = {"id": "1", "question": "For how many days?", "gold": [{"file": "a.md"}, {"file": "gone.md"}]}
    (tmp_path / "asked.jsonl").write_text(json.dumps(asked) + "\n")
    asking = {"answers": True, "library": "lending", "questions": tmp_path / "asked.jsonl"}
    call_command("evaluate", json=True, stdout=(out := StringIO()), **asking)
    measured = json.loads(out.getvalue())
    assert measured["gold_files_missing"] == ["gone.md"]
    assert measured["gold_missing"] == [{"id": "1", "file": "gone.md"}]
    call_command("evaluate", stdout=(out := StringIO()), **asking)
    assert "1 gold place is not in this snapshot, such as gone.md of 1" in out.getvalue()


@pytest.mark.parametrize(
    ("said", "opinion"),
    [
        ("yes", 1),
        ("**Yes**.", 1),
        ('"yes"', 1),
        ("Answer: yes", 1),
        ("No, it does not.", 0),
        ("_no_", 0),
        ("not sure", None),
        ("None", None),
        ("Nothing follows.", None),
        ("yesterday", None),
        ("Answer:", None),
        ("", None),
    ],
)
def test_a_judge_says_yes_or_no_or_neither(said: str, opinion: float | None) -> None:
    assert verdict(said) == opinion


def test_a_judge_that_goes_away_takes_no_answer_with_it(indexed, tmp_path, monkeypatch) -> None:
    indexed("lending", {"a.md": "# Loan\n\nA cargo bike is lent for three days.\n"})
    asked = {"question": "For how many days is a cargo bike lent?", "gold": [{"file": "a.md"}]}
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps({"id": name} | asked) + "\n" for name in "12"))
    asking = {"answers": True, "library": "lending", "questions": tmp_path / "asked.jsonl", "judge": True}
    for says, opinion, judged, away in (("Yes.", 1.0, 2, {}), ("Well …", None, 0, {}), (None, None, 0, {"judge": 2})):
        judge = FakeChat(says or "yes", fails_after=None if says else 0)
        monkeypatch.setattr(evaluate, "chat_endpoint", lambda role, judge=judge: judge)
        call_command("evaluate", json=True, stdout=(out := StringIO()), **asking)
        measured = json.loads(out.getvalue())["all"]
        assert (measured["judge"], measured["judged"], measured["degraded"]) == (opinion, judged, away)
        assert measured["answered"] == 2
    call_command("evaluate", stdout=(out := StringIO()), **asking)
    assert re.search(r"judge \(a model's opinion\) +– +–\nanswers that it judged +0 +0", out.getvalue())
    assert "did not answer: judge 2 of 2" in out.getvalue()


def test_half_of_the_questions_are_held_out_whatever_their_order() -> None:
    names = [f"q{n}" for n in range(1000)]
    held = [name for name in names if is_held_out(name)]
    assert 450 < len(held) < 550
    judged = [JudgedAnswer(name, answerable=True, refused=False) for name in reversed(names)]
    assert report(judged)["held_out"]["questions"] == len(held)


def test_the_command_measures_without_writing_into_the_ledger(indexed, tmp_path) -> None:
    indexed("lending", {"a.md": "# Loan\n\nA cargo bike is lent for three days.\n"})
    asked = {"id": "1", "question": "For how many days is a cargo bike lent?", "gold": [{"file": "a.md"}]}
    (tmp_path / "asked.jsonl").write_text(json.dumps(asked) + "\n")
    (tmp_path / "none.jsonl").write_text('{"id": "2", "question": "Who painted the Mona Lisa?"}\n')
    out = StringIO()
    files = {"questions": tmp_path / "asked.jsonl", "unanswerable": tmp_path / "none.jsonl"}
    call_command("evaluate", answers=True, library="lending", json=True, judge=True, stdout=out, **files)
    measured = json.loads(out.getvalue())["all"]
    assert measured["refusal_recall"] == 1 and measured["citations_resolved"] == 1 and measured["questions"] == 2
    assert not Row.objects.exists()
    call_command("evaluate", answers=True, library="lending", stdout=(out := StringIO()), **files)
    assert "held out" in out.getvalue() and "judge" not in out.getvalue()
    (tmp_path / "none.jsonl").write_text("{}\n")
    with pytest.raises(CommandError, match=r"none\.jsonl:1"):
        call_command("evaluate", answers=True, library="lending", **files)


def test_answers_that_were_degraded_are_counted_and_said(indexed, tmp_path, monkeypatch) -> None:
    indexed("lending", {"a.md": "# Loan\n\nA cargo bike is lent for three days.\n"})
    asked = {"id": "1", "question": "For how many days is a cargo bike lent?", "gold": [{"file": "a.md"}]}
    (tmp_path / "asked.jsonl").write_text(json.dumps(asked) + "\n")
    asking = {"answers": True, "library": "lending", "questions": tmp_path / "asked.jsonl"}
    monkeypatch.setattr(drafting, "chat_endpoint", lambda: FakeChat("A cargo bike", fails_after=0))
    call_command("evaluate", json=True, stdout=(out := StringIO()), **asking)
    assert json.loads(out.getvalue())["all"]["degraded"]["chat"] == 1
    call_command("evaluate", stdout=(out := StringIO()), **asking)
    assert "did not answer: chat 1" in out.getvalue()


def test_a_file_without_questions_is_not_taken_for_the_golden_ones(indexed, tmp_path) -> None:
    library = indexed("lending", {"a.md": "# Loan\n\nA cargo bike is lent for three days.\n"})
    library.golden_questions.create(identifier="1", text="How long is a bike lent?", gold=[{"file": "a.md"}])
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(CommandError, match=r"empty\.jsonl holds no question"):
        call_command("evaluate", answers=True, library="lending", questions=tmp_path / "empty.jsonl")


def test_unanswerable_questions_are_read_line_by_line_as_others_are(tmp_path) -> None:
    (tmp_path / "none.jsonl").write_text(
        '{"id": "1", "question": "One\u2028two?"}\n\n{"id": "2", "question": "Who?"}\n'
    )
    assert [one.text for one in read_unanswerable(tmp_path / "none.jsonl")] == ["One\u2028two?", "Who?"]


NO_QUESTIONS = [
    '{"id": "1", "question": null}',
    '{"id": "1", "question": " "}',
    '{"id": null, "question": "Who?"}',
    '{"id": true, "question": "Who?"}',
    '{"question": "Who?"}',
    '["Who?"]',
    "{",
]


@pytest.mark.parametrize("line", NO_QUESTIONS)
def test_what_is_no_unanswerable_question_is_named_by_its_line(tmp_path, line: str) -> None:
    (tmp_path / "none.jsonl").write_text(f'{{"id": "0", "question": "Who?"}}\n{line}\n')
    with pytest.raises(ValueError, match=r"none\.jsonl:2: "):
        read_unanswerable(tmp_path / "none.jsonl")


@pytest.mark.parametrize("line", ["nothing", "{", "[" * 100_000], ids=["word", "half", "deep"])
def test_a_line_that_is_no_json_is_said_to_be_none(tmp_path, line: str) -> None:
    (tmp_path / "none.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(ValueError, match=r"none\.jsonl:2: this line is no JSON$"):
        read_unanswerable(tmp_path / "none.jsonl")


def test_an_id_belongs_to_one_question_whichever_file_it_stands_in(indexed, tmp_path) -> None:
    indexed("lending", {"a.md": "# Loan\n\nA cargo bike is lent for three days.\n"})
    asked, none = tmp_path / "asked.jsonl", tmp_path / "none.jsonl"
    asked.write_text('{"id": 1, "question": "How long?", "gold": [{"file": "a.md"}]}\n')
    for ids, twice in (("23", None), ("22", 2), ("21", 1)):
        none.write_text("".join(f'{{"id": "{name}", "question": "Who?"}}\n' for name in ids))
        asking = {"answers": True, "library": "lending", "questions": asked, "unanswerable": none}
        if twice is None:
            assert [one.id for one in read_unanswerable(none)] == ["2", "3"]
            continue
        with pytest.raises(CommandError, match=rf"none\.jsonl: more than one question is called {twice}") as refused:
            call_command("evaluate", **asking)
        assert refused.value.returncode == 1
