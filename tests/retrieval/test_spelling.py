"""Words that nothing searched holds, and what was probably meant."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.utils import timezone

from knowledge.models import DocumentFile, Library
from retrieval import query_vector, spelling
from retrieval import search as searching
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.slips import distance, is_another_form, is_misspelt, is_slip, like
from tests.conftest import reindex, write

FILES = {
    "guide.md": "# Configuration\n\nThe configurations of wheels and brakes, by the HttpKernel.\n",
    "other.md": "# Database\n\nRetrieval from the database of wheels, on the site.\n",
}

MANY_LEXEMES = """
    INSERT INTO knowledge_posting (lexeme, segment_id, ordinals, body_counts, head_counts)
    SELECT translate(md5(n::text), '0123456789', 'ghijklmnop'), %s, '', '', '' FROM generate_series(1, 20000) AS n
"""


@pytest.fixture
def library(indexed):
    return indexed("handbook", FILES)


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [("", "", 0), ("a", "", 1), ("brkae", "brake", 1), ("kitten", "sitting", 3), ("abcd", "acbd", 1), ("ca", "abc", 3)],
)
def test_edits_are_letters_put_in_left_out_changed_or_swapped(one, other, edits):
    assert distance(one, other) == distance(other, one) == edits


def test_a_suggestion_has_the_capitals_of_what_was_typed():
    assert [like(word, "Kernel") for word in ("kernl", "Kernl", "KERNL")] == ["kernel", "Kernel", "KERNEL"]


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("configuratoin", "configuration"),
        ("Retreival", "Retrieval"),
        ("databse of wheels", "database of wheels"),
        ("brkaes", "brakes"),
        ("stie", "site"),
        ("HttpKernl", "HttpKernel"),
        ('"the databse"', '"the database"'),
        ("databse file:other.md -brakes", "database file:other.md -brakes"),
    ],
)
def test_a_word_that_nothing_holds_is_suggested_as_people_write_it(library, query, meant):
    assert search(None, query).did_you_mean == meant


def test_what_was_meant_is_searched_for_too_and_said(library):
    result = search(None, "brkae", SearchOptions(mode="lexical"))

    assert [hit.source_file for hit in result.hits] == ["guide.md"]
    assert result.corrected == {"brkae": "brakes"}
    assert result.query == "brkae" and result.understood.text == "brkae"


@pytest.mark.parametrize(
    ("typed", "meant", "sure"),
    [
        ("brkae", "brake", True),
        ("bicyle", "bicycles", True),
        ("sugestions", "suggestion", True),
        ("databse", "database", True),
        ("refund", "refuse", False),
        ("password", "passport", False),
        ("illégal", "légal", False),
        ("cafe", "café", True),
        ("Strasse", "Straße", True),
        ("naïve", "naive", True),
        ("cold", "coli", False),
        ("whole", "while", False),
        ("cats", "car", False),
        ("kids", "id", False),
        ("maps", "max", False),
        ("bread", "read", False),
        ("wages", "age", False),
        ("trees", "true", False),
        ("cars", "ca", False),
        ("chairs", "chars", False),
        ("river", "drivers", False),
        ("tdie", "tide", True),
        ("hotle", "hotels", True),
        ("eror", "errors", True),
        ("pasword", "password", True),
        ("nodejs", "node js", True),
        ("Kosten", "Reisekostenabrechnung", True),
        ("event", "prevention", False),
        ("picked", "pickle", False),
        ("format", "forms", False),
        ("Comment", "commencent", False),
        ("devolver", "devuelve", True),
        ("existance", "existence", True),
        ("sugested", "suggesting", False),
    ],
)
def test_what_is_more_than_a_slip_is_not_searched_for_unasked(typed, meant, sure):
    assert is_slip(typed, meant) is sure


@pytest.mark.parametrize(
    ("typed", "meant", "is_read"),
    [
        ("pasword", "password", True),
        ("memebrship", "membership", True),
        ("oppening", "opening", True),
        ("tresurer", "treasurer", True),
        ("married", "carried", False),
        ("picked", "pickle", False),
        ("chosen", "chose", False),
        ("failure", "fail", False),
        ("bought", "brought", False),
        ("teaches", "teachers", False),
        ("keyset", "key set", False),
        ("Comment", "Commencent", False),
    ],
)
def test_another_word_is_no_slip_that_a_question_is_read_without(typed, meant, is_read):
    assert is_misspelt(typed, meant) is is_read


@pytest.mark.parametrize(
    ("typed", "meant", "is_form"),
    [
        ("perdue", "perdus", True),
        ("Druckerei", "Drucker", True),
        ("zurückgeben", "zurückgegeben", True),
        ("vélos", "vélo", True),
        ("Kosten", "Fahrtkosten", True),
        ("databas", "database", False),
        ("configuratoin", "configuration", False),
        ("hotel", "hôtel", False),
        ("stoen", "stone", False),
        ("rendre", "rendu", True),
        ("devolver", "devuelve", True),
        ("chosen", "choose", True),
        ("телефон", "телефону", True),
        ("existance", "existence", False),
        ("developor", "developer", False),
        ("grammer", "grammar", False),
        ("refund", "refuse", False),
    ],
)
def test_words_that_differ_by_their_endings_are_told_from_slips(typed, meant, is_form):
    assert is_another_form(typed, meant) is is_form


def test_another_form_of_a_word_is_searched_for_and_not_suggested(indexed):
    indexed("notes", {"a.md": "# A\n\nDer Drucker steht dort.\n"})
    result = search(None, "Druckerei", SearchOptions(mode="lexical"))
    assert (result.did_you_mean, result.corrected) == (None, {"Druckerei": "Drucker"})


@pytest.mark.parametrize(
    ("query", "said"),
    [("rendre", "rendu"), ("devolver", "devuelve"), ("телефон", "телефону")],
)
def test_forms_of_other_languages_than_the_librarys_are_searched_for_and_not_suggested(indexed, query, said):
    indexed("notes", {"a.md": f"# A\n\n{said} b.\n"})
    result = search(None, query, SearchOptions(mode="lexical"))
    assert (result.did_you_mean, result.corrected, len(result.hits)) == (None, {query: said}, 1)


def test_a_word_of_grammar_of_another_language_is_no_slip(indexed):
    indexed("notes", {"a.md": "# A\n\nThe vélos, and how they commencent.\n"})
    assert search(None, "Comment vélos").did_you_mean is None


@pytest.mark.parametrize(
    ("language", "query", "compound"),
    [
        ("german", "Kosten der Reise", "Reisekostenabrechnung"),
        ("german", "Abrechnung", "Reisekostenabrechnung"),
        ("simple", "Kosten in Köln", "Reisekostenabrechnung"),
        ("german", "Datenschutz", "Datenschutzbestimmungen"),
        ("german", "Versicherung", "Krankenversicherungen"),
        ("german", "Vermietung", "Fahrradvermietungen"),
        ("german", "Gesundheit", "Gesundheitsbescheinigungen"),
    ],
)
def test_a_part_of_a_compound_is_spelt_right_and_finds_it(indexed, language, query, compound):
    said = f"Die {compound} ist fällig."
    indexed("notes", {"a.md": f"# A\n\n{said}\n", "b.md": "# B\n\nVon Köln an.\n"}, language=language)
    result = search(None, query, SearchOptions(mode="lexical"))
    assert result.did_you_mean is None and {*result.corrected.values()} == {compound}
    assert "a.md" in [hit.source_file for hit in result.hits]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("cafe", "café"), ("Strasse", "Straße"), ("grusse", "grüße"), ("naive", "naïve"), ("uber", "über")],
)
def test_a_word_that_is_typed_without_its_accents_is_found_and_no_slip(indexed, typed, meant):
    """However often another one is written that is as near letter by letter."""
    said = "The case of the native user: the strassen grass, and grasses."
    indexed("notes", {"a.md": f"# A\n\n{said}\n", "b.md": f"# B\n\n{said}\n", "c.md": f"# C\n\nThe {meant} there.\n"})
    result = search(None, typed, SearchOptions(mode="lexical"))

    assert not result.corrected and [hit.source_file for hit in result.hits] == ["c.md"]


@pytest.mark.parametrize(
    ("query", "meant"),
    [("compute_totl_price", "compute_total_price"), ("price totl of it", "price total of it"), ("totl", "tool")],
)
def test_of_words_that_are_as_near_the_one_beside_the_others_is_meant(indexed, query, meant):
    tools = {f"{n}.md": f"# Tools {n}\n\nThe tool of day {n}.\n" for n in range(3)}
    indexed("shop", tools | {"price.py": "def compute_total_price(parts):\n    return sum(parts)\n"})

    assert search(None, query).did_you_mean == meant


def test_the_name_before_a_value_is_no_misspelt_word(indexed):
    indexed("notes", {"a.md": "# A\n\nThe mole and the total.\n"})

    assert search(None, "mode:code total").did_you_mean is None
    assert search(None, "mode total").did_you_mean == "mole total"


@pytest.fixture
def embedded(monkeypatch):
    """What the embedding model was asked for."""
    asked = []

    def noted(text, role):
        asked.append(text)
        return query_vector.query_vector(text, role)

    monkeypatch.setattr(searching, "query_vector", noted)
    return asked


@pytest.mark.parametrize("mode", ["hybrid", "tree"])
def test_what_was_meant_is_searched_for_by_meaning_too(library, embedded, mode):
    respelt, meant = (search(None, query, SearchOptions(mode=mode)) for query in ("the databse", "the database"))

    assert embedded == ["the databse", "the database", "the database"]
    assert [(hit.chunk_id, hit.scores) for hit in respelt.hits] == [(hit.chunk_id, hit.scores) for hit in meant.hits]
    assert respelt.corrected == {"databse": "database"} and respelt.query == "the databse"


@pytest.mark.parametrize("query", ["database", "xylophone", "refond", '"the databse"'])
def test_the_model_is_asked_once_where_nothing_is_corrected(library, embedded, query):
    search(None, query)
    assert len(embedded) == 1


def test_what_is_withdrawn_while_the_model_works_was_not_meant(library, monkeypatch):
    def withdrawing(text, role):
        if text == "database":
            DocumentFile.objects.filter(path="other.md").update(withdrawn_at=timezone.now())
        return query_vector.query_vector(text, role)

    monkeypatch.setattr(searching, "query_vector", withdrawing)
    result = search(None, "databse")

    assert result.did_you_mean is None and result.corrected == {}
    assert [hit.source_file for hit in result.hits] == ["guide.md"]
    assert not search(None, "databse").remembered, "the hits are near to another word than was asked for"


def test_another_word_is_offered_alone(indexed):
    indexed("rules", {"a.md": "# Rules\n\nWe may refuse an order.\n"})
    result = search(None, "refund", SearchOptions(mode="lexical"))

    assert (result.hits, result.corrected, result.did_you_mean) == ((), {}, "refuse")


def test_another_word_one_letter_away_is_not_searched_for(indexed):
    indexed("notes", {"a.md": "# A\n\nThe car is read by a true age.\n"})
    for word in ("cats", "bread", "trees", "wages"):
        assert search(None, word, SearchOptions(mode="lexical")).corrected == {}
    assert search(None, "bread").did_you_mean is None, "few slips are at the beginning of a short word"


def test_what_lacks_its_apostrophe_is_no_other_word(indexed):
    indexed("notes", {"a.md": "# A\n\nDon't say that it is done.\n"})

    assert search(None, "dont").did_you_mean is None and search(None, "donf").did_you_mean == "done"


def test_a_word_of_which_half_is_another_is_not_offered(indexed):
    indexed("notes", {"a.md": "# A\n\nThe code of a washing machine.\n"})

    assert search(None, "coffee machine").did_you_mean is None


@pytest.mark.parametrize(("typed", "meant"), [("datacenter", "data center"), ("Nodejs", "Node js")])
def test_one_word_finds_the_two_that_passages_write(indexed, typed, meant):
    said = {f"{n}.md": f"# Day {n}\n\nThe data of day {n}, in the center of town, and its notes.\n" for n in range(6)}
    indexed("notes", said | {"a.md": "# A\n\nCopies lie in the data centers, as Node.js wants it.\n"})
    result = search(None, typed, SearchOptions(mode="lexical"))

    assert result.corrected == {typed: meant} and result.did_you_mean == meant
    assert result.hits[0].source_file == "a.md"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("RFC6265", "RFC 6265"),
        ("by rfc6265, of course", "rfc 6265"),
        ("Anlage17", "Anlage 17"),
        ("RFC62", ""),
        ("RFC6265.pdf", ""),
        ("cookie6265", ""),
    ],
)
def test_a_name_and_its_number_are_found_where_passages_write_them_apart(indexed, typed, meant):
    says = "# Cookies\n\nA cookie is what RFC 6265 says, and Anlage 17; not RFC 6266.\n"
    indexed("notes", {"a.md": says, "b.md": "# Other\n\nOf other things, please see there.\n"})
    result = search(None, typed, SearchOptions(mode="lexical"))
    assert [*result.corrected.values()] == [meant] * bool(meant)
    assert not meant or result.hits[0].source_file == "a.md"


def test_words_that_no_passage_says_side_by_side_are_not_made_of_one(indexed):
    indexed("notes", {"a.md": "# A\n\nThe data of a town with a center.\n"})

    assert search(None, "datacenter").did_you_mean is None


@pytest.mark.parametrize(
    ("query", "meant"),
    [("télé-travail", None), ("tele work", None), ("tele-work", None), ("tele work bicylce", "bicycle")],
)
def test_the_parts_of_a_word_that_is_there_are_no_slips(indexed, query, meant):
    indexed("notes", {"a.md": "# A\n\nOn télétravail and telework: he travaille, the world by bicycle.\n"})

    assert search(None, query).did_you_mean == (meant and query.replace("bicylce", meant))


def test_of_words_with_one_stem_the_nearest_is_meant_though_others_say_the_other(indexed):
    several = {f"{n}.md": f"# Day {n}\n\nSeveral of the day {n}.\n" for n in range(9)}
    indexed("issues", several | {"z.md": "# Z\n\nThe severity of an issue.\n"})

    assert search(None, "severty").did_you_mean == "severity"
    assert search(None, "issue severty").did_you_mean == "issue severity"


def test_a_phrase_is_not_respelt_by_itself(library):
    result = search(None, '"the databse"', SearchOptions(mode="lexical"))

    assert result.hits == () and result.corrected == {} and result.did_you_mean


@pytest.mark.parametrize(
    "query", ["wheels", "wheel", "the", "xylophone", "12345678", "whe", "file:databse", "x -databse"]
)
def test_nothing_is_suggested_for_what_is_there_or_far_from_all(library, query):
    assert search(None, query).did_you_mean is None


@pytest.mark.parametrize("query", ["bite", "SIDE", "meels", "Datenbank fehlt siet", "xernel"])
def test_nothing_is_suggested_for_other_words_acronyms_and_other_languages(library, query):
    assert search(None, query).did_you_mean is None


@pytest.mark.parametrize(("query", "meant"), [("ahtabase", "database"), ("xonfiguration", "configuration")])
def test_a_slip_at_the_beginning_is_righted_where_the_rest_says_what_was_meant(library, query, meant):
    assert search(None, query).did_you_mean == meant


def test_a_filter_keeps_the_suggestion_inside(library):
    assert search(None, "databse file:guide.md").did_you_mean is None
    assert search(None, "databse file:other.md").did_you_mean == "database file:other.md"


def test_words_of_a_library_that_is_not_theirs_are_never_suggested(library, indexed, reader):
    secret = indexed("closed", {"a.md": "# Xylophone\n\nA saxophone and a database.\n"}, access=Library.Access.GROUPS)

    assert search(None, "saxophoen").did_you_mean == "saxophone"
    for user in (AnonymousUser(), reader):
        assert search(user, "saxophoen").did_you_mean is None
        assert search(user, "saxophoen library:closed").did_you_mean is None
    assert search(None, "saxophoen", SearchOptions(libraries=("handbook",))).did_you_mean is None
    assert secret.slug == "closed"


def test_a_withdrawn_or_replaced_text_suggests_nothing(library, documents):
    DocumentFile.objects.filter(path="other.md").update(withdrawn_at=timezone.now())
    assert search(None, "databse").did_you_mean is None
    DocumentFile.objects.filter(path="other.md").update(withdrawn_at=None)
    assert search(None, "databse").did_you_mean == "database"
    write(documents / "handbook", {"other.md": "# Other\n\nNothing.\n"})
    reindex(library)

    assert search(None, "databse").did_you_mean is None
    assert search(None, "database").did_you_mean is None  # the old segment holds it still


def test_each_language_has_its_own_lexemes(library, indexed):
    indexed("werkstatt", {"a.md": "# Bremse\n\nDie Schaltungen.\n"}, language="german")

    assert search(None, "Schaltugn").did_you_mean == "Schaltungen"


def test_a_search_does_not_wait_for_spelling(library, monkeypatch):
    """However many statements it takes: one limit holds for all of them together."""
    monkeypatch.setattr(
        spelling, "NEAR", "SELECT pg_sleep(0.3)::text, 1 FROM (SELECT %(lexeme)s, %(slips)s, %(segments)s, %(most)s) x"
    )
    result = search(None, "kangaroo wombat wheels", SearchOptions(patience=0.5))

    assert result.degraded == ("spelling",) and result.hits and result.did_you_mean is None


def test_candidates_are_found_by_the_trigram_index(library):
    segment = library.segments.get().pk
    with connection.cursor() as cursor:
        cursor.execute(MANY_LEXEMES, [segment])
        cursor.execute("SELECT gin_clean_pending_list('posting_trigrams'); ANALYZE knowledge_posting")
        cursor.execute(
            f"EXPLAIN {spelling.NEAR}", {"lexeme": "databs", "slips": ["datab"], "segments": [segment], "most": 5}
        )
        assert "posting_trigrams" in "\n".join(line for (line,) in cursor.fetchall())


def test_settings_of_the_suggestion_end_with_it(library):
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        before = cursor.fetchone()
        search(None, "databse")
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == before


def test_the_name_of_no_filter_is_not_taken_for_a_misspelt_word(indexed):
    """A note says already that there is no such filter, and which was meant."""
    indexed("handbook", {"guide.md": "# Forms\n\nThe form of a brake, and its brakes.\n"})
    assert search(None, "brake format").did_you_mean == "brake forms"
    result = search(None, "brake format:.py")
    assert result.did_you_mean is None and "“file:*.py”" in result.notes[0]


def test_short_stems_do_not_keep_a_slip_from_being_found(indexed):
    """Of `montage` the stems of mo, mon and monta are the beginning, and that of montaje is one letter off."""
    says = "# Disco\n\nMonta el disco, montad el disco: mon, mon, mo, mo.\n"
    indexed("manual", {"disco.md": says, "punto.md": "# Punto\n\nEl punto de montaje.\n"}, language="spanish")
    assert search(None, "punto de montage").corrected == {"montage": "montaje"}


@pytest.mark.parametrize("query", ["walks docs", "walks path:docs", "walks folder:Docs", '"walks" docs'])
def test_a_word_that_stands_in_a_path_is_no_slip(indexed, query):
    walks = "# Walks\n\nAt seven the dogs go for walks.\n"
    handbook, zoo = indexed("handbook", {"my_docs/guide.md": walks}), indexed("zoo", {"guide.md": walks})

    assert search(None, query, SearchOptions((handbook.slug,))).did_you_mean is None
    assert "dogs" in search(None, query, SearchOptions((zoo.slug,))).did_you_mean.lower()
