"""Summaries: written once by a model where there is one, never in the way of a build, found beside the text."""

import time
from collections.abc import Callable, Iterator

import pytest

from ingestion.collecting import collect
from ingestion.summaries import extract, stage, writing
from knowledge.endpoints import ChatEndpoint, EndpointError, connection
from knowledge.models import Embedding, JobEvent, LeaseLost, SectionSummary
from retrieval import vector
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.conftest import reindex, write
from tests.stub_server import Stub

LONG = (
    "Readers borrow books for four weeks. A loan may be renewed twice unless somebody else has reserved the book. "
    "Whoever returns a book late pays ten cents for each day. Lost books are replaced by their borrowers. "
    "The desk is open from nine to five on weekdays, and from ten to two on Saturdays. Dogs wait outside, "
    "in any weather, near the fountain. The reading room closes an hour before the desk does, "
    "because the lamps are old and weak. "
    "Members of the society may bring a guest on the first Sunday of a month.\n"
)
FILES = {
    "lending.md": f"# Lending\n\n{LONG}\n## Short\n\nNothing to say.\n",
    "tides.md": "# Tides\n\nThe tide rises twice.\n",
}


def said(text: str) -> bytes:
    """A reply as a chat server streams it."""
    chunk = '{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[%s]}'
    pieces = [f'{{"index":0,"delta":{{"content":"{text}"}}}}', '{"index":0,"delta":{},"finish_reason":"stop"}']
    return "".join(f"data: {chunk % piece}\n\n" for piece in pieces).encode() + b"data: [DONE]\n\n"


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    stub.answer["/v1/chat/completions"] = lambda _: (200, said("Late books cost ten cents a day."))
    yield stub
    stub.close()


