"""Every command has a test here or in the file of what it commands."""

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from knowledge.models import AuditEvent, Job, Library, Schedule
from retrieval import rerank
from tests.conftest import printed, reindex, write

ROOT = Path(__file__).parent.parent
FILES = {"tides.md": "# Tides\n\nThe tide rises twice a day.\n", "bread.md": "# Bread\n\nBake at 230 degrees.\n"}


def test_every_command_has_a_test():
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for command in ROOT.glob("*/management/commands/[!_]*.py"):
        assert f'"{command.stem}"' in tests, f"no test calls {command.stem}"


def test_a_library_goes_from_nothing_to_an_answer(db, documents, capsys):
    write(documents, FILES)
    call_command("add_library", "sea", "--directory", str(documents), "--access", "public")
    assert printed(capsys, "reindex", "sea", "--dry-run")[0]["added"] == ["bread.md", "tides.md"]
    report = printed(capsys, "reindex", "sea")[0]
    assert report["active"] and report["files"]["added"] == 2
    assert {
        "library",
        "snapshot",
        "state",
        "revision",
        "files",
        "chunks",
        "embeddings",
        "seconds",
        "manifest_hash",
    } <= report.keys()
    answer = printed(capsys, "ask", "How often does the tide rise?")
    assert not answer["refused"] and "twice a day" in answer["answer"]
    assert answer["citations"][0]["verified"] and answer["citations"][0]["source_file"] == "tides.md"
    call_command("ask", "How often does the tide rise?")
    assert "tides.md" in capsys.readouterr().out
    assert printed(capsys, "search", "--library", "sea", "tide")["query"] == "tide"
    call_command("search", "tide", "--explain")
    assert "lexical rank 1" in capsys.readouterr().out


def test_a_build_says_how_to_look_at_what_waits_for_review(make_library, capsys):
    make_library("sea", FILES, requires_review=True)
    for _ in range(2):
        call_command("reindex", "sea")
        assert "it waits for review: manage.py review sea 1\n" in capsys.readouterr().out
    make_library("open", FILES)
    call_command("reindex", "open", "--no-activate")
    assert "review" not in capsys.readouterr().out


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_makes_room_on_a_terminal_and_is_silent_in_a_pipe(make_library, tmp_path):
    reindex(make_library("sea", FILES))
    export = ["export_snapshot", "sea", "--output", str(tmp_path / "sea.zip")]
    for command in (["reindex", "sea", "--force"], export, ["rebuild", "sea"]):
        terminal, pipe = Terminal(), StringIO()
        call_command(*command, stderr=terminal)
        (tmp_path / "sea.zip").unlink(missing_ok=True)  # to replace it is told
        call_command(*command, stderr=pipe)
        assert terminal.getvalue().endswith("\r\033[K")
        assert not pipe.getvalue()


@pytest.mark.parametrize(("stderr", "lines"), [(Terminal, 0), (StringIO, 1)])
def test_the_log_of_jobs_is_not_mixed_with_words_on_a_terminal(make_library, documents, caplog, stderr, lines):
    make_library("sea", FILES)
    (documents / "sea" / "bad.md").write_bytes(b"\0\1\2")
    call_command("reindex", "sea", stderr=stderr())
    assert len([one for one in caplog.records if "rejected bad.md" in one.message]) == lines


@pytest.mark.parametrize("stderr", [Terminal, StringIO])
def test_why_a_build_failed_is_said_once(make_library, documents, caplog, stderr):
    sea = make_library("sea", FILES)
    reindex(sea)
    shutil.rmtree(documents / "sea")
    (documents / "sea").mkdir()
    with pytest.raises(CommandError) as failed:
        call_command("reindex", "sea", stderr=stderr())
    reason = str(failed.value).removeprefix("sea: ")
    assert reason.startswith("no file that can be read is left") and sea.jobs.latest("pk").state == "failed"
    assert not [one for one in caplog.records if reason in one.message]


def test_search_says_what_it_understood(make_library, capsys):
    reindex(make_library("sea", FILES))
    call_command("search", 'tdie "twice a day" -moon -file:*.rst library:sea', "--mode", "lexical")
    printed = capsys.readouterr().out
    for line in (
        "not file: *.rst",
        "library: sea",
        "word for word: “twice a day”",
        "without: moon",
        "did you mean: tide",
    ):
        assert line in printed
    assert "tides.md" in printed


@pytest.mark.parametrize("command", ["search", "tree"])
def test_a_search_that_finds_by_meaning_alone_says_so(indexed, capsys, command):
    indexed("handbook", {"a.md": "# Bikes\n\nA bike may stand here.\n"})
    call_command(command, "xyzzy")
    assert "No passage was found by these words." in capsys.readouterr().out
    assert "may have nothing to do with them" in printed(capsys, command, "xyzzy")["notes"][0]


