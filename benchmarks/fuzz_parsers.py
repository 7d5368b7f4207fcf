"""Damaged files of every format, read in the sandbox: nothing may break but the file that is read.

    python benchmarks/fuzz_parsers.py COUNT [DIR] [--seed 1]

Mutates the files of tests/ingestion/golden, and those of DIR. Half of the mutants of archives are damaged inside of a
member and packed again. Before and after, a canary file and a canary socket: none may have been touched. Exits with 1
when a zygote was lost or a canary touched. Processes that crashed or broke a limit are counted; they harm nobody.
Ctrl-C ends it with the figures so far.
"""

import argparse
import io
import random
import socket
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from _setup import ROOT

from ingestion.documents import ParseError
from ingestion.parsers import suffix
from ingestion.sandbox.client import LOST, Sandbox
from ingestion.sandbox.limits import Limits

GOLDEN = ROOT / "tests" / "ingestion" / "golden"
LARGEST_SEED = 200_000  # bytes
BATCH = 24
TOKENS = (
    b"<", b">", b"&", b"<!ENTITY a 'b'>", b"&a;", b"]]>", b"<table>", b"</p>", b"../", b"\0", b"\xff\xfe", b"%PDF-1.7",
    b"endobj", b"stream", b"/Kids", b"1 0 R", b"{", b"}", b"[", b"]", b'"', b"\n\n", b"\t", b"::", b".. ", b"```",
    b"| a |", b"-1", b"99999999999", b"PK\x03\x04", b"=", b"#", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80",
)  # fmt: skip


def mutants(seeds: Sequence[tuple[bytes, str]], count: int, chance: random.Random) -> Iterator[tuple[bytes, str]]:
    """Every other one of a file of a format drawn at random: formats that few files have are tried as hard."""
    formats: dict[str | None, list[tuple[bytes, str]]] = {}
    for seed in seeds:
        formats.setdefault(suffix(seed[1]), []).append(seed)
    for number in range(count):
        data, path = chance.choice(seeds if number % 2 else chance.choice([*formats.values()]))
        if zipfile.is_zipfile(io.BytesIO(data)) and chance.random() < 0.5:
            yield damaged_inside(data, chance), path
        else:
            yield damaged(data, chance), path


def damaged_inside(data: bytes, chance: random.Random) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w") as packed:
        names = source.namelist()
        chosen = chance.choice(names)
        for name in names:
            try:
                content = source.read(name)
            except (zipfile.BadZipFile, RuntimeError, OSError):  # a seed that is damaged or encrypted itself
                content = b"x"
            packed.writestr(name, damaged(content, chance) if name == chosen else content)
    return target.getvalue()


def damaged(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(changed) + 1)
        end = min(len(changed), at + chance.choice((1, 1, 2, 8, 64, 512)))
        kind = chance.randrange(6)
        if kind == 0:
            del changed[at:end]
        elif kind == 1:
            changed[at:at] = changed[at:end] * chance.choice((1, 2, 50))
        elif kind == 2:
            changed[at:at] = chance.choice(TOKENS) * chance.choice((1, 1, 1, 200))
        elif kind == 3:
            changed[at:end] = chance.randbytes(end - at)
        elif kind == 4 and at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
        else:
            other = chance.randrange(len(changed) + 1)
            changed[at:end] = changed[other : other + end - at]
    return bytes(changed)


def read_seeds(folders: Sequence[Path]) -> list[tuple[bytes, str]]:
    files = [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file() and suffix(file.name)]
    wanted = (file for file in files if file.parent.name != "out" and file.stat().st_size <= LARGEST_SEED)
    return [(file.read_bytes(), file.name) for file in wanted]


def fuzz(sandbox: Sandbox, inputs: Iterator[tuple[bytes, str]]) -> Counter[str]:
    """How the readings ended, by suffix."""
    ends: Counter[str] = Counter()
    with suppress(KeyboardInterrupt):
        while batch := list(islice(inputs, BATCH)):
            tally(sandbox, batch, ends)
    return ends


def tally(sandbox: Sandbox, batch: list[tuple[bytes, str]], ends: Counter[str]) -> None:
    sandbox.submit(batch)
    for (_, path), outcome in zip(batch, sandbox.collect(batch), strict=True):
        kind = suffix(path) or ""
        if not isinstance(outcome, ParseError):
            ends[f"{kind} read"] += 1
        elif outcome.reason == LOST:
            ends["lost"] += 1
        elif "its parser" in outcome.reason or "takes more than" in outcome.reason or "longer" in outcome.reason:
            ends[f"{kind} broke its process: {outcome.reason}"] += 1
        elif "or not what its name says" in outcome.reason:
            ends[f"{kind} error: {outcome.reason.split('(', 1)[1].split(':')[0]}"] += 1
        else:
            ends[f"{kind} rejected"] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("directory", type=Path, nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    seeds = read_seeds([GOLDEN, *([chosen.directory] if chosen.directory else [])])
    sandbox = Sandbox(Limits(cpu_seconds=5, wall_seconds=20))
    started = time.monotonic()
    with tempfile.NamedTemporaryFile() as canary, socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        before = Path(canary.name).stat()
        ends = fuzz(sandbox, mutants(seeds, chosen.count, random.Random(chosen.seed)))  # noqa: S311
        after = Path(canary.name).stat()
        touched = (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size) or knocked(server)
    sandbox.close()
    for end, number in sorted(ends.items()):
        print(f"{number:8,} {end}")
    seconds = time.monotonic() - started
    print(f"{ends.total():,} mutants of {len(seeds)} files in {seconds:.0f} s; canaries touched: {touched}")
    return 1 if touched or ends["lost"] else 0


def knocked(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
