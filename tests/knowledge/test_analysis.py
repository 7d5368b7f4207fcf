import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.texts import analysis
from knowledge.texts.analysis import analysed, bare_words_of, readings, tokens, wholes, without_accents, words


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
        ("도서관은 집", "도서 서관 관은 집"),
        ("1.500 €, 1,500 and 1\u202f500", "1.500 1500 1 500 1500 and 1 500 1500"),
        ("1.200,50 1,200.50 12’500", "1.200 50 1200 1200.50 1 200.50 1200 1200.50 12 500 12500"),
        ("0,30 10,000円", "0 30 0.30 10 000 10000 円"),
        ("1,2,3 of 192.168.1.100 in 2024 300", "1 2 3 of 192.168.1.100 in 2024 300"),
        ("10km, 5 kg, 50Hz, 1990s", "10 km 10km 5 kg 50 Hz 50Hz 1990 s 1990s"),
        ("500mAh 500 mAh", "500 mAh 500mAh 500 m Ah mAh"),
        ("100kWh 64kB 10кг", "100 kWh 100kWh 64 kB 64kB 10 кг 10кг"),
        ("120m² 5 km³", "120 m2 120m2 5 km3"),
        ("utf8Decode sha256Sum x2Y", "utf8 Decode utf8Decode sha256 Sum sha256Sum x2 Y x2Y"),
        ("1st 2nd 3rd 20th h264 log4j 2to3", "1st 2nd 3rd 20th h264 log4j 2to3"),
        ("AT&T's R&D", "AT T ATT s R D RD"),
        ("?q=a&b=2 a&lt; rock&roll", "q a b 2 a lt rock roll"),
        ("مَدرسة", "مَدرسة"),
        ("والكتاب", "والكتاب 3وال 3الك 3لكت 3كتا 3تاب"),
        ("", ""),
        ("-- :: ..", ""),
    ],
)
def test_compounds_are_found_whole_and_by_part(text, words):
    assert " ".join(analysis.words(text)) == words


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("12,50 0,5 1.200,50 1,200.50", "12.50 0.5 1200.50 1200.50"),
        ("1.500 or 1,500 or 404,502", "1.500 1500 or 1 500 1500 or 404 502 404502"),
        ("8080,8443 12.50", "8080 8443 8080.8443 12.50"),
    ],
)
def test_a_decimal_is_not_looked_for_by_its_parts(text, asked):
    assert analysed(text) == asked


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("Sécurité", "securite"),
        ("œuvre Æbler ĳs", "oeuvre aebler ijs"),
        ("Łódź Đorđe smørrebrød", "lodz dorde smorrebrod"),
        ("Iğdır IĞDIR İSTANBUL", "igdir igdir istanbul"),
        ("الإجازة الْمَكْتَبَة", "الاجازة المكتبة"),
        ("ёлка за́мок домашний Київ", "елка замок домашний київ"),
        ("Straße ＡＰＩ ｶﾞｽ", "strasse api ガス"),
        ("バック हिन्दी 한국", "バック हिन्दी 한국"),
    ],
)
def test_what_people_leave_out_is_told_from_what_makes_another_letter(written, typed):
    assert without_accents(written) == typed


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("Clé_USB", "cle usb cleusb"),
        ("年假", "年 假"),
        ("도서관", "도 서 관"),
        ("カタカナ", ""),
        ("الإجازة", "الاجازة 3الا 3لاج 3اجا 3جاز 3ازة"),
        ("3.12.1", "3.12 3.12.1"),
        ("1.2.3.4.5.6.7", "1.2 1.2.3 1.2.3.4 1.2.3.4.5.6.7"),
        ("1.500.000", "1.500.000 1500000"),
        ("10µm", "10 μm 10μm"),
        ("10-20km", "10 20 km 1020km"),
        ("500mAh", "500 mah 500mah"),
        ("10КГ", "10 кг 10кг"),
    ],
)
def test_a_token_is_found_bare_and_by_its_single_characters(token, words):
    assert tokens(token) == [token] and " ".join(bare_words_of(token)) == words


def test_a_text_is_read_once_more_where_others_would_write_it_otherwise():
    assert readings("The HttpKernel") == ["The Http Kernel HttpKernel"]
    assert readings("Congés: 1.500 €") == ["Congés 1.500 1500", "conges 1500"]
    assert readings("Python 3.12.1 in 10km") == ["Python 3.12.1 in 10 km 10km", "Python 3.12 3.12.1 in 10 km"]


@pytest.mark.parametrize("unit", ["mAh", "kWh", "dB", "kB", "GB", "m²", "cm3", "кг", "м²", "µm"])
def test_a_unit_is_found_whether_or_not_it_is_written_to_its_number(unit):
    together, apart = f"120{unit}", f"120 {unit}"
    assert set(words(together)) & set(words(apart)) == {"120", analysed(unit).split()[-1]}
    assert analysed(unit).split()[-1] in readings(together)[-1].split()


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
