"""What pages of HTML may be like, and what is read of them."""

import re
from textwrap import dedent
from time import process_time

import pytest

from ingestion.chunking import chunk
from ingestion.documents import BlockKind
from ingestion.parsers import parse
from ingestion.sections import build_sections
from tests.ingestion.small_files import html


def test_every_piece_of_a_long_table_is_read_under_its_header():
    rows = "".join(f"<tr><td>part {number}</td><td>{number}</td></tr>" for number in range(200))
    document = html(f"<table><tr><th>Name</th><th>Price</th></tr>{rows}</table>")
    chunks = chunk(document, build_sections(document), lambda texts: [len(text.split()) for text in texts], budget=60)

    assert len(chunks) > 5 and {each.context for each in chunks[1:]} == {"Name | Price"}


def test_a_table_that_only_arranges_is_read_as_text():
    document = html("<table><tr><td><h2>Left</h2><p>One.</p></td><td><pre>x = 1</pre></td></tr></table>")
    assert [block.kind for block in document.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.CODE]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("5 <font face=Symbol>m</font>g", "5 μg"),
        ("<FONT FACE='symbol, serif'>a</FONT>", "α"),
        ("<span style='font-family: \"Wingdings\";color:red'>ü</span>", "✓"),
        ("<span style='font-family:Wingdings'><span style='mso-symbol-font-family:Wingdings'>ü</span></span>", "✓"),
        ("<font face='Wingdings, serif'>&#xF0FC;</font>", "✓"),
        ("a<span style='font-family:Symbol'>&nbsp;</span>b", "a b"),
        ("<font face='Segoe UI Symbol'>m</font>", "m"),
        ("<font face=Symbol>α</font>", "α"),
    ],
)
def test_letters_of_fonts_of_signs_are_the_signs(written, seen):
    assert html(f"<p>{written}</p>").text == f"{seen}\n"


def test_who_wrote_a_text_of_docbook_is_no_heading():
    named = "<h2 class=title>Pumps</h2><h2 class=subtitle>In short</h2><h3 class=author>Ada</h3>"
    document = html(f"<div class=titlepage><div><div>{named}</div></div></div><p>Close the valve.</p>")
    assert [section.breadcrumb for section in build_sections(document)] == [("Pumps",)]
    assert document.text == "Pumps\n\nIn short\n\nAda\n\nClose the valve.\n"


@pytest.mark.parametrize("block", ["<pre>{0}</pre>", "<h3>{0}</h3>"])
@pytest.mark.parametrize("head", ["<tr><th>Option<th>Example", "<thead><tr><td>Option<td>Example</thead>"])
def test_a_table_whose_columns_have_names_keeps_its_rows_whatever_a_cell_holds(head, block):
    document = html(f"<table>{head}<tr><td>wait<td>{block.format('wait: 5')}<tr><td>tries<td>3</table>")
    assert document.text == "Option | Example\nwait | wait: 5\ntries | 3\n"
    assert [(block.kind, block.header) for block in document.blocks] == [(BlockKind.TABLE, "Option | Example")]


def test_code_side_by_side_below_names_stays_code():
    document = html("<table><tr><th>Before<th>After<tr><td><pre>a\n  b</pre><td><pre>c\n  d</pre></table>")
    assert document.text == "Before\n\nAfter\n\n    a\n      b\n\n    c\n      d\n"


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
        "<div class=footer-relations><div><a href=a.html title='next chapter'>Oil</a></div></div>",
        "<div class=footer>© 2023 Ann. Created using <a href='http://sphinx.pocoo.org/'>Sphinx</a>.</div>",
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
        "<dl><dt>seen()<a href=m.html><span class=viewcode-link>[Prev]</span></a><dd>Does it.</dl>",
        "<ol><li>seen <a class=footnote-backref href=#fnref:1>Prev</a></ol><aside class=md-source-file>Prev</aside>",
        "<div id=footer><div id=footer-text>Version 1.2<br>Prev</div></div>",
        "<span class='theme-doc-version-badge badge'>Prev</span><footer class=theme-doc-footer>Prev</footer>",
        "<p>seen</p><ul><li>seen<div role=navigation>Prev</div></ul>",
        "<div id=toc class=toc><div>Contents</div><ul><li><a href='#a'>Previous results</a></ul></div>",
        "<div class='contents topic'><p>Contents</p><ul><li><a href='#a'>1. Data of 2020</a></ul></div>",
        "<div id=_table_of_contents><ul><li><a href='#a'>Data of 2020</a></ul></div>",
    ],
)
def test_what_leads_through_the_pages_is_not_read(furniture):
    text = html(f"<p>seen</p>{furniture}").text
    assert "Prev" not in text and "Data" not in text and "next" not in text and "¶" not in text and "seen" in text


