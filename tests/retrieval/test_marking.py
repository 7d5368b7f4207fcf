import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.templatetags.wording import lines, told
from retrieval.notices import excerpt, notice
from retrieval.preview import preview
from retrieval.templatetags.searching import found_by, marked, milliseconds, shortened, trail
from tests.retrieval.answering_fakes import make_hit
from tests.retrieval.rendering.test_document_lines import text_of


def test_marks_the_words_of_the_query_in_all_their_forms():
    assert marked("Borrowing a bike", "bikes borrowed") == "<mark>Borrowing</mark> a <mark>bike</mark>"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Feuerlöscher", "Feuerloescher"),
        ("Feuerloescher", "Feuerlöscher"),
        ("Übernachtung", "uebernachtungen"),
        ("Müller", "Mueller"),
        ("Müller", "Müller"),
        ("Schlüssel", "Schlussel"),
        ("hôtel", "hotel"),
        ("Núñez", "nunez"),
        ("Straße", "strasse"),
        ("Pru\u0308fbericht", "Prüfbericht"),
        ("U\u0308berpru\u0308fung", "überprüfung"),
        ("ÜBERSICHT", "Übersicht"),
        ("İSTANBUL", "istanbul"),
        ("Iğdır", "IĞDIR"),
        ("Łódź", "lodz"),
        ("cœur", "coeur"),
        ("الإجازة", "الاجازة"),
        ("الْمَكْتَبَة", "المكتبة"),
        ("1.500", "1500"),
        ("12,50", "12.50"),
        ("3 000", "3.000"),
        ("जुर्माना", "जुर्माना"),
        ("জরিমানা", "জরিমানা"),
        ("தண்டனை", "தண்டனை"),
        ("3.12.1", "3.12"),
        ("50km", "50 km"),
        ("12hz", "hz 12"),
    ],
)
def test_marks_a_word_whichever_way_its_accents_are_written(text, query):
    assert marked(f"Der {text}.", query) == f"Der <mark>{text}</mark>."
    assert text in preview(f"{'and so on ' * 50}{text}{' and so on' * 50}", query)


@pytest.mark.parametrize("query", ["version 3.11", "C++"])
def test_a_long_run_of_digits_costs_no_more_where_a_version_is_asked_for(query):
    digits = "7" * 120_000  # a minute and more, had each digit begun a number of its own
    assert preview(digits, query) and digits in marked(digits, query)


def test_marks_initials_though_each_of_them_says_nothing():
    assert marked("by AT&T at", "at&t") == "by <mark>AT&amp;T</mark> at"
    assert "AT&T" in preview(f"{'and so on ' * 50}AT&T{' and so on' * 50}", "AT&T")


def test_does_not_mark_the_words_that_say_nothing():
    assert marked("How can the bike", "how can the") == "How can the bike"


def test_what_says_nothing_in_another_language_is_marked():
    assert marked("The war museum", "the war museum", "en") == "The <mark>war</mark> <mark>museum</mark>"
    assert marked("Wie war das Museum", "wie war das Museum", "de") == "Wie war das <mark>Museum</mark>"
    assert marked("The war museum", "the war museum", "eo") == "The war <mark>museum</mark>"


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("a HttpKernel b", "http kernel", "a <mark>HttpKernel</mark> b"),
        ("http_kernel", "kernel http", "<mark>http_kernel</mark>"),
        ("HttpKernel", "kernel", "Http<mark>Kernel</mark>"),
        ("der Lastenrad-Anhänger", "Lastenradanhänger", "der <mark>Lastenrad-Anhänger</mark>"),
        ("life-time", "lifetime", "<mark>life-time</mark>"),
        ("life-time", "time", "life-<mark>time</mark>"),
    ],
)
def test_marks_the_parts_of_an_identifier(text, query, expected):
    assert marked(text, query) == expected


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("大本钟于1859年建成", "大本钟是什么时候建成的？", "<mark>大本钟</mark>于1859年<mark>建成</mark>"),
        ("由Python爱好者维护", "python 维护", "由<mark>Python</mark>爱好者<mark>维护</mark>"),
        ("一日の利用料金", "料金", "一日の利用<mark>料金</mark>"),
        ("ให้ยืมได้", "ยืม", "ให้<mark>ยืม</mark>ได้"),
        ("도서관은 닫습니다", "도서관", "<mark>도서관</mark>은 닫습니다"),
        ("员工请假", "假", "员工请<mark>假</mark>"),
    ],
)
def test_marks_what_is_asked_inside_a_run_of_a_script_without_spaces(text, query, expected):
    assert marked(text, query) == expected


def test_escapes_the_text_and_ignores_what_the_query_would_inject():
    hostile = "<script>alert('bike')</script> & \"bike\""
    shown = marked(hostile, "bike <script> alert")
    assert "<script" not in shown.replace("<mark>", "")
    assert text_of(shown) == hostile


@given(st.text(), st.text())
def test_what_is_shown_is_the_text_and_only_marks_are_markup(text, query):
    shown = marked(text, query)
    assert text_of(shown) == text
    bare = shown.replace("<mark>", "").replace("</mark>", "")
    assert "<" not in bare and ">" not in bare and '"' not in bare


