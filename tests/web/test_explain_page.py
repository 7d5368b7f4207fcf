"""The search page says why a hit stands where it stands, and why one does not; without scripts."""

import re

import pytest

LONG = "\n\n".join(f"On day {n} the bike is oiled, washed and brought back to the yard again." for n in range(60))


def opened(page: str) -> list[bool]:
    return [bool(attribute) for attribute in re.findall(r'<details class="explain"( open)?>', page)]


def test_each_hit_leads_to_its_explanation(client, handbook):
    page = client.get("/search?q=borrow+late&mode=hybrid").content.decode()
    assert '<a class="why" href="/search?q=borrow+late&amp;mode=hybrid&amp;explain=2#Hit2"' in page
    assert "<details class=" not in page.replace('<details class="help">', "")


def test_the_one_asked_for_is_open_and_adds_up(client, handbook):
    page = client.get("/search?q=late+bike&explain=2").content.decode()
    assert opened(page)[:3] == [False, True, False] and 'id="Hit2" value="2"' in page
    assert "Why rank 2: words #" in page and "Rarity (idf)" in page and "Together 0." in page
    assert '<th scope="row">bike</th>' in page


@pytest.mark.parametrize("mode", ["lexical", "vector"])
def test_one_branch_alone_is_explained_too(client, handbook, mode):
    page = client.get(f"/search?q=late+bike&explain=1&mode={mode}").content.decode()
    assert opened(page)[0] and "Together" not in page and "Weight" not in page
    assert ("Rarity" in page) == (mode == "lexical")


@pytest.mark.parametrize("number", ["0", "-1", "x", "99999999999"])
def test_a_rank_that_cannot_be_is_refused(client, handbook, number):
    assert client.get(f"/search?q=bike&explain={number}").status_code == 400


def test_a_rank_that_is_not_there_opens_nothing(client, handbook):
    assert not any(opened(client.get("/search?q=bike&explain=40").content.decode()))


def test_neighbours_are_read_as_one_and_keep_their_ranks(client, indexed):
    indexed("guide", {"bikes.md": f"# Bikes\n\n{LONG}\n", "other.md": "# Other\n\nA bike.\n"})
    page = client.get("/search?q=bike+oiled+yard&top_k=50&explain=1").content.decode()
    said = re.search(r"(\d+) passages that follow each other, ranks 1, 2", page)
    assert said and page.count("<li ") == len(opened(page)) - int(said[1]) + 1
    assert re.search(r"bikes.md:3–\d+<", page)


def test_every_rank_of_neighbours_that_are_read_as_one_can_be_led_to(client, indexed):
    indexed("guide", {"bikes.md": f"# Bikes\n\n{LONG}\n", "other.md": "# Other\n\nA bike.\n"})
    page = client.get("/search?q=bike+oiled+yard&top_k=50").content.decode()
    (shown,) = re.findall(r"(\d+) passages that follow each other, ranks 1, 2", page)
    assert all(page.count(f'id="Hit{rank}"') == 1 for rank in range(1, int(shown) + 1))


def test_a_library_that_was_not_searched_has_no_snapshot_to_name(client, handbook, indexed):
    indexed("inn", {"inn.md": "# Inn\n\nA late guest.\n"})
    page = client.get("/search?q=late&library=handbook&why_not=inn.md").content.decode()
    assert "The library “inn” was not searched." in page and "snapshot None" not in page


def test_a_missed_document_can_be_asked_for(client, handbook):
    page = client.get("/search?q=late&library=handbook&mode=lexical").content.decode()
    form = page[page.index('<form class="why-not"') :]
    for name, value in (("q", "late"), ("library", "handbook"), ("mode", "lexical")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in form
    page = client.get("/search?q=late&library=handbook&mode=lexical&why_not=workshop %231?.md").content.decode()
    assert "No word of the query stands in it." in page and "<details open>" in page
    page = client.get("/search?q=late&why_not=lending.rst").content.decode()
    shown = re.search(r'It is shown, at rank (\d+)\. <a href="#Hit(\d+)">', page)
    assert shown and shown[1] == shown[2] and f'id="Hit{shown[1]}"' in page


def test_it_can_be_asked_for_where_nothing_was_found(client, handbook):
    page = client.get("/search?q=zzzz&mode=lexical&why_not=lending.rst").content.decode()
    assert "No passage matches" in page and "No word of the query stands in it." in page


def test_a_foreign_document_is_like_a_missing_one(client, signed_in, as_superuser, board, handbook):
    assert "The board, snapshot 1" in as_superuser.get("/search?q=late&why_not=board.md").content.decode()
    for someone in (client, signed_in):
        foreign, missing = (
            someone.get(f"/search?q=late&mode=lexical&why_not={path}").content.decode() for path in ("board.md", "x.md")
        )
        changing = re.compile(r' in [\d.]+ m?s|csrfmiddlewaretoken" value="\w+"')
        assert changing.sub("", foreign).replace("board.md", "x.md") == changing.sub("", missing)


def test_what_is_asked_for_is_text_and_never_markup(client, handbook):
    page = client.get("/search", {"q": "late", "why_not": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page and "There is no such file" in page