def test_the_heading_of_contents_goes_with_them():
    contents = "<section id=table_of_contents><h2>Contents</h2><ul><li><a href='#a'>Data of 2020</a></ul></section>"
    document = html(f"<h1>Tool</h1>{contents}<section><h3 id=a>Data of 2020</h3><p>Told.</section>")
    assert [section.breadcrumb for section in build_sections(document)] == [("Tool",), ("Tool", "Data of 2020")]


def test_what_rustdoc_puts_beside_a_heading_is_told_below_it_or_not_at_all():
    def method(name: str, version: str) -> str:
        since = f"<span class=since title='Stable since Rust version {version}'>{version}</span>"
        aside = f"<span class=rightside>{since} · <a class=src href=../src/a.rs.html#1>Source</a></span>"
        heading = f"<h4 class=code-header>fn <a href='#method.{name}' class=fn>{name}</a>()</h4>"
        says = f"<div class=docblock><p>Does {name}.</div>"
        return f"<details open><summary><section id=method.{name}>{aside}{heading}</section></summary>{says}</details>"

    top = "<details open><summary class=hideme><span>Expand description</span></summary><p>A tool.</details>"
    impl = "<section id=impl><a class='src rightside' href=a>Source</a><a class=anchor href='#impl'>§</a><h3>impl</h3>"
    document = html(f"<h1>Tool</h1>{top}{impl}</section>{method('oil', '1.2.0')}{method('clean', '1.70.0')}")
    assert document.text.split("\n\n") == [
        *("Tool", "A tool.", "impl"),
        *("fn oil()", "Stable since Rust version 1.2.0", "Does oil."),
        *("fn clean()", "Stable since Rust version 1.70.0", "Does clean.\n"),
    ]
    assert [section.aliases for section in build_sections(document)][2:] == [("method-oil",), ("method-clean",)]


@pytest.mark.parametrize("title", ["class=MsoTitle", "class='c5 title' id=h.x1"])
def test_the_title_of_an_exported_text_is_a_heading(title):
    assert html(f"<p {title}>Plan</p><p>Text").blocks[0].title == "Plan"
    document = html(f"<p {title}>Plan</p><p>Of May<h1>Scope</h1><p>All<h2>Halls</h2><p>Two")
    assert [section.breadcrumb[1:] for section in build_sections(document)] == [(), ("Scope",), ("Scope", "Halls")]
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
        ("<sup>[<a href='#n' class=footnote>1</a>]</sup>", "[1]"),
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
    "number",
    [
        "<span epub:type='pagebreak' id=p12>12</span>",
        "<a role='doc-pagebreak' aria-label='Page 12'>12</a>",
        "<span role='doc-pagebreak'>[Page xii]</span>",
        "<span role='doc-pagebreak' id=p12></span>",
        "<a href='#r1' role='doc-backlink'>^</a>",
        "<a href='one.xhtml#r1' class='footnote-back'>↩︎</a>",
    ],
)
def test_the_number_of_a_printed_page_and_the_way_back_from_a_note_are_no_text(number):
    assert html(f"<p>The robin {number}sings.").text == "The robin sings.\n"
    assert html(f"<ol><li>The robin sings. {number}</ol>").text == "1. The robin sings.\n"


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ("<h2><span epub:type='pagebreak' id='p12'/>Deposits</h2>", "Deposits"),
        ("<p><span epub:type='pagebreak' id='p12'/>Yes, on Sundays.</p>", "Yes, on Sundays."),
        ("<table><tr><td><a epub:type='pagebreak' id='p3'/>50 euros</td></tr></table>", "50 euros"),
        ("<div epub:type='pagebreak'/><p>Short text.</p>", "Short text."),
        ("<div epub:type='pagebreak'/><p>1984</p>", "1984"),
    ],
)
def test_what_stands_in_a_page_break_that_is_never_closed_is_text(page, read):
    assert html(page).text == f"{read}\n"


