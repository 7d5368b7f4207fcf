"""Snapshots that travel: the same manifest hash elsewhere, and nothing that was changed on the way gets in."""

import errno
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from ingestion.archive.checking import open_archive
from ingestion.archive.layout import (
    CHUNKS,
    CODE_VECTORS,
    COUNTS_FIELDS,
    MANIFEST,
    NODES,
    PART_COUNTS,
    PART_VECTORS,
    REFERENCES,
    SEAL,
    SUMMARIES,
    SUMMARY_VECTORS,
    SYMBOLS,
    TABLES,
    TREE,
    VECTORS,
    ArchiveError,
)
from ingestion.archive.reading import import_snapshot
from ingestion.archive.writing import export_snapshot, seal
from ingestion.erasing import erase
from knowledge.endpoints import EndpointError
from knowledge.governance.activation import activate
from knowledge.governance.withdrawal import restore, withdraw
from knowledge.health.endpoints import examine_spaces
from knowledge.models import (
    Chunk,
    Embedding,
    EmbeddingSpace,
    FileVersion,
    Job,
    Library,
    NearTwin,
    Section,
    SectionSummary,
    Snapshot,
    SourceCredential,
    Upload,
)
from knowledge.models.reading_place import in_reading_order
from knowledge.storage import originals
from retrieval import query_vector
from retrieval.code.symbols import find_symbols
from retrieval.results import SearchOptions
from retrieval.search import search
from tests.conftest import all_checks_hold, forget_views, reindex, write
from tests.ingestion.pdfs import make_pdf
from tests.ingestion.test_pipeline import GUIDE, NOTES
from tests.ingestion.test_summaries import LONG
from tests.retrieval.test_symbols import FILES as CODE

TABLE = "# Табель\n\n| a | b |\n|---|---|\n| 1 | два |\n\nLast line without an end"
FILES = {"guide.md": GUIDE, "more/notes.rst": NOTES, "table.md": TABLE, "empty.txt": "\n"}
LENDING = f"# Lending\n\n{LONG}\n## Late\n\n{LONG.replace('book', 'map')}\n## Short\n\nNothing to say.\n"
WHOLE = FILES | CODE | {
    "index.rst": "Everything\n==========\n\n.. toctree::\n\n   more/notes\n   lending\n   lending.copy\n",
    "src/desk.py": "def lend_book(member):\n    return member.cards\n",
    "lending.md": LENDING,
    "lending.copy.md": LENDING,
}  # fmt: skip
MODES = ("hybrid", "lexical", "vector", "tree", "code")
QUERIES = ("installer", "how long may a book be borrowed", "price of the cart", "tide", "Cart.pay")


@pytest.fixture
def handbook(indexed) -> Library:
    return indexed("handbook", FILES)


@pytest.fixture
def exported(handbook, tmp_path):
    def export(vectors=True, with_originals=True) -> Path:
        path = tmp_path / "handbook.zip"
        export_snapshot(handbook.active_snapshot, path, vectors, with_originals)
        return path

    return export


def forget_everything(settings, tmp_path) -> None:
    """As on another machine: an empty database, an empty home, a new process."""
    query_vector.forget()
    forget_views()
    settings.HOME = tmp_path / "elsewhere"
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "TRUNCATE knowledge_library, knowledge_indexprofile, knowledge_embeddingspace, knowledge_answer CASCADE"
        )


def changed(path: Path, edit) -> Path:
    """The archive with its members edited and sealed again, as somebody with bad intent would."""
    with zipfile.ZipFile(path) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    edit(members)
    with path.open("w+b") as file:
        with zipfile.ZipFile(file, "w") as written:
            for name, content in members.items():
                written.writestr(name, content)
            written.comment = SEAL + b"0" * 64
        seal(file)
    return path


