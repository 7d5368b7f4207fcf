"""The weights of a BERT that was exported to ONNX and quantised to bytes, as float32.

Exporting transposes a matrix and replaces its name by a number; the node that multiplies with it is still named after
its module. A weight is (bytes - zero point) * scale
(https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html).
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

QUANTISED = "_quantized"


def read(path: Path) -> dict[str, np.ndarray]:
    """By their names in the model before it was exported, without a leading `bert.`; matrices as (out, in)."""
    graph = onnx.load(path).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def as_floats(name: str) -> np.ndarray:
        base = name.removesuffix(QUANTISED)
        return (stored[name].astype(np.float32) - stored[f"{base}_zero_point"]) * stored[f"{base}_scale"]

    named = {name: value for name, value in stored.items() if value.dtype == np.float32}
    multiplied = {
        node.input[1]: f"{node.name.strip('/').rpartition('/')[0].replace('/', '.')}.weight"
        for node in graph.node
        if node.op_type == "MatMulInteger" and node.input[1].endswith(QUANTISED)
    }
    matrices = {name: as_floats(theirs).T for theirs, name in multiplied.items()}
    others = (name for name in stored if name.endswith(QUANTISED) and name not in multiplied)
    embeddings = {name.removesuffix(QUANTISED): as_floats(name) for name in others}
    return {name.removeprefix("bert."): value for name, value in (named | embeddings | matrices).items()}
