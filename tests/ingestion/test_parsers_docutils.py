"""The RST scanner finds the sections that docutils finds."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

from ingestion.documents import BlockKind
from ingestion.parsers import parse

from .data import needs_data
from .test_parsers_data import ARCHIVES, read_archive

pytestmark = [pytest.mark.data, needs_data]

SETTINGS = {
    "report_level": 5,
    "halt_level": 6,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "doctitle_xform": False,
    "docinfo_xform": False,
}


class Empty(Directive):
    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self):
        return []


def literal(name, rawtext, text, lineno, inliner, options=None, content=()):
    return [nodes.literal(rawtext, text)], []


@pytest.fixture(autouse=True)
def _unknown_markup_is_ignored(monkeypatch):
    monkeypatch.setattr(directives, "directive", lambda name, language, document: (Empty, []))
    monkeypatch.setattr(roles, "role", lambda name, language, line, reporter: (literal, []))


def headings_of(node, level=1):
    for child in node.children:
        if isinstance(child, nodes.section):
            yield level, child.line
            yield from headings_of(child, level + 1)


@pytest.mark.parametrize("archive", ARCHIVES[-1:] + ARCHIVES[:1], ids=lambda archive: archive.name)
def test_headings_have_the_levels_and_lines_of_docutils(archive):
    different = files = 0
    for path, data in read_archive(archive):
        document = parse(data, path)
        if document.media_type != "text/x-rst":
            continue
        expected = list(headings_of(publish_doctree(document.text, settings_overrides=SETTINGS)))
        found = [(block.level, block.line_end) for block in document.blocks if block.kind is BlockKind.HEADING]
        files += 1
        different += found != expected
    assert files > 400
    assert different <= 2  # files whose title styles are inconsistent: docutils drops such sections