def test_a_reranker_that_is_asked_for_where_there_is_none_is_said_to_be_none(make_library, capsys):
    reindex(make_library("sea", FILES))
    rerank.RERANKER.forget()
    assert printed(capsys, "search", "tide", "--rerank")["degraded"] == ["rerank"]
    call_command("search", "tide", "--rerank")
    assert "No reranker is configured (RERANK_URL)" in capsys.readouterr().out


def test_reindex_without_json_says_what_it_did(make_library, capsys):
    make_library("sea", FILES)
    call_command("reindex")
    assert "snapshot 1 is active" in capsys.readouterr().out


def test_reindex_of_an_unknown_library_fails(db):
    with pytest.raises(CommandError, match="no such library: nowhere"):
        call_command("reindex", "nowhere")


def test_reindex_tells_a_library_that_a_path_took(make_library):
    make_library("sea", {"tides.md": "# Tides\n"})
    with pytest.raises(CommandError, match="--path took “sea”, which is a library"):
        call_command("reindex", "--path", "tides.md", "sea")


def test_reindex_says_why_a_source_cannot_be_read(make_library):
    library = make_library("sea", FILES)
    Library.objects.filter(pk=library.pk).update(location="/nowhere")
    with pytest.raises(CommandError, match="DIRECTORY_ROOTS"):
        call_command("reindex", "sea")


def test_a_queued_reindex_waits_for_the_worker_and_is_the_same_build(
    make_library, capsys, django_capture_on_commit_callbacks
):
    from ingestion.jobs import run

    library = make_library("sea", FILES)
    queued = printed(capsys, "reindex", "sea", "--queue")[0]
    (planned,) = printed(capsys, "reindex", "sea", "--dry-run")
    assert queued["state"] == "queued" and planned["files"]["added"] == len(FILES)
    assert set(queued["files"].values()) == set(queued["chunks"].values()) == {None}  # nothing is counted yet
    run(queued["job"])
    run(queued["job"])  # delivered twice

    library.refresh_from_db()
    assert library.active_snapshot.number == 1 and Job.objects.get().attempts == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["bad slug", "--uploads"], "valid"),
        (["x", "--git", "ext::sh"], "GIT_ALLOWED_SCHEMES"),
        (["x", "--directory", "/etc"], "DIRECTORY_ROOTS"),
        (["x", "--uploads", "--language", "klingon"], "text-search configuration"),
        (["x", "--uploads", "--ref", "main"], "need --git"),
        (["x", "--git", "https://anna:secret@docs.example/x"], "Leave the user and secret out"),
        (["x", "--uploads", "--include", "a" * 1001], "at most 1,000"),
    ],
)
def test_a_library_that_cannot_be_is_wrong_use(db, arguments, reason):
    with pytest.raises(CommandError, match=reason) as refused:
        call_command("add_library", *arguments)
    assert refused.value.returncode == 2


def test_a_library_that_there_is_already_is_no_wrong_use(make_library):
    make_library("sea", FILES)
    with pytest.raises(CommandError) as refused:
        call_command("add_library", "sea", "--uploads")
    assert refused.value.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["jobs", "--limit", "0"], "--limit: “0” is no whole number from 1 to"),
        (["jobs", "--limit", "x"], "--limit: “x” is no whole number from 1 to"),
        (["retention", "sea", "--days", "-1"], "--days: “-1” is no whole number from 0 to 36,500"),
        (["api_token", "anna", "--name", "x" * 101], "--name: longer than 100 characters"),
    ],
)
def test_a_value_out_of_its_bounds_is_refused_with_them(arguments, said):
    with pytest.raises(CommandError, match=said):
        call_command(*arguments)


def test_snapshots_diff_activate_and_rollback(indexed, documents, capsys):
    library = indexed("sea", FILES)
    write(documents / "sea", {"tides.md": "# Tides\n\nNew.\n", "new.md": "# New\n"})
    reindex(library)

    rows = printed(capsys, "snapshots", "sea")
    assert [(row["snapshot"], row["active"]) for row in rows] == [(2, True), (1, False)]
    call_command("snapshots", "sea")
    assert capsys.readouterr().out.startswith("*    2")
    assert printed(capsys, "diff", "sea", "1", "2") == {"added": ["new.md"], "changed": ["tides.md"], "removed": []}
    call_command("diff", "sea", "1", "2")
    assert capsys.readouterr() == ("+ new.md\n~ tides.md\n", "")
    for options, what in (([], "file"), (["--sections"], "section")):
        call_command("diff", "sea", "1", "1", *options)
        assert capsys.readouterr() == ("", f"no {what} differs between sea@1 and sea@1\n")
    back = printed(capsys, "rollback", "sea")
    assert back == {"library": "sea", "active": 1, "before": 2, "left": [], "degraded": []}
    again = printed(capsys, "activate", "sea", "2")
    assert again == {"library": "sea", "active": 2, "before": 1, "left": [], "degraded": []}
    for arguments in (["activate", "sea", "9"], ["snapshots", "nowhere"]):
        with pytest.raises(CommandError):
            call_command(*arguments)


