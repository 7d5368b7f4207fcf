import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from knowledge.golden import Gold, Question
from knowledge.models import Answer, Chunk, Conversation, DocumentFile, GoldenQuestion, Library
from retrieval.answering import ledger
from retrieval.results import AnswerResult, Citation, Sentence
from retrieval.search import search
from tests.web.asking import QUESTION


def ask(client: Client, question: str = QUESTION) -> str:
    response = client.post("/chat", {"q": question})
    assert response.status_code == 302
    return response.headers["Location"].partition("#")[0]


def test_without_javascript_the_answer_comes_whole_and_has_an_address(client, handbook):
    address = ask(client)
    page = client.get(address).content.decode()
    assert "up to three days" in page and QUESTION in page
    assert 'href="/read/handbook/lending.rst?snapshot=1&amp;lines=10-10#L10"' in page
    assert "word for word in the file" in page and "lending.rst:10" in page


def test_the_question_can_come_with_the_address(client, handbook):
    assert ">borrow &lt;b&gt;</textarea>" in client.get("/chat?q=borrow+<b>").content.decode()


def offered(client: Client, address: str = "/chat") -> list[str]:
    return re.findall(r'<li><a href="(\?[^"]*q=[^"]*)">', client.get(address).content.decode())


def test_who_does_not_know_what_to_ask_is_offered_golden_questions(client, handbook, board):
    def take(library: Library, file: str, *texts: str) -> None:
        GoldenQuestion.objects.take(library, [Question(text, text, (Gold(file),)) for text in texts], None)

    assert offered(client) == []
    take(board, "board.md", "Which bike?")
    take(handbook, "nowhere.md", "Where is it?")
    take(handbook, "lending.rst", "Until when?", "How long?", "How much?", "What else?")
    GoldenQuestion.objects.filter(text="How long?").update(active=False)
    asked = ["?q=Until+when%3F", "?q=How+much%3F", "?q=What+else%3F"]
    assert offered(client) == asked
    assert ">Until when?</textarea>" in client.get(f"/chat{asked[0]}").content.decode()
    assert offered(client, f"/chat{asked[0]}") == []
    assert offered(client, "/chat?library=handbook&page=2")[0] == "?library=handbook&amp;q=Until+when%3F"
    assert offered(client, "/chat?library=board") == []
    DocumentFile.objects.filter(path="lending.rst").update(withdrawn_at=timezone.now())
    assert offered(client) == []


def test_what_somebody_searched_for_is_offered_to_nobody(client, handbook):
    GoldenQuestion.objects.keep(Chunk.objects.first(), "Did Maria report the theft?", None)
    assert GoldenQuestion.objects.get().active and offered(client) == []


def test_an_empty_question_is_refused_in_words(client, handbook):
    response = client.post("/chat", {"q": " "})
    assert response.status_code == 400 and "Write a question first." in response.content.decode()


def test_asking_needs_a_token_of_this_site(handbook):
    assert Client(enforce_csrf_checks=True).post("/chat", {"q": QUESTION}).status_code == 403


def test_what_the_documents_do_not_say_is_refused_and_points_at_the_nearest_sections(client, handbook):
    page = client.get(ask(client, "Who painted the ceiling of the Sistine Chapel?")).content.decode()
    assert "answers only from the documents" in page and "word for word in the file" not in page
    [search] = re.findall(r'<a href="(/search\?[^"]*)">Search for these words</a>', page)
    assert "Sistine Chapel?" in client.get(search.replace("&amp;", "&")).content.decode()


def test_the_nearest_sections_are_quoted_where_they_have_the_questions_words(client, indexed):
    boats = ("Signe", "Ragnhild", "Tove")
    rows = [f"| {boat} | blue | {'steel hull and a wooden mast ' * 8}|" for boat in boats]
    indexed("fleet", {"fleet.md": "\n".join(["# Boats", "", "| Boat | Paint | Remark |", "|---|---|---|", *rows, ""])})
    page = client.get(ask(client, "Who chose the paint of the Tove?")).content.decode()
    quoted = re.findall(r"<blockquote[^>]*>([^<]*)</blockquote>", page)
    assert "answers only from the documents" in page and quoted[0].startswith("Tove: Paint blue")


def test_what_was_pasted_is_no_search(client, handbook):
    asked = "Who painted the ceiling of the Sistine Chapel, " * 10 + "and when?"
    assert "Search for these words" not in client.get(ask(client, asked)).content.decode()


