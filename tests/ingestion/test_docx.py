"""What Word writes, and what of it a reader of the document sees."""

import base64
import io
import zipfile

import pytest

from ingestion.documents import BlockKind, ParseError
from ingestion.parsers import parse
from ingestion.parsers.docx.numbering import formatted
from ingestion.sections import build_sections
from tests.ingestion.small_files import reason

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = f'<Relationship Id="a" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
STYLED = f'<Relationship Id="b" Type="{OFFICE}/styles" Target="styles.xml"/>'


def docx(body: str, styles: str = "", **parts: str) -> bytes:
    """`parts` are the contents of further parts beside the document: numbering, footnotes, endnotes; `drawn` is a whole
    part, which the document refers to as rId9, and `taken` the name of a part of another format, which it refers to so.
    """
    drawn, taken = parts.pop("drawn", ""), parts.pop("taken", "")
    drawing = f'<Relationship Id="rId9" Type="{OFFICE}/chart" Target="charts/chart1.xml"/>' if drawn else ""
    drawing += f'<Relationship Id="rId9" Type="{OFFICE}/aFChunk" Target="{taken}"/>' if taken else ""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("_rels/.rels", f'<Relationships xmlns="{PACKAGE}">{DOCUMENT}</Relationships>')
        related = f'<Relationships xmlns="{PACKAGE}">{STYLED}{drawing}</Relationships>'
        packed.writestr("word/_rels/document.xml.rels", related)
        if drawn:
            packed.writestr("word/charts/chart1.xml", drawn)
        packed.writestr("word/styles.xml", f"<w:styles {SPACES}>{styles}</w:styles>")
        for name, content in parts.items():
            packed.writestr(f"word/{name}.xml", f"<w:{name} {SPACES}>{content}</w:{name}>")
        packed.writestr("word/document.xml", f"<w:document {SPACES}><w:body>{body}</w:body></w:document>")
    return target.getvalue()


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def read(body: str, styles: str = "", **parts: str) -> str:
    return parse(docx(body, styles, **parts), "a.docx").text


def test_what_stands_for_a_picture_is_read():
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    shown = (
        f'<w:drawing><wp:inline xmlns:wp="{drawing}/wordprocessingDrawing" xmlns:a="{drawing}/main" '
        f'xmlns:pic="{drawing}/picture"><wp:docPr id="1" name="Picture 1" descr="{{}}"/><a:graphic><a:graphicData>'
        '<pic:pic><pic:blipFill><a:blip r:embed="rId9"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing>"
    )
    body = f"<w:p>{run('Sign-on:')}<w:r>{shown.format('Yes')}</w:r><w:r>{shown.format('check.png')}</w:r></w:p>"
    assert read(body, drawn="<picture/>") == "Sign-on: Yes\n"


def test_what_was_deleted_or_moved_away_is_not_read():
    deleted = '<w:del w:id="1"><w:r><w:delText>deleted </w:delText></w:r></w:del>'
    moved = f'<w:moveFrom w:id="2">{run("away ")}</w:moveFrom><w:moveTo w:id="3">{run("here ")}</w:moveTo>'
    inserted = f'<w:ins w:id="4">{run("inserted ")}</w:ins>'
    assert read(f"<w:p>{run('Kept ')}{deleted}{moved}{inserted}{run('end')}</w:p>") == "Kept here inserted end\n"


@pytest.mark.parametrize(
    ("between", "read_as"),
    [
        ("<w:br/>", "one\ntwo\n"),
        ('<w:br w:type="page"/>', "one\ntwo\n"),
        ('<w:br w:type="column"/>', "one\ntwo\n"),
        ('<w:ptab w:relativeTo="margin" w:alignment="right" w:leader="none"/>', "one two\n"),
    ],
)
def test_words_are_apart_that_a_break_or_a_tab_keeps_apart(between, read_as):
    assert read(f"<w:p>{run('one')}<w:r>{between}</w:r>{run('two')}</w:p>") == read_as


def of_style(*names: str) -> list[str]:
    """A paragraph of each of these styles, with its name as its text."""
    return [paragraph(name, f'<w:pStyle w:val="{name.replace(" ", "")}"/>') for name in names]


@pytest.mark.parametrize(
    ("names", "breadcrumbs"),
    [
        (("Title", "Subtitle", "Heading 1"), ["Title", "Title > Heading 1"]),
        (("Title", "Heading 1", "Title", "Heading 1"), ["Title", "Title > Heading 1"] * 2),  # as its chapters have them
        (("Heading 1", "Title", "Heading 1"), ["Heading 1", "Title", "Heading 1"]),
    ],
)
def test_a_title_before_the_headings_is_that_of_the_document(names, breadcrumbs):
    named = ("Title", "Subtitle", "Heading 1")
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/></w:style>'
        for name in named
    )
    sections = build_sections(parse(docx("".join(of_style(*names)), styles), "a.docx"))
    assert [" > ".join(section.breadcrumb) for section in sections] == breadcrumbs


