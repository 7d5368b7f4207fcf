"""What a query's filters, phrases and exclusions leave, on the real Postgres."""

from unicodedata import normalize

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.utils import timezone

from knowledge.models import DocumentFile, Library
from retrieval import lexical, vector
from retrieval.filtering import columns, options, phrases
from retrieval.filtering.fields import NAMES, SPELLINGS, either, language_name
from retrieval.filtering.files import are_called
from retrieval.matrices import Matrix, signs_of
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.view import UnknownLibrary
from tests.conftest import forget_views, reindex
from tests.retrieval.test_search import PROSE
from tests.retrieval.test_vector import unit

FILES = {
    "guides/brakes.md": "# Brakes\n\nPull the brake lever hard and hold it.\n\n## Pads\n\nReplace worn pads at once.\n",
    "guides/chain.md": "# Chain\n\nOil the chain. The lever of the tool is hard.\n",
    "reference/Brakes.rst": "Disc brakes\n===========\n\nHold the lever; brake pads wear.\n\n"
    ".. code-block:: yaml\n\n    brake: disc\n",
    "shop.py": 'def brake_price(pads):\n    """What new pads cost."""\n    return pads * 7\n',
    "prices.md": "# Prices\n\n| Part | Price |\n|--|--|\n| pads | 7 |\n| lever | 9 |\n",
}


@pytest.fixture
def library(indexed):
    return indexed("workshop", FILES)


def paths(query, mode="lexical", user=None, **options):
    found = search(user, query, SearchOptions(mode=mode, top_k=50, **options)).hits
    return sorted({hit.source_file for hit in found})


@pytest.mark.parametrize(
    ("value", "path", "is_named"),
    [
        ("brakes.md", "guides/brakes.md", True),
        ("guides/brakes.md", "guides/brakes.md", True),
        ("GUIDES", "guides/brakes.md", True),
        ("guides/", "guides/brakes.md", True),
        ("/guides", "guides/brakes.md", True),
        ("/brakes.md", "guides/brakes.md", False),
        ("brakes", "guides/brakes.md", False),
        ("akes.md", "guides/brakes.md", False),
        ("*.md", "guides/brakes.md", True),
        ("*.md", "guides/brakes.mdx", False),
        ("brakes.*", "guides/brakes.md", True),
        ("rakes.*", "guides/brakes.md", False),
        ("g*/b?akes.md", "guides/brakes.md", True),
        ("**/brakes.md", "brakes.md", True),
        ("/g*.md", "guides/brakes.md", True),
        ("/b*.md", "guides/brakes.md", False),
        ("guides/*/", "guides/deep/a.md", True),
        ("[ab]*.md", "guides/brakes.md", True),
        ("[", "a[b.md", False),
        ("page [id].md", "app/page [id].md", True),
        ("/app/[id]/", "app/[ID]/page.tsx", True),
        ("app/[...all].ts", "app/[...all].ts", True),
        ("[id].md", "i.md", True),
        ("/", "a.md", True),
        ("docs\\a.md", "docs/a.md", True),
    ],
)
def test_a_path_is_named_by_its_parts_or_by_a_pattern(value, path, is_named):
    assert either([value])(f"/{path.casefold()}/") is is_named


def test_no_pattern_takes_long():
    worst = either(["*a" * 190 + "!", "[" * 390, "?*" * 190 + "!", "(a+)+$*"])
    assert not any(worst(f"/{'a' * 990}{number}/") for number in range(200))  # for ever, were they tried one by one


@pytest.mark.parametrize("mode", PROSE)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lever file:guides", ["guides/brakes.md", "guides/chain.md"]),
        ("pads file:*.py", ["shop.py"]),
        ("pads file:*.py file:prices.md", ["prices.md", "shop.py"]),
        ("pads -file:*.md lang:yaml", ["reference/Brakes.rst"]),
        ("pads lang:python", ["shop.py"]),
        ("pads lang:PY", ["shop.py"]),
        ("pads lang:yml", ["reference/Brakes.rst"]),
        ("pads kind:code -lang:py", ["reference/Brakes.rst"]),
        ("pads kind:table", ["prices.md"]),
        ("pads kind:text/x-python", ["shop.py"]),
        ("pads kind:code -lang:python", ["reference/Brakes.rst"]),
        ("pads lang:klingon", []),
        ('"brake lever"', ["guides/brakes.md"]),
        ("lever -chain file:guides", ["guides/brakes.md"]),
    ],
)
def test_every_mode_finds_within_what_is_left(library, mode, query, expected):
    assert paths(query, mode) == expected


