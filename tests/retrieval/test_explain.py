"""Explanations: they must add up to what ranked."""

import json
import math

import numpy as np
import pytest
from django.core.management import call_command

from retrieval import fusion, matrices, vector
from retrieval.candidates import RankedCandidates
from retrieval.explain import fused_parts
from retrieval.explanation_values import rank_of
from retrieval.fusion import SAME_FILE, SAME_SECTION, reciprocal_rank_fusion
from retrieval.results import SearchOptions
from retrieval.retrieval_settings import resolved_options
from retrieval.search import BRANCHES, search
from retrieval.view import one_read
from tests.conftest import forget_views

LONG = "\n\n".join(f"The tide of day {n} rises with the moon, and the sea comes up the beach again." for n in range(60))
FILES = {
    "tides.md": f"# Tides\n\n{LONG}\n\n## Neap tide\n\nA neap tide is weak.\n",
    "bread.rst": "Bread\n=====\n\nKnead the dough and let it rise for an hour.\n\nOven\n----\n\nBake at 230 degrees.\n",
    "moon.md": "# The moon\n\nThe moon rises, and the tide with it.\n",
    "beach.md": f"# Tides\n\n{LONG[:2000]}\n",
}
QUERY = "the tide rises with the moon moon"


@pytest.fixture
def library(indexed):
    return indexed("sea", FILES)


@pytest.mark.parametrize("options", [{"mode": mode} for mode in (*BRANCHES, "hybrid")] + [{"fusion": "rrf"}], ids=str)
def test_the_parts_add_up_to_the_score_that_ranked(library, options):
    hits = search(None, QUERY, SearchOptions(explain=True, **options)).hits
    assert hits
    for place, hit in enumerate(hits, start=1):
        assert sum(part.adds for part in hit.explain.parts) == pytest.approx(hit.scores["fused"])
        assert hit.explain.rank_before_rerank == hit.rank == place
        for part in hit.explain.parts:
            assert part.score == pytest.approx(hit.scores[part.branch] or 0.0) and part.rank == hit.ranks[part.branch]
            if part.weight is not None:
                assert part.adds == pytest.approx(part.weight * part.scaled) and part.scaled <= 1


def test_the_weights_that_were_used_are_shown(library):
    def lexical_weight(weight: float) -> float:
        parts = search(None, QUERY, SearchOptions(explain=True, lexical_weight=weight)).hits[0].explain.parts
        assert [part.branch for part in parts] == ["lexical", "vector"]
        assert sum(part.weight for part in parts) == pytest.approx(1)
        return parts[0].weight

    assert lexical_weight(0.0) == 0 < lexical_weight(1.0) < lexical_weight(2.0) < 1


def test_the_words_add_up_to_the_bm25_score(library):
    for hit in search(None, QUERY, SearchOptions(mode="lexical", explain=True)).hits:
        own = sum(term.score for term in hit.explain.terms)
        assert own + hit.explain.file_score == pytest.approx(hit.scores["lexical"], rel=1e-5)
        assert sum(term.share for term in hit.explain.terms) == pytest.approx(own / hit.scores["lexical"], rel=1e-5)
        assert hit.explain.file_score > 0


def test_the_words_have_their_frequencies_and_stop_words_are_none(library):
    all_hits = search(None, "tide moon moon dough", SearchOptions(mode="lexical", top_k=100)).hits
    size = library.active_snapshot.chunk_count
    df = sum("moon" in hit.text.casefold() for hit in all_hits)
    (hit,) = [
        hit
        for hit in search(None, QUERY, SearchOptions(mode="lexical", top_k=100, explain=True)).hits
        if hit.source_file == "moon.md"
    ]
    terms = {term.lexeme: term for term in hit.explain.terms}
    assert set(terms) == {"moon", "tide", "rise"}
    assert (terms["moon"].query_count, terms["tide"].query_count, terms["moon"].df) == (2, 1, df)
    assert terms["moon"].idf == pytest.approx(math.log1p((size - df + 0.5) / (df + 0.5)))


def test_several_libraries_and_languages_are_explained_together(library, indexed):
    indexed("mer", {"marée.md": "# Marées\n\nLa lune et les marées, tide.\n"}, language="french")
    hits = search(None, "marées tide", SearchOptions(mode="lexical", explain=True, top_k=50)).hits
    (french,) = [hit for hit in hits if hit.library == "mer"]
    assert [term.lexeme for term in french.explain.terms] == ["mar", "tid"]
    assert {term.lexeme for hit in hits if hit.library == "sea" for term in hit.explain.terms} == {"tide"}


