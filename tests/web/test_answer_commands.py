"""Commands about answers: `replay`, `api_token`, `ask` as a conversation, and what `mcp` refuses."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from knowledge.endpoints import EndpointError
from knowledge.models import Answer, ApiToken
from retrieval.answering import drafting
from retrieval.answering.pipeline import answer
from retrieval.answering.replay import spans_now
from retrieval.management.commands import ask
from retrieval.notices import QUOTED
from retrieval.printed import TERMINAL, printed
from retrieval.results import AnswerResult, Citation, Sentence
from tests.conftest import reindex
from tests.retrieval.answering_fakes import make_hit
from tests.web.asking import QUESTION

HANDBOOK = Path(__file__).parents[2] / "sample" / "handbook"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def away() -> None:
    raise EndpointError("chat", "away")


def test_replay_says_whether_the_documents_still_say_it(handbook, documents):
    answer(None, QUESTION)
    row = Answer.objects.get()
    assert "Yes: today's passages" in said("replay", str(row.pk))
    file = documents / "handbook" / "lending.rst"
    file.write_text(file.read_text().replace("three days", "nine days"))
    reindex(handbook)
    assert "[-three-] {+nine+}" in said("replay", str(row.pk))
    found = json.loads(said("replay", str(row.pk), "--json"))
    assert found["verdict"] == "no" and found["citations"][0]["status"] == "reworded"
    with pytest.raises(CommandError, match="no answer 0"):
        call_command("replay", "0")


def test_a_quotation_that_was_cut_off_within_a_sentence_stands_where_it_stood(handbook, documents):
    answer(None, QUESTION)
    citation = Answer.objects.get().citations.get()
    citation.quote = citation.quote.rsplit(maxsplit=1)[0]
    citation.save()
    file = documents / "handbook" / "lending.rst"
    for more in ("", "\n\nHelmets are lent, too.\n"):
        file.write_text(file.read_text() + more)
        reindex(handbook)
        (found,) = json.loads(said("replay", str(citation.answer_id), "--json"))["citations"]
        assert found["status"] == "unchanged" and found["quote"] == citation.quote


def test_a_file_that_was_renamed_is_still_there_as_far_as_it_is_open(handbook, documents):
    answer(None, QUESTION)
    number = str(Answer.objects.get().pk)
    folder = documents / "handbook"
    (folder / "lending.rst").rename(folder / "rules.rst")
    reindex(handbook)
    (found,) = json.loads(said("replay", number, "--json"))["citations"]
    assert (found["status"], found["source_file"], found["source_file_now"]) == ("moved", "lending.rst", "rules.rst")
    assert found["found"] and "/read/handbook/rules.rst?" in found["url"]
    assert "It stands in rules.rst now, word for word." in said("replay", number)
    handbook.document_files.filter(path="rules.rst").update(withdrawn_at=timezone.now())
    assert "rules.rst" not in said("replay", number, "--json")


@pytest.mark.parametrize(("library", "found"), [("handbook", True), ("other", False)])
def test_a_file_of_another_library_is_not_the_same_place(handbook, library, found):
    answer(None, QUESTION)
    citation = Answer.objects.get().citations.get()
    hit = replace(make_hit(citation.quote), library=library, source_file=citation.path)
    (span,) = spans_now(citation.answer, None, [hit])
    assert span.found is found


def test_a_token_is_issued_once_listed_without_it_and_revoked(reader):
    token = said("api_token", "reader", "--scope", "ask", "--days", "1").strip()
    row = ApiToken.objects.bearer(token, "ask")
    assert row and row.user == reader and ApiToken.objects.bearer(token, "search") is None
    listed = json.loads(said("api_token", "--json"))
    assert listed[0]["alive"] and token not in json.dumps(listed)
    revoked = json.loads(said("api_token", "--revoke", str(row.pk), "--json"))
    assert revoked.keys() == listed[0].keys() and (revoked["id"], revoked["alive"]) == (row.pk, False)
    assert "dead" in said("api_token") and ApiToken.objects.bearer(token, "ask") is None
    for wrong in (["nobody"], ["--revoke", "987654321"], ["reader", "--days", "-1"]):
        with pytest.raises(CommandError):
            call_command("api_token", *wrong)


def test_asking_without_a_question_is_a_conversation(handbook, monkeypatch):
    lines = f"{QUESTION}\nAnd what does it cost when it comes back late?\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    shown = said("ask", "--library", "handbook")
    assert "three days" in shown and "understood as: And what does it cost" in shown and "cargo bike" in shown


def test_a_row_out_of_a_long_table_is_quoted_below_its_columns(indexed, monkeypatch):
    monkeypatch.setattr(drafting, "chat_endpoint", away)
    sizes = [("Otter", 500), ("Heron", 625), ("Stoat", 400), ("Vole", 300), ("Crane", 700), ("Finch", 250)]
    tables = "".join(
        f"| {name} | {size} Wh | {size // 8} km |\n" for name, size in [*sizes, ("Hare", 350), ("Tern", 450)]
    )
    head = "| Bike | Battery | Range |\n|---|---|---|\n"
    indexed("fleet", {"fleet.md": f"# Fleet\n\n{head}{tables}| Badger | 540 Wh | 67 km |\n"})
    question = "What is the range of the Badger?"
    (citation,) = json.loads(said("ask", question, "--library", "fleet", "--json"))["citations"]
    assert (citation["quote"], citation["table_head"]) == ("| Badger | 540 Wh | 67 km |", head)
    columns = "Bike    Battery  Range\n------  -------  -----\nBadger  540 Wh   67 km\n[1]\n"
    assert columns in said("ask", question)


def test_what_is_quoted_is_printed_once_and_without_markup(indexed, monkeypatch):
    monkeypatch.setattr(drafting, "chat_endpoint", away)
    files = ("insurance.rst", "lending.rst", "prices-and-deposits.rst")
    indexed("house", {name: (HANDBOOK / name).read_text() for name in files})
    for question, shown in {
        "What does a trailer cost a guest per day?": "\nClass                  Members, Social Pass, partners  Guests",
        "Which load do Heron and Badger take in the fleet?": "\nHeron   three-wheeled box bike, rain tent  electric ",
        "What has to be done after a theft, whom to call?": "\n• Report it to the police and bring us the report ",
        "How far ahead may guests book?": "\nGuests: 30 days\nMembers and Social Pass holders: 60 days\n",
    }.items():
        told = said("ask", question)
        assert told.count(shown) == 1 and "[1] house: " in told
        assert not [mark for mark in ("+---", ".. ", "* -", "#.", "**", ":Guests:") if mark in told]


def test_a_table_wider_than_the_terminal_is_told_row_by_row(monkeypatch):
    table = "| Bike | Battery |\n|---|---|\n| Otter | 500 Wh |"
    hit = make_hit(f"Look:\n\n{table}")
    monkeypatch.setenv("COLUMNS", "14")
    drawn = "Bike   Battery\n-----  -------\nOtter  500 Wh"
    assert printed(Citation(1, hit.text, True, 10, 14, hit), "[1]", TERMINAL) == f"Look:\n\n{drawn}\n[1]"
    monkeypatch.setenv("COLUMNS", "13")
    assert "Otter: Battery 500 Wh." in printed(Citation(1, table, True, 12, 14, hit), "[1]", TERMINAL)


def test_citations_are_counted_as_they_appear(handbook, monkeypatch):
    hits = make_hit("Otter takes 100 kg."), make_hit("Wren takes 60 kg.")
    cited = tuple(Citation(n, hit.text, True, 10, 10, hit) for n, hit in zip((3, 7), hits, strict=True))
    sentences = Sentence("Wren takes 60 kg.", (7,), True), Sentence("Otter takes 100 kg.", (3,), True)
    text = "Wren takes 60 kg [7]. Otter takes 100 kg [3, 7]. See `a[3]`."
    answered = AnswerResult("Q", "Q", text, False, (), "fake", cited, sentences, {}, {"total": 1.0}, hits)
    monkeypatch.setattr(ask, "answer", lambda *_: answered)
    shown = said("ask", "Q")
    assert "Wren takes 60 kg [1]. Otter takes 100 kg [2, 1]. See `a[3]`." in shown
    assert shown.index("[1] docs: guide.md:10-10\n    “Wren") < shown.index("[2] docs: guide.md:10-10\n    “Otter")


def test_a_question_that_is_too_long_is_wrong_use_and_ends_no_conversation(handbook, monkeypatch):
    with pytest.raises(CommandError, match="at most 8,000 characters") as refused:
        call_command("ask", "bike " * 2000)
    assert refused.value.returncode == 2
    monkeypatch.setattr("sys.stdin", Terminal(f"{'bike ' * 2000}\n{QUESTION}\n\n"))
    call_command("ask", stdout=(out := io.StringIO()), stderr=(err := io.StringIO()))
    assert "at most 8,000 characters" in err.getvalue() and "three days" in out.getvalue()


def test_each_line_of_a_pipe_is_asked_and_what_could_not_be_is_told_in_its_place(handbook, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"\n{QUESTION}\n{'bike ' * 2000}\n\n{QUESTION}"))
    with pytest.raises(CommandError, match="could not be asked: 1") as failed:
        call_command("ask", "--json", stdout=(out := io.StringIO()), stderr=(err := io.StringIO()))
    first, long, last = map(json.loads, out.getvalue().splitlines())
    assert first["question"] == last["question"] == QUESTION and "three days" in last["answer"]
    assert long == {"question": ("bike " * 2000).strip(), "error": "a question has at most 8,000 characters"}
    assert failed.value.returncode == 1 and err.getvalue().strip() == long["error"]


def test_a_refusal_names_the_nearest_sections_and_no_model(handbook):
    shown = said("ask", "What does the ferry to the moon cost?")
    assert "\nNearest in the documents:\n    How long you can borrow a bike (handbook: lending.rst:" in shown
    assert re.search(r"\(handbook: lending.rst:\d+\)\n {8}“.*three days.*”\n {4}\w", shown)
    assert re.fullmatch(r"[\d.]+ s", shown.splitlines()[-1])


def test_what_is_quoted_is_said_to_be_written_by_no_model(handbook, monkeypatch):
    monkeypatch.setattr(drafting, "chat_endpoint", away)
    assert said("ask", QUESTION).splitlines()[-1].startswith(f"{QUOTED}, ")


@pytest.mark.parametrize(("kind", "asked"), [(Terminal, 0), (io.StringIO, 1)])
def test_a_prompt_on_a_terminal_says_how_to_leave_it_and_is_left_by_habit(handbook, monkeypatch, kind, asked):
    stdin = kind("exit\n\n")
    monkeypatch.setattr("sys.stdin", stdin)
    call_command("search", stdout=(out := io.StringIO()), stderr=(err := io.StringIO()))
    assert err.getvalue() == ("An empty line or Ctrl-D ends it.\nsearch> " if stdin.isatty() else "")
    assert out.getvalue().count("hits in") == asked


def test_hits_are_printed_as_the_page_shows_them(indexed):
    indexed("shelf", {"a.md": "# Tools\n\n| Tool | Days |\n|---|---|\n| Saw | 3 |\n\nAsk **first**.\n"})
    shown = said("search", "saw")
    assert "   Saw: Days 3. Ask first.\n" in shown and "|" not in shown


@pytest.mark.parametrize("command", ["search", "ask", "tree"])
def test_blanks_are_wrong_use_and_no_search(handbook, command):
    with pytest.raises(CommandError, match="nothing is asked") as refused:
        call_command(command, "  ")
    assert refused.value.returncode == 2


@pytest.mark.parametrize("name", ["nobody", ""])
def test_the_protocol_is_not_spoken_for_a_user_who_is_not_there(db, name):
    with pytest.raises(CommandError, match=f"no active user “{name}”"):
        call_command("mcp", "--user", name)
