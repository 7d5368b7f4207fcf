import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.endpoints import EndpointError
from knowledge.models import DocumentFile, LexicalSegment, Library
from knowledge.verification import postings
from retrieval import lexical, query_vector, ranking
from retrieval import search as searching
from retrieval.fusion import coverage, words_worth
from retrieval.preview import query_words
from retrieval.query import is_identifier
from retrieval.results import SearchOptions
from retrieval.search import BY_MEANING_ONLY, MODES, search
from retrieval.view import UnknownLibrary, one_read
from tests.conftest import forget_views, reindex, write

PROSE = tuple(mode for mode in MODES if mode != "code")
NASTIES = Path(__file__).parents[2] / "benchmarks" / "nasties.txt"
FILES = {
    "tides.md": "# Tides\n\nThe tide rises twice a day because of the moon.\n\n## Neap tide\n\nA neap tide is weak.\n",
    "bread.rst": "Bread\n=====\n\nKnead the dough and let it rise for an hour.\n\nOven\n----\n\nBake at 230 degrees.\n",
    "kernel.md": "# HttpKernel\n\nThe `HttpKernel::handle()` method turns a request into a response.\n",
}


@pytest.fixture
def library(indexed):
    return indexed("handbook", FILES)


def paths(result):
    return [hit.source_file for hit in result.hits]


@pytest.mark.parametrize("mode", PROSE)
def test_the_passage_that_answers_comes_first(library, mode):
    result = search(None, "bake bread in the oven", SearchOptions(mode=mode))

    assert paths(result)[0] == "bread.rst"
    assert result.degraded == () and result.libraries[0].slug == "handbook"


def test_a_hit_says_exactly_where_its_words_stand(library):
    hit = search(None, "neap tide weak").hits[0]

    assert (hit.breadcrumb, hit.section_anchor, hit.line_start, hit.line_end) == (
        ("Tides", "Neap tide"),
        "neap-tide",
        7,
        7,
    )
    assert hit.text == "A neap tide is weak."
    assert hit.url == "/read/handbook/tides.md?snapshot=1&lines=7-7#neap-tide"
    assert hit.ranks["lexical"] == 1 and hit.scores["fused"] > 0


@pytest.mark.parametrize("query", ["HttpKernel", "http kernel", "httpkernel", "handle"])
def test_identifiers_are_found_whole_and_by_part(library, query):
    assert paths(search(None, query, SearchOptions(mode="lexical")))[0] == "kernel.md"


@pytest.mark.parametrize(
    ("language", "text", "queries"),
    [
        ("french", "La sécurité, la clé des œuvres et les congés payés.", 'securite cle oeuvre oeuvres "conges payes"'),
        ("simple", "As férias do mês, água; o feito.", "ferias mes agua"),
        ("simple", "Łukasz z Łodzi ma złożyć żółtą; Đorđe.", "Lukasz Lodzi zlozyc zolta Łódzi Dorde"),
        ("simple", "Æbler og smørrebrød.", "aebler smorrebrod smörrebröd"),
        ("turkish", "Iğdır pazar günleri kapalıdır.", "ığdır IĞDIR Igdir KAPALI"),
        ("simple", "도서관은 집에서 멉니다. 노트북을 빌립니다.", "도서관 노트북 집"),
        ("simple", "员工年假须提前请假。", "假 年假 年"),
        ("simple", "ＡＰＩ ｶﾞｽ", "API ガス"),
        ("german", "1.500 € je Monat, 0,30 € je Tag, 3 000 Leute", '1500 "1500" "1500 € je Monat" 1,500 0.30 3000'),
        ("english", "1,250,000 users, 12.50 a day, 1.200,50", "1250000 1.250.000 12,50 1200 1200.50"),
        ("english", "Needs Python 3.12.1 today", '3.12 3.12.1 "python 3.12" "Python 3.12.1 today"'),
        ("english", "For 10km, 5 kg and 50hz", '10km "10 km" "10 km 5" km 5kg 50Hz "50 hz"'),
        ("english", "By AT&T, for its R&D.", 'AT&T at&t "by AT&T" R&D'),
    ],
)
def test_a_passage_is_found_however_its_words_are_typed(indexed, language, text, queries):
    indexed("typed", {"a.md": f"# A\n\n{text}\n", "b.md": "# B\n\nNothing.\n"}, language=language)
    for query in re.findall(r'"[^"]+"|\S+', queries):
        result = search(None, query, SearchOptions(mode="lexical"))
        assert (paths(result), result.did_you_mean, result.corrected) == (["a.md"], None, {}), query
    assert not postings.equal(deep=True).failed


