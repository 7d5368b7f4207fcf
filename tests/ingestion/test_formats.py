"""What files of the newer formats may be like, and what is then said about them."""

import datetime
import io
import json
import re
import zipfile
from pathlib import Path

import pptx
import pptx.chart.data
import pptx.opc.package
import pytest
import xlsxwriter

from ingestion import sandbox
from ingestion.chunking import chunk
from ingestion.documents import BlockKind, ParsedDocument, ParseError
from ingestion.parsers import archives, parse, sheets
from ingestion.parsers.encoding import decode, encoding_named
from ingestion.parsers.odt import NAMESPACES
from ingestion.sections import build_sections
from ingestion.zips import RATIO_MATTERS
from knowledge.texts.languages.documents import detect

GOLDEN = Path(__file__).parent / "golden"
DOCX = GOLDEN / "docx/in/policy.docx"
ARCHIVES = [DOCX, GOLDEN / "odt/in/minutes.odt", GOLDEN / "epub/in/book.epub", GOLDEN / "sheets/in/prices.xlsx"]
ARCHIVES += [GOLDEN / "sheets/in/rooms.ods", GOLDEN / "pptx/in/plan.pptx"]
each_archive = pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.suffix)


def reason(data: bytes, name: str) -> str:
    with pytest.raises(ParseError) as caught:
        parse(data, name)
    return caught.value.reason


def html(body: str) -> ParsedDocument:
    return parse(f"<!DOCTYPE html><body>{body}".encode(), "page.html")


def repacked(path: Path | io.BytesIO, change) -> bytes:
    """The archive with `change(name, content)` in place of every member."""
    target = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in source.namelist():
            packed.writestr(name, change(name, source.read(name)))
    return target.getvalue()


def with_member(path: Path, name: str, content: bytes) -> bytes:
    target = io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, content)
    return target.getvalue()


@each_archive
def test_an_archive_that_unpacks_without_end_is_refused(path):
    data = with_member(path, "word/more.xml", b"<a>" + b" " * RATIO_MATTERS * 2 + b"</a>")
    assert "looks like a bomb" in reason(data, path.name)


@each_archive
@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b.xml", "C:\\x.xml"])
def test_an_archive_with_a_path_that_leads_out_is_refused(path, name):
    assert "points outside" in reason(with_member(path, name, b"x"), path.name)


@each_archive
def test_an_archive_with_too_many_members_is_refused(path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 2)
    assert "members" in reason(path.read_bytes(), path.name)


@each_archive
def test_xml_that_defines_entities_is_refused(path):
    entity = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'

    def poison(name: str, content: bytes) -> bytes:
        head, mark, rest = content.partition(b"?>")
        return head + mark + entity + rest if name.endswith((".xml", ".opf", ".rels")) and mark else content

    assert "entities" in reason(repacked(path, poison), path.name)


@each_archive
def test_a_truncated_archive_is_refused(path):
    data = path.read_bytes()
    assert "cannot be read" in reason(data[: len(data) // 2], path.name)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_part_that_cannot_be_unpacked_is_named_however_it_is_packed(method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("content.xml", bytes(range(256)) * 9)
    data = bytearray(packed.getvalue())
    data[60:80] = b"\xff" * 20
    assert reason(bytes(data), "a.odt") == "it is damaged: its part content.xml cannot be unpacked"


@each_archive
def test_an_office_file_with_a_password_says_so(path):
    container = archives.COMPOUND + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600
    assert "needs a password" in reason(container, path.name)
    assert "old Office" in reason(archives.COMPOUND + b"\0" * 600, path.name)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.pdf", b"<html>no</html>", "not a PDF"),
        ("a.pdf", b"%PDF-1.7\n1 0 obj\n<<>>\n", "damaged"),
        ("a.ipynb", b"[1, 2]", "not a notebook"),
        ("a.ipynb", b'{"cells": []}', "not a notebook"),
        ("a.ipynb", b'{"cells": [{"cell_type": "markdown", "source": ""}]}', "no text"),
        ("a.eml", b"hello", "not an e-mail"),
        ("a.doc", b"x", "save it as DOCX"),
        ("a.xyz", b"x", "no parser"),
    ],
)
def test_what_is_not_what_its_name_says_is_refused(name, data, said):
    assert said in reason(data, name)


def test_a_pdf_without_text_says_whether_it_is_a_scan():
    rules = (GOLDEN / "pdf/in/rules.pdf").read_bytes()
    blank = rules.replace(b" Tj ET", b"    ET")
    pixel = b"BI /W 1 /H 1 /CS /G /BPC 8 ID x EI"
    start = blank.index(b"BT /B 20")
    scan = blank[:start] + pixel + blank[start + len(pixel) :]

    assert "pages are empty" in reason(blank, "blank.pdf")
    assert "no text layer" in reason(scan, "scan.pdf")


def test_a_chunk_of_a_pdf_is_on_one_page():
    document = parse((GOLDEN / "pdf/in/rules.pdf").read_bytes(), "rules.pdf")
    chunks = chunk(document, build_sections(document), lambda texts: [1] * len(texts))

    assert {each.page for each in chunks} == {1, 2}
    assert all(block.box and block.box[0] < block.box[2] and block.box[1] < block.box[3] for block in document.blocks)


def test_every_piece_of_a_long_table_is_read_under_its_header():
    rows = "".join(f"<tr><td>part {number}</td><td>{number}</td></tr>" for number in range(200))
    document = html(f"<table><tr><th>Name</th><th>Price</th></tr>{rows}</table>")
    chunks = chunk(document, build_sections(document), lambda texts: [len(text.split()) for text in texts], budget=60)

    assert len(chunks) > 5 and {each.context for each in chunks[1:]} == {"Name | Price"}


def test_a_table_that_only_arranges_is_read_as_text():
    document = html("<table><tr><td><h2>Left</h2><p>One.</p></td><td><pre>x = 1</pre></td></tr></table>")
    assert [block.kind for block in document.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.CODE]


INNER = "<table><caption>{0}</caption><tr><th>{0}<th>Days<tr><td>Oil<td>3</table>"


def test_a_table_around_other_tables_only_arranges_them():
    cells = f"<td>{INNER.format('Lathe')}<td>{INNER.format('Drill')}"
    document = html(f"<table><caption>Care</caption><tr><td>All of it:{cells}</table>")
    assert [block.kind for block in document.blocks if block.kind is BlockKind.TABLE] == [BlockKind.TABLE] * 2
    assert document.text == ("Care\n\nAll of it:\n\nLathe\n\nLathe | Days\nOil | 3\n\nDrill\n\nDrill | Days\nOil | 3\n")


@pytest.mark.parametrize(("head", "tool"), [("th", "Saw"), ("td", "Lathe, old and heavy")])
def test_a_table_among_data_is_a_value(head, tool):
    rows = f"<tr><{head}>Tool<{head}>Care<tr><td>{tool}<td><table><tr><td>oil<td>3</table><tr><td>Drill<td>none"
    assert html(f"<table>{rows}</table>").text == f"Tool | Care\n{tool} | oil 3\nDrill | none\n"


def test_a_table_of_rows_within_a_cell_keeps_them_apart():
    inner = "<table><caption>Care</caption><tr><th>What<th>Days<tr><td>Oil<td>3<tr><td hidden>no<td>5</table>"
    rows = f"<tr><td>Lathe, old and heavy, with its motor<td>{inner}<tr><td>Drill, small<td>none"
    read = "Lathe, old and heavy, with its motor | Care What, Days; Oil, 3; , 5\nDrill, small | none\n"
    assert html(f"<table>{rows}</table>").text == read
    assert html(f"{'<table><tr><td>a<td>'.join(['<table><tr><td>x<td>y<tr><td>z<td>'] * 300)}").text  # of any depth


def test_a_table_of_rows_within_a_cell_of_an_odt_keeps_them_apart():
    def table(*rows: list[str]) -> str:
        cells = ("".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in row) for row in rows)
        return f"<table:table>{''.join(f'<table:table-row>{row}</table:table-row>' for row in cells)}</table:table>"

    what, days, oil = (f"<text:p>{text}</text:p>" for text in ("What", "Days", "Oil"))
    assert odt(table([oil, table([what, days], [oil, days])])) == "Oil | What, Days; Oil, Days\n"
    assert odt(table([oil, table([what, days])])) == "Oil | What Days\n"


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        ("<tr><td>Oil<td>3<tr hidden><td>no<td>no<tr><td>Fat<td>5", "Tool | Days\nOil | 3\nFat | 5\n"),
        ("<tbody style='display: none'><tr><td>no<td>no</tbody><tr><td>Oil<td>3", "Tool | Days\nOil | 3\n"),
        ("<tr><td hidden>no<td>3<tr><td>Fat<td style='display:none'>no", "Tool | Days\n | 3\nFat |\n"),
        ("<caption hidden>no</caption><tr><td>Oil<td>3", "Tool | Days\nOil | 3\n"),
    ],
)
def test_hidden_rows_and_cells_of_a_table_are_not_read(rows, read):
    caption, mark, rest = rows.rpartition("</caption>")
    assert html(f"<table>{caption}{mark}<tr><th>Tool<th>Days</tr>{rest}</table>").text == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<table><tr><th>Plan<th>SSO<tr><td>Pro<td><img alt=Yes></table>", "Plan | SSO\nPro | Yes"),
        ("<p>Press<img alt='the red button'>twice", "Press the red button twice"),
        ("<p><picture><source srcset=a.webp><img alt='A pump, cut open'></picture>", "A pump, cut open"),
        ("<ul><li>Press<img alt=stop></ul>", "- Press stop"),
        ("<p>Oil<img alt=''><img>daily", "Oildaily"),
        ("<p>Oil<img alt='Pump 2.PNG'><img alt='Picture 3'>", "Oil"),
        ("<p>Oil<img alt='A pump Description automatically generated'>", "Oil"),
        ("<p>Oil<img alt='Eine Pumpe\n\nKI-generierte Inhalte können fehlerhaft sein.'>", "Oil"),
        ("<p>Oil<a href=/><img alt='Home page'></a>", "Oil"),
        ("<p>Oil<a href=/><picture><source><source><img alt='Home page'></picture></a>", "Oil"),
        ("<p>Oil<a href=/><img alt='the'> pump</a>", "Oil the pump"),
        ("<figure><img alt='A pump'><figcaption>A  pump</figcaption></figure>", "A pump"),
        ("<p><span><math><mi>x</mi></math><img alt='{x}'></span>", "x"),
        ("<p><span><span style='display:none'><math><mi>x</mi></math></span><img alt='{x}'></span>", "{x}"),
    ],
)
def test_what_stands_for_a_picture_is_read(written, read):
    assert html(written).text == f"{read}\n"


