"""Files that people bring: every accepted one has a version or a recorded rejection, and nothing leads out."""

import hashlib
import io
import json
import stat
import struct
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from ingestion.collecting import drop_snapshots
from ingestion.erasing import erase
from ingestion.unindexing import unindex
from ingestion.uploads import Brought, accept, archive, remove, request_build, wants_build
from ingestion.uploads.accept import IN_TRASH, TAKEN_OUT, NotForUploads
from ingestion.uploads.brought import fault_of
from ingestion.uploads.names import Refused, kept_path
from ingestion.uploads.outcomes import with_outcomes
from knowledge.governance import withdrawal
from knowledge.governance.activation import rollback
from knowledge.models import AuditEvent, FileVersion, Job, Library, Upload
from knowledge.models.upload import is_wanted
from knowledge.storage import locks, originals
from knowledge.verification import files as verified
from knowledge.verification import run_checks
from tests.conftest import all_checks_hold, begun_elsewhere, reindex
from tests.ingestion.conftest import A, B

Files = dict[str, str | bytes]


@pytest.fixture
def shelf(db) -> Library:
    return Library.objects.create(slug="shelf", name="Shelf", kind="uploads", access="public")


@pytest.fixture
def bring(tmp_path: Path) -> Callable[..., list[Brought]]:
    def make(files: Files) -> list[Brought]:
        brought = []
        for number, (name, content) in enumerate(files.items()):
            path = tmp_path / f"brought-{number}"
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            size = path.stat().st_size
            brought.append(Brought(name, path, size, fault_of(size, name.endswith(".zip"))))
        return brought

    return make