@pytest.fixture
def model(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> Stub:
    """The summary endpoint, and it alone, is a server."""
    address = connection.Address(stub.url, "key", "m", embedded=False)
    monkeypatch.setattr(stage, "chat_endpoint", lambda role: ChatEndpoint(connection.Connection(role, address)))
    use_model(monkeypatch, "section_v1/m")
    return stub


def use_model(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr("ingestion.profile.method_of", lambda library, _: method if library.summaries else "")


@pytest.fixture
def library(make_library: Callable):
    return make_library("library", FILES, summaries=True)


def asked(stub: Stub) -> int:
    return sum(path == "/v1/chat/completions" for path, _ in stub.calls)


def methods() -> list[str]:
    return list(SectionSummary.objects.order_by("pk").values_list("method", flat=True))


def test_they_are_off_unless_somebody_switches_them_on(indexed):
    library = indexed("library", FILES)
    assert not SectionSummary.objects.exists() and "summaries" not in library.active_snapshot.profile.settings


def test_without_an_endpoint_a_section_is_summarised_by_its_own_sentences(library):
    report = reindex(library)
    summary = SectionSummary.objects.get()

    assert report.summaries["extracted"] == 1 and summary.method == extract.VERSION
    assert all(sentence.rstrip(".") in LONG for sentence in summary.text.split(". "))
    assert Embedding.objects.filter(content_hash=summary.content_hash).count() == 1
    assert library.active_snapshot.summaries_through == summary.pk


def test_the_model_is_asked_once_for_a_text_whatever_happens_to_its_file(library, documents, model):
    assert reindex(library).summaries["written"] == 1 and asked(model) == 1
    assert reindex(library).summaries["written"] == 0
    write(documents / "library", {"lending.md": FILES["lending.md"].replace("Nothing to say", "Something to say")})
    (documents / "library/tides.md").unlink()
    report = reindex(library)

    assert report.summaries["reused"] == 1 and asked(model) == 1 and methods() == ["section_v1/m"] * 2


def test_another_prompt_or_model_summarises_anew(library, model, monkeypatch):
    reindex(library)
    use_model(monkeypatch, "section_v2/m")
    reindex(library, full=True)

    assert asked(model) == 2 and methods() == ["section_v1/m", "section_v2/m"]


def test_a_failing_model_leaves_extracts_and_a_counted_warning(library, model):
    model.answer["/v1/chat/completions"] = lambda _: (500, {"error": {"message": "broken"}})
    report = reindex(library)

    assert report.active and report.summaries["failed"] == 1 and methods() == [extract.VERSION]
    assert "1 sections have extracts" in JobEvent.objects.get(level="warning").message
    model.answer["/v1/chat/completions"] = lambda _: (200, said("Late books."))
    assert reindex(library, force=True).summaries["written"] == 1


def test_an_endpoint_that_cannot_be_opened_fails_no_build(library, model, monkeypatch):
    def refuse(role: str) -> None:
        raise EndpointError(role, "is off")

    monkeypatch.setattr(stage, "chat_endpoint", refuse)
    assert reindex(library).active and methods() == [extract.VERSION]


def test_a_model_that_hangs_is_given_up(make_library, model, monkeypatch):
    """Ten sections, and three of them wait: for as long as one may take, not for as long as the server likes."""
    monkeypatch.setattr(writing, "SECONDS", 0.2)
    model.answer["/v1/chat/completions"] = lambda _: time.sleep(1) or (200, said("Too late."))
    text = "".join(f"# Part {number}\n\n{LONG}\n" for number in range(10))
    report = reindex(make_library("hung", {"a.md": text}, summaries=True))

    assert report.summaries["failed"] == 10 and asked(model) <= 6 and methods() == [extract.VERSION] * 10


def test_a_killed_build_goes_on_where_it_stopped(make_library, model, monkeypatch):
    text = "".join(f"# Part {number}\n\n{LONG}\n" for number in range(6))
    library = make_library("killed", {"a.md": text}, summaries=True)
    answers = iter(range(100))

    def die_at_the_fourth(_: object) -> tuple[int, bytes]:
        if next(answers) == 3:
            raise_in_build.append(True)
        return 200, said("Late books.")

    raise_in_build: list[bool] = []
    write_one = writing.Writer.write

    def killed(self: writing.Writer, titles: list[str], source: str) -> str | None:
        found = write_one(self, titles, source)
        if raise_in_build:
            raise_in_build.clear()
            raise LeaseLost("killed")
        return found

    model.answer["/v1/chat/completions"] = die_at_the_fourth
    monkeypatch.setattr(writing.Writer, "write", killed)
    with pytest.raises(LeaseLost):
        reindex(library)
    assert len(methods()) == 3
    assert reindex(library).summaries["written"] == 3 and asked(model) == 7


def test_what_is_found_by_its_summary_is_quoted_from_its_text(library, model):
    question = "zebra"
    reindex(library)
    before = search(None, question, SearchOptions(mode="vector")).hits
    model.answer["/v1/chat/completions"] = lambda _: (200, said("Zebra books for late readers."))
    SectionSummary.objects.all().delete()
    reindex(library, force=True)
    after = search(None, question, SearchOptions(mode="vector")).hits

    score = {hit.source_file: hit.scores["vector"] for hit in before}
    assert after[0].source_file == "lending.md" and after[0].scores["vector"] > score["lending.md"] + 0.1
    assert after[0].text == LONG.strip() and "zebra" not in after[0].text + after[0].preview_text


def test_later_summaries_do_not_change_a_sealed_snapshot(library, model, monkeypatch):
    monkeypatch.setattr(stage, "open_writer", lambda: None)
    first = reindex(library)
    monkeypatch.undo()
    address = connection.Address(model.url, "key", "m", embedded=False)
    monkeypatch.setattr(stage, "chat_endpoint", lambda role: ChatEndpoint(connection.Connection(role, address)))
    use_model(monkeypatch, "section_v1/m")

    def scores() -> list[float | None]:
        options = SearchOptions(("library",), mode="vector", snapshot=first.snapshot, remembered=False)
        return [hit.scores["vector"] for hit in search(None, "ten cents", options).hits]

    before = scores()
    reindex(library, force=True)
    vector.summaries._summaries.clear()
    assert scores() == before and methods() == [extract.VERSION, "section_v1/m"]


@pytest.mark.parametrize("text", ["", "x", "١٢٣ " * 500, "語" * 5_000, "a" * 100_000, "- \n" * 1_000, "``" * 999])
def test_any_text_has_an_extract_of_bounded_length(text):
    assert len(extract.WORD.findall(extract.extract(["A"], text))) <= extract.MOST_WORDS


def test_an_extract_has_the_sentences_that_say_most_in_their_order():
    found = extract.extract(["Lending", "Late books"], LONG, most_words=30)
    assert "late pays ten cents" in found and "Dogs" not in found
    assert found == extract.extract(["Lending", "Late books"], LONG, most_words=30)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Books are lent. A late one costs 3.5 cents a", "Books are lent."),
        ("本を借りられますか？遅れると", "本を借りられますか？"),
        ("किताबें मिलती हैं। देर से", "किताबें मिलती हैं।"),
        ("Books are", "Books are"),
    ],
)
def test_a_summary_that_was_cut_ends_with_its_last_whole_sentence(text, whole):
    assert writing.whole_sentences(text, was_cut=True) == whole
    assert writing.whole_sentences(text, was_cut=False) == text


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("Late books cost ten cents a day.", True),
        ("", False),
        ("This section is about a section of a catalogue.", False),
        ("Lending – Lending – Lending – Lending – Lending – books", False),
    ],
)
def test_what_a_section_does_not_bear_out_is_no_summary(summary, expected):
    assert writing.is_borne_out(summary, ["Lending", LONG]) is expected