def test_a_version_is_found_by_those_that_it_belongs_to_and_finds_itself_alone(indexed):
    indexed("versions", {f"{number}.md": f"# A\n\nFor {number}.\n" for number in ("3.1", "3.12", "3.12.1", "13.12")})
    found = {query: sorted(paths(search(None, query, SearchOptions(mode="lexical")))) for query in ("3.12", "3.12.1")}
    assert found == {"3.12": ["3.12.1.md", "3.12.md"], "3.12.1": ["3.12.1.md"]}


@pytest.mark.parametrize("query", ["12,75", "12.75", '"12,75"'])
def test_a_decimal_finds_no_other_number(indexed, query):
    indexed("prices", {"a.md": "# A\n\nFor 12 and 75.\n", "b.md": "# B\n\nFor 3,75.\n"})
    assert paths(search(None, query, SearchOptions(mode="lexical"))) == []


def test_what_is_typed_with_its_accents_finds_that_and_no_other_word(indexed):
    indexed("typed", {"a.md": "# A\n\nEl año.\n", "b.md": "# B\n\nEl ano.\n"}, language="spanish")
    found = {query: sorted(paths(search(None, query, SearchOptions(mode="lexical")))) for query in ("año", "ano")}
    assert found == {"año": ["a.md"], "ano": ["a.md", "b.md"]}


def test_a_text_is_as_long_as_it_is_written_and_says_each_word_once(indexed):
    indexed("one", {"a.md": "# A\n\nDie Prüfung und die Prüfung.\n"}, language="german")
    segment = LexicalSegment.objects.get()
    assert np.frombuffer(segment.body_lengths, "<i4").tolist() == [2]
    assert bytes(segment.posting_set.get(lexeme="prufung").body_counts) == b"\x02"


def test_letters_of_the_other_width_find_both(library, indexed):
    indexed("wide", {"wide.md": "# 案内\n\nＨｔｔｐＫｅｒｎｅｌ です。\n"})
    for query in ("ＨｔｔｐＫｅｒｎｅｌ", "ｋｅｒｎｅｌ"):
        result = search(None, query, SearchOptions(mode="lexical", libraries=("handbook",)))
        assert paths(result) == ["kernel.md"] and not result.did_you_mean
        assert "HttpKernel" in result.hits[0].preview_text and query_words(query) >= {"kernel"}
    assert set(paths(search(None, "ＨｔｔｐＫｅｒｎｅｌ", SearchOptions(mode="lexical")))) == {"kernel.md", "wide.md"}


@pytest.mark.parametrize(
    ("path", "comment"), [("a.rst", ".. the old limit was zebra"), ("a.md", "<!-- the old limit was zebra -->")]
)
def test_what_a_page_does_not_show_is_not_found_by_its_words(indexed, path, comment):
    text = f"The limit is 50 MB.\n\n{comment}\n\nIt holds for everyone."
    indexed("limits", {path: f"Limits\n======\n\n{text}\n"})
    assert search(None, "zebra", SearchOptions(mode="lexical")).hits == ()
    assert search(None, '"limit was zebra"', SearchOptions(mode="lexical")).hits == ()

    (hit,) = search(None, "limit", SearchOptions(mode="lexical")).hits
    assert (hit.text, hit.line_start, hit.line_end) == (text, 4, 8)
    assert hit.preview_text == "The limit is 50 MB. It holds for everyone."
    assert postings.equal(deep=True).failed == 0


