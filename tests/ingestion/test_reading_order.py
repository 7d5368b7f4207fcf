"""The order in which a library is to be read: its tables of contents, followed down."""

from fnmatch import fnmatchcase

from hypothesis import example, given
from hypothesis import strategies as st

from ingestion.parsers import parse
from ingestion.reading_order import Place, finder, reading_order
from knowledge.models import SnapshotFile, in_reading_order
from knowledge.texts.file_links import named
from tests.conftest import reindex

TOCTREE = """\
Handbook
========

.. toctree::
   :maxdepth: 2
   :caption: All of it

   second
   The first <first>
   missing
   https://example.org/elsewhere
"""


def shown(contents):
    return [f"{'>' * place.depth}{place.path}" for place in reading_order(contents)]


def test_a_file_is_followed_by_what_it_lists_one_deeper():
    contents = {"a.rst": [], "b.rst": ["c"], "c.rst": [], "index.rst": ["b", "a"]}
    assert shown(contents) == ["index.rst", ">b.rst", ">>c.rst", ">a.rst"]


def test_what_nobody_lists_comes_by_path_with_an_index_first():
    contents = {"b.rst": [], "README.md": [], "index.rst": [], "a/z.rst": [], "a/index.rst": []}
    assert shown(contents) == ["index.rst", "README.md", "b.rst", "a/index.rst", "a/z.rst"]


def test_a_file_that_two_list_stands_below_the_first():
    contents = {"a.rst": ["c"], "b.rst": ["c"], "c.rst": []}
    assert shown(contents) == ["a.rst", ">c.rst", "b.rst"]


def test_circles_end():
    assert shown({"a.rst": ["b"], "b.rst": ["a", "b"]}) == ["a.rst", ">b.rst"]


def test_files_that_all_list_their_folder_stand_below_each_other():
    assert shown({name: ["*"] for name in ("a.rst", "b.rst", "c.rst")}) == ["a.rst", ">b.rst", ">>c.rst"]


def test_a_long_chain_is_no_recursion():
    contents = {f"{number:05}.rst": [f"{number + 1:05}"] for number in range(20_000)}
    assert reading_order(contents)[-1] == Place("19999.rst", 19_999)


def test_wildcards_take_the_files_of_their_folder():
    contents = {"docs/index.rst": ["/guide/*"], "docs/guide/b.rst": [], "docs/guide/a.md": [], "docs/guide/x/c.rst": []}
    assert shown(contents) == ["docs/index.rst", ">docs/guide/a.md", ">docs/guide/b.rst", "docs/guide/x/c.rst"]


PARTS = st.sampled_from(["a", "b", "ab", "a.b", "[ab]", "[a/b]", "[", "*", "?b", "a*"])
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


@given(st.sets(st.tuples(PATHS, st.sampled_from([".rst", ".md", ".c", ""])).map("".join), max_size=12), PATHS)
@example({"a/b.rst", "b/b.rst"}, "[ab]/b")
def test_a_wildcard_finds_what_a_look_at_every_file_would(known, pattern):
    def fits(name):
        stem, _, suffix = name.rpartition(".")
        return suffix in ("rst", "md") and stem.count("/") == pattern.count("/") and fnmatchcase(stem, pattern)

    assert finder(known)(pattern) == sorted(filter(fits, known))


def test_an_index_with_a_wildcard_in_every_folder_compares_each_file_once(monkeypatch):
    compared = []
    counted = lambda *names: compared.append(names) or fnmatchcase(*names)  # noqa: E731
    monkeypatch.setattr("ingestion.reading_order.fnmatchcase", counted)
    contents = {f"{n}/page.rst": [] for n in range(100)} | {f"{n}/index.rst": ["*", "/*/index"] for n in range(100)}
    assert shown(contents)[:3] == ["0/index.rst", ">0/page.rst", ">1/index.rst"]
    assert len(compared) <= 600


def test_a_path_from_the_top_is_looked_for_below_the_librarys_top_too():
    known = {"docs/setup.rst", "docs/a/page.rst", "setup.txt"}
    assert named("docs/a/page.rst", "../setup", known) == "docs/setup.rst"
    assert named("docs/a/page.rst", "/a/page", known) == "docs/a/page.rst"
    assert named("docs/a/page.rst", "/setup", known) == "setup.txt"
    assert named("docs/a/page.rst", "../../../etc/passwd", {"etc/passwd", *known}) is None


def test_the_parser_gives_the_entries_as_they_are_written():
    document = parse(TOCTREE.encode(), "index.rst")
    entries = [(each.line, each.target) for each in document.links]
    assert entries == [(8, "second"), (9, "first"), (10, "missing"), (11, "https://example.org/elsewhere")]


def test_a_build_keeps_the_order(make_library):
    files = {"first.rst": "First\n=====\n\nText.\n", "second.rst": "Second\n======\n\nText.\n", "index.rst": TOCTREE}
    library = make_library("handbook", files)
    reindex(library)
    library.refresh_from_db()

    members = in_reading_order(SnapshotFile.objects.filter(snapshot=library.active_snapshot))
    placed = [(member.document_file.path, member.depth) for member in members]
    assert placed == [("index.rst", 0), ("second.rst", 1), ("first.rst", 1)]


def test_a_library_without_tables_of_contents_is_listed_by_path(make_library):
    library = make_library("plain", {"b.md": "# B\n\nText.\n", "a.md": "# A\n\nText.\n"})
    reindex(library)
    library.refresh_from_db()

    assert not library.active_snapshot.reading_places.exists()
    members = in_reading_order(SnapshotFile.objects.filter(snapshot=library.active_snapshot))
    assert [(member.document_file.path, member.depth) for member in members] == [("a.md", None), ("b.md", None)]


def test_a_snapshot_that_is_derived_keeps_the_order(indexed):
    library = indexed(
        "manual", {"index.rst": TOCTREE, "second.rst": "Two\n===\n\nText.\n", "first.rst": "One\n===\n\nText.\n"}
    )
    active = library.active_snapshot
    derived = active.derive(member for member in active.members() if member[0] != path_key(library, "first.rst"))
    ordered = in_reading_order(SnapshotFile.objects.filter(snapshot=derived))

    assert [file.document_file.path for file in ordered] == ["index.rst", "second.rst"]
    assert [file.depth for file in ordered] == [0, 1]


def path_key(library, path):
    return library.document_files.get(path=path).pk