def test_hidden_text_is_not_read():
    hidden, shown = run("no", "<w:vanish/>"), run("yes", '<w:vanish w:val="0"/>')
    assert read(f"<w:p>{hidden}{shown}</w:p>") == "yes\n"


def test_text_hidden_by_its_style_is_not_read():
    styles = '<w:style w:type="character" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>'
    hidden = run("no", '<w:rStyle w:val="Gone"/>')
    shown = run("yes", '<w:rStyle w:val="Gone"/><w:vanish w:val="0"/>')
    assert read(f"<w:p>{hidden}{shown}</w:p>", styles) == "yes\n"


@pytest.mark.parametrize("strike", ["<w:strike/>", "<w:dstrike/>"])
def test_what_is_struck_out_no_longer_holds(strike):
    struck = run("1", strike) + run("00", strike)
    assert read(f"<w:p>{run('It is ')}{struck}{run(' 80 euro')}</w:p>") == "It is ~~100~~ 80 euro\n"


def hiding(identity: str, based_on: str = "", own: str = "") -> str:
    based = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return f'<w:style w:type="paragraph" w:styleId="{identity}">{based}<w:rPr>{own}</w:rPr></w:style>'


@pytest.mark.parametrize(
    ("of_paragraph", "of_letters", "is_read"),
    [
        ("Gone", "", False),
        ("Derived", "", False),
        ("", "Derived", False),
        ("Back", "", True),
        ("", "Back", True),
        ("Gone", "Derived", True),  # Word counts who hides
        ("Loop", "", True),
    ],
)
def test_a_style_hides_text_as_the_one_does_that_it_is_based_on(of_paragraph, of_letters, is_read):
    styles = hiding("Gone", own="<w:vanish/>") + hiding("Derived", "Gone") + hiding("Loop", "Loop")
    styles += hiding("Back", "Derived", own='<w:vanish w:val="0"/>')
    text = run("Draft", f'<w:rStyle w:val="{of_letters}"/>')
    body = f'{paragraph("Kept")}<w:p><w:pPr><w:pStyle w:val="{of_paragraph}"/></w:pPr>{text}</w:p>'
    assert read(body, styles) == ("Kept\n\nDraft\n" if is_read else "Kept\n")


STYLES_OF_CONTENTS = "".join(
    f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/></w:style>'
    for name in ("toc 1", "TOC Heading", "table of figures")
)


@pytest.mark.parametrize("style", ["toc1", "TOCHeading", "tableoffigures"])
def test_a_table_of_contents_is_not_read(style):
    begun = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC \\o</w:instrText></w:r>'
    begun += '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    entry = f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{begun}<w:hyperlink>{run("Scope 3")}</w:hyperlink></w:p>'
    end = f'<w:p><w:r><w:fldChar w:fldCharType="end"/></w:r>{run("Kept")}</w:p>'
    assert read(entry + end, STYLES_OF_CONTENTS) == "Kept\n"


def test_a_table_of_contents_without_styles_is_told_by_its_gallery():
    kinds = {"Table of Contents": "Scope 3", "Cover Pages": "Kept"}
    made = "".join(
        f'<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="{kind}"/></w:docPartObj></w:sdtPr>'
        f"<w:sdtContent>{paragraph(text)}</w:sdtContent></w:sdt>"
        for kind, text in kinds.items()
    )
    assert read(made) == "Kept\n"


def style(identity: str, font: str, more: str = "", attributes: str = "") -> str:
    fonts = f'<w:rPr><w:rFonts w:ascii="{font}"/></w:rPr>' if font else ""
    kind = f'<w:style w:type="paragraph" w:styleId="{identity}" {attributes}><w:name w:val="{identity}"/>'
    return f"{kind}{more}{fonts}</w:style>"


NORMAL = style("Normal", "Times", attributes='w:default="1"')
LISTING = style("Listing", "Courier New", '<w:basedOn w:val="Normal"/>')


@pytest.mark.parametrize(
    ("identity", "styles"),
    [
        ("Code", style("Code", "")),
        ("Listing", NORMAL + LISTING),
        ("c1", NORMAL + LISTING + style("c1", "", '<w:basedOn w:val="Listing"/>')),
        ("9 2", style("9 2", "DejaVu Sans Mono")),
    ],
)
def test_paragraphs_in_a_style_of_code_are_one_block(identity, styles):
    of = f'<w:pStyle w:val="{identity}"/>'
    body = "".join(paragraph(line, of) for line in ("if oil:", "    pour()", "", "rest()")) + paragraph("Then")
    (code, after) = parse(docx(body, styles), "a.docx").blocks
    assert (code.kind, after.kind) == (BlockKind.CODE, BlockKind.PARAGRAPH)
    assert read(body, styles) == "    if oil:\n        pour()\n\n    rest()\n\nThen\n"