def test_a_page_holds_as_many_hits_as_were_asked_for(library):
    for mode in PROSE:
        for fusion in ("scores", "rrf"):
            assert len(search(None, "the tide and bread", SearchOptions(mode=mode, top_k=2, fusion=fusion)).hits) == 2


def test_a_word_said_twice_counts_twice(library):
    once = search(None, "moon dough", SearchOptions(mode="lexical")).hits
    twice = search(None, "moon dough dough", SearchOptions(mode="lexical")).hits

    by_path = lambda hits: {hit.source_file: hit.scores["lexical"] for hit in hits}  # noqa: E731
    assert by_path(twice)["bread.rst"] == pytest.approx(2 * by_path(once)["bread.rst"])
    assert by_path(twice)["tides.md"] == by_path(once)["tides.md"]


def test_an_incremental_index_scores_exactly_like_a_clean_rebuild(indexed, documents):
    grown = indexed("grown", {"a.md": "# Old\n\nThe moon and the sea.\n", "b.md": "# B\n\nNothing.\n"})
    (documents / "grown/a.md").unlink()
    write(documents / "grown", FILES | {"b.md": "# B\n\nThe moon.\n"})
    reindex(grown)
    indexed("clean", FILES | {"b.md": "# B\n\nThe moon.\n"})

    for query in ("the moon rises", "bread", "HttpKernel request", "b"):
        for mode in MODES:
            results = [search(None, query, SearchOptions(libraries=(slug,), mode=mode)) for slug in ("grown", "clean")]
            seen = [[(hit.source_file, hit.line_start, hit.scores) for hit in result.hits] for result in results]
            assert seen[0] == seen[1]


def test_several_libraries_score_on_one_scale(indexed):
    indexed("one", {"a.md": "# A\n\nmoon\n"})
    indexed("two", {"a.md": "# A\n\nmoon\n", "b.md": "# B\n\nsun\n"})
    hits = search(None, "moon", SearchOptions(mode="lexical")).hits

    assert [hit.library for hit in hits] == ["one", "two"] and hits[0].scores["lexical"] == hits[1].scores["lexical"]


def test_nobody_sees_a_library_that_is_not_theirs(indexed, reader):
    indexed("open", {"a.md": "# A\n\nmoon\n"})
    indexed("closed", {"a.md": "# A\n\nmoon\n"}, access=Library.Access.GROUPS)

    for user in (AnonymousUser(), reader):
        assert [hit.library for hit in search(user, "moon").hits] == ["open"]
        with pytest.raises(UnknownLibrary) as foreign:
            search(user, "moon", SearchOptions(libraries=("closed",)))
        with pytest.raises(UnknownLibrary) as missing:
            search(user, "moon", SearchOptions(libraries=("nowhere",)))
        assert str(foreign.value).replace("closed", "nowhere") == str(missing.value)


@pytest.mark.parametrize("mode", PROSE)
def test_a_withdrawn_file_is_gone_from_the_next_search(library, mode):
    before = search(None, "tide moon", SearchOptions(mode=mode))
    DocumentFile.objects.filter(path="tides.md").update(withdrawn_at=timezone.now())
    after = search(None, "tide moon", SearchOptions(mode=mode))

    assert "tides.md" in paths(before) and "tides.md" not in paths(after)


def covered(view, query):
    looked_up = lexical.look_up(view, query)
    return coverage(float(lexical.scores(looked_up).max()), lexical.bounds(looked_up))


