"""Export and import libraries of many chunks: how long, how large, and how much memory.

    AI_TEST_MODE=true python benchmarks/travel.py 20000 200000

For each number of chunks a library of made-up files (5,000 chunks, then the same at other paths) is built in this
database, exported with vectors, and imported under another name, each in a process of its own whose peak of memory is
told. Memory is flat when the peaks are those of the smaller library. Use a scratch database: libraries `travel-N` and
`travelled-N` are made and removed.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

from _setup import set_up_django

SECTIONS_OF_FILE = 20  # of one chunk each
MADE_UP = 5000  # chunks
WORDS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chunks", type=int, nargs="+")
    parser.add_argument("--step", choices=["build", "export", "import", "remove"], help="what one process does")
    parser.add_argument("--file", type=Path)
    arguments = parser.parse_args()
    if arguments.step:
        print(json.dumps(step(arguments.step, arguments.chunks[0], arguments.file)))
        return
    for chunks in arguments.chunks:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "archive.zip")
            for name in ("remove", "build", "export", "import", "remove"):
                told = in_a_process(name, chunks, file)
                if name in ("export", "import"):
                    print(f"{chunks:>9,} chunks  {name}: {told}", flush=True)


def in_a_process(name: str, chunks: int, file: Path) -> str:
    command = [sys.executable, __file__, str(chunks), "--step", name, "--file", str(file)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return ", ".join(f"{value:,} {key}" for key, value in told.items())


def step(name: str, chunks: int, file: Path) -> dict[str, Any]:

    set_up_django()
    from synthetic import remove_library

    from ingestion.archive.reading import import_snapshot
    from ingestion.archive.writing import export_snapshot
    from knowledge.models import Library

    started = time.monotonic()
    slug = f"travel-{chunks}"
    if name == "remove":
        for made in (slug, f"travelled-{chunks}"):
            remove_library(made)
    elif name == "build":
        build(slug, chunks)
    elif name == "export":
        export_snapshot(Library.objects.get(slug=slug).active_snapshot, file, vectors=True)
    else:
        done = import_snapshot(file, slug=f"travelled-{chunks}")
        assert done.manifest_hash == Library.objects.get(slug=slug).active_snapshot.manifest_hash  # noqa: S101
    told: dict[str, Any] = {"s": round(time.monotonic() - started, 1)}
    told["MB peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if name == "export":
        told["MB file"] = file.stat().st_size // 2**20
    return told


def build(slug: str, chunks: int) -> None:
    """Through the stages of a build, without a source, a sandbox and postings, which no archive holds."""
    from ingestion.embedding import embed_missing
    from ingestion.parsers import parse
    from ingestion.profile import profile_settings
    from ingestion.progress import Progress
    from ingestion.reading import Reading
    from ingestion.versions import drafted, make_version
    from knowledge.endpoints import embedding_endpoint
    from knowledge.governance.activation import activate
    from knowledge.models import DocumentFile, IndexProfile, Job, Library, SnapshotFile
    from knowledge.spaces import space_of

    endpoint, chance = embedding_endpoint(), random.Random(chunks)  # noqa: S311
    library = Library.objects.create(slug=slug, name=slug, kind="uploads")
    space = space_of(endpoint)
    snapshot = library.snapshots.create(
        number=1, profile=IndexProfile.objects.for_settings(profile_settings(library, space)), space=space
    )
    progress = Progress(Job(library=library), beats=False)
    written = [made_up(chance).encode() for _ in range(min(chunks, MADE_UP) // SECTIONS_OF_FILE)]
    for number in range(chunks // SECTIONS_OF_FILE):
        path, content = f"folder-{number % 97:02}/file-{number:06}.md", written[number % len(written)]
        reading = Reading(path, path, sha256(content).hexdigest(), content, document=parse(content, path))
        document = DocumentFile.objects.create(library=library, path=path)
        version = make_version(document, reading, drafted(reading, snapshot.profile, endpoint))
        SnapshotFile.objects.create(snapshot=snapshot, document_file=document, file_version=version, identity=path)
    embed_missing(snapshot, endpoint, progress)
    snapshot.seal()
    activate(library, snapshot)


def made_up(chance: random.Random) -> str:
    sections = []
    for number in range(SECTIONS_OF_FILE):
        words = " ".join(f"word{int(chance.paretovariate(0.6)) % 50_000}" for _ in range(WORDS))
        sections.append(f"{'#' if number == 0 else '##'} Section {number} of {chance.randrange(10**6)}\n\n{words}.\n")
    return "\n".join(sections)


if __name__ == "__main__":
    main()