@pytest.mark.parametrize(
    ("identity", "styles"),
    [
        ("Listing", style("Normal", "Consolas", attributes='w:default="1"') + LISTING),  # as all of the document
        ("Plain Text", style("Plain Text", "Consolas")),
        ("Quote", NORMAL + LISTING + style("Quote", "Monotype Corsiva", '<w:basedOn w:val="Listing"/>')),
    ],
)
def test_text_in_a_font_like_that_of_code_is_text(identity, styles):
    (block,) = parse(docx(paragraph("Oil it.", f'<w:pStyle w:val="{identity}"/>'), styles), "a.docx").blocks
    assert block.kind is BlockKind.PARAGRAPH


COURIER = '<w:rFonts w:ascii="Courier New"/>'


def by_hand(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text, COURIER)}</w:p>"


def test_paragraphs_in_a_font_of_code_set_by_hand_are_code():
    prose = [paragraph(f"Oil it {times}.") for times in ("once", "twice", "again")]
    (code, *_) = parse(docx("".join([by_hand("if oil:"), by_hand("    pour()"), *prose])), "a.docx").blocks
    assert (code.kind, code.line_start, code.line_end) == (BlockKind.CODE, 1, 2)
    assert read("".join([by_hand("if oil:"), by_hand("    pour()"), *prose])).startswith(
        "    if oil:\n        pour()\n\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        by_hand("Oil it.") + by_hand("Then wait.") + paragraph("Done."),  # as most of the document
        f"<w:p>{run('Call ')}{run('pour()', COURIER)}</w:p>{paragraph('Done.')}",
        by_hand("Oil", '<w:outlineLvl w:val="0"/>') + paragraph("Done."),
    ],
)
def test_a_font_of_code_set_by_hand_makes_no_code_of(body):
    assert all(block.kind is not BlockKind.CODE for block in parse(docx(body), "a.docx").blocks)


