"""What an adapter makes of a model's weights."""

import errno
import json
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from config.local import gguf_bert


def write_safetensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header, body = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.tobytes()
        kind = {"float32": "F32", "float16": "F16"}[str(tensor.dtype)]
        header[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [len(body), len(body) + len(raw)]}
        body += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def test_half_and_full_precision_are_read_alike(tmp_path: Path) -> None:
    written = {"a": np.arange(6, dtype=np.float16).reshape(2, 3), "b": np.array([0.5, -2], dtype=np.float32)}
    write_safetensors(tmp_path / "x.safetensors", written)
    read = gguf_bert.read_safetensors(tmp_path / "x.safetensors")
    assert all(tensor.dtype == np.float32 for tensor in read.values())
    assert {name: tensor.tolist() for name, tensor in read.items()} == {n: t.tolist() for n, t in written.items()}


def test_an_adapter_adds_its_product_to_the_weight_of_its_name_and_brings_its_head() -> None:
    base = {"layer.weight": np.eye(2, dtype=np.float32), "other.weight": np.ones((2, 2), np.float32)}
    head = {name: np.full(1, place, np.float32) for place, name in enumerate(gguf_bert.HEAD)}
    low_rank = {"layer.a": np.array([[1, 2]], np.float32), "layer.b": np.array([[3], [4]], np.float32)}
    changed = gguf_bert.adapted(base, low_rank | head)
    assert changed.pop("layer.weight").tolist() == [[4, 6], [4, 9]]
    assert changed == head


def test_the_adapter_that_is_shipped_fits_the_model_and_is_sound() -> None:
    adapter = gguf_bert.read_safetensors(next((Path(gguf_bert.__file__).parent / "reader").glob("*.safetensors")))
    known = {name.removesuffix(".weight") for name in gguf_bert.tensor_names(12)}
    assert {name[:-2] for name in adapter if name.endswith((".a", ".b"))} < known
    assert set(gguf_bert.HEAD) < set(adapter)
    assert all(np.isfinite(tensor).all() and np.abs(tensor).max() < 100 for tensor in adapter.values())


def test_a_full_disk_is_said_to_be_one_where_numpy_only_counts() -> None:
    writer = Mock(write_tensors_to_file=lambda: np.ones(1_000_000).tofile("/dev/full"))
    with pytest.raises(OSError, match="No space left") as full:
        gguf_bert.write_out(writer)
    assert full.value.errno == errno.ENOSPC
