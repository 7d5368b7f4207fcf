"""Damage an archive in ten thousand ways: each time it must be refused, or say exactly what it said before.

    python benchmarks/fuzz_archives.py ARCHIVE [--mutations 10000] [--seed 0]

A quarter of the mutations are of the file as it lies there. The others are made by somebody who knows the format: they
are sealed again, so that the checks behind the seal are met; of a quarter the members' hashes are made to fit, too, and
those must say the same in all that the manifest hash stands for (the embedding endpoint checks vectors on import).
Whatever is neither refused nor the same is printed, and the exit status is 1.
"""

import argparse
import hashlib
import io
import json
import random
import sys
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import _django  # noqa: F401

from ingestion.archive.checking import open_archive
from ingestion.archive.layout import MANIFEST, SEAL, ArchiveError
from ingestion.archive.writing import seal
from knowledge.canonical import canonical_json
from knowledge.digest import digest

INTERESTING = (
    b"\0",
    b"\xff",
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"-",
    b"e9",
    b"99999999999",
    b"null",
)


def said(path: Path, everything: bool = True) -> str:
    """What the archive says of its files, and of everything in them; or of what the manifest hash stands for."""
    found = hashlib.sha256()
    with open_archive(path) as archive:
        for file in archive.files():
            named = [file.record[key] for key in ("path", "sha256", "media_type", "digest")]
            found.update(repr((named, digest(file.sections, file.chunks))).encode())
            if everything:
                told = (file.text, file.sections, file.chunks, file.summaries, file.symbols, file.references)
                found.update(repr((file.record, *told)).encode())
                for vectors in (file.vectors, file.summary_vectors, file.code_vectors, *(file.parts or ())):
                    found.update(vectors.tobytes() if vectors is not None else b"none")
            if archive.has_originals:
                found.update(archive.original(file.record["sha256"], file.record["size"]))
        found.update(canonical_json({name: archive.manifest[name] for name in ("profile", "manifest_hash")}))
    return found.hexdigest()


def mutated(content: bytes, chance: random.Random) -> bytes:
    """One to three changes of bytes, spans and sizes."""
    for _ in range(chance.randint(1, 3)):
        at, other = chance.randrange(len(content) + 1), chance.randrange(len(content) + 1)
        kind = chance.randrange(6)
        if kind == 0 and at < len(content):
            content = content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
        elif kind == 1:
            content = content[:at] + chance.choice(INTERESTING) + content[at + 1 :]
        elif kind == 2:
            content = content[:at] + chance.randbytes(chance.randint(1, 8)) + content[at:]
        elif kind == 3:
            content = content[: min(at, other)] + content[min(max(at, other), min(at, other) + 64) :]
        elif kind == 4:
            piece = content[at : at + chance.randint(1, 200)]
            content = content[:other] + piece + content[other:]
        else:
            lines = content.split(b"\n")
            one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[one], lines[two] = lines[two], lines[one]
            content = b"\n".join(lines)
        content = content or b"\0"
    return content


def resealed(content: bytes) -> bytes:
    file = io.BytesIO(content)
    seal(file)
    return file.getvalue()


def repacked(members: dict[str, bytes], chance: random.Random, fitting: bool) -> bytes:
    """One member changed, packed and sealed; with `fitting`, its hash in the manifest made to fit."""
    name = chance.choice(list(members))
    members = members | {name: mutated(members[name], chance)}
    if fitting and name != MANIFEST:
        manifest: dict[str, Any] = json.loads(members[MANIFEST])
        if name in manifest["members"]:
            fit = {"sha256": hashlib.sha256(members[name]).hexdigest(), "bytes": len(members[name])}
            manifest["members"][name] = fit
        members[MANIFEST] = canonical_json(manifest) + b"\n"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for member, content in members.items():
            packed.writestr(member, content)
        packed.comment = SEAL + b"0" * 64
    return resealed(file.getvalue())


def fuzz(path: Path, mutations: int, seed: int = 0) -> dict[str, Any]:
    chance, original = random.Random(seed), path.read_bytes()  # noqa: S311
    wanted = {everything: said(path, everything) for everything in (True, False)}
    with zipfile.ZipFile(path) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    violations: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        damaged = Path(folder, "damaged.zip")
        for number in range(mutations):
            kind = ("as it lies", "sealed again", "repacked", "made to fit")[number % 4]
            if kind == "as it lies":
                content = mutated(original, chance)
            elif kind == "sealed again":
                content = resealed(mutated(original[: -len(SEAL) - 64], chance) + original[-len(SEAL) - 64 :])
            else:
                content = repacked(members, chance, fitting=kind == "made to fit")
            damaged.write_bytes(content)
            everything = kind != "made to fit"
            try:
                outcome = "identical" if said(damaged, everything) == wanted[everything] else "CHANGED"
            except ArchiveError as error:
                outcome = "refused"
                reasons["".join(c for c in str(error)[:40] if not c.isdigit())] += 1
            except Exception as error:
                outcome = f"BROKE {type(error).__name__}: {error}"
            counts[f"{kind}: {outcome.split()[0]}"] += 1
            if outcome not in ("identical", "refused"):
                violations.append({"number": number, "kind": kind, "outcome": outcome})
    return {
        "mutations": mutations,
        "outcomes": dict(sorted(counts.items())),
        "reasons": len(reasons),
        "violations": violations,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--mutations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    started = time.monotonic()
    report = fuzz(arguments.archive, arguments.mutations, arguments.seed)
    print(json.dumps(report | {"seconds": round(time.monotonic() - started, 1)}, indent=2))
    return 1 if report["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
