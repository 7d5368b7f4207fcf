import pytest

from ingestion.documents import Block, BlockKind, ParsedDocument
from ingestion.sections import build_sections, slug


def make_document(*headings, text="", title="Title", above=False, paragraphs=()):
    """Headings are (line, level, title, *labels), paragraphs lines; `above` puts one on line 1."""
    blocks = [Block(BlockKind.PARAGRAPH, line, line) for line in ((1,) if above else ()) + paragraphs]
    blocks += [
        Block(BlockKind.HEADING, line, line, level=level, title=name, labels=tuple(labels))
        for line, level, name, *labels in headings
    ]
    blocks.sort(key=lambda block: block.line_start)
    return ParsedDocument("docs/page.md", text or "x\n" * 20, title, "text/plain", tuple(blocks))


def test_sections_partition_the_lines():
    sections = build_sections(make_document((3, 1, "A"), (7, 2, "B"), (8, 1, "C")))
    assert [(section.line_start, section.line_end) for section in sections] == [(1, 6), (7, 7), (8, 20)]


def test_content_above_the_first_heading_is_a_section_of_level_zero():
    first, second = build_sections(make_document((3, 1, "A"), above=True))
    assert (first.level, first.title, first.line_start, first.line_end) == (0, "Title", 1, 2)
    assert second.parent is None


def test_a_file_without_headings_is_one_section_with_the_documents_title():
    (section,) = build_sections(make_document(title="Page"))
    assert (section.title, section.breadcrumb, section.line_start, section.line_end) == ("Page", ("Page",), 1, 20)


def test_a_document_without_any_title_has_an_empty_breadcrumb():
    (section,) = build_sections(make_document(title=""))
    assert (section.title, section.breadcrumb, section.anchor) == ("", (), "section")


@pytest.mark.parametrize(("text", "lines"), [("", 1), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\nb", 2)])
def test_a_final_newline_opens_no_line(text, lines):
    document = ParsedDocument("a.txt", text, "", "text/plain", ())
    assert build_sections(document)[-1].line_end == lines


def test_skipped_levels_are_tolerated():
    sections = build_sections(make_document((1, 2, "A"), (2, 5, "B"), (3, 3, "C"), (4, 1, "D"), title="A"))
    assert [section.parent for section in sections] == [None, 0, 0, None]
    assert [section.breadcrumb for section in sections] == [("A",), ("A", "B"), ("A", "C"), ("D",)]


def test_a_title_that_no_heading_repeats_leads_every_breadcrumb():
    sections = build_sections(make_document((1, 1, "A"), (2, 2, "B"), title="Handbook"))
    assert sections[1].breadcrumb == ("Handbook", "A", "B")


@pytest.mark.parametrize("level", [1, 2])
def test_a_title_that_stands_beside_the_sections_stands_above_them(level):
    beside = [(2, level, "Handbook"), (4, level, "Lending"), (9, level + 1, "Fees"), (12, level, "Returns")]
    document = make_document(*beside, title="Handbook", paragraphs=(5, 10, 13))
    sections = build_sections(document)
    assert [section.breadcrumb[1:] for section in sections] == [(), ("Lending",), ("Lending", "Fees"), ("Returns",)]
    assert [section.level - level for section in sections] == [0, 1, 2, 1]
    assert [section.parent for section in sections] == [None, 0, 1, 0]


@pytest.mark.parametrize(
    ("headings", "paragraphs", "title"),
    [
        ([(2, 1, "A"), (4, 1, "B")], (3, 5), "A"),  # something is said below it
        ([(2, 1, "A"), (4, 2, "A.1"), (6, 1, "B")], (5, 7), "A"),
        ([(2, 1, "A"), (4, 1, "B"), (6, 1, "C")], (7,), "A"),  # and so is B: both are empty
        ([(2, 2, "A"), (4, 2, "B"), (6, 1, "C")], (5, 7), "A"),  # C is above it
        ([(2, 1, "A"), (4, 1, "B")], (5,), "Handbook"),  # the document is called otherwise
        ([(2, 1, "A")], (), "A"),
    ],
)
def test_any_other_first_heading_is_one_among_others(headings, paragraphs, title):
    document = make_document(*headings, title=title, paragraphs=paragraphs)
    assert [section.level for section in build_sections(document)] == [level for _, level, _ in headings]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Stopping Event Flow/Propagation", "stopping-event-flow-propagation"),
        ("Größe & Maß", "größe-maß"),
        ("हिन्दी में", "हिन्दी-में"),
        ("…", "section"),
        ("1. First_thing", "1-first-thing"),
    ],
)
def test_a_slug_keeps_the_letters_of_any_script(title, expected):
    assert slug(title) == expected


def test_repeated_titles_are_numbered_around_natural_ones():
    titles = ("Foo", "Foo", "Foo 1", "Foo", "Foo 1")
    sections = build_sections(make_document(*((line, 1, title) for line, title in enumerate(titles, start=1))))
    assert [section.anchor for section in sections] == ["foo", "foo-2", "foo-1", "foo-3", "foo-1-1"]


def test_a_heading_keeps_its_anchor_from_what_stands_above_it():
    above, heading = build_sections(make_document((3, 1, "Title"), above=True))
    assert (above.anchor, heading.anchor) == ("title-1", "title")


def test_labels_are_anchors_too_unless_they_name_something_else():
    sections = build_sections(make_document((1, 1, "A", "b", "my_label", "a"), (2, 1, "B", "my label", "other")))
    assert [section.aliases for section in sections] == [("my-label",), ("other",)]
