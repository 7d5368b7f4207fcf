"""Muniment and its peers on the same texts, vectors and questions, in one run, as a Markdown table.

    python benchmarks/peers.py LIBRARY QUESTIONS [--only bm25s_numpy,lancedb_local] [--limit 300] [--rounds 3]

QUESTIONS is a folder in BEIR's format (nDCG@10 is measured where the library holds its documents), or lines of JSON
with a `question` or `text` each. Each program in `benchmarks/peers/` runs in a virtual environment of its own under
--environments, kept for the next run; pip obeys PIP_CONSTRAINT, for instance to choose a build of torch. What peers
build goes into a folder and, for those on Postgres, a database of their own beside Muniment's; both are removed.

First all build, one after another. Then each is asked every question for 30 chunks: that is the quality, and warms up.
Then come the rounds for 10 chunks: small groups of questions, every peer in turn, so that noise hits all alike.
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from _setup import ROOT, set_up_django
from numpy.typing import NDArray

PROGRAMS = ROOT / "benchmarks" / "peers"
OWN = "muniment_search"
PEERS = (
    *("bm25s_numpy", "lancedb_local", "txtai_local"),
    *("haystack_pgvector", "llamaindex_pgvector", "langchain_pgvector"),
)
MODES = ("lexical", "vector", "hybrid")
SCRIPT = re.compile(r"(?m)^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$")  # inline metadata, as PEP 723 has it
HITS, JUDGED_HITS = 10, 30
GROUP = 20  # questions that one peer answers before it is the next one's turn
ROUNDING = 1e-5  # of cosines: as near as the tenth is right


@dataclass
class Peer:
    name: str
    process: subprocess.Popen[str] | None = None
    modes: tuple[str, ...] = ()
    build_seconds: float = 0.0
    index_bytes: int | None = None
    failure: str = ""
    judged: dict[str, list[list[int]]] = field(default_factory=dict)  # mode → the positions found for each question
    found: dict[str, dict[int, list[int]]] = field(default_factory=dict)  # mode → question → positions
    ms: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)

    def ask(self, mode: str, questions: Sequence[int], most: int) -> list[dict[str, Any]]:
        """What was found for each, or why nothing was."""
        if self.process is None or mode not in self.modes:
            return []
        try:
            answers: list[dict[str, Any]] = self.exchange({"mode": mode, "queries": list(questions), "most": most})
        except (OSError, ValueError) as error:
            self.failure, self.process = f"stopped while searching: {error}", None
            return []
        self.errors.setdefault(mode, []).extend(answer["error"] for answer in answers if "error" in answer)
        return answers

    def exchange(self, order: dict[str, Any]) -> Any:
        assert self.process and self.process.stdin and self.process.stdout  # noqa: S101 - opened with pipes
        print(json.dumps(order), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


@dataclass(frozen=True)
class Questions:
    texts: list[str]
    ids: list[str]
    judged: dict[str, dict[str, int]]  # question id → document → grade; empty where nothing was judged


def read_questions(path: Path, limit: int | None) -> Questions:
    from retrieval.evaluation.beir import read_beir

    if path.is_dir():
        judgements = read_beir(path, "test")
        ids = sorted(judgements.queries)[:limit]
        return Questions([judgements.queries[pk] for pk in ids], ids, judgements.judged)
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()][:limit]
    return Questions([row.get("question") or row["text"] for row in rows], [str(n) for n in range(len(rows))], {})


def export(library: str, questions: Questions, folder: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Writes what the peers read. Returns each chunk's document, and each question's cosines (questions, chunks)."""
    from ingestion.chunking.embedding import embedding_text
    from knowledge.models import Chunk
    from retrieval.matrices import content_hashes, stored_vectors
    from retrieval.query import clean
    from retrieval.query_vector import query_vector
    from retrieval.view import one_read

    asked = np.array([query_vector(clean(text)).values for text in questions.texts], np.float32)
    with one_read(None, [library]) as view:
        (searched,) = view.snapshots
        places = {pk: position for position, pk in enumerate(searched.chunk_ids.tolist())}
        vectors = np.zeros((len(places), searched.dimension), np.float32)
        for positions, stored in stored_vectors(searched.space_id, content_hashes(searched)):
            vectors[positions] = stored
        texts, documents = [""] * len(places), [""] * len(places)
        columns = ("pk", "section__breadcrumb", "text", "context", "file_version__document_file__path")
        chunks = Chunk.objects.in_snapshots([searched.pk]).order_by().values_list(*columns)
        for pk, breadcrumb, text, context, path in chunks.iterator(chunk_size=5000):
            texts[places[pk]], documents[places[pk]] = embedding_text(breadcrumb, text, context), path
    described = {"language": searched.language, "library": library, "texts": texts, "queries": questions.texts}
    (folder / "texts.json").write_text(json.dumps(described))
    np.savez(folder / "vectors.npz", vectors=vectors, query_vectors=asked)
    return documents, np.asarray(asked @ vectors.T)