def test_text_is_in_the_language_of_its_library_and_code_in_its_own(library, indexed):
    indexed("werkstatt", {"bremse.md": "# Bremse\n\nHebel ziehen.\n"}, language="german")

    assert paths("lang:german") == ["bremse.md"]
    assert "shop.py" not in paths("lang:english") and "prices.md" in paths("lang:english")


def test_a_language_that_nothing_is_in_is_said_with_those_that_are_there(library):
    (said,) = search(None, "pads lang:rb").notes

    assert said.startswith("Nothing here is in the language “rb”. There are: english, ")
    assert {"python", "yaml"} <= set(said.removesuffix(".").partition(": ")[2].split(", "))
    assert search(None, "pads lang:Python lang:py -lang:c++").notes == ()


def test_languages_that_are_there_are_said_once_each(indexed):
    code = {f"{name}.md": f"# {name}\n\n```{name}\nput()\n```\n" for name in ("jsx", "js", "ts", "TSX")}
    indexed("site", code)
    (said,) = search(None, "put lang:rb").notes
    assert sorted(said.removesuffix(".").partition(": ")[2].split(", ")) == ["javascript", "typescript"]


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("py", "python"),
        ("ts", "typescript"),
        ("tsx", "typescript"),
        ("jsx", "javascript"),
        ("c++", "cpp"),
        ("sh", "bash"),
    ],
)
def test_a_language_is_known_by_its_short_names(short, name):
    assert language_name(short.upper()) == language_name(name) == name


def test_a_symbol_of_code_is_named_as_it_is_or_with_its_class(indexed):
    methods = "\n".join(f"    def step_{n}(self):\n        return {n}\n" for n in range(20))
    indexed(
        "web",
        {
            "view.py": f"class View:\n{methods}\n    def dispatch(self):\n        return 1\n",
            "notes.md": "# A b.dispatch\n\nc\n",
        },
    )

    for name in ("dispatch", "Dispatch", "View.dispatch"):
        hits = search(None, f"section:{name}", SearchOptions(top_k=50)).hits
        assert [(hit.source_file, hit.section_title) for hit in hits] == [("view.py", "View.dispatch")]
    assert paths("section:py") == []


def test_a_symbol_without_a_section_of_its_own_is_found_in_the_one_that_it_stands_in(indexed):
    other = "    def other(self):\n        return 1\n"
    methods = "\n".join(f"    def step_{n}(self):\n        return {n}\n" for n in range(20))
    factory = f"class Factory:\n    def create_client(self):\n        return 1\n\n{other}"
    indexed("web", {"factory.py": factory, "view.py": f"class View:\n{methods}\n{other}"})

    for name in ("create_client", "Factory.create_client"):
        assert paths(f"section:{name}") == ["factory.py"]
    hits = search(None, "section:other", SearchOptions(top_k=50)).hits
    assert [hit.section_title for hit in hits] == ["Factory", "View.other"]


def test_no_short_name_is_of_two_languages():
    assert sum(len(names.split()) for names in SPELLINGS) == len(NAMES)


def test_a_phrase_is_said_in_this_order_in_any_form_of_its_words(library):
    assert paths('"replacing worn pad"') == ["guides/brakes.md"]
    assert paths('"pads worn"') == [] and paths("pads worn") != []
    assert paths('"brake_price"') == ["shop.py"]
    assert paths('"disc brakes"') == ["reference/Brakes.rst"]  # a title says it


def test_an_identifier_in_quotes_is_said_as_it_is_spelt_in_any_capitals(indexed):
    said = {"a.md": "PYTEST_ADDOPTS", "b.md": "pytest_addoption", "c.md": "pytestAddopts"}
    indexed("notes", {name: f"# {name}\n\nSet {text} there.\n" for name, text in said.items()})

    assert paths('"pytest_addopts"') == ["a.md"] and paths('"PytestAddopts"') == ["c.md"]
    assert paths('set -"PYTEST_ADDOPTS"') == ["b.md", "c.md"]
    assert paths("PYTEST_ADDOPTS", mode="lexical") == ["a.md", "b.md", "c.md"]