def test_scripts_styles_and_hidden_text_are_not_read():
    document = html("<p>seen</p><script>s</script><style>s</style><div hidden>h</div><p style='display: none'>h</p>")
    assert document.text == "seen\n"


@pytest.mark.parametrize("hidden", ["hidden", "hidden=true", "style='display: none'"])
def test_each_tab_is_read_whichever_is_chosen(hidden):
    shown, other = (
        f"<div role=tabpanel {state}><p>{text}</p></div>" for state, text in (("", "npm"), (hidden, "yarn"))
    )
    assert html(f"{shown}{other}<p hidden>no</p>").text == "npm\n\nyarn\n"


@pytest.mark.parametrize(
    "tabs",
    [
        "<div class='tabbed-set tabbed-alternate'><input id=a type=radio><input id=b type=radio>"
        "<div class=tabbed-labels><label for=a>Linux</label><label for=b>Mac &amp; co</label></div>"
        "<div class=tabbed-content><div class=tabbed-block><p>apt</div><div class=tabbed-block><p>brew</div></div>",
        "<div class=sphinx-tabs><div role=tablist><button role=tab id=a>Linux</button><button role=tab id=b>Mac &amp; "
        "co</button></div><div role=tabpanel aria-labelledby=a><p>apt</div><div role=tabpanel aria-labelledby=b hidden>"
        "<p>brew</div></div>",
        "<div><ul role=tablist><li role=tab>Linux<li role=tab>Mac &amp; co</ul><div><div role=tabpanel>apt</div>"
        "<div role=tabpanel hidden>brew</div></div></div>",
        "<ul role=tablist><li><a role=tab href='#l'>Linux</a><li><a role=tab href='#m'>Mac &amp; co</a></ul>"
        "<div class=tab-pane id=l>apt</div><div class=tab-pane id=m>brew</div>",
    ],
)
def test_what_a_tab_shows_is_read_below_its_name(tabs):
    assert html(tabs).text == "Linux\n\napt\n\nMac & co\n\nbrew\n"
    assert html(f"<ol><li>Install: {tabs}</ol>").text.split()[2:] == ["Linux", "apt", "Mac", "&", "co", "brew"]


def test_tabs_within_a_tab_are_of_their_own():
    inner = "<div><div role=tablist><b role=tab>x86</b></div><div role=tabpanel>apt</div></div>"
    panels = f"<div role=tabpanel>{inner}</div><div role=tabpanel>brew</div>"
    outer = f"<div><div role=tablist><b role=tab>Linux</b><b role=tab>Mac</b></div>{panels}</div>"
    assert html(outer).text.split() == ["Linux", "x86", "apt", "Mac", "brew"]


@pytest.mark.parametrize(
    "panels",
    [
        "<div><i role=tablist><i role=tab>Linux </i><i role=tab>Mac</i></i><p role=tabpanel>apt</div>",
        "<div role=tablist><p role=tab>Linux<p role=tab>Mac<p role=tabpanel>apt</div>",
    ],
)
def test_names_of_tabs_that_lead_nowhere_stay(panels):
    assert html(panels).text.split() == ["Linux", "Mac", "apt"]


def test_what_a_search_in_the_page_opens_is_read():
    assert html("<p>seen</p><div hidden=until-found>found</div>").text == "seen\n\nfound\n"


@pytest.mark.parametrize(
    "furniture",
    [
        "<div class=navheader><table><tr><th>2.2. Data</th></tr><tr><td>Prev</td></tr></table></div>",
        "<DIV CLASS=NAVFOOTER>Prev</DIV>",
        "<div class=related><h3>Navigation</h3><a accesskey=N>next</a></div>",
        "<div class='sphinxsidebar x'><h3>Prev</h3></div>",
        "<ul role=navigation><li>Prev</ul>",
        "<div class=header><p>Next: <a rel=next href=b.html>Prev</a></div>",
        "<a class=headerlink href=#a>¶</a>",
        "<p class=MsoTocHeading>Data</p><p class=MsoToc1><a href=#a>Previous 3</a></p>",
        "<a class=msocomanchor id=_anchor_1 href=#_msocom_1>[Prev1]</a>"
        "<div style='mso-element:comment-list'><div style='mso-element:comment'><p>Prev</p></div></div>",
        "<p><a href=#cmnt1 id=cmnt_ref1>[Prev]</a>seen</p>"
        "<div><p><a href=#cmnt_ref1 id=cmnt1>[a]</a>Prev</p><p>Prev</div>",
        "<h2>Told<span class=mw-editsection>[Prev]</span></h2>",
        "<p>seen</p><ul><li>seen<div role=navigation>Prev</div></ul>",
        "<div id=toc class=toc><div>Contents</div><ul><li><a href='#a'>Previous results</a></ul></div>",
        "<div class='contents topic'><p>Contents</p><ul><li><a href='#a'>1. Data of 2020</a></ul></div>",
    ],
)
def test_what_leads_through_the_pages_is_not_read(furniture):
    text = html(f"<p>seen</p>{furniture}").text
    assert "Prev" not in text and "Data" not in text and "next" not in text and "¶" not in text and "seen" in text


@pytest.mark.parametrize("title", ["class=MsoTitle", "class='c5 title' id=h.x1"])
def test_the_title_of_an_exported_text_is_a_heading(title):
    assert html(f"<p {title}>Plan</p><p>Text").blocks[0].title == "Plan"
    assert html(f"<p {title.replace('h.', 'x').replace('Mso', '')}>Plan</p>").blocks[0].title == ""


@pytest.mark.parametrize(
    "content",
    [
        "<div class=header><h1>Told</h1><a rel=next href=b.html>on</a></div>",
        "<div class=header><p class=title>Told</p><a rel=next href=b.html>on</a></div>",
        "<div class=footer><p>Told</div>",
        "<div class=related-work>Told</div>",
        "<div class=toc><ul><li><a href=b.html>Told</a></ul></div>",
        "<h2 id=contents><a href='#contents'>Told</a></h2>",
        "<div id=contents><a href='#a'>below</a><p>Told to those who read on below</div>",
    ],
)
def test_a_head_or_foot_that_says_something_is_read(content):
    assert "Told" in html(content).text


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("<h2 class=accordion-header><button class=accordion-button>How to oil?</button></h2>", "How to oil?"),
        ("<h3><span><button id=b>How to <b>oil?</b><svg><title>Open</title></svg></button></span></h3>", "How to oil?"),
        ("<h2>Oil <button>Copy link</button></h2>", "Oil"),
    ],
)
def test_a_heading_on_a_button_is_a_heading(heading, title):
    document = html(f"{heading}<p>Daily.</p>")
    assert document.blocks[0].title == title and document.text == f"{title}\n\nDaily.\n"


@pytest.mark.parametrize(
    "question",
    [
        "<details><summary><button>How to oil?</button></summary>Daily.</details>",
        "<dl><div><dt><button><span>How to oil?</span></button></dt><dd>Daily.</dd></div></dl>",
    ],
)
def test_a_question_on_a_button_is_read(question):
    assert html(question).text.split() == ["How", "to", "oil?", "Daily."]


FRAME = (
    "<div class={}><table><tr><td rowspan=2><img src=a.png></td><th>Tip</th></tr>"
    "<tr><td colspan=2>{}</td></tr></table></div>"
)


@pytest.mark.parametrize(
    "heading",
    [
        "<h2 id=a>Set up<a class=hash-link href='#a' title='Direct link'>\u200b</a></h2>",
        "<h2 id=a><a class=header-anchor href='#a'>#</a> Set up</h2>",
        "<h2 id=a>Set up <a href='#a'><b>§</b></a></h2>",
        "<h2><span class=permalink><a href='#a'>&#9670;&#160;</a></span>Set up</h2>",
        "<h2><a href='#a'>Set up</a></h2>",
        "<h2><span><a href='#a'>Set up</a></span></h2>",
    ],
)
def test_the_mark_that_leads_to_a_heading_is_not_of_its_title(heading):
    assert html(f"{heading}<p>Text<a href='#fn'>*</a>").text == "Set up\n\nText*\n"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>", "漢字\n"),
        (
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>\\xi</annotation></semantics></math>",
            "x\n",
        ),
        ("<span><math><mi>E</mi></math><span class=katex-html>E</span></span>", "E\n"),
        ("<span class=katex><span class=katex-html>E</span></span>", "E\n"),
    ],
)
def test_words_and_formulas_are_read_once(written, read):
    assert html(f"<p>{written}").text == read


@pytest.mark.parametrize(
    ("reference", "read"),
    [
        ("<a href='#fn1' role='doc-noteref'><sup>1</sup></a>", "[1]"),
        ("<a epub:type='noteref' href='notes.xhtml#n12'>12</a>", "[12]"),
        ("<sup id=r1><a href='#fn:1'>1</a></sup>", "[1]"),
        ("<sup><a href='#n'>*</a></sup>", "[*]"),
        ("<a href='#n'>[1]</a>", "[1]"),
        ("<sup>2</sup>", "2"),
        ("<a href='#2'>2</a>", "2"),
        ("<sup><a href='https://a.example'>2</a></sup>", "2"),
    ],
)
def test_the_number_of_a_note_is_no_part_of_a_word(reference, read):
    assert html(f"<p>Oil{reference} it.").text == f"Oil{read} it.\n"
    assert html(f"<ul><li>Oil{reference} it.</ul>").text == f"- Oil{read} it.\n"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("10<sup>6</sup> ops", "10^6 ops"),
        ("10<sup> −3 </sup> m", "10^−3 m"),
        ("<b>2</b><sup><i>64</i></sup>", "2^64"),
        ("2020<sup><a href='#n'>1</a></sup>", "2020[1]"),
        ("1<sup>st</sup>", "1st"),
        ("5 m<sup>2</sup>", "5 m2"),
        ("H<sub>2</sub>O", "H2O"),
    ],
)
@pytest.mark.parametrize("tag", ["p", "h2", "li"])
def test_a_raised_number_is_no_digit_of_the_one_before(written, read, tag):
    assert html(f"<{tag}>{written}</{tag}>").text.removeprefix("- ") == f"{read}\n"


