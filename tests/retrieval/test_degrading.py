"""A database that does not answer in time makes a search poorer, never an error."""

import pytest
from django.db import OperationalError, connection

from knowledge.models import Answer, QueryCount
from retrieval import lexical, query_vector
from retrieval import search as searching
from retrieval.answering.phrases import IN
from retrieval.answering.pipeline import answer
from retrieval.filtering import masks
from retrieval.query_logging import note_search
from retrieval.results import SearchOptions
from retrieval.search import search

FILES = {"tides.md": "# Tides\n\nThe tide rises twice a day because of the moon.\n"}
STAGES = [(masks, "allowed"), (searching, "load")]
WORDS = [(lexical, "scores"), (searching, "corrections")]


def sleep(*_, **__):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)")


def gone(*_, **__):
    raise OperationalError("the connection is lost")


@pytest.fixture
def library(indexed):
    return indexed("handbook", FILES)


@pytest.mark.parametrize(("module", "stage"), STAGES)
def test_what_takes_too_long_is_broken_off_and_said(library, monkeypatch, module, stage):
    monkeypatch.setattr(module, stage, sleep)
    result = search(None, '"tide rises" -bread', SearchOptions())

    assert result.degraded == ("timeout",) and result.hits == () and result.understood.phrases == ("tide rises",)
    monkeypatch.undo()
    query_vector.forget()
    assert search(None, "moon", SearchOptions(mode="lexical")).hits


@pytest.mark.parametrize(("module", "stage"), WORDS)
def test_words_that_take_too_long_leave_what_is_near_in_meaning(library, monkeypatch, module, stage):
    near = search(None, '"tide rises" -bread', SearchOptions(mode="vector")).hits
    monkeypatch.setattr(module, stage, sleep)
    result = search(None, '"tide rises" -bread', SearchOptions())

    assert result.degraded == ("timeout",) and result.hits == near != ()
    alone = search(None, '"tide rises" -bread', SearchOptions(mode="lexical"))
    assert alone.degraded == ("timeout",) and alone.hits == ()


def test_by_meaning_alone_a_mode_is_still_itself(indexed, monkeypatch):
    prose = "# Tides\n\n" + "\n\n".join(f"The tide {n} rises twice a day because of the moon. " * 30 for n in range(4))
    indexed("harbour", {"tides.md": prose, "tide.py": 'def tide():\n    """The tide rises."""\n    return 2\n'})
    monkeypatch.setattr(lexical, "look_up", sleep)
    code = search(None, "the tide rises", SearchOptions(mode="code", remembered=False))
    tree = search(None, "the tide rises", SearchOptions(mode="tree", remembered=False))
    assert code.degraded == tree.degraded == ("timeout",)
    assert {hit.source_file for hit in code.hits} == {"tide.py"}
    sections = [(hit.source_file, hit.section_anchor) for hit in tree.hits]
    assert sections and len(sections) == len(set(sections))


@pytest.mark.parametrize("mode", ["hybrid", "vector", "tree"])
def test_with_vectors_of_another_model_words_find_and_no_score_is_made_up(library, settings, mode):
    settings.AI_TEST_MODE = not settings.AI_TEST_MODE
    query_vector.forget()
    result = search(None, "tide", SearchOptions(mode=mode, remembered=False))
    assert result.degraded == ("embedding",) and result.hits
    assert all(hit.scores["vector"] is None and hit.scores["lexical"] > 0 for hit in result.hits)
    query_vector.forget()


def test_what_no_branch_found_has_no_score(indexed):
    indexed("handbook", FILES | {"bread.md": "# Bread\n\nIt is baked at night.\n"})
    hits = {hit.source_file: hit for hit in search(None, "tide").hits}
    assert hits["bread.md"].ranks["lexical"] is hits["bread.md"].scores["lexical"] is None
    assert hits["tides.md"].scores["lexical"] > 0


def test_a_search_that_ends_empty_is_counted_as_degraded(library, monkeypatch):
    monkeypatch.setattr(lexical, "look_up", sleep)
    result = search(None, "tide", SearchOptions(mode="lexical"))
    note_search(None, result)

    assert result.degraded == ("timeout",) and result.hits == ()
    assert [(one.slug, one.snapshot) for one in result.libraries] == [("handbook", 1)]
    assert QueryCount.objects.get(library=library).degraded == 1


def test_a_lost_database_is_said(library, monkeypatch):
    monkeypatch.setattr(searching, "one_read", gone)

    assert search(None, "tide").degraded == ("database",)


@pytest.mark.parametrize(
    ("fault", "name", "question"),
    [(gone, "database", "When does the tide rise?"), (sleep, "timeout", "Wann steigt das Wasser im Hafen?")],
)
def test_an_answer_says_that_nothing_was_searched_and_blames_no_document(library, monkeypatch, fault, name, question):
    monkeypatch.setattr(searching, "load", fault)
    told = answer(None, question)

    assert (told.answer, told.degraded) == (IN["en" if fault is gone else "de"].not_searched, (name,))
    assert Answer.objects.get().text == told.answer
    counted = QueryCount.objects.get(library=library)
    assert (counted.questions, counted.refused, counted.degraded) == (1, 0, 1)


@pytest.mark.parametrize(
    ("address", "method"),
    [("/search?q=tide", "get"), ("/api/v1/search?q=tide", "get"), ("/api/v1/ask", "post"), ("/chat", "post")],
)
def test_no_page_breaks(library, client, monkeypatch, address, method):
    monkeypatch.setattr(lexical, "scores", sleep)
    body = {"q" if address == "/chat" else "question": "Does the tide rise?"}
    response = getattr(client, method)(address, **({"data": body} if method == "post" else {}), follow=True)

    assert response.status_code == 200
    page = response.content.decode()
    assert "took too long" in page or "timeout" in page
    assert "No passage matches" not in page and "nothing to search" not in page
