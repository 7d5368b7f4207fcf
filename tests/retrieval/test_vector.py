"""Nearest vectors: all compared, or the nearest by signs compared in full."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from django.utils import timezone

from knowledge.endpoints.deterministic import BagOfWordsEmbedding
from knowledge.models import Chunk, IndexProfile, Snapshot
from retrieval import matrices, vector
from retrieval.evaluation.recall import exact_cosines
from retrieval.matrices import Matrix, Parts, begins_of, packed_signs, signs_of
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.vector import UNKNOWN, cosines_of
from retrieval.view import one_read
from tests.conftest import forget_views, reindex, write

FILES = {
    f"{name}.md": f"# {name}\n\nAll about {name} and its many {name}s.\n" for name in ("tides", "bread", "moon", "oven")
}


ASKED = ("anchor", "rope", "harbour", "tide")


def passage(*words_of_parts: tuple[str, ...]) -> str:
    """A sentence for each part, whose other words stand nowhere else."""
    filled = ([*words, *(f"{''.join(words)}{number}" for number in range(28))] for words in words_of_parts)
    return "# Notes\n\n" + " ".join(f"{' '.join(words)}." for words in filled) + "\n"


LONG = {
    "log.md": passage(ASKED, ("bread",), ("oven",), ("moon",)),
    "scattered.md": passage(*((word, "more") for word in ASKED)),
}


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def in_parts(matrix: Matrix, seed: int = 5) -> Matrix:
    """The same, of passages of up to four parts; none of them is of one."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 5, len(matrix.vectors))
    counts[counts == 1] = 0
    owners = matrix.vectors.astype(np.float32).repeat(counts, axis=0)
    vectors = unit(owners + rng.normal(scale=0.03, size=owners.shape))
    return replace(matrix, parts=Parts(vectors.astype(matrix.vectors.dtype), begins_of(counts)))


def two_matrices(size: int, dimension: int) -> tuple[Matrix, Matrix]:
    rng = np.random.default_rng(7)
    centres = unit(rng.normal(size=(50, dimension)))
    vectors = unit(centres[rng.integers(0, 50, size)] + rng.normal(scale=0.04, size=(size, dimension)))
    mean = vectors.mean(axis=0)
    coarse = Matrix(vectors.astype(np.float16), size, mean, signs_of(vectors, mean))
    return Matrix(vectors, size, mean, None), coarse


def test_the_nearest_by_signs_hold_the_truly_nearest():
    exact, coarse = two_matrices(20_000, 384)
    nothing = np.empty(0, np.int64)
    shares = []
    for query in exact.vectors[::1000]:
        true = set(np.argsort(-cosines_of(exact, query, nothing, 200))[:10].tolist())
        found = cosines_of(coarse, query, nothing, 200)
        shares.append(len(true & set(np.argsort(-found)[:10].tolist())) / 10)
    assert np.mean(shares) >= 0.95


def test_what_the_other_branch_found_is_compared_too():
    exact, coarse = two_matrices(5_000, 384)
    query = exact.vectors[0]
    far = np.argsort(exact.vectors @ query)[:3]
    found = cosines_of(coarse, query, far, 10)

    assert found[far] == pytest.approx(exact.vectors[far] @ query, abs=1e-3)
    assert (found == UNKNOWN).any()


def by_definition(matrix: Matrix, query: np.ndarray) -> list[float]:
    found = []
    for number, row in enumerate(matrix.vectors.astype(np.float32)):
        own = float(row @ query)
        begin, end = matrix.parts.begins[number : number + 2]
        nearest = max((float(part @ query) for part in matrix.parts.vectors[begin:end].astype(np.float32)), default=own)
        found.append(own + (nearest - own) / 2)
    return found