def test_verify_tells_right_from_wrong(indexed, capsys):
    from django.db import connection

    indexed("sea", FILES)
    assert printed(capsys, "verify")["ok"]
    call_command("verify", "--deep")
    assert "WRONG" not in capsys.readouterr().out
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # no trigger stops us
        cursor.execute("UPDATE knowledge_chunk SET text = 'tampered' WHERE ordinal = 0")
        cursor.execute("DELETE FROM knowledge_embedding WHERE ctid IN (SELECT ctid FROM knowledge_embedding LIMIT 1)")
        cursor.execute("DELETE FROM knowledge_posting WHERE lexeme = 'tide'")
    with pytest.raises(CommandError):
        call_command("verify", "--deep", "--json")
    wrong = {check["id"] for check in json.loads(capsys.readouterr().out)["checks"] if not check["ok"]}
    assert wrong == {4, 5, 6, 11}


def test_jobs_and_documents_are_listed(indexed, documents, capsys):
    library = indexed("sea", FILES)
    assert printed(capsys, "jobs")[0]["state"] == "succeeded"
    call_command("jobs", "--watch")
    assert "succeeded" in capsys.readouterr().out
    assert [row["path"] for row in printed(capsys, "list_documents", "--library", "sea")] == ["bread.md", "tides.md"]
    call_command("list_documents", "--path", "t", "--state", "visible")
    assert capsys.readouterr().out.startswith("sea: tides.md")
    (documents / "sea/broken.pdf").write_bytes(b"no PDF")
    reindex(library)
    (row,) = printed(capsys, "list_documents", "--state", "rejected", "--limit", "1")
    assert row["path"] == "broken.pdf" and row["reason"]
    call_command("list_documents", "--state", "rejected", "--library", "sea", "--path", "b")
    assert "broken.pdf" in capsys.readouterr().out
    for arguments in (["--library", "nowhere"], ["--limit", "0"]):
        with pytest.raises(CommandError):
            call_command("list_documents", *arguments)


def test_evaluate_measures_question_sets_and_corpora(indexed, capsys, tmp_path):
    import gzip

    indexed("sea", FILES)
    (tmp_path / "questions.jsonl").write_text(
        '{"id": 1, "question": "tide", "gold": [{"file": "tides.md", "line_start": 3, "line_end": 3}]}\n'
        '{"id": 2, "question": "tide", "gold": [{"file": "bread.md"}]}\n'
    )
    measured = printed(capsys, "evaluate", "--questions", str(tmp_path / "questions.jsonl"), "--library", "sea")
    assert measured["branches"]["lexical"]["hit@5"] == 0.5 and measured["queries"] == 2

    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as file:
        file.write(
            '{"_id": "d1", "title": "Tides", "text": "The moon."}\n{"_id": "d2", "title": "", "text": "Bread."}\n'
        )
    with gzip.open(tmp_path / "queries.jsonl.gz", "wt") as file:
        file.write('{"_id": "q1", "text": "moon"}\n{"_id": "q2", "text": "unjudged"}\n')
    measured = printed(capsys, "evaluate", "--beir", str(tmp_path))
    assert measured["queries"] == 1 and measured["corpus"]["documents"] == 2
    assert measured["branches"]["hybrid"]["ndcg@10"] == measured["branches"]["hybrid"]["recall@100"] == 1.0
    call_command("evaluate", "--beir", str(tmp_path))
    assert "ndcg@10" in capsys.readouterr().out
    with pytest.raises(CommandError, match=r"there is no file .*none\.jsonl"):
        call_command("evaluate", "--questions", str(tmp_path / "none.jsonl"), "--library", "sea")
    with pytest.raises(CommandError, match="RERANK_URL is not set"):
        call_command("evaluate", "--beir", str(tmp_path), "--branches", "lexical,reranked")
    for name in ("corpus", "queries"):  # as such a set is unpacked
        (tmp_path / f"{name}.jsonl").write_bytes(gzip.decompress((tmp_path / f"{name}.jsonl.gz").read_bytes()))
        (tmp_path / f"{name}.jsonl.gz").unlink()
    assert printed(capsys, "evaluate", "--beir", str(tmp_path))["branches"].keys() == measured["branches"].keys()
    (tmp_path / "corpus.jsonl").unlink()
    with pytest.raises(CommandError, match=r"there is no corpus\.jsonl in"):
        call_command("evaluate", "--beir", str(tmp_path))
    assert {row["library"] for row in printed(capsys, "reindex")} == {"sea"}, "a corpus is indexed by evaluate alone"