def test_a_phrase_does_not_reach_from_a_title_into_the_text(library):
    assert paths('"brakes pull"') == []


def test_two_phrases_must_both_be_said(library):
    assert paths('"brake lever" "hold it"') == ["guides/brakes.md"]
    assert paths('"brake lever" "worn pads"') == []


def test_an_exclusion_takes_every_form_of_its_word(library):
    assert paths('lever -"brake lever" file:guides') == ["guides/chain.md"]
    assert paths("lever -braking") == ["guides/chain.md", "prices.md"]
    assert "shop.py" not in paths("pads -brake_price")


COMMANDS = {
    "backup.md": "# Backups\n\nUnpack one: `tar -xzf monday.tar.gz`\n\n    find . -name '*.log'\n",
    "java.md": "# java\n\nOptions:\n\n- `-jar` file: what to run\n",
    "sea.md": "# Sea\n\nThe tide follows the moon. Its sun- and -moon cycles take a month.\n",
    "other.md": "# Others\n\nA tar of names, and a tide without it.\n",
    "vertrag.md": "# Verträge\n\nVertragsabschluss, -änderung und -kündigung.\n",
}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("tar -xzf backup.tar.gz", "tar -xzf backup.tar.gz"),
        ("how do I tar -xzf it", "how do I tar -xzf it"),
        ("find /var/log -name", "find /var/log -name"),
        ("java -jar portal.jar", "java -jar portal.jar"),  # under its title
        ("tide -moon", "tide"),
        ("tar -names", "tar"),
        ("tide -xzf", "tide"),  # beside another word
        ('tar -"xzf"', "tar"),
        ("the -xzf", "the"),
        ("Vertragsabschluss -änderung", "Vertragsabschluss"),
    ],
)
def test_an_option_that_passages_write_so_is_a_word_and_said_to_be(indexed, query, words):
    indexed("commands", COMMANDS)
    found = search(None, query, SearchOptions(mode="lexical"))
    is_word = words == query
    assert found.understood.text == words and bool(found.understood.exclusions) is not is_word
    assert [note for note in found.notes if "because passages write it so" in note] == list(found.notes) * is_word


@pytest.mark.parametrize(("read", "times"), [(1, 1), (100, 0)], ids=["once", "not where all that hold one are read"])
def test_what_stands_beside_many_exclusions_is_scored(indexed, monkeypatch, read, times):
    indexed("commands", {f"{n}.md": f"# Tar {n}\n\nThe wheel and xzf.\n" for n in range(3)})
    asked = []
    monkeypatch.setattr(options, "READ", read)
    monkeypatch.setattr(options, "scores", lambda looked_up: asked.append(looked_up) or lexical.scores(looked_up))
    search(None, "tar -xzf -wheel -moon", SearchOptions(mode="lexical"))
    assert len(asked) == times


def test_an_option_is_not_shown_as_an_exclusion(indexed, client):
    indexed("commands", COMMANDS)
    shown = client.get("/search", {"q": "tar -xzf -wheel backup.tar.gz"}).content.decode()
    assert "Search without -wheel" in shown and "Search without -xzf" not in shown


def test_filters_alone_list_by_path_and_place(library):
    hits = search(None, "file:guides").hits

    places = [(hit.source_file, hit.line_start) for hit in hits]
    assert places == sorted(places) and {path for path, _ in places} == {"guides/brakes.md", "guides/chain.md"}
    assert all(set(hit.ranks.values()) == {None} for hit in hits)
    assert paths("file:guides -chain") == ["guides/brakes.md"]
    assert len(search(None, "library:workshop", SearchOptions(top_k=3)).hits) == 3


def test_filters_can_be_explained(library):
    for query in ("file:guides", "lever file:guides", "lever -chain", '"brake lever"'):
        result = search(None, query, SearchOptions(explain=True, why_not="shop.py", top_k=2))
        assert all(hit.explain for hit in result.hits) and result.why_not
    assert search(None, "lever file:guides", SearchOptions(why_not="shop.py")).why_not[0].status == "filtered"