def test_a_passage_is_lifted_by_its_nearest_part():
    exact, coarse = (in_parts(matrix) for matrix in two_matrices(3_000, 64))
    query, some = exact.vectors[7], np.arange(0, 3_000, 7)
    wanted = by_definition(exact, query)

    assert cosines_of(exact, query, some, 1_500) == pytest.approx(wanted, abs=1e-5)
    found = cosines_of(coarse, query, some, 10)
    known = np.flatnonzero(found > UNKNOWN)
    assert set(some) <= set(known) and len(known) < 3_000
    nearest = known[np.argsort(-(exact.vectors @ query)[known])[:20]]  # the parts of others are not compared
    compared = np.union1d(nearest, some)
    assert found[compared] == pytest.approx(np.array(wanted)[compared], abs=2e-3)


def test_only_what_is_allowed_is_lifted():
    exact, coarse = (in_parts(matrix) for matrix in two_matrices(3_000, 64))
    query, allowed = exact.vectors[7], np.arange(3_000) % 5 == 0
    nothing = np.empty(0, np.int64)
    both = [cosines_of(matrix, query, nothing, 300, allowed) for matrix in (exact, coarse)]

    assert all((found[~allowed] == UNKNOWN).all() for found in both)
    assert both[0] == pytest.approx(both[1], abs=2e-3)


def test_parts_are_chosen_in_the_order_asked_for():
    vectors = np.arange(10, dtype=np.float32).reshape(5, 2)
    parts = Parts(vectors, begins_of(np.array([2, 0, 3]))).of(np.array([2, 1, 0, 2]))

    assert parts.vectors[:, 0].tolist() == [4, 6, 8, 0, 2, 4, 6, 8] and parts.begins.tolist() == [0, 3, 3, 5, 8]


def test_signs_of_any_dimension_are_packed_by_64():
    above = np.random.default_rng(1).random((9, 100)) > 0.5
    packed = packed_signs(above)

    assert packed.shape == (2, 9)
    assert int(np.bitwise_count(packed).sum()) == int(above.sum())


def test_a_small_and_a_large_index_find_the_same(indexed, monkeypatch):
    indexed("handbook", FILES)
    queries = ("tides of the moon", "bread", "oven")
    before = [[hit.source_file for hit in search(None, query, SearchOptions(mode="vector")).hits] for query in queries]
    monkeypatch.setattr(matrices, "EXACT_CHUNKS", 1)
    matrices._matrices.clear()
    forget_views()
    after = [[hit.source_file for hit in search(None, query, SearchOptions(mode="vector")).hits] for query in queries]

    assert after == before


def found_for(query: str) -> dict[str, float]:
    matrices._matrices.clear()
    hits = search(None, query, SearchOptions(mode="vector", remembered=False)).hits
    return {hit.source_file: hit.scores["vector"] for hit in hits}


def test_a_passage_of_which_one_sentence_matches_is_found_by_it(indexed):
    snapshot = indexed("notes", LONG).active_snapshot
    lifted = found_for(" ".join(ASKED))
    settings = {name: value for name, value in snapshot.profile.settings.items() if name != "parts"}
    Snapshot.objects.update(profile=IndexProfile.objects.for_settings(settings))
    plain = found_for(" ".join(ASKED))

    assert Chunk.objects.count() == 2 and list(lifted) == ["log.md", "scattered.md"]
    assert lifted["log.md"] > 1.3 * plain["log.md"] and lifted["log.md"] > 1.3 * lifted["scattered.md"]
    assert plain["log.md"] < 1.3 * plain["scattered.md"]


@pytest.mark.parametrize("most_exact", [30_000, 0])
def test_the_recall_is_measured_by_the_same_definition(indexed, monkeypatch, most_exact):
    indexed("notes", FILES | LONG)
    monkeypatch.setattr(matrices, "EXACT_CHUNKS", most_exact)
    matrices._matrices.clear()
    query = BagOfWordsEmbedding().embed_query(" ".join(ASKED))
    with one_read(None, ("notes",)) as view:
        (truth,) = exact_cosines(view.snapshots[0], query[None, :])
        found = vector.cosines(view, view.snapshots[0].space_id, query.tolist(), (), 10)

    assert len(truth) == len(FILES | LONG) and found.values == pytest.approx(truth, abs=1e-3)


