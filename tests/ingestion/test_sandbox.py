"""Whatever a parser is made to do, its file is rejected with a reason, and nobody else notices."""

import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingestion.documents import ParsedDocument, ParseError
from ingestion.parsers import parse as parse_here
from ingestion.sandbox import Limits, SandboxError, parse, parse_each
from ingestion.sandbox.client import ROOT, Sandbox, borrowed, close_idle
from ingestion.sandbox.reading import batches, read_ahead
from ingestion.sandbox.wire import LENGTH, pack_outcome, unpack_outcome, unpack_outcomes
from tests.conftest import reindex

GOLDEN = Path(__file__).parent / "golden"
SMALL = Limits(cpu_seconds=1, wall_seconds=60, memory=256 * 1024**2, output=16 * 1024**2)
EVIL = "tests.ingestion.evil_parsers:parse"


@pytest.fixture(scope="module")
def evil() -> Iterator[Sandbox]:
    sandbox = Sandbox(SMALL, EVIL)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def hasty() -> Iterator[Sandbox]:
    """Waits three seconds only, which on a busy machine is too little for a second of processor time."""
    sandbox = Sandbox(replace(SMALL, wall_seconds=3), EVIL)
    yield sandbox
    sandbox.close()


def act(sandbox: Sandbox, what: str) -> str:
    """The text of the outcome, or the reason of the rejection."""
    [outcome] = read_ahead(sandbox, iter([[(what.encode(), "x")]]))
    return outcome.text if isinstance(outcome, ParsedDocument) else outcome.reason


def test_a_parser_reaches_no_file(evil, tmp_path: Path):
    canary = tmp_path / "canary"
    canary.write_text("sings")
    canary.chmod(0o666)
    tmp_path.chmod(0o777)

    assert act(evil, f"read {canary}").startswith("refused")
    assert act(evil, f"write {canary}").startswith("refused")
    assert act(evil, f"write {tmp_path}/new").startswith("refused")
    assert act(evil, f"unlink {canary}").startswith("refused")
    assert act(evil, f"list {tmp_path}").startswith("refused")
    assert canary.read_text() == "sings" and list(tmp_path.iterdir()) == [canary]


def test_a_parser_reaches_no_network(evil):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        assert act(evil, f"connect {server.getsockname()[1]}").startswith("refused")
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_parser_starts_and_ends_no_process(evil, tmp_path: Path):
    assert act(evil, "fork").startswith("refused")
    assert act(evil, f"run {tmp_path}/ran").startswith("refused")
    assert act(evil, f"kill {os.getpid()}").startswith("refused")
    assert not (tmp_path / "ran").exists()
    assert act(evil, "thread") == "1 thread"


def test_a_parser_is_not_root_and_knows_no_secret(evil, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://secret")
    user, secret = act(evil, "who").split()
    assert user != "0" and secret == "None"


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("spin", "more than 1 seconds of processor time"),
        ("allocate", "more than 256 MiB of memory"),
        ("crash", "crashed (SIGSEGV)"),
        ("recurse", "nested too deeply"),
        ("exit", "without a result"),
        ("write_much", "it takes too much room when it is written out"),
        ("refuse", "it says no"),
    ],
)
def test_what_breaks_a_limit_is_rejected_with_a_reason(evil, what, reason):
    assert reason in act(evil, what)
    assert act(evil, "hello") == "hello"


def test_what_waits_too_long_is_rejected_with_a_reason(hasty):
    assert "longer than 3 seconds" in act(hasty, "sleep")
    assert act(hasty, "hello") == "hello"


def test_one_file_that_breaks_the_batch_loses_no_other(evil):
    inputs = [(what, f"{number}.md") for number, what in enumerate([b"one", b"crash", b"three", b"spin", b"five"])]
    outcomes = list(read_ahead(evil, iter([inputs])))

    texts = [getattr(outcome, "text", None) for outcome in outcomes]
    assert texts == ["one", None, "three", None, "five"]


def test_a_zygote_that_was_killed_is_started_again(evil):
    assert act(evil, "one") == "one"
    first = evil.zygote.pid
    evil.zygote.kill()
    evil.zygote.wait()
    assert act(evil, "two") == "two" and evil.zygote.pid != first