def test_a_way_back_with_words_is_text():
    assert html("<p><a href='#r1' role='doc-backlink'>12</a> See there.").text == "12 See there.\n"


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


@pytest.mark.parametrize(
    ("rule", "read"),
    [
        (".c1{text-decoration:line-through}", "~~100~~ 80"),
        ("p{color:red} .c0, span.C1 { color: #888; text-decoration: line-through }", "~~100~~ 80"),
        (".c1{color:red}.c10{text-decoration:line-through}", "100 80"),
        (".done .c1{text-decoration:line-through}", "100 80"),
    ],
)
def test_a_style_of_the_page_may_strike_out(rule, read):
    assert html(f"<style>{rule}</style><p><span class='c1 c2'>100</span> 80").text == f"{read}\n"


def test_what_is_struck_out_in_blocks_is_read():
    assert html("<s><p>100</p><p>80</p></s>").text == "100\n\n80\n"


def test_what_is_done_of_a_list_of_tasks_is_read():
    done, todo = "<li><input type=checkbox disabled checked> Oil", "<li><p><input type=checkbox disabled> Fat</p>"
    choice = "<li><input type=checkbox checked> Show all"  # of who reads the page
    for paragraph in ("", "<p>"):  # of Pandoc
        box = f"<li>{paragraph}<input type=checkbox disabled>\n"
        assert html(f"<ul>{box}Oil\nit</ul>").text == "- ☐ Oil it\n"
    assert html(f"<ul>{done}{todo}{choice}</ul>").text == "- ☒ Oil\n- ☐ Fat\n- Show all\n"
    assert html(f"<ul>{done}<pre>pour</pre>{todo}</ul>").text == "- ☒ Oil\n\n    pour\n\n- ☐ Fat\n"
    labelled = "<li><label><input type=checkbox checked>Oil</label><li><p><label><input type=checkbox />Fat</label>"
    assert html(f"<ul>{labelled}</ul>").text == "- ☒ Oil\n- ☐ Fat\n"


def test_a_page_of_confluence_is_read_without_what_is_around_it_and_with_what_is_done():
    around = "<div id=breadcrumb-section><ol><li>Space</ol></div><h1>Guide</h1><div class=page-metadata>By Ann</div>"
    tasks = "<li class=checked data-inline-task-id=1><span>Oil</span><li data-inline-task-id=2>Fat"
    content = f"<p>Text<h1>Tasks</h1><ul class=inline-task-list>{tasks}</ul>"
    files = "<div class=pageSection><div><h2 id=attachments>Attachments:</h2></div><a href=a>1.png</a></div>"
    foot = "<div id=footer>Document generated</div>"
    page = f"{around}<div id=main-content class='wiki-content group'>{content}</div>{files}{foot}"

    assert html(page).text == "Guide\n\nText\n\nTasks\n\n- ☒ Oil\n- ☐ Fat\n"
    assert "By Ann" in html(page.replace("wiki-content", "x")).text


def test_lists_of_google_docs_are_one_list_with_its_levels():
    def listed(name: str, *items: str, tag: str = "ul") -> str:
        return f"<{tag} class='c4 lst-kix_{name}'>{''.join(f'<li><span>{item}</span>' for item in items)}</{tag}>\n"

    one = listed("a-0", "Install") + listed("a-1", "fetch", "unpack") + listed("a-2", "here") + listed("a-0", "Start")
    other = listed("b-0", "first", tag="ol") + listed("b-1", "more", tag="ol") + listed("b-0", "second", tag="ol")
    assert html(one + other + f"<p>Text</p>{listed('b-0', 'last')}").text == (
        "- Install\n  - fetch\n  - unpack\n    - here\n- Start\n\n1. first\n  1. more\n2. second\n\nText\n\n- last\n"
    )
    assert html(listed("a-0", "Run<pre>x</pre>") + listed("a-1", "so")).text == "- Run\n\n    x\n\n- so\n"


