"""Bytes of any origin: the text that they are, or that nobody can tell."""

from pathlib import Path

import pytest

from ingestion.documents import ParseError
from ingestion.parsers import parse
from ingestion.parsers.encoding import decode, encoding_named
from tests.ingestion.small_files import repacked

GERMAN = "Größe und Länge: Café, naïve, Straße\nÜber allen Gipfeln ist Ruh, in allen Wipfeln spürest du\n"
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy, že to není možné.\n"
POLISH = "Zażółć gęślą jaźń, w Szczebrzeszynie chrząszcz brzmi w trzcinie.\n"
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю.\n" * 3
JAPANESE = "これは日本語の文書です。漢字とひらがなとカタカナが混ざっています。\n" * 3


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "latin-1"), (GERMAN, "cp1252"), (CZECH, "cp1250"), (CZECH + POLISH, "iso8859_2"), (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"), (JAPANESE, "shift_jis"), (JAPANESE, "euc_jp"), (JAPANESE, "iso2022_jp"),
        (JAPANESE, "utf-16-le"), (JAPANESE, "utf-16-be"), (JAPANESE, "utf-16"), (GERMAN, "utf-32"),
        (GERMAN, "utf-8-sig"),
    ],
)  # fmt: skip
def test_a_text_is_read_in_the_encoding_that_it_has(text, encoding):
    assert decode(text.encode(encoding), "a.txt")[0] == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe: 5 m²", "cp1252"), ("élève", "cp1252"), ("Año nuevo, vida nueva", "cp1252"), ("£5 – €6", "cp1252"),
        ("“Oil it!” – she said…", "cp1252"), ("ÄÖÜ äöü ß", "cp1252"), ("—" * 30 + " Öl", "cp1252"),
        ("Ääkkösiä: yötyö, hääyöaie", "cp1252"), ("Завтра собрание в три часа.", "cp1251"),
        ("Купить молоко и хлеб", "cp1251"), ("明日の会議は中止です。", "shift_jis"),
        ("会議は三時から。資料を持参してください。", "shift_jis"), ("请把文件发给我，谢谢。", "gbk"),
        ("내일 오후 3시에 회의가 있습니다.", "euc_kr"),
        ("Name;Straße\nMüller;Große Gasse 5\nKönig;Weg\n", "cp1252"),
        ("Name;Straße\nMüller;Große Gasse 5\nKönig;Weg\n", "mac_roman"),
        ("L’élève a déjà mangé à la forêt, où l’été dure. Il a reçu une lettre de sa mère.", "mac_roman"),
        ("Ürün;Fiyat\nŞişe;5\nÇanta;120\n", "cp1254"), ("Ağaç gölgesi", "cp1254"),
        ("güneş ağaç çiçek ışık\nşehir Türkiye için, değil\nbugün çok güzel; öğrenci kapı\n", "cp1254"),
        ("Nafn;Gata\nSigurður;Laugavegur 5\nÞórunn;Garðastræti 2\n", "cp1252"), ("maður;kýr\n", "cp1252"),
        ("Nafn;Müller\nSigurður;Garður\n", "cp1252"), ("nový výrobek", "cp1252"),
        ("È chiuso perché è lunedì, così è più bello.", "cp1252"),
        ("La biblioteca è aperta tutti i giorni, però non il lunedì.", "cp1252"),
        ("Lånetiden är två veckor för böcker på hyllan", "cp1252"),
        ("Kirjasto on auki lauantaisin, mutta ei sunnuntaisin, käykää sisään.", "cp1252"),
        ("Wypożyczalnia jest otwarta w każdą sobotę i niedzielę", "cp1250"),
        ("田中様\n\nお世話になっております。会議の日程が変わりましたので、ご連絡いたします。\n\n山田\n", "iso2022_jp"),
        ("Wciśnij przycisk. Sprawdź śrubę i świeci ą. Proszę zamknąć drzwi.", "iso8859_2"),
        ("ciśnienie wody w instalacji", "iso8859_2"), ("x±y, 20°C, Intel®Core, 5 £", "cp1252"),
        ("Sąrašas visų šablono žymenų ir jų funkcijų.", "cp775"),
    ],
)  # fmt: skip
def test_a_memo_is_read_in_the_encoding_that_it_has(text, encoding):
    assert decode(text.encode(encoding), "a.txt")[0] == text


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Завтра собрание в три часа.", "koi8-r"), ("Привет", "koi8-r"), ("Ķēniņš un šķērsām", "iso-8859-4"),
        ("Þór og Ķ", "iso-8859-10"), ("Ŵyneb tŷ", "iso-8859-14"), ("สวัสดีครับ", "windows-874"),
        ("שלום", "iso-8859-8-i"), ("Příliš žluťoučký", "iso-8859-2"),
    ],
)  # fmt: skip
def test_a_memo_is_read_in_the_encoding_that_it_names(text, label):
    name = encoding_named(label)
    assert decode(text.encode(name), "a.eml", name) == (text, ())
    mail = f"Subject: Hi\nContent-Type: text/plain; charset={label}\n\n".encode() + text.encode(name)
    assert parse(mail, "a.eml").text.endswith(f"\n\n{text}\n")