def test_every_answer_is_written_down_with_its_sources(signed_in, reader, handbook):
    ask(signed_in)
    row = Answer.objects.get()
    citation = row.citations.get()
    assert row.asked_by == reader and row.snapshots == [["handbook", 1]] and row.prompt_hash
    assert row.weighed["strength"] > 0 and row.weighed["quotations"] == []  # its own words stood up to the check
    assert citation.quote in citation.chunk.text and citation.file_version == citation.chunk.file_version
    assert citation.chunk_id in row.passages


def test_an_answer_is_its_askers_and_no_administrators(client, signed_in, as_superuser, handbook):
    mine, anonymous = ask(signed_in), ask(client)
    assert [someone.get(mine).status_code for someone in (signed_in, as_superuser, client)] == [200, 404, 404]
    assert [someone.get(anonymous).status_code for someone in (client, as_superuser, signed_in)] == [200, 404, 404]
    assert Client().get(anonymous).status_code == 404
    assert client.get("/chat/999999999").status_code == client.get(f"/chat/{'9' * 30}").status_code == 404


def test_no_answer_uses_a_library_that_the_asker_may_not_read(signed_in, board, handbook):
    page = signed_in.get(ask(signed_in, "Which bike did the secret ballot choose?")).content.decode()
    assert "purple" not in page and "board.md" not in page
    assert signed_in.post("/chat", {"q": "ballot", "library": "board"}).status_code == 400


def test_what_was_withdrawn_since_is_withheld(signed_in, handbook):
    address = ask(signed_in)
    DocumentFile.objects.filter(path="lending.rst").update(withdrawn_at=timezone.now())
    page = signed_in.get(address).content.decode()
    assert "three days" not in page and "not open to you any more" in page


def test_what_is_not_open_any_more_is_withheld(signed_in, reader, board):
    reader.groups.add(board.groups.get())
    address = ask(signed_in, "Which bike did the secret ballot choose?")
    assert "purple" in signed_in.get(address).content.decode()
    reader.groups.clear()
    assert "purple" not in signed_in.get(address).content.decode()


@pytest.fixture
def told(reader, handbook):
    """An answer with two paragraphs, a list, a sentence that nothing bears out, and markup in it."""
    (hit,) = search(reader, "how long borrow").hits[:1]
    text = f"You can borrow it. [1] <script>alert(1)</script> is free.\n\n- {hit.text} [1]\n- Twice."
    sentences = (
        Sentence("You can borrow it.", (1,), True),
        Sentence("<script>alert(1)</script> is free.", (), False),
        Sentence(f"- {hit.text}", (1,), True),
        Sentence("- Twice.", (), False),
    )
    citations = (Citation(1, hit.text, True, hit.line_start, hit.line_end, hit),)
    answer = AnswerResult(
        "Q <b>?", "q", text, False, ("chat",), "a-model", citations, sentences, {}, {"total": 1.0}, (hit,)
    )
    return ledger.record(reader, answer)


def test_a_row_of_a_long_table_is_drawn_below_the_heads_that_its_passage_lacks(signed_in, reader, indexed):
    rows = "\n".join(f"Person {n},Office {n % 7},{2000 + n}" for n in range(300))
    indexed("staff", {"phones.csv": f"Name,Office,Extension\n{rows}\n"})
    (hit,) = [hit for hit in search(reader, "Person 250").hits if "Person 250 |" in hit.text][:1]
    row = "Person 250 | Office 5 | 2250"
    assert hit.context == "Name | Office | Extension" and "Name" not in hit.text
    citation = Citation(1, row, True, hit.line_start, hit.line_end, hit)
    said = (Sentence(row, (1,), True),)
    answer = AnswerResult("Q", "Q", f"{row} [1]", False, (), "extract", (citation,), said, {}, {"total": 1.0}, (hit,))
    page = signed_in.get(f"/chat/{ledger.record(reader, answer).pk}").content.decode()
    assert '<th scope="col">Extension</th>' in page and "<td>2250</td>" in page
    assert "Person 250: Office Office 5, Extension 2250." in page  # on the card of the source


def test_sentences_stand_in_their_paragraphs_and_the_unsupported_ones_are_marked(signed_in, told):
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert page.count('<p class="item">') == 2
    assert page.count('<span class="unsupported">') == 3  # two sentences, and the legend
    assert "a-model" in page and "The chat model gave no answer" in page


def test_a_refusal_is_muniments_own_and_names_no_model(signed_in, told):
    Answer.objects.filter(pk=told.pk).update(refused=True, sentences=[])
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert "a-model" not in page and "answers only from the documents" in page