def test_a_zygote_that_is_killed_at_work_is_started_again(hasty):
    hasty.submit([(b"sleep", "slow.md"), (b"two", "two.md")])
    hasty.zygote.kill()
    hasty.zygote.wait()
    slow, two = hasty.collect([(b"sleep", "slow.md"), (b"two", "two.md")])

    assert "longer than 3 seconds" in slow.reason and two.text == "two"


def test_the_zygote_and_its_child_end_with_their_parent():
    script = (
        "import os, sys; from ingestion.sandbox.client import Sandbox; "
        "s = Sandbox(parser='tests.ingestion.evil_parsers:parse'); s.submit([(b'hello', 'x')]); "
        "s.collect([(b'hello', 'x')]); s.submit([(b'sleep', 'x')]); print(s.zygote.pid, flush=True); "
        "sys.stdin.read(1)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    zygote = os.pidfd_open(int(parent.stdout.readline()))
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    import select

    assert select.select([zygote], [], [], 20)[0], "the zygote outlived its parent"
    os.close(zygote)


def test_a_forked_process_does_not_use_its_parents_zygote():
    with borrowed() as sandbox:
        sandbox.start()
    pid = os.fork()
    if pid == 0:
        from ingestion.sandbox import client

        os._exit(len(client._idle) + (sandbox.control is not None))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert parse(b"# A", "a.md").title == "A"


def test_a_zygote_that_cannot_start_is_nobodys_fault_but_the_installations(capfd):
    sandbox = Sandbox(parser="tests.ingestion.evil_parsers:absent")
    with pytest.raises(SandboxError):
        act(sandbox, "hello")
    assert "absent" in capfd.readouterr().err


def test_where_there_is_no_room_for_a_zygote_no_file_is_rejected(make_library, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    library = make_library("mixed", {"good.md": "# Good\n\nText.\n"})
    close_idle()
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", full)
        with pytest.raises(SandboxError, match="cannot be started: Resource temporarily unavailable"):
            reindex(library)
    assert library.active_snapshot is None
    report = reindex(library)
    assert report.active and not report.rejected


def test_readings_are_in_order_and_the_same_as_without_a_sandbox():
    from ingestion.parsers import parse as direct

    inputs = [(f"# T{number}\n\nText.\n".encode() * (number + 1), f"{number}.md") for number in range(60)]
    assert list(parse_each(inputs)) == [direct(*each) for each in inputs]


def test_what_is_big_or_not_plain_text_has_a_process_of_its_own():
    inputs = [(b"a", "a.md"), (b"b", "b.md"), (b"c", "c.pdf"), (b"d" * 200_000, "d.md"), (b"e", "e.md")]
    assert [[path for _, path in batch] for batch in batches(inputs)] == [
        ["a.md", "b.md"],
        ["c.pdf"],
        ["d.md"],
        ["e.md"],
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"reason": 1, "line": null}',
        b'{"text":"a","title":"","media_type":"","natural_language":"","warnings":[],"blocks":[["paragraph",1,9,0,"",[],""]]}',
        b'{"text":"a","title":"","media_type":"","natural_language":"","warnings":[],"blocks":[["?",1,1,0,"",[],""]]}',
        b'{"text":"\\u0000","title":"","media_type":"","natural_language":"","warnings":[],"blocks":[]}',
        b'{"text":"\\ud800","title":"","media_type":"","natural_language":"","warnings":[],"blocks":[]}',
    ],
)
def test_what_a_parser_may_write_is_not_believed(body):
    assert isinstance(unpack_outcome(body, "x"), ParseError)


def test_half_a_frame_is_no_outcome():
    frame = LENGTH.pack(100) + b'{"reason":'
    assert unpack_outcomes(frame, ["x"]) == []


def test_a_build_goes_on_past_a_file_that_cannot_be_read(make_library):
    library = make_library("mixed", {"a.md": "# A\n\nText.\n", "b.md": "\0\0", "c.md": "# C\n\nText.\n"})
    report = reindex(library)

    assert [file["path"] for file in report.rejected] == ["b.md"] and report.files["added"] == 2


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*/in/*")), ids=lambda file: file.name)
def test_what_a_parser_found_arrives_whole(file: Path):
    document = parse_here(file.read_bytes(), file.name)

    assert unpack_outcomes(pack_outcome(document), [file.name]) == [document]
