# SPDX-License-Identifier: Apache-2.0
"""`npugraph compare --layers` finds the layer that was damaged: weights, biases, scales and
attributes of many operators, one fault a run."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import npugraph

CLI = Path(sys.executable).parent / "npugraph"
ULTRAFACE = Path(__file__).resolve().parents[2] / "examples/models/ultraface_rfb320.onnx"
CONV_FAULTS = 20


class Builder:
    """A model, node by node; each node's name is its output's with "n_" before it."""

    def __init__(self, shape: list[int]) -> None:
        self.random = np.random.default_rng(7)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.shape = shape

    def weight(self, name: str, *dims: int, low: float = -0.5, high: float = 0.5) -> str:
        values = self.random.uniform(low, high, dims).astype(np.float32)
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def ints(self, name: str, *values: int) -> str:
        self.constants.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def add(self, op: str, inputs: list[str], output: str, **attributes) -> str:
        outputs = ["", output] if op in ("LSTM", "GRU") else [output]
        self.nodes.append(helper.make_node(op, inputs, outputs, f"n_{output}", **attributes))
        return output

    def model(self, output: str, rank: int) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "faults",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None] * rank)],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
        onnx.checker.check_model(model)
        return model


def image_model() -> onnx.ModelProto:
    """Convolutions with what stands around them, and two dense layers."""
    b = Builder([1, 3, 16, 16])
    h = b.add("Conv", ["x", b.weight("w1", 8, 3, 3, 3), b.weight("b1", 8)], "conv1", pads=[1] * 4)
    norm = [b.weight("s1", 8, low=0.5, high=2), b.weight("o1", 8), b.weight("m1", 8)]
    h = b.add("BatchNormalization", [h, *norm, b.weight("v1", 8, low=0.5, high=2)], "norm1")
    h = b.add("LeakyRelu", [h], "leaky1", alpha=0.2)
    h = b.add("Conv", [h, b.weight("w2", 8, 1, 3, 3)], "depthwise2", group=8, pads=[1] * 4)
    h = b.add("Elu", [h], "elu2", alpha=1.5)
    h = b.add("ConvTranspose", [h, b.weight("w3", 8, 4, 2, 2), b.weight("b3", 4)], "up3")
    h = b.add("InstanceNormalization", [h, b.weight("s3", 4, low=0.5), b.weight("o3", 4)], "inst3")
    h = b.add("PRelu", [h, b.weight("slope4", 4, 1, 1)], "prelu4")
    h = b.add("AveragePool", [h], "pool4", kernel_shape=[3, 3], strides=[2, 2])
    h = b.add("Flatten", [h], "flat")
    h = b.add("Gemm", [h, b.weight("w5", 16, 256), b.weight("b5", 16)], "dense5", transB=1)
    h = b.add("HardSigmoid", [h], "hard5", alpha=0.15)
    h = b.add("MatMul", [h, b.weight("w6", 16, 10)], "product6")
    h = b.add("Add", [h, b.weight("b6", 10)], "bias6")
    return b.model(b.add("Softmax", [h], "y", axis=-1), 2)


def encoder_model() -> onnx.ModelProto:
    """A transformer's layer."""
    b = Builder([2, 12, 32])
    split = b.ints("heads", 0, 0, 4, 8)
    parts = []
    for name in ("q", "k", "v"):
        h = b.add("MatMul", ["x", b.weight(f"w_{name}", 32, 32)], f"{name}_product")
        h = b.add("Add", [h, b.weight(f"b_{name}", 32)], f"{name}_bias")
        h = b.add("Reshape", [h, split], f"{name}_split")
        order = [0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]
        parts.append(b.add("Transpose", [h], f"{name}_heads", perm=order))
    h = b.add("MatMul", [parts[0], parts[1]], "scores")
    h = b.add("Mul", [h, b.weight("root", 1, low=0.35, high=0.36)], "scaled")
    h = b.add("Softmax", [h], "probabilities", axis=-1)
    h = b.add("MatMul", [h, parts[2]], "mixed")
    h = b.add("Transpose", [h], "joined", perm=[0, 2, 1, 3])
    h = b.add("Reshape", [h, b.ints("width", 0, 0, 32)], "merged")
    h = b.add("MatMul", [h, b.weight("w_o", 32, 32)], "o_product")
    h = b.add("Add", [h, "x"], "residual1")
    norm = [b.weight("s1", 32, low=0.5, high=1.5), b.weight("o1", 32)]
    first = b.add("LayerNormalization", [h, *norm], "norm1", epsilon=1e-5)
    h = b.add("MatMul", [first, b.weight("w_up", 32, 64)], "up_product")
    h = b.add("Add", [h, b.weight("b_up", 64)], "up_bias")
    h = b.add("Gelu", [h], "gelu")
    h = b.add("MatMul", [h, b.weight("w_down", 64, 32)], "down_product")
    h = b.add("Add", [h, first], "residual2")
    norm = [b.weight("s2", 32, low=0.5, high=1.5), b.weight("o2", 32)]
    return b.model(b.add("LayerNormalization", [h, *norm], "y", epsilon=1e-5), 3)