@pytest.mark.parametrize(
    ("struck", "read"),
    [
        ("<s>100</s> 80", "~~100~~ 80"),
        ("<s>struck</s> 80", "struck 80"),
        ("<strike>100</strike> 80", "~~100~~ 80"),
        ("<span style='text-decoration: line-through'>100</span> 80", "~~100~~ 80"),
        ("<del>100</del> <ins>80</ins>", "80"),
        ("<s> </s>80", "80"),
    ],
)
def test_what_is_struck_out_no_longer_holds(struck, read):
    assert html(f"<p>It is {struck} euro").text == f"It is {read} euro\n"
    assert html(f"<ul><li>It is {struck} euro</ul>").text == f"- It is {read} euro\n"


def test_what_is_struck_out_in_blocks_is_read():
    assert html("<s><p>100</p><p>80</p></s>").text == "100\n\n80\n"


def test_what_is_done_of_a_list_of_tasks_is_read():
    done, todo = "<li><input type=checkbox disabled checked> Oil", "<li><p><input type=checkbox disabled> Fat</p>"
    choice = "<li><input type=checkbox checked> Show all"  # of who reads the page
    assert html(f"<ul>{done}{todo}{choice}</ul>").text == "- ☒ Oil\n- ☐ Fat\n- Show all\n"
    assert html(f"<ul>{done}<pre>pour</pre>{todo}</ul>").text == "- ☒ Oil\n\npour\n\n- ☐ Fat\n"


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10^6"),
        ("<msup><mi>e</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msup>", "e^(i+1)"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "(a+b)/c"),
        ("<mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac>", "1/x^2"),
        ("<msub><mi>x</mi><mn>1</mn></msub>", "x1"),
    ],
)
@pytest.mark.parametrize("tag", ["p", "h2", "li"])
def test_a_formula_of_mathml_is_read_in_a_line(formula, line, tag):
    assert html(f"<{tag}>So <math>{formula}</math></{tag}>").text.removeprefix("- ") == f"So {line}\n"


@pytest.mark.parametrize("item", ["{}", "{}<pre>code</pre>"])
@pytest.mark.parametrize(
    ("attributes", "items", "numbers"),
    [
        ("", "<li>{}<li>{}", ["1.", "2."]),
        ("start=3", "<li>{}<li value=7>{}<li>{}", ["3.", "7.", "8."]),
        ("type=a", "<li>{}<li>{}", ["a.", "b."]),
        ("type=I start=3", "<li>{}<li>{}", ["III.", "IV."]),
        ("reversed", "<li>{}<li>{}<li value=9>{}<li>{}", ["4.", "3.", "9.", "8."]),
        ("reversed start=7", "<li>{}<li>{}", ["7.", "6."]),
        ("type=A start=26", "<li>{}<li>{}", ["Z.", "27."]),
        ("", "<li>{}<ul><li>within</ul><li>{}<ul><li>within</ul></li><ul><li>between</ul><li>{}", ["1.", "2.", "3."]),
    ],
)
def test_items_have_the_numbers_that_a_reader_sees(attributes, items, numbers, item):
    text = html(f"<ol {attributes}>{items.replace('{}', item.format('item'))}</ol>").text
    assert re.findall(r"(\S+) item", text) == numbers


MAIN = "<p>The lathe is oiled each morning, and the drill each week.</p>"
AROUND = "<a href='#m'>Skip to content</a><header><p>Workshop</p></header>{}<footer><p>© Sea</p></footer>"


@pytest.mark.parametrize(
    "opened", ["<main id=m>{}</main>", "<div role=main>{}</div>", "<main><b><p role=main>{}</main>"]
)
def test_what_is_around_the_content_of_a_page_is_not_read(opened):
    assert html(AROUND.format(opened.format(f"<h1>Care</h1>{MAIN}"))).text.startswith("Care\n\nThe lathe")
    assert "Sea" not in html(AROUND.format(opened.format(MAIN))).text


def test_a_title_above_the_content_of_a_page_stays():
    page = f"<header><h1>Care</h1><p>Workshop</p></header><main>{MAIN}</main>"
    assert re.fullmatch(r"Care\n\nThe lathe .*\n", html(page).text)


@pytest.mark.parametrize("page", [f"<main><p>Open</p></main>{MAIN}", f"<main hidden>{MAIN}</main>{MAIN}"])
def test_a_page_whose_content_is_elsewhere_is_read_whole(page):
    assert "The lathe" in html(page).text


def test_a_page_with_several_contents_is_read_whole():
    page = f"<main>{MAIN}</main><p>Between</p><main>{MAIN}</main>"
    assert "Between" in html(page).text


def odt(body: str, styles: str = "") -> str:
    spaces = " ".join(f'xmlns:{prefix}="{address}"' for prefix, address in NAMESPACES.items())
    flat = (
        f"<?xml version='1.0'?><office:document {spaces}>{styles}"
        f"<office:body><office:text>{body}</office:text></office:body>"
    )
    return parse(f"{flat}</office:document>".encode(), "a.odt").text


NUMBERED = """<office:automatic-styles><text:list-style style:name='L1'>
<text:list-level-style-number text:level='1' style:num-suffix='.' style:num-format='1'/>
<text:list-level-style-number text:level='2' style:num-suffix=')' style:num-format='a' text:display-levels='2'/>
<text:list-level-style-bullet text:level='3' text:bullet-char='•'/></text:list-style></office:automatic-styles>"""


def odt_list(*items: str, attributes: str = "text:style-name='L1'") -> str:
    return (
        f"<text:list {attributes}>{''.join(f'<text:list-item>{item}</text:list-item>' for item in items)}</text:list>"
    )


def test_the_items_of_an_odt_have_the_numbers_that_its_styles_give_them():
    one, two = "<text:p>Open it.</text:p>", "<text:p>Oil it.</text:p>"
    nested = odt_list(one, two + odt_list(one, attributes=""), attributes="")
    body = odt_list(one + nested, two + odt_list(one, attributes=""))
    assert odt(body, NUMBERED) == (
        "1. Open it.\n  1.a) Open it.\n  1.b) Oil it.\n    - Open it.\n2. Oil it.\n  2.a) Open it.\n"
    )


@pytest.mark.parametrize(
    ("attributes", "number"), [("", "1."), ("text:continue-numbering='true'", "2."), ("text:continue-list='x'", "2.")]
)
def test_a_list_of_an_odt_goes_on_where_it_says_so(attributes, number):
    item = "<text:p>Oil it.</text:p>"
    second = odt_list(item, attributes=f"text:style-name='L1' {attributes}")
    assert odt(f"{odt_list(item)}<text:p>Then:</text:p>{second}", NUMBERED).endswith(f"Then:\n\n{number} Oil it.\n")


def test_an_item_of_an_odt_without_a_style_of_numbers_has_a_bullet():
    assert odt(odt_list("<text:p>Oil it.</text:p>", attributes="text:style-name='other'"), NUMBERED) == "- Oil it.\n"


def test_code_in_an_odt_keeps_its_indentation():
    lines = ["if oil:", "<text:s text:c='4'/>pour()", "<text:tab/><text:s/>stir()<text:line-break/><text:s/>rest()"]
    code = "".join(f"<text:p text:style-name='Preformatted_20_Text'>\n {line}\n</text:p>" for line in lines)
    assert odt(f"{code}<text:p><text:s/>Then</text:p>") == "if oil:\n    pour()\n\t stir()\n rest()\n\nThen\n"


def test_a_table_of_one_cell_in_an_odt_is_what_is_in_it():
    code = "".join(f"<text:p text:style-name='Code'>{line}</text:p>" for line in ("if oil:", "<text:s/>pour()"))
    cell = f"<table:table-cell><text:h>Example</text:h><text:p>So:</text:p>{code}</table:table-cell>"
    boxed = f"<table:table><table:table-row>{cell}</table:table-row></table:table>"
    assert odt(boxed) == "Example\n\nSo:\n\nif oil:\n pour()\n"


def odt_style(name: str, based_on: str = "", font: str = "") -> str:
    text = f"<style:text-properties style:font-name='{font}'/>" if font else ""
    named = f"style:name='{name}' style:family='paragraph' style:parent-style-name='{based_on}'"
    return f"<style:style {named}>{text}</style:style>"


@pytest.mark.parametrize(
    ("styles", "is_code"),
    [
        (odt_style("Mine", "Preformatted_20_Text"), True),
        (odt_style("Mine", "Base") + odt_style("Base", "", "Liberation Mono1"), True),
        (odt_style("Mine", "Base", "Monotype Corsiva") + odt_style("Base", "", "Courier New"), False),
        (odt_style("Mine", "Title", "Courier New"), False),
        (odt_style("Mine", "Standard") + odt_style("Standard", "", "Courier New"), False),
        (odt_style("Mine", "Mine"), False),
    ],
)
@pytest.mark.parametrize("varied", [False, True])
def test_code_in_an_odt_is_told_by_its_style(styles, is_code, varied):
    own = f"<office:automatic-styles>{odt_style('P1', 'Mine')}</office:automatic-styles>"
    line = f"<text:p text:style-name='{'P1' if varied else 'Mine'}'><text:s text:c='4'/>pour()</text:p>"
    assert odt(line, f"<office:styles>{styles}</office:styles>{own}") == f"{'    ' if is_code else ''}pour()\n"


@pytest.mark.parametrize(
    ("position", "written", "read"),
    [
        ("super 58%", "10{6}", "10^6"),
        ("33% 58%", "10<text:span>0</text:span>{−3}", "100^−3"),
        ("super 58%", "1{st} m{2}", "1st m2"),
        ("sub 58%", "10{2}", "102"),
        ("-33% 58%", "10{2}", "102"),
    ],
)
def test_a_raised_number_in_an_odt_is_no_digit_of_the_one_before(position, written, read):
    style = (
        f"<style:style style:name='T1' style:family='text'><style:text-properties style:text-position='{position}'/>"
    )
    styles = f"<office:automatic-styles>{style}</style:style></office:automatic-styles>"
    spans = written.replace("{", "<text:span text:style-name='T1'>").replace("}", "</text:span>")
    assert odt(f"<text:p>{spans}</text:p>", styles) == f"{read}\n"