def zipped(files: Files, **options: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def texts(library: Library) -> dict[str, str]:
    return dict(library.active_snapshot.files.values_list("document_file__path", "file_version__text"))


def test_an_original_that_is_gone_makes_no_new_snapshot_each_time_and_is_read_when_it_is_back(shelf, bring):
    accept(shelf, bring({"a.md": A, "b.md": B}), None)
    lost = originals.path_of(Upload.objects.get(path="b.md").sha256)
    kept = lost.read_bytes()
    lost.unlink()
    first = reindex(shelf)
    assert [file["path"] for file in first.rejected] == ["b.md"] and reindex(shelf).snapshot == first.snapshot

    lost.write_bytes(kept)
    assert reindex(shelf).snapshot != first.snapshot and texts(shelf) == {"a.md": A, "b.md": B}


def test_a_lost_or_damaged_original_is_named_and_mended_by_bringing_its_file_again(shelf, bring):
    accept(shelf, bring({"a.md": A, "b.md": B}), None)
    reindex(shelf)
    lost, damaged = (originals.path_of(Upload.objects.get(path=path).sha256) for path in ("a.md", "b.md"))
    lost.unlink()
    damaged.write_text("forged")
    reindex(shelf, force=True)
    [check] = [check for check in run_checks(deep=True) if not check.ok]
    assert sorted(check.examples) == sorted(
        f"original {path.name} of shelf: {name}; upload it again" for path, name in ((lost, "a.md"), (damaged, "b.md"))
    )

    accept(shelf, bring({"a.md": A, "b.md": B}), None)
    assert texts(shelf) == {"a.md": A, "b.md": B} and all_checks_hold()


def test_uploads_are_read_in_like_any_other_source(shelf, bring):
    receipt = accept(shelf, bring({"a.md": A, "sub/b.md": B}), None)
    assert receipt.added == ["a.md", "sub/b.md"]
    report = reindex(shelf)

    assert texts(shelf) == {"a.md": A, "sub/b.md": B} and report.active
    assert reindex(shelf).snapshot == 1
    assert originals.intact(Upload.objects.get(path="a.md").sha256)


def test_a_file_is_replaced_and_its_history_stays(shelf, bring, reader):
    accept(shelf, bring({"a.md": A}), reader)
    reindex(shelf)
    receipt = accept(shelf, bring({"a.md": B}), reader)
    assert receipt.replaced == ["a.md"] and accept(shelf, bring({"a.md": B}), reader).unchanged == ["a.md"]
    reindex(shelf)

    assert texts(shelf) == {"a.md": B} and shelf.uploads.count() == 2
    assert shelf.uploads.get(ended_at__isnull=False).ended_by == reader


def test_the_audit_has_one_event_for_what_was_brought_at_once(shelf, bring, reader):
    accept(shelf, bring({"a.md": A, "b.md": B}), reader)
    accept(shelf, bring({"a.md": A}), reader)  # nothing new
    accept(shelf, bring({"a.md": B}), reader)
    remove(shelf, ["a.md", "b.md", "gone.md"], reader)
    events = AuditEvent.objects.filter(library="shelf", action__startswith="files.").order_by("number")
    assert [(event.action, event.path, event.details) for event in events] == [
        ("files.upload", "", {"added": 2, "replaced": 0}),
        ("files.upload", "a.md", {"added": 0, "replaced": 1}),
        ("files.remove", "", {"removed": 2}),
    ]
    assert events.last().actor == "reader"


def test_the_last_file_may_be_removed(shelf, bring):
    accept(shelf, bring({"a.md": A}), None)
    reindex(shelf)
    assert remove(shelf, ["a.md", "none.md"], None) == 1
    reindex(shelf)

    assert texts(shelf) == {} and shelf.active_snapshot.number == 2


def test_a_file_that_no_parser_can_read_is_a_recorded_rejection_and_verify_agrees(shelf, bring):
    accept(shelf, bring({"a.md": A, "bad.pdf": b"not a PDF", "nul.md": b"\0\0"}), None)
    report = reindex(shelf)

    assert sorted(file["path"] for file in report.rejected) == ["bad.pdf", "nul.md"]
    assert verified.originals(True).failed == 0 and verified.uploads().checked == 3


def test_verify_finds_an_upload_that_became_nothing_and_an_original_that_is_gone(shelf, bring):
    accept(shelf, bring({"a.md": A}), None)
    reindex(shelf)
    row = Upload.objects.get()
    lost = Upload.objects.create(library=shelf, path="lost.md", sha256="0" * 64, size=1)
    Upload.objects.filter(pk=lost.pk).update(uploaded_at=row.uploaded_at)
    assert verified.uploads().failed == 1 and verified.originals(False).failed == 2


@pytest.mark.parametrize(
    ("options", "holes"), [({"paths": ["b.md"]}, 0), ({"paths": []}, 1), ({"paths": None}, 1), ({"force": True}, 1)]
)
def test_only_a_build_of_all_there_is_has_to_have_seen_an_upload(shelf, bring, options, holes):
    accept(shelf, bring({"a.md": A, "b.md": B}), None)
    reindex(shelf)
    accept(shelf, bring({"late.md": A}), None)
    Job.objects.create(library=shelf, state="succeeded", started_at=timezone.now(), options=options)
    assert verified.uploads().failed == holes


def test_patterns_that_change_later_leave_a_rejection_and_no_hole(shelf, bring):
    accept(shelf, bring({"a.md": A, "drafts/b.md": B}), None)
    Library.objects.filter(pk=shelf.pk).update(exclude=["drafts"])
    report = reindex(shelf)

    assert [file["reason"] for file in report.rejected] == ["the library's patterns leave it out"]
    assert verified.uploads().failed == 0


def test_patterns_that_change_take_out_what_was_read_and_let_it_in_again(shelf, bring):
    accept(shelf, bring({"a.md": A, "drafts/b.md": B}), None)
    reindex(shelf)
    Library.objects.filter(pk=shelf.pk).update(exclude=["drafts"])
    report = reindex(shelf)
    assert report.active and texts(shelf) == {"a.md": A}
    assert [file["path"] for file in report.rejected] == ["drafts/b.md"] and all_checks_hold()
    assert [outcome.state for outcome in with_outcomes(shelf, shelf.uploads.current())] == ["ready", "rejected"]
    assert reindex(shelf).snapshot == report.snapshot

    Library.objects.filter(pk=shelf.pk).update(exclude=[])
    assert reindex(shelf).active and texts(shelf) == {"a.md": A, "drafts/b.md": B} and all_checks_hold()


def test_a_file_that_waits_and_was_taken_out_since_is_told_as_taken_out(shelf, bring):
    Library.objects.filter(pk=shelf.pk).update(requires_review=True)
    accept(shelf, bring({"a.md": A}), None)
    reindex(shelf)
    Library.objects.filter(pk=shelf.pk).update(unindexed=["a.md"])
    shelf.refresh_from_db()
    assert [outcome.state for outcome in with_outcomes(shelf, shelf.uploads.current())] == ["taken out"]


def test_a_file_that_was_taken_out_leaves_no_hole_when_its_versions_are_collected(shelf, bring):
    accept(shelf, bring({"a.md": A, "b.md": B}), None)
    reindex(shelf)
    unindex(shelf, "^b")
    reindex(shelf)
    drop_snapshots(shelf, shelf.snapshots.filter(number=1))
    FileVersion.objects.filter(memberships=None).delete()
    assert verified.uploads().failed == 0


def test_patterns_that_are_refused_by_now_take_no_files_and_say_so(shelf, bring):
    """They were stored before."""
    shelf.include = ["[" * 1_001]
    with pytest.raises(NotForUploads, match=r"shelf takes no files until its patterns are mended: .* 1,001 characters"):
        accept(shelf, bring({"a.md": "# A\n"}), None)


def test_what_was_taken_out_of_the_library_is_not_taken_in_again_unseen(shelf, bring):
    Library.objects.filter(pk=shelf.pk).update(unindexed=["a.md"])
    shelf.refresh_from_db()
    assert "taken out" in accept(shelf, bring({"a.md": A}), None).refused["a.md"]
    assert not shelf.uploads.exists()


def test_over_a_file_in_the_trash_nothing_is_taken_until_it_is_restored(shelf, bring):
    accept(shelf, bring({"a.md": A}), None)
    reindex(shelf)
    document = shelf.document_files.get()
    withdrawal.trash(document, None, "wrong")
    receipt = accept(shelf, bring({"a.md": B, "b.zip": zipped({"a.md": B, "c.md": B})}), None)
    assert receipt.added == ["c.md"] and receipt.refused == {"a.md": IN_TRASH}

    withdrawal.restore(document, None)
    assert accept(shelf, bring({"a.md": B}), None).replaced == ["a.md"]


@pytest.mark.parametrize("act", ["erase", "trash"])
def test_an_upload_is_judged_by_the_library_as_it_is_when_its_files_are_there(
    shelf, bring, act, django_capture_on_commit_callbacks
):
    accept(shelf, bring({"a.md": A}), None)
    reindex(shelf)
    stale, document = Library.objects.get(pk=shelf.pk), shelf.document_files.get()

    def meanwhile():
        erase(document, None, "asked for") if act == "erase" else withdrawal.trash(document, None, "wrong")
        yield from bring({"a.md": A, "b.md": B})

    with django_capture_on_commit_callbacks(execute=True):
        receipt = accept(stale, meanwhile(), None)
    assert receipt.refused == {"a.md": TAKEN_OUT if act == "erase" else IN_TRASH}
    assert receipt.added == ["b.md"] and not receipt.unchanged
    assert originals.intact(hashlib.sha256(A.encode()).hexdigest()) == (act == "trash")


def test_a_library_that_is_removed_while_files_are_brought_takes_none(shelf, bring):
    stale = Library.objects.get(pk=shelf.pk)
    shelf.delete()
    with pytest.raises(NotForUploads, match="shelf was removed"):
        accept(stale, bring({"a.md": A}), None)
    with pytest.raises(NotForUploads, match="shelf was removed"):
        remove(stale, ["a.md"], None)


def test_files_that_could_never_be_read_are_refused_at_once(shelf, bring):
    Library.objects.filter(pk=shelf.pk).update(exclude=["drafts"])
    shelf.refresh_from_db()
    receipt = accept(shelf, bring({"x.exe": b"MZ", "noext": b"MZ", "drafts/a.md": A, "ok.md": A}), None)

    assert receipt.refused == {
        "x.exe": "files with this suffix are not read",
        "noext": "its name has no ending that says what it is: add one, as .txt or .md",
        "drafts/a.md": "the library's patterns leave it out",
    }
    assert [row.path for row in Upload.objects.all()] == ["ok.md"]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a.md", "a.md"),
        ("docs\\b.md", "docs/b.md"),
        ("./x//y.md", "x/y.md"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        (" a b.md ", "a b.md"),
    ],
)
def test_names_are_kept_in_one_spelling(name, path):
    assert kept_path(name) == path


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/passwd.md",
        "../a.md",
        "a/../../b.md",
        "..\\a.md",
        "C:\\a.md",
        "pay\u202edm.exe.md",
        "c:a.md",
        "\\\\server\\share.md",
        "a\nb.md",
        "a\0b.md",
        "a\u2028b.md",
        "\ud800.md",
        ".git/config.md",
        "x/.hidden.md",
        "__MACOSX/._a.md",
        "thumbs.db",
        "a/Desktop.ini",
        "d/" * 600 + "a.md",
        "folder/",
        "..",
    ],
)
def test_names_that_lead_elsewhere_or_cannot_be_shown_are_refused(name):
    with pytest.raises(Refused):
        kept_path(name)