def test_what_a_phrase_or_exclusion_cannot_do_is_said(library):
    result = search(None, '"the of" lever -"is the"')

    assert len(result.notes) == 2 and all("left out" in note for note in result.notes) and result.hits
    assert "There is no kind “poem”" in search(None, "lever kind:poem").notes[0]
    assert "“yesterday” is no year" in search(None, "lever updated:yesterday").notes[0]
    assert "“2026-13” is no year" in search(None, "lever updated:2026-13").notes[0]
    assert "“2026-02-30” is no year" in search(None, "lever updated:2026-02-30").notes[0]
    assert search(None, "lever updated:2026-11").notes == ()
    assert not search(None, "lever updated:2").hits and search(None, "lever -updated:2").hits, "that is no year"
    assert "No filter is called “format:”" in search(None, "lever format:md").notes[0]


def test_a_score_is_the_same_with_and_without_a_filter(library):
    options = SearchOptions(mode="lexical")
    everywhere = {hit.chunk_id: hit.scores["lexical"] for hit in search(None, "lever", options).hits}
    narrowed = {hit.chunk_id: hit.scores["lexical"] for hit in search(None, "lever file:guides", options).hits}

    assert narrowed and narrowed.items() < everywhere.items()


@pytest.mark.parametrize("mode", PROSE)
def test_a_filter_never_leaves_too_few_rows(indexed, mode):
    many = {f"loud/{n:02}.md": f"# {n}\n\nlever lever lever lever {n}\n" for n in range(40)}
    indexed("crowd", many | {f"quiet/{n}.md": f"# {n}\n\nA lever, among many other words {n}.\n" for n in range(5)})

    hits = search(None, "lever file:quiet", SearchOptions(mode=mode, depth=5, top_k=5)).hits
    assert [hit.source_file[:6] for hit in hits] == ["quiet/"] * 5


def test_a_library_is_named_in_the_query(indexed):
    for slug in ("one", "two", "three"):
        indexed(slug, {"a.md": f"# Moon\n\nThe moon of {slug}.\n"})

    def libraries(query, **options):
        result = search(None, query, SearchOptions(**options))
        assert {hit.library for hit in result.hits} <= {found.slug for found in result.libraries}
        return [found.slug for found in result.libraries]

    assert libraries("moon library:one") == ["one"]
    assert libraries("moon library:one library:TWO") == ["one", "two"]
    assert libraries("moon -library:one") == ["three", "two"]
    assert libraries("moon library:one", libraries=("one", "two")) == ["one"]
    assert libraries("moon library:three", libraries=("one", "two")) == []
    with pytest.raises(UnknownLibrary):
        search(None, "moon library:one", SearchOptions(libraries=("nowhere",)))


def test_capitals_make_no_difference_to_names(indexed):
    """Nor do letters that have several small ones."""
    indexed("Handbook", {"a.md": "# Größe\n\nThe moon is large.\n\n# Οδηγός\n\nThe moon is far.\n"})
    indexed("other", {"a.md": "# Moon\n\nThe moon.\n"})

    assert {hit.library for hit in search(None, "moon library:handbook").hits} == {"Handbook"}
    assert {hit.library for hit in search(None, "moon -library:HANDBOOK").hits} == {"other"}
    for asked, title in (("Größe", "Größe"), ("GRÖßE", "Größe"), ("Οδηγός", "Οδηγός"), ("οδηγος", "Οδηγός")):
        assert [hit.breadcrumb[-1] for hit in search(None, f"moon section:{asked}").hits] == [title]


def test_of_the_tree_filters_alone_list_each_section_once(indexed):
    indexed("long", {"a.md": "# One\n\n" + "Many words about the moon. " * 400 + "\n\n# Two\n\nFew.\n"})
    assert len(search(None, "file:a.md", SearchOptions(mode="hybrid")).hits) > 2
    assert [hit.breadcrumb[-1] for hit in search(None, "file:a.md", SearchOptions(mode="tree")).hits] == ["One", "Two"]


def test_a_library_that_was_not_chosen_is_said_to_be_there_to_who_may_read_it(library, indexed, reader):
    indexed("one", {"a.md": "# A\n\nThe lever.\n"})
    indexed("closed", {"a.md": "# A\n\nThe lever.\n"}, access=Library.Access.GROUPS)
    chosen = SearchOptions(libraries=("workshop",))
    notes = [search(reader, f"lever library:{slug}", chosen).notes for slug in ("One", "closed", "nowhere")]

    assert notes == [
        ("“One” is not among the libraries chosen.",),
        ("There is no library “closed” to search.",),
        ("There is no library “nowhere” to search.",),
    ]