@pytest.mark.parametrize(("line", "read"), [("solid", "It is ~~100~~ 80"), ("none", "It is 100 80")])
def test_what_is_struck_out_in_an_odt_no_longer_holds(line, read):
    through = f"<style:text-properties style:text-line-through-style='{line}'/>"
    style = f"<style:style style:name='T1' style:family='text'>{through}</style:style>"
    body = "<text:p>It is <text:span text:style-name='T1'>100</text:span> 80</text:p>"
    assert odt(body, f"<office:automatic-styles>{style}</office:automatic-styles>") == f"{read}\n"


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("<svg:title>Plan</svg:title><svg:desc>The new hall</svg:desc>", "See Plan The new hall here"),
        ("<svg:title>Plan</svg:title><svg:desc>Plan</svg:desc>", "See Plan here"),
        ("<svg:title>plan.png</svg:title><svg:desc>Plan</svg:desc>", "See Plan here"),
    ],
)
@pytest.mark.parametrize("space", ["", " "])
def test_what_stands_for_a_picture_of_an_odt_is_apart(said, read, space):
    body = f"<text:p>See{space}<draw:frame><draw:image/>{said}</draw:frame>{space}here</text:p>"
    assert odt(body) == f"{read}\n"


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("<text:p>Kept<text:hidden-text text:is-hidden='true'> no</text:hidden-text></text:p>", "Kept"),
        ("<text:p>Kept<text:hidden-text text:condition='x'> too</text:hidden-text></text:p>", "Kept too"),
        ("<text:p>Kept</text:p><text:p>no<text:hidden-paragraph text:is-hidden='true'/></text:p>", "Kept"),
        ("<text:p>Kept<text:hidden-paragraph text:is-hidden='false'/></text:p>", "Kept"),
    ],
)
def test_text_that_a_field_hides_is_not_read(body, read):
    assert odt(body) == f"{read}\n"


def test_how_a_word_is_read_aloud_is_not_part_of_it():
    word = "<text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby>"
    assert odt(f"<text:p>{word}だ</text:p>") == "漢字だ\n"


@pytest.mark.parametrize(
    ("attributes", "read"),
    [
        ("text:display='none'", False),
        ("text:display='condition' text:condition='x' text:is-hidden='true'", False),
        ("text:display='condition' text:condition='x'", True),
        ("text:display='true'", True),
    ],
)
def test_a_hidden_section_is_not_read(attributes, read):
    section = f"<text:section text:name='s' {attributes}><text:p>Draft</text:p></text:section>"
    assert odt(f"<text:p>Kept</text:p>{section}") == ("Kept\n\nDraft\n" if read else "Kept\n")


@pytest.mark.parametrize("holder", ["office:styles", "office:automatic-styles"])
def test_text_hidden_by_a_style_is_not_read(holder):
    gone = "<style:style style:name='Gone'><style:text-properties text:display='none'/></style:style>"
    varied = "<style:style style:name='T1' style:parent-style-name='Gone'/>"
    varied += "<style:style style:name='T2' style:parent-style-name='Gone'>"
    varied += "<style:text-properties text:display='true'/></style:style>"
    styles = f"<{holder}>{gone}</{holder}><office:automatic-styles>{varied}</office:automatic-styles>"
    spans = "".join(f"<text:span text:style-name='{name}'>{name} </text:span>" for name in ("Gone", "T1", "T2"))
    assert odt(f"<text:p>{spans}</text:p><text:p text:style-name='Gone'>no</text:p>", styles) == "T2\n"
    assert odt("<text:p text:style-name='Gone'>All there is</text:p>", styles) == "All there is\n"


@pytest.mark.parametrize(
    "hidden",
    [
        "<text:p text:style-name='Gone'>no</text:p>",
        "<text:section text:name='s' text:display='none'><text:p>no</text:p></text:section>",
    ],
)
def test_hidden_text_in_lists_and_tables_is_not_read(hidden):
    gone = "<style:style style:name='Gone'><style:text-properties text:display='none'/></style:style>"
    styles = f"<office:automatic-styles>{gone}</office:automatic-styles>"
    one, two = "<text:p>Oil</text:p>", "<text:p>Fat</text:p>"
    assert odt(odt_list(one + hidden, hidden, two, attributes=""), styles) == "- Oil\n- Fat\n"
    cells = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in (one + hidden, two, hidden, one))
    row = f"<table:table-row>{cells}</table:table-row>"
    assert odt(f"<table:table>{row}</table:table>", styles) == "Oil | Fat |  | Oil\n"
    code = "<text:p text:style-name='Code'>oil()</text:p>"
    assert odt(f"{code}{hidden}", styles) == "oil()\n"


@pytest.mark.parametrize("name", ["table-of-content", "illustration-index", "table-index", "object-index"])
def test_a_list_of_what_is_in_the_document_is_not_read(name):
    body = "<text:index-body><text:index-title><text:p>Contents</text:p></text:index-title><text:p>Scope 3</text:p>"
    assert odt(f"<text:{name}>{body}</text:index-body></text:{name}><text:p>Kept</text:p>") == "Kept\n"


def test_a_note_in_a_frame_is_a_note():
    document = html(FRAME.format("tip", "<p>Oil the lathe.</p><ul><li>Daily.</li></ul>"))
    assert [block.kind for block in document.blocks] == [BlockKind.NOTE]
    assert document.text == "Tip\nOil the lathe.\nDaily.\n"


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ("<p>Oil it.", [(BlockKind.NOTE, 2)]),
        ("<p>Oil it.</p><pre>pour</pre>", [(BlockKind.NOTE, 1), (BlockKind.NOTE, 1), (BlockKind.CODE, 1)]),
    ],
)
def test_a_note_of_asciidoctor_is_a_note(content, blocks):
    frame = f"<tr><td class=icon><div class=title>Tip</div><td class=content>{content}"
    document = html(f"<div class='admonitionblock tip'><table>{frame}</table></div>")
    assert [(block.kind, block.line_end - block.line_start + 1) for block in document.blocks] == blocks
    assert document.text.split()[:3] == ["Tip", "Oil", "it."]


def test_a_note_in_a_frame_keeps_its_code():
    document = html(FRAME.format("important", "<p>Say:</p><pre>oil</pre>"))
    kinds = [block.kind for block in document.blocks]
    assert kinds == [BlockKind.NOTE, BlockKind.NOTE, BlockKind.CODE]
    assert "|" not in document.text


def test_the_title_of_a_note_is_no_section():
    document = html("<div class=warning><h3 class=title>Warning</h3><p>It is sharp.</p></div>")
    assert [block.kind for block in document.blocks] == [BlockKind.NOTE]


@pytest.mark.parametrize("cell", ["Tool", "<img src=a.png>"])
def test_a_table_of_data_in_a_note_stays_a_table(cell):
    table = f"<table><tr><td>{cell}</td><td>Days</td></tr><tr><td>Saw</td><td>3</td></tr></table>"
    assert BlockKind.TABLE in [block.kind for block in html(f"<div class=note>{table}</div>").blocks]


@pytest.mark.parametrize(
    "terms",
    [
        "<dt>Lathe<dd>A machine.<dl><dt>oil()<dd>Oils it.<dl><dt>Returns<dd>Nothing.</dl></dl>",
        "<div><dt>Lathe<dd>A machine.</div><div><dt>oil()<dd>Oils it.<dl><div><dt>Returns<dd>Nothing.</dl></div>",
    ],
)
def test_a_list_of_terms_within_another_is_written_once(terms):
    document = html(f"<dl>{terms}</dl>")
    assert [block.kind for block in document.blocks] == [BlockKind.DEFINITION]
    assert [line.strip() for line in document.text.splitlines()] == [
        "Lathe", "A machine.", "oil()", "Oils it.", "Returns", "Nothing."
    ]  # fmt: skip


def test_what_follows_a_list_of_terms_in_a_definition_belongs_to_it():
    document = html("<dl><dt>Lathe<dd>Say:<dl><dt>often<dd><pre>oil()</pre></dl>See there.</dl>")
    assert [(block.kind, block.line_start) for block in document.blocks if block.kind is not BlockKind.CODE] == [
        (BlockKind.DEFINITION, line) for line in (1, 3, 5, 9)
    ]


def test_headings_have_the_ids_of_the_page_as_anchors():
    document = html('<section id="outer"><h2 id="own">A <a name="inner"></a>title</h2></section>')
    assert document.blocks[0].labels == ("outer", "own", "inner")


@pytest.mark.parametrize(
    ("between", "labels"),
    [
        ("<a name=x></a>", ("x",)),
        ("<p><a name=x></a></p>", ("x",)),
        ("<p>Text.<a name=x></a>", ("x",)),
        ("<div><p>Text.</p><a name=x></a></div>", ("x",)),
        ("<a name=x></a><table><tr><td><img src=a.png></table>", ("x",)),
        ("<p>Text <a name=x></a>goes on.</p>", ()),
        ("<div id=x><p>Text.</p></div>", ()),
        ("<div id=x><pre>oil()</pre></div>", ()),
        ("<div id=x><ul><li>Oil</ul></div>", ()),
        ("<div id=x><dl><dt>Oil<dd>Fat.</dl></div>", ()),
        ("<div id=x><div class=note>Oil</div></div>", ()),
        ("<div id=x><table><tr><td>a<td>b<tr><td>1<td>2</table></div>", ()),
    ],
)
def test_an_anchor_with_text_behind_it_is_not_of_the_next_section(between, labels):
    assert html(f"<h2>A</h2>{between}<h2>B</h2>").blocks[-1].labels == labels


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td", "dl><dd", "span"])
def test_html_of_any_depth_is_read(tag):
    assert "core" in html(f"<{tag}>" * 5_000 + "core").text


XMLNS = 'xmlns="http://www.w3.org/1999/xhtml"'


@pytest.mark.parametrize(
    "closed", ["<title/>", '<script src="x.js" />', "<style/>", '<iframe title="a/>b"/>', "<textarea/>"]
)
@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("<html><body>{}<p>Oil<br/>it.</p></body></html>", "a.xhtml"),
        ("<?xml version='1.0'?><html><body>{}<p>Oil<br/>it.</p></body></html>", "a.html"),
        (f"<!DOCTYPE html><html {XMLNS}><body>{{}}<p>Oil<br/>it.</p></body></html>", "a.htm"),
    ],
)
def test_what_xhtml_closes_at_once_does_not_hold_the_rest_of_the_page(closed, page, name):
    assert parse(page.format(closed).encode(), name).text == "Oil\nit.\n"


