"""What slides may be like, and what is read of them."""

import datetime
import io
import zipfile

import pptx
import pptx.chart.data
import pptx.opc.package
import pytest

from ingestion.documents import BlockKind
from ingestion.parsers import parse
from ingestion.sections import build_sections
from tests.ingestion.small_files import reason

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


def test_a_line_that_is_broken_within_a_paragraph_stays_broken():
    street, town = "<a:r><a:t>Harbour 3</a:t></a:r><a:br/>", "<a:r><a:t>4051 Basel</a:t></a:r>"
    assert parse(deck(title("T") + shape(3, street + town)), "a.pptx").text == "T\n\nHarbour 3\n4051 Basel\n"
    items = "</a:p><a:p>".join([numbered("Write to:", level=1) + f"<a:br/>{town}", numbered("Wait.")])
    text = parse(deck(title("T") + shape(3, items)), "a.pptx").text
    assert text == "T\n\n  - Write to:\n    4051 Basel\n- Wait.\n"


def monospaced(text: str, properties: str = "") -> str:
    return f'{properties}<a:r><a:rPr><a:latin typeface="Courier New"/></a:rPr><a:t>{text}</a:t></a:r>'


def test_code_on_a_slide_is_code():
    lines = ["def oil():", "    pour()  # all of it", "", "oil()"]
    pasted = "</a:p><a:p>".join(map(monospaced, lines))
    typed = "<a:br/>".join(map(monospaced, lines))
    for code in (pasted, typed):
        document = parse(deck(title("T") + shape(3, f"<a:r><a:t>So:</a:t></a:r></a:p><a:p>{code}")), "a.pptx")
        assert document.text == "T\n\nSo:\n\n" + "\n".join(lines) + "\n"
        assert [block.kind for block in document.blocks[1:]] == [BlockKind.PARAGRAPH, BlockKind.CODE]


@pytest.mark.parametrize(
    "body",
    [
        monospaced("make", '<a:pPr><a:buChar char="•"/></a:pPr>'),
        monospaced("make") + "<a:r><a:t> it</a:t></a:r>",
        '<a:fld type="x"><a:t>make</a:t></a:fld>',
    ],
)
def test_what_is_no_code_on_a_slide_stays_what_it_is(body):
    document = parse(deck(title("T") + shape(3, body)), "a.pptx")
    assert document.blocks[1].kind is BlockKind.PARAGRAPH


def test_a_deck_in_the_font_of_code_is_not_all_code():
    head = title("T").replace("<a:r><a:t>T</a:t></a:r>", monospaced("T"))
    document = parse(deck(head + shape(3, monospaced("Oil it."))), "a.pptx")
    assert [block.kind for block in document.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]
    document = parse(deck(*(title("T") + shape(3, monospaced("oil()")) for _ in range(3))), "a.pptx")
    assert [block.kind for block in document.blocks] == [BlockKind.HEADING, BlockKind.CODE] * 3


def test_a_shape_without_geometry_is_read():
    assert parse(deck(shape(3, "<a:r><a:t>Here</a:t></a:r>")), "a.pptx").text == "Slide 1\n\nHere\n"


def test_a_shape_with_the_identity_of_the_title_is_read():
    text = shape(2, "<a:r><a:t>Oil it.</a:t></a:r>")
    assert parse(deck(title("Lathe") + text), "a.pptx").text == "Lathe\n\nOil it.\n"


def test_what_is_on_a_title_slide_stands_above_all_slides():
    first = title("Lathes").replace('type="title"', 'type="ctrTitle"') + shape(3, "<a:r><a:t>For all</a:t></a:r>")
    document = parse(deck(first, title("Oil"), title("Ends")), "a.pptx")
    assert [section.breadcrumb for section in build_sections(document)] == [
        ("Lathes",),
        ("Lathes", "Oil"),
        ("Lathes", "Ends"),
    ]


def test_a_deck_is_not_called_slide_1():
    document = parse(deck("", title("Oil") + shape(3, "<a:r><a:t>Daily.</a:t></a:r>")), "decks/lathes.pptx")
    assert [section.breadcrumb for section in build_sections(document)] == [("lathes", "Slide 1"), ("lathes", "Oil")]


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


@pytest.mark.parametrize("part", ["[Content_Types].xml", "ppt/presentation.xml", "ppt/slides/slide1.xml"])
def test_a_deck_whose_parts_are_others_is_refused_without_the_words_of_a_library(part):
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(deck(title("Tides")))) as whole, zipfile.ZipFile(target, "w") as damaged:
        for name in whole.namelist():
            damaged.writestr(name, "<a/>" if name == part else whole.read(name))
    assert reason(target.getvalue(), "a.pptx") == "it is damaged, or no presentation"
