"""What says a pasted message or line of code in a row comes first; a question's own wording counts for nothing."""

import pytest

from retrieval.query import parse
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.verbatim import longest_run, message_of, spaced

SEARCH = SearchOptions(explain=True)
OTHERS = "\n\n\n".join(
    f"def {name}(session):\n    if not session.active:\n        raise SSHException(session)\n    ssh = session.ssh\n"
    for name in ("ssh_session", "session_active", "active_ssh_session")
)
RAISES = (
    "def request(channel, kind, want_reply=True, timeout=None):\n    settle(channel)\n    channel.lock.acquire()\n"
    "    if kind not in KINDS:\n        raise SSHException('SSH session not active')\n    return channel.send(kind)\n"
)


@pytest.mark.parametrize(
    "query", ["SSHException: SSH session not active", "raise SSHException('SSH session not active')"]
)
def test_what_says_a_message_in_a_row_comes_first(indexed, query):
    indexed("code", {"auth.py": OTHERS, "transport.py": RAISES})

    first, *others = search(None, query, SEARCH).hits

    assert first.source_file == "transport.py" and first.explain.named
    assert others and not any(hit.explain.named for hit in others)


def test_words_of_a_question_need_not_stand_in_a_row(indexed):
    indexed("code", {"auth.py": OTHERS, "transport.py": RAISES})

    hits = search(None, "SSH session not active", SEARCH).hits

    assert hits and not any(hit.explain.named for hit in hits)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ValueError: I/O operation on closed file.", "i o operation on closed file"),
        ("main.go:42: no such room", "no such room"),
        ("assert self.lock == None", "assert self lock none"),
        ("Where is the session opened (and why)?", ""),
        ("how to close a session", ""),
    ],
)
def test_the_message_is_what_a_program_wrote(text, said):
    assert " ".join(message_of(parse(text).text)) == said


@pytest.mark.parametrize(
    ("said", "text", "longest"),
    [
        ("ssh session not active", "raise E('SSH session\n  not active')", 4),
        ("clearing out room 5 from the stack", 'log("Clearing out %s from the stack")', 3),
        ("a b c", "ab bc", 0),
        ("", "anything", 0),
    ],
)
def test_a_run_is_of_whole_words(said, text, longest):
    assert longest_run(said.split(), spaced(text)) == longest
