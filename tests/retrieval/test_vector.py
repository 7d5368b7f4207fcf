"""Nearest vectors: all compared, or the nearest by signs compared in full."""

import shutil

import numpy as np
import pytest
from django.utils import timezone

from retrieval import matrices
from retrieval.matrices import Matrix, packed_signs, signs_of
from retrieval.results import SearchOptions
from retrieval.search import search
from retrieval.vector import UNKNOWN, cosines_of
from tests.conftest import forget_views, reindex, write

FILES = {
    f"{name}.md": f"# {name}\n\nAll about {name} and its many {name}s.\n" for name in ("tides", "bread", "moon", "oven")
}


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def two_matrices(size: int, dimension: int) -> tuple[Matrix, Matrix]:
    rng = np.random.default_rng(7)
    centres = unit(rng.normal(size=(50, dimension)))
    vectors = unit(centres[rng.integers(0, 50, size)] + rng.normal(scale=0.04, size=(size, dimension)))
    mean = vectors.mean(axis=0)
    return Matrix(vectors, mean, None), Matrix(vectors.astype(np.float16), mean, signs_of(vectors, mean))


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


@pytest.fixture
def large(indexed, monkeypatch, settings, tmp_path):
    """A library whose matrix is kept in files."""
    settings.HOME = tmp_path
    monkeypatch.setattr(matrices, "EXACT_CHUNKS", 1)
    monkeypatch.setattr(matrices, "KEPT_CHUNKS", 1)
    matrices._matrices.clear()
    return indexed("handbook", FILES)


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

    def counted(space, hashes):
        asked.append(len(hashes))
        return read(space, hashes)

    monkeypatch.setattr(matrices, "stored_vectors", counted)
    before = vectors_found()
    write(documents / "handbook", {"aa.md": "# New\n\nTides and the moon.\n"})  # before all others
    reindex(large)
    grown = vectors_found()
    large.document_files.filter(path="moon.md").update(withdrawn_at=timezone.now())
    shrunk = vectors_found()
    shutil.rmtree(tmp_path / "matrices")

    assert asked == [1, 0] and len(before) < len(grown) > len(shrunk)
    assert vectors_found() == shrunk and asked[-1] == len(FILES)


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


@pytest.mark.parametrize("harm", ["cut", "gone", "not to be written"])
def test_what_happens_to_the_files_changes_no_search(large, tmp_path, harm):
    before = vectors_found()
    (folder,) = (tmp_path / "matrices" / str(large.pk)).iterdir()
    if harm == "cut":
        (folder / "vectors.npy").write_bytes((folder / "vectors.npy").read_bytes()[:200])
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