@pytest.mark.parametrize(("vectors", "with_originals"), [(True, True), (False, False), (True, False), (False, True)])
def test_an_import_into_an_empty_database_has_the_same_manifest_hash(
    handbook, exported, settings, tmp_path, vectors, with_originals
):
    path, wanted = exported(vectors, with_originals), handbook.active_snapshot.manifest_hash
    hits = search(None, "installer", SearchOptions(libraries=("handbook",))).hits
    forget_everything(settings, tmp_path)
    done = import_snapshot(path)
    library = Library.objects.get(slug="handbook")

    assert done.manifest_hash == wanted and done.state == "ready"
    assert library.kind == "archive" and library.active_snapshot is None
    assert Chunk.objects.visible_to(None).count() == 0
    assert bool(done.embeddings["imported"]) == vectors and bool(done.embeddings["computed"]) != vectors
    if with_originals:
        assert originals.read(FileVersion.objects.get(document_file__path="guide.md").sha256) == GUIDE.encode()
    assert all_checks_hold()
    activate(library, library.snapshots.get())
    again = search(None, "installer", SearchOptions(libraries=("handbook",))).hits
    assert [(hit.source_file, hit.line_start, hit.scores) for hit in again] == [
        (hit.source_file, hit.line_start, hit.scores) for hit in hits
    ]


@pytest.fixture
def whole(indexed, make_library, documents, code_model) -> Library:
    """Everything that a snapshot can hold: summaries, code with a model of its own, reading order, twins, boxes."""
    library = make_library("whole", WHOLE, summaries=True)
    (documents / "whole/scan.pdf").write_bytes(make_pdf([[(72, 700, 12, "The ferry leaves at eight.")]]))
    reindex(library)
    return library


@pytest.fixture
def everything(whole, tmp_path):
    def export(vectors=True, with_originals=True) -> Path:
        path = tmp_path / "whole.zip"
        export_snapshot(whole.active_snapshot, path, vectors, with_originals)
        return path

    return export


def answers() -> dict[str, object]:
    """What people see of the active snapshot, without the numbers of rows and snapshots."""
    forget_views()
    found: dict[str, object] = {}
    for mode in MODES:
        for query in QUERIES:
            result = search(None, query, SearchOptions(mode=mode))
            assert result.degraded == ()
            found[f"{mode} {query}"] = [
                (hit.source_file, hit.section_anchor, hit.line_start, hit.line_end, hit.page, hit.scores, hit.ranks)
                for hit in result.hits
            ]
    for direction in ("callers", "callees"):
        told = find_symbols(None, "price", (), direction, 3).as_json()
        for one in (*told["symbols"], *told[direction]):
            one.pop("url")
        found[direction] = told
    library = Library.objects.get()
    active = library.active_snapshot
    found["order"] = [(member.document_file.path, member.depth) for member in in_reading_order(active.files.all())]
    found["boxes"] = list(Chunk.objects.filter(box__isnull=False).values_list("box", "page"))
    found["links"] = list(FileVersion.objects.exclude(links=[]).values_list("links", flat=True))
    found["twins"] = [
        ({twin.one.document_file.path, twin.other.document_file.path}, twin.kind, twin.similarity)
        for twin in NearTwin.objects.in_snapshot(active.pk)
    ]
    found["summaries"] = sorted(
        SectionSummary.objects.of_snapshot(active).values_list(
            "section__file_version__document_file__path", "section__anchor", "method", "text"
        )
    )
    return found


@pytest.mark.parametrize("vectors", [True, False])
def test_what_is_found_is_the_same_after_a_journey(whole, everything, settings, tmp_path, vectors):
    path, wanted, before = everything(vectors), whole.active_snapshot.manifest_hash, answers()
    assert all(before[name] for name in ("order", "boxes", "links", "twins", "summaries", "callers", "callees"))
    assert {summary[2] for summary in before["summaries"]} == {"extract-2"} and whole.active_snapshot.code_space
    assert before["code Cart.pay"] and before["tree installer"] and {depth for _, depth in before["order"]} == {0, 1}
    forget_everything(settings, tmp_path)
    done = import_snapshot(path)
    library = Library.objects.get()
    activate(library, library.snapshots.get())

    assert done.manifest_hash == wanted and bool(done.embeddings["imported"]) == vectors
    assert answers() == before and all_checks_hold()
    assert "how sections are summarised" not in {drift.setting for drift in library.drift()}


