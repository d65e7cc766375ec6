# SPDX-License-Identifier: Apache-2.0
"""npugraph.merge and `npugraph compile A B …`: several models as one engine."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import npugraph

ROOT = Path(__file__).resolve().parents[2]
CLI = Path(sys.executable).parent / "npugraph"
OPERATORS = ("Relu", "Sigmoid", "Tanh", "Neg", "Abs", "Exp", "Softplus", "Sqrt", "Erf", "Floor")


def small(number):
    """y = op(x @ w) + c, x float32 [batch, k]; every model another width, operator and weights."""
    rng = np.random.default_rng(number)
    width = 4 + number
    weights = {
        "w": rng.random((width, 3), dtype=np.float32),
        "c": rng.random(3, dtype=np.float32),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
        helper.make_node(OPERATORS[number], ["h"], ["g"], name="curve"),
        helper.make_node("Add", ["g", "c"], ["y"], name="shift"),
    ]
    graph = helper.make_graph(
        nodes,
        f"small{number}",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", width])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 3])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


@pytest.fixture(scope="module")
def models():
    return {f"m{number}": small(number) for number in range(10)}


@pytest.fixture(scope="module")
def files(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    paths = []
    for name, model in models.items():
        paths.append(folder / f"{name}.onnx")
        onnx.save(model, paths[-1])
    return paths


def inputs_of(batch):
    """Of each model; the batch differs from model to model."""
    rng = np.random.default_rng(3)
    return {
        f"m{number}": rng.random((batch(number), 4 + number), dtype=np.float32)
        for number in range(10)
    }


def reference(models, inputs):
    """What onnxruntime computes, one model at a time."""
    return {
        name: onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        ).run(["y"], {"x": inputs[name]})[0]
        for name, model in models.items()
    }


def test_ten_models_as_one_engine_give_the_same_numbers_as_apart(models):
    engine = npugraph.merge(models)
    assert [port.name for port in engine.inputs] == [f"m{n}/x" for n in range(10)]
    assert [port.name for port in engine.outputs] == [f"m{n}/y" for n in range(10)]
    session = npugraph.Session(engine, threads=2)
    for batch in (lambda _: 2, lambda number: 1 + number % 4):  # each model has its own batch
        inputs = inputs_of(batch)
        merged = session.run({f"{name}/x": x for name, x in inputs.items()})
        wanted = reference(models, inputs)
        for name, model in models.items():
            np.testing.assert_allclose(merged[f"{name}/y"], wanted[name], rtol=1e-5, atol=1e-6)
            alone = npugraph.Session(npugraph.compile(model), threads=2).run({"x": inputs[name]})
            np.testing.assert_array_equal(merged[f"{name}/y"], alone["y"])


def test_merged_models_are_one_task_list(models):
    described = npugraph.merge(models).describe()
    apart = [npugraph.compile(model).describe() for model in models.values()]
    assert len(described["blocks"]) == 1
    assert "10 in all" in repr(npugraph.merge(models))
    assert described["launches"] == sum(row["launches"] for row in apart)
    assert described["metadata"]["merged"] == ", ".join(models)
    assert all(node["name"].split("/")[0] in models for node in described["nodes"])


def test_names_stay_where_no_other_model_has_them(models):
    other = small(0)
    other.graph.input[0].name = other.graph.node[0].input[0] = "image"
    engine = npugraph.merge([other, models["m1"]], names=["a", "b"])
    assert [port.name for port in engine.inputs] == ["image", "x"]
    assert [port.name for port in engine.outputs] == ["a/y", "b/y"]


def test_names_come_from_files_or_numbers(models, files):
    ports = npugraph.merge([files[0], files[0], models["m1"], str(files[2])]).inputs
    assert [port.name for port in ports] == ["m0/x", "m0_2/x", "model3/x", "m2/x"]


def test_shapes_tie_sizes_or_fix_them(models):
    pair = {"a": models["m0"], "b": models["m1"]}
    engine = npugraph.merge(pair)
    assert [port.shape for port in engine.inputs] == [("a.batch", 4), ("b.batch", 5)]
    engine = npugraph.merge(pair, shapes={"a/x": ["n", 4], "b/x": ["n", 5]})
    assert [port.shape for port in engine.inputs] == [("n", 4), ("n", 5)]
    session = npugraph.Session(engine, threads=1)
    ones = [np.ones((2, 4), np.float32), np.ones((3, 5), np.float32)]
    with pytest.raises(npugraph.InvalidArgument):
        session.run({"a/x": ones[0], "b/x": ones[1]})
    engine = npugraph.merge(pair, npugraph.CompileOptions(shapes={"a/x": [7, 4]}))
    assert engine.outputs[0].shape == (7, 3)


def test_control_flow_and_late_sizes_merge():
    node = helper.make_node("NonZero", ["x"], ["found"], name="find")
    graph = helper.make_graph(
        [node],
        "find",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info("found", TensorProto.INT64, [1, "k"])],
    )
    find = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    session = npugraph.Session(npugraph.merge({"a": find, "b": find}), threads=1)
    found = session.run(
        {"a/x": np.array([0, 1, 1], np.float32), "b/x": np.array([5, 0, 0, 0], np.float32)}
    )
    np.testing.assert_array_equal(found["a/found"], [[1, 2]])
    np.testing.assert_array_equal(found["b/found"], [[0]])


def test_what_cannot_be_merged_is_refused(models):
    def fails(error_id, *arguments, **options):
        with pytest.raises(npugraph.Error) as caught:
            npugraph.merge(*arguments, **options)
        assert caught.value.id == error_id, caught.value
        return caught.value

    fails("NPU107", [])
    fails("NPU107", [models["m0"], models["m1"]], names=["a", "a"])
    fails("NPU107", [models["m0"]], names=["a", "b"])
    fails("NPU107", {"a": models["m0"]}, names=["b"])
    fails("NPU107", {"a": models["m0"]}, devise="cpu")
    error = fails("NPU107", {"a": npugraph.compile(models["m0"]), "b": models["m1"]})
    assert "model 'a'" in error.place and "compiled from" in error.fix
    error = fails("NPU201", {"good": models["m0"], "bad": b"junk"})
    assert "model 'bad'" in error.place


# the command line


def run_cli(*words, status=0):
    done = subprocess.run(
        [CLI, *map(str, words)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def test_the_command_line_merges(files, models, tmp_path):
    engine, report = tmp_path / "all.engine", tmp_path / "report.json"
    run_cli("compile", *files, "-o", engine, "--report", report)
    assert json.loads(report.read_text())["models"] == [str(path) for path in files]
    inputs = inputs_of(lambda number: 1 + number % 2)
    session = npugraph.Session(engine, threads=1)
    merged = session.run({f"{name}/x": x for name, x in inputs.items()})
    for name, wanted in reference(models, inputs).items():
        np.testing.assert_allclose(merged[f"{name}/y"], wanted, rtol=1e-5, atol=1e-6)
    # The same bytes as through Python.
    npugraph.merge(files).save(tmp_path / "python.engine")
    assert (tmp_path / "python.engine").read_bytes() == engine.read_bytes()


def test_the_command_line_names_several_models_only(files, tmp_path):
    words = ("compile", files[0], "--name", "z", "-o", tmp_path / "z.npe")
    assert "takes no name" in str(run_cli(*words, status=2))
    assert not (tmp_path / "z.npe").exists()


def test_the_command_line_names_models(files, tmp_path):
    engine = tmp_path / "all.engine"
    run_cli("compile", files[0], files[1], "--name", "a", "--name", "b", "-o", engine)
    assert [port.name for port in npugraph.Engine.open(engine).inputs] == ["a/x", "b/x"]
    done = run_cli("compile", files[0], files[1], "--name", "a", "-o", engine, status=2)
    assert "error NPU107" in done.stderr and "--name" in done.stderr
    done = run_cli("compile", files[0], files[1], "-o", files[1], status=2)
    assert "would replace" in done.stderr
