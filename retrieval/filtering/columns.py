"""What is known of each position of a snapshot beside its text: its file, its language, its kind. Kept in memory."""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from knowledge.models import Chunk, SnapshotFile
from knowledge.texts.analysis import composed
from retrieval.view import Cache, SearchedSnapshot, View, unhurried

Mask = NDArray[np.bool_]  # by position: whether a chunk may be found
LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a snapshot, and by position which of them a chunk is of."""

    paths: tuple[str, ...]  # folded, between slashes
    words: frozenset[str]  # of the paths: the letters that stand together
    folders: tuple[str, ...]  # the first of each path, as it is written
    media_types: tuple[str, ...]
    read_in: tuple[str, ...]  # days, as 2026-11-22
    of_chunk: NDArray[np.intp]

    @property
    def bytes(self) -> int:
        texts = (*self.paths, *self.words, *set(self.folders), *self.media_types, *self.read_in)
        return self.of_chunk.nbytes + sum(map(sys.getsizeof, texts))


@dataclass(frozen=True, slots=True)
class Passages:
    """The kinds of chunk in a snapshot, and by position which of them a chunk is."""

    kinds: tuple[tuple[str, str], ...]  # kind, language
    of_chunk: NDArray[np.intp]


_files: Cache[Files] = Cache(128 * 2**20, weigh=lambda files: files.bytes)
_passages: Cache[Passages] = Cache(64 * 2**20, weigh=lambda passages: passages.of_chunk.nbytes)


def files_of(searched: SearchedSnapshot) -> Files:
    return _files.get_or_make(searched.key, partial(read_files, searched))


def passages_of(searched: SearchedSnapshot) -> Passages:
    return _passages.get_or_make(searched.key, partial(read_passages, searched))


def read_files(searched: SearchedSnapshot) -> Files:
    held = SnapshotFile.objects.filter(snapshot=searched.pk)
    members = held.values_list(
        "document_file", "document_file__path", "file_version__media_type", "file_version__created_at"
    )
    with unhurried():
        known = {
            pk: (f"/{folded(path)}/", first_folder(path), media, f"{at:%Y-%m-%d}") for pk, path, media, at in members
        }
    keys, of_chunk = np.unique(searched.chunk_columns.files, return_inverse=True)
    found = [known[key] for key in keys.tolist()]
    paths, folders, media_types, days = zip(*found, strict=True) if found else ((), (), (), ())
    words = frozenset(word for path in paths for word in LETTERS.findall(path))
    return Files(paths, words, folders, media_types, days, of_chunk)


def first_folder(path: str) -> str:
    folder, slash, _ = path.partition("/")
    return sys.intern(folder) if slash else ""


def words_in_paths(view: View, words: Sequence[str]) -> set[str]:
    """Those of the words, of letters alone, that stand in the path of a file here: the name of a folder, or a part."""
    known = [files_of(searched).words for searched in view.snapshots if words]
    return {word for word in words if any(folded(word) in held for held in known)}


def read_passages(searched: SearchedSnapshot) -> Passages:
    """Prose is what is left when the rest is read."""
    named = Chunk.objects.in_snapshots([searched.pk]).exclude(kind="prose", language="")
    of_chunk = np.zeros(len(searched.chunk_ids), np.intp)
    kinds: dict[tuple[str, str], int] = {("prose", ""): 0}
    with unhurried():
        others = list(named.order_by().values_list("pk", "kind", "language"))
    positions = searched.locator()(np.array([pk for pk, _, _ in others], np.int64))
    of_chunk[positions] = [kinds.setdefault((kind, language), len(kinds)) for _, kind, language in others]
    return Passages(tuple(kinds), of_chunk)


def folded(text: str) -> str:
    return composed(text).casefold()