def recurrent_model() -> onnx.ModelProto:
    """LSTM and GRU, one after the other, and a classifier."""
    b = Builder([6, 2, 5])
    lstm = [b.weight("lw", 1, 32, 5), b.weight("lr", 1, 32, 8), b.weight("lb", 1, 64)]
    b.nodes.append(helper.make_node("LSTM", ["x", *lstm], ["lstm"], "n_lstm", hidden_size=8))
    h = b.add("Squeeze", ["lstm", b.ints("direction", 1)], "sequence")
    h = b.add(
        "Clip",
        [h, b.weight("low", low=-0.2, high=-0.2), b.weight("high", low=0.25, high=0.25)],
        "clip",
    )
    gru = [b.weight("gw", 1, 18, 8), b.weight("gr", 1, 18, 6), b.weight("gb", 1, 36)]
    h = b.add("GRU", [h, *gru], "gru", hidden_size=6, linear_before_reset=1)
    h = b.add("Squeeze", [h, b.ints("first", 0)], "state")
    h = b.add("Gemm", [h, b.weight("w", 6, 4), b.weight("b", 4)], "dense")
    return b.model(b.add("LogSoftmax", [h], "y", axis=1), 2)


MODELS = {"image": image_model, "encoder": encoder_model, "recurrent": recurrent_model}

# model: (node's output, what is changed: a constant's name, or (attribute, its value))
FAULTS = {
    "image": [
        ("conv1", "w1"),
        ("conv1", "b1"),
        ("norm1", "s1"),
        ("norm1", "o1"),
        ("norm1", "v1"),
        ("leaky1", ("alpha", 0.4)),
        ("depthwise2", "w2"),
        ("elu2", ("alpha", 1.0)),
        ("up3", "w3"),
        ("inst3", "s3"),
        ("prelu4", "slope4"),
        ("dense5", "w5"),
        ("dense5", "b5"),
        ("dense5", ("alpha", 1.25)),
        ("hard5", ("alpha", 0.25)),
        ("product6", "w6"),
        ("bias6", "b6"),
    ],
    "encoder": [
        ("q_product", "w_q"),
        ("q_bias", "b_q"),
        ("v_product", "w_v"),
        ("scaled", "root"),
        ("o_product", "w_o"),
        ("norm1", "s1"),
        ("norm1", "o1"),
        ("norm1", ("epsilon", 0.1)),
        ("up_product", "w_up"),
        ("up_bias", "b_up"),
        ("probabilities", ("axis", 2)),
        ("down_product", "w_down"),
        ("y", "s2"),
        ("y", "o2"),
    ],
    "recurrent": [
        ("lstm", "lw"),
        ("lstm", "lr"),
        ("lstm", "lb"),
        ("lstm", ("clip", 0.2)),
        ("clip", "low"),
        ("gru", "gw"),
        ("gru", "gr"),
        ("gru", "gb"),
        ("gru", ("linear_before_reset", 0)),
        ("dense", "w"),
        ("dense", "b"),
    ],
}