@pytest.mark.parametrize("label", ["iso-8859-2", "iso-8859-15", "shift_jis", "utf-8", "utf-16", "utf-7", "idna"])
def test_an_encoding_that_cannot_be_is_not_believed(label):
    text = "“Größe”: 5 m² – und “Länge”, schön"
    assert decode(text.encode("cp1252"), "a.html", encoding_named(label))[0] == text


def test_mail_and_books_say_which_encoding_was_guessed():
    mail = "Subject: Hi\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\nGröße\n--a\n\nLänge\n--a--\n"
    assert parse(mail.encode("cp1252"), "a.eml").warnings == ("not UTF-8: read as cp1252",)

    def western(name: str, content: bytes) -> bytes:
        return content.replace(b"</body>", "<p>Größe</p></body>".encode("cp1252"))

    book = repacked(Path(__file__).parent / "golden/epub/in/book.epub", western)
    assert [warning[:18] for warning in parse(book, "a.epub").warnings] == ["not UTF-8: read as"]


def test_a_few_broken_bytes_do_not_turn_a_text_in_utf_8_into_another():
    text, warnings = decode(("naïve café, résumé " * 3).encode() + "世".encode()[:2], "a.txt")
    assert text == "naïve café, résumé " * 3 + "\ufffd" and "bytes that are none" in warnings[0]


def test_a_line_in_cp1252_amid_utf_8_is_read_letter_by_letter():
    text, warnings = decode("Größe, Länge, Höhe, Maß\n".encode() + "für".encode("cp1252"), "a.txt")
    assert text == "Größe, Länge, Höhe, Maß\nfür" and "bytes that are none" in warnings[0]
    assert decode("Größe, Länge, Höhe, Maß\n".encode() + b"\x9f", "a.txt")[0].endswith("\n\ufffd")


@pytest.mark.parametrize("text", ["naïve café, résumé".encode() * 3 + b"\xff", b"Price list\n\nCaf\xe9: 5\n"])
def test_a_broken_byte_after_a_byte_order_mark_is_read_as_without_the_mark(text):
    assert decode(b"\xef\xbb\xbf" + text, "a.txt") == decode(text, "a.txt")


def test_a_stray_nul_does_not_make_a_text_binary():
    text, warnings = decode(b"# Brakes\n\nChange the pads\0 every spring, and oil the cables.\n" * 2, "a.md")
    assert text.count("pads\ufffd every") == 2 and warnings == ("2 NUL characters are shown as \ufffd",)


def test_pairs_of_ascii_with_nuls_between_are_no_chinese():
    with pytest.raises(ParseError, match="binary"):
        decode(b"abc\0def\n" * 20, "a.txt")


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.rst", "a.html", "a.csv", "a.py"])
def test_an_empty_file_is_read_and_says_so(path):
    assert parse(b"", path).warnings == ("it has no text",)


def test_mail_may_begin_with_a_byte_order_mark():
    assert parse(b"\xef\xbb\xbfSubject: Hi\nFrom: a@example.org\n\nBody\n", "a.eml").title == "Hi"


def test_front_matter_between_pluses_is_front_matter():
    document = parse(b'+++\ntitle = "Lending"\n+++\n\nText.\n', "a.md")
    assert document.title == "Lending" and [block.line_start for block in document.blocks] == [5]


@pytest.mark.parametrize("head", ["title: Oil", "# A comment\n\nlayout: home", '"title": Oil', "\ntitle:\n  Oil"])
def test_front_matter_between_dashes_is_front_matter(head):
    document = parse(f"---\n{head}\n---\n\n# Lathe\n".encode(), "a.md")
    assert [block.title for block in document.blocks] == ["Lathe"]