def test_the_small_filters():
    place = type("Place", (), {"line_start": 3, "line_end": 7})
    assert lines(place) == "3–7"
    assert trail(("A", "A", "B", "C")) == ["A", "B"]
    assert shortened("one two three", 9) == "one two …" and shortened("one", 3) == "one"
    assert milliseconds(12.4) == "12 ms"
    assert milliseconds(2140) == "2.1 s"
    assert milliseconds(None) == ""
    assert found_by({"lexical": 2, "vector": None}) == "words #2"
    assert "words only" in notice("embedding")
    assert notice("gremlins") == "Not available: gremlins."


def test_details_of_the_audit_are_told_in_words():
    details = {
        "manifest_hash": "d2" * 32,
        "files": [["prices.md", "changed", "4a" * 32], ["stove.md", "removed", "a7" * 32]],
        "fallen": ["When is the stove lit?"],
        "changes": {"access": ["public", "groups"], "owner": [None, "ada"]},
        "comment": "",
        "before": None,
        "forced": False,
    }
    assert told(details) == [
        ("Access", "Everyone → Chosen groups"),
        ("Owner", "nothing → ada"),
        ("Manifest hash", "d2d2d2d2d2d2"),
        ("Files", "prices.md changed 4a4a4a4a4a4a, stove.md removed a7a7a7a7a7a7"),
        ("Fallen", "When is the stove lit?"),
        ("Forced", "no"),
    ]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("contact control content context", "contract"),
        ("service serves", "server"),
        ("policy", "police"),
        ("passage pass", "password"),
        ("internet", "interest"),
        ("community common", "communication"),
        ("Haustür Hausmeister", "Häuser"),
        ("10430 10432", "1043"),
        ("téléphone télécom", "télé-travail"),
        ("2.28.1 228 C c", "v2.28.0 C++"),
    ],
)
def test_marks_no_word_that_only_begins_alike(text, query):
    assert marked(text, query) == text


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("policies", "policy"),
        ("cancelled cancelling cancels", "cancel"),
        ("configuration configured", "configure"),
        ("running", "run"),
        ("brought", "bring"),
        ("children", "child"),
        ("Häuser Hauses", "Haus"),
        ("Kündigungen kündigt gekündigt", "kündigen"),
        ("geschrieben schreibt", "schreiben"),
        ("Bücher", "Buch"),
        ("Fahrrädern Fahrrad", "Fahrräder"),
        ("journaux journal", "journal"),
        ("utilisations utilise utilisée", "utiliser"),
        ("reservas reservar reservación", "reserva"),
        ("prenotazione prenotare", "prenotazioni"),
        ("книги книгу", "книга"),
        ("الدراجات دراجات", "دراجة"),
        ("मकानों", "मकान"),
    ],
)
def test_marks_forms_in_many_languages(text, query):
    assert marked(text, query) == " ".join(f"<mark>{word}</mark>" for word in text.split())


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("pip install x==3.2.1", "3.2.1", "pip install x==<mark>3.2.1</mark>"),
        ("on 127.0.0.1.", "127.0.0.1", "on <mark>127.0.0.1</mark>."),
        ("tag v2.28.0", "v2.28.0", "tag v<mark>2.28.0</mark>"),
        ("Python 3.11, Kernel3.11", "python3.11", "<mark>Python</mark> <mark>3.11</mark>, Kernel<mark>3.11</mark>"),
        ("python3.11", "3.11", "python<mark>3.11</mark>"),
        ("42.50 euros", "42.50", "<mark>42.50</mark> euros"),
        ("C++ or C#", "c++", "<mark>C++</mark> or C#"),
    ],
)
def test_marks_versions_and_names_with_symbols(text, query, expected):
    assert marked(text, query) == expected
    for words in (query, f"{query} über"):
        assert text in preview(f"{'and so on ' * 50}{text}{' and so on' * 50}", words)


def test_a_passage_that_is_only_its_heading_shows_it():
    hit = make_hit("# Late fees", section_title="Late fees", source_file="a.md")
    assert excerpt(hit, "fees") == "Late fees"


def test_the_excerpt_is_where_the_word_stands():
    ahead, behind = "The contract ends on 31 May. ", "Contact the control room: its content and context count. "
    assert "contract ends" in preview(f"{ahead}{'Nothing else. ' * 40}{behind * 3}", "contract")
    assert "contract ends" in preview(f"They contracted it. {'Nothing else. ' * 40}{ahead}", "contract")


@pytest.mark.parametrize(
    ("title", "above"),
    [
        ("Fees and deposits — Handbook 1.2", "Handbook 1.2"),
        ("fees and deposits | City library | Help", "City library | Help"),
        ("Handbook: Fees and deposits", "Handbook"),
        ("Docs » Fees and deposits", "Docs"),
        ("Fees and deposits-Handbook", "Fees and deposits-Handbook"),
        ("All fees and deposits – Handbook", "All fees and deposits – Handbook"),
        ("Fees and deposits – ", "Fees and deposits – "),
    ],
)
def test_the_way_to_a_section_names_the_site_without_its_first_heading(title, above):
    assert trail((title, "Fees and deposits")) == [above]
    assert trail((title, "Fees and deposits", "Bikes")) == [above, "Fees and deposits"]
