import json
import re
from html import unescape
from urllib.parse import parse_qs, urlencode

import pytest
from django.core.management import call_command
from django.test import Client

from config.local.home import CHECKOUT
from knowledge.endpoints import EndpointError
from retrieval import search as searching
from retrieval.pages.forms import MODES
from retrieval.templatetags.searching import correction
from tests.conftest import reindex, write


def test_it_opens_on_an_empty_focused_box(client, handbook):
    page = client.get("/").content.decode()
    assert 'name="q"' in page and " autofocus" in page
    assert "The handbook" in page and "snapshot 1" in page


def asks(page: str) -> list[tuple[str, str]]:
    """What "Ask about this" sends."""
    (form,) = re.findall(r'<form class="ask" method="post" action="/chat".*?</form>', page, re.DOTALL)
    _token, *fields = re.findall(r'name="([^"]+)" value="([^"]*)"', form)
    return fields


def test_it_shows_passages_with_their_place_and_a_way_to_read_them(client, handbook):
    page = client.get("/search?q=how+long+can+I+borrow+a+bike").content.decode()
    assert "lending.rst:10" in page
    assert "/read/handbook/lending.rst?snapshot=1&amp;lines=10-10#how-long-you-can-borrow-a-bike" in page
    assert "<mark>borrow</mark>" in page and "The handbook, snapshot 1" in page
    assert asks(page) == [("q", "how long can I borrow a bike")]


def test_a_page_that_was_signed_in_does_not_go_on_with_what_is_open_to_everyone_alone(signed_in, handbook):
    (sent,) = re.findall(r"hx-headers='(.*?)'", signed_in.get("/search?q=bike").content.decode())
    headers = {"HX-Request": "true", **json.loads(sent)}
    assert "lending.rst" in signed_in.get("/search?q=bike", headers=headers).content.decode()
    signed_in.logout()
    answered = signed_in.get("/search?q=bike", headers=headers)
    assert answered["HX-Redirect"] == "/search?q=bike" and not answered.content
    page = signed_in.get("/search?q=bike").content.decode()
    assert "You are not signed in any more" in page and "hx-headers" not in page and "lending.rst" in page


def test_more_passages_are_shown_as_long_as_there_are_more(client, indexed):
    indexed("many", {f"{n}.md": f"# Bike {n}\n\nThe bike of day {n}.\n" for n in range(14)})
    page = client.get("/search?q=bike").content.decode()
    assert "The best 10 passages from" in page
    (address,) = re.findall(r'<p class="more"><a [^>]*href="([^"]+)"', page)
    assert address == "/search?q=bike&amp;top_k=20#Hit11"
    page = client.get("/search?q=bike&top_k=20").content.decode()
    assert "<p>14 passages from" in page and 'class="more' not in page


def test_the_most_that_a_search_shows_are_not_passed_off_as_all(client, indexed):
    indexed("many", {f"{n}.md": f"# Bike {n}\n\nThe bike of day {n}.\n" for n in range(51)})
    page = client.get("/search?q=bike&top_k=50").content.decode()
    assert "The best 50 passages from" in page and "These are the best 50. Narrow down" in page
    assert "These are the best" not in client.get("/search?q=bike").content.decode()


def test_a_missing_document_is_looked_for_among_as_many_hits_as_are_shown(client, indexed):
    indexed("many", {f"{n}.md": f"# Bike {n}\n\nThe bike of day {n}.\n" for n in range(14)})
    page = client.get("/search?q=bike&mode=lexical&top_k=20").content.decode()
    (form,) = re.findall(r'<form class="why-not".*?</form>', page, re.DOTALL)
    sent = re.findall(r'name="(\w+)" value="([^"]*)"', form)
    last = re.findall(r"(\d+\.md)", page)[-1]
    page = client.get(f"/search?{urlencode(dict(sent) | {'why_not': last})}").content.decode()
    assert "14 passages from" in page and 'href="#Hit' in page.partition('class="why-not"')[2]