def test_further_hits_of_a_section_and_file_are_worth_less_and_say_so(library, monkeypatch):
    monkeypatch.setattr(fusion, "SHORT_SECTION", 1000)
    monkeypatch.setattr(fusion, "SHORT_FILE", 1000)
    hits = search(None, QUERY, SearchOptions(explain=True, top_k=50)).hits
    seen: list[tuple[str, str]] = []
    for hit in hits:
        why = hit.explain.diversity
        section = seen.count((hit.source_file, hit.section_anchor))
        file = [path for path, _ in seen].count(hit.source_file)
        assert (why.section, why.file) == (section, file)
        less = SAME_SECTION**section * SAME_FILE**file
        assert why.worth == pytest.approx(less if hit.scores["fused"] > 0 else 1 / less)
        seen.append((hit.source_file, hit.section_anchor))
    worth = [hit.scores["fused"] * hit.explain.diversity.worth for hit in hits]
    assert worth == sorted(worth, reverse=True), "the order is that of the scores after diversity"
    assert sorted(hit.explain.fused_rank for hit in hits) == list(range(1, len(hits) + 1))
    assert any(hit.explain.fused_rank != hit.rank for hit in hits)


def test_one_branch_alone_knows_no_diversity(library):
    for hit in search(None, QUERY, SearchOptions(mode="lexical", explain=True, top_k=50)).hits:
        assert hit.explain.diversity.worth == 1 and hit.explain.fused_rank == hit.rank


def test_ranks_count_everything_and_not_only_the_candidates(library):
    shallow = search(None, QUERY, SearchOptions(explain=True, depth=1)).hits
    deep = {hit.chunk_id: hit for hit in search(None, QUERY, SearchOptions(top_k=200)).hits}
    for hit in shallow:
        for part in hit.explain.parts:
            assert part.rank == deep[hit.chunk_id].ranks[part.branch]
    assert any(None in (hit.ranks["lexical"], hit.ranks["vector"]) for hit in shallow)


def test_ranks_are_exact_where_only_the_nearest_were_compared(library, monkeypatch):
    exact = search(None, QUERY, SearchOptions(explain=True, depth=2)).hits
    monkeypatch.setattr(matrices, "EXACT_CHUNKS", 1)
    monkeypatch.setattr(vector, "REFINED", 2)
    matrices._matrices.clear()
    forget_views()
    try:
        for hit in search(None, QUERY, SearchOptions(explain=True, depth=2)).hits:
            (same,) = [other for other in exact if other.chunk_id == hit.chunk_id]
            assert [part.rank for part in hit.explain.parts] == [part.rank for part in same.explain.parts]
    finally:
        matrices._matrices.clear()


def test_what_branches_add_by_rank_is_what_was_fused_though_a_nearer_vector_was_not_compared(library):
    compared = {"lexical": np.array([1.0, 2.0, 0.0]), "vector": np.array([0.5, vector.UNKNOWN, vector.UNKNOWN])}
    rankings = {"lexical": [1, 0], "vector": [0]}
    ranked = RankedCandidates(compared, rankings, reciprocal_rank_fusion(rankings), fusion="rrf")
    exact = {**compared, "vector": np.array([0.5, 0.2, 0.9])}
    with one_read(None, ("sea",), None) as view:
        parts = fused_parts(
            view, ranked, resolved_options(SearchOptions(), []), exact, [place for place, _ in ranked.fused]
        )
    for (_, fused), own in zip(ranked.fused, parts, strict=True):
        assert sum(part.adds for part in own) == pytest.approx(fused)
    assert [part.rank for part in parts[0]] == [2, 2]


def test_rank_of_is_the_place_in_the_sorted_order():
    scores = np.array([2.0, 0.0, 3.0, 2.0, -1.0])
    assert [rank_of(scores, place, 0.0) for place in range(5)] == [2, None, 1, 3, None]


def test_nothing_is_explained_unless_asked(library):
    assert all(hit.explain is None for hit in search(None, QUERY).hits)
    assert search(None, "", SearchOptions(explain=True)).hits == ()


def test_the_command_prints_what_the_json_holds(library, capsys):
    call_command("search", QUERY, "--explain", "--json")
    why = json.loads(capsys.readouterr().out)["hits"][0]["explain"]
    assert {
        "fusion",
        "parts",
        "terms",
        "file_score",
        "fused_rank",
        "diversity",
        "rank_before_rerank",
        "named",
    } == why.keys()
    call_command("search", QUERY, "--explain")
    printed = capsys.readouterr().out
    assert f"moon said 2 times in {next(t['df'] for t in why['terms'] if t['lexeme'] == 'moon')} passages" in printed
    assert "better of its file" in printed and "of the best ×" in printed


def test_the_command_joins_neighbours(library, capsys):
    call_command("search", QUERY, "--top-k", "20")
    printed = capsys.readouterr().out
    assert ", " in next(line for line in printed.splitlines() if "Tides" in line).split(". ")[0]