def test_a_library_that_is_not_theirs_is_like_one_that_is_not_there(library, indexed, reader):
    indexed("closed", {"a.md": "# Lever\n\nA secret lever.\n"}, access=Library.Access.GROUPS)

    for user in (AnonymousUser(), reader):
        foreign, missing = (search(user, f"lever library:{slug}") for slug in ("closed", "nowhere"))
        assert foreign.hits == missing.hits == () and foreign.libraries == missing.libraries == ()
        assert [note.replace("closed", "nowhere") for note in foreign.notes] == list(missing.notes) != []


@pytest.mark.parametrize(("query", "libraries"), [("tide", ("new",)), ("tide library:new", ())])
def test_a_library_that_was_never_built_is_said_to_have_nothing_yet(library, query, libraries):
    Library.objects.create(slug="new", name="New", kind="uploads")
    result = search(None, query, SearchOptions(libraries))
    assert result.notes == ("Nothing of “new” can be searched yet: it has no active snapshot.",)
    assert result.hits == () and search(None, "lever").notes == ()


def test_an_evaluation_corpus_is_searched_when_it_is_named(library):
    Library.objects.filter(pk=library.pk).update(kind=Library.Kind.CORPUS)

    assert paths("lever") == [] and paths("lever library:workshop") != []


@pytest.mark.parametrize("query", ["file:guides", '"brake lever"', "lever file:brakes.md"])
def test_a_withdrawn_file_is_not_found_by_filters_either(library, query):
    assert "guides/brakes.md" in paths(query)
    DocumentFile.objects.filter(path="guides/brakes.md").update(withdrawn_at=timezone.now())

    assert "guides/brakes.md" not in paths(query)


def test_what_is_remembered_is_what_would_be_read(library):
    queries = ('"brake lever"', "pads kind:code", "pads file:*.md", '-"brake lever" lever')
    before = [paths(query) for query in queries]
    forget_views()
    for cache in (columns._files, columns._passages, phrases._phrases):
        cache.clear()

    assert [paths(query) for query in queries] == before


def test_beyond_what_is_read_a_phrase_is_said_to_be_uncertain(indexed, monkeypatch):
    monkeypatch.setattr(phrases, "CHECKED", 3)
    monkeypatch.setattr(phrases, "READ_AT_ONCE", 2)
    indexed("much", {f"{n}.md": f"# {n}\n\nThe lever of a brake {n}.\n" for n in range(8)} | {"x.md": "brake lever\n"})

    with_it, without_it = search(None, '"brake lever"'), search(None, 'lever -"brake lever"')
    assert "x.md" in [hit.source_file for hit in with_it.hits] and "were read" in with_it.notes[0]
    assert "x.md" not in [hit.source_file for hit in without_it.hits] and "were read" in without_it.notes[0]
    assert without_it.hits and len(without_it.hits) == 2


@pytest.mark.parametrize("options", [{}, {"mode": "code"}], ids=["all", "code"])
def test_of_a_phrase_what_filters_leave_is_read(indexed, monkeypatch, options):
    monkeypatch.setattr(phrases, "CHECKED", 3)
    monkeypatch.setattr(phrases, "READ_AT_ONCE", 2)
    long = f"# Z\n\nPull the brake lever.{' Many other words follow.' * 20}\n"
    files = {f"{n}.md": f"# {n}\n\nThe lever of a brake {n}.\n" for n in range(8)} | {"z.md": long}
    indexed("much", files | {"z.py": f'def pull():\n    """{long}"""\n'})
    wanted = "z.py" if options else "z.md"
    assert "were read" in search(None, '"brake lever"', SearchOptions()).notes[0]

    found = search(None, '"brake lever"' + ("" if options else " file:z.md"), SearchOptions(**options))
    assert {hit.source_file for hit in found.hits} == {wanted} and found.notes == ()
    without = search(None, f'lever -"brake lever" file:0.md file:{wanted}', SearchOptions())
    assert {hit.source_file for hit in without.hits} == {"0.md"} and without.notes == ()