def test_a_value_in_the_font_of_code_stays_in_its_table_and_an_item_in_its_list():
    of = '<w:pStyle w:val="Listing"/>'
    cells = "".join(f"<w:tc>{paragraph(text, of)}</w:tc>" for text in ("port", "80"))
    assert read(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>", LISTING) == "port | 80\n"
    listed = paragraph("make", f'{of}<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    assert read(listed, LISTING, numbering=numbering(level(0, "%1."))) == "1. make\n"
    assert read(f"<w:tbl><w:tr><w:tc>{paragraph('  x', of)}</w:tc></w:tr></w:tbl>", LISTING) == "      x\n"


def letters(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def raised(base: str, exponent: str) -> str:
    return f"<m:sSup><m:e>{base}</m:e><m:sup>{exponent}</m:sup></m:sSup>"


def e(text: str) -> str:
    return f"<m:e>{letters(text)}</m:e>"


def mark(name: str, sign: str) -> str:
    return f'<m:{name} m:val="{sign}"/>'


def bounds(lower: str, upper: str) -> str:
    return f"<m:sub>{letters(lower)}</m:sub><m:sup>{letters(upper)}</m:sup>"


def fraction(above: str, below: str, kind: str) -> str:
    properties = f"<m:fPr>{mark('type', kind)}</m:fPr>"
    return f"<m:f>{properties}<m:num>{letters(above)}</m:num><m:den>{letters(below)}</m:den></m:f>"


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        (letters("A=b·h"), "A=b·h"),
        (raised(letters("10"), letters("6")), "10^6"),
        (raised(letters("e"), letters("i+1")), "e^(i+1)"),
        (f"<m:f><m:num>{letters('a+b')}</m:num><m:den>{letters('c')}</m:den></m:f>", "(a+b)/c"),
        (f"<m:rad><m:deg/><m:e>{raised(letters('x'), letters('2'))}</m:e></m:rad>", "√(x^2)"),
        (f"<m:rad><m:deg>{letters('3')}</m:deg><m:e>{letters('x')}</m:e></m:rad>", "√[3]x"),
        (raised(letters("x"), letters("k")) + letters("y"), "x^k y"),
        (f"<m:sSubSup>{e('x')}<m:sub>{letters('i')}</m:sub><m:sup>{letters('2')}</m:sup></m:sSubSup>", "x_i^2"),
        (f"<m:d>{e('a+b')}</m:d>{letters('·c')}", "(a+b)·c"),
        (f"<m:d><m:dPr>{mark('begChr', '[')}</m:dPr>{e('0')}{e('1')}</m:d>", "[0|1)"),
        (f"<m:d><m:dPr>{mark('sepChr', ',')}{mark('endChr', ']')}</m:dPr>{e('0')}{e('1')}</m:d>", "(0,1]"),
        (raised(f"<m:d>{e('a+b')}</m:d>", f"<m:d>{e('n-1')}</m:d>"), "(a+b)^(n-1)"),
        (f"<m:nary><m:naryPr>{mark('chr', '∑')}</m:naryPr>{bounds('i=1', 'n')}{e('k')}</m:nary>", "∑_(i=1)^n k"),
        (f"<m:nary>{bounds('', '')}{e('x dx')}</m:nary>", "∫ x dx"),
        (f"<m:d><m:e>{fraction('n', 'k', 'noBar')}</m:e></m:d>", "(n¦k)"),
        (fraction("a", "b", "lin"), "a/b"),
        (f"<m:m><m:mr>{e('1')}{e('2')}</m:mr><m:mr>{e('3')}{e('4')}</m:mr></m:m>", "1 2; 3 4"),
        (f"<m:eqArr>{e('x&amp;=1')}{e('y&amp;=2')}</m:eqArr>", "x=1; y=2"),
        (letters("b") + f"<m:func><m:fName>{letters('log')}</m:fName>{e('x')}</m:func>", "b log x"),
        (f"<m:func><m:fName>{letters('log')}</m:fName><m:e><m:d>{e('x')}</m:d></m:e></m:func>", "log(x)"),
        (f"<m:limLow>{e('lim')}<m:lim>{letters('n→∞')}</m:lim></m:limLow>", "lim_(n→∞)"),
        (f"<m:acc>{e('x')}</m:acc>", "x\u0302"),
    ],
)
def test_a_formula_is_read_in_a_line(formula, line):
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    assert read(f'<w:p>{run("So ")}<m:oMath xmlns:m="{math}">{formula}</m:oMath></w:p>') == f"So {line}\n"


def box(ticked: int, sign: str) -> str:
    word = "http://schemas.microsoft.com/office/word/2010/wordml"
    control = f'<w14:checkbox xmlns:w14="{word}"><w14:checked w14:val="{ticked}"/></w14:checkbox>'
    return f"<w:sdt><w:sdtPr>{control}</w:sdtPr><w:sdtContent>{run(sign)}</w:sdtContent></w:sdt>"


def form_field(ticked: int) -> str:
    data = f'<w:ffData><w:checkBox><w:default w:val="{ticked}"/></w:checkBox></w:ffData>'
    begin = f'<w:r><w:fldChar w:fldCharType="begin">{data}</w:fldChar></w:r>'
    return f'{begin}<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'


@pytest.mark.parametrize("boxes", [(box(0, "☐"), box(1, "☒")), (form_field(0), form_field(1))])
def test_a_box_is_ticked_or_not(boxes):
    no, yes = boxes
    assert read(f"<w:p>{run('Approved: ')}{no}{run(' Yes ')}{yes}{run(' No')}</w:p>") == "Approved: ☐ Yes ☒ No\n"


@pytest.mark.parametrize(
    ("said", "text"), [('<w:result w:val="1"/>', "Two"), ("", "One"), ('<w:result w:val="9"/>', "")]
)
def test_what_is_chosen_of_a_list_is_read(said, text):
    entries = "".join(f'<w:listEntry w:val="{entry}"/>' for entry in ("One", "Two"))
    begin = f'<w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>{said}{entries}</w:ddList></w:ffData></w:fldChar>'
    end = '<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    assert read(f"<w:p>{run('Plan: ')}<w:r>{begin}</w:r>{end}</w:p>") == f"Plan: {text}".strip() + "\n"


def mark(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def field(told: str, result: str) -> str:
    return f"{mark('begin')}{told}{mark('separate')}{run(result)}{mark('end')}"


GENDER = field("<w:r><w:instrText>MERGEFIELD gender</w:instrText></w:r>", "M")


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (field(f"{GENDER}{run('Mr')}<w:r><w:br/></w:r>{run('Ms')}", "Mr"), "Dear Mr Smith"),
        (field(f'<w:fldSimple w:instr="PAGE">{run("8")}</w:fldSimple>', "Mr"), "Dear Mr Smith"),
        (field("", f"Mr</w:t></w:r>{GENDER}<w:r><w:t>"), "Dear MrM Smith"),  # one in another's result
        (f"{mark('begin')}{run('no result')}{mark('end')}", "Dear Smith"),
        (f"{mark('begin')}{run('Mr')}", "Dear Mr Smith"),  # one that does not end
        (f"{mark('separate')}{run('Mr')}{mark('end')}", "Dear Mr Smith"),
    ],
)
def test_what_a_field_is_told_to_do_is_not_read(fields, text):
    assert read(f"<w:p>{run('Dear ')}{fields}{run(' Smith')}</w:p>") == f"{text}\n"


