# SPDX-License-Identifier: Apache-2.0
"""`npugraph compare --layers` finds the layer whose weights were damaged."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

CLI = Path(sys.executable).parent / "npugraph"
ULTRAFACE = Path(__file__).resolve().parents[2] / "examples/models/ultraface_rfb320.onnx"
FAULTS = 20


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
    picks = np.linspace(0, len(nodes) - 1, FAULTS).round().astype(int)
    assert len(set(picks)) == FAULTS
    return [nodes[i].output[0] for i in picks]


def damage(output: str, path: Path) -> str:
    """Writes the model with the weights of one node changed by a tenth; returns the node's name."""
    model = onnx.load(ULTRAFACE)
    node = next(node for node in conv_nodes(model) if node.output[0] == output)
    tensor = next(tensor for tensor in model.graph.initializer if tensor.name == node.input[1])
    tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * 1.1, tensor.name))
    onnx.save(model, path)
    return node.name


@pytest.mark.parametrize("output", chosen_nodes())
def test_the_first_bad_layer_is_named(tmp_path, output):
    name = damage(output, tmp_path / "faulty.onnx")
    engine = tmp_path / "faulty.engine"
    subprocess.run([CLI, "compile", tmp_path / "faulty.onnx", "-o", engine], check=True)
    command = [CLI, "compare", ULTRAFACE, "--engine", engine, "--layers", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    first = json.loads(done.stdout)["first_over_tolerance"]
    named = {first["name"], first["node"], *first["origins"]} - {""}
    assert len(first["origins"]) <= 4  # a layer, not a stretch of the model
    assert named & {output, name}, (output, name, first)