def test_vectors_come_without_the_models_that_made_them(whole, everything, settings, tmp_path, monkeypatch):
    path, wanted = everything(), Embedding.objects.count()
    forget_everything(settings, tmp_path)

    def away(*_: object) -> None:
        raise EndpointError("embedding", "is away")

    monkeypatch.setattr("ingestion.archive.reading.embedding_endpoint", away)
    monkeypatch.setattr("ingestion.archive.reading.code_endpoint", lambda test_mode: None)
    done = import_snapshot(path)

    assert done.embeddings["computed"] == 0 and Embedding.objects.count() == wanted and all_checks_hold()


def test_code_of_another_model_is_not_embedded_by_this_one(everything, monkeypatch):
    path = everything(vectors=False)
    monkeypatch.setattr("ingestion.archive.reading.code_endpoint", lambda test_mode: None)
    with pytest.raises(ArchiveError, match="CODE_EMBEDDING_URL"):
        import_snapshot(path, slug="copy")


def test_only_the_summaries_that_the_snapshot_has_travel(whole, everything):
    section = whole.active_snapshot.files.get(document_file__path="guide.md").file_version.sections.first()
    late = SectionSummary.objects.last()
    SectionSummary.objects.create(
        section=section, method=late.method, source_hash=b"x", text="Written later.", content_hash=late.content_hash
    )
    with zipfile.ZipFile(everything()) as opened:
        lines = [json.loads(line) for line in opened.read(SUMMARIES).splitlines()]
    assert len(lines) == 4 and all(line.keys() == {"section", "method", "text"} for line in lines)
    assert "Written later." not in {line["text"] for line in lines}


def test_the_tree_shows_the_files_with_their_sections(everything):
    with zipfile.ZipFile(everything(vectors=False)) as opened:
        files = {file["path"]: file for file in json.loads(opened.read(TREE))["files"]}
    assert files["guide.md"]["sections"] == [
        {"parent": None, "title": "Guide", "anchor": "guide", "line_start": 1, "line_end": 4},
        {"parent": 0, "title": "Install", "anchor": "install", "line_start": 5, "line_end": 8},
        {"parent": 0, "title": "Remove", "anchor": "remove", "line_start": 9, "line_end": 11},
    ]
    assert ["contents", 6, "more/notes"] in files["index.rst"]["links"]


def test_nothing_of_where_it_came_from_travels(whole, everything):
    secret = "ghp_0123456789"
    SourceCredential.token(whole, secret)
    Library.objects.filter(pk=whole.pk).update(known_hosts="host ssh-ed25519 AAAA", unindexed=["taken-out.md"])
    Upload.objects.create(library=whole, path="uploaded.md", sha256="0" * 64, size=1)
    with zipfile.ZipFile(everything()) as opened:
        content = b"".join(opened.read(name) for name in opened.namelist())
    for hidden in (secret, whole.location, "ssh-ed25519", "taken-out.md", "uploaded.md"):
        assert hidden.encode() not in content


def test_one_snapshot_has_one_archive(handbook, exported, tmp_path):
    first = exported().read_bytes()

    assert exported().read_bytes() == first
    with zipfile.ZipFile(io.BytesIO(first)) as opened:
        assert opened.namelist()[:8] == [*TABLES, VECTORS, SUMMARY_VECTORS] and opened.namelist()[-1] == MANIFEST
        tree = json.loads(opened.read(TREE))
        chunks = [json.loads(line) for line in opened.read(CHUNKS).splitlines()]
        nodes = [json.loads(line) for line in opened.read(NODES).splitlines()]
        assert [file["path"] for file in tree["files"]] == sorted(FILES)
        assert len(chunks) == Chunk.objects.count() and len(nodes) == Section.objects.count()
        assert len(opened.read(VECTORS)) == len(chunks) * 384 * 4
        assert "".join(node["text"] for node in nodes if node["breadcrumb"][0] == "Guide") == GUIDE