@pytest.mark.parametrize(
    ("place", "below", "text"),
    [
        ("drop", "rop cap", "Drop cap\n"),
        ("margin", "rop cap", "Drop cap\n"),
        ("none", "rop cap", "D\n\nrop cap\n"),
    ],
)
def test_a_first_letter_over_several_lines_begins_its_word(place, below, text):
    frame = f'<w:framePr w:dropCap="{place}" w:lines="3"/>'
    assert read(paragraph("D", frame) + paragraph(below, "<w:keepNext/>")) == text


def test_deleted_cells_are_not_read():
    deleted = f'<w:tc><w:tcPr><w:cellDel w:id="1"/></w:tcPr>{paragraph("gone")}</w:tc>'
    rows = (f"<w:tr><w:tc>{paragraph(name)}</w:tc>{deleted}<w:tc>{paragraph('7')}</w:tc></w:tr>" for name in "ab")
    assert read(f"<w:tbl>{''.join(rows)}<w:tr>{deleted}</w:tr></w:tbl>") == "a | 7\nb | 7\n"


def test_the_result_of_a_field_is_read():
    assert read(f'<w:p>{run("Page ")}<w:fldSimple w:instr="PAGE">{run("7")}</w:fldSimple></w:p>') == "Page 7\n"


@pytest.mark.parametrize(
    "wrapped", ["{}", "<mc:AlternateContent><mc:Choice Requires='wps'>{}</mc:Choice></mc:AlternateContent>"]
)
def test_a_text_box_without_a_fallback_is_read_after_its_paragraph(wrapped):
    box = f"<wps:txbx><w:txbxContent>{paragraph('In the box')}</w:txbxContent></wps:txbx>"
    body = f"<w:p>{run('Around it')}<w:r>{wrapped.format(f'<w:drawing>{box}</w:drawing>')}</w:r></w:p>"
    assert read(body) == "Around it\n\nIn the box\n"


def test_headings_are_told_by_outline_level_and_by_what_their_style_is_based_on():
    styles = (
        '<w:style w:type="paragraph" w:styleId="Base"><w:name w:val="x"/>'
        '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Eigene"/><w:basedOn w:val="Base"/></w:style>'
    )
    body = paragraph("By level", '<w:outlineLvl w:val="0"/>') + paragraph("By style", '<w:pStyle w:val="Own"/>')
    document = parse(docx(body + paragraph("Text."), styles), "a.docx")

    assert [(block.kind, block.level) for block in document.blocks] == [
        ("heading", 1),
        ("heading", 2),
        ("paragraph", 0),
    ]


def test_styles_based_on_each_other_end():
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/><w:basedOn w:val="{other}"/></w:style>'
        for name, other in (("a", "b"), ("b", "a"))
    )
    assert read(paragraph("Text", '<w:pStyle w:val="a"/>'), styles) == "Text\n"


def level(index: int, text: str, format: str = "decimal", more: str = "") -> str:
    named = f'<w:start w:val="1"/><w:numFmt w:val="{format}"/>{more}<w:lvlText w:val="{text}"/>'
    return f'<w:lvl w:ilvl="{index}">{named}</w:lvl>'


def numbering(*levels: str, again: str = "") -> str:
    """The lists 1 and 2, counted as one; `again` is what the second overrides."""
    lists = (
        f'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/>{again}'
    )
    return f'<w:abstractNum w:abstractNumId="0">{"".join(levels)}</w:abstractNum>{lists}</w:num>'


def item(text: str, index: int = 0, of: int = 1, more: str = "") -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{index}"/><w:numId w:val="{of}"/></w:numPr>{more}')


def test_a_list_is_counted_on_after_what_interrupts_it():
    steps = numbering(level(0, "%1."), level(1, "(%2)", "lowerLetter"), level(2, "•", "bullet"))
    body = item("Stop") + item("Wait") + item("long", 1) + item("longer", 1) + item("so", 2)
    text = read(body + paragraph("Caution!") + item("Drain"), numbering=steps)
    assert text == "1. Stop\n2. Wait\n  (a) long\n  (b) longer\n    - so\n\nCaution!\n\n3. Drain\n"


def test_clauses_have_the_numbers_of_the_levels_above():
    clauses = numbering(level(0, "Article %1", "upperRoman"), level(1, "%1.%2", more="<w:isLgl/>"), level(2, "%2-%3"))
    body = item("One") + item("a", 1) + item("b", 1) + item("Two") + item("c", 1) + item("d", 2) + item("e", 1)
    read_as = "Article I One\n  1.1 a\n  1.2 b\nArticle II Two\n  2.1 c\n    1-1 d\n  2.2 e\n"
    assert read(body, numbering=clauses) == read_as


@pytest.mark.parametrize(
    ("again", "second"),
    [
        ("", "2."),
        ('<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>', "7."),
        (f'<w:lvlOverride w:ilvl="0">{level(0, "%1)", "upperLetter")}</w:lvlOverride>', "B)"),
    ],
)
def test_a_list_goes_on_from_another_unless_it_overrides_its_start(again, second):
    lists = numbering(level(0, "%1."), again=again)
    assert read(item("a") + item("b", of=2), numbering=lists) == f"1. a\n{second} b\n"