def test_what_is_not_wanted_and_stands_alone_is_said_to_be_a_word(client, handbook):
    page = client.get("/search?q=-bike").content.decode()
    assert "says only what is not wanted" in page and "searched for as a word" in page
    assert "says only what" not in client.get("/search?q=borrow+-bike").content.decode()


def test_the_address_keeps_library_and_mode(client, handbook, indexed):
    indexed("other", {"a.md": "# Bikes\n\nBorrow another bike.\n"})
    page = client.get("/search?q=borrow&library=other&mode=lexical").content.decode()
    assert "a.md" in page and "lending.rst" not in page
    assert 'value="lexical" checked' in page and 'value="other" checked' in page
    assert asks(page) == [("q", "borrow"), ("library", "other"), ("mode", "lexical")]


def test_what_was_found_is_said_to_be_from_where_it_is(client, handbook, indexed):
    indexed("other", {"a.md": "# Trams\n\nThe tram stops at the gate.\n"}, name="The timetable")
    (said,) = re.findall(r"passages? from\s+([^<]*)<", client.get("/search?q=tram&mode=lexical").content.decode())
    assert said == "The timetable"


def test_an_older_snapshot_can_be_searched(client, handbook):
    assert client.get("/search?q=borrow&library=handbook&snapshot=1").status_code == 200
    assert client.get("/search?q=borrow&library=handbook&snapshot=2").status_code == 404
    assert "Choose one library" in client.get("/search?q=borrow&snapshot=1").content.decode()


@pytest.fixture
def rebuilt(handbook, documents):
    write(documents / "handbook", {"new.md": "# New\n\nBorrow a new bike.\n"})
    reindex(handbook)
    return handbook


def test_an_older_snapshot_is_said_to_be_one_with_the_way_to_the_active_one(client, rebuilt):
    page = client.get("/search?q=borrow&library=handbook&snapshot=1").content.decode()
    assert "Snapshot 1 of The handbook was searched, not the active one (2)." in page and "new.md" not in page
    assert '<a href="/search?q=borrow&amp;library=handbook">Search the active one</a>' in page
    assert "not the active one" not in client.get("/search?q=borrow&library=handbook&snapshot=2").content.decode()


@pytest.mark.parametrize("ticked", ["library=other", "library=other&library=handbook", "q=borrow"])
def test_a_snapshot_is_of_the_library_that_it_was_opened_with(client, rebuilt, indexed, ticked):
    other = indexed("other", {"a.md": "# Trams\n\nBorrow an old tram.\n"})
    opened = client.get("/search?q=borrow&library=handbook&snapshot=1").content.decode()
    carried = re.findall(r'<input type="hidden" name="(snapshot\w*)" value="(\w+)">', opened.partition("</form>")[0])
    assert carried == [("snapshot", "1"), ("snapshot_of", "handbook")]
    page = client.get(f"/search?q=borrow&{urlencode(carried)}&{ticked}").content.decode()
    assert "a.md" in page and "not the active one" not in page and 'name="snapshot"' not in page
    assert other.active_snapshot.number == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"top_k": -1}, "top_k, how many passages are shown, is from 1 to 50."),
        ({"explain": "x"}, "explain, the passage that is explained, is a number from 1."),
        ({"why_not": "x" * 2001}, "The path of the document: 2001, of at most 2000 characters."),
        ({"q": "x" * 8001}, "The words: 8001, of at most 8000 characters."),
    ],
)
def test_what_is_wrong_is_named(client, handbook, wrong, said):
    response = client.get("/search", {"q": "borrow"} | wrong)
    assert response.status_code == 400 and said in response.content.decode()


def test_what_was_wrong_is_left_out_and_the_words_are_kept(client, handbook):
    page = client.get("/search?q=borrow&snapshot=1&mode=lexical").content.decode()
    assert '<a href="/search?q=borrow&amp;mode=lexical">Search without that</a>' in page