def test_unicode_twins_are_one_file_and_the_second_is_refused(shelf, bring):
    receipt = accept(shelf, bring({"caf\u00e9.md": A, "cafe\u0301.md": B}), None)

    assert receipt.added == ["caf\u00e9.md"] and list(receipt.refused.values()) == [
        "another file of this upload has the same path"
    ]


def test_case_twins_are_two_files(shelf, bring):
    assert accept(shelf, bring({"A.md": A, "a.md": B}), None).added == ["A.md", "a.md"]
    reindex(shelf)
    assert texts(shelf) == {"A.md": A, "a.md": B}


# --- zips ------------------------------------------------------------------------------------------


def test_a_zip_keeps_its_paths_and_leaves_out_what_is_not_meant(shelf, bring):
    content = zipped({"docs/": "", "docs/a.md": A, "docs/sub/b.md": B, "__MACOSX/._a.md": "x", "pic.exe": "x"})
    receipt = accept(shelf, bring({"all.zip": content}), None)

    assert receipt.added == ["docs/a.md", "docs/sub/b.md"]
    assert set(receipt.refused) == {"__MACOSX/._a.md", "pic.exe"}


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "a/../../evil.md", "..\\evil.md", "C:\\evil.md"])
def test_paths_out_of_a_zip_are_refused(shelf, bring, name):
    receipt = accept(shelf, bring({"x.zip": zipped({name: A, "ok.md": B})}), None)

    assert receipt.added == ["ok.md"] and len(receipt.refused) == 1