@pytest.mark.parametrize(("restart", "last"), [("", "1.1"), ('<w:lvlRestart w:val="0"/>', "1.2")])
def test_a_level_begins_anew_below_a_higher_one_unless_it_says_otherwise(restart, last):
    lists = numbering(level(0, "%1."), level(1, "1.%2", more=restart))
    body = item("a") + item("b", 1) + item("c") + item("d", 1)
    assert read(body, numbering=lists) == f"1. a\n  1.1 b\n2. c\n  {last} d\n"


def test_a_level_that_was_left_out_counts_as_begun():
    lists = numbering(level(0, "%1."), level(1, "%1.%2."))
    assert read(item("a", 1) + item("b") + item("c", 1), numbering=lists) == "  1.1. a\n\n2. b\n  2.1. c\n"


def test_a_list_that_refers_to_a_style_has_the_levels_of_that_styles_list():
    link = '<w:abstractNum w:abstractNumId="5"><w:numStyleLink w:val="S"/></w:abstractNum>'
    named = f'<w:abstractNum w:abstractNumId="6"><w:styleLink w:val="S"/>{level(0, "§ %1")}</w:abstractNum>'
    nums = "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in (5, 6))
    style = '<w:style w:type="numbering" w:styleId="S"><w:pPr><w:numPr><w:numId w:val="6"/></w:numPr></w:pPr></w:style>'
    assert read(item("a", of=5) + item("b", of=5), style, numbering=link + named + nums) == "§ 1 a\n§ 2 b\n"


@pytest.mark.parametrize(
    "first", [level(0, "%1.", "chineseCounting"), level(0, "%2."), level(0, "%1." + "x" * 90), level(0, "")]
)
def test_a_number_that_cannot_be_told_is_not_invented(first):
    assert read(item("a") + item("b"), numbering=numbering(first, level(1, "%2"))) == "- a\n- b\n"


@pytest.mark.parametrize(
    ("mark", "last"), [("vanish", 2), ("del", 2), ("moveFrom", 2), ('vanish w:val="0"', 3), ("ins", 3)]
)
def test_what_is_deleted_or_hidden_is_not_counted(mark, last):
    between = item("", more=f"<w:rPr><w:{mark}/></w:rPr>")
    assert read(item("a") + between + item("b"), numbering=numbering(level(0, "%1."))) == f"1. a\n{last}. b\n"


@pytest.mark.parametrize(
    ("format", "numbers"),
    [
        ("lowerRoman", {4: "iv", 9: "ix", 1994: "mcmxciv", 4000: None}),
        ("upperLetter", {1: "A", 26: "Z", 27: "AA", 0: None, 10**8: None}),
        ("decimalZero", {7: "07", 12: "12"}),
    ],
)
def test_numbers_are_written_in_their_format(format, numbers):
    assert {number: formatted(number, format) for number in numbers} == numbers