def test_one_job_is_told_and_steered_on_the_command_line(make_library, documents, capsys):
    library = make_library("sea", FILES)
    (documents / "sea/bad.md").write_bytes(b"\0\1\2")
    call_command("reindex", "sea")
    said = capsys.readouterr().out
    assert "completed with rejections" in said and "bad.md" in said and "time:" in said
    job = Job.objects.get()
    told = printed(capsys, "jobs", str(job.pk))
    assert told["outcome"] == "completed with rejections" and told["events"] and told["report"]["active"]
    call_command("jobs", str(job.pk))
    assert f"--retry {job.pk} --path bad.md" in capsys.readouterr().out
    call_command("jobs", str(job.pk), "--log")
    assert [json.loads(line)["job"] for line in capsys.readouterr().out.splitlines()] == [job.pk] * len(told["events"])
    assert printed(capsys, "jobs", str(job.pk), "--log") == told["events"]
    again = printed(capsys, "jobs", "--retry", str(job.pk), "--path", "bad.md")
    assert "no worker is alive" in again["waiting_for"]
    for verb, outcome in [("--pause", "paused"), ("--resume", "queued"), ("--cancel", "cancelled")]:
        assert printed(capsys, "jobs", verb, str(again["job"]))["outcome"] == outcome
    call_command("jobs", "--retry", str(again["job"]))
    waiting = library.jobs.latest("pk")
    capsys.readouterr()
    call_command("jobs", "--pause", str(waiting.pk))
    assert capsys.readouterr().out == f"job {waiting.pk} (build sea) is paused: somebody has to resume it\n"
    call_command("jobs", "--cancel", str(waiting.pk))
    capsys.readouterr()
    for arguments in (["jobs", "987654321"], ["jobs", "--cancel", "987654321"], ["jobs", "--cancel", str(job.pk)]):
        with pytest.raises(CommandError, match="job"):
            call_command(*arguments)
    assert library.jobs.count() == 2


def test_schedules_are_set_shown_and_taken_away(make_library, capsys):
    make_library("sea", FILES)
    assert printed(capsys, "schedule", "sea", "30 2 * * *")[0]["next_at"].endswith("T02:30:00+00:00")
    call_command("schedule", "sea", "0 4 * * 1")
    assert "0 4 * * 1" in capsys.readouterr().out
    for wrong in ("every day", "61 * * * *", "0 0 31 2 *"):
        with pytest.raises(CommandError, match="cron") as refused:
            call_command("schedule", "sea", wrong)
        assert refused.value.returncode == 2
    make_library("land", FILES)
    call_command("schedule", "land", "0 5 * * *")
    assert [row["library"] for row in printed(capsys, "schedule")] == ["land", "sea"]
    assert printed(capsys, "schedule", "sea", "--off") == []
    with pytest.raises(CommandError, match="needs the library") as refused:
        call_command("schedule", "--off")
    assert refused.value.returncode == 2 and [row["library"] for row in printed(capsys, "schedule")] == ["land"]


def test_imported_snapshots_are_read_again_by_no_schedule(db):
    Library.objects.create(slug="copy", name="Copy", kind=Library.Kind.ARCHIVE)
    with pytest.raises(CommandError, match="cannot be read again"):
        call_command("schedule", "copy", "30 2 * * *")
    assert not Schedule.objects.exists()


def test_schedules_are_in_the_audit_and_their_firing_is_not(make_library):
    make_library("sea", FILES)
    for arguments in (["30 2 * * *"], ["30 2 * * *"], ["0 4 * * 1"]):
        call_command("schedule", "sea", *arguments)
    Schedule.objects.update(next_at=timezone.now())
    assert len(Schedule.objects.fire()) == 1
    for _ in range(2):
        call_command("schedule", "sea", "--off")
    events = AuditEvent.objects.filter(action__startswith="schedule.", library="sea").order_by("number")
    assert list(events.values_list("action", "details")) == [
        ("schedule.set", {"changes": {"cron": [None, "30 2 * * *"]}}),
        ("schedule.set", {"changes": {"cron": ["30 2 * * *", "0 4 * * 1"]}}),
        ("schedule.remove", {"cron": "0 4 * * 1"}),
    ]
