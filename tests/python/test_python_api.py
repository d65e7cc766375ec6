# SPDX-License-Identifier: Apache-2.0
"""The Python face: options, bindings, asynchronous runs, typed errors, context managers, stubs."""

import asyncio
import dataclasses
import inspect
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import npugraph

ROOT = Path(__file__).resolve().parents[2]
ULTRAFACE = ROOT / "examples/models/ultraface_rfb320.onnx"
WEIGHT = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)


def model_of(nodes, inputs, outputs, weights=()):
    def ports(rows):
        return [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in rows]

    graph = helper.make_graph(nodes, "graph", ports(inputs), ports(outputs), list(weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def product():
    """y = relu(x @ WEIGHT), x float32 [b, 4]."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
        helper.make_node("Relu", ["h"], ["y"], name="relu"),
    ]
    weights = [numpy_helper.from_array(WEIGHT, "w")]
    x, y = ("x", TensorProto.FLOAT, ["b", 4]), ("y", TensorProto.FLOAT, ["b", 3])
    return model_of(nodes, [x], [y], weights)


def want(x):
    return np.maximum(np.asarray(x) @ WEIGHT, 0)


def near(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.fixture
def session():
    with npugraph.Session(npugraph.compile(product()), threads=1) as made:
        yield made


def raises(error_id, kind, function, *arguments, **options):
    with pytest.raises(kind) as caught:
        function(*arguments, **options)
    assert isinstance(caught.value, npugraph.Error)
    assert caught.value.id == error_id, caught.value
    return caught.value


# options


def test_options_are_a_frozen_dataclass_with_every_field_documented():
    options = npugraph.CompileOptions(device="vnpu", shapes={"x": [2, 4]})
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.device = "cpu"
    document = inspect.getdoc(npugraph.CompileOptions)
    for field in dataclasses.fields(npugraph.CompileOptions):
        assert f"{field.name}" in document
    shapes = {"x": [2, 4]}
    kept = npugraph.CompileOptions(shapes=shapes)
    shapes["x"] = [3, 4]
    assert kept.shapes == {"x": [2, 4]}


def test_options_have_the_words_of_the_library():
    header = (ROOT / "npugraph/api/npugraph.h").read_text()
    body = header[header.index("struct CompileOptions {") :]
    body = body[: body.index("\n};")]
    for field in dataclasses.fields(npugraph.CompileOptions):
        assert f" {field.name} =" in body or f" {field.name};" in body, field.name


def test_fields_override_options():
    options = npugraph.CompileOptions(shapes={"x": [2, 4]}, opt_level=0)
    assert npugraph.compile(product(), options).outputs[0].shape == (2, 3)
    engine = npugraph.compile(product(), options, shapes={"x": [5, 4]})
    assert engine.outputs[0].shape == (5, 3)
    assert engine.describe()["metadata"]["options.opt_level"] == "0"
    assert npugraph.compile(product(), options, shapes=None).outputs[0].shape == ("b", 3)


def test_an_unknown_option_names_the_nearest():
    error = raises("NPU107", TypeError, npugraph.compile, product(), devise="cpu")
    assert isinstance(error, npugraph.UnknownOption)
    assert "did you mean 'device'" in str(error) and "'devise'" in error.found
    raises("NPU107", TypeError, npugraph.compile, product(), {"device": "cpu"})
    error = raises("NPU107", TypeError, npugraph.compile, product(), opt_level="two")
    assert "opt_level" in error.place and "'two'" in error.found
    raises("NPU107", TypeError, npugraph.compile, product(), passes=["fuse_gelu"])
    raises("NPU107", ValueError, npugraph.compile, product(), opt_level=9)
    raises("NPU107", ValueError, npugraph.compile, product(), passes={"fuse_gelo": False})


@pytest.mark.parametrize(
    ("field", "value", "place", "expected"),
    [
        ("passes", {"fuse_gelu": "off"}, "passes['fuse_gelu']", "True or False"),
        ("passes", {"fuse_gelu": 1}, "passes['fuse_gelu']", "True or False"),
        ("passes", {3: True}, "passes", "strings"),
        ("self_check", "no", "self_check", "True or False"),
        ("minimise_memory", 0, "minimise_memory", "True or False"),
        ("reuse_buffers", None, "reuse_buffers", "True or False"),
        ("opt_level", True, "opt_level", "0 to 3"),
        ("opt_level", 1.0, "opt_level", "0 to 3"),
        ("device", 3, "device", "a string"),
        ("shapes", [1, 4], "shapes", "a dict"),
        ("precise", 5, "precise", "strings"),
        ("order", [1, 2], "order", "strings"),
        ("dump_passes", 1, "dump_passes", "a path"),
        ("progress", "yes", "progress", "a function"),
    ],
)
def test_options_of_another_type_are_never_converted(field, value, place, expected):
    error = raises("NPU107", npugraph.UnknownOption, npugraph.CompileOptions, **{field: value})
    assert f"'{place}'" in error.place and expected in error.expected and error.found
    with pytest.raises(npugraph.UnknownOption):
        npugraph.compile(product(), **{field: value})


# bindings


def test_a_binding_runs_in_place(session):
    x, y = np.zeros((2, 4), np.float32), np.full((2, 3), np.nan, np.float32)
    with session.bind({"x": x}, out={"y": y}) as binding:
        assert binding.inputs["x"] is x and binding.outputs["y"] is y
        for seed in range(5):
            x[:] = np.random.default_rng(seed).standard_normal((2, 4))
            assert binding.run()["y"] is y
            near(y, want(x))
    raises("NPU107", ValueError, binding.run)


def test_a_binding_makes_the_outputs_that_are_left_out(session):
    x = np.ones((3, 4), np.float32)
    binding = session.bind({"x": x})
    y = binding.outputs["y"]
    assert y.shape == (3, 3) and y.dtype == np.float32
    binding.run()
    near(y, want(x))
    x *= -2
    assert binding.run()["y"] is y
    near(y, want(x))


def test_a_binding_allocates_nothing(session):
    binding = session.bind({"x": np.ones((3, 4), np.float32)})
    binding.run()
    before = session.counters
    for _ in range(20):
        binding.run()
    assert session.counters == before


def test_bindings_of_several_shapes_live_together(session):
    arrays = [np.full((batch, 4), batch, np.float32) for batch in range(1, 21)]
    bindings = [session.bind({"x": x}) for x in arrays]  # more than plans that stay prepared
    for _ in range(2):
        for binding, x in zip(bindings, arrays, strict=True):
            near(binding.run()["y"], want(x))


def test_a_binding_is_checked_when_it_is_made(session):
    x = np.zeros((2, 4), np.float32)
    raw = np.zeros(33, np.uint8)
    odd = np.frombuffer(raw.data, np.float32, count=8, offset=1).reshape(2, 4)
    raises("NPU604", npugraph.Error, session.bind, {"x": odd})
    raises("NPU603", npugraph.Error, session.bind, {"x": x.astype(np.float64)})
    raises("NPU605", npugraph.Error, session.bind, {"x": np.zeros((2, 8), np.float32)[:, ::2]})
    raises("NPU601", npugraph.Error, session.bind, {"z": x})
    raises("NPU602", npugraph.Error, session.bind, {})
    for error, out in (("NPU603", np.zeros((3, 3), np.float32)), ("NPU603", x.reshape(-1)[:6])):
        raises(error, npugraph.Error, session.bind, {"x": x}, out={"y": out.reshape(-1, 3)})
    with pytest.raises(npugraph.Error):
        session.bind({"x": np.zeros((2, 5), np.float32)})


def test_a_binding_keeps_its_arrays_and_session_alive():
    binding = npugraph.Session(npugraph.compile(product()), threads=1).bind(
        {"x": np.ones((2, 4), np.float32)}
    )
    np.testing.assert_allclose(binding.run()["y"], want(np.ones((2, 4))), rtol=1e-5)


def test_sizes_that_only_running_tells_come_as_new_arrays():
    node = helper.make_node("NonZero", ["x"], ["found"])
    model = model_of(
        [node], [("x", TensorProto.FLOAT, [6])], [("found", TensorProto.INT64, [1, "n"])]
    )
    x = np.array([0, 1, 0, 2, 3, 0], np.float32)
    binding = npugraph.Session(npugraph.compile(model), threads=1).bind({"x": x})
    assert binding.outputs == {}
    np.testing.assert_array_equal(binding.run()["found"], [[1, 3, 4]])
    x[:] = 1
    np.testing.assert_array_equal(binding.run()["found"], [[0, 1, 2, 3, 4, 5]])


# asynchronous runs


def test_async_runs_give_what_run_gives_in_order(session):
    arrays = [np.full((1 + i % 3, 4), i, np.float32) for i in range(30)]
    done = []
    futures = [session.run_async({"x": x}) for x in arrays]
    for number, future in enumerate(futures):
        future.add_done_callback(lambda _, number=number: done.append(number))
    for x, future in zip(arrays, futures, strict=True):
        near(future.result(timeout=60)["y"], want(x))
    session.close()
    assert done == sorted(done)


def test_an_async_run_fails_as_run_does(session):
    future = session.run_async({"x": np.zeros((2, 4), np.float64)})
    with pytest.raises(npugraph.InvalidArgument) as caught:
        future.result(timeout=60)
    assert caught.value.id == "NPU603"
    near(session.run_async({"x": np.ones((1, 4), np.float32)}).result()["y"], want(np.ones((1, 4))))


def test_async_runs_are_awaitable(session):
    binding = session.bind({"x": np.ones((2, 4), np.float32)})

    async def work():
        first = asyncio.wrap_future(session.run_async({"x": np.ones((2, 4), np.float32)}))
        second = asyncio.wrap_future(binding.run_async())
        return await asyncio.gather(first, second)

    for outputs in asyncio.run(work()):
        near(outputs["y"], want(np.ones((2, 4))))


def test_a_session_has_one_worker_and_close_waits_for_it(session):
    before = threading.active_count()
    futures = [session.run_async({"x": np.ones((1, 4), np.float32)}) for _ in range(50)]
    assert threading.active_count() <= before + 1
    session.close()
    assert all(future.done() for future in futures)
    assert threading.active_count() <= before
    raises("NPU107", ValueError, session.run, {"x": np.ones((1, 4), np.float32)})
    raises("NPU107", ValueError, session.run_async, {"x": np.ones((1, 4), np.float32)})


@pytest.mark.parametrize("left", [0, 2])
def test_a_callback_may_close_the_session(session, left):
    x = np.ones((2, 4), np.float32)
    gate, outcome = threading.Event(), []

    def close(_):
        try:
            outcome.append(session.close())
        except RuntimeError as error:
            outcome.append(error)

    # Done in the session's own thread, and not before all are queued.
    session._submit(gate.wait, 10).add_done_callback(close)
    rest = [session.run_async({"x": x}) for _ in range(left)]
    gate.set()
    for future in rest:
        near(future.result(10)["y"], want(x))
    deadline = time.monotonic() + 10
    while not outcome and time.monotonic() < deadline:
        time.sleep(0.01)
    assert outcome == [None]
    raises("NPU107", ValueError, session.run, {"x": x})
    session.close()


def test_a_closed_session_closes_its_bindings(session):
    x = np.ones((2, 4), np.float32)
    bound = session.bind({"x": x})
    near(bound.run()["y"], want(x))
    session.close()
    for run in (bound.run, bound.run_async):
        error = raises("NPU107", ValueError, run)
        assert error.what == "the session is closed" and "listed" not in error.fix
    assert bound.inputs == {} and "closed" in repr(bound)


def test_a_program_with_an_unused_async_session_ends():
    code = (
        "import numpy, npugraph\n"
        f"session = npugraph.Session(npugraph.compile({str(ULTRAFACE)!r}), threads=1)\n"
        "x = numpy.zeros((1, 3, 240, 320), numpy.float32)\n"
        "session.run_async({'input': x})\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# context managers and reprs


def test_engines_and_sessions_are_context_managers(tmp_path):
    path = tmp_path / "a.engine"
    npugraph.compile(product()).save(path)
    x = np.ones((1, 4), np.float32)
    with npugraph.Engine.open(path) as engine, npugraph.Session(engine, threads=1) as session:
        engine.close()
        near(session.run({"x": x})["y"], want(x))  # what runs keeps the engine
        assert "closed" in repr(engine)
        raises("NPU107", ValueError, engine.describe)
    assert "closed" in repr(session)


def test_reprs_tell_what_matters():
    engine = npugraph.compile(product())
    text = repr(engine)
    for word in ("on cpu", "1 node,", " bytes of weights", "x: float32[b, 4]", "y: float32[b, 3]"):
        assert word in text, text
    session = npugraph.Session(engine, threads=3)
    assert "3 threads" in repr(session) and "x: float32[b, 4]" in repr(session)
    assert "x -> y" in repr(session.bind({"x": np.ones((1, 4), np.float32)}))
    assert "cpu" in repr(npugraph.Library())
    assert str(engine.inputs[0]) == "x: float32[b, 4]"


# errors


def test_errors_have_a_class_for_each_code(tmp_path):
    cases = [
        (npugraph.FileNotFound, FileNotFoundError, lambda: npugraph.compile(tmp_path / "no.onnx")),
        (npugraph.NotFound, LookupError, lambda: npugraph.compile(product(), device="gpu")),
        (npugraph.Corrupt, npugraph.Error, lambda: npugraph.compile(b"not a model")),
        (npugraph.InvalidArgument, ValueError, lambda: npugraph.compile(product(), opt_level=-1)),
        (
            npugraph.Cancelled,
            npugraph.Error,
            lambda: npugraph.compile(product(), progress=lambda *_: False),
        ),
    ]
    for kind, builtin, call in cases:
        with pytest.raises(kind) as caught:
            call()
        error = caught.value
        assert isinstance(error, builtin) and isinstance(error, npugraph.Error)
        assert str(error).startswith(error.id + ": ") and error.fix
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and again.id == error.id
    assert issubclass(npugraph.FileNotFound, npugraph.NotFound)
    for name in ("Unsupported", "OutOfMemory", "Incompatible", "Timeout", "Internal"):
        assert issubclass(getattr(npugraph, name), npugraph.Error)


def test_an_object_that_is_no_model_is_refused():
    error = raises("NPU107", ValueError, npugraph.compile, 7)
    assert "int" in error.found and "path" in error.expected


# torch tensors


def test_torch_tensors_go_in_and_out_in_place(session):
    torch = pytest.importorskip("torch")
    x, y = torch.ones(2, 4), torch.full((2, 3), float("nan"))
    outputs = session.run({"x": x}, out={"y": y})
    assert outputs["y"] is y
    near(y.numpy(), want(x.numpy()))
    with session.bind({"x": x}, out={"y": y}) as binding:
        for seed in range(3):
            torch.manual_seed(seed)
            x.copy_(torch.randn(2, 4))
            binding.run()
            near(y.numpy(), want(x.numpy()))
    future = session.run_async({"x": x}, out={"y": y})
    assert future.result(timeout=60)["y"] is y
    raises("NPU605", npugraph.Error, session.run, {"x": torch.ones(4, 2).t()})
    near(session.run({"x": x.requires_grad_()})["y"], want(x.detach().numpy()))
    raises("NPU603", npugraph.Error, session.run, {"x": torch.ones(2, 4, device="meta")})


# interrupts


def test_ctrl_c_while_compiling_does_not_wait_for_the_next_stage():
    calls = []

    def press(stage, fraction):
        calls.append(stage)
        if stage == "optimising" and len(calls) == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        npugraph.compile(ULTRAFACE, progress=press)
    assert "lowering" not in calls and len(calls) <= 6


def test_ctrl_c_from_outside_ends_a_compilation():
    """As a terminal does it, while most of the time goes to the passes' self-check."""
    code = (
        "import npugraph\nprint('ready', flush=True)\n"
        f"npugraph.compile({str(ULTRAFACE)!r}, self_check=True)\nprint('whole', flush=True)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert "whole" not in out and "KeyboardInterrupt" in err


# the package


def test_import_loads_little():
    """Modules, for their number is the same on every machine: numpy alone would add 150."""
    code = (
        "import sys; before = set(sys.modules); import npugraph;"
        "made = set(sys.modules) - before;"
        "print(len(made));"
        "print(sorted(n for n in made if n.split('.')[0] in"
        " ('numpy', 'onnx', 'torch', 'tensorflow', 'asyncio', 'concurrent', 'tempfile')))"
    )
    out = subprocess.check_output([sys.executable, "-c", code], text=True).split("\n")
    assert int(out[0]) < 60
    assert out[1] == "[]"


def test_every_public_name_is_documented():
    for name in npugraph.__all__:
        if name == "__version__":
            continue
        thing = getattr(npugraph, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                public = not member.startswith("_") and (
                    inspect.isfunction(value) or isinstance(value, (classmethod, property))
                )
                simple = ("inputs", "outputs", "devices")
                assert not public or member in simple or inspect.getdoc(value), (name, member)


def test_types_are_whole():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.devnull]
    done = subprocess.run(
        [*command, "--config-file", ROOT / "pyproject.toml", "-p", "npugraph"],
        cwd=ROOT / "npugraph/python",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