def test_items_that_word_writes_as_paragraphs_are_lists_and_its_headings_have_no_number():
    def ignored(mark: str) -> str:
        return f"<![if !supportLists]><span style='color:red;mso-list:Ignore'>{mark}<span>&nbsp; </span></span>"

    def item(mark: str, text: str, of: str) -> str:
        return f"<p style='margin-left:.5in;mso-list:{of}\nlfo1'>{ignored(mark)}<![endif]>{text}</p>\n"

    heading = f"<h1>{ignored('1')}Intro</h1><p class=MsoToc1><a href=#a>Intro</a></p>"
    bullets = item("·", "Oil <b>it</b>", "l0 level1") + item("o", "thinly", "l0 level2") + item("§", "now", "l0 level3")
    steps = item("Ø", "Fat", "l0 level1") + item("1.", "first", "l1 level1") + item("a)", "more", "l1 level2")
    styled = f"<p>Text<p class=MsoListBullet>{ignored('·')}by its style</p>"
    assert html(heading + bullets + steps + styled).text == (
        "Intro\n\n- Oil it\n  - thinly\n    - now\n- Fat\n\n1. first\n  a) more\n\nText\n\n- by its style\n"
    )


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10^6"),
        ("<msup><mi>e</mi><mrow><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msup>", "e^(i+1)"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "(a+b)/c"),
        ("<mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac>", "1/x^2"),
        ("<msub><mi>x</mi><mn>1</mn></msub>", "x_1"),
        ("<msub><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msub><mi>y</mi>", "x_(n+1)y"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><mi>y</mi>", "x_i^2 y"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "∑_(i=1)^n i",
        ),
        ("<munder><mi>lim</mi><mi>n</mi></munder><mover><mi>x</mi><mo>¯</mo></mover>", "lim_n x¯"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt><mroot><mi>c</mi><mn>3</mn></mroot>", "√(a+b)√[3]c"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr> <mtr><mtd><mn>2</mn></mtd></mtr></mtable>",
            "1 0; 2",
        ),
        ("<mn>2</mn><mo>&#x2062;</mo><mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mphantom><mi>y</mi></mphantom>", "2sin x"),
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


def test_a_note_in_a_frame_is_a_note():
    document = html(FRAME.format("tip", "<p>Oil the lathe.</p><ul><li>Daily.</li></ul>"))
    assert [block.kind for block in document.blocks] == [BlockKind.NOTE]
    assert document.text == "Tip\nOil the lathe.\n- Daily.\n"


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


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            "<dl><dt>Oils<dd><dl><dt>thin<dd><p>For clocks.<p>Dear.<dt>thick<dd>For gates.</dl><dt>Wax<dd>No.</dl>",
            "Oils\n    thin\n        For clocks.\n        Dear.\n    thick\n        For gates.\nWax\n    No.\n",
        ),
        (
            "<dl><dt>Oiling<dd>Do this:<ol><li>Wipe.<ul><li>twice</ul><li>Oil.</ol>Wait.<dt>Wax<dd>No.</dl>",
            "Oiling\n    Do this:\n    1. Wipe.\n      - twice\n    2. Oil.\n    Wait.\nWax\n    No.\n",
        ),
        (
            "<ul><li>Oils<dl><dt>thin<dd>For clocks.<dt>thick<dd>For gates.</dl><li>Wax</ul>",
            "- Oils\n  thin\n      For clocks.\n  thick\n      For gates.\n- Wax\n",
        ),
        (
            "<ul><li>Oil it <ul><li>often</ul> and wipe it.<li>Wait.</ul>",
            "- Oil it\n  - often\n  and wipe it.\n- Wait.\n",
        ),
        (
            "<div class=note><p>Do this:<ol start=2><li>Wipe.<li>Oil.</ol></div>",
            "Do this:\n2. Wipe.\n3. Oil.\n",
        ),
    ],
)
def test_lists_in_definitions_items_and_notes_keep_their_marks_their_indents_and_their_places(page, text):
    assert html(page).text == text


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