@pytest.fixture
def large(indexed, monkeypatch, settings, tmp_path):
    """A library whose matrix is kept in files."""
    settings.HOME = tmp_path
    monkeypatch.setattr(matrices, "EXACT_CHUNKS", 1)
    monkeypatch.setattr(matrices, "KEPT_CHUNKS", 1)
    matrices._matrices.clear()
    return indexed("handbook", FILES | LONG)


def vectors_found():
    matrices._matrices.clear()  # as a new process would
    return [
        (hit.source_file, hit.scores["vector"])
        for hit in search(None, "moon", SearchOptions(mode="vector", remembered=False)).hits
    ]


def test_a_new_process_finds_the_matrix_in_its_files(large, tmp_path, monkeypatch):
    before = vectors_found()
    monkeypatch.setattr(matrices, "make_matrix", lambda *_: pytest.fail("made again"))

    assert vectors_found() == before and len(list((tmp_path / "matrices" / str(large.pk)).iterdir())) == 1


def test_the_next_matrix_takes_from_the_last_what_it_has(large, tmp_path, documents, monkeypatch):
    asked = []
    read = matrices.stored_vectors

    def counted(searched, hashes):
        asked.append(len(hashes))
        return read(searched, hashes)

    monkeypatch.setattr(matrices, "stored_vectors", counted)
    before = vectors_found()
    write(documents / "handbook", {"aa.md": "# New\n\nTides and the moon.\n"})  # before all others
    reindex(large)
    grown = vectors_found()
    large.document_files.filter(path="moon.md").update(withdrawn_at=timezone.now())
    shrunk = vectors_found()
    after = Chunk.objects.visible_to(None).count()
    shutil.rmtree(tmp_path / "matrices")

    assert asked == [1, 0] and len(before) < len(grown) > len(shrunk)
    assert vectors_found() == shrunk and asked[-1] == after


def test_a_build_leaves_the_matrix_for_the_first_search(large, documents, tmp_path, monkeypatch):
    write(documents / "handbook", {"new.md": "# New\n\nThe moon again.\n"})
    reindex(large)
    monkeypatch.setattr(matrices, "make_matrix", lambda *_: pytest.fail("made again"))

    assert "new.md" in dict(vectors_found())


def test_a_build_goes_on_where_nothing_can_be_prepared(large, documents, monkeypatch):
    monkeypatch.setattr(matrices, "find_or_make", lambda _: (_ for _ in ()).throw(OSError("no room")))
    write(documents / "handbook", {"new.md": "# New\n\nThe moon again.\n"})
    reindex(large)

    assert large.snapshots.count() == 2 and large.jobs.first().events.filter(message__contains="no room").exists()


def test_a_matrix_without_any_parts_is_kept_too(large, tmp_path, documents, monkeypatch):
    for path in LONG:
        (documents / "handbook" / path).unlink()
    reindex(large, force=True)
    before = vectors_found()
    monkeypatch.setattr(matrices, "make_matrix", lambda *_: pytest.fail("made again"))

    assert vectors_found() == before and len(before) == len(FILES)


@pytest.mark.parametrize("harm", ["vectors", "parts", "begins", "gone", "not to be written"])
def test_what_happens_to_the_files_changes_no_search(large, tmp_path, harm):
    before = vectors_found()
    (folder,) = (tmp_path / "matrices" / str(large.pk)).iterdir()
    if (cut := folder / f"{harm}.npy").exists():
        cut.write_bytes(cut.read_bytes()[:200])
    else:
        shutil.rmtree(tmp_path / "matrices")
    if harm == "not to be written":
        (tmp_path / "matrices").write_text("a file is in the way")

    assert vectors_found() == before


def test_only_the_newest_files_are_kept(large, tmp_path, documents):
    for number in range(5):
        write(documents / "handbook", {"new.md": f"# New\n\nEdition {number}.\n"})
        reindex(large)
        vectors_found()

    assert len(list((tmp_path / "matrices" / str(large.pk)).iterdir())) == matrices.KEPT_FILES
