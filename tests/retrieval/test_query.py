"""The query language, as a specification. docs/search.md says it for people."""

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from retrieval import mcp
from retrieval.filtering.names import taken_for_words, unknown_filters
from retrieval.management.commands.search import QUERY
from retrieval.query import FIELDS, LONGEST_WRITTEN, clean, in_usual_width, parse
from retrieval.rest.serializers import SearchQuerySerializer


def told(query: str) -> list[str]:
    """Every term as `role field value`, with a minus where it is excluded."""
    return [
        " ".join(filter(None, [term.role, "-" * term.excluded + term.field, term.value])) for term in parse(query).terms
    ]


@pytest.mark.parametrize(
    "query",
    [
        "std::vector",
        "AbstractController::render",
        "http://example.org/a:b",
        "file://etc/passwd",
        "foo:bar",
        "lang::php",
        "file:",
        "-file:",
        "--dry-run",
        "-m",
        "-1",
        "-",
        "--",
        "a-b",
        "-_x",
        '""',
        '-""',
        '"...',
        '"?"',
        "x:file:y",
        "(file:y)",
        "don't",
        "„Fischglas“-artigen",
        "“unclosed phrase",
        "die“kleine Welt”",
        "“foo”.bar",
        "file(“a b”)",
        "“ ”",
        "Benutzername und -passwort",
        "pre- and -post treatment",
        "Kundennummer/ -name",
        "Kunden-, -daten",
        "C++",
        "!! | & :*",
    ],
)
def test_what_only_looks_like_an_operator_is_a_word(query):
    assert parse(query).text == query and not parse(query).operators


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("late return", ["word late", "word return"]),
        ('"late return"', ["phrase late return"]),
        ("“late return” bike", ["phrase late return", "word bike"]),
        ("«late return»", ["phrase late return"]),
        ("« late return »", ["phrase late return"]),
        ("»späte Rückgabe« Rad", ["phrase späte Rückgabe", "word Rad"]),
        ("What is “annual leave”?", ["word What", "word is", "phrase annual leave", "word ?"]),
        ("“annual leave”, “sick leave”.", ["phrase annual leave", "word ,", "phrase sick leave", "word ."]),
        ("was heißt „Ordner“: ein", ["word was", "word heißt", "phrase Ordner", "word :", "word ein"]),
        ("die (“kleine Welt”), x", ["word die", "word (", "phrase kleine Welt", "word ),", "word x"]),
        ("[«late return»]", ["word [", "phrase late return", "word ]"]),
        ("Rad -„späte Rückgabe“!", ["word Rad", "exclusion - späte Rückgabe", "word !"]),
        ("x file:“my file.md”?", ["word x", "filter file my file.md", "word ?"]),
        ("x -(“a b”)", ["word x", "word -(“a", "word b”)"]),
        ("Rad -„späte Rückgabe“", ["word Rad", "exclusion - späte Rückgabe"]),
        ("x file:“my file.md”", ["word x", "filter file my file.md"]),
        ('"a b"“c d”', ["phrase a b", "word “c", "word d”"]),
        ('say "hi"! now', ["word say", "phrase hi", "word !", "word now"]),
        ('print("hello world")', ['word print("hello', 'word world")']),
        ('"unclosed phrase', ['word "unclosed', "word phrase"]),
        ('one "two', ["word one", 'word "two']),
        ("bike -brake", ["word bike", "exclusion - brake"]),
        ('bike -"disc brake"', ["word bike", "exclusion - disc brake"]),
        ('"a b"-cd', ["phrase a b", "word -cd"]),
        ("x file:setup.rst", ["word x", "filter file setup.rst"]),
        ("x -file:setup.rst", ["word x", "filter -file setup.rst"]),
        ('file:"my file.md"', ["filter file my file.md"]),
        ('-library:"a b" x', ["filter -library a b", "word x"]),
        ("File:a LANG:php kind:code", ["filter file a", "filter lang php", "filter kind code"]),
        ("what does file:setup.rst say?", ["word what", "word does", "filter file setup.rst", "word say?"]),
        ("see file:setup.rst?", ["word see", "filter file setup.rst"]),
        ('file:"what?"', ["filter file what?"]),
        ('section:"::before"', ["filter section ::before"]),
        ("  a \n\t b\0c ", ["word a", "word b", "word c"]),
    ],
)
def test_a_query_is_words_phrases_exclusions_and_filters(query, terms):
    assert told(query) == terms


def test_the_text_is_what_is_looked_for():
    query = parse('how "long may" I -guest file:a library:b -"x y" keep it')

    assert query.text == "how long may I keep it"
    assert query.phrases == ("long may",)
    assert [term.value for term in query.exclusions] == ["guest", "x y"]
    assert query.values("file") == ("a",) and query.values("library") == ("b",) and query.values("lang") == ()


