"""What the sandbox costs, and whether it keeps its memory: thousands of files, each in a process of its own.

    python benchmarks/sandbox.py DIR [--files 10000]

Reads the readable files of DIR over and over, one process for each, and prints every tenth of the way what the worker
and the zygote hold. Then the same files once in this process and once each way in the sandbox, for the cost of a file.
"""

import argparse
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import _setup  # noqa: F401

from ingestion.documents import ParseError
from ingestion.parsers import parse, suffix
from ingestion.sandbox.client import Sandbox
from ingestion.sandbox.reading import batches, read_ahead
from ingestion.sandbox.wire import Input

LARGEST = 200_000  # bytes


def resident(pid: int | str) -> float:
    """Megabytes."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def watch(sandbox: Sandbox, files: Iterator[Input], count: int) -> None:
    print("| files | worker MB | zygote MB | open files of the worker |\n| ---: | ---: | ---: | ---: |")
    outcomes = read_ahead(sandbox, ([each] for each in islice(files, count)))
    for number, _ in enumerate(outcomes, start=1):
        if number == 100 or number % (count // 10) == 0:
            zygote = resident(sandbox.zygote.pid) if sandbox.zygote else 0
            print(f"| {number:,} | {resident('self'):.1f} | {zygote:.1f} | {descriptors()} |", flush=True)


def parse_here(files: list[Input]) -> None:
    for data, path in files:
        try:
            parse(data, path)
        except ParseError:
            continue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--files", type=int, default=10_000)
    chosen = parser.parse_args()
    found = (file for file in sorted(chosen.directory.rglob("*")) if file.is_file() and suffix(file.name))
    files = [(file.read_bytes(), file.name) for file in found if file.stat().st_size <= LARGEST]
    sandbox = Sandbox()
    list(read_ahead(sandbox, iter([files[:1]])))
    watch(sandbox, cycle(files), chosen.files)
    parse_here(files)  # imports and caches
    for name, run in (
        ("in this process", lambda: parse_here(files)),
        ("in the sandbox, one by one", lambda: list(read_ahead(sandbox, ([each] for each in files)))),
        ("in the sandbox, as builds do", lambda: list(read_ahead(sandbox, batches(files)))),
    ):
        started, cpu = time.monotonic(), time.process_time()
        run()
        wall, own = time.monotonic() - started, time.process_time() - cpu
        print(f"{name}: {wall:.2f} s for {len(files)} files (processor time of the worker {own:.2f} s)")
    sandbox.close()


if __name__ == "__main__":
    main()