def test_an_import_can_be_repeated_and_makes_one_snapshot(exported):
    path = exported()
    first = import_snapshot(path, slug="copy")
    second = import_snapshot(path, slug="copy")

    assert (first.known, second.known) == (False, True) and first.snapshot == second.snapshot
    assert Library.objects.get(slug="copy").snapshots.count() == 1


def test_a_copy_beside_its_original_is_not_called_the_same(handbook, exported):
    Library.objects.update(name="The handbook")
    handbook.refresh_from_db()
    path = exported()
    import_snapshot(path, slug="copy")
    assert Library.objects.get(slug="copy").name == "copy"
    Library.objects.filter(slug="handbook").update(name="Ours")
    import_snapshot(path, slug="another")
    assert Library.objects.get(slug="another").name == "The handbook"


def test_two_snapshots_of_one_library_share_what_is_the_same(handbook, exported, documents):
    import_snapshot(exported(), slug="copy")
    write(documents / "handbook", {"guide.md": GUIDE + "\nAnd more.\n"})
    reindex(handbook)
    before = FileVersion.objects.count()
    done = import_snapshot(exported(), slug="copy")

    assert done.snapshot == 2 and FileVersion.objects.count() == before + 1


def test_an_import_that_breaks_off_leaves_nothing_visible_and_can_be_repeated(exported, monkeypatch):
    path = exported()
    with monkeypatch.context() as patched:
        patched.setattr("ingestion.archive.reading.index_lexemes", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            import_snapshot(path, slug="copy")
        assert not Library.objects.filter(slug="copy").exists(), "its readers would see an empty one"
        copy = Library.objects.create(slug="copy", name="Copy", kind="archive")
        with pytest.raises(ZeroDivisionError):
            import_snapshot(path, slug="copy")

    assert copy.snapshots.count() == 0 and Job.objects.get(library=copy).state == "failed"
    assert import_snapshot(path, slug="copy").state == "ready"


def test_an_import_that_was_killed_can_be_repeated(exported):
    path = exported()
    done = import_snapshot(path, slug="copy")
    killed = Snapshot.objects.get(library__slug="copy")
    killed.library.snapshots.create(number=7, profile=killed.profile, space=killed.space)
    killed.delete()

    assert import_snapshot(path, slug="copy").manifest_hash == done.manifest_hash
    assert not Snapshot.objects.filter(library__slug="copy", state="building").exists()


def test_a_library_with_a_source_of_its_own_takes_no_archive(exported):
    with pytest.raises(ArchiveError, match="--library"):
        import_snapshot(exported())


def test_texts_of_another_model_are_not_embedded_by_this_one(exported, settings):
    path = exported(vectors=False)
    settings.EMBEDDING_QUERY_PREFIX = "query: "
    with pytest.raises(ArchiveError, match="test-bag-of-words"):
        import_snapshot(path, slug="copy")

    assert import_snapshot(exported(vectors=True), slug="copy").state == "ready"


def test_vectors_that_are_not_those_of_the_texts_are_refused(exported):
    def forge(members):
        rows = members[VECTORS]
        members[VECTORS] = rows[384 * 4 :] + rows[: 384 * 4]
        reseal_members(members)

    with pytest.raises(ArchiveError, match="--embed"):
        import_snapshot(changed(exported(), forge), slug="copy")
    assert import_snapshot(changed(exported(), forge), slug="copy", embed_again=True).embeddings["imported"] == 0


def test_the_parts_of_passages_travel(whole, everything, settings, tmp_path):
    path, parts = everything(), {bytes(own) for own in parts_stored()}
    assert max(map(len, parts)) > 384 * 4
    with zipfile.ZipFile(path) as opened:
        counts = np.frombuffer(opened.read(PART_COUNTS), "<u4")
        assert len(counts) == Chunk.objects.count() and {0, 2} <= set(counts.tolist())
        assert len(opened.read(PART_VECTORS)) == counts.sum() * 384 * 4
    forget_everything(settings, tmp_path)
    import_snapshot(path)

    assert {bytes(own) for own in parts_stored()} == parts and all_checks_hold()
    assert everything_again(tmp_path).read_bytes() == path.read_bytes()


def parts_stored():
    return Embedding.objects.filter(parts__isnull=False).values_list("parts", flat=True)


def everything_again(tmp_path) -> Path:
    path = tmp_path / "again.zip"
    export_snapshot(Snapshot.objects.get(), path, True, True)
    return path


def of_another_passage(members):
    rows = members[PART_VECTORS]
    members[PART_VECTORS] = rows[-384 * 4 :] + rows[: -384 * 4]


def more(members):
    counts = np.frombuffer(members[PART_COUNTS], "<u4").copy()
    counts[np.flatnonzero(counts)[0]] += 1
    members[PART_COUNTS], members[PART_VECTORS] = counts.tobytes(), members[PART_VECTORS][:1536] + members[PART_VECTORS]


def none_at_all(members):
    members[PART_COUNTS], members[PART_VECTORS] = bytes(len(members[PART_COUNTS])), b""


def one(members):
    members[PART_COUNTS] = (1).to_bytes(4, "little") + members[PART_COUNTS][4:]


def not_finite(members):
    members[PART_VECTORS] = b"\xff" * 1536 + members[PART_VECTORS][1536:]


def endless(members):
    members[PART_COUNTS] = b"\xff" * len(members[PART_COUNTS])


def swapped(members):
    """The parts of one passage in another order: their mean is the same."""
    counts = np.frombuffer(members[PART_COUNTS], "<u4")
    rows = np.frombuffer(members[PART_VECTORS], "<f4").reshape(-1, 384)
    ends = np.cumsum(counts)
    members[PART_VECTORS] = b"".join(
        rows[end - count : end][::-1].tobytes() for end, count in zip(ends, counts, strict=True)
    )


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (of_another_passage, "mean of its parts"),
        (more, "mean of its parts"),
        (none_at_all, "--embed"),
        (one, "has 1 parts"),
        (not_finite, "not finite"),
        (endless, "parts"),
        (swapped, "--embed"),
    ],
)
def test_parts_that_are_not_those_of_the_passages_are_refused(whole, everything, forge, reason):
    def edit(members):
        forge(members)
        reseal_members(members)

    with pytest.raises(ArchiveError, match=reason):
        import_snapshot(changed(everything(), edit), slug="copy")