def test_htmx_gets_the_results_alone_from_the_same_template(client, handbook):
    response = client.get("/search?q=borrow", headers={"HX-Request": "true"})
    page = response.content.decode()
    assert page.strip().startswith('<section id="Results"') and "<html" not in page
    assert "HX-Request" in response.headers["Vary"]
    assert "<title>borrow · Muniment</title>" in page
    assert client.get("/search?q=borrow").content.decode().count("<title>") == 1


def test_what_a_document_says_is_text_and_never_markup(client, indexed):
    indexed("evil", {"a.md": "# <script>alert(1)</script> title\n\nbike <img src=x onerror=alert(2)> bike\n"})
    page = client.get('/search?q=bike+"><script>alert(3)</script>').content.decode()
    assert "alert" in page and "<script>alert" not in page and "<img" not in page


def test_an_excerpt_shows_words_and_no_markup(client, handbook, indexed):
    indexed(
        "guide",
        {"a.md": "# Chains\n\nOil the **chain** with `oil`, see [the guide](b.md).\n\n| Chain | Oil |\n|--|--|\n"},
    )
    page = client.get("/search?q=late+bike+charge").content.decode()
    assert (
        '<p class="excerpt">A <mark>bike</mark> that comes back <mark>late</mark> costs ten euros a day. See ' in page
    )
    assert "::" not in page and "Late returns\n-" not in page
    page = client.get("/search?q=chain+oil").content.decode()
    assert (
        "the <mark>chain</mark> with <mark>oil</mark>, see the guide. <mark>Chain</mark>: <mark>Oil</mark>.</p>" in page
    )


def test_the_excerpt_of_a_program_is_lines_of_it(client, handbook):
    page = client.get("/search?q=late_charge+lexical").content.decode()
    assert "<mark>late_charge</mark>(days: int) -&gt; int" in page and "&lt;b&gt;in cents&lt;/b&gt;" in page


@pytest.mark.parametrize("query", ["\x00", "'; DROP TABLE x --", "-" * 33, '"', "x" * 8000, "💥", "%", "a:*"])
def test_hostile_queries_are_answered(client, handbook, query):
    assert client.get("/search", {"q": query}).status_code in (200, 400)


def test_too_long_a_query_is_refused_in_words(client, handbook):
    response = client.get("/search", {"q": "x" * 8001})
    assert response.status_code == 400 and "at most 8000 characters" in response.content.decode()


def test_a_full_box_is_an_address_that_the_servers_take(client, handbook):
    page = client.get("/").content.decode()
    most = int(re.search(r'id="Query"[^>]* maxlength="(\d+)"', page)[1])
    typed = {"q": "語" * most, "library": "a" * 50, "mode": "lexical", "snapshot": 10**9}
    line = f"GET /search?{urlencode(typed)} HTTP/1.1"
    for file in ("Dockerfile", "config/local/demo.py"):
        limit = re.search(r"--limit-request-line\W+(\d+)", (CHECKOUT / file).read_text())[1]
        assert len(line) < int(limit), file
    full = client.get("/search", typed | {"library": "handbook", "snapshot": 1}).content.decode()
    assert all(len(link) < int(limit) for link in re.findall(r'href="([^"#]+)', full))


def test_a_full_box_says_that_the_rest_was_left_out(client, handbook):
    most = client.get("/").context["form"].typed
    pasted = "Error: the bike is late. " * 100
    assert f"takes {most} characters" in client.get("/search", {"q": pasted[:most]}).content.decode()
    assert "the rest was left out" not in client.get("/search", {"q": pasted[: most - 1]}).content.decode()