def test_words_count_as_far_as_a_question_is_in_the_documents_own(library):
    with one_read(None, ("handbook",)) as view:
        own, other = covered(view, "is a neap tide weak"), covered(view, "how often a day is bread in the moon's oven")
        collection = lexical.look_up(view, "tide").index.collection
        worth = [words_worth(value, collection) for value in (1.0, 0.6, own, other, 0.0)]

    assert own > other > 0.1 and covered(view, "submarine") == 0
    assert worth[0] == worth[1] >= worth[2] > worth[3] > worth[4] == 0, "as far as its words stand together"


def test_words_that_stand_nowhere_are_not_covered(library):
    with one_read(None, ("handbook",)) as view:
        whole = covered(view, "neap tide")
        assert whole > covered(view, "neap tide submarine") > covered(view, "neap tide submarine periscope") > 0


def test_a_compound_that_nobody_writes_as_one_word_is_no_missing_word(library):
    with one_read(None, ("handbook",)) as view:
        assert covered(view, "neap-tide") == covered(view, "neap tide")
        assert lexical.look_up(view, "neap-tide").known == 1
        assert lexical.look_up(view, "sub-marine").known == 0


def test_a_name_and_its_number_are_found_where_they_are_one_word(indexed):
    apart = {f"{n}.md": f"# Day {n}\n\nThe SHA of day {n}, of 256 lines.\n" for n in range(3)}
    indexed("sums", apart | {"hash.md": "# Hash\n\nA sum by sha256 is made for each of them.\n"})
    assert search(None, "SHA 256", SearchOptions(mode="lexical")).hits[0].source_file == "hash.md"


@pytest.mark.parametrize("query", ["life time", "Life Time?", "life-time", "lifetime"])
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_two_words_find_the_one_that_passages_write(indexed, query, mode):
    """Where they stand by themselves in many, and nowhere as two."""
    apart = {f"{n}.md": f"# Day {n}\n\nThe time of day {n}, and the life of a sailor.\n" for n in range(8)}
    indexed("cache", apart | {"cache.md": "# Cache\n\nThe lifetime of an entry is an hour.\n"})
    hit = search(None, query, SearchOptions(mode=mode)).hits[0]

    assert hit.source_file == "cache.md"


def test_a_compound_scores_as_its_parts_do_and_not_beside_them(indexed):
    said = {"a.md": "# A\n\nThe time of a life.\n", "b.md": "# B\n\nThe lifetime.\n"}
    indexed("cache", said | {"both.md": "# Both\n\nThe time of a life, a lifetime.\n"})
    hits = search(None, "life time", SearchOptions(mode="lexical", explain=True)).hits
    terms = {hit.source_file: {term.lexeme for term in hit.explain.terms} for hit in hits}

    assert terms == {"a.md": {"life", "time"}, "b.md": {"lifetim"}, "both.md": {"life", "time"}}


def test_words_that_stand_only_as_one_are_known(indexed):
    indexed("forms", {"a.md": "# A\n\nThe placeholder in its place.\n"})
    with one_read(None, ("forms",)) as view:
        assert lexical.look_up(view, "place holder").known == 1
        assert lexical.look_up(view, "place keeper").known == 0.5
        assert covered(view, "place holder") > covered(view, "place keeper")


def test_a_word_that_asks_is_no_word_to_look_for(indexed):
    indexed(
        "preguntas",
        {"a.md": "# ¿Cómo pagar?\n\nCon tarjeta.\n", "b.md": "# Cancelar\n\nPor carta.\n"},
        language="spanish",
    )
    hits = search(None, "¿Cómo cancelar?", SearchOptions(libraries=("preguntas",), mode="lexical")).hits

    assert [hit.source_file for hit in hits] == ["b.md"]
    assert search(None, "¿cómo?", SearchOptions(libraries=("preguntas",), mode="lexical")).hits, "nothing else is said"