def reseal_members(members) -> None:
    """The manifest's hashes and sizes, made to fit again."""
    import hashlib

    from knowledge.canonical import canonical_json

    manifest = json.loads(members[MANIFEST])
    for name in manifest["members"]:
        manifest["members"][name] = {
            "sha256": hashlib.sha256(members[name]).hexdigest(),
            "bytes": len(members[name]),
        }
    members[MANIFEST] = canonical_json(manifest) + b"\n"


def edit_line(name, old: bytes, new: bytes):
    def edit(members):
        assert old in members[name]
        members[name] = members[name].replace(old, new, 1)
        reseal_members(members)

    return edit


def manifest_edit(**values):
    def edit(members):
        from knowledge.canonical import canonical_json

        members[MANIFEST] = canonical_json(json.loads(members[MANIFEST]) | values) + b"\n"

    return edit


def add_member(name, content=b"x"):
    def edit(members):
        members[name] = content

    return edit


FORGED = {
    "an older format": (manifest_edit(format=2), "format 2"),
    "a newer format": (manifest_edit(format=4), "format 4"),
    "another hash": (manifest_edit(manifest_hash="0" * 64), "manifest hash"),
    "more counted": (manifest_edit(counts=dict.fromkeys(COUNTS_FIELDS, 4)), "more or less"),
    "a field more": (manifest_edit(sql="DROP TABLE"), "other fields"),
    "a path out": (edit_line(TREE, b'"path":"empty.txt"', b'"path":"../empty.txt"'), "no path"),
    "an absolute path": (edit_line(TREE, b'"path":"empty.txt"', b'"path":"/empty.txt"'), "no path"),
    "a path that looks like another": (
        edit_line(TREE, b'"path":"empty.txt"', b'"path":"empty\xe2\x80\xae.txt"'),
        "no path",
    ),
    "a path twice": (edit_line(TREE, b'"path":"guide.md"', b'"path":"empty.txt"'), "not in order"),
    "an id": (edit_line(CHUNKS, b'"kind":"', b'"id":1,"kind":"'), "other fields"),
    "another quote": (edit_line(CHUNKS, b"installer twice", b"installer once!"), "not what its file says"),
    "a text changed": (edit_line(NODES, b"installer twice", b"installer once!"), "not what its file says"),
    "a title changed": (edit_line(NODES, b'"title":"Install"', b'"title":"Uninstall"'), "other sections"),
    "a number that is text": (edit_line(NODES, b'"level":1', b'"level":"1"'), "another kind"),
    "a negative number": (edit_line(CHUNKS, b'"char_start":9', b'"char_start":-9'), "out of range"),
    "a huge number": (edit_line(NODES, b'"level":1', b'"level":99999999999'), "out of range"),
    "no number": (edit_line(NODES, b'"level":1', b'"level":NaN'), "not JSON"),
    "white space": (edit_line(NODES, b'"level":1', b'"level": 1'), "not written"),
    "a zero byte": (edit_line(NODES, b'"title":"Install"', b'"title":"Inst\\u0000ll"'), "zero byte"),
    "half a surrogate": (edit_line(NODES, b'"title":"Install"', b'"title":"Inst\\ud800ll"'), "not JSON"),
    "nested deeply": (edit_line(NODES, b'"aliases":[]', b'"aliases":' + b"[" * 100_000), "not JSON"),
    "a member more": (add_member("../../etc/passwd"), "not those"),
    "an original more": (add_member("originals/" + "f" * 64), "not those"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_archive_is_refused_and_leaves_nothing(exported, name):
    edit, reason = FORGED[name]
    before = FileVersion.objects.count(), Snapshot.objects.count(), Embedding.objects.count()
    with pytest.raises(ArchiveError, match=reason):
        import_snapshot(changed(exported(), edit), slug="copy")
    assert (FileVersion.objects.count(), Snapshot.objects.count(), Embedding.objects.count()) == before


FORGED_WHOLE = {
    "a summary of no section": (edit_line(SUMMARIES, b'"section":0', b'"section":9'), "of no section"),
    "a summary by another method": (edit_line(SUMMARIES, b"extract-2", b"section_v1/m"), "another method"),
    "an endless summary": (edit_line(SUMMARIES, b'"text":"', b'"text":"' + b"word " * 5000), "too long"),
    "another summary": (edit_line(SUMMARIES, b'"text":"', b'"text":"No zebra pays. '), "--embed"),
    "a symbol beyond its file": (edit_line(SYMBOLS, b'"line_end":', b'"line_end":9'), "not inside"),
    "a symbol of no name": (edit_line(SYMBOLS, b'"name":"Base"', b'"name":null'), "another kind"),
    "a reference beyond its file": (edit_line(REFERENCES, b'"line":', b'"line":99'), "not inside"),
    "a reference of no symbol": (edit_line(REFERENCES, b'"symbol":null', b'"symbol":77'), "not inside"),
    "a symbol less": (edit_line(SYMBOLS, b"\n", b""), "not JSON|not written"),
    "a box that is none": (edit_line(CHUNKS, b'"box":[', b'"box":["a",'), "box"),
    "a box without end": (edit_line(CHUNKS, b'"box":[', b'"box":[1e999,'), "not written"),
    "a link of another kind": (edit_line(TREE, b'["contents"', b'["steals"'), "no kind"),
    "a link at no line": (edit_line(TREE, b'["contents",6', b'["contents",0'), "link is none"),
    "a section that is not there": (edit_line(TREE, b'"title":"Install"', b'"title":"Invoice"'), "other sections"),
    "vectors of code turned": (lambda members: turn(members, CODE_VECTORS, 32), "--embed"),
}


def turn(members, name: str, dimension: int) -> None:
    """The rows of a member of vectors, in another order."""
    rows = members[name]
    members[name] = rows[dimension * 4 :] + rows[: dimension * 4]
    reseal_members(members)


@pytest.mark.parametrize("name", FORGED_WHOLE)
def test_what_is_forged_beside_the_text_is_refused_and_leaves_nothing(everything, name):
    edit, reason = FORGED_WHOLE[name]
    before = FileVersion.objects.count(), Snapshot.objects.count(), SectionSummary.objects.count()
    with pytest.raises(ArchiveError, match=reason):
        import_snapshot(changed(everything(), edit), slug="copy")
    assert (FileVersion.objects.count(), Snapshot.objects.count(), SectionSummary.objects.count()) == before


def test_withdrawn_files_travel_only_if_somebody_says_so(handbook, exported, tmp_path):
    document = handbook.document_files.order_by("path").first()
    withdraw(document, None, "wrong")
    target = tmp_path / "withdrawn.zip"
    with pytest.raises(CommandError, match="withdrawn"):
        call_command("export_snapshot", "handbook", output=target)
    assert not target.exists()
    call_command("export_snapshot", "handbook", output=target, withdrawn=True)
    assert target.exists()


def test_what_was_taken_out_of_a_library_does_not_come_back_with_an_archive(exported):
    Library.objects.create(slug="copy", name="Copy", kind="archive", unindexed=["guide.md"])
    with pytest.raises(ArchiveError, match="taken out"):
        import_snapshot(exported(), slug="copy")
    assert not Snapshot.objects.filter(library__slug="copy").exists()


def test_what_was_erased_and_let_in_again_comes_back_with_its_archive(exported):
    path = exported()
    first = import_snapshot(path, slug="copy")
    copy = Library.objects.get(slug="copy")
    erase(copy.document_files.get(path="guide.md"), None, "asked for")
    with pytest.raises(ArchiveError, match="taken out"):
        import_snapshot(path, slug="copy")
    call_command("unindex", "guide", "--library", "copy", "--restore", "--yes")
    restore(copy.document_files.get(path="guide.md"), None)
    again = import_snapshot(path, slug="copy")
    assert not again.known and again.manifest_hash == first.manifest_hash
    assert copy.snapshots.get(number=again.snapshot).files.count() == again.files == len(FILES)
    assert all_checks_hold() and import_snapshot(path, slug="copy").snapshot == again.snapshot


def test_an_archive_of_a_newer_version_is_refused(handbook, exported, monkeypatch):
    path = exported()
    monkeypatch.setattr("ingestion.archive.reading.PARSER_VERSION", 0)
    with pytest.raises(ArchiveError, match="upgrade"):
        import_snapshot(path, slug="copy")


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(exported):
    path = exported()
    with pytest.raises(ArchiveError, match="unpacked it has"), open_archive(path, largest=1000):
        pass
    bomb = changed(exported(), add_member(CHUNKS, b" " * 50_000_000))
    with pytest.raises(ArchiveError):
        import_snapshot(bomb, slug="copy")


def test_an_archive_that_may_not_be_read_is_not_called_damaged(exported, monkeypatch):
    def refused(*args: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = exported()
    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(ArchiveError, match=r"zip cannot be read: Permission denied"):
        import_snapshot(path)


def test_every_byte_of_an_archive_counts(make_library, tmp_path):
    library = make_library("tiny", {"a.md": "# A\n\nText.\n"})
    reindex(library)
    path = tmp_path / "tiny.zip"
    export_snapshot(library.active_snapshot, path, vectors=False, with_originals=True)
    content = path.read_bytes()

    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x20]) + content[place + 1 :])
        with pytest.raises(ArchiveError), open_archive(path) as archive:
            archive.check()
    for size in range(0, len(content), 7):
        path.write_bytes(content[:size])
        with pytest.raises(ArchiveError), open_archive(path) as archive:
            archive.check()
    path.write_bytes(content)
    with open_archive(path) as archive:
        archive.check()