@pytest.mark.parametrize(
    "page",
    [
        "<a" * 400_000, "<a " + "/" * 800_000, "<a '\"" * 200_000, "<a " + "b='c' " * 200_000, "<!--" * 200_000,
        "<![CDATA[" * 100_000,
    ],
)  # fmt: skip
def test_xhtml_made_to_be_slow_is_read_without_trouble(page):
    assert parse(f"<?xml ?><p>seen</p>{page}".encode(), "a.xhtml").text.startswith("seen")


@pytest.mark.parametrize("span", ["1000000000", "-3", "x", "0"])
def test_a_span_of_any_size_makes_a_table_of_sane_size(span):
    document = html(f"<table><tr><td colspan={span} rowspan={span}>a</td><td>b</td></tr><tr><td>c</td></tr></table>")
    assert len(document.text) < 10_000 and "c" in document.text


def test_variants_of_code_stand_apart():
    variants = "<code class='language-js cjs'>require('a');</code><code class='language-js mjs'>import 'a';</code>"
    assert html(f"<pre><input type=checkbox>{variants}</pre>").text == "    require('a');\n\n    import 'a';\n"
    assert html("<pre><code class=k>let</code><code class=p>(</code></pre>").text == "    let(\n"


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
    assert document.text == "    one\n      two\n" and [block.kind for block in document.blocks] == [BlockKind.CODE]


NUMBERED_LINES = """<div class=fragment><div class=line><a id="l00001"></a><span class="lineno">    1</span>int a;</div>
<div class=foldopen><div class=line><span class="lineno"><a class="line" href="#l00002">    2</a></span>  int b;</div>
</div><div class="line"> </div><div class="line">int c;</div>
<div class="ttc"><div class="ttname">told elsewhere</div></div></div>"""


@pytest.mark.parametrize("around", ["{}", "<ul><li>{}</ul>", "<dl><dt>x<dd>{}</dl>", "<div class=note>{}</div>"])
def test_code_of_doxygen_is_code(around):
    code = [block for block in html(around.format(NUMBERED_LINES)).blocks if block.kind is BlockKind.CODE]
    assert len(code) == 1
    assert "int a;\n  int b;\n\nint c;\n" in dedent(html(around.format(NUMBERED_LINES)).text.lstrip("-x\n"))


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
    assert document.text == "    one\n    two\n"


def test_code_of_any_depth_is_read():
    assert "core" in html("<pre>" + "<div>" * 5_000 + "core").text


def test_a_number_in_running_text_is_no_line_number():
    assert parse(b'<p>total <span class="ln">42</span> items</p>', "a.html").text.strip() == "total 42 items"


def test_code_stands_further_in_than_text_within_an_item_or_not():
    assert html("<ul><li><h4>nargs</h4><pre>a nargs()</pre><li>One<pre>x</pre></ul>").text == (
        "nargs\n\n    a nargs()\n\n- One\n\n    x\n"
    )


def test_code_that_begins_an_item_stands_below_its_number():
    page = html("<ol><li>Run this:<pre>make</pre><li><pre>first code</pre><p>then</ol>")
    assert page.text == "1. Run this:\n\n    make\n\n2.\n\n    first code\n\nthen\n"


def test_a_page_of_doxygen_has_its_title_and_its_members_and_nothing_of_its_frame():
    page = """<div id="top"><div id="titlearea"><table><tr><td>Saws<td>1.3</table></div></div>
    <div class="header"><div class="summary"><a href="#m">Macros</a> &#124; <a href="#f">Functions</a></div>
    <div class="headertitle"><div class="title">Blades<div class="ingroups">Parts</div></div></div></div>
    <table class="memberdecls"><tr><td colspan=2><h2>Macros</h2>
    <tr><td class="memItemLeft">#define&#160;<td class="memItemRight"><a href="#a">TEETH</a>
    <tr><td class="mdescLeft">&#160;<td class="mdescRight">How many. <a href="#a">More...</a></table>
    <table><tr><td><address class="footer"><small>Generated by <a href="x">doxygen</a></small></address></table>"""
    assert html(page).text == "Blades\n\nMacros\n\n#define TEETH\n\nHow many.\n"