def test_empty_elements_of_xhtml_do_not_nest():
    page = "<?xml version='1.0'?><html><body>" + "<div/><span id='page'/><p>Oil it.</p>" * 300 + "</body></html>"
    assert len(parse(page.encode(), "a.xhtml").blocks) == 300


def test_a_chapter_without_a_title_is_read():
    def untitle(name: str, content: bytes) -> bytes:
        return re.sub(rb"<title>.*?</title>", b"<title/>", content) if name.endswith("html") else content

    book = GOLDEN / "epub/in/book.epub"
    untitled = repacked(book, untitle)
    assert untitled != book.read_bytes() and parse(untitled, "a.epub").text == parse(book.read_bytes(), "a.epub").text


def test_a_chapter_that_the_book_lacks_is_told():
    def renamed(name: str, content: bytes) -> bytes:
        if not name.endswith(".opf"):
            return content
        return content.replace(b'"one.xhtml"', b'"gone.xhtml"').replace(
            b"second%20one.xhtml", b"second%20one.xhtml#top"
        )

    book = parse(repacked(GOLDEN / "epub/in/book.epub", renamed), "a.epub")
    assert book.blocks and book.warnings == ("1 of its 2 chapters is not in it",)


@pytest.mark.parametrize(
    "page", ["<a" * 400_000, "<a " + "/" * 800_000, "<a '\"" * 200_000, "<a " + "b='c' " * 200_000]
)
def test_xhtml_made_to_be_slow_is_read_without_trouble(page):
    assert parse(f"<?xml ?><p>seen</p>{page}".encode(), "a.xhtml").text.startswith("seen")


@pytest.mark.parametrize("span", ["1000000000", "-3", "x", "0"])
def test_a_span_of_any_size_makes_a_table_of_sane_size(span):
    document = html(f"<table><tr><td colspan={span} rowspan={span}>a</td><td>b</td></tr><tr><td>c</td></tr></table>")
    assert len(document.text) < 10_000 and "c" in document.text


def test_code_keeps_its_language():
    found = html('<div class="highlight-php notranslate"><div class="highlight"><pre>echo 1;</pre></div></div>')
    assert [(block.kind, block.language) for block in found.blocks] == [(BlockKind.CODE, "php")]


@pytest.mark.parametrize(
    "code",
    [
        "one<br>  two",
        "<span class=token-line><b>one</b><br></span><span class=token-line><b>  two</b><br></span>",
        "<div class=line>one</div><div class=line>  two</div>",
        "<div class=line>one\n</div><div class=line>  two\n</div>",
        "<ol><li>one<li>  two</ol>",
        "one<button>Copy</button>\n  two",
        "<span class=linenos>1</span>one\n<span class=linenos>2</span>  two\n",
        "<table><tr><td class='gutter gl'><pre class=lineno>1\n2\n</pre><td class=code><pre>one\n  two</pre></table>",
    ],
)
def test_code_keeps_its_lines_and_not_their_numbers(code):
    document = html(f"<pre>{code}</pre>")
    assert document.text == "one\n  two\n" and [block.kind for block in document.blocks] == [BlockKind.CODE]


NUMBERED_LINES = """<div class=fragment><div class=line><a id="l00001"></a><span class="lineno">    1</span>int a;</div>
<div class=foldopen><div class=line><span class="lineno"><a class="line" href="#l00002">    2</a></span>  int b;</div>
</div><div class="line"> </div><div class="line">int c;</div>
<div class="ttc"><div class="ttname">told elsewhere</div></div></div>"""


@pytest.mark.parametrize("around", ["{}", "<ul><li>{}</ul>", "<dl><dt>x<dd>{}</dl>", "<div class=note>{}</div>"])
def test_code_of_doxygen_is_code(around):
    code = [block for block in html(around.format(NUMBERED_LINES)).blocks if block.kind is BlockKind.CODE]
    assert len(code) == 1
    assert "int a;\n  int b;\n\nint c;\n" in html(around.format(NUMBERED_LINES)).text


def test_a_signature_of_doxygen_is_a_line_of_code():
    rows = "<tr><td class=memname>int open </td><td>(</td><td>const char *&#160;</td><td><em>path</em>, </td></tr>"
    rows += "<tr><td></td><td></td><td>int&#160;</td><td><em>flags</em></td></tr><tr><td></td><td>)</td></tr>"
    (block,) = html(f"<div class=memproto><table class=memname>{rows}</table></div>").blocks
    assert block.kind is BlockKind.CODE
    assert html(f"<table class=memname>{rows}</table>").text == "int open ( const char * path, int flags )\n"


def test_what_another_page_calls_a_fragment_is_text():
    (block,) = html("<div class=fragment><p>Told step by step</div>").blocks
    assert block.kind is BlockKind.PARAGRAPH


def test_line_numbers_beside_code_are_not_read():
    numbers = "<td class=linenos><div class=linenodiv><pre><span class=normal>1</span>\n2</pre></div></td>"
    document = html(f"<table class=highlighttable><tr>{numbers}<td class=code><pre>one\ntwo</pre></td></tr></table>")
    assert document.text == "one\ntwo\n"


def test_code_of_any_depth_is_read():
    assert "core" in html("<pre>" + "<div>" * 5_000 + "core").text


def test_a_sheet_that_claims_billions_of_cells_is_rejected():
    def stretch(name: str, content: bytes) -> bytes:
        return content.replace(b'r="B3"', b'r="XFD1048576"') if "sheet1" in name else content

    with pytest.raises(ParseError, match="memory"):
        sandbox.parse(repacked(GOLDEN / "sheets/in/prices.xlsx", stretch), "a.xlsx")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_csv_file_is_cut_where_its_lines_agree(delimiter):
    rows = [["name", "note"], ["Ada", "one, two; three"], ["Bob", "x"]]
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in rows]
    document = parse("\n".join(lines).encode(), "a.csv")

    assert document.text == "name | note\nAda | one, two; three\nBob | x\n"
    assert document.blocks[0].header == "name | note"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1,5;2,5\n3,5;4,5\n", "1,5 | 2,5\n3,5 | 4,5\n"),
        ("Oil, fine;1,5;2,5\nOil, thick;3,5;4,5\n", "Oil, fine | 1,5 | 2,5\nOil, thick | 3,5 | 4,5\n"),
        ('"1,5";"2,5"\n"3,5";"4,5"\n', "1,5 | 2,5\n3,5 | 4,5\n"),
        ('1,2,"a; b"\n3,4,"c; d"\n', "1 | 2 | a; b\n3 | 4 | c; d\n"),
        ("id,n,tags\n1,2,a;b\n3,4,c;d\n", "id | n | tags\n1 | 2 | a;b\n3 | 4 | c;d\n"),
        ("id,n,tag;s\nA,x,a;b\nB,y,c;d\n", "id | n | tag;s\nA | x | a;b\nB | y | c;d\n"),
    ],
)
def test_decimal_commas_do_not_cut_the_fields_between_semicolons(text, read):
    assert parse(text.encode(), "a.csv").text == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('size\tprice\n"5 inch\t1\nsmall\t2\n', 'size | price\n"5 inch | 1\nsmall | 2\n'),
        ('size\tprice\n"5 inch\t1\n7"\t2\n', 'size | price\n"5 inch | 1\n7" | 2\n'),
        ('size\tnote\n5\t"one\ntwo"\n6\tthree\n', "size | note\n5 | one two\n6 | three\n"),
        ('size\tnote\n5\t"one\ttwo"\n', "size | note\n5 | one two\n"),
        ('size\tnote\n5\t"one\ttwo\nthree"\n6\tfour\n', "size | note\n5 | one two three\n6 | four\n"),
        ('a\tb\n\n"1\t2\n3"\t4\n5\n', 'a | b\n"1 | 2\n3" | 4\n5 |\n'),
        ('id\tname\n1\t"5 inch\n2\n3\t7"\n4\tx\n', 'id | name\n1 | "5 inch\n2 |\n3 | 7"\n4 | x\n'),
        ('"A\tB\n1\t2\n3\t4"\n', '"A | B\n1 | 2\n3 | 4"\n'),
    ],
)
def test_a_quotation_mark_alone_swallows_no_rows(text, read):
    assert parse(text.encode(), "a.tsv").text == read


def sheet_of(rows: list[list[str]]) -> bytes:
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as workbook:
        sheet = workbook.add_worksheet("S")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return target.getvalue()


TITLES = [["Price list 2024"], ["As of 1 May"]]
NAMED_BY_YEARS = ["Region", "2022", "2023", "Q1 2024"]


@pytest.mark.parametrize(("titles", "names"), [(TITLES, ["Item", "Plan", "Price"]), ([], NAMED_BY_YEARS)])
@pytest.mark.parametrize("name", ["a.xlsx", "a.csv"])
def test_every_piece_of_a_sheet_has_the_names_of_its_columns(titles, names, name):
    rows = [[f"part {number}", *map(str, range(number, number + len(names) - 1))] for number in range(60)]
    every = [*titles, names, *rows]
    data = sheet_of(every) if name == "a.xlsx" else "\n".join(",".join(row) for row in every).encode()
    document = parse(data, name)
    chunks = chunk(document, build_sections(document), lambda texts: [len(text.split()) for text in texts], budget=60)
    assert document.text.startswith(
        "Price list 2024\nAs of 1 May\n\nItem | Plan | Price\n" if titles else "Region | 2022"
    )
    assert len(chunks) > 4 and {each.context for each in chunks[1:]} == {" | ".join(names)}


def test_names_that_span_columns_are_told_apart_by_the_row_below_them():
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        sheet.merge_range("A1:A2", "Region")
        sheet.merge_range("B1:C1", 2022)
        sheet.merge_range("D1:E1", 2023)
        for number, row in enumerate([["Q1", "Q2", "Q1", "Q2"], [1, 2, 3, 4]], 1):
            sheet.write_row(number, 1, row)
        sheet.write(2, 0, "North")
    (block,) = parse(target.getvalue(), "a.xlsx").blocks
    assert block.header == "Region | 2022 | 2022 | 2023 | 2023 / Region | Q1 | Q2 | Q1 | Q2"


