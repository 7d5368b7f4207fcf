"""Weights out of an ONNX file whose matrices are bytes."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from config.local import gguf_bert, onnx_bert, weights


def test_bytes_become_floats_under_the_names_of_their_modules(tmp_path: Path) -> None:
    """As onnxruntime quantises: a matrix has lost its name, an embedding has not, a bias was never bytes."""
    stored = [
        helper.make_tensor("onnx::MatMul_7_quantized", TensorProto.INT8, [2, 3], [1, 2, 3, -4, 5, 6]),
        helper.make_tensor("onnx::MatMul_7_scale", TensorProto.FLOAT, [], [0.5]),
        helper.make_tensor("onnx::MatMul_7_zero_point", TensorProto.INT8, [], [0]),
        helper.make_tensor("bert.embeddings.word_embeddings.weight_quantized", TensorProto.UINT8, [1, 2], [255, 0]),
        helper.make_tensor("bert.embeddings.word_embeddings.weight_scale", TensorProto.FLOAT, [], [0.1]),
        helper.make_tensor("bert.embeddings.word_embeddings.weight_zero_point", TensorProto.UINT8, [], [250]),
        helper.make_tensor("bert.encoder.layer.0.output.dense.bias", TensorProto.FLOAT, [1], [7.0]),
    ]
    named = "/bert/encoder/layer.0/output/dense/MatMul_quant"
    inputs = ["x", "onnx::MatMul_7_quantized", "x_zero_point", "onnx::MatMul_7_zero_point"]
    graph = helper.make_graph([helper.make_node("MatMulInteger", inputs, ["y"], named)], "g", [], [], stored)
    onnx.save(helper.make_model(graph), tmp_path / "model.onnx")

    read = onnx_bert.read(tmp_path / "model.onnx")

    assert read["encoder.layer.0.output.dense.weight"].tolist() == [[0.5, -2], [1, 2.5], [1.5, 3]]
    assert read["embeddings.word_embeddings.weight"] == pytest.approx(np.array([[0.5, -25]]))
    assert read["encoder.layer.0.output.dense.bias"].tolist() == [7]
    assert all(tensor.dtype == np.float32 for tensor in read.values())


def test_the_packaged_cross_encoder_is_whole() -> None:
    tensors, words = weights.ms_marco_weights()
    assert gguf_bert.layers(tensors) == 12
    assert set(gguf_bert.tensor_names(12)) < set(tensors)
    assert len(words) == len(tensors["embeddings.word_embeddings.weight"]) == 30522
    assert all(np.isfinite(tensor).all() for tensor in tensors.values())