def test_what_another_page_calls_its_tabs_is_read():
    row = "<a href=#a>Debian</a>"
    page = f"<div class=tabs><div class=tablist role=tablist>{row}</div><div class=panel><p>Run apt.</div></div>"
    assert html(page).text == "Debian\n\nRun apt.\n"
    page = f"<div class=tabs><ul class=tablist><li>{row}</ul><div class=panel><p>Run apt.</div></div>"
    assert "Run apt." in html(page).text
    assert html(f"<div class=tabs>\n<ul class=tablist><li>{row}</ul></div><p>Saws").text == "Saws\n"


def test_the_summary_in_a_head_is_read_where_it_says_something():
    summary = "<div class=summary><p>It costs 500, see <a href=#n>the note</a>.</div>"
    assert html(f"<div class=header><h1>Policy</h1>{summary}</div>").text == "Policy\n\nIt costs 500, see the note.\n"


def test_what_rustdoc_says_of_every_type_is_left_out():
    implied = "<h2 id={0}-implementations>All</h2><div id={0}-implementations-list><h3>impl Send for Saw</h3></div>"
    stab = "<span class='stab deprecated'><span class=emoji>👎</span><span>Deprecated since 0.1.0</span></span>"
    page = f"<h1>Saw</h1>{stab}{implied.format('synthetic')}{implied.format('blanket')}"
    assert html(page).text == "Saw\n\nDeprecated since 0.1.0\n"


def test_signatures_of_javadoc_have_no_breaks_and_its_tables_no_tabs():
    tabs = "<span class=activeTableTab>All Methods</span><span class=tableTab>Static Methods</span>"
    table = f"<table><caption>{tabs}</caption><tr><th>Name<th>What<tr><td>cut&#8203;(int&nbsp;n)<td>Cuts.</table>"
    page = f"<a href='#I:A'>A</a> <a href='#I:B'>B</a>{table}<pre>cut&#8203;(int n,&#8203; int m)</pre>"
    assert html(page).text == "Name | What\ncut(int n) | Cuts.\n\n    cut(int n, int m)\n"


def test_what_sphinx_describes_is_a_section():
    def term(own: str, name: str, before: str = "", said: str = "()") -> str:
        classname = f"<span class='sig-prename descclassname'>{before}</span>" if before else ""
        return (
            f"<dt class='sig sig-object py' id='{own}'>{classname}<span class='sig-name descname'>{name}</span>{said}"
        )

    attribute = f"<dl class='py attribute'>{term('saw.Saw.teeth', 'teeth', said='')}<dd><p>How many.</dl>"
    method = f"<dl class='py method'>{term('saw.Saw.cut', 'cut')}<dd><p>Cuts.</dl>"
    parameters = "".join(f"<li><p>p{number} - one of them" for number in range(60))
    fields = f"<dl class='field-list'><dt>Parameters<dd><ul>{parameters}</ul></dl>"
    page = f"<h2>API</h2><dl class='py class'>{term('saw.Saw', 'Saw', 'saw.')}<dd>{fields}{attribute}{method}</dl>"
    document = html(f"{page}<p>Below.</p><h2>More</h2>")
    found = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    assert [(block.title, block.level, block.labels) for block in found] == [
        ("API", 2, ()), ("saw.Saw", 3, ("saw.Saw",)), ("Saw.cut", 4, ("saw.Saw.cut",)), ("More", 2, ()),
    ]  # fmt: skip
    assert "\n\nSaw.cut\n\ncut()\n    Cuts.\n\n" in document.text and "teeth\n    How many." in document.text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<ol>Before you open it:<li>unplug<li>wait</ol>", "Before you open it:\n\n1. unplug\n\n2. wait\n"),
        ("<ul><li>unplug</li>Then <b>wait</b> <i>long</i>.<li>open</ul>", "- unplug\n\nThen wait long.\n\n- open\n"),
        ("<ol><li>stop</li><pre>sudo  halt</pre><li>wait</ol>", "1. stop\n\n    sudo  halt\n\n2. wait\n"),
        ("<ol><h3>First</h3><li>stop<li value=5>wait</ol>", "First\n\n1. stop\n\n5. wait\n"),
        ("<ul><table><tr><th>A<th>B<tr><td><td>1</table></ul>", "A | B\n | 1\n"),
        ("<ul><li>one<ul><p>Within.</p><li>two</ul></ul>", "- one\n\nWithin.\n\n- two\n"),
        ("<ul><div><li>one</div> | <div><li>two</div>, <li hidden>no</ul>", "- one\n- two\n"),
        ("<dl>Keys:<dt>a<dd>b</dd>and<dt>c<dd>d</dl>", "Keys:\n\na\n    b\n\nand\n\nc\n    d\n"),
        ("<dl>Keys:<dt>a<dd><pre>b</pre></dd>and <b>so</b> on</dl>", "Keys:\n\na\n\n    b\n\nand so on\n"),
    ],
)
def test_what_stands_between_the_items_of_a_list_is_read_where_it_stands(written, read):
    assert html(written).text == read