def first_over(model: Path, engine: Path) -> dict | None:
    command = [CLI, "compare", model, "--engine", engine, "--layers", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    first = json.loads(done.stdout)["first_over_tolerance"]
    assert (first is not None) == (done.returncode == 1)
    return first


def names_the_layer(first: dict | None, output: str, node: str) -> None:
    assert first is not None
    named = {first["name"], first["node"], *first["origins"], *first["unseen"]} - {""}
    assert named & {output, node}, (output, node, first)
    for measure in ("cosine", "max_abs", "relative_error", "relative_euclid"):
        assert np.isfinite(first[measure]), first
    assert first["cosine"] <= 1 and first["max_abs"] > 0
    assert 0 < first["relative_euclid"] and 1e-4 < first["relative_error"]


def apply(model: onnx.ModelProto, output: str, fault: str | tuple) -> None:
    if isinstance(fault, str):
        tensor = next(tensor for tensor in model.graph.initializer if tensor.name == fault)
        values = numpy_helper.to_array(tensor)
        tensor.CopyFrom(numpy_helper.from_array((values * 1.25 + 0.01).astype(np.float32), fault))
        return
    name, value = fault
    node = next(node for node in model.graph.node if output in node.output)
    kept = [attribute for attribute in node.attribute if attribute.name != name]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute(name, value)])


@pytest.fixture(scope="module")
def model_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    files = {}
    for name, make in MODELS.items():
        files[name] = folder / f"{name}.onnx"
        onnx.save(make(), files[name])
    return files


@pytest.mark.parametrize("name", MODELS)
def test_an_undamaged_model_has_no_bad_layer(tmp_path, model_files, name):
    engine = tmp_path / "good.engine"
    npugraph.compile(model_files[name]).save(engine)
    assert first_over(model_files[name], engine) is None


@pytest.mark.parametrize(
    ("name", "output", "fault"),
    [
        pytest.param(name, *row, id="-".join([name, row[0], *np.ravel(row[1])[:1]]))
        for name, rows in FAULTS.items()
        for row in rows
    ],
)
def test_a_damaged_layer_is_named(tmp_path, model_files, name, output, fault):
    model = onnx.load(model_files[name])
    apply(model, output, fault)
    faulty, engine = tmp_path / "faulty.onnx", tmp_path / "faulty.engine"
    onnx.save(model, faulty)
    npugraph.compile(faulty).save(engine)
    names_the_layer(first_over(model_files[name], engine), output, f"n_{output}")


# ---- a real model


def conv_nodes(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    """Convolutions whose weights nothing else reads, in the order of the model."""
    readers = [name for node in model.graph.node for name in node.input]
    weights = {tensor.name for tensor in model.graph.initializer}
    return [
        node
        for node in model.graph.node
        if node.op_type == "Conv" and node.input[1] in weights and readers.count(node.input[1]) == 1
    ]


def chosen_nodes() -> list[str]:
    nodes = conv_nodes(onnx.load(ULTRAFACE))
    picks = np.linspace(0, len(nodes) - 1, CONV_FAULTS).round().astype(int)
    assert len(set(picks)) == CONV_FAULTS
    return [nodes[i].output[0] for i in picks]


@pytest.mark.parametrize("output", chosen_nodes())
def test_a_damaged_convolution_of_a_real_model_is_named(tmp_path, output):
    model = onnx.load(ULTRAFACE)
    node = next(node for node in conv_nodes(model) if node.output[0] == output)
    tensor = next(tensor for tensor in model.graph.initializer if tensor.name == node.input[1])
    tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * 1.1, tensor.name))
    faulty, engine = tmp_path / "faulty.onnx", tmp_path / "faulty.engine"
    onnx.save(model, faulty)
    npugraph.compile(faulty).save(engine)
    first = first_over(ULTRAFACE, engine)
    names_the_layer(first, output, node.name)
    assert len(first["origins"]) <= 4  # a layer, not a stretch of the model
