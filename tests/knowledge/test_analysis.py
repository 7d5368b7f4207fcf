import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.texts.analysis import analysed, wholes, words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("HttpKernel", "Http Kernel HttpKernel"),
        ("http_kernel", "http kernel httpkernel"),
        ("AbstractController::render()", "Abstract Controller AbstractController render"),
        ("--dry-run", "dry run dryrun"),
        ("config/packages/framework.yaml", "config packages framework yaml"),
        ("Symfony 7.1.3", "Symfony 7.1.3"),
        ("Symfony v7.1.3", "Symfony v 7.1.3"),
        ("python3.11 on log4j2.17, h264", "python 3.11 on log4j2 17 h264"),
        ("Änderung2.1", "Änderung 2.1"),
        ("URLs, APIs and miRNAs", "URLs APIs and mi RNAs miRNAs"),
        ("JSONs XMLString AString", "JSONs XML String XMLString A String AString"),
        ("CO₂ m² 10⁻³ ﬁle", "CO2 m2 10 3 file"),
        ("l'avion", "l avion"),
        ("XMLParser", "XML Parser XMLParser"),
        ("naïve Straße", "naïve Straße"),
        ("nai\u0308ve Stra\u00adße", "naïve Straße"),
        ("\ufeffÅ \u212b A\u030a", "Å Å Å"),
        ("\u1112\u1161\u11ab", "한"),
        ("\ufb2aל", "\u05e9\u05c1ל"),
        ("数据库 db", "数据 据库 db"),
        ("مَدرسة", "مَدرسة"),
        ("والكتاب", "والكتاب 3وال 3الك 3لكت 3كتا 3تاب"),
        ("", ""),
        ("-- :: ..", ""),
    ],
)
def test_compounds_are_found_whole_and_by_part(text, words):
    assert analysed(text) == words


def test_the_wholes_of_compounds_are_told_apart():
    assert list(wholes("puis-je run HttpKernel 2.0 on my_own v1.2, والكتاب 数据库")) == [
        "puisje",
        "HttpKernel",
        "myown",
    ]


@given(st.text())
def test_only_words_and_single_spaces_come_out(text):
    out = analysed(text)
    assert "\0" not in out and out == " ".join(out.split(" ")).strip()
    assert all(character.isalnum() or character in " ." or not character.isascii() for character in out)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_read_as_any_text_is(text):
    assert list(words(text)) == list(words(f"{text}\u00a0"))
