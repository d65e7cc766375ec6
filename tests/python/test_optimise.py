# SPDX-License-Identifier: Apache-2.0
"""optimise(): a model comes out as ONNX that the checker takes and onnxruntime runs alike."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from models.suite import by_name
from onnx import TensorProto, helper, numpy_helper

import npugraph

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(sys.executable).parent / "npugraph"
ULTRAFACE = ROOT / "examples/models/ultraface_rfb320.onnx"
SMALL = sorted((ROOT / "tests/models/nnsmith").glob("m*.onnx"))
SUITE = [
    "light_shufflenet",
    "magika",
    "minilm_int8",
    "minilm_t128",
    "mobilenetv2",
    "mobilenetv3_large",
    "ppocrv5_rec",
    "silero_vad",
    "yolox_nano",
]


def run(path, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))


def check_same(model, output, inputs):
    """The written model is legal, and gives what onnxruntime gives for the model as it was."""
    onnx.checker.check_model(str(output), full_check=True)
    expected, found = run(model, inputs), run(output, inputs)
    assert list(found) == list(expected)
    for name, wanted in expected.items():
        got = found[name]
        assert got.dtype == wanted.dtype and got.shape == wanted.shape, name
        if wanted.dtype.kind != "f":
            np.testing.assert_array_equal(got, wanted, err_msg=name)
            continue
        largest = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1e-3)
        limit = 2e-5 * largest if wanted.dtype == np.float32 else 1e-2 * largest
        np.testing.assert_allclose(got, wanted, rtol=0, atol=limit, err_msg=name)


def made_up_inputs(path, **options):
    return npugraph.random_inputs(npugraph.compile(path, opt_level=0, **options), 3, open_dim=16)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_ultraface_at_every_level(tmp_path, level):
    output = tmp_path / "out.onnx"
    report = npugraph.optimise(ULTRAFACE, output, opt_level=level)
    assert report.data is None
    assert report.nodes_after <= report.nodes_before
    assert len(onnx.load(output).graph.node) == report.nodes_after
    check_same(ULTRAFACE, output, made_up_inputs(ULTRAFACE))
    assert (level < 2) or sum(report.changes.values()) > 0


@pytest.mark.parametrize("path", SMALL[:40], ids=lambda path: path.stem)
def test_small_models_with_many_operators(tmp_path, path):
    output = tmp_path / "out.onnx"
    npugraph.optimise(path, output)
    check_same(path, output, made_up_inputs(path))


@pytest.fixture(scope="module")
def batch_norm_model(tmp_path_factory):
    """Conv, BatchNormalization, Clip with an If behind them that reads the weights too."""
    random = np.random.default_rng(0)

    def weight(name, *shape, low=-1.0):
        return numpy_helper.from_array(random.uniform(low, 1, shape).astype(np.float32), name)

    def branch(name, op):
        node = helper.make_node(op, ["h", "w"], [name], name=name)
        info = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        return helper.make_graph([node], name, [], [info], [])

    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["a"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["a", "s", "o", "m", "v"], ["n"], name="norm"),
        helper.make_node("Clip", ["n", "zero", "six"], ["h"], name="clip"),
        helper.make_node(
            "If",
            ["c"],
            ["y"],
            name="choice",
            then_branch=branch("t", "Conv"),
            else_branch=branch("e", "ConvTranspose"),
        ),
    ]
    graph = helper.make_graph(
        nodes,
        "graph",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4, 9, "w"]),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [
            weight("w", 4, 4, 3, 3),
            weight("b", 4),
            weight("s", 4),
            weight("o", 4),
            weight("m", 4),
            weight("v", 4, low=0.1),
            numpy_helper.from_array(np.float32(0), "zero"),
            numpy_helper.from_array(np.float32(6), "six"),
        ],
    )
    path = tmp_path_factory.mktemp("model") / "norm.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


@pytest.mark.parametrize("choice", [True, False])
def test_control_flow_and_open_sizes(tmp_path, batch_norm_model, choice):
    output = tmp_path / "out.onnx"
    report = npugraph.optimise(batch_norm_model, output)
    assert report.changes["fuse_conv_batch_norm"] == 1
    x = np.random.default_rng(1).standard_normal((2, 4, 9, 7)).astype(np.float32)
    check_same(batch_norm_model, output, {"x": x, "c": np.array(choice)})


def test_shapes_are_bound(tmp_path, batch_norm_model):
    output = tmp_path / "out.onnx"
    npugraph.optimise(batch_norm_model, output, shapes={"x": [1, 4, 9, 6]})
    dims = onnx.load(output).graph.input[0].type.tensor_type.shape.dim
    assert [dim.dim_value for dim in dims] == [1, 4, 9, 6]


@pytest.mark.parametrize("name", SUITE)
def test_suite_models(tmp_path, suite_file, name):
    model = by_name(name)
    path = suite_file(model)
    output = tmp_path / "out.onnx"
    npugraph.optimise(path, output, opt_level=3)
    check_same(path, output, model.feeds(model.cases[0])[0])


def test_the_command_line_says_what_it_did(tmp_path, batch_norm_model):
    output = tmp_path / "out.onnx"
    words = [str(CLI), "optimise", str(batch_norm_model), "-o", str(output)]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert "nodes: " in text and "fuse_conv_batch_norm" in text
    done = subprocess.run([*words, "--json", "--opt-level", "0"], check=True, capture_output=True)
    described = json.loads(done.stdout)
    assert described["nodes_after"] == described["nodes_before"]
    assert described["data"] == ""


def refused(error_id, *words):
    done = subprocess.run([str(CLI), "optimise", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 2 and f"error {error_id}: " in done.stderr, done.stderr


def test_what_is_refused(tmp_path, batch_norm_model):
    copy = tmp_path / "model.onnx"
    copy.write_bytes(batch_norm_model.read_bytes())
    refused("NPU107", copy, "-o", copy)
    assert copy.read_bytes() == batch_norm_model.read_bytes()
    refused("NPU103", copy, "-o", tmp_path / "missing" / "out.onnx")
    refused("NPU101", tmp_path / "missing.onnx", "-o", tmp_path / "out.onnx")
    refused("NPU107", copy, "-o", tmp_path / "out.onnx", "--opt-level", "4")
    with pytest.raises(npugraph.Error, match="not every ONNX runtime"):
        npugraph.optimise(copy, tmp_path / "out.onnx", passes={"fuse_conv_activation": True})
    with pytest.raises(npugraph.Error):
        npugraph.optimise(copy, tmp_path / "out.onnx", progress=lambda stage, done: False)
    assert sorted(os.listdir(tmp_path)) == ["model.onnx"]


def test_it_stops_between_two_passes(tmp_path, batch_norm_model):
    told = []

    def progress(stage, done):
        told.append((stage, done))
        return [name for name, _ in told].count("optimising") < 4

    with pytest.raises(npugraph.Cancelled) as caught:
        npugraph.optimise(batch_norm_model, tmp_path / "out.onnx", progress=progress)
    assert caught.value.id == "NPU106"
    assert [stage for stage, _ in told] == ["reading"] + ["optimising"] * 4
    fractions = [done for _, done in told]
    assert fractions == sorted(fractions) and fractions[-1] > fractions[1]
    assert os.listdir(tmp_path) == []


def test_options_are_those_of_compile(tmp_path, batch_norm_model):
    options = npugraph.CompileOptions(opt_level=0)
    kept = npugraph.optimise(batch_norm_model, tmp_path / "kept.onnx", options)
    assert kept.nodes_after == kept.nodes_before
    changed = npugraph.optimise(batch_norm_model, tmp_path / "out.onnx", options, opt_level=2)
    assert changed.nodes_after < changed.nodes_before
    with pytest.raises(npugraph.UnknownOption):
        npugraph.optimise(batch_norm_model, tmp_path / "out.onnx", optlevel=2)


@pytest.mark.slow
def test_more_than_two_gibibytes_go_beside_the_model(tmp_path):
    """Three weights of 0.75 GiB, each a product's; written sparse, so that only reading is slow."""
    rows, columns = 2**14, 3 * 2**12
    names = ["w0", "w1", "w2"]
    weights = []
    for index, name in enumerate(names):
        data = tmp_path / f"{name}.bin"
        with data.open("wb") as file:
            file.write(np.full(columns, index + 1, np.float32).tobytes())
            file.truncate(rows * columns * 4)
        weight = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[rows, columns])
        weight.data_location = TensorProto.EXTERNAL
        weight.external_data.add(key="location", value=data.name)
        weights.append(weight)
    nodes = [helper.make_node("MatMul", ["x", name], [f"y{name}"], name=name) for name in names]
    graph = helper.make_graph(
        nodes,
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, rows])],
        [helper.make_tensor_value_info(f"y{name}", TensorProto.FLOAT, None) for name in names],
        weights,
    )
    model = tmp_path / "model.onnx"
    model.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString()
    )
    output = tmp_path / "out" / "small.onnx"
    output.parent.mkdir()
    report = npugraph.optimise(model, output)
    assert report.data is not None and output.stat().st_size < 10_000
    assert sorted(output.parent.iterdir()) == sorted([output, Path(report.data)])
    assert Path(report.data).stat().st_size >= 3 * rows * columns * 4
    onnx.checker.check_model(str(output))
    x = np.zeros((1, rows), np.float32)
    x[0, 0] = 2
    found = run(output, {"x": x})
    for index, name in enumerate(names):
        np.testing.assert_array_equal(found[f"y{name}"], np.full((1, columns), 2.0 * (index + 1)))