@pytest.mark.parametrize("query", ["file:docs/ -word", 'section:"a and" -word', "-file:guide/ -word", "lang:en -word"])
def test_what_follows_a_filter_is_no_half_of_a_word(query):
    assert [term.value for term in parse(query).exclusions] == ["word"] and not taken_for_words(parse(query))


@pytest.mark.parametrize("query", ["pump and -relay", "pump or -relay", "timeout / -relay", "en -relay pump"])
def test_a_dash_that_is_half_of_a_word_is_said_to_be_searched_for(query):
    (said,) = taken_for_words(parse(query))

    assert "“-relay” was searched for as a word" in said
    assert parse(query.replace("-relay", '-"relay"')).exclusions and '-"relay"' in said


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("pump NOT relay", "“NOT” was searched for as a word. Write -relay"),
        ("NOT relay", "“NOT” was searched for as a word. Write -relay"),
        ('"pump" OR "relay"', "“OR” was searched for as a word. Any of the words"),
        ("pump AND relay", "“AND” was searched for as a word."),
        ("pum*", "“pum*” was searched for as “pum”"),
    ],
)
def test_operators_of_other_search_engines_are_words_and_said_to_be(query, said):
    (note,) = taken_for_words(parse(query))

    assert note.startswith(said) and not parse(query).filters


@pytest.mark.parametrize(
    "query", ["a and b, or not", "OR pump", "pump AND", "AND", "2 * 3*", "file:pum*", '"a OR b"', "/*"]
)
def test_what_only_looks_like_an_operator_of_theirs_is_passed_over(query):
    assert taken_for_words(parse(query)) == ()


def test_an_exclusion_needs_something_to_be_taken_from():
    assert told("-Xmx512m") == ["word -Xmx512m"]
    assert told('-ab -"c d"') == ["word -ab", 'word -"c d"']
    assert told("file:a -ab") == ["filter file a", "exclusion - ab"]


def test_a_pasted_text_is_words():
    pasted = 'Traceback: File "/usr/lib/x.py", line 3 -verbose file:x ' * 10

    assert len(pasted) > LONGEST_WRITTEN and not parse(pasted).operators
    assert parse(pasted).written == pasted.strip()


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ('File "/srv/x.py", line 36, in roll', ['word File "/srv/x.py", line 36, in roll']),
        (
            'Traceback:  File "/srv/x.py", line 3, in roll   roll("now") -fast file:x',
            ['word Traceback: File "/srv/x.py", line 3, in roll roll("now") -fast file:x'],
        ),
        ('cannot open "a b"\nhint: -verbose', ['word cannot open "a b" hint: -verbose']),
        ('open "a b" -ab\nfile:x.md "c d"', ['word open "a b" -ab', "filter file x.md", 'word "c d"']),
    ],
)
def test_quotes_and_dashes_of_a_traceback_or_of_several_lines_are_their_own(query, terms):
    assert told(query) == terms and not taken_for_words(parse(query))


@pytest.mark.parametrize(
    "query",
    [
        'UserNotFoundError: user "42" does not exist',
        'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully',
        'requests.exceptions.InvalidSchema: No connection adapters were found for "ftp://example.org/x"',
        'Exception in thread "main" java.lang.NullPointerException: null',
        'TypeError [ERR_INVALID]: The "path" argument must be a string',
        'failed to read dockerfile: open "Dockerfile" -verbose',
        'Can\'t locate object method "plan" via package "App::Target" at bin/plan line 44.',
        'PHP Warning: Undefined array key "name" in /srv/index.php on line 12',
        './main.go:10:5: undefined: "roll" -race',
        'lua: http/client.lua:54: attempt to call method "connect"',
        '** (MatchError) no match of right hand side value: "x"',
    ],
)
def test_quotes_and_dashes_of_an_errors_message_are_its_own(query):
    assert told(f"{query} file:x.md") == [f"word {query}", "filter file x.md"]


@pytest.mark.parametrize(
    "query",
    [
        'error "late return"',
        'errors: "late return"',
        'UserNotFoundError "late return"',
        'docs.python: "late return"',
        'failed booking: "late return"',
        'error "late return" message: what to do',
        '"late return" Warning: what to do',
        '"late return" at the desk, line 2 of the form',
        'open 9:30: "late return"',
        'lending.md: "late return"',
    ],
)
def test_what_only_speaks_of_errors_asks_for_its_quote(query):
    assert parse(query).phrases == ("late return",)


@pytest.mark.parametrize(
    "query", ['"Warning: swollen battery" -deposit', "Failed deliveries 2026: -deposit", "fatal accidents: -deposit"]
)
def test_what_only_speaks_of_errors_leaves_out_what_is_not_wanted(query):
    assert [term.value for term in parse(query).exclusions] == ["deposit"]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("late return\nfile:x.md", ["word late", "word return", "filter file x.md"]),
        ('"late\nreturn"', ["phrase late return"]),
        ('"late return"\n-deposit', ["phrase late return", "exclusion - deposit"]),
        ('say "late return"\n', ["word say", "phrase late return"]),
        ('open "File", line 3', ["word open", "phrase File", "word ,", "word line", "word 3"]),
    ],
)
def test_what_several_lines_ask_for_they_ask_for(query, terms):
    assert told(query) == terms