def test_a_sentence_of_muniments_own_stands_before_what_it_quotes(signed_in, reader, told):
    text = "From the documents:\n\nOne thing. And its reason. [1]\n\nAnother. [1]"
    sentences = [
        {"text": said, "citations": [1], "supported": True} for said in ("One thing. And its reason.", "Another.")
    ]
    Answer.objects.filter(pk=told.pk).update(text=text, sentences=sentences)
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert page.count("One thing") == 1 and page.count('<span class="supported">') == 3


def test_sources_are_numbered_as_they_appear_and_the_ledger_keeps_its_numbers(signed_in, told):
    citation = told.citations.get()
    told.citations.update(n=5)
    for n in (7, 2):
        citation.pk, citation.n = None, n
        citation.save()
    cited = (("One.", [5]), ("Two.", [2, 5]))
    sentences = [{"text": text, "citations": numbers, "supported": True} for text, numbers in cited]
    Answer.objects.filter(pk=told.pk).update(text="One. [5] Two. [2] [5]", sentences=sentences)
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert re.findall(r'aria-label="Source (\d+):[^>]*>(\d+)</a>', page) == [("1", "1"), ("2", "2"), ("1", "1")]
    assert re.findall(r'<li class="source"[^>]* data-n="(\d+)"', page) == ["1", "2", "3"]
    assert sorted(told.citations.values_list("n", flat=True)) == [2, 5, 7]


def test_every_citation_is_described_by_a_card_of_its_own(signed_in, told):
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    cards = re.findall(r'<span class="card" id="(\w[\w-]*)"', page)
    assert len(set(cards)) == 2 and cards == re.findall(r'aria-describedby="([^"]*)"', page)


def test_a_quotation_with_notes_of_its_own_is_laid_out(signed_in, told):
    text = "From the documents:\n\nOne thing [12] and more. [1]\n\nAnother. [1]"
    sentences = [
        {"text": said, "citations": [1], "supported": True} for said in ("One thing [12] and more.", "Another.")
    ]
    Answer.objects.filter(pk=told.pk).update(text=text, sentences=sentences)
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert page.count("From the documents:") == 1 and page.count('<p><span class="supported">') == 3


def test_what_claims_nothing_is_not_marked(signed_in, told):
    sentences = [{"text": said, "citations": [], "supported": False} for said in ("Do this:", "Source：", "")]
    Answer.objects.filter(pk=told.pk).update(text="Do this: Source： [1]", sentences=sentences)
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert "Do this:" in page and "unsupported" not in page and "no source bears this out" not in page


def test_code_is_set_as_code(signed_in, told):
    text = "Do this:\n\n```py\nx = 1\n\ny = 2\n```"
    said = ("Do this:", "```py\nx = 1\n\ny = 2\n```")
    sentences = [{"text": one, "citations": [], "supported": True} for one in said]
    Answer.objects.filter(pk=told.pk).update(text=text, sentences=sentences)
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert '<pre><span class="supported">x = 1\n\ny = 2</span>' in page and "```" not in page


def test_a_sentence_that_begins_with_ticks_is_no_listing(signed_in, told):
    said = "```npm install``` installs it."
    Answer.objects.filter(pk=told.pk).update(text=said, sentences=[{"text": said, "citations": [], "supported": True}])
    assert "installs it.</span>" in signed_in.get(f"/chat/{told.pk}").content.decode()


@pytest.fixture
def quoting(reader, indexed):
    """An extract: the ledger has it on one line, its source as it stands in the file."""

    def quote(document: str, path: str = "guide.rst", begin: str = "") -> str:
        indexed("guide", {path: document})
        (hit,) = search(reader, "bring a bike back").hits[:1]
        quote = hit.text[hit.text.index(begin) :]
        said = Sentence(" ".join(quote.split()), (1,), True)
        citations = (Citation(1, quote, True, hit.line_start, hit.line_end, hit),)
        answer = AnswerResult("Q?", "q", said.text, False, (), "extract", citations, (said,), {}, {}, (hit,))
        return f"/chat/{ledger.record(reader, answer).pk}"

    return quote


def test_a_quotation_is_shown_without_markup_and_as_it_stands_in_the_file(signed_in, quoting):
    text = "See :ref:`bring a bike back <returning>`,\nand ``late_charge``. <b>"
    page = signed_in.get(quoting(f"Returning\n=========\n\n{text}\n")).content.decode()
    read = "See bring a bike back, and late_charge. &lt;b&gt;"
    assert f"{read}</span>" in page and f"{read}</blockquote>" in page and f"{read}</q>" in page
    exact = text.replace("<", "&lt;").replace(">", "&gt;")
    assert "As it stands in the file" in page and f"{exact}</pre>" in page
    assert Answer.objects.get().citations.get().quote.endswith(text)