def test_the_head_and_the_foot_of_a_table_are_read_where_they_are_seen():
    written = "<tfoot><tr><td>Sum<td>99</tfoot><tbody><tr><td>Bolt<td>99</tbody><thead><tr><th>Part<th>EUR</thead>"
    document = html(f"<table>{written}</table>")
    assert document.text == "Part | EUR\nBolt | 99\nSum | 99\n"
    assert document.blocks[0].header == "Part | EUR"


@pytest.mark.parametrize("frames", ["{0}", "<body>{0}</body>"])
def test_what_a_page_of_frames_says_to_those_who_see_none_is_read(frames):
    told = frames.format("<h1>Pump</h1><p>It runs at 40 bar.</p>")
    written = f"<title>Plant</title><frameset><frame src=a.html><noframes>{told}</noframes></frameset>"
    document = parse(written.encode(), "a.html")
    assert (document.title, document.text) == ("Plant", "Pump\n\nIt runs at 40 bar.\n")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<pre><code><![CDATA[List<String> x;]]></code></pre><p>Above.</p>", "    List<String> x;\n\nAbove.\n"),
        ("<p>before <![CDATA[a < b && c]]> after <![CDATA[d]]></p>", "before a < b && c after d\n"),
        ("<script>//<![CDATA[\nif (a < b) { '<p>no</p>' }\n//]]></script><p>yes</p>", "yes\n"),
        ("<!-- <![CDATA[ --><p>yes</p><!-- ]]> -->", "yes\n"),
    ],
)
def test_a_cdata_section_of_xhtml_is_text(written, read):
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{written}</body></html>'
    assert parse(page.encode(), "a.xhtml").text == read


@pytest.mark.parametrize(
    ("style", "more", "is_read"),
    [
        (".secret{display:none}", "", False), (".a, .secret { visibility: hidden; }", "", False),
        (".secret{display:none} .secret.open{display:block}", "", True), (".secret{color:red}", "", True),
        ("@media print { .a{color:red} .secret{display:none} }", "", True),
        ("/* .secret */ p .secret{display:none}", "", True),
        (".secret{display:none}", "<script>open('.secret')</script>", True),
        (".secret{display:none}", "<script>print()</script>", False),
        (".secret{display:none}", "<script src=tabs.js></script>", True),
        (".secret{display:none}", "<script>byId(id).style.display = 'block'</script>", True),
        (".secret{display:none}", "<p onclick='this.nextSibling.hidden = false'>more", True),
        (".secret{display:none}", "<a href='javascript:toggle(1)'>more</a>", True),
        (".secret{display:none} :target{display:block}", "", True),
        (".secret{display:none} input:checked ~ p{display:block} a:hover{color:red}", "", True),
        (".secret{display:none} a:hover{color:red}", "", False),
    ],
)  # fmt: skip
def test_what_the_styles_of_a_page_hide_for_good_is_not_read(style, more, is_read):
    document = html(f"<style>{style}</style>{more}<p>seen</p><p class='b secret'>unseen</p>")
    assert ("unseen" in document.text) is is_read
    assert html("<p>seen<p style='visibility: hidden'>no").text == "seen\n"


LINKS = "".join(f"<li><a href={name}.html>{name.title()}</a>" for name in ("home", "index", "help"))
BY_LINES = " | ".join(f"<a href={name}.html>{name.title()}</a>" for name in ("home", "index", "help"))