@pytest.mark.parametrize(
    "text",
    [
        "Ada,1984\nBob,1990\n",  # years below years are values
        "Region,2022,17\nNorth,1,2\n",
        "2022,2023\n1,2\n",
        "Stock\n1,2\n3,4\n",  # no names below the title
        "one\ntwo\nthree\nfour\nfive\nsix\nItem,Price\noil,3\n",
    ],
)
def test_rows_of_a_sheet_that_name_nothing_are_values(text):
    (block,) = parse(text.encode(), "a.csv").blocks
    assert block.kind is BlockKind.TABLE and block.header == ""


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_first_line_that_names_the_separator_is_no_row(first):
    document = parse(f"{first}\r\nname;price\r\noil;1,5\r\n".encode(), "a.csv")
    assert document.text == "name | price\noil | 1,5\n"
    assert document.blocks[0].header == "name | price"


@pytest.mark.parametrize(
    ("days", "read"), [(6 + 21.5 / 24, "165:30"), (0.5, "12:00"), (1 / 24 / 3600, "0:00:01"), (2, "48:00")]
)
def test_hours_are_added_up_as_the_sheet_shows_them(days, read):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        book.add_worksheet().write(0, 0, days, book.add_format({"num_format": "[h]:mm:ss"}))
    assert parse(target.getvalue(), "a.xlsx").text == f"{read}\n"
    assert sheets.shown(datetime.timedelta(days=-days)) == f"-{read}"


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (1.1 * 3, "3.3"),
        (0.1 + 0.2, "0.3"),
        (4.25, "4.25"),
        (4.0, "4"),
        (4_111_111_111_111_111.0, "4111111111111111"),
        (99_999_999_999_999.5, "99999999999999.5"),
        (0.000_012_34, "1.234e-05"),
        (6.02214076e23, "6.02214076e+23"),
    ],
)
def test_a_number_is_read_without_the_digits_that_computing_left(value, read):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        book.add_worksheet().write_formula(0, 0, "=A2", None, value)
    assert parse(target.getvalue(), "a.xlsx").text == f"{read}\n" == f"{sheets.shown(value)}\n"


def test_a_workbook_without_a_title_is_named_after_its_file():
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        for name in ("Sheet1", "Sheet2"):
            book.add_worksheet(name).write_row(0, 0, ["a", "b"])
    document = parse(target.getvalue(), "finance/budget.xlsx")
    assert document.title == "budget"
    assert [section.breadcrumb for section in build_sections(document)] == [("budget", "Sheet1"), ("budget", "Sheet2")]


@pytest.mark.parametrize(
    ("cell", "warned"),
    [
        (b'<c r="A1"><f>1+1</f><v></v></c>', True),
        (b'<c r="A1"><f>1+1</f></c>', True),
        (b'<c r="A1"><f>1+1</f><v>2</v></c>', False),
        (b'<c r="A1" t="str"><f>""</f><v></v></c>', False),  # a value, and none to see
    ],
)
def test_a_formula_without_a_value_is_warned_of(cell, warned):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        sheet.write_formula(0, 0, "=1+1", None, 0)
        sheet.write(0, 1, "Sum")
    written = b'<c r="A1"><f>1+1</f><v>0</v></c>'
    data = repacked(target, lambda name, content: content.replace(written, cell))
    told = "1 formula has no value: the program that saved the file computed none"
    assert parse(data, "a.xlsx").warnings == ((told,) if warned else ())


SALES = [["Department", "Q1", "Share"], ["Sales", "12", "0.5"], ["IT", "9", "0.2"], []]
PHONES = [["Name", "Phone"], ["Anna", "4312"], ["Ben", "4310"]]


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv"])
@pytest.mark.parametrize("titles", [[], [["People"]]])
def test_a_second_table_of_a_sheet_has_its_own_names_of_columns(titles, name):
    every = [*SALES, *titles, *PHONES]
    data = sheet_of(every) if name == "a.xlsx" else "\n".join(",".join(row) for row in every).encode()
    tables = [block for block in parse(data, name).blocks if block.kind is BlockKind.TABLE]
    assert [table.header for table in tables] == ["Department | Q1 | Share", "Name | Phone"]


@pytest.mark.parametrize(
    "group",
    [
        [["Legal", "3", "0.1"], ["Press", "1", "0"]],
        [["Abroad"], ["Paris", "3", "0.1"]],
        [["Legal", "none", "none"], ["Press", "1", "0"]],
        [["Sum", "none"], ["Share", "1", "0"]],
    ],
)
def test_groups_of_rows_are_one_table(group):
    (table,) = parse(sheet_of([*SALES, *group]), "a.xlsx").blocks
    assert table.header == "Department | Q1 | Share"


@pytest.mark.parametrize(
    ("rows", "warned"),
    [
        ([["a"], ["b"], ["c"]], ()),
        ([["a"], [""], ["c"], ["d"]], ("sheet “S” has more than 3 rows: the rest was left out",)),
        ([["a", "b"], ["c", "d", "e"]], ("sheet “S” has more than 2 columns: the rest was left out",)),
    ],
)
def test_a_sheet_whose_rows_or_columns_are_cut_says_so(monkeypatch, rows, warned):
    monkeypatch.setattr(sheets, "MOST_ROWS", 3)
    monkeypatch.setattr(sheets, "MOST_COLUMNS", 2)
    assert parse(sheet_of(rows), "a.xlsx").warnings == warned


def test_a_sheet_of_too_many_cells_is_rejected_and_its_size_said(monkeypatch):
    rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    monkeypatch.setattr(sheets, "MOST_CELLS", 6)
    assert parse(sheet_of(rows), "a.xlsx").text == "a | b\nc | d\ne | f\n"
    monkeypatch.setattr(sheets, "MOST_CELLS", 5)
    with pytest.raises(ParseError, match="“S” spans 3 × 2 cells"):
        parse(sheet_of(rows), "a.xlsx")


@pytest.mark.parametrize(("line", "warned"), [("a,b,c", True), ("a,b", False), ("a,b, ,", False)])
def test_a_csv_file_whose_columns_are_cut_says_so(monkeypatch, line, warned):
    monkeypatch.setattr(sheets, "MOST_COLUMNS", 2)
    document = parse(f"x,y\n{line}\n".encode(), "a.csv")
    assert document.warnings == (("it has more than 2 columns: the rest was left out",) if warned else ())
    assert document.text == "x | y\na | b\n"


SPACES = " ".join(
    f'xmlns:{prefix}="http://schemas.{address}"'
    for prefix, address in (
        ("p", "openxmlformats.org/presentationml/2006/main"),
        ("a", "openxmlformats.org/drawingml/2006/main"),
        ("m", "openxmlformats.org/officeDocument/2006/math"),
        ("mc", "openxmlformats.org/markup-compatibility/2006"),
        ("a14", "microsoft.com/office/drawing/2010/main"),
    )
)


def shape(number: int, body: str, placeholder: str = "") -> str:
    """A shape without geometry."""
    names = f'<p:cNvPr id="{number}" name="s"/><p:cNvSpPr/><p:nvPr>{placeholder}</p:nvPr>'
    return f"<p:sp><p:nvSpPr>{names}</p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p>{body}</a:p></p:txBody></p:sp>"


def title(text: str) -> str:
    return shape(2, f"<a:r><a:t>{text}</a:t></a:r>", '<p:ph type="title"/>')


def deck(*slides: str) -> bytes:
    presentation = pptx.Presentation()
    for shapes in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        for element in pptx.oxml.parse_xml(f"<p:spTree {SPACES}>{shapes}</p:spTree>"):
            slide.shapes.element.append(element)
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


@pytest.mark.parametrize("wrapped", ["{}", "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>{}</p:grpSp>"])
def test_a_shape_with_a_formula_is_read_with_it(wrapped):
    formula = "<a14:m><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></a14:m>"
    new, old = shape(3, f"<a:r><a:t>Where </a:t></a:r>{formula}"), shape(3, "<a:r><a:t>old</a:t></a:r>")
    choice = f'<mc:Choice Requires="a14">{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback>'
    slide = title("T") + wrapped.format(f"<mc:AlternateContent>{choice}</mc:AlternateContent>")
    assert parse(deck(slide), "a.pptx").text == "T\n\nWhere x=1\n"


@pytest.mark.parametrize(
    ("before", "baseline", "raised", "read"),
    [
        ("10", "30000", "6", "10^6"),
        ("m", "30000", "2", "m2"),
        ("1", "30000", "st", "1st"),
        ("10", "-25000", "2", "102"),
    ],
)
def test_a_raised_number_on_a_slide_is_no_digit_of_the_one_before(before, baseline, raised, read):
    runs = f'<a:r><a:t>{before}</a:t></a:r><a:r><a:rPr baseline="{baseline}"/><a:t>{raised}</a:t></a:r>'
    assert parse(deck(title("T") + shape(3, runs)), "a.pptx").text == f"T\n\n{read}\n"


def numbered(text: str, scheme: str = "", level: int = 0, more: str = "") -> str:
    mark = f'<a:buAutoNum type="{scheme}" {more}/>' if scheme else ""
    return f'<a:pPr lvl="{level}">{mark}</a:pPr><a:r><a:t>{text}</a:t></a:r>'


def test_items_on_a_slide_have_the_numbers_that_powerpoint_shows():
    items = [
        numbered("Open it.", "arabicPeriod"),
        numbered("oil", "alphaLcParenR", 1),
        numbered("fat", "alphaLcParenR", 1),
        numbered("Close it.", "arabicPeriod"),
        numbered("rest", "alphaLcParenR", 1),
        numbered("Then"),
        numbered("Start.", "arabicPeriod", more='startAt="5"'),
        numbered("End.", "romanUcPeriod"),
        numbered("What?", "circleNumDbPlain"),
    ]
    text = parse(deck(title("T") + shape(3, "</a:p><a:p>".join(items))), "a.pptx").text
    lines = [
        "1. Open it.",
        "  a) oil",
        "  b) fat",
        "2. Close it.",
        "  a) rest",
        "- Then",
        "5. Start.",
        "I. End.",
        "- What?",
    ]
    assert text.split("\n")[2:-1] == lines


def test_a_shape_without_geometry_is_read():
    assert parse(deck(shape(3, "<a:r><a:t>Here</a:t></a:r>")), "a.pptx").text == "Slide 1\n\nHere\n"


