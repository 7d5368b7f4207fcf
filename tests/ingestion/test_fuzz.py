"""A small share of benchmarks/fuzz_parsers.py, the same on every run: damaged files harm nobody but themselves."""

import random
import socket
from pathlib import Path

import pytest

from benchmarks.fuzz_parsers import GOLDEN, fuzz, knocked, mutants, read_seeds
from ingestion.parsers import suffix
from ingestion.sandbox import Limits
from ingestion.sandbox.client import Sandbox

SEEDS = read_seeds([GOLDEN])
EACH = 12  # mutants of every golden file


@pytest.mark.parametrize("kind", sorted({suffix(path) or "" for _, path in SEEDS}))
def test_damaged_files_of_a_kind_harm_nobody(kind: str, sandbox: Sandbox, tmp_path: Path):
    seeds = [seed for seed in SEEDS if suffix(seed[1]) == kind]
    canary = tmp_path / "canary"
    canary.write_text("sings")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        ends = fuzz(sandbox, mutants(seeds, EACH * len(seeds), random.Random(kind)))
        assert not knocked(server)

    assert ends.total() == EACH * len(seeds) and not ends["lost"]
    assert canary.read_text() == "sings"


@pytest.fixture(scope="module")
def sandbox():
    sandbox = Sandbox(Limits(cpu_seconds=10, wall_seconds=30))
    yield sandbox
    sandbox.close()