@pytest.mark.parametrize(
    "written",
    [
        f"<h1>Pump</h1><ul class=navList>{LINKS}<li>Class</ul><p>It runs.",
        f"<h1>Pump</h1><p class=menu>{BY_LINES}<p>It runs.",
        f"<div id=nav_flow><ul>{LINKS}</ul></div><h1>Pump</h1><p>It runs.",
        f"<div id=column2><a href=a>Site</a><ul>{LINKS}</ul></div><div><h1>Pump</h1><p>It runs.</div>",
        f"<div><p>{BY_LINES}</p></div><div><h1>Pump</h1><p>It runs.</div>",
        "<h1>Pump</h1><p>Languages: <a href=a>de</a> | <a href=b hreflang=en rel=alternate>en</a><p>It runs.",
        f"<table class=navigation><tr><td>{BY_LINES}<td><a href=n>Next</a></table><h1>Pump</h1><p>It runs.",
        f"<h1>Pump</h1><p class=breadcrumb>{BY_LINES} | Pumps<p>It runs.",
    ],
)  # fmt: skip
def test_links_that_lead_through_a_site_are_not_read(written):
    assert html(written).text == "Pump\n\nIt runs.\n"


@pytest.mark.parametrize(
    "written",
    [
        f"<ul class=menu>{LINKS}</ul>", f"<h1>Pump</h1><ul>{LINKS}</ul><p>It runs.",  # nothing else; below the title
        f"<h1>Map of this site</h1><ul class=nav>{LINKS}</ul><h2>More</h2><ul class=nav>{LINKS}</ul>",
        f"<p class=nav>It runs. See {BY_LINES}.<p>It stops.", f"<p>It runs with {BY_LINES} alone.<h1>Pump</h1>",
        f"<div class=navigation><h2>Sailing</h2>{BY_LINES}</div><p>By stars.",
        "<ul><li><a href=#a>open</a> :: <a href=Home.html>Home</a> -> <a href=x.html>Door</a></ul><h1>API</h1>",
        f"<p class=canavar>{BY_LINES}<p>It runs.",
        f"<div class=menu><p>{BY_LINES}<pre>run</pre></div><p>It runs.",
        f"<h1>Inn</h1><ul class=menu>{LINKS.replace('</a>', '</a> 4,50')}</ul><p>It is open.",
        f"<table class=nav><tr><td>{BY_LINES.replace(' | ', '<td>Room 12<tr><td>')}<td>Ben</table><h1>Forms</h1>",
        f"<h2>News</h2><ul>{LINKS}</ul><h1>Welcome</h1><p>It runs.",
        f"<h1>Phones</h1><ul id=phone-menu>{LINKS.replace('href=', 'href=mailto:')}</ul><p>It runs.",
    ],
)  # fmt: skip
def test_links_that_are_what_a_page_says_are_read(written):
    assert "Home" in html(written).text


def test_bars_of_many_links_and_bars_in_bars_are_told_in_time():
    start = process_time()
    html(f"<h1>Pump</h1><ul class=menu>{LINKS * 4000}</ul><p>It runs.")
    html("<div class=menu><a href=x>Home</a> runs. It" * 1000)
    assert process_time() - start < 8


@pytest.mark.parametrize("name", ["col-first", "col-constructor-name"])
def test_a_table_that_javadoc_writes_as_a_grid_has_rows(name):
    heads = "<div class='table-header col-first'>Method</div>\n<div class='table-header col-last'>Description</div>"
    row = f"<div class='{name} even'><code>get()</code></div>\n<div class=col-last><div class=block>Reads.</div></div>"
    document = html(f"<div class='summary-table'>{heads}{row}{row.replace('get', 'put')}</div>")
    assert document.text == "Method | Description\nget() | Reads.\nput() | Reads.\n"
    assert document.blocks[0].header == "Method | Description"
    assert "Method\n\nDescription\n\nalone" in html(f"<div>{heads}<div>alone</div></div>").text


def test_how_the_source_is_broken_into_lines_nobody_sees():
    assert (
        html("<p>Go to\n  <b>File</b> →\n\t<b>Print</b>\n  . It\nprints.<br>\nTwice.").text
        == "Go to File → Print . It prints.\nTwice.\n"
    )
    assert html("<p>これは\n文章です。</p>").text == "これは文章です。\n"
    assert html("<pre>one\ntwo</pre>").text == "    one\n    two\n"
