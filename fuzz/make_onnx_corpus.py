# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of fuzz_onnx_import: small models that between them use every part of the ONNX
format that the reader knows.

    python fuzz/make_onnx_corpus.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROOT = Path(__file__).resolve().parents[1]
FLOAT = TensorProto.FLOAT

# name: (opset, operator, shape of input x, constants, attributes, outputs)
ONE_NODE = {
    "squeeze_11": (11, "Squeeze", [1, 3, 1], {}, {"axes": [0]}, 1),
    "unsqueeze_11": (11, "Unsqueeze", [3], {}, {"axes": [0, 2]}, 1),
    "reduce_mean_11": (11, "ReduceMean", [2, 3], {}, {"axes": [1], "keepdims": 0}, 1),
    "reduce_sum_13": (13, "ReduceSum", [2, 3], {"axes": [1]}, {}, 1),
    "split_11": (11, "Split", [5], {}, {"split": [2, 3]}, 2),
    "split_18": (18, "Split", [5], {}, {"num_outputs": 2}, 2),
    "slice_9": (9, "Slice", [4, 4], {}, {"starts": [1], "ends": [3], "axes": [1]}, 1),
    "slice_13": (
        13,
        "Slice",
        [4, 4],
        {"starts": [1], "ends": [3], "axes": [1], "steps": [1]},
        {},
        1,
    ),
    "pad_10": (10, "Pad", [2, 2], {}, {"pads": [0, 1, 0, 1], "value": 1.0}, 1),
    "pad_18": (18, "Pad", [2, 2], {"pads": [0, 1, 0, 1]}, {"mode": "reflect"}, 1),
    "clip_6": (7, "Clip", [3], {}, {"min": 0.0, "max": 6.0}, 1),
    "top_k_9": (9, "TopK", [4], {}, {"k": 2}, 2),
    "top_k_11": (11, "TopK", [4], {"k": [2]}, {"largest": 0}, 2),
    "softmax_7": (7, "Softmax", [2, 2, 2], {}, {}, 1),
    "log_softmax_11": (11, "LogSoftmax", [2, 3], {}, {"axis": 0}, 1),
    "upsample_7": (7, "Upsample", [1, 1, 2, 2], {}, {"scales": [1.0, 1.0, 2.0, 2.0]}, 1),
    "resize_10": (10, "Resize", [1, 1, 4, 4], {"scales": [1.0, 1.0, 2.0, 0.5]}, {}, 1),
    "group_norm_18": (
        18,
        "GroupNormalization",
        [1, 4, 2],
        {"scale": [1.0, 2.0], "bias": [0.0, 1.0]},
        {"num_groups": 2},
        1,
    ),
    "batch_norm_9": (
        9,
        "BatchNormalization",
        [1, 2, 2],
        {"s": [1.0, 2.0], "b": [0.0, 1.0], "m": [0.0, 1.0], "v": [1.0, 2.0]},
        {},
        1,
    ),
    "conv": (13, "Conv", [1, 1, 5, 5], {"w": [[[[1.0, 2.0], [3.0, 4.0]]]]}, {"pads": [1] * 4}, 1),
    "max_pool": (12, "MaxPool", [1, 1, 5, 5], {}, {"kernel_shape": [2, 2], "ceil_mode": 1}, 2),
    "reshape": (14, "Reshape", [2, 3], {"shape": [0, -1]}, {"allowzero": 0}, 1),
    "expand": (13, "Expand", [1, 3], {"shape": [2, 3]}, {}, 1),
    "gather": (13, "Gather", [4, 2], {"i": [0, -1]}, {"axis": 0}, 1),
    "scatter_9": (9, "Scatter", [4], {"i": [0, 3], "u": [1.0, 2.0]}, {}, 1),
    "one_hot_values": (13, "Cast", [3], {}, {"to": TensorProto.INT64}, 1),
    "tile": (13, "Tile", [2, 2], {"repeats": [1, 2]}, {}, 1),
    "transpose": (13, "Transpose", [2, 3, 4], {}, {"perm": [2, 0, 1]}, 1),
    "non_zero": (13, "NonZero", [2, 2], {}, {}, 1),
    "layer_norm": (17, "LayerNormalization", [2, 3], {"s": [1.0, 1.0, 1.0]}, {}, 1),
    "quantize": (13, "QuantizeLinear", [3], {"s": 0.5}, {}, 1),
    "dropout_7": (7, "Dropout", [3], {}, {"ratio": 0.5}, 1),
    "shape": (15, "Shape", [2, 3, 4], {}, {"start": 1}, 1),
    "cumsum": (14, "CumSum", [2, 3], {"axis": 1}, {"reverse": 1}, 1),
}


def constant(name: str, values) -> onnx.TensorProto:
    array = np.array(values)
    array = array.astype(np.float32 if array.dtype.kind == "f" else np.int64)
    return numpy_helper.from_array(array, name)


def one_node_model(opset, op, dims, constants, attributes, outputs) -> onnx.ModelProto:
    names = [f"y{k}" for k in range(outputs)]
    node = helper.make_node(op, ["x", *constants], names, "node", **attributes)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", FLOAT, dims)],
        [onnx.ValueInfoProto(name=name) for name in names],
        [constant(name, values) for name, values in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def encodings_model() -> onnx.ModelProto:
    """An initializer in every encoding, a sparse one, and constants in every form."""
    tensors = [
        helper.make_tensor("f16", TensorProto.FLOAT16, [2], [0x3C00, 0xC100], raw=False),
        helper.make_tensor("i8", TensorProto.INT8, [2], [-1, 2]),
        helper.make_tensor("b", TensorProto.BOOL, [2], [True, False]),
        helper.make_tensor("u64", TensorProto.UINT64, [1], [2**63]),
        helper.make_tensor("d", TensorProto.DOUBLE, [1], [0.5]),
        onnx.TensorProto(name="i4", data_type=TensorProto.INT4, dims=[3], int32_data=[0x2F, 8]),
        onnx.TensorProto(name="f8", data_type=TensorProto.FLOAT8E4M3FN, dims=[1], raw_data=b"8"),
    ]
    sparse = helper.make_sparse_tensor(
        helper.make_tensor("s", FLOAT, [2], [1.0, 2.0]),
        helper.make_tensor("", TensorProto.INT64, [2], [1, 5]),
        [2, 3],
    )
    nodes = [
        helper.make_node("Constant", [], ["c1"], value_float=1.5),
        helper.make_node("Constant", [], ["c2"], value_ints=[1, 2]),
        helper.make_node("Constant", [], ["c3"], value=constant("", [1.0, 2.0])),
        helper.make_node("Add", ["s", "c1"], ["y"]),
    ]
    names = ["y", "c2", "c3", *(tensor.name for tensor in tensors)]
    graph = helper.make_graph(
        nodes, "g", [], [onnx.ValueInfoProto(name=name) for name in names], tensors
    )
    graph.sparse_initializer.append(sparse)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "fuzz/corpus/onnx_import"
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(ROOT / "tests/python"))
    from test_onnx_damage import MODELS

    models = {name: make() for name, make in MODELS.items()}
    models |= {name: one_node_model(*row) for name, row in ONE_NODE.items()}
    models["encodings"] = encodings_model()
    for name, model in models.items():
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
    print(f"{len(models)} models in {folder}")


if __name__ == "__main__":
    main()
