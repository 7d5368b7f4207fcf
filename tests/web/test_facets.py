"""What a search's results are made of, and narrowing it: links that need no JavaScript."""

import re
from html import unescape

import pytest

from retrieval.result_cache import results
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.conftest import reindex, write

FACETS = SearchOptions(facets=True, top_k=50)


def counted(query: str, user=None) -> dict[str, dict[str, int]]:
    result = search(user, query, FACETS)
    return {facet.name: {value.label: value.count for value in facet.values} for facet in result.facets}


@pytest.fixture
def shop(indexed):
    return indexed(
        "shop",
        {
            "guides/chain.md": "# Chain\n\nOil the bike chain.\n\n## When\n\nOil the bike chain weekly.\n",
            "guides/brakes.rst": "Brakes\n======\n\nThe bike brakes.\n",
            "till.py": 'def till():\n    """The bike till."""\n    return 1\n',
        },
    )


def test_every_candidate_is_counted_once_in_each_facet(shop):
    found = counted("bike")
    assert found["Format"] == {".md": 2, ".rst": 1, ".py": 1}
    assert found["Kind"] == {"prose": 3, "code": 1}
    assert found["Section"]["Chain"] == 2 and found["Language"] == {"english": 3, "python": 1}
    assert "Library" not in found and "Folder" not in found, "a single value tells nothing apart"


def test_a_language_is_counted_once_however_files_call_it(indexed):
    code = {f"{name}.md": f"# {name}\n\n```{name}\nput()\n```\n" for name in ("jsx", "js", "tsx")}
    indexed("site", code)
    assert counted("put")["Language"] == {"javascript": 2, "typescript": 1}


@pytest.mark.parametrize("query", ["bike", "-bike", '-"bike"'])
def test_a_facets_link_leaves_what_it_counts(shop, client, query):
    page = client.get("/search", {"q": query, "top_k": 50}).content.decode()
    links = re.findall(r'<li><a href="([^"]+)">[^<]+</a> <span>(\d+)</span>', page)
    assert len(links) >= 8
    for address, count in links:
        narrowed = client.get(unescape(address) + "&top_k=50").content.decode()
        hits = [int(parts) for parts in re.findall(r"(\d+) passages? from", narrowed)]
        assert hits == [int(count)], address


def test_an_open_quote_swallows_no_facet(indexed, client):
    indexed("shop", {"brakes.md": "# Rim brakes\n\nThe bike chain.\n", "oil.md": "# Oil\n\nThe bike chain.\n"})
    page = client.get("/search", {"q": 'bike "chain'}).content.decode()
    (address,) = re.findall(r'<li><a href="([^"]+)">Rim brakes</a>', page)
    assert "1 passage from" in client.get(unescape(address)).content.decode()


def test_a_librarys_facet_is_called_as_people_call_it(shop, handbook, client):
    assert ">The handbook</a>" in client.get("/search?q=bike").content.decode().partition('id="Facets"')[2]


def test_a_folders_facet_is_called_as_it_is_written_and_finds_what_is_in_it(indexed, client):
    files = {"[Draft]/Straße.md": "# A\n\nThe bike.\n", "Docs/b.md": "# ::before\n\nThe bike.\n"}
    indexed("shop", files)
    found = {value.label: value for facet in search(None, "bike", FACETS).facets for value in facet.values}
    for label, file in (("[Draft]", "[Draft]/Straße.md"), ("Docs", "Docs/b.md"), ("::before", "Docs/b.md")):
        assert {hit.source_file for hit in search(None, f"bike {found[label].filter}").hits} == {file}


def test_a_query_too_long_for_filters_has_no_links_to_them(shop, client):
    short, long = ("chain " * count for count in (2, 65))
    assert "file:" in client.get("/search", {"q": short}).content.decode()
    shown = client.get("/search", {"q": long}).content.decode()
    assert 'id="Facets"' in shown and "updated%3A" not in shown


def test_a_facet_that_was_chosen_is_a_filter_and_no_facet_any_more(shop):
    found = search(None, 'bike section:"Chain"', FACETS)
    assert {hit.source_file for hit in found.hits} == {"guides/chain.md"}
    assert "Section" not in {facet.name for facet in found.facets}
    assert not search(None, "bike updated:1999", FACETS).hits
    month = f"{shop.active_snapshot.sealed_at:%Y-%m}"
    assert len(search(None, f"bike updated:{month}", FACETS).hits) == 4
    assert {hit.source_file for hit in search(None, "bike -section:chain", FACETS).hits} == {
        "guides/brakes.rst",
        "till.py",
    }


def test_facets_tell_nothing_of_what_the_reader_may_not_read(handbook, board, client):
    page = client.get("/search?q=bike").content.decode()
    assert "ballot" not in page and "Board" not in page and "board.md" not in page


def test_facets_are_remembered_with_the_hits_and_no_longer(shop, documents):
    first, again = search(None, "bike", FACETS), search(None, "bike", FACETS)
    assert again.remembered and again.facets == first.facets
    results.clear()
    assert search(None, "bike", FACETS).facets == first.facets
    write(documents / "shop", {"new.txt": "A new bike.\n"})
    reindex(shop)
    assert ".txt" in counted("bike")["Format"]


def test_words_that_nothing_holds_are_not_passed_off_as_found(shop, client):
    assert "No passage was found by these words" in client.get("/search?q=zzyzx").content.decode()
    assert "No passage was found by these words" not in client.get("/search?q=bike").content.decode()


def test_documents_without_any_title_are_in_no_section(indexed, client):
    indexed("notes", {"a.beir": '{"text": "A bike."}', "one.md": "# One\n\nA bike.\n", "two.md": "# Two\n\nA bike.\n"})
    assert client.get("/search?q=bike&library=notes").status_code == 200
    assert counted("bike")["Section"] == {"One": 1, "Two": 1}
