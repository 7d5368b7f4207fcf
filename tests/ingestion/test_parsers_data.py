"""Real documentation, whole: nothing is refused, and what is found is what docutils and the gold questions say."""

import json
import re
import tarfile
from pathlib import Path

import pytest

from benchmarks.zoo import problem_of
from ingestion.chunking import chunk
from ingestion.documents import BlockKind, ParseError, line_starts
from ingestion.parsers import parse, suffix
from ingestion.sections import build_sections

from .data import DATA, needs_data

pytestmark = [pytest.mark.data, needs_data]

ARCHIVES = sorted(DATA.glob("docs/*-docs/*-docs-?.?.tar.gz")) + sorted(DATA.glob("docs/*-docs/*-rst.tar.gz"))
SYMFONY = DATA / "docs" / "symfony-docs"


def count_tokens(texts):
    return [len(re.findall(r"\w{1,5}|[^\w\s]", text)) for text in texts]


def read_archive(archive):
    """path → bytes, without the directory that holds everything, and without hidden ones, as in a source."""
    with tarfile.open(archive) as files:
        for member in files:
            if member.isfile() and suffix(member.name) and "/." not in member.name:
                yield member.name.split("/", 1)[1], files.extractfile(member).read()


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda archive: archive.name)
def test_a_whole_documentation_is_read_without_a_warning(archive):
    held = 0
    for path, data in read_archive(archive):
        document = parse(data, path)
        assert document.warnings == ()
        sections = build_sections(document)
        chunks = chunk(document, sections, count_tokens)
        assert sections[-1].line_end == len(line_starts(document.text))
        assert all(each.text == document.text[each.char_start : each.char_end] for each in chunks)
        assert max((each.tokens for each in chunks), default=0) <= 480
        held += len(chunks)
    assert held > 1_000


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda archive: archive.name)
def test_no_code_block_or_table_that_fits_the_budget_is_torn(archive):
    for path, data in read_archive(archive):
        document = parse(data, path)
        sections = build_sections(document)
        chunks = chunk(document, sections, count_tokens)
        lines = document.text.split("\n")
        for block in document.blocks:
            text = "\n".join(lines[block.line_start - 1 : block.line_end])
            if block.kind in (BlockKind.CODE, BlockKind.TABLE) and count_tokens([text])[0] <= 300:
                assert any(each.line_start <= block.line_start <= block.line_end <= each.line_end for each in chunks)


def test_sections_begin_where_the_gold_questions_say():
    sections = {
        path: {section.line_start for section in build_sections(parse(data, path))}
        for path, data in read_archive(next(SYMFONY.glob("*-7.1-*-rst.tar.gz")))
    }
    gold = [
        entry
        for line in (SYMFONY / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        for entry in json.loads(line)["gold"]
        if "section_start" in entry
    ]
    missing = [entry for entry in gold if entry["section_start"] not in sections[entry["file"]]]
    assert len(gold) > 300
    assert len(missing) <= len(gold) * 0.02, missing


def manifest():
    path = DATA / "zoo" / "manifest.jsonl"
    entries = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path.is_file() else ()
    return [entry for entry in entries if entry["file"] not in OTHERWISE]


OTHERWISE = (
    "tika/big-preamble.html",  # the manifest's phrase is ASCII markup taken for UTF-16
    "tika/testPDF_bad_page_303226.pdf",  # a word that is hyphenated at a line's end is one word here
    "tika/testPDF_XFA_govdocs1_258578.pdf",  # a form: the filled-in values stand between the phrase's words
)


@pytest.mark.parametrize("entry", manifest(), ids=lambda entry: entry["file"])
def test_an_odd_file_is_read_as_expected(entry):
    data = (DATA / "zoo" / entry["file"]).read_bytes()
    try:
        outcome = parse(data, entry["file"])
    except ParseError as error:
        outcome = error
    else:
        chunks = chunk(outcome, build_sections(outcome), count_tokens)
        assert all(each.text in outcome.text for each in chunks)
        assert all(type(each.page) is int for each in chunks) == entry["file"].endswith(".pdf")
    assert problem_of(entry, outcome, data) == ""


@pytest.mark.parametrize("path", sorted(DATA.glob("docs/chunk-spans/corpora/*")), ids=lambda path: path.name)
def test_a_long_corpus_is_cut_within_the_budget(path: Path):
    document = parse(path.read_bytes(), path.name)
    chunks = chunk(document, build_sections(document), count_tokens)
    assert max(each.tokens for each in chunks) <= 480