def test_a_mutated_archive_is_refused_or_says_the_same(everything):
    from benchmarks.fuzz_archives import fuzz

    report = fuzz(everything(), mutations=300, seed=5)
    assert report["mutations"] == 300 and report["violations"] == []


@pytest.mark.parametrize(
    ("chosen", "access", "said"),
    [
        ([], "groups", "its members and its groups read it (access: groups)"),
        (["--access", "public"], "public", "everyone reads it (access: public)"),
    ],
)
def test_an_imported_library_is_closed_unless_it_is_opened(exported, capsys, chosen, access, said):
    anna = User.objects.create_user("anna")
    call_command("import_snapshot", str(exported()), "--library", "copy", *chosen)
    told = capsys.readouterr().out
    assert f"nobody sees it yet: manage.py activate copy 1; then {said}" in told
    copy = Library.objects.get(slug="copy")
    assert copy.access == access
    assert (copy in Library.objects.readable_by(anna)) is (access == "public")


def test_no_build_is_advised_where_only_an_archive_brings_a_newer_snapshot(exported, settings, capsys):
    import_snapshot(exported(), slug="copy")
    activate(copy := Library.objects.get(slug="copy"), copy.snapshots.get())
    settings.EMBEDDING_QUERY_PREFIX = "query: "
    call_command("snapshots", "copy")
    said = capsys.readouterr().out
    assert "the query prefix" in said and "reindex" not in said and "only another archive" in said

    copy.snapshots.update(space=EmbeddingSpace.objects.create(model="other", dimension=3, max_tokens=99, canaries=[]))
    to_do = {one.name: one.to_do for one in examine_spaces()}
    assert to_do["vectors of copy"] == "set EMBEDDING_URL to that model"