def zipped_under(name: bytes, extra: bytes = b"") -> bytes:
    """One file under a name that is not marked as UTF-8, with an extra field."""
    member = zipfile.ZipInfo("x" * len(name))
    member.extra = extra
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        packed.writestr(member, A)
    return target.getvalue().replace(member.filename.encode(), name)


def unicode_path(name: bytes, meant: str, version: int = 1) -> bytes:
    field = struct.pack("<BL", version, zlib.crc32(name)) + meant.encode()
    return struct.pack("<HHB", 0x9999, 1, 0) + struct.pack("<HH", 0x7075, len(field)) + field


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (zipped_under("Übersicht/Größe.md".encode()), "Übersicht/Größe.md"),
        (zipped_under("Größe.md".encode("cp437")), "Größe.md"),
        (zipped_under("Über Größen für Früchte.md".encode("cp437")), "Über Größen für Früchte.md"),
        (zipped_under("20° ±5 ░▒▓ Ω.md".encode("cp437")), "20° ±5 ░▒▓ Ω.md"),
        (zipped_under("Größe.md".encode("cp1252")), "Größe.md"),
        (zipped_under("für élèves – Ärzte.md".encode("cp1252")), "für élèves – Ärzte.md"),
        (zipped_under("informações há.md".encode("cp1252")), "informações há.md"),
        (zipped_under("informações há.md".encode("cp850")), "informações há.md"),
        (zipped_under("não é de São Paulo.md".encode("cp1252")), "não é de São Paulo.md"),
        (zipped_under("São Paulo.md".encode("cp850")), "São Paulo.md"),
        (zipped_under("leões, rød grød.md".encode("cp850")), "leões, rød grød.md"),
        (zipped_under("xπr.md".encode("cp437")), "xπr.md"),
        (zipped_under("AΩ 5 m² n° 4.md".encode("cp437")), "AΩ 5 m² n° 4.md"),
        (zipped_under(b"Gr__e.md", unicode_path(b"Gr__e.md", "Größe.md")), "Größe.md"),
        (zipped_under(b"Gr__e.md", unicode_path(b"other.md", "Größe.md")), "Gr__e.md"),
        (zipped_under(b"Gr__e.md", unicode_path(b"Gr__e.md", "Größe.md", version=2)), "Gr__e.md"),
        (zipped_under(b"Gr__e.md", unicode_path(b"Gr__e.md", "Größe.md")[:-3]), None),
    ],
)
def test_a_name_in_a_zip_is_read_as_it_was_meant(bring, content, path):
    (found,) = members_of(content, bring)
    assert (found == (path, A.encode())) if path else isinstance(found[1], Refused)


