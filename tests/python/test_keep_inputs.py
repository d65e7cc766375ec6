# SPDX-License-Identifier: Apache-2.0
"""Inputs that a model gives a value: constants, unless they are to stay inputs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import npugraph

CLI = Path(sys.executable).parent / "npugraph"
WEIGHT = np.array([[1, 2], [3, 4]], np.float32)


@pytest.fixture
def model(tmp_path):
    """y = x @ w, where w is an input with a value."""
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")],
        "graph",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2]),
            helper.make_tensor_value_info("w", TensorProto.FLOAT, [2, 2]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])],
        [numpy_helper.from_array(WEIGHT, "w")],
    )
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def test_a_value_becomes_a_constant(model):
    engine = npugraph.compile(model)
    assert [port.name for port in engine.inputs] == ["x"]
    x = np.array([[1, 10]], np.float32)
    np.testing.assert_array_equal(npugraph.Session(engine).run({"x": x})["y"], [[31, 42]])


def test_a_kept_input_can_be_given(model, tmp_path):
    engine = npugraph.compile(model, keep_inputs=["w"])
    assert [port.name for port in engine.inputs] == ["x", "w"]
    x = np.array([[1, 10]], np.float32)
    session = npugraph.Session(engine)
    np.testing.assert_array_equal(session.run({"x": x, "w": WEIGHT})["y"], [[31, 42]])
    np.testing.assert_array_equal(session.run({"x": x, "w": 2 * WEIGHT})["y"], [[62, 84]])
    npugraph.optimise(model, tmp_path / "kept.onnx", keep_inputs=["w"])
    assert [value.name for value in onnx.load(tmp_path / "kept.onnx").graph.input] == ["x", "w"]


def test_the_command_line_keeps_inputs_too(model, tmp_path):
    words = [str(CLI), "compile", str(model), "-o", str(tmp_path / "a.engine"), "--keep-input"]
    subprocess.run([*words, "w"], check=True, capture_output=True)
    engine = npugraph.Engine.open(tmp_path / "a.engine")
    assert [port.name for port in engine.inputs] == ["x", "w"]
    done = subprocess.run([*words, "v"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "NPU107" in done.stderr and "x, w" in done.stderr
