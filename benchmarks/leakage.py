"""Does a library show through to somebody who may not read it? `python benchmarks/leakage.py [--probes 20000]`.

Two users have twin libraries of the same shape. Everything that the first user can ask is asked in two worlds: one in
which the second library exists, and one in which it does not (its rows are rolled back). Every answer must be the same,
byte for byte: pages, REST, the OpenAI-compatible endpoint, MCP, suggestions for misspelt words, counts, originals,
pictures of pages, somebody else's answer, the archives that the first library is exported to, what the caches keep.
Keys that count up (answers) and times are the only things left out. Prints how many probes were made, and each
difference; a fifth as many calls of MCP's tools are made apart, as those see only what is committed.
"""

import argparse
import hashlib
import io
import itertools
import json
import os
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _setup import set_up_django

ADJECTIVES = ["red", "green", "quiet", "heavy", "borrowed", "folding", "electric", "broken", "spare", "narrow"]
THINGS = ["bicycle", "ladder", "tandem", "trailer", "pump", "helmet", "basket", "chain", "saddle", "lantern"]
SECRET_THINGS = [
    "ballot",
    "purple",
    "treasurer",
    "lawsuit",
    "dismissal",
    "merger",
    "salary",
    "bonus",
    "audit",
    "verdict",
]
VOLATILE = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"|"took_ms": ?\{[^}]*\}|"ms": ?[\d.]+|\d+(?:\.\d+)? (?:ms|s)\b'
    r'|/chat/\d+|"id": ?\d+|chat/\d+|data-id="\d+"|chatcmpl-\d+|"created": ?\d+'
)
FOREIGN = 10**9  # the key of the other user's answer
CLOCK = ("Content-Length", "Date", "Expires")  # headers that go with the time, or with what VOLATILE takes away
JSON = ("/api/", "/v1/", "/retrieve", "/mcp")  # addresses that are sent JSON


@dataclass(frozen=True, slots=True)
class Probe:
    method: str
    address: str
    data: tuple[tuple[str, Any], ...] = ()
    token: str = ""

    def ask(self, client: Any) -> str:
        client.cookies.pop("messages", None)
        data: Any = dict(self.data)
        if self.method == "post" and self.address.startswith(JSON):
            headers = {"Accept": "application/json, text/event-stream"}
            headers |= {"Authorization": f"Bearer {self.token}"} if self.token else {}
            response = client.post(self.address, json.dumps(data), content_type="application/json", headers=headers)
        elif self.token:
            response = client.get(self.address, data, headers={"Authorization": f"Bearer {self.token}"})
        else:
            response = getattr(client, self.method)(self.address, data)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        headers = {key: value for key, value in response.headers.items() if key not in CLOCK}
        return VOLATILE.sub("", f"{response.status_code}\n{sorted(headers.items())}\n{body.decode(errors='replace')}")


@dataclass(frozen=True, slots=True)
class Export:
    """A probe by command: the archive of a library, by its hash."""

    library: str
    vectors: bool
    originals: bool

    def ask(self, _: Any) -> str:
        from django.core.management import call_command

        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder, "archive.zip")
            options = {"output": archive, "vectors": self.vectors, "originals": self.originals}
            call_command("export_snapshot", self.library, stdout=io.StringIO(), **options)
            return hashlib.sha256(archive.read_bytes()).hexdigest()


