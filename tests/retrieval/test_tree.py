"""Down the tree: sections, each once, the better for what their files hold."""

import io
import json

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from retrieval import tree
from retrieval.results import SearchOptions
from retrieval.search import search

FILES = {
    "tides.md": "# Tides\n\nThe tide rises twice a day.\n\n## Neap tide\n\nA neap tide is weak.\n\n"
    "## Spring tide\n\nA spring tide is strong.\n",
    "bread.md": "# Bread\n\nLet the dough rise like a tide.\n",
    "long.md": "# Long\n\n"
    + "".join(f"Paragraph {n} is about the weak lever of a machine.\n\n" * 12 for n in range(40)),
}


def test_a_section_is_worth_more_where_its_file_answers_too():
    evidence = [(0, 0.5), (1, 0.51), (2, 0.4), (3, 0.4)]
    files = {0: 1, 2: 1, 3: 1, 1: 2}
    ranked = tree.ranked(evidence, {position: position for position in files}, files)
    assert [node.position for node in ranked[:2]] == [0, 1] and ranked[0].score == pytest.approx(0.5 + 0.1 * 0.3)


def test_a_section_is_found_once_by_its_best_chunk():
    ranked = tree.ranked([(0, 0.2), (1, 0.9), (2, 0.9)], {0: 7, 1: 7, 2: 7}, dict.fromkeys(range(3), 1))
    assert [(node.section, node.position) for node in ranked] == [(7, 1)]


@given(st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), unique_by=lambda one: one[0]))
def test_the_order_does_not_depend_on_the_order_of_what_it_is_made_of(evidence):
    sections, files = {p: p // 2 for p in range(31)}, {p: p // 6 for p in range(31)}
    ranked = tree.ranked(evidence, sections, files)
    assert ranked == tree.ranked(sorted(evidence, key=lambda one: -one[0]), sections, files)
    assert [node.score for node in ranked] == sorted((node.score for node in ranked), reverse=True)
    assert len({node.section for node in ranked}) == len(ranked) == len({sections[p] for p, _ in evidence})


def test_the_search_gives_sections_and_says_what_the_file_added(indexed):
    indexed("sea", FILES)
    hits = search(None, "weak tide", SearchOptions(mode="tree", explain=True, top_k=20)).hits

    assert hits[0].section_title == "Neap tide" and hits[0].ranks["vector"]
    assert len({(hit.source_file, hit.section_anchor) for hit in hits}) == len(hits)
    for hit in hits:
        parts = hit.explain.parts
        assert [part.branch for part in parts] == ["lexical", "vector", "tree"]
        assert sum(part.adds for part in parts) == pytest.approx(hit.scores["fused"])
    lost = search(None, "weak tide", SearchOptions(mode="tree", top_k=1, why_not="bread.md")).why_not
    assert lost[0].status == "below"


def test_without_a_vector_words_decide(indexed, monkeypatch):
    indexed("sea", FILES)
    monkeypatch.setattr("retrieval.search.embed", lambda text, course, role="": course.degraded.append("embedding"))
    result = search(None, "neap tide", SearchOptions(mode="tree"))
    assert result.degraded == ("embedding",) and result.hits[0].section_title == "Neap tide"


def test_the_command_shows_files_and_their_sections(indexed, capsys, monkeypatch):
    indexed("sea", FILES)
    call_command("tree", "weak tide", "--library", "sea")
    shown = capsys.readouterr().out
    assert "sea: tides.md" in shown and "Tides > Neap tide  (7-7, " in shown
    call_command("tree", "weak tide", "--json")
    files = json.loads(capsys.readouterr().out)["files"]
    assert files[0]["source_file"] == "tides.md" and files[0]["sections"][0]["chunk_id"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\nspring tide\n"))
    call_command("tree")
    assert "Spring tide" in capsys.readouterr().out


def test_the_command_says_what_was_understood_and_what_could_not_be_done(indexed, capsys):
    indexed("sea", FILES)
    call_command("tree", "neep tide library:lake")
    shown = capsys.readouterr().out
    assert "library: lake" in shown and "There is no library “lake” to search." in shown
    call_command("tree", "spirng tide -file:x.md", "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["corrected"] == {"spirng": "spring"} and told["did_you_mean"] == "spring tide -file:x.md"
    assert told["notes"] == [] and told["understood"]["filters"][0]["value"] == "x.md"