def test_the_commands(handbook, tmp_path, capsys):
    path = str(tmp_path / "out.zip")
    call_command("export_snapshot", "handbook", "--vectors", "--originals", "--output", path, "--json")
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert not said.err
    assert told["manifest_hash"] == handbook.active_snapshot.manifest_hash and told["counts"]["files"] == 4
    call_command("export_snapshot", "handbook", "--snapshot", "1", "--output", path)
    said = capsys.readouterr()
    assert "manifest hash" in said.out and said.err == f"replaced {path}\n"
    call_command("import_snapshot", path, "--library", "copy", "--json")
    assert json.loads(capsys.readouterr().out)["manifest_hash"] == told["manifest_hash"]
    call_command("import_snapshot", path, "--library", "copy")
    assert "was there already" in capsys.readouterr().out
    call_command("activate", "copy", "1")
    with pytest.raises(CommandError, match="into a file") as refused:
        call_command("export_snapshot", "handbook", "--output", "-")
    assert refused.value.returncode == 2
    for arguments in (
        ["export_snapshot", "nowhere", "--output", path],
        ["export_snapshot", "handbook", "--snapshot", "9", "--output", path],
        ["export_snapshot", "handbook", "--output", "/nowhere/x.zip"],
        ["import_snapshot", "/nowhere.zip"],
        ["import_snapshot", str(tmp_path)],
        ["import_snapshot", __file__],
        ["import_snapshot", path, "--library", "not a slug"],
    ):
        with pytest.raises(CommandError) as refused:
            call_command(*arguments)
        assert ("is a directory" in str(refused.value)) == (str(tmp_path) in arguments)


def test_an_export_removes_what_a_killed_one_left_and_no_other(indexed, tmp_path):
    library, output = indexed("one", {"a.md": "# A\n"}), tmp_path / "x[1].zip"
    drafts = (".x[1].zip-draft-abcdefgh", ".x[1].zip-draft-stillnew", ".x1.zip-draft-abcdefgh")
    names = (*drafts, ".x[1].zip-20261101")
    killed, written, another, mine = files = [tmp_path / name for name in names]
    for draft in files:
        draft.write_text("the texts")
        if draft != written:
            os.utime(draft, (0, 0))
    export_snapshot(library.active_snapshot, output)
    assert output.exists() and not killed.exists()
    assert written.exists() and another.exists() and mine.exists()