def test_what_was_understood_can_be_taken_away_again(client, handbook):
    page = client.get('/search?q=bike+"three+days"+-secret+file:lending.rst&mode=lexical').content.decode()
    assert "lending.rst:10" in page and "<mark>three</mark> <mark>days</mark>" in page
    for written in ("&quot;three days&quot;", "-secret", "file:lending.rst"):
        assert f"<code>{written}</code>" in page and f'aria-label="Search without {written}"' in page
    assert 'href="/search?q=bike+-secret+file%3Alending.rst&amp;mode=lexical"' in page


def test_what_was_searched_for_too_is_told_also_where_nothing_is_suggested(client, indexed):
    indexed("notes", {"a.md": "# A\n\nDer Drucker steht dort.\n"})
    page = client.get("/search?q=Druckerei").content.decode()
    assert "Did you mean" not in page and "Nothing says “Druckerei”, so “Drucker” was searched for, too." in page


def test_a_misspelt_word_has_a_link_to_what_is_meant(client, handbook):
    page = client.get("/search?q=borow+a+bike&mode=lexical").content.decode()
    assert 'href="/search?q=borrow+a+bike&amp;mode=lexical"' in page and "Nothing says “borow”" in page
    assert "Did you mean" not in client.get("/search?q=borrow").content.decode()


def test_a_search_that_is_too_narrow_says_how_to_widen_it(client, handbook):
    page = client.get('/search?q="days+three"').content.decode()
    assert "these words in any order" in page and 'href="/search?q=days+three"' in page
    page = client.get("/search?q=bike+file:nothing.md").content.decode()
    assert 'href="/search?q=bike"' in page and "everywhere" in page
    page = client.get("/search?q=bike+library:nowhere").content.decode()
    assert "There is no library “nowhere” to search." in page and "nothing to search yet" not in page


@pytest.mark.parametrize("q", ["file:nothing.md", 'section:"No such" lang:python', "-deposit file:nothing.md"])
def test_where_nothing_was_looked_for_no_words_are_spoken_of(client, handbook, q):
    page = client.get("/search", {"q": q}).content.decode()
    assert "No passage matches" in page and "See what is in the libraries" in page
    assert "Search for these words" not in page and "fewer words" not in page


@pytest.mark.parametrize("q", ["purple library:board", "library:board", "purpel", "file:board.md"])
def test_the_query_language_opens_no_closed_library(client, signed_in, board, handbook, q):
    for someone in (client, signed_in):
        page = someone.get("/search", {"q": q}).content.decode()
        assert "ballot" not in page and "board.md:" not in page and "Did you mean" not in page


def test_it_says_how_to_search(client, handbook):
    page = client.get("/").content.decode()
    assert "How to search" in page and "file:setup.md" in page
    assert [way for way in MODES.values() if f"<dt>{way}</dt><dd>" not in page] == []


def test_nothing_found_says_what_to_do(client, handbook):
    page = client.get("/search?q=zzzz&mode=lexical").content.decode()
    assert "No passage matches" in page and "words and meaning" in page and "Sign in" in page


def test_what_is_offered_where_nothing_is_found_keeps_the_rest_of_what_was_asked(client, handbook):
    asked = {"q": '"zzzz" file:a.md', "mode": "lexical", "library": "handbook", "snapshot": 1}
    page = client.get("/search", asked).content.decode()
    links = {
        words: parse_qs(query)
        for query, words in re.findall(r'<li>[^<]*<a href="/search\?([^"]*)">([^<]*)<', unescape(page))
    }
    listed = {name: [str(value)] for name, value in asked.items()}
    assert links["words and meaning"] == {name: listed[name] for name in ("q", "library", "snapshot")}
    assert links["Search every library"] == {name: listed[name] for name in ("q", "mode")}
    assert links["these words in any order"] == listed | {"q": ["zzzz"]}


def test_no_library_says_what_to_do(client, as_superuser, signed_in):
    assert "Sign in" in client.get("/search?q=x").content.decode()
    assert "add you to a group" in signed_in.get("/").content.decode()
    assert "Add a library" in as_superuser.get("/").content.decode()