def probes(files: list[str], seed: int, token: str = "") -> Iterator[Probe | Export]:
    """Without end, the same for the same seed: words of both libraries, right, misspelt and with operators."""
    pick = random.Random(seed)  # noqa: S311 - not a secret
    words = [*ADJECTIVES, *THINGS, *SECRET_THINGS]
    for number in itertools.count():
        word = pick.choice(words)
        broken = word[: len(word) // 2] + word[len(word) // 2 + 1 :]
        query = pick.choice(
            [
                word,
                broken,
                f"{pick.choice(words)} {broken}",
                f'"{pick.choice(words)} {word}"',
                f"{word} -{pick.choice(words)}",
                f"library:secret {word}",
                f"file:{pick.choice(files)}",
                f"path:board {word}",
                f"who decided about the {word} {number}",
            ]
        )
        path = pick.choice(files)
        yield pick.choice(
            [
                Probe("get", "/search", (("q", query),)),
                Probe("get", "/search", (("q", query), ("mode", pick.choice(["lexical", "vector", "hybrid"])))),
                Probe("get", "/search", (("q", query), ("library", pick.choice(["mine", "secret", "nowhere"])))),
                Probe("get", "/search", (("q", query), ("explain", "1"), ("why_not", path))),
                Probe("get", "/api/v1/search", (("q", query), ("top_k", str(pick.randint(1, 30))))),
                Probe("get", "/api/v1/search", (("q", query), ("explain", "true"), ("why_not", path))),
                Probe("get", "/api/v1/search", (("q", query), ("library", pick.choice(["mine", "secret"])))),
                Probe(
                    "get", f"/read/{pick.choice(['mine', 'secret'])}/{path}", (("snapshot", str(pick.randint(0, 3))),)
                ),
                Probe("get", pick.choice(["/libraries/", "/api/v1/libraries/", "/dashboard/", "/audit/", "/jobs/"])),
                Probe("get", f"/libraries/secret/{pick.choice(['', 'quality', 'review/', 'members'])}"),
                Probe("get", f"/libraries/secret/document/{path}"),
                Probe(
                    "get",
                    f"/api/v1/libraries/secret/{pick.choice(['', 'snapshots/', 'documents/', 'review/', 'audit/'])}",
                ),
                Probe("post", f"/api/v1/libraries/secret/{pick.choice(['activate/', 'rollback/', 'withdraw/'])}"),
                Probe("post", "/libraries/secret/golden", (("q", query), ("chunk", str(pick.randint(1, 400))))),
                Probe("get", "/api/v1/libraries/mine/documents/", (("path", path[:3]),)),
                Probe("get", "/libraries/mine/", (("path", path[:3]),)),
                Probe("post", "/api/v1/ask", (("question", f"Where is the {word}?"),)),
                Probe("get", f"/original/{pick.choice(['mine', 'secret'])}/{path}"),
                Probe("get", "/api/v1/symbols/", (("name", word), ("library", pick.choice(["mine", "secret"])))),
                Probe("post", "/retrieve", (("query", query), ("top_k", pick.randint(1, 30)))),
                Probe("get", f"/pages/{pick.choice(['mine', 'secret'])}/{pick.randint(1, 3)}/{path}"),
                Probe("get", pick.choice([f"/chat/{FOREIGN}", f"/chat/{FOREIGN}/events", f"/chat/{FOREIGN}/replay"])),
                Probe("post", f"/chat/{FOREIGN}/{pick.choice(['feedback', 'again', 'stop'])}"),
                Probe("get", f"/libraries/{pick.choice(['mine', 'secret'])}/snapshots/{pick.randint(1, 3)}"),
                Probe("post", f"/libraries/secret/files/{pick.choice(['upload', 'remove'])}"),
                Probe("post", "/api/v1/libraries/secret/files/"),
                Export("mine", vectors=pick.random() < 0.5, originals=pick.random() < 0.5),
                Probe("get", pick.choice(["/due/", "/playground", "/libraries/secret/settings"])),
                Probe("get", "/v1/models", token=token),
                completion(pick, word, token),
                completion(pick, word, token),
            ]
        )


def completion(pick: random.Random, word: str, token: str) -> Probe:
    said = [{"role": "user", "content": f"Where is the {word}?"}]
    model = pick.choice(["muniment", "muniment/mine", "muniment/secret", "muniment/nowhere"])
    asked = (("model", model), ("messages", said), ("stream", pick.random() < 0.5))
    return Probe("post", "/v1/chat/completions", asked, token)


def tool_calls(files: list[str], seed: int, token: str) -> Iterator[Probe]:
    """The same for MCP, whose tools work in threads of their own: they see only what is committed."""
    pick = random.Random(seed)  # noqa: S311 - not a secret
    words = [*ADJECTIVES, *THINGS, *SECRET_THINGS]
    for number in itertools.count():
        word, path = pick.choice(words), pick.choice(files)
        where = pick.choice(["mine", "secret", "nowhere"])
        broken = word[: len(word) // 2] + word[len(word) // 2 + 1 :]
        name, arguments = pick.choice(
            [
                ("list_libraries", {}),
                ("search", {"query": f"{word} {broken}", "top_k": pick.randint(1, 30)}),
                ("search", {"query": f"library:secret {word}"}),
                ("search", {"query": word, "libraries": [where]}),
                ("ask", {"question": f"Where is the {word}?"}),
                ("ask", {"question": f"Where is the {word}?", "libraries": [where]}),
                ("read_section", {"library": where, "source_file": path}),
                ("read_section", {"library": where, "source_file": path, "snapshot": pick.randint(1, 3)}),
                ("symbols", {"name": word, "libraries": [where]}),
            ]
        )
        call = {"name": name, "arguments": arguments}
        asked = (("jsonrpc", "2.0"), ("id", number), ("method", "tools/call"), ("params", call))
        yield Probe("post", "/mcp", asked, token)


def differences(client: Any, asked: Sequence[Probe | Export], secret: Any) -> list[Probe | Export]:
    """The probes that are answered otherwise once `secret` (a context manager that makes the library) is entered."""
    from retrieval.result_cache import results

    results.clear()
    before = [probe.ask(client) for probe in asked]
    results.clear()
    with secret:
        within = [probe.ask(client) for probe in asked]
    return [probe for probe, one, other in zip(asked, before, within, strict=True) if one != other]


def texts(things: list[str]) -> dict[str, str]:
    return {
        f"{folder}/{thing}.md": f"# The {thing}\n\n"
        + "\n\n".join(f"A {word} {thing} in the {folder}." for word in ADJECTIVES)
        for folder in ("board", "shed")
        for thing in things
    }


def main() -> None:

    set_up_django()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probes", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    import pytest

    test = Path(__file__).resolve().parent.parent / "tests/web/test_leakage.py"
    os.environ["LEAKAGE_PROBES"], os.environ["LEAKAGE_SEED"] = str(options.probes), str(options.seed)
    raise SystemExit(pytest.main([str(test), "-s", "-p", "no:cacheprovider"]))


if __name__ == "__main__":
    main()
