# SPDX-License-Identifier: Apache-2.0
"""Models of other frameworks: PyTorch through torch.onnx, TensorFlow through tf2onnx, and what is
said when the packages are not there. Without TensorFlow, a stand-in for tf2onnx shows how it is
called; tests of PyTorch itself need torch."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from npugraph.frontends.torch import dynamic_axes
from onnx import TensorProto, helper

import npugraph
from npugraph.frontends import exporting, tensorflow

CLI = Path(sys.executable).parent / "npugraph"

STAND_IN = '''
"""Writes what it was called with, and the model beside it."""
import json, pathlib, sys

here = pathlib.Path(__file__).parent
(here / "words.json").write_text(json.dumps(sys.argv[1:]))
if (here / "fails").exists():
    print("some log line")
    print("ValueError: the op FancyOp is not supported")
    sys.exit(1)
output = sys.argv[sys.argv.index("--output") + 1]
pathlib.Path(output).write_bytes((here / "model.onnx").read_bytes())
'''


def negative_model():
    """y = -x, x float32 [n, 2]."""
    graph = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["y"], name="negate")],
        "negative",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def raises(error_id, function, *arguments, **options):
    with pytest.raises(npugraph.Error) as caught:
        function(*arguments, **options)
    assert caught.value.id == error_id, caught.value
    return caught.value


def run_cli(*words, status=0):
    done = subprocess.run(
        [CLI, *map(str, words)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


# TensorFlow


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A folder with modules `tensorflow` and `tf2onnx` that come before any real ones."""
    folder = tmp_path / "stand_in"
    for name in ("tensorflow", "tf2onnx"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("")
    (folder / "tf2onnx/convert.py").write_text(STAND_IN)
    onnx.save(negative_model(), folder / "tf2onnx/model.onnx")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    return folder / "tf2onnx"


@pytest.fixture
def saved_model(tmp_path):
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(b"")
    return folder


def length_field(number, content):
    """A protobuf field with a length below 128."""
    return bytes([number << 3 | 2, len(content)]) + content


def frozen_graph(nodes):
    """A GraphDef of (name, operator, inputs), with fields that are to be skipped."""
    graph = b""
    for name, kind, inputs in nodes:
        node = length_field(1, name.encode()) + length_field(2, kind.encode())
        node += b"".join(length_field(3, word.encode()) for word in inputs)
        node += length_field(5, length_field(1, b"attr"))
        graph += length_field(1, node)
    return graph + bytes([3 << 3, 5]) + length_field(4, bytes([1 << 3, 27]))


FROZEN = [
    ("image", "Placeholder", []),
    ("scale", "Const", []),
    ("scaled", "Mul", ["image", "scale"]),
    ("checked", "Identity", ["scaled:0", "^guard"]),
    ("guard", "NoOp", []),
    ("left", "Relu", ["checked"]),
    ("right", "Tanh", ["checked"]),
]


def words_of(stand_in):
    return json.loads((stand_in / "words.json").read_text())


def test_a_saved_model_goes_through_tf2onnx(stand_in, saved_model):
    engine = npugraph.compile(saved_model, shapes={"x": [3, 2]})
    assert engine.inputs == [("x", "float32", (3, 2))]
    x = np.ones((3, 2), np.float32)
    np.testing.assert_array_equal(npugraph.Session(engine).run({"x": x})["y"], -x)
    words = words_of(stand_in)
    assert words[:2] == ["--saved-model", str(saved_model)] and "--inputs" not in words


def test_names_and_opset_are_handed_on(stand_in, saved_model, tmp_path):
    npugraph.export_onnx(
        saved_model,
        tmp_path / "out.onnx",
        input_names=["serving_x:0", "z"],
        output_names=["y"],
        opset=17,
    )
    words = words_of(stand_in)
    for option, value in (("--inputs", "serving_x:0,z:0"), ("--outputs", "y:0"), ("--opset", "17")):
        assert words[words.index(option) + 1] == value
    assert (tmp_path / "out.onnx").exists()


def test_the_ends_of_a_frozen_graph_are_found(stand_in, tmp_path):
    path = tmp_path / "frozen.pb"
    path.write_bytes(frozen_graph(FROZEN))
    assert tensorflow.graph_ends(str(path)) == (["image"], ["left", "right"])
    npugraph.compile(path)
    words = words_of(stand_in)
    assert words[:2] == ["--graphdef", str(path)]
    assert words[words.index("--inputs") + 1] == "image:0"
    assert words[words.index("--outputs") + 1] == "left:0,right:0"
    assert words[words.index("--rename-outputs") + 1] == "left,right"


@pytest.mark.parametrize("content", [b"\xff" * 40, b"\x0a\x7f", b"\x0a\x02\x0a\x05", b"\x00"])
def test_a_damaged_frozen_graph_is_refused(stand_in, tmp_path, content):
    path = tmp_path / "frozen.pb"
    path.write_bytes(content)
    raises("NPU705", npugraph.compile, path)


def test_the_message_of_tf2onnx_is_kept(stand_in, saved_model):
    (stand_in / "fails").touch()
    error = raises("NPU705", npugraph.compile, saved_model)
    assert isinstance(error, npugraph.Unsupported)
    assert "FancyOp is not supported" in error.found and str(saved_model) in error.place


def test_files_that_are_not_there_are_not_found(stand_in, tmp_path):
    for name in ("no.pb", "no.keras"):
        assert isinstance(
            raises("NPU101", npugraph.compile, tmp_path / name), npugraph.FileNotFound
        )


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch, saved_model, tmp_path):
    (tmp_path / "x.pt2").write_bytes(b"")
    monkeypatch.setattr(exporting.importlib.util, "find_spec", lambda name: None)
    error = raises("NPU702", npugraph.compile, saved_model)
    assert "tf2onnx" in error.found and "pip install tf2onnx tensorflow" in error.fix
    assert isinstance(error, npugraph.NotFound)
    error = raises("NPU702", npugraph.compile, tmp_path / "x.pt2")
    assert "torch" in error.found and "pip install torch" in error.fix