def interpreter(program: Path, environments: Path) -> Path:
    """Of the environment that holds what the program asks for; made unless it is there. Raises CalledProcessError."""
    found = SCRIPT.search(program.read_text())
    if not found:
        return Path(sys.executable)
    metadata = tomllib.loads(re.sub(r"(?m)^# ?", "", found["content"]))
    wanted = "\n".join(metadata["dependencies"])
    folder = environments / program.stem
    python, installed = folder / "bin" / "python", folder / "installed.txt"
    if not installed.exists() or installed.read_text() != wanted:
        print(f"installing {program.stem}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *metadata["dependencies"]], check=True, stdout=sys.stderr)
        installed.write_text(wanted)
    return python


@contextmanager
def own_database(name: str) -> Iterator[tuple[str, Callable[[], int]]]:
    """The URL of an empty database, and how many bytes it has grown by since; dropped in the end."""
    import psycopg
    from django.db import connection
    from psycopg import sql

    connection.ensure_connection()
    server = connection.connection.info
    quoted = sql.Identifier(name)
    with psycopg.connect(
        host=server.host, port=server.port, user=server.user, password=server.password, dbname="postgres"
    ) as admin:
        admin.autocommit = True
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(quoted))
        admin.execute(sql.SQL("CREATE DATABASE {}").format(quoted))

        def size() -> int:
            return int(admin.execute("SELECT pg_database_size(%s)", [name]).fetchone()[0])  # type: ignore[index]

        empty = size()
        try:
            login = ":".join(quote(part, safe="") for part in (server.user, server.password) if part)
            yield f"postgresql://{login}@{server.host}:{server.port}/{name}", lambda: size() - empty
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(quoted))