def test_a_library_in_another_language_beside_it_makes_no_query_less_covered(library, indexed):
    indexed("werkstatt", {"bremse.md": "# Bremse\n\nDie Bremsen und der Hebel.\n"}, language="german")
    with one_read(None, ("handbook", "werkstatt")) as view:
        looked_up = lexical.look_up(view, "how a day the tide rises")

        assert len(looked_up.asked) == 2 and looked_up.known == 1, "German takes “how” and “the” for words to look for"
        assert covered(view, "rise twice a day because of the moon") > 0.5


def test_an_older_snapshot_can_be_searched(library, documents):
    write(documents / "handbook", {"tides.md": "# Waves\n\nWaves come from wind.\n"})
    reindex(library)

    now = SearchOptions(libraries=("handbook",), mode="lexical")
    then = SearchOptions(libraries=("handbook",), mode="lexical", snapshot=1)
    assert paths(search(None, "moon", now)) == []
    assert paths(search(None, "moon", then)) == ["tides.md"]
    with pytest.raises(UnknownLibrary):
        search(None, "moon", SearchOptions(libraries=("handbook",), snapshot=99))


def test_a_new_process_ranks_as_the_old_one_did(library):
    before = search(None, "the tide rises")
    forget_views()

    assert search(None, "the tide rises").hits == before.hits


def test_without_the_embedding_endpoint_the_lexical_branch_stands_in_and_says_so(library, monkeypatch):
    def gone(*_):
        raise EndpointError("embedding", "is gone")

    monkeypatch.setattr(query_vector, "embedding_endpoint", gone)
    query_vector.forget()
    for mode in ("hybrid", "vector"):
        result = search(None, "tide", SearchOptions(mode=mode))
        assert result.degraded == ("embedding",) and paths(result)[0] == "tides.md"


def test_a_model_that_never_answers_is_waited_for_once(library, monkeypatch):
    waited = []

    def never(*_):
        waited.append(1)
        clock.append(60)
        raise EndpointError("embedding", "did not answer in time")

    clock = []
    monkeypatch.setattr(query_vector.time, "monotonic", lambda: 1000.0 + sum(clock))
    monkeypatch.setattr(query_vector, "embedding_endpoint", never)
    query_vector.forget()
    for word in ("tide", "moon", "water"):
        assert search(None, word).degraded == ("embedding",)
    assert len(waited) == 1
    clock.append(31)
    search(None, "sun")
    assert len(waited) == 2


NASTY = ["", " ", "-" * 33, "\0", "\ud800", "a" * 1_000_000, "word " * 100_000, "'\"\\%_", "& | ! ( ) <->", ":* !!"]
NASTY += ["\u202eabc", "🦉" * 500, "select * from x; --", "the of and", "\x1b[31m"]


@pytest.mark.parametrize("query", NASTY)
def test_no_query_raises(library, query):
    for mode in MODES:
        assert search(None, query, SearchOptions(mode=mode)).mode == mode


PIECES = [
    '"',
    "-",
    '-"',
    "file:",
    "-file:",
    "library:",
    "lang:",
    "kind:",
    "*",
    "[",
    "/",
    " ",
    "tide",
    "tdie",
    "the",
    "\0",
]
WRITTEN = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=WRITTEN, mode=st.sampled_from(MODES))
def test_no_text_raises(library, query, mode):
    result = search(None, query, SearchOptions(mode=mode))

    assert result.degraded == () and json.dumps(result.as_json())


def test_nothing_that_has_been_nasty_raises(library):
    for number, query in enumerate(NASTIES.read_text().splitlines()):
        assert search(None, query, SearchOptions(mode=MODES[number % len(MODES)])).degraded == ()


@pytest.mark.parametrize("query", ["anything", "file:a", '"a b" -cd', "library:none"])
def test_an_empty_installation_answers_with_nothing(db, query):
    assert search(None, query).hits == ()