def test_a_shape_with_the_identity_of_the_title_is_read():
    text = shape(2, "<a:r><a:t>Oil it.</a:t></a:r>")
    assert parse(deck(title("Lathe") + text), "a.pptx").text == "Lathe\n\nOil it.\n"


def test_a_deck_of_titles_is_read_and_one_of_nothing_is_not():
    assert parse(deck(title("One"), ""), "a.pptx").text == "One\n\nSlide 2\n"
    assert "no text" in reason(deck("", title("")), "a.pptx")


def test_a_hidden_slide_is_left_out_and_counted():
    presentation = pptx.Presentation(io.BytesIO(deck(title("One"), title("Two"), title("Three"))))
    presentation.slides[1].element.set("show", "0")
    document = parse(saved(presentation), "a.pptx")

    assert document.text == "One\n\nThree\n" and document.blocks[1].page == 3
    assert document.warnings == ("1 hidden slide was left out",)


def saved(presentation) -> bytes:
    target = io.BytesIO()
    presentation.save(target)
    return target.getvalue()


def test_a_chart_is_read_as_a_table_of_what_it_draws():
    presentation = pptx.Presentation(io.BytesIO(deck(title("Sales"))))
    data = pptx.chart.data.CategoryChartData()
    data.categories = ["2023", "2024"]
    data.add_series("Cider", (4.3, None))
    data.add_series("Share", (0.25, 0.3), number_format="0%")
    kind, place = pptx.enum.chart.XL_CHART_TYPE.COLUMN_CLUSTERED, [914_400] * 4
    chart = presentation.slides[0].shapes.add_chart(kind, *place, data).chart
    chart.chart_title.text_frame.text = "Sold by year"
    document = parse(saved(presentation), "a.pptx")

    assert document.text == "Sales\n\nSold by year\n\n | Cider | Share\n2023 | 4.3 | 25%\n2024 |  | 30%\n"
    assert document.blocks[-1].kind is BlockKind.TABLE and document.blocks[-1].header == " | Cider | Share"


def test_a_chart_of_points_and_days_is_read(monkeypatch):
    presentation = pptx.Presentation(io.BytesIO(deck(title("T"))))
    kinds, place, shapes = pptx.enum.chart.XL_CHART_TYPE, [914_400] * 4, presentation.slides[0].shapes
    scattered = pptx.chart.data.XyChartData()
    for name, x in (("A", 1), ("B", 2.5)):
        scattered.add_series(name).add_data_point(x, 9)
    shapes.add_chart(kinds.XY_SCATTER, *place, scattered)
    daily = pptx.chart.data.CategoryChartData()
    daily.categories = [datetime.date(2024, 1, day) for day in (1, 2)]
    daily.add_series("Guests", (7, 8))
    shapes.add_chart(kinds.LINE, *place, daily)
    written = "T\n\n | A\n1 | 9\n\n | B\n2.5 | 9\n\n | Guests\n2024-01-01 | 7\n2024-01-02 | 8\n"
    assert parse(saved(presentation), "a.pptx").text == written

    monkeypatch.setattr("ingestion.parsers.charts.MOST_POINTS", 1)
    document = parse(saved(presentation), "a.pptx")
    assert "2024-01-02" not in document.text and "the rest was left out" in document.warnings[0]


def test_the_texts_of_smartart_are_a_list():
    main, a = (f"http://schemas.openxmlformats.org/drawingml/2006/{name}" for name in ("diagram", "main"))
    kinds = {"": "Plan", "node": "Do it", "pres": "no", "sibTrans": "no"}
    points = "".join(
        f'<dgm:pt type="{kind or "node"}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for kind, text in kinds.items()
    )
    blob = f'<dgm:dataModel xmlns:dgm="{main}" xmlns:a="{a}"><dgm:ptLst>{points}</dgm:ptLst></dgm:dataModel>'.encode()
    presentation = pptx.Presentation(io.BytesIO(deck(title("T"))))
    slide = presentation.slides[0]
    uri = pptx.opc.packuri.PackURI("/ppt/diagrams/data1.xml")
    part = pptx.opc.package.Part(uri, "application/xml", slide.part.package, blob)
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    identity = slide.part.relate_to(part, f"{office}/diagramData")
    reference = f'<dgm:relIds xmlns:dgm="{main}" xmlns:r="{office}" r:dm="{identity}"/>'
    graphic = f'<a:graphic><a:graphicData uri="{main}">{reference}</a:graphicData></a:graphic>'
    names = '<p:nvGraphicFramePr><p:cNvPr id="9" name="d"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
    frame = f"<p:graphicFrame {SPACES}>{names}<p:xfrm/>{graphic}</p:graphicFrame>"
    slide.shapes.element.append(pptx.oxml.parse_xml(frame))

    assert parse(saved(presentation), "a.pptx").text == "T\n\n- Plan\n- Do it\n"


def test_hidden_sheets_are_left_out_and_counted():
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        for name in ("Rooms", "Salaries", "Lists"):
            book.add_worksheet(name).write(0, 0, f"in {name}")
        book.worksheets()[1].hide()
        book.worksheets()[2].very_hidden()
    document = parse(target.getvalue(), "a.xlsx")

    assert document.text == "in Rooms\n" and document.warnings == ("2 hidden sheets were left out",)


def workbook(rows, look):
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        look(book, sheet)
    return target.getvalue()


STOCK = [["Item", "Price", "Paid"], ["Tent", 90, 41], ["Lamp", 12, 5], ["Rope", 7, 3]]
GONE = {"hidden": True}


def test_hidden_columns_and_rows_are_left_out_and_counted():
    def hide(book, sheet):
        sheet.set_column(2, 2, None, None, GONE)
        sheet.set_column(7, 9, None, None, GONE)  # where nothing stands
        sheet.set_row(1, None, None, GONE)
        sheet.set_row(2, None, None, GONE)

    document = parse(workbook(STOCK, hide), "a.xlsx")
    assert document.text == "Item | Price\nRope | 7\n"
    assert document.warnings == ("2 hidden rows were left out", "1 hidden column was left out")


def filtered(book, sheet):
    sheet.autofilter("A1:C4")
    sheet.filter_column("A", "x == Rope")
    sheet.set_row(1, None, None, GONE)


def filtered_table(book, sheet):
    sheet.add_table("A1:C4", {"columns": [{"header": name} for name in STOCK[0]]})
    sheet.set_row(1, None, None, GONE)


def folded(book, sheet):
    sheet.set_row(1, None, None, {"level": 1, **GONE})
    sheet.set_column(2, 2, None, None, {"level": 1, **GONE})


@pytest.mark.parametrize("look", [filtered, filtered_table, folded])
def test_rows_that_a_filter_or_a_fold_hides_are_read(look):
    def choose(name: str, content: bytes) -> bytes:
        filters = b'<autoFilter ref="A1:C4"><filterColumn colId="0"/></autoFilter>'
        return content.replace(b'<autoFilter ref="A1:C4"/>', filters) if "tables/" in name else content

    document = parse(repacked(io.BytesIO(workbook(STOCK, look)), choose), "a.xlsx")
    assert document.text.split("\n")[1] == "Tent | 90 | 41" and document.warnings == ()


def test_a_sheet_of_hidden_columns_has_no_text():
    with pytest.raises(ParseError, match="empty or hidden"):
        parse(workbook(STOCK, lambda book, sheet: sheet.set_column(0, 9, None, None, GONE)), "a.xlsx")


@pytest.mark.parametrize(
    ("form", "value", "read"),
    [
        ("0%", 0.19, "19%"),
        ("0.0\\ %", 0.07, "7 %"),
        ('#,##0.00 "€"', 1234.5, "1234.5 €"),
        ("#,##0.00\\ [$€-407]", -1234.5, "-1234.5 €"),
        ('_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', 5, "$5"),
        ('0 "kg"', 3500, "3500 kg"),
        ('[Red]General" pcs";-0', 12, "12 pcs"),
        ('0.0,,"M"', 1_200_000, "1200000"),  # said in thousands
        ('"A-"0000', 42, "42"),  # with zeros before it
        ('[>9]0 "many";0 "few"', 12, "12"),
        ('# ?/?"x"', 0.5, "0.5"),
        ('0.00E+00 "V"', 1500, "1500"),
        ('00" "00', 1234, "1234"),
        ("#,##0.00", 1234.5, "1234.5"),
    ],
)
def test_a_number_is_read_with_the_unit_that_its_format_gives_it(form, value, read):
    data = workbook([], lambda book, sheet: sheet.write(0, 0, value, book.add_format({"num_format": form})))
    assert parse(data, "a.xlsx").text == f"{read}\n"


def test_numbers_with_units_name_no_columns():
    def weigh(book, sheet):
        for row, value in enumerate((3500, 20)):
            sheet.write(row, 1, value, book.add_format({"num_format": '0 "kg"'}))

    (block,) = parse(workbook([["Truck"], ["Bike"]], weigh), "a.xlsx").blocks
    assert (block.kind, block.header) == (BlockKind.TABLE, "")


def test_a_hidden_sheet_of_an_ods_is_left_out():
    style = b'<style:style style:name="gone" style:family="table"><style:table-properties table:display="false"/>'

    def hide(name: str, content: bytes) -> bytes:
        if name != "content.xml":
            return content
        row = b'<table:table-cell office:value-type="string"><text:p>secret</text:p></table:table-cell>'
        table = b'<table:table table:name="More" table:style-name="gone">%b</table:table>'
        hidden = table % (b"<table:table-row>%b</table:table-row>" % row)
        content = re.sub(rb"</office:spreadsheet>", lambda end: hidden + end[0], content)
        styles = b"<office:automatic-styles>" + style + b"</style:style></office:automatic-styles>"
        return content.replace(b"<office:body>", styles + b"<office:body>")

    document = parse(repacked(GOLDEN / "sheets/in/rooms.ods", hide), "a.ods")
    assert "secret" not in document.text and document.warnings == ("1 hidden sheet was left out",)


def test_a_notebook_shows_what_went_wrong_and_no_pictures_and_no_tracebacks():
    wrong = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "\x1b[31mby zero", "traceback": ["boom"]}
    outputs = [
        {"output_type": "error", "traceback": ["boom"]},
        wrong,
        {"output_type": "x", "data": {"image/png": "AAAA"}},
    ]
    notebook = {"cells": [{"cell_type": "code", "source": "1/0", "outputs": outputs}]}
    document = parse(json.dumps(notebook).encode(), "a.ipynb")

    assert document.text == "```python\n1/0\n```\n\n```text\nZeroDivisionError: by zero\n```\n"
    assert document.blocks[0].language == "python"