def test_a_numbered_heading_is_a_heading_and_counts():
    styles = (
        '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:outlineLvl w:val="0"/>'
        '<w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    )
    lists = numbering(level(0, "%1.", more='<w:pStyle w:val="Clause"/>'), level(1, "%1.%2"))
    clause = '<w:pStyle w:val="Clause"/>'
    body = paragraph("Terms", clause) + item("a", 1) + paragraph("Costs", clause) + item("b", 1)
    assert read(body, styles, numbering=lists) == "Terms\n\n  1.1 a\n\nCosts\n\n  2.1 b\n"


def styled(name: str, index: int, of: int = 1) -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{index}"/><w:numId w:val="{of}"/></w:numPr>'
    return f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/><w:pPr>{numbered}</w:pPr></w:style>'


def test_a_paragraph_has_the_number_of_its_style_or_of_what_that_is_based_on():
    based = '<w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="Sub"/><w:basedOn w:val="Two"/></w:style>'
    dot = '<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
    lists = (
        dot + numbering(level(0, "%1."), level(1, "%1.%2")) + '<w:num w:numId="8"><w:abstractNumId w:val="8"/></w:num>'
    )
    names = ["One", "Two", "Sub", "Dot"]
    one, two, sub, point = (paragraph(name, f'<w:pStyle w:val="{name}"/>') for name in names)
    none = paragraph("Without", '<w:pStyle w:val="One"/><w:numPr><w:numId w:val="0"/></w:numPr>')
    text = read(
        one + two + sub + none + point,
        styled("One", 0) + styled("Two", 1) + based + styled("Dot", 0, 8),
        numbering=lists,
    )
    assert text == "1. One\n  1.1 Two\n  1.2 Sub\n\nWithout\n\n- Dot\n"


def test_the_second_style_of_lists_is_a_level_below_the_first():
    names = {"List Number": 1, "List Bullet 2": 2, "List Number 3": 3}
    styles = "".join(
        style(name, "", f'<w:pPr><w:numPr><w:numId w:val="{of}"/></w:numPr></w:pPr>') for name, of in names.items()
    )
    lists = [level(0, "%1."), level(0, "•", "bullet"), level(0, "%1)")]
    abstract = "".join(
        f'<w:abstractNum w:abstractNumId="{of}">{one}</w:abstractNum>' for of, one in enumerate(lists, 1)
    )
    nums = "".join(f'<w:num w:numId="{of}"><w:abstractNumId w:val="{of}"/></w:num>' for of in names.values())
    body = "".join(paragraph(name, f'<w:pStyle w:val="{name}"/>') for name in [*names, "List Number"])
    expected = "1. List Number\n  - List Bullet 2\n    1) List Number 3\n2. List Number\n"
    assert read(body, styles, numbering=abstract + nums) == expected


def test_all_nine_levels_have_their_numbers():
    levels = [level(index, f"%{index + 1})") for index in range(9)]
    body = "".join(item(f"level {index + 1}", index) for index in range(9))
    expected = "".join(f"{'  ' * index}1) level {index + 1}\n" for index in range(9))
    assert read(body, numbering=numbering(*levels)) == expected


def test_a_numbered_heading_of_the_sixth_level_is_a_heading():
    style = '<w:style w:type="paragraph" w:styleId="Heading6"><w:name w:val="heading 6"/></w:style>'
    body = item("Deep", 5, more='<w:pStyle w:val="Heading6"/>')
    assert read(body, style, numbering=numbering(*(level(index, "%1") for index in range(6)))) == "Deep\n"


def note(identity: int, text: str) -> str:
    link = f'<w:hyperlink r:id="x9">{run("here")}</w:hyperlink>'
    return f'<w:footnote w:id="{identity}"><w:p>{run(text)}{link}</w:p></w:footnote>'


def refers(text: str, *notes: int, properties: str = "") -> str:
    marks = "".join(f'<w:r><w:footnoteReference w:id="{identity}"/></w:r>' for identity in notes)
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}{marks}</w:p>"


def test_a_note_stands_behind_the_paragraph_that_refers_to_it():
    heading = '<w:outlineLvl w:val="0"/>'
    body = paragraph("Warranty", heading) + refers("Two years.", 2, 3) + paragraph("Contacts", heading)
    text = read(body + paragraph("Us."), footnotes=note(2, "Not tyres, ") + note(3, "nor lamps, "))
    assert text == "Warranty\n\nTwo years.\n\nNot tyres, here\n\nnor lamps, here\n\nContacts\n\nUs.\n"


def test_a_note_is_read_once_and_not_where_its_mark_was_deleted():
    deleted = '<w:del><w:r><w:footnoteReference w:id="3"/></w:r></w:del>'
    body = refers("A", 2) + refers("B", 2, 7) + f"<w:p>{run('C')}{deleted}</w:p>"
    assert read(body, footnotes=note(2, "Only ") + note(3, "Gone ")).count("here") == 1


@pytest.mark.parametrize("wrapped", ["<w:bdo w:val='rtl'>{}</w:bdo>", "<w:dir w:val='ltr'>{}</w:dir>"])
def test_text_with_a_direction_is_read(wrapped):
    assert read(f"<w:p>{run('a ')}{wrapped.format(run('b'))}{run(' c')}</w:p>") == "a b c\n"


def test_text_with_its_reading_above_is_read_without_it():
    ruby = f"<w:ruby><w:rubyPr/><w:rt>{run('かんじ')}</w:rt><w:rubyBase>{run('漢字')}</w:rubyBase></w:ruby>"
    assert read(f"<w:p>{run('この')}<w:r>{ruby}</w:r>{run('は')}</w:p>") == "この漢字は\n"


def test_a_carriage_return_ends_a_line():
    assert read("<w:p><w:r><w:t>one</w:t><w:cr/><w:t>two</w:t></w:r></w:p>") == "one\ntwo\n"


@pytest.mark.parametrize("identity", ["10", "Überschrift3", "a-b", "1a", "x.y"])
def test_a_style_based_on_a_heading_is_one_whatever_its_id(identity):
    styles = (
        '<w:style w:type="paragraph" w:styleId="Base"><w:name w:val="x"/>'
        '<w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
        f'<w:style w:type="paragraph" w:styleId="{identity}"><w:name w:val="E"/><w:basedOn w:val="Base"/></w:style>'
    )
    body = paragraph("Title", f'<w:pStyle w:val="{identity}"/>') + paragraph("Text.")
    assert [(block.kind, block.level) for block in parse(docx(body, styles), "a.docx").blocks] == [
        ("heading", 3),
        ("paragraph", 0),
    ]