CHINESE = (
    "读者可以借书四周。如果没有其他人预约，借期可以续借两次。逾期归还图书的人每天支付十分钱。"
    "遗失的图书由借阅者赔偿。服务台在工作日九点至五点开放，星期六十点至两点开放。狗在外面的喷泉旁等候。"
)
JAPANESE = (
    "利用者は本を四週間借りることができます。予約がなければ、貸出は二回まで延長できます。"
    "返却が遅れた場合は、一日につき十円の延滞料を支払います。紛失した本は借りた人が弁償します。"
)
THAI = "ผู้อ่านยืมหนังสือได้สี่สัปดาห์ หากไม่มีผู้อื่นจองไว้ สามารถต่ออายุการยืมได้สองครั้ง ผู้ที่คืนหนังสือล่าช้าต้องจ่ายค่าปรับวันละสิบเซ็นต์"


@pytest.mark.parametrize(
    ("text", "borne_out", "invented"),
    [
        (CHINESE, "图书可以借四周，逾期每天支付十分钱。", "这一部分介绍了火车时刻表和车票价格。"),
        (
            JAPANESE,
            "本は四週間借りられ、返却が遅れると一日十円の延滞料がかかります。",
            "列車の時刻表と切符の値段についての説明です。",
        ),
        (THAI, "ยืมหนังสือได้สี่สัปดาห์ คืนล่าช้าจ่ายค่าปรับวันละสิบเซ็นต์", "ตารางเวลารถไฟและราคาตั๋วโดยสารระหว่างเมือง"),
    ],
)
def test_a_section_in_a_script_without_spaces_has_summaries(text, borne_out, invented):
    found = extract.extract(["借书"], text * 2 + "\n\n# " + text)
    assert len(found) > 50 and all(piece in text for piece in found.split(" "))
    assert writing.is_borne_out(borne_out, [text]) and not writing.is_borne_out(invented, [text])


def test_a_model_that_makes_things_up_leaves_extracts_and_is_still_asked(make_library, model):
    model.answer["/v1/chat/completions"] = lambda _: (200, said("A catalogue entry."))
    text = "".join(f"# Part {number}\n\n{LONG}\n" for number in range(5))
    report = reindex(make_library("odd", {"a.md": text}, summaries=True))
    assert (
        report.summaries["failed"] == asked(model) == 5
        and "does not say" in JobEvent.objects.get(level="warning").message
    )


def test_vectors_of_summaries_are_not_collected_while_a_snapshot_has_them(library):
    reindex(library)
    collect()
    assert Embedding.objects.filter(content_hash=SectionSummary.objects.get().content_hash).exists()
