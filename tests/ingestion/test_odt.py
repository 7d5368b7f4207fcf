"""What ODT files may be like, and what is read of them."""

import pytest

from ingestion.parsers import parse
from ingestion.parsers.odt import NAMESPACES
from ingestion.sections import build_sections
from tests.ingestion.small_files import GOLDEN, odt, odt_document, repacked


def test_a_table_of_rows_within_a_cell_of_an_odt_keeps_them_apart():
    def table(*rows: list[str]) -> str:
        cells = ("".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in row) for row in rows)
        return f"<table:table>{''.join(f'<table:table-row>{row}</table:table-row>' for row in cells)}</table:table>"

    what, days, oil = (f"<text:p>{text}</text:p>" for text in ("What", "Days", "Oil"))
    assert odt(table([oil, table([what, days], [oil, days])])) == "Oil | What, Days; Oil, Days\n"
    assert odt(table([oil, table([what, days])])) == "Oil | What Days\n"


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


@pytest.mark.parametrize("font", ["Wingdings", "Wingdings1"])
def test_letters_of_a_font_of_signs_are_the_signs(font):
    text = f"<style:text-properties style:font-name='{font}'/>"
    style = f"<style:style style:name='T1' style:family='text'>{text}</style:style>"
    styles = f"<office:automatic-styles>{style}</office:automatic-styles>"
    assert odt("<text:p>Done: <text:span text:style-name='T1'>\uf0fc ü</text:span></text:p>", styles) == "Done: ✓ ü\n"


def test_the_head_of_a_list_has_no_mark_and_code_in_it_keeps_its_indent():
    head = "<text:list-header><text:p>To oil it:</text:p></text:list-header>"
    code = "".join(
        f"<text:p text:style-name='Code'>{line}</text:p>" for line in ("if dry:", "<text:s text:c='4'/>oil()")
    )
    listed = odt_list(f"<text:p>Run</text:p>{code}").replace("<text:list-item>", f"{head}<text:list-item>", 1)
    assert odt(listed, NUMBERED) == "  To oil it:\n1. Run\n  if dry:\n      oil()\n"


def test_the_title_of_an_odt_stands_above_its_headings():
    heading = "<text:h text:outline-level='1'>Lending</text:h>"
    document = odt_document(f"<text:p text:style-name='Title'>Handbook</text:p><text:p>Of May</text:p>{heading}")
    assert [section.breadcrumb for section in build_sections(document)] == [("Handbook",), ("Handbook", "Lending")]


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


MATHML = """<math:math xmlns:math='http://www.w3.org/1998/Math/MathML'><math:semantics>
 <math:mfrac>
  <math:mrow><math:mi>a</math:mi> <math:mo>+</math:mo> <math:mi>b</math:mi></math:mrow>
  <math:msup><math:mi>x</math:mi> <math:mn>2</math:mn></math:msup>
 </math:mfrac>
 <math:annotation math:encoding='StarMath 5.0'>{a + b} over x^2</math:annotation></math:semantics></math:math>"""
XLINK = "xmlns:xlink='http://www.w3.org/1999/xlink'"
SVG = f"xmlns:svg='{NAMESPACES['svg']}'"
FRAME = f"<draw:frame><draw:object {{}}</draw:object><draw:image/><svg:desc {SVG}>formula</svg:desc></draw:frame>"


def test_a_formula_in_an_odt_is_read_in_a_line_where_it_stands():
    assert odt(f"<text:p>Area is {FRAME.format(f'>{MATHML}')}, told.</text:p>") == "Area is (a+b)/x^2, told.\n"


@pytest.mark.parametrize("shape", ["custom-shape", "rect", "text-box"])
def test_the_texts_of_shapes_stand_behind_the_paragraph_around_them(shape):
    one, two = (f"<draw:{shape}><text:p>{text}</text:p></draw:{shape}>" for text in ("Packed", "Sent"))
    body = f"<text:p>Orders are {one}<draw:g>{two}</draw:g>told.</text:p><text:p>So it is.</text:p>"
    assert odt(body) == "Orders are told.\n\nPacked\n\nSent\n\nSo it is.\n"


def test_what_stands_for_a_shape_with_a_text_is_read():
    described = "<draw:rect><svg:desc>A valve</svg:desc><text:p>V1</text:p></draw:rect>"
    assert odt(f"<text:p>Close{described}first.</text:p>") == "Close A valve first.\n\nV1\n"


@pytest.mark.parametrize("holder", ["{}", "<draw:g>{}</draw:g>", "<text:p><draw:text-box>{}</draw:text-box></text:p>"])
def test_a_formula_in_no_paragraph_of_an_odt_is_one_of_its_own(holder):
    body = f"{holder.format(FRAME.format(f'>{MATHML}'))}<text:p>That is it.</text:p>"
    assert odt(body) == "(a+b)/x^2\n\nThat is it.\n"


def test_a_formula_within_a_packed_odt_is_read_without_a_part_of_its_own():
    paragraph = f"<text:p>So {FRAME.format(f'>{MATHML}')}.</text:p></office:text>".encode()
    book = repacked(GOLDEN / "odt/in/minutes.odt", lambda _, content: content.replace(b"</office:text>", paragraph))
    document = parse(book, "a.odt")
    assert document.text.endswith("So (a+b)/x^2.\n") and document.warnings == ()


def test_a_formula_in_a_part_of_an_odt_is_read_and_other_objects_are_told():
    frames = (FRAME.format(f"{XLINK} xlink:href='{name}'>") for name in ("./Object 1", "Object 2/", "Object 3"))
    paragraph = f"<text:p>So {', '.join(frames)}.</text:p></office:text>"

    def embedded(name: str, content: bytes) -> bytes:
        parts = {"Object 1/content.xml": MATHML.encode(), "Object 2/content.xml": b"<chart/>"}
        return parts.get(name) or content.replace(b"</office:text>", paragraph.encode())

    minutes = GOLDEN / "odt/in/minutes.odt"
    document = parse(repacked(minutes, embedded, "Object 1/content.xml", "Object 2/content.xml"), "a.odt")
    assert document.text.endswith("So (a+b)/x^2, formula , formula .\n")
    assert document.warnings == ("2 embedded objects were left out (charts, sheets, …)",)