@pytest.mark.parametrize(
    "head", ["\n# Welcome\n\nIntro text\n", "# Welcome", "Intro text\n", "* * *\nIntro: text", "See http://a.b"]
)
def test_a_document_that_opens_with_a_rule_keeps_its_beginning(head):
    text = f"---\n{head}\n---\n\n## Install\n"
    document = parse(text.encode(), "a.md")
    inside = {line for block in document.blocks for line in range(block.line_start, block.line_end + 1)}
    letters = {n for n, line in enumerate(text.split("\n"), start=1) if any(map(str.isalpha, line))}
    assert letters <= inside


def test_a_paragraph_above_a_rule_of_equals_signs_is_no_heading_when_it_is_long():
    document = parse(("word " * 100 + "\n====\n\nText.\n").encode(), "a.md")
    assert {block.kind for block in document.blocks} == {"paragraph"}


@pytest.mark.parametrize("key", ["date created", "og:title"])
def test_the_first_field_of_front_matter_may_have_blanks(key):
    document = parse(f"---\n{key}: Monday\ntags: [a]\n---\n# Tides\n\nText.\n".encode(), "a.md")
    assert document.title == "Tides"


@pytest.mark.parametrize(
    ("field", "title"),
    [
        ("title: >-\n  The title that\n  goes on", "The title that goes on"),
        ("title: |2+ # as it stands\n\n  One\n\n  two", "One two"),
        ("title: >", ""),
        ("title:\n  Below it", "Below it"),
        ("title: One\n  two\n# three", "One two"),
        ('title: "Say \\"hi\\" \\\\ \\d" # so', 'Say "hi" \\ \\d'),
        ("title: 'It''s on' # so", "It's on"),
        ("title: Foo # comment", "Foo"),
        ("title: C# in a day", "C# in a day"),
        ("title: # comment", ""),
        ('"title": Q', "Q"),
        ("title:\nauthor: A", ""),
        ("title:\n  en: Saw\n  de: Säge", ""),
        ('title = "A" # so\n  [params]\n  b = 1', "A"),
        ('title: "A" and "B"', '"A" and "B"'),
        ("subtitle: A\ntitle: B", "B"),
    ],
)
def test_the_title_of_front_matter_is_read_as_its_notation_says(field, title):
    assert parse(f"---\nlayout: page\n{field}\nnext: x\n---\n\nText.\n".encode(), "a.md").title == (title or "a")


@pytest.mark.parametrize("field", ['"' + "\\" * 4_000, "'" * 4_001, "a\n" + " \n" * 2_000, " #" * 2_000])
def test_a_title_made_to_be_slow_is_read_without_trouble(field):
    assert len(parse(f"---\ntitle: {field}\n---\n\nText.\n".encode(), "a.md").blocks) == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_without_its_mark(encoding):
    assert decode("plain enough, naïve text".encode(encoding), "a.txt")[0] == "plain enough, naïve text"


def test_a_declared_encoding_is_believed_where_the_bytes_allow_it():
    body = "Ein schöner Satz über Bücher, für Füchse und Bären, größer als üblich. " * 5
    page = f'<meta charset="iso-8859-15"><p>{body}</p>'.encode("iso-8859-15")
    assert parse(page, "a.html").text.strip() == body.strip()
    assert encoding_named("base64") == encoding_named("nonsense") == encoding_named("\0") == ""


@pytest.mark.parametrize(
    ("path", "beginning", "label"),
    [
        ("a.py", "# -*- coding: {} -*-\n# ", "koi8-r"),
        ("a.py", "#!/bin/python\n# vim: set fileencoding={} :\n# ", "koi8-r"),
        ("a.rb", "# encoding: {}\n# ", "windows-1251"), ("a.c", "/* -*- coding: {}-unix; -*- */\n// ", "koi8-r"),
        ("a.css", '@charset "{}";\n/* */ ', "iso-8859-5"),
        ("a.xml", "<?xml version='1.0' encoding='{}'?>\n<a/> ", "koi8-r"),
        ("a.xhtml", '<?xml version="1.0" encoding="{}"?><p>', "koi8-r"),
    ],
)  # fmt: skip
def test_what_code_and_xml_name_as_their_encoding_is_believed(path, beginning, label):
    document = parse((beginning.format(label) + "Привет").encode(label), path)
    assert document.text.strip().endswith("Привет") and not document.warnings


@pytest.mark.parametrize("text", [RUSSIAN + "x\0y", "# αρχείο ρυθμίσεων της αντλίας για το σύστημα\nSEP = '\0'"])
@pytest.mark.parametrize("more", ["", "z"])
def test_a_nul_does_not_make_utf_8_utf_16(text, more):
    assert decode((text + more).encode(), "a.txt")[0] == (text + more).replace("\0", "\ufffd")