def test_the_command_prints_one_json_document(library, capsys):
    call_command("search", "tide", "--json")
    printed = json.loads(capsys.readouterr().out)

    assert printed["mode"] == "hybrid" and printed["hits"][0]["source_file"] == "tides.md"
    assert {"total", "embed", "lexical", "vector", "fuse", "load"} <= printed["took_ms"].keys()


def test_a_search_makes_few_queries(library, django_assert_max_num_queries):
    search(None, "tide")
    with django_assert_max_num_queries(9):
        search(None, "tide")


@pytest.mark.parametrize("mode", ["hybrid", "tree"])
def test_words_that_nothing_holds_are_said_to_be_found_nowhere(library, mode):
    for _ in ("searched", "remembered"):
        assert search(None, "xyzzy", SearchOptions(mode=mode)).notes == (BY_MEANING_ONLY,)
    assert search(None, "kernel", SearchOptions(mode=mode)).notes == ()
    assert search(None, "xyzzy", SearchOptions(mode="vector")).notes == (), "no words were looked for"
    nothing = search(None, "xyzzy file:none.rst", SearchOptions(mode=mode))
    assert BY_MEANING_ONLY not in nothing.notes, "there is nothing to be warned of"


def test_a_passage_below_those_that_are_shown_holds_the_words_too(library, monkeypatch):

    def worst_first(places, words, *_):
        return [(int(at), -float(words[at])) for at in places[np.argsort(words[places])]]

    monkeypatch.setattr(ranking, "combine", worst_first)
    result = search(None, "tide", SearchOptions(top_k=1))
    assert result.hits[0].ranks["lexical"] is None and result.notes == ()


def test_by_meaning_was_looked_for_only_where_a_vector_can_be_compared(library, monkeypatch):
    of_another_model = replace(query_vector.query_vector("IT"), space=0)
    monkeypatch.setattr(searching, "query_vector", lambda *_: of_another_model)
    result = search(None, "IT")
    assert (result.hits, result.degraded) == ((), ("embedding",))
    assert result.notes == ("“IT” holds only words that every text has, so nothing was looked for.",)


@pytest.mark.parametrize(
    ("query", "mode", "said"),
    [
        ("IT", "hybrid", "“IT” holds only words that every text has, so only its meaning was looked for."),
        ("the", "lexical", "“the” holds only words that every text has, so nothing was looked for."),
        ("?", "hybrid", "“?” holds no word, so only its meaning was looked for."),
        ("?" * 3000, "hybrid", f"“{'?' * 80}…” holds no word, so only its meaning was looked for."),
        (
            "x" * 2047,
            "lexical",
            f"“{'x' * 80}…” holds nothing but what is too long to be a word, so nothing was looked for.",
        ),
        ('"the"', "hybrid", "“the” holds only words that every text has, so it was left out."),
    ],
)
def test_what_holds_no_word_to_look_for_is_said_to(library, query, mode, said):
    assert search(None, query, SearchOptions(mode=mode)).notes == (said,)


def test_an_identifier_is_looked_for_by_its_words(indexed):
    said = f"One says render($name) there, or render(), which is render_view. {'Much else is told of bread. ' * 30}"
    days = {f"{n}.md": f"# Day {n}\n\nA view of day {n}: this render, and no more.\n" for n in range(3)}
    indexed("web", days | {"z.md": f"# A\n\n{said}\n", "y.md": "# B\n\nNothing of that.\n"})

    assert paths(search(None, "render_view"))[0] == "z.md"
    assert search(None, "render_view", SearchOptions(mode="vector")).hits[0].source_file != "z.md"


@pytest.mark.parametrize(
    ("query", "is_one"),
    [
        ("->render", True),
        ("$this->render($name)", True),
        ("App::run", True),
        ("make_response", True),
        ("render", False),
        ("$500", False),
        ("make_response of it", False),
        ("https://example.org/a_b", False),
    ],
)
def test_an_identifier_is_told_by_its_signs(query, is_one):
    assert bool(is_identifier(query)) is is_one