def test_stars_of_a_web_page_are_shown_as_they_stand(signed_in, quoting):
    text = r"To bring a bike back look in C:\_old\* for \*\.log and *all* else."
    page = signed_in.get(quoting(f"<p>{text}</p>", begin="To", path="a.html")).content.decode()
    assert f"{text}</blockquote>" in page and f"{text}</span>" in page and "word for word in the file</span>" in page


def test_a_quotation_that_begins_within_a_line_has_no_word_or_mark_of_ours(signed_in, quoting):
    text = "Steward\n   Of the yard. Says whether to bring a bike back out of\n   service, or not.\n"
    page = signed_in.get(quoting(text, begin="Says")).content.decode()
    assert "Says whether to bring a bike back out of service, or not.</blockquote>" in page and "of:" not in page


def test_a_quotation_claims_to_stand_in_the_file_and_not_to_answer(signed_in, quoting, told):
    said = "quoted from the documents, not written by a model: check that it answers your question"
    page = signed_in.get(quoting("Bring a bike back.\n")).content.decode()
    assert said in page and "word for word in the file</span>" in page
    assert re.search(r'aria-label="Source 1: \S+, line \d+"', page)
    assert said not in signed_in.get(f"/chat/{told.pk}").content.decode()


def test_a_table_told_row_by_row_is_not_said_to_be_word_for_word(signed_in, quoting):
    page = signed_in.get(quoting("| Bike | Load |\n|---|---|\n| Otter | 100 kg |\n")).content.decode()
    assert "Otter: Load 100 kg.</blockquote>" in page and "its words stand in the file</span>" in page


def test_the_items_of_a_quotation_are_items(signed_in, quoting):
    page = signed_in.get(
        quoting("Bring a bike back:\n\n1. Open the gate.\n2. Close *both*\n   locks.\n\n* Done.\n")
    ).content.decode()
    assert '<p class="item" data-number="2."><span class="supported">Close both locks.</span>' in page
    assert page.count('<p class="item"') == 3 and page.count('<a class="chip') == 1


def test_markup_that_a_document_writes_about_is_no_markup(signed_in, quoting):
    page = signed_in.get(
        quoting("Bring a bike ``**back**``.\n\n* It takes ``*args*``.\n* And ``:ref:`x```.\n")
    ).content.decode()
    for said in ("Bring a bike **back**.", "It takes *args*.", "And :ref:`x`."):
        assert f'<span class="supported">{said}</span>' in page


def test_a_quoted_table_is_drawn_with_its_source_behind_it(signed_in, quoting):
    table = "| Bike | Bring it back |\n|---|---|\n| Otter | by *nine* |\n| <b>Heron</b> | never |\n"
    page = signed_in.get(quoting(f"Bring a bike back:\n\n{table}\nOr keep it.\n", "a.md")).content.decode()
    assert '<th scope="col">Bike</th><th scope="col">Bring it back</th>' in page
    assert '<th scope="row">Otter</th><td>by nine</td>' in page and '<span class="supported">Or keep it.</span>' in page
    assert '<th scope="row">Heron</th>' in page and "<b>Heron" not in page
    assert '<div class="drawn quoted" dir="auto"' in page
    assert page.count('<a class="chip') == 1 and page.index("<table>") < page.index('<a class="chip')


def test_a_quoted_table_of_two_columns_is_drawn_though_nothing_names_them(signed_in, quoting):
    page = signed_in.get(quoting("Bring a bike back,by\nOtter,nine\nHeron,ten\n", "a.csv")).content.decode()
    drawn = page.partition("drawn quoted")[2].partition("</table>")[0]
    assert '<th scope="row">Otter</th><td>nine</td>' in drawn and drawn.count("<tr>") == 3 and "<thead>" not in drawn


def test_what_follows_a_listing_is_no_part_of_it(signed_in, quoting):
    page = signed_in.get(
        quoting("```text\nE07  bring back\n```\n\nWhoever lifts a bike shifts the magnet.\n", "a.md")
    ).content.decode()
    assert '<pre><span class="supported">E07  bring back</span>' in page
    assert '<span class="supported">Whoever lifts a bike shifts the magnet.</span>' in page and "```</span>" not in page


def test_a_quoted_program_stands_as_it_is(signed_in, quoting):
    code = "def bring(bike):\n    return bike * 2 ** back  # **never** less\n"
    page = signed_in.get(quoting(code, "back.py")).content.decode()
    assert f'<pre><span class="supported">{code.strip()}</span>' in page and "As it stands in the file" not in page