@pytest.mark.parametrize(
    ("data", "read"),
    [
        (
            {"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": ["## Sum\n", "*7*"]},
            "## Sum\n*7*\n",
        ),
        ({"text/plain": "7", "text/markdown": ""}, "```text\n7\n```\n"),
        ({"text/plain": "<pkg.Model object at 0x7f00ab>"}, ""),
        ({"text/plain": "<IPython.core.display.HTML object>", "text/html": "<b>7</b>"}, ""),
        ({"text/plain": "[<pkg.Model object at 0x7f00ab>]"}, "```text\n[<pkg.Model object at 0x7f00ab>]\n```\n"),
    ],
)
def test_a_result_is_read_as_it_was_shown(data, read):
    cell = {"cell_type": "code", "source": "x", "outputs": [{"output_type": "display_data", "data": data}]}
    text = parse(json.dumps({"cells": [cell]}).encode(), "a.ipynb").text
    assert text.removeprefix("```python\nx\n```\n").lstrip("\n") == read


@pytest.mark.parametrize("opened", ["```python\nx = 1", "<!-- to do", "<pre>\nx"])
def test_what_a_cell_of_a_notebook_leaves_open_ends_with_it(opened):
    cells = [{"cell_type": "markdown", "source": source} for source in (opened, "# Next\n\nHello.")]
    document = parse(json.dumps({"cells": cells}).encode(), "a.ipynb")

    assert [block.title for block in document.blocks if block.kind is BlockKind.HEADING] == ["Next"]
    assert document.title == "Next" and document.text == f"{opened}\n\n# Next\n\nHello.\n"
    assert document.text.split("\n")[document.blocks[-1].line_start - 1] == "Hello."


def test_what_a_notebook_printed_is_read_as_it_was_seen():
    printed = "\x1b[1;31mred\x1b[0m\r\n 10%|#    |\r100%|#####|\r\nend\n"
    outputs = [{"output_type": "stream", "text": printed}, {"data": {"text/plain": ["\x1b[32m7\x1b[39m"]}}]
    notebook = {"cells": [{"cell_type": "code", "source": "", "outputs": outputs}]}
    assert parse(json.dumps(notebook).encode(), "a.ipynb").text == (
        "```text\nred\n100%|#####|\nend\n```\n\n```text\n7\n```\n"
    )


def part(kind: str, *content: str, disposition: str = "inline") -> str:
    """A part of a mail: its text, or, of a multipart, its parts."""
    mark = f"={kind}-{len(''.join(content))}="
    head = f'Content-Type: {kind}; boundary="{mark}"\nContent-Disposition: {disposition}\n\n'
    if not kind.startswith("multipart"):
        return head + "".join(content)
    return head + "".join(f"\n--{mark}\n{each}" for each in content) + f"\n--{mark}--\n"


PLAIN, OTHER, PAGE = part("text/plain", "Oil it."), part("text/plain", "Daily."), part("text/html", "<b>Oil</b> it.")
NOTES, DATE = part("text/markdown", "*Oil* it."), part("text/calendar", "SUMMARY:Oil it.")
PICTURE, BLANK = part("image/png", "AAAA"), part("text/plain", " \n")
FILE = part("text/plain", "x = 1", disposition="attachment; filename=a.txt")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (part("multipart/mixed", PLAIN, PICTURE, OTHER), "Oil it.\n\nDaily.\n"),
        (part("multipart/mixed", PAGE, OTHER), "Oil it.\n\nDaily.\n"),
        (part("multipart/mixed", PLAIN, FILE, OTHER), "Oil it.\n\nDaily.\n\n- Attachment: a.txt\n"),
        (part("multipart/mixed", part("multipart/alternative", PLAIN, PAGE), OTHER), "Oil it.\n\nDaily.\n"),
        (part("multipart/alternative", BLANK, PAGE), "Oil it.\n"),
        (part("multipart/alternative", PAGE, OTHER), "Daily.\n"),
        (part("multipart/alternative", BLANK, part("multipart/related", PAGE, PICTURE)), "Oil it.\n"),
        (part("multipart/alternative", part("multipart/mixed", PLAIN, OTHER), PAGE), "Oil it.\n\nDaily.\n"),
        (part("multipart/related", PAGE, PICTURE, OTHER), "Oil it.\n"),
        (part("multipart/mixed", BLANK, PICTURE), ""),
        (part("multipart/mixed", PLAIN, NOTES), "Oil it.\n\n*Oil* it.\n"),
        (part("multipart/alternative", NOTES, PAGE), "Oil it.\n"),
        (part("multipart/alternative", DATE, NOTES), "*Oil* it.\n"),
        (part("multipart/alternative", DATE, PAGE), "Oil it.\n"),
        (part("multipart/alternative", BLANK, DATE), "SUMMARY:Oil it.\n"),
        (NOTES, "*Oil* it.\n"),
    ],
)
def test_all_that_a_mail_shows_as_text_is_read_once(body, text):
    document = parse(f"From: a@example.org\nSubject: Lathe\n{body}".encode(), "a.eml")
    assert document.text.partition("a@example.org\n")[2].lstrip("\n") == text


def attached(name: str, headers: str) -> str:
    return f"--b\nContent-Type: application/pdf; name={name}\n{headers}\nx\n"


def test_an_attachment_is_named_once_with_the_message_that_it_is_of():
    inner = f"Subject: Within\nContent-Type: multipart/mixed; boundary=b\n\n{attached('in.pdf', '')}--b--\n"
    forwarded = f"--a\nContent-Type: message/rfc822\n\n{inner}"
    mixed = "From: a\nSubject: Outer\nContent-Type: multipart/mixed; boundary=a\n\n"
    text = parse(f"{mixed}--a\n\nSee below.\n{forwarded}--a--\n".encode(), "a.eml").text
    assert re.findall("Within|Attachment: .*", text) == ["Within", "Attachment: in.pdf"]


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ("Content-Type: application/pdf\nContent-Disposition: inline; filename=x.pdf", True),
        ("Content-Type: application/pdf; name=x.pdf", True),
        ("Content-Type: image/jpeg\nContent-Disposition: inline; filename=x.jpg", True),
        ("Content-Type: image/png; name=x.png\nContent-ID: <logo>", False),
        ("Content-Type: application/pgp-signature", False),
    ],
)
def test_what_a_mailer_may_show_in_place_is_attached_all_the_same(part, named):
    mixed = "From: a\nSubject: Hi\nContent-Type: multipart/mixed; boundary=a\n\n"
    text = parse(f"{mixed}--a\n\nText.\n--a\n{part}\n\nx\n--a--\n".encode(), "a.eml").text
    assert ("- Attachment: x" in text) == named


def test_a_text_of_a_mail_that_is_none_is_attached_and_the_rest_is_read():
    binary = part("text/plain", "\x01\x02\x03" * 20, disposition="inline; filename=core.txt")
    mail = f"From: a@example.org\nSubject: Lathe\n{part('multipart/mixed', PLAIN, binary, OTHER)}"
    document = parse(mail.encode(), "a.eml")
    assert document.text.endswith("\n\nOil it.\n\nDaily.\n\n- Attachment: core.txt\n")
    assert [warning.partition(":")[0] for warning in document.warnings] == ["its part “core.txt” cannot be read"]


@pytest.mark.parametrize(("depth", "read"), [(60, True), (300, False)])
def test_parts_within_parts_are_read_to_a_depth(depth, read):
    heads = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(depth))
    assert ("Oil it." in parse(f"Subject: Lathe\n{heads}{PLAIN}".encode(), "a.eml").text) is read


@pytest.mark.parametrize(("kind", "titles"), [("markdown", ["Oil: daily", "Lathe"]), ("raw", ["Lathe"])])
def test_only_a_raw_cell_is_the_front_matter_of_a_notebook(kind, titles):
    cells = [
        {"cell_type": kind, "source": "---\nOil: daily\n---"},
        {"cell_type": "markdown", "source": "# Lathe\n\n---"},
    ]
    document = parse(json.dumps({"cells": cells}).encode(), "a.ipynb")
    assert [block.title for block in document.blocks] == titles


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_without_its_mark(encoding):
    assert decode("plain enough, naïve text".encode(encoding), "a.txt")[0] == "plain enough, naïve text"


def test_a_declared_encoding_is_believed_where_the_bytes_allow_it():
    body = "Ein schöner Satz über Bücher, für Füchse und Bären, größer als üblich. " * 5
    page = f'<meta charset="iso-8859-15"><p>{body}</p>'.encode("iso-8859-15")
    assert parse(page, "a.html").text.strip() == body.strip()
    assert encoding_named("base64") == encoding_named("nonsense") == encoding_named("\0") == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The quick brown fox jumps over the lazy dog, and that is all that there is to it in this text.", "en"),
        ("Der schnelle Fuchs springt über den faulen Hund, und das ist alles, was es in diesem Text gibt.", "de"),
        ("Le renard rapide saute par-dessus le chien paresseux, et c'est tout ce que dit ce texte pour vous.", "fr"),
        ("Быстрая лиса прыгает через ленивую собаку, и это всё, что есть в этом тексте для нас.", "ru"),
        ("素早い茶色の狐が怠け者の犬を飛び越える", "ja"),
        ("敏捷的棕色狐狸跳过懒狗。", "zh"),
        ("使い方は git clone と make を実行し config.toml を編集してください", "ja"),
        (
            "It counts the letters of a text, as of Japanese: すしとてんぷら. "
            + "There it is a word of four letters. " * 9,
            "en",
        ),
        ("Release 2.2.10. A bug in a query was fixed: it led to a crash when a backend was given to a pool.", "en"),
        ("A kutya a kertben van, és a macska az asztal alatt alszik, de nem sokáig.", "hu"),
        ("Pes a kočka jsou na zahradě, ale už se nehrají, protože je to pro ně nuda.", "cs"),
        ("x = 1", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_text_is_told_by_script_and_little_words(text, language):
    assert detect(text) == language


def test_a_number_in_running_text_is_no_line_number():
    assert parse(b'<p>total <span class="ln">42</span> items</p>', "a.html").text.strip() == "total 42 items"