@pytest.mark.parametrize("query", ['"brake lever"', 'lever -"brake lever" -"lever brake"'])
def test_all_phrases_of_a_query_together_take_a_while_at_most(library, monkeypatch, query):
    phrases._phrases.clear()
    monkeypatch.setattr(phrases, "MAY_TAKE", 0.0)
    found = search(None, query)
    assert "0 likeliest were read" in found.notes[0] and not any("brake lever" in hit.text for hit in found.hits)
    monkeypatch.undo()
    assert search(None, query).notes == (), "what was not read is not remembered"


def test_phrases_go_to_postgres_as_data(library):
    for query in ('"lever\' & !brake | (x:*)"', '"a <-> b"', '"\'); DROP TABLE x; --"', '"\\\\"', "file:%", "file:'"):
        assert search(None, query).degraded == ()


@pytest.mark.parametrize("share", [0.001, 0.05, 0.5, 0.9])
def test_the_nearest_by_signs_are_the_nearest_of_those_allowed(share):
    generator = np.random.default_rng(3)
    centres = unit(generator.normal(size=(80, 384)))
    vectors = unit(centres[generator.integers(0, 80, 40_000)] + generator.normal(scale=0.04, size=(40_000, 384)))
    mean = vectors.mean(axis=0)
    coarse = Matrix(vectors.astype(np.float16), len(vectors), mean, signs_of(vectors, mean))
    allowed, shares = generator.random(len(vectors)) < share, []
    for query in vectors[::2000]:
        found = vector.cosines_of(coarse, query, np.empty(0, np.int64), 200, allowed)
        assert (found[~allowed] == vector.UNKNOWN).all()
        assert (found > vector.UNKNOWN).sum() >= min(200, allowed.sum())
        true = np.where(allowed, vectors @ query, -1)
        shares.append(len(set(np.argsort(-true)[:10]) & set(np.argsort(-found)[:10])) / 10)
    assert np.mean(shares) >= 0.98


def test_nothing_allowed_is_nothing_found_by_signs():
    vectors = unit(np.random.default_rng(1).normal(size=(50, 64)))
    matrix = Matrix(vectors, 50, vectors.mean(axis=0), signs_of(vectors, vectors.mean(axis=0)))

    found = vector.cosines_of(matrix, vectors[0], np.empty(0, np.int64), 5, np.zeros(50, bool))
    assert (found == vector.UNKNOWN).all()


def test_postings_of_each_language_are_asked_by_its_own_lexemes(library, indexed):
    indexed("werkstatt", {"bremse.md": "# Bremse\n\nDie Bremsen und der Hebel.\n"}, language="german")

    assert paths('"Bremse und der Hebel"') == ["bremse.md"]
    assert "bremse.md" not in paths("Hebel -Bremse lever")


def test_a_quote_of_words_that_a_language_does_not_count_asks_nothing_of_its_libraries(library, indexed):
    indexed("werkstatt", {"bremse.md": "# Bremse\n\nHebel ziehen.\n"}, language="german")

    assert paths('"how to" lever', libraries=("workshop",)) == paths('"how to" lever') != []
    assert paths('lever -"how to"') == paths("lever") != []
    assert paths('"how to" Hebel') == [], "German has these words"


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_letter_and_its_accent_are_one_however_they_are_written(indexed, form):
    words = "Brems\u00adhebel ma\u00e7on", "\u00c9tau"
    files = {
        f"{of.lower()}/R\u00e9glage.md": f"# {words[1]}\n\nA {words[0]} of {of}.\n\n## Other\n\nNothing.\n"
        for of in ("NFC", "NFD")
    }
    indexed("atelier", {normalize(path[:3].upper(), path): normalize(path[:3].upper(), files[path]) for path in files})
    both = sorted(normalize(path[:3].upper(), path) for path in files)

    asked = (
        "ma\u00e7on",
        "Bremshebel",
        '"bremshebel ma\u00e7on"',
        "file:r\u00e9glage.md",
        "file:r\u00e9*",
        "section:\u00e9tau",
    )
    assert [paths(normalize(form, query)) for query in asked] == [both] * len(asked)
    assert paths("nothing", files=(normalize(form, "R\u00e9glage.md"),)) == both


def test_a_quote_that_no_passage_says_is_said_to_be_one(library):
    (said,) = search(None, 'lever "hard brake"').notes

    assert "“hard brake” word for word" in said and "Without the quotes" in said
    assert search(None, 'lever "brake lever"').notes == ()
    assert "word for word" not in "".join(search(None, '"brake lever" file:none.md').notes)