def test_tables_in_tables_in_tables_are_refused_at_some_depth():
    depth = 80
    body = "<w:tbl><w:tr><w:tc>" * depth + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * depth
    with pytest.raises(ParseError, match="nested too deeply"):
        read(body)


def test_a_document_without_its_main_part_is_incomplete():
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    with pytest.raises(ParseError, match="incomplete"):
        parse(empty.getvalue(), "a.docx")


C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
DGM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def cached(*texts: str) -> str:
    return "".join(f'<c:pt idx="{place}"><c:v>{text}</c:v></c:pt>' for place, text in enumerate(texts))


CHART = (
    f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sold by year</a:t></a:r>'
    "</a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>"
    f"<c:tx><c:strRef><c:strCache>{cached('Cider')}</c:strCache></c:strRef></c:tx>"
    f"<c:cat><c:strRef><c:strCache>{cached('2023', '2024')}</c:strCache></c:strRef></c:cat>"
    f"<c:val><c:numRef><c:numCache>{cached('4.3', '5')}</c:numCache></c:numRef></c:val>"
    "</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
)
DIAGRAM = (
    f'<dgm:dataModel xmlns:dgm="{DGM}" xmlns:a="{A}"><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p>'
    "</dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"
)


def drawing(reference: str) -> str:
    graphic = f'<a:graphic xmlns:a="{A}">{reference}</a:graphic>'
    return f"<w:p>{run('As sold:')}<w:r><w:drawing>{graphic}</w:drawing></w:r></w:p>"


def test_a_chart_is_read_as_a_table_of_what_it_draws():
    shown = drawing(f'<c:chart xmlns:c="{C}" r:id="rId9"/>')
    document = parse(docx(shown + paragraph("After."), drawn=CHART), "a.docx")

    assert document.text == "As sold:\n\nSold by year\n\n | Cider\n2023 | 4.3\n2024 | 5\n\nAfter.\n"
    assert document.blocks[2].kind is BlockKind.TABLE and document.blocks[2].header == " | Cider"
    assert read(shown * 3, drawn=CHART).count("Cider") == 1, "shown again, it says nothing more"
    assert "Cider" not in read(f"<w:p><w:del>{run('x')}{shown[5:-6]}</w:del>{run('y')}</w:p>", drawn=CHART)


def test_the_texts_of_smartart_are_read():
    assert read(drawing(f'<dgm:relIds xmlns:dgm="{DGM}" r:dm="rId9"/>'), drawn=DIAGRAM) == "As sold:\n\nPlan\n"


MHT = (
    "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=a\n\n--a\nContent-Type: text/html; charset=koi8-r\n"
    "Content-Transfer-Encoding: base64\n\n{}\n--a\nContent-Type: image/png\n\nAAAA\n--a--\n"
).format(base64.b64encode("<h2>Масло</h2><p>Within.</p>".encode("koi8-r")).decode())


@pytest.mark.parametrize(
    ("name", "content", "text", "warned"),
    [
        ("in.html", "<h2>Масло</h2><p>Within.</p>", "Before\n\nМасло\n\nWithin.\n\nAfter\n", ()),
        ("in.mht", MHT, "Before\n\nМасло\n\nWithin.\n\nAfter\n", ()),
        ("in.txt", "Within.", "Before\n\nWithin.\n\nAfter\n", ()),
        (
            "in.rtf",
            r"{\rtf1 Within.}",
            "Before\n\nAfter\n",
            ("its part word/in.rtf is of another format, and was left out",),
        ),
        (
            "in.mht",
            "Subject: no page\n\nx",
            "Before\n\nAfter\n",
            ("its part word/in.mht is of another format, and was left out",),
        ),
    ],
)
def test_a_part_of_another_format_is_read_where_it_stands(name, content, text, warned):
    body = f'{paragraph("Before")}<w:altChunk r:id="rId9"/>{paragraph("After")}'
    data = io.BytesIO(docx(body, taken=name))
    with zipfile.ZipFile(data, "a") as packed:
        packed.writestr(f"word/{name}", content)
    document = parse(data.getvalue(), "a.docx")
    assert (document.text, document.warnings) == (text, warned)


def test_a_part_of_another_format_without_a_place_is_read_last():
    data = io.BytesIO(docx(paragraph("Before \ue0000\ue000") + paragraph("\ue0007\ue000"), taken="in.txt"))
    with zipfile.ZipFile(data, "a") as packed:
        packed.writestr("word/in.txt", "Within.")
    assert parse(data.getvalue(), "a.docx").text == "Before \ue0000\ue000\n\nWithin.\n"


def test_a_document_without_its_body_is_refused_without_the_words_of_a_library():
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx(""))) as whole, zipfile.ZipFile(target, "w") as damaged:
        for name in whole.namelist():
            damaged.writestr(name, "<a/>" if name == "word/document.xml" else whole.read(name))
    assert reason(target.getvalue(), "a.docx") == "it is damaged, or no Word document"
