"""What Word writes, and what of it a reader of the document sees."""

import io
import zipfile

import pytest

from ingestion.documents import ParseError
from ingestion.parsers import parse

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SPACES = (
    f'xmlns:w="{W}" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = f'<Relationship Id="a" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
STYLED = f'<Relationship Id="b" Type="{OFFICE}/styles" Target="styles.xml"/>'


def docx(body: str, styles: str = "") -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr("_rels/.rels", f'<Relationships xmlns="{PACKAGE}">{DOCUMENT}</Relationships>')
        packed.writestr("word/_rels/document.xml.rels", f'<Relationships xmlns="{PACKAGE}">{STYLED}</Relationships>')
        packed.writestr("word/styles.xml", f"<w:styles {SPACES}>{styles}</w:styles>")
        packed.writestr("word/document.xml", f"<w:document {SPACES}><w:body>{body}</w:body></w:document>")
    return target.getvalue()


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def read(body: str, styles: str = "") -> str:
    return parse(docx(body, styles), "a.docx").text


def test_what_was_deleted_or_moved_away_is_not_read():
    deleted = '<w:del w:id="1"><w:r><w:delText>deleted </w:delText></w:r></w:del>'
    moved = f'<w:moveFrom w:id="2">{run("away ")}</w:moveFrom><w:moveTo w:id="3">{run("here ")}</w:moveTo>'
    inserted = f'<w:ins w:id="4">{run("inserted ")}</w:ins>'
    assert read(f"<w:p>{run('Kept ')}{deleted}{moved}{inserted}{run('end')}</w:p>") == "Kept here inserted end\n"


def test_hidden_text_is_not_read():
    hidden, shown = run("no", "<w:vanish/>"), run("yes", '<w:vanish w:val="0"/>')
    assert read(f"<w:p>{hidden}{shown}</w:p>") == "yes\n"


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


def test_merged_cells_leave_their_places_empty():
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"

    first = cell("A", '<w:gridSpan w:val="2"/>') + cell("B")
    second = cell("1", '<w:vMerge w:val="restart"/>') + cell("2") + cell("3")
    third = cell("", "<w:vMerge/>") + cell("4") + cell("5")
    table = "".join(f"<w:tr>{row}</w:tr>" for row in (first, second, third))
    assert read(f"<w:tbl>{table}</w:tbl>") == "A |  | B\n1 | 2 | 3\n | 4 | 5\n"


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