def test_an_errors_message_is_looked_for_where_other_names_stand_in_its_quotes(indexed):
    indexed("service", {"user.py": 'raise UserNotFoundError(f"user {name} does not exist")\n', "a.md": "# Week 42\n"})

    assert paths('UserNotFoundError: user "42" does not exist') == ["a.md", "user.py"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("lever file:data.db?mode=ro", '“data.db?mode=ro”. "file:data.db?mode=ro" looks for these words'),
        ('lever file:"data.db"', "“data.db”."),
        ("lever file:chain.md file:data.db", "“data.db”."),
        ("lever file:cha", '“cha”. file:"*cha*" finds what holds it in its path. "file:cha" looks for'),
    ],
)
def test_a_file_that_is_not_there_is_said_to_be_none(library, query, said):
    (note,) = search(None, query, SearchOptions(mode="lexical")).notes
    assert note.startswith("Nothing here is of a file") and said in note
    assert search(None, "lever -file:data.db file:*.md", SearchOptions(mode="lexical")).notes == ()


@pytest.mark.parametrize(
    ("query", "meant", "said"),
    [
        ("chain.md", "file:chain.md", "“chain.md” is the name of a file here, guides/chain.md: file:chain.md shows"),
        ("BRAKES.RST?", "file:BRAKES.RST", "a file here, reference/Brakes.rst:"),
        ("guides/chain.md library:workshop", "file:guides/chain.md library:workshop", "guides/chain.md: file:guides"),
        ("/prices.md", "file:/prices.md", "a file here, prices.md:"),
        ("shop.py", "file:shop.py", "several files here:"),
        ("chain.md -wax", "file:chain.md -wax", "“chain.md” is the name of a file here, guides/chain.md:"),
        ("-file:prices.md chain.md", "-file:prices.md file:chain.md", "guides/chain.md: file:chain.md shows"),
    ],
)
def test_a_files_name_leads_to_the_file(library, indexed, query, meant, said):
    indexed("store", {"tills/shop.py": "def open_till():\n    return 1\n"})
    result = search(None, query)

    assert result.did_you_mean == meant and said in result.notes[0]
    assert search(None, result.did_you_mean).hits and not search(None, result.did_you_mean).notes


@pytest.mark.parametrize(
    "query",
    ["Opening Hours.md", "opening hours.md?", '"Opening Hours.md"', "file:opening hours.md", "open/opening hours.md"],
)
def test_a_files_name_may_have_spaces(indexed, query):
    indexed("town", {"open/Opening Hours.md": "# A\n\nFrom ten.\n", "hours.md": "# B\n\nOpening hours.\n"})
    result = search(None, f"{query} library:town")

    assert "open/Opening Hours.md" in " ".join(result.notes) and result.did_you_mean.endswith("library:town")
    assert [hit.source_file for hit in search(None, result.did_you_mean).hits] == ["open/Opening Hours.md"]


@pytest.mark.parametrize("query", ["hain.md", "ch_in.md", "/chain.md", "chain.md lever", '"chain.md"', "chain", "3.11"])
def test_what_is_no_files_name_leads_to_none(library, query):
    result = search(None, query)

    assert not any("file:" in one for one in (*result.notes, result.did_you_mean or ""))


def test_no_file_is_named_to_who_may_not_read_it(library, indexed, reader, documents):
    closed = indexed("closed", {"ballot.md": "# A\n\nA lever.\n", "left.md": "# B\n"}, access=Library.Access.GROUPS)
    old, notes = closed.active_snapshot.number, search(reader, "nowhere.md").notes

    assert search(reader, "ballot.md").notes == notes and search(reader, "ballot.md").did_you_mean is None
    assert search(None, "ballot.md", SearchOptions(("workshop",))).notes == notes
    assert search(None, "ballot.md").did_you_mean
    (documents / "closed" / "left.md").unlink()
    reindex(closed)
    assert search(None, "left.md").notes == notes and search(None, "left.md", SearchOptions(("closed",), snapshot=old))
    DocumentFile.objects.filter(path="ballot.md").update(withdrawn_at=timezone.now())
    assert search(None, "ballot.md").notes == notes


def test_a_files_name_is_looked_up_by_an_index(library):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    for name in ("chain.md", "/guides/chain.md"):
        assert "file_path_trigrams" in DocumentFile.objects.filter(are_called(name)).order_by().explain()