def test_the_command_line_takes_a_saved_model(stand_in, saved_model, tmp_path):
    engine = tmp_path / "a.engine"
    run_cli("compile", saved_model, "-o", engine, "--shape", "x=3x2")
    assert npugraph.Engine.open(engine).inputs == [("x", "float32", (3, 2))]
    assert "1 on cpu" in run_cli("check", saved_model).stdout
    run_cli("run", saved_model, "--random", "1")
    run_cli("compare", saved_model)
    run_cli("optimise", saved_model, "-o", tmp_path / "optimised.onnx")
    path = tmp_path / "frozen.pb"
    path.write_bytes(frozen_graph(FROZEN))
    run_cli("compile", path, "-o", engine, "--input-name", "scaled", "--output-name", "left")
    words = words_of(stand_in)
    assert words[words.index("--inputs") + 1] == "scaled:0"
    assert words[words.index("--outputs") + 1] == "left:0"


def test_the_command_line_keeps_the_exporters_message(stand_in, saved_model, tmp_path):
    (stand_in / "fails").touch()
    done = run_cli("compile", saved_model, "-o", tmp_path / "a.engine", status=2)
    assert "error NPU705" in done.stderr and "FancyOp is not supported" in done.stderr
    assert not (tmp_path / "a.engine").exists()


def test_the_command_line_names_a_missing_package(tmp_path, saved_model, monkeypatch):
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    # Found before any other: find_spec of a name that an import hook hides is None.
    (blocked / "sitecustomize.py").write_text(
        "import importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda n, *a: None if n in ('tf2onnx', 'torch') else real(n, *a)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(blocked), prepend=os.pathsep)
    done = run_cli("compile", saved_model, "-o", tmp_path / "a.engine", status=2)
    assert "error NPU702" in done.stderr and "tf2onnx" in done.stderr


@pytest.mark.slow
def test_real_tensorflow_models_give_tensorflows_numbers(tmp_path):
    for name in ("tf2onnx", "tensorflow"):
        pytest.importorskip(name)
    import tensorflow as tf

    rng = np.random.default_rng(0)

    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.kernel = tf.Variable(rng.standard_normal((3, 3, 2, 4)).astype(np.float32))

        @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 2], tf.float32, name="image")])
        def __call__(self, image):
            return {
                "mean": tf.reduce_mean(
                    tf.nn.relu(tf.nn.conv2d(image, self.kernel, 1, "SAME")), [1, 2]
                )
            }

    module = Module()
    function = module.__call__.get_concrete_function()
    tf.saved_model.save(module, str(tmp_path / "saved"), signatures=function)
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    frozen = convert_variables_to_constants_v2(function)
    tf.io.write_graph(frozen.graph, str(tmp_path), "frozen.pb", as_text=False)
    image = rng.standard_normal((2, 6, 6, 2)).astype(np.float32)
    wanted = module(image)["mean"].numpy()
    for path in (tmp_path / "saved", tmp_path / "frozen.pb"):
        session = npugraph.Session(npugraph.compile(path))
        (outputs,) = session.run({"image": image}).values()
        np.testing.assert_allclose(outputs, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_real_keras_models_give_keras_numbers(tmp_path):
    for name in ("tf2onnx", "tensorflow"):
        pytest.importorskip(name)
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.layers.Input((8,), name="features"),
            keras.layers.Dense(5, activation="swish"),
            keras.layers.Dense(3, activation="softmax"),
        ]
    )
    x = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    wanted = np.asarray(model(x))
    model.save(tmp_path / "model.keras")
    for source in (model, tmp_path / "model.keras"):
        engine = npugraph.compile(source)
        (port,) = engine.inputs
        (outputs,) = npugraph.Session(engine).run({port.name: x}).values()
        np.testing.assert_allclose(outputs, wanted, rtol=1e-4, atol=1e-6)