@pytest.mark.parametrize(
    ("query", "sought"),
    [
        ("ＡＰＩ キー", "ＡＰＩ キー API"),
        ("ＨｔｔｐＫｅｒｎｅｌ の ２．０", "ＨｔｔｐＫｅｒｎｅｌ の ２．０ HttpKernel 2.0"),
        ("ﾃﾞｰﾀ", "ﾃﾞｰﾀ データ"),
        ("API データ ① ﬁ", "API データ ① ﬁ"),
        ("", ""),
    ],
)
def test_what_is_of_the_other_width_is_sought_as_most_texts_write_it_too(query, sought):
    assert in_usual_width(query) == sought


def test_a_term_can_be_taken_away():
    query = parse('bike "disc brake" -file:a.md')

    assert [query.without(term) for term in query.operators] == ["bike -file:a.md", 'bike "disc brake"']


def test_a_word_can_be_respelt_where_it_is_looked_for():
    query = parse('HttpKernl "brokn" brokne -brokn file:brokn')

    assert query.respelt({"Kernl": "Kernel", "brokn": "broken"}) == ('HttpKernel "broken" brokne -brokn file:brokn')
    assert query.respelt({}) == query.written


@pytest.mark.parametrize(
    ("query", "name", "meant"),
    [
        ("late return path:docs/", "path:", "file:docs/"),
        ("path:/docs late", "path:", "file:/docs"),
        ('path:"a b.md" late', "path:", 'file:"a b.md"'),
        ("late ext:pdf", "ext:", "file:*.pdf"),
        ("late -filetype:.pdf", "filetype:", "file:*.pdf"),
        ("late format:text/x-python", "format:", "kind:text/x-python"),
        ("late type:table", "type:", "kind:table"),
        ("late Language:php?", "language:", "lang:php"),
        ("late libary:handbook", "libary:", "library:handbook"),
        ("late after:2026", "after:", "updated:2026"),
    ],
)
def test_a_filter_of_another_name_is_a_word_and_says_so(query, name, meant):
    (said,) = unknown_filters(parse(query))

    assert f"“{name}”" in said and f"“{meant}”" in said
    assert said.split("There are ")[1].startswith(meant.split(":")[0]), "the nearest first"
    assert not parse(query).filters


def test_a_name_that_nothing_is_near_to_says_what_there_is():
    (said,) = unknown_filters(parse("late tag:new tag:old"))

    assert "Did you mean" not in said and "file:, library:, lang:, kind:, section: and updated:." in said


@pytest.mark.parametrize(
    "query",
    [
        "std::vector http://x.org:80/a https://y a:b foo:bar Note: this path: is",
        "type::of type:string path://x C:\\x localhost:8080 line:12 session:abc 12:30 x=path:y {format:.2f}",
        "file:a.md kind:code file: -file: library:x section:y",
        "was heißt „Ordner“: x? و:ب 時:間 🚲:🚲",
        "pasted path:docs/ " * 40,
    ],
)
def test_code_and_prose_with_colons_say_nothing_of_filters(query):
    assert unknown_filters(parse(query)) == ()


PIECES = st.sampled_from(
    ['"', "“", "”", "-", "file:", "library:", "lang:", "kind:", " ", "a", "é", "🦉", "\0", "\ud800", "*", "\n"]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_no_query_raises_and_none_loses_a_letter(text):
    query = parse(text)

    assert query.written.replace(" ", "") == clean(text).replace(" ", "")
    assert all(term.value in term.written for term in query.terms)
    assert isinstance(unknown_filters(query), tuple)
    assert all(len(query.without(term)) < len(query.written) for term in query.operators)


@pytest.mark.parametrize(
    "told",
    [
        lambda: (settings.BASE_DIR / "docs/search.md").read_text(),
        lambda: (settings.BASE_DIR / "templates/parts/search_help.html").read_text(),
        lambda: QUERY,
        lambda: SearchQuerySerializer().fields["q"].help_text,
        lambda: mcp.search.__doc__,
    ],
    ids=["document", "page", "command", "REST", "MCP"],
)
def test_wherever_the_language_is_told_every_filter_is(told):
    assert [field for field in FIELDS if f"{field}:" not in told()] == []


@pytest.mark.parametrize(("written", "value"), [("file:/docs/v?", "/docs/v"), ('file:"/docs/v?"', "/docs/v?")])
def test_a_question_mark_at_the_end_is_a_values_own_in_quotes_alone(written, value):
    assert parse(f"what says {written}").values("file") == (value,)