def test_what_a_model_says_is_text_and_never_markup(signed_in, told):
    page = signed_in.get(f"/chat/{told.pk}").content.decode()
    assert "<script>alert" not in page and "Q <b>" not in page and "Q &lt;b&gt;?" in page


def test_an_answers_page_asks_few_questions(signed_in, told, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        signed_in.get(f"/chat/{told.pk}")


def test_a_conversation_of_many_answers_asks_no_more_questions_than_one_of_two(client, handbook, reader):
    client.force_login(reader)
    conversation, asked = "", {}
    for count in range(1, 7):
        question = QUESTION if count % 2 else "What does the moon weigh?"
        address = client.post("/chat", {"q": question, "conversation": conversation})["Location"].partition("#")[0]
        conversation = Answer.objects.latest("pk").conversation_id
        Answer.objects.filter(refused=False).update(standalone="For how long is a bike lent?")
        with CaptureQueriesContext(connection) as questions:
            assert client.get(address).content.decode().count('<article class="answer') == count
        asked[count] = len(questions)
    assert asked[6] == asked[2] <= 20


def test_the_libraries_that_were_searched_are_the_ones_that_are_ticked(client, indexed):
    for slug in ("manual", "manual-de", "notes"):
        indexed(slug, {"a.md": "# A\n\nText.\n"})
    page = client.get("/chat?library=manual-de&library=notes").content.decode()
    ticked = re.findall(r'<input[^>]*name="library"[^>]*>', page)
    assert [re.search(r'value="([^"]+)"', one)[1] for one in ticked if "checked" in one] == ["manual-de", "notes"]


def test_what_a_visitor_asked_is_theirs_after_they_signed_in(client, handbook, reader):
    where = client.post("/chat", {"q": "For how long is a bike lent?"})["Location"].partition("#")[0]
    client.post("/login", {"username": "reader", "password": "reader", "next": where})
    assert client.get(where).status_code == 200
    assert Conversation.objects.get().owner == reader


def test_a_library_that_cannot_be_asked_is_named_and_not_left_out_unsaid(client, handbook):
    """All the others would be asked instead."""
    Library.objects.create(slug="shelf", name="The shelf", kind="uploads", access="public")
    page = client.get("/chat?library=shelf").content.decode()
    assert "Nothing of “The shelf” can be searched yet." in page and "every library is asked" in page
    assert "There is no library “nowhere” that you may search." in client.get("/chat?library=nowhere").content.decode()
    assert "every library is asked" not in client.get("/chat?library=handbook").content.decode()
    refused = client.post("/chat", {"q": QUESTION, "library": "shelf"})
    assert refused.status_code == 400 and "Nothing of “The shelf” can be searched yet." in refused.content.decode()
    searched = client.get("/search?q=bike&library=shelf")
    assert searched.status_code == 400 and "Nothing of “The shelf” can be searched yet." in searched.content.decode()


def test_a_follow_up_says_that_the_library_of_its_conversation_cannot_be_asked_any_more(signed_in, handbook):
    address = signed_in.post("/chat", {"q": QUESTION, "library": "handbook"}).headers["Location"].partition("#")[0]
    assert "can be searched yet" not in signed_in.get(address).content.decode()
    Library.objects.update(active_snapshot=None)
    assert f"Nothing of “{handbook.name}” can be searched yet." in signed_in.get(address).content.decode()


def test_the_text_of_an_answer_is_marked_with_its_language_and_what_stands_around_it_is_english(client, indexed):
    indexed("haus", {"rad.md": "# Lastenrad\n\nDas Lastenrad wird für höchstens drei Tage verliehen.\n"})
    page = client.get(ask(client, "Für wie viele Tage wird das Lastenrad höchstens verliehen?")).content.decode()
    text = page.split('<div class="said">')[1].split('<p class="meta">')[0]
    assert re.search(r'<p lang="de">.*drei Tage', text, re.DOTALL)
    assert "word for word in the file" in page
    refused = client.get(ask(client, "Wer hat die Decke der Sixtinischen Kapelle gemalt?")).content.decode()
    assert '<p lang="de">' in refused and '<p class="legend">Muniment answers only' in refused


def test_of_documents_that_could_not_be_searched_it_is_not_said_that_only_they_answer(client, handbook):
    place = ask(client, "Who painted the ceiling of the Sistine Chapel?")
    Answer.objects.update(passages=[], degraded=["timeout"])
    page = client.get(place).content.decode()
    assert "broken off" in page and "Muniment answers only" not in page