def test_a_missing_embedding_model_is_said(client, handbook, monkeypatch):
    def broken(query, *_):
        raise EndpointError("embedding", "is away")

    monkeypatch.setattr(searching, "query_vector", broken)
    page = client.get("/search?q=borrow").content.decode()
    assert "found by their words only" in page and "lending.rst" in page


def test_a_library_of_another_embedding_model_is_not_taken_for_a_model_that_is_missing(
    client, handbook, indexed, settings, capsys
):
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    indexed("other", {"a.md": "# Bikes\n\nA bike of another model.\n"})
    settings.EMBEDDING_DOCUMENT_PREFIX = ""

    page = client.get("/search", {"q": "bike"}).content.decode()

    assert "read in with another embedding model" in page and "does not answer" not in page
    call_command("search", "bike")
    assert "read in with another embedding model" in capsys.readouterr().out
    nothing_left = client.get("/search", {"q": "bike file:*.yaml"}).content.decode()
    assert "embedding model" not in nothing_left and "file:*.yaml" in nothing_left


@pytest.mark.parametrize("slug", ["board", "missing"])
def test_a_library_that_is_not_theirs_cannot_be_chosen(client: Client, board, handbook, slug):
    response = client.get(f"/search?q=purple&library={slug}")
    assert response.status_code == 400 and "secret ballot" not in response.content.decode()


def test_foreign_and_missing_libraries_look_the_same(client, board, handbook):
    foreign, missing = (client.get(f"/search?q=purple&library={slug}").content.decode() for slug in ("board", "mossy"))
    assert foreign.replace("board", "X") == missing.replace("mossy", "X")


def test_only_members_find_what_is_for_them(client, signed_in, reader, as_superuser, board):
    assert "board.md" not in client.get("/search?q=purple").content.decode()
    assert "board.md" not in signed_in.get("/search?q=purple").content.decode()
    reader.groups.add(board.groups.get())
    assert "board.md" in signed_in.get("/search?q=purple").content.decode()
    assert "board.md" in as_superuser.get("/search?q=purple").content.decode()


def test_the_page_asks_the_same_number_of_questions_however_many_hits(client, indexed, django_assert_max_num_queries):
    indexed("many", {f"{n}.md": f"# Bike {n}\n\nborrow bike number {n}\n" for n in range(12)})
    client.get("/search?q=bike")
    with django_assert_max_num_queries(20):
        client.get("/search?q=bike&top_k=10")


def test_several_misspelt_words_are_told_in_one_sentence():
    assert correction({"borow": "borrow"}) == "Nothing says “borow”, so “borrow” was searched for, too."
    assert correction({"carggo": "cargo", "bikke": "bike"}) == (
        "Nothing says “carggo” or “bikke”, so “cargo” and “bike” were searched for, too."
    )


def test_going_back_brings_the_whole_page(client, handbook):
    """htmx asks for it as for a part, and puts it in the place of the page."""
    part = client.get("/search", {"q": "bike"}, headers={"HX-Request": "true"}).content.decode()
    back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    whole = client.get("/search", {"q": "bike"}, headers=back)
    assert "<html" not in part and "<html" in whole.content.decode()
    assert "HX-History-Restore-Request" in whole["Vary"]


def test_words_of_ours_say_what_they_mean(client, handbook):
    home, found = (client.get(address).content.decode() for address in ("/search", "/search?q=cargo+bike"))
    assert all("as it was read in at one time" in page for page in (home, found))
    assert 'title="Found by its words, by its meaning, or by both' in found


def test_a_files_name_has_a_link_to_what_stands_there(client, handbook):
    page = client.get("/search?q=lending.rst&mode=lexical").content.decode()
    assert "is the name of a file here" in page and 'href="/search?q=file%3Alending.rst&amp;mode=lexical"' in page