def test_export_options_need_something_to_export(tmp_path):
    model = negative_model()
    error = raises("NPU107", npugraph.compile, model, args=(1,), output_names=["y"])
    assert error.found == "args, output_names"
    raises("NPU107", npugraph.compile, model.SerializeToString(), dynamic_shapes={"x": {0: "n"}})
    raises("NPU107", npugraph.export_onnx, model, tmp_path / "x.onnx")
    path = tmp_path / "negative.onnx"
    onnx.save(model, path)
    done = run_cli("compile", path, "-o", tmp_path / "a", "--input-name", "x", status=2)
    assert "error NPU107" in done.stderr and "--input-name" in done.stderr


# PyTorch


def test_dynamic_shapes_in_the_words_of_the_older_exporter():
    batch, hint = SimpleNamespace(__name__="batch"), SimpleNamespace()
    named = {"x": {0: batch, 2: "width"}, "y": None, "z": [None, "n", 3]}
    assert dynamic_axes(named, []) == {"x": {0: "batch", 2: "width"}, "z": {1: "n"}}
    assert dynamic_axes(({0: hint}, [batch]), ["a", "b"]) == {"a": {0: "a_0"}, "b": {0: "batch"}}


def test_a_pickled_file_is_refused_with_advice(tmp_path):
    path = tmp_path / "weights.pt"
    path.write_bytes(b"PK")
    assert "torch.export.save" in raises("NPU107", npugraph.compile, path).fix


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def module(torch):
    """score = softmax(gelu(x @ a) + bias), x [batch, 8]; with dropout, which must be off."""
    torch.manual_seed(0)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Linear(8, 16)
            self.dropout = torch.nn.Dropout(0.5)
            self.second = torch.nn.Linear(16, 4)

        def forward(self, x, scale):
            hidden = self.dropout(torch.nn.functional.gelu(self.first(x)))
            return torch.softmax(self.second(hidden) * scale, dim=-1)

    return Net()


def check_against_torch(torch, module, engine, batch):
    x, scale = torch.randn(batch, 8), torch.rand(4)
    was_training = module.training
    module.eval()
    with torch.no_grad():
        wanted = module(x, scale).numpy()
    module.train(was_training)
    session = npugraph.Session(engine, threads=1)
    (score,) = session.run({"x": x, "scale": scale}).values()
    error = np.abs(score - wanted).max() / np.abs(wanted).max()
    assert error < 1e-5


def test_a_module_is_compiled(torch, module):
    module.train()
    module.second.eval()
    example = (torch.randn(2, 8), torch.rand(4))
    engine = npugraph.compile(module, args=example, output_names=["score"])
    assert [port.name for port in engine.outputs] == ["score"]
    assert engine.inputs[0].shape == (2, 8)
    # Compiled for inference; the module itself is as it was.
    assert module.training and module.dropout.training and not module.second.training
    check_against_torch(torch, module, engine, 2)


@pytest.mark.parametrize("exporter", ["dynamo", "torchscript"])
def test_dynamic_shapes_stay_open_with_either_exporter(torch, module, exporter, monkeypatch):
    if exporter == "dynamo":
        pytest.importorskip("onnxscript")
    else:
        real = exporting.importlib.util.find_spec
        monkeypatch.setattr(
            exporting.importlib.util,
            "find_spec",
            lambda name, *rest: None if name == "onnxscript" else real(name, *rest),
        )
    example = (torch.randn(2, 8), torch.rand(4))
    engine = npugraph.compile(
        module, args=example, dynamic_shapes={"x": {0: "batch"}, "scale": None}
    )
    assert engine.inputs[0] == ("x", "float32", ("batch", 8))
    for batch in (1, 5):
        check_against_torch(torch, module, engine, batch)


def test_exported_programs_and_pt2_files_are_compiled(torch, module, tmp_path):
    pytest.importorskip("onnxscript")
    module.eval()
    program = torch.export.export(module, (torch.randn(3, 8), torch.rand(4)))
    check_against_torch(torch, module, npugraph.compile(program), 3)
    path = tmp_path / "net.pt2"
    torch.export.save(program, path)
    check_against_torch(torch, module, npugraph.compile(path), 3)
    bad = tmp_path / "bad.pt2"
    bad.write_bytes(b"not an archive")
    raises("NPU705", npugraph.compile, bad)
    raises("NPU101", npugraph.compile, tmp_path / "none.pt2")


def test_the_message_of_torchs_exporter_is_kept(torch):
    class Branches(torch.nn.Module):
        def forward(self, x):
            raise RuntimeError("this module cannot be traced")

    error = raises("NPU705", npugraph.compile, Branches(), args=(torch.ones(2),))
    assert "this module cannot be traced" in error.found and "Branches" in error.place


def test_a_module_without_inputs_says_what_is_missing(torch, module):
    error = raises("NPU107", npugraph.compile, module)
    assert "args=" in error.expected
