"""Directories that change, vanish or lead elsewhere while they are read."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from ingestion import reading
from ingestion.dry_run import dry_run
from ingestion.loss import SourceEmptied
from ingestion.sources import SourceError, directory
from knowledge.models import Job, JobEvent, Library
from tests.conftest import commit, reindex, write
from tests.ingestion.conftest import A, B

# --- losses -----------------------------------------------------------------------------------------


def test_an_emptied_directory_is_refused_and_the_snapshot_stays(fruit, documents):
    for path in ("a.md", "sub/b.md"):
        (documents / "fruit" / path).unlink()
    with pytest.raises(SourceEmptied, match=r"no file .* is left of the 2 .* manage.py reindex --force fruit"):
        reindex(fruit)
    fruit.refresh_from_db()
    assert fruit.active_snapshot.number == 1 and fruit.snapshots.count() == 1
    with pytest.raises(SourceEmptied):
        reindex(fruit, full=True)

    assert reindex(fruit, force=True).files["removed"] == 2


def test_an_unmounted_directory_is_refused(fruit, documents):
    (documents / "fruit").rename(documents / "elsewhere")
    with pytest.raises(Exception, match="is its disk mounted"):
        reindex(fruit)
    (documents / "fruit").mkdir()
    with pytest.raises(CommandError, match="--force"):
        call_command("reindex", "fruit")
    assert "--force fruit" in Job.objects.first().message


def test_patterns_that_match_nothing_any_more_are_refused(fruit):
    Library.objects.filter(pk=fruit.pk).update(include=["typo/"])
    with pytest.raises(SourceEmptied, match="are the patterns right"):
        reindex(fruit)


def test_files_that_are_there_and_can_all_not_be_read_are_a_loss_too(fruit, documents):
    for path in ("a.md", "sub/b.md"):
        (documents / "fruit" / path).write_bytes(b"\0\0")
    with pytest.raises(SourceEmptied):
        reindex(fruit)
    fruit.refresh_from_db()
    assert fruit.active_snapshot.number == 1


@pytest.mark.parametrize(("gone", "left"), [(8, "4 files are"), (11, "1 file is")])
def test_losing_most_files_is_a_warning_that_names_the_way_back(make_library, documents, gone, left):
    library = make_library("many", {f"{n}.md": A for n in range(12)})
    reindex(library)
    for n in range(gone):
        (documents / f"many/{n}.md").unlink()
    report = reindex(library)

    assert report.active and report.warnings == [
        f"only {left} left of 12; if that is a mistake: manage.py rollback many"
    ]
    assert JobEvent.objects.filter(level="warning", message=report.warnings[0]).exists()


def test_where_most_files_are_lost_in_what_is_not_active_nobody_is_told_to_roll_back(make_library, documents):
    library = make_library("many", {f"{n}.md": A for n in range(12)})
    reindex(library)
    for n in range(9):
        (documents / f"many/{n}.md").unlink()
    for what in ("leave it so", "reject it"):
        report = reindex(library, activate=False)
        assert not report.active and len(report.warnings) == 1
        assert f"3 files are left of 12; it is not active: if that is a mistake, {what}" in report.warnings[0]
        library.requires_review = True
        library.save()


def test_losing_one_of_a_few_is_no_news(fruit, documents):
    (documents / "fruit/a.md").unlink()
    assert reindex(fruit).warnings == []


# --- files that move under the reader -------------------------------------------------------------------


def test_a_file_that_is_written_to_while_it_is_read_is_read_again(make_library, documents, monkeypatch):
    library = make_library("live", {"a.md": A})
    real, reads = directory.os.fstat, []

    def fstat(descriptor):
        reads.append(descriptor)
        if len(reads) == 2:
            write(documents / "live", {"a.md": B + "longer\n"})
        return real(descriptor)

    monkeypatch.setattr(directory.os, "fstat", fstat)
    reindex(library)

    assert library.active_snapshot.files.get().file_version.text == B + "longer\n"


def test_a_file_that_never_stands_still_is_rejected_and_tried_again(make_library, documents, monkeypatch):
    library = make_library("live", {"a.md": A, "log.md": B})
    stats = {"log.md": iter(range(10**6))}
    fstat = directory.os.fstat

    def moving(descriptor):
        found = fstat(descriptor)
        is_log = Path(f"/proc/self/fd/{descriptor}").readlink().name == "log.md"
        return os.stat_result([*found[:6], next(stats["log.md"]), *found[7:10]]) if is_log else found

    monkeypatch.setattr(directory.os, "fstat", moving)
    report = reindex(library)
    assert [(file["path"], file["reason"]) for file in report.rejected] == [
        ("log.md", f"it cannot be read: {directory.CHANGING}")
    ]
    monkeypatch.setattr(directory.os, "fstat", fstat)

    assert reindex(library).files["added"] == 1


def test_a_folder_that_becomes_a_link_out_between_listing_and_reading_is_not_followed(
    make_library, documents, tmp_path, monkeypatch
):
    library = make_library("sly", {"a.md": A, "sub/b.md": B})
    outside = tmp_path / "outside"
    write(outside, {"b.md": "# Secret\n"})
    real = reading.read

    def swapped(file, *rest):
        if file.path == "sub/b.md":
            (documents / "sly/sub").rename(documents / "sly/old")
            (documents / "sly/sub").symlink_to(outside)
        return real(file, *rest)

    monkeypatch.setattr(reading, "read", swapped)
    report = reindex(library)

    assert [file["path"] for file in report.rejected] == ["sub/b.md"]
    assert list(library.active_snapshot.files.values_list("document_file__path", flat=True)) == ["a.md"]


def test_a_file_that_becomes_a_pipe_or_a_link_is_not_opened(make_library, documents, tmp_path):
    root = documents / "odd"
    make_library("odd", {"a.md": A})
    os.mkfifo(root / "pipe.md")
    (root / "link.md").symlink_to("a.md")
    for name in ("pipe.md", "link.md"):
        with pytest.raises(OSError):
            directory.read(root, name)
    with pytest.raises(OSError):
        directory.read(root, "../x.md")


def test_a_file_that_may_not_be_read_is_a_rejection(make_library, documents, monkeypatch):
    library = make_library("closed", {"a.md": A, "b.md": B})
    real = directory.open_beneath

    def refused(root, path):
        if path == "b.md":
            raise PermissionError(13, "Permission denied")
        return real(root, path)

    monkeypatch.setattr(directory, "open_beneath", refused)
    assert reindex(library).rejected == [{"path": "b.md", "reason": "it cannot be read: Permission denied"}]


def test_a_folder_that_may_not_be_listed_is_named_whatever_its_name_is(fruit, monkeypatch):
    def refused(*_: object, onerror, **__: object):
        onerror(PermissionError(13, "Permission denied", "/docs/caf\udce9\n"))

    monkeypatch.setattr(directory.os, "walk", refused)
    with pytest.raises(CommandError, match=r"/docs/caf\\udce9\\n cannot be listed: Permission denied"):
        call_command("reindex", "fruit")
    assert Job.objects.first().state == Job.State.FAILED


def test_a_folder_that_is_removed_while_it_is_listed_is_passed_over(make_library, documents, monkeypatch):
    library = make_library("live", {"a.md": A, "sub/b.md": B})
    real = os.scandir

    def removed(folder: str) -> Iterator[os.DirEntry[str]]:
        if str(folder).endswith("live/sub"):
            (documents / "live/sub/b.md").unlink(missing_ok=True)
            (documents / "live/sub").rmdir()
        return real(folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", removed)
        report = reindex(library)
    assert report.active and report.files["added"] == 1 and not report.rejected


def test_a_root_that_is_removed_while_it_is_listed_fails_the_build(make_library, documents, monkeypatch):
    library = make_library("live", {"a.md": A, "sub/b.md": B})
    real = os.scandir

    def removed(folder: str) -> Iterator[os.DirEntry[str]]:
        if str(folder).endswith("live/sub"):
            (documents / "live").rename(documents / "elsewhere")
        return real(folder)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", removed)
        with pytest.raises(SourceError, match="cannot be listed"):
            reindex(library)


# --- dry runs -----------------------------------------------------------------------------------------------


def contents(home: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(home.rglob("*"))
    }


@pytest.fixture
def no_model(settings) -> None:
    """Whoever calls a model fails."""
    settings.AI_TEST_MODE = False
    settings.ENDPOINTS = settings.ENDPOINTS | {
        role: {"url": "http://127.0.0.1:9/v1", "model": ""} for role in ("embedding", "chat", "summary")
    }


@pytest.mark.parametrize("kind", ["directory", "git", "git, never fetched", "uploads"])
def test_a_dry_run_writes_nothing_and_calls_no_model(make_library, repository, documents, no_model, settings, kind):
    library = make_library("dry", {"a.md": A})
    if kind.startswith("git"):
        commit(repository, {"a.md": A})
        Library.objects.filter(pk=library.pk).update(kind="git", location=f"file://{repository}")
    elif kind == "uploads":
        Library.objects.filter(pk=library.pk).update(kind="uploads", location="")
    settings.AI_TEST_MODE = True
    if kind != "git, never fetched":
        reindex(library)
    settings.AI_TEST_MODE = False
    commit(repository, {"new.md": B})
    write(documents / "dry", {"new.md": B})
    library.refresh_from_db()
    settings.HOME.mkdir(exist_ok=True)
    before = contents(settings.HOME)
    written: list[str] = []

    def watch(execute, sql, params, many, context):
        if not sql.lstrip().upper().startswith("SELECT"):
            written.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        found = dry_run(library)

    assert written == []
    assert contents(settings.HOME) == before
    assert found["added"] == ({"uploads": [], "git, never fetched": ["a.md", "new.md"]}.get(kind, ["new.md"]))


def test_a_dry_run_says_what_would_be_refused(fruit, documents, settings, no_model, capsys):
    settings.AI_TEST_MODE = True
    settings.EMBEDDING_DOCUMENT_PREFIX = "passage: "
    for path in ("a.md", "sub/b.md"):
        (documents / "fruit" / path).unlink()
    refusals = dry_run(fruit)["would_refuse"]
    assert "reindex --full fruit" in refusals[0] and "reindex --force fruit" in refusals[1]
    assert (
        dry_run(fruit, full=True)["would_refuse"] == refusals[1:] and dry_run(fruit, force=True)["would_refuse"] == []
    )
    call_command("reindex", "fruit", "--dry-run")

    assert capsys.readouterr().out.count("it would be refused") == 2


def test_test_mode_calls_no_model(make_library, no_model, settings):
    library = make_library("quiet", {"a.md": A})
    call_command("reindex", "quiet", "--test-mode")
    library.refresh_from_db()

    assert library.active_snapshot.space.model == "test-bag-of-words"


def test_documents_of_an_unknown_library_are_an_error(db):
    with pytest.raises(CommandError, match="no such library: nope"):
        call_command("list_documents", "--library", "nope")