def start(name: str, exported: Path, environments: Path, stack: ExitStack) -> Peer:
    """A peer that has built, or that says why it has not."""
    peer, program = Peer(name), PROGRAMS / f"{name}.py"
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=exported)))
    database, grown = "", None
    try:
        python = interpreter(program, environments)
    except subprocess.CalledProcessError as error:
        peer.failure = f"could not be installed (pip: {error.returncode})"
        return peer
    if name.endswith("_pgvector"):
        database, grown = stack.enter_context(own_database(f"muniment_peer_{os.getpid()}_{name}"))
    log = stack.enter_context((exported / f"{name}.log").open("w+"))
    print(f"building {name}", file=sys.stderr)
    peer.process = subprocess.Popen(
        [python, program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    stack.callback(end, peer.process)
    try:
        built = peer.exchange({"export": str(exported), "folder": str(folder), "database": database})
    except (OSError, ValueError):
        log.seek(0)
        peer.failure, peer.process = f"failed to build: {(log.read().strip().splitlines() or ['?'])[-1][:160]}", None
        return peer
    peer.modes, peer.build_seconds = tuple(built["modes"]), built["seconds"]
    if name != OWN:
        peer.index_bytes = grown() if grown else sum(path.stat().st_size for path in folder.rglob("*"))
    return peer


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def measure(peers: Sequence[Peer], questions: int, rounds: int) -> None:
    groups = [range(first, min(first + GROUP, questions)) for first in range(0, questions, GROUP)]
    for mode in MODES:
        for group in groups:
            for peer in peers:
                answers = peer.ask(mode, group, JUDGED_HITS)
                peer.judged.setdefault(mode, []).extend(answer.get("found", []) for answer in answers)
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}", file=sys.stderr)
        for mode in MODES:
            for number, group in enumerate(groups):
                shift = (turn + number) % len(peers)
                for peer in [*peers[shift:], *peers[:shift]]:
                    answers = peer.ask(mode, group, HITS)
                    peer.ms.setdefault(mode, []).extend(answer["ms"] for answer in answers if "ms" in answer)
                    found = {n: answer.get("found", []) for n, answer in zip(group, answers, strict=False)}
                    peer.found.setdefault(mode, {}).update(found)


def judges(questions: Questions, documents: Sequence[str]) -> bool:
    from retrieval.evaluation.beir import SUFFIX

    held = {document.removesuffix(SUFFIX) for document in documents}
    return any(held.intersection(judged) for judged in questions.judged.values())


def ndcg(peer: Peer, mode: str, questions: Questions, documents: Sequence[str]) -> float:
    from retrieval.evaluation import metrics
    from retrieval.evaluation.beir import SUFFIX

    scores = []
    for pk, positions in zip(questions.ids, peer.judged[mode], strict=True):
        ranked = dict.fromkeys(documents[position].removesuffix(SUFFIX) for position in positions)
        ranked.pop(pk, None)
        scores.append(metrics.ndcg(list(ranked), questions.judged[pk], 10))
    return metrics.mean(scores)


def recall(found: dict[int, list[int]], cosines: NDArray[np.float32]) -> float:
    """The share of the ten nearest that were found: whatever is as near as the tenth counts."""
    shares = []
    for question, positions in found.items():
        tenth = np.partition(cosines[question], -HITS)[-HITS]
        shares.append(sum(cosines[question][position] >= tenth - ROUNDING for position in positions[:HITS]) / HITS)
    return float(np.mean(shares))


def table(
    peers: Sequence[Peer], questions: Questions, documents: Sequence[str], cosines: NDArray[np.float32]
) -> Iterator[str]:
    from retrieval.evaluation.metrics import percentile

    own = {mode: percentile(times, 0.5) for peer in peers if peer.name == OWN for mode, times in peer.ms.items()}
    yield "| | " + " | ".join(MODES) + " | recall@10 of vectors | build s | MB |"
    yield "|---|---|---|---|---:|---:|---:|"
    for peer in peers:
        if peer.failure:
            yield f"| {peer.name} | {peer.failure} | | | | | |"
            continue
        cells = []
        for mode in MODES:
            times = peer.ms.get(mode, [])
            if not times:
                cells.append("–" if mode not in peer.modes else "failed")
                continue
            quality = f"{ndcg(peer, mode, questions, documents):.3f} · " if questions.judged else ""
            middle = percentile(times, 0.5)
            ratio = f" (× {middle / own[mode]:.2g})" if own.get(mode) and peer.name != OWN else ""
            cells.append(f"{quality}{middle:.1f} / {percentile(times, 0.95):.1f}{ratio}")
        nearest = f"{recall(peer.found['vector'], cosines):.3f}" if peer.ms.get("vector") else "–"
        size = "–" if peer.index_bytes is None else f"{peer.index_bytes / 2**20:,.0f}"
        build = "–" if peer.name == OWN else f"{peer.build_seconds:,.1f}"
        yield f"| {peer.name} | {' | '.join(cells)} | {nearest} | {build} | {size} |"


def notes(peers: Sequence[Peer]) -> Iterator[str]:
    for peer in peers:
        described = " ".join((ast.get_docstring(ast.parse((PROGRAMS / f"{peer.name}.py").read_text())) or "").split())
        yield f"- {peer.name}: {described}"
        for mode in peer.modes:
            empty = sum(not positions for positions in peer.found.get(mode, {}).values())
            if empty:
                yield f"  - {mode}: nothing found for {empty} of {len(peer.found[mode])} questions"
            if errors := peer.errors.get(mode):
                yield f"  - {mode}: {len(errors)} searches failed, the first with {errors[0][:200]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--only", default=",".join(PEERS), help="some of " + ", ".join(PEERS))
    parser.add_argument("--environments", type=Path, help="where virtual environments are made; default: in the home")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()

    set_up_django()
    from django.conf import settings

    names = [OWN, *(name for name in chosen.only.split(",") if name)]
    if unknown := set(names) - {OWN, *PEERS}:
        parser.error(f"there is no peer {min(unknown)}")
    environments = (chosen.environments or Path(settings.HOME) / "peers").resolve()
    environments.mkdir(parents=True, exist_ok=True)
    questions = read_questions(chosen.questions, chosen.limit)
    with ExitStack() as stack:
        exported = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=environments, prefix="export-")))
        documents, cosines = export(chosen.library, questions, exported)
        if not judges(questions, documents):
            questions = replace(questions, judged={})
        peers = [start(name, exported, environments, stack) for name in names]
        measure(peers, len(questions.texts), chosen.rounds)
        print(
            f"{chosen.library}, {len(documents):,} chunks, {len(questions.texts)} questions, {chosen.rounds} rounds: "
            f"{'nDCG@10 · ' if questions.judged else ''}p50 / p95 ms (p50 ÷ Muniment's)\n"
        )
        print("\n".join([*table(peers, questions, documents, cosines), "", *notes(peers)]))


if __name__ == "__main__":
    main()