@pytest.mark.parametrize("meant", ["../Größe.md", "/etc/größe.md", "a/../../ö.md", "größe.zip", "ö\0.md"])
def test_what_a_name_in_a_zip_was_meant_to_be_is_checked(bring, meant):
    (found,) = members_of(zipped_under(b"ok.md", unicode_path(b"ok.md", meant)), bring)
    assert isinstance(found[1], Refused)


def test_a_zip_with_a_member_without_a_name_is_refused_there(bring):
    (found,) = members_of(zipped_under(b"\0bc.md"), bring)
    assert isinstance(found[1], Refused)


def test_symbolic_links_and_devices_in_a_zip_are_refused(shelf, bring):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, kind in (("link.md", stat.S_IFLNK), ("pipe.md", stat.S_IFIFO)):
            member = zipfile.ZipInfo(name)
            member.external_attr = (kind | 0o777) << 16
            archive.writestr(member, "/etc/passwd")
    receipt = accept(shelf, bring({"x.zip": target.getvalue()}), None)

    assert receipt.refused == {"link.md": "it is a symbolic link", "pipe.md": "it is not a regular file"}


def test_archives_within_archives_and_encrypted_members_are_refused(shelf, bring):
    inner = zipped({"a.md": A})
    plain = bytearray(zipped({"secret.md": A}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        plain[plain.index(signature) + offset] |= 1
    receipt = accept(shelf, bring({"x.zip": zipped({"y.zip": inner, "z.tar.gz": b"x"}), "e.zip": bytes(plain)}), None)

    assert {path: reason.split(";")[0] for path, reason in receipt.refused.items()} == {
        "y.zip": "it is an archive within an archive",
        "z.tar.gz": "it is an archive within an archive",
        "secret.md": "it is encrypted",
    }
    assert not receipt.added


def test_a_bomb_is_refused_whole_by_ratio_count_and_size(shelf, bring, monkeypatch, settings):
    bomb = zipped({"ok.md": A, "zeros.md": b"\0" * 30_000_000})
    assert "looks like a bomb" in accept(shelf, bring({"x.zip": bomb}), None).refused["x.zip"]
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    many = zipped({f"{n}.md": A for n in range(4)})
    assert "at most 3" in accept(shelf, bring({"x.zip": many}), None).refused["x.zip"]
    monkeypatch.setattr(archive, "MOST_MEMBERS", 100)
    settings.UPLOAD_MAX_MB = 1
    large = zipped({f"{n}.md": bytes(range(256)) * 1600 for n in range(3)})
    assert "at most 1,048,576" in accept(shelf, bring({"x.zip": large}), None).refused["x.zip"]

    assert not Upload.objects.exists()


@pytest.mark.parametrize(("limit", "value"), [("MOST_MEMBERS", 1), ("LARGEST_DIRECTORY", 150)])
def test_the_directory_of_a_zip_is_not_loaded_where_it_is_too_large(shelf, bring, monkeypatch, limit, value):
    many = zipped({f"{n}.md": A for n in range(4)})
    monkeypatch.setattr(archive, limit, value)
    monkeypatch.setattr(archive.zipfile, "ZipFile", lambda _: pytest.fail("loaded"))
    assert "at most" in accept(shelf, bring({"x.zip": many}), None).refused["x.zip"]


def test_a_zip_of_the_large_kind_is_read(shelf, bring, monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    large = zipped({"a.md": A, "b.md": B})
    assert b"PK\x06\x06" in large and accept(shelf, bring({"x.zip": large}), None).added == ["a.md", "b.md"]


def test_members_that_share_their_bytes_are_refused(shelf, bring):
    """Fifield's bomb: many entries in the directory, one kernel in the file."""
    content = zipped({"a.md": A, "b.md": A})
    directory = content.index(b"PK\x01\x02")
    second = content.index(b"PK\x01\x02", directory + 4)
    overlapping = bytearray(content)
    overlapping[second + 42 : second + 46] = struct.pack("<I", 0)

    assert "overlap" in accept(shelf, bring({"x.zip": bytes(overlapping)}), None).refused["x.zip"]


def test_a_member_that_is_larger_or_smaller_than_it_says_is_refused(shelf, bring):
    for said in (5, 500):
        lying = bytearray(zipped({"a.md": A * 10}))
        for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            place = lying.index(signature) + offset
            lying[place : place + 4] = struct.pack("<I", said)
        assert "damaged" in accept(shelf, bring({"x.zip": bytes(lying)}), None).refused["a.md"]


def test_a_zip_whose_lzma_is_damaged_is_refused(shelf, bring):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_LZMA) as opened:
        opened.writestr("a.md", A * 50)
    content = whole.getvalue()
    start = content.index(b"a.md") + 4
    for place in range(start, start + 20):
        torn = bytearray(content)
        torn[place] ^= 0xFF
        assert "damaged" in accept(shelf, bring({"x.zip": bytes(torn)}), None).refused.get("a.md", "damaged")


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", zipped({"a.md": A})[:-30]])
def test_a_damaged_zip_is_refused(shelf, bring, content):
    assert "damaged" in accept(shelf, bring({"x.zip": content}), None).refused["x.zip"]


def test_every_byte_of_a_zip_flipped_is_an_outcome_and_never_an_error(shelf, bring):
    content = zipped({"a.md": A})
    for place in range(len(content)):
        flipped = bytearray(content)
        flipped[place] ^= 0xFF
        for _, member in [*members_of(bytes(flipped), bring)]:
            assert isinstance(member, Refused | bytes)


def members_of(content: bytes, bring):
    try:
        yield from archive.unpacked(bring({"x.zip": content})[0].content, 10_000_000)
    except Refused as reason:
        yield "x.zip", reason


def test_a_file_over_the_limit_is_refused_by_name(shelf, bring, monkeypatch):
    monkeypatch.setattr("ingestion.uploads.brought.MAX_FILE_BYTES", 10)
    receipt = accept(shelf, bring({"a.md": A, "b.md": "# B\n"}), None)

    assert receipt.added == ["b.md"] and "the most that a file may have" in receipt.refused["a.md"]


# --- builds ------------------------------------------------------------------------------------------


def test_uploads_share_one_waiting_job(shelf, bring, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        first = request_build(shelf, None)
        assert request_build(shelf, None) == first
    first.take()
    second = request_build(shelf, None)
    assert second != first  # it has listed its files already
    second.pause()
    assert request_build(shelf, None) != second  # who knows when somebody resumes it


def test_other_libraries_take_no_uploads(make_library, bring):
    library = make_library("sea", {"a.md": A})
    with pytest.raises(NotForUploads, match="read from a folder on the server"):
        accept(library, bring({"a.md": A}), None)


def test_the_command_brings_folders_and_zips_and_reads_them_in(db, tmp_path, capsys):
    call_command("add_library", "shelf", "--uploads", "--access", "public")
    assert "manage.py upload shelf" in capsys.readouterr().out
    (tmp_path / "docs/sub").mkdir(parents=True)
    (tmp_path / "docs/sub/a.md").write_text(A)
    (tmp_path / "docs/link.md").symlink_to("/etc/passwd")
    (tmp_path / "more.zip").write_bytes(zipped({"b.md": B}))
    call_command("upload", "shelf", str(tmp_path / "docs"), str(tmp_path / "more.zip"))
    assert "+ docs/sub/a.md\n" in (said := capsys.readouterr().out).replace("+ b.md\n", "") and "snapshot 1" in said

    library = Library.objects.get()
    assert texts(library) == {"docs/sub/a.md": A, "b.md": B}
    call_command("upload", "shelf", "b.md", "--remove", "--queue", "--json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["removed"] == 1 and Job.objects.get(pk=printed["job"]).state == Job.State.QUEUED


def test_the_command_says_that_it_was_given_no_file(shelf, tmp_path, capsys):
    (tmp_path / "docs").mkdir()
    (tmp_path / "more.zip").write_bytes(zipped({}))
    for brought in ("docs", "more.zip"):
        call_command("upload", "shelf", str(tmp_path / brought))
        assert capsys.readouterr().out == "there is no file in it\n"


def test_what_the_command_brought_while_a_build_ran_is_read_when_it_is_brought_again(shelf, tmp_path):
    (tmp_path / "a.md").write_text(A)
    with connection.copy().cursor() as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [locks.BUILD, shelf.pk])
        with pytest.raises(CommandError, match="a build of shelf is running"):
            call_command("upload", "shelf", str(tmp_path / "a.md"))
        other.execute("SELECT pg_advisory_unlock(%s, %s)", [locks.BUILD, shelf.pk])
        other.connection.close()
    call_command("upload", "shelf", str(tmp_path / "a.md"))
    shelf.refresh_from_db()
    assert texts(shelf) == {"a.md": A}
    call_command("upload", "shelf", str(tmp_path / "a.md"))
    assert Job.objects.filter(state=Job.State.SUCCEEDED).count() == 1


def test_what_was_settled_is_not_unread(shelf, bring):
    """A rejected file, one that waits for review and one that was rolled back ask for no build."""
    accept(shelf, bring({"a.md": A}), None)
    reindex(shelf)
    receipt = accept(shelf, bring({"a.md": A, "bad.pdf": "no", "new.md": B}), None)
    assert wants_build(shelf, receipt)
    reindex(shelf)
    rollback(shelf)
    assert not wants_build(shelf, accept(shelf, bring({"a.md": A, "bad.pdf": "no", "new.md": B}), None))
    shelf.requires_review = True
    shelf.save()
    accept(shelf, bring({"late.md": B}), None)
    reindex(shelf)
    assert not wants_build(shelf, accept(shelf, bring({"late.md": B}), None))


def test_the_command_says_what_is_wrong(shelf, make_library, tmp_path):
    (tmp_path / "x.exe").write_text("x")
    for arguments, reason in (
        (["nowhere", "x"], "no such library"),
        (["shelf", "/nowhere.md"], "No such file"),
        (["shelf", str(tmp_path / "x.exe")], "not taken: x.exe"),
        (["shelf", "x", "--remove"], "no such file"),
    ):
        with pytest.raises(CommandError, match=reason):
            call_command("upload", *arguments)
    make_library("sea", {})
    with pytest.raises(CommandError, match="read from a folder on the server"):
        call_command("upload", "sea", str(tmp_path / "x.exe"))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("at", ["ingestion.uploads.accept.record", "ingestion.versions.store"])
def test_an_original_that_is_erased_elsewhere_stays_for_what_brings_it_now(shelf, bring, make_library, monkeypatch, at):
    """Between its being kept and the row that says that it is wanted."""
    monkeypatch.setattr(originals, "PATIENCE", 0)
    sha256 = originals.keep(A.encode())
    module, _, name = at.rpartition(".")
    step, others = getattr(sys.modules[module], name), []

    def meanwhile(*arguments: object) -> None:
        discard = lambda: originals.discard(sha256, is_wanted, 0)  # noqa: E731
        others.append(begun_elsewhere(discard))
        step(*arguments)

    monkeypatch.setattr(sys.modules[module], name, meanwhile)
    if module.endswith("accept"):
        accept(shelf, bring({"a.md": A}), None)
    else:
        reindex(make_library("other", {"a.md": A}))
    others[0].join()
    assert originals.intact(sha256)


@pytest.mark.django_db(transaction=True)
def test_what_waits_to_discard_an_original_holds_up_nobody_who_keeps_one():
    sha256 = originals.keep(A.encode())
    waiting = threading.Thread(target=discarded, args=(sha256,))
    with transaction.atomic():
        originals.hold()
        waiting.start()
        time.sleep(0.3)
        assert waiting.is_alive()
        keeping = begun_elsewhere(held)
        keeping.join(30)
        assert not keeping.is_alive()
    waiting.join()
    assert not originals.intact(sha256)


def discarded(sha256: str) -> None:
    originals.discard(sha256, lambda found: False, 0)
    connection.close()


@transaction.atomic
def held() -> None:
    originals.hold()
