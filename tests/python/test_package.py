# SPDX-License-Identifier: Apache-2.0
"""The Python package: arrays in place, errors with fields, threads, interrupts."""

import array
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import npugraph

ROOT = Path(__file__).resolve().parents[2]
ULTRAFACE = ROOT / "examples/models/ultraface_rfb320.onnx"
SMALL = sorted((ROOT / "tests/models/nnsmith").glob("m*.onnx"))


def model_of(nodes, inputs, outputs, weights=()):
    def ports(rows):
        return [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in rows]

    graph = helper.make_graph(nodes, "graph", ports(inputs), ports(outputs), list(weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def identity_like(kind, shape, op="Neg"):
    """y = op(x)."""
    node = helper.make_node(op, ["x"], ["y"], name="node")
    return model_of([node], [("x", kind, shape)], [("y", kind, shape)])


@pytest.fixture(scope="module")
def product():
    """y = relu(x @ w), x float32 [b, 4]; and w."""
    weight = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
        helper.make_node("Relu", ["h"], ["y"], name="relu"),
    ]
    model = model_of(
        nodes,
        [("x", TensorProto.FLOAT, ["b", 4])],
        [("y", TensorProto.FLOAT, ["b", 3])],
        [numpy_helper.from_array(weight, "w")],
    )
    return model, weight


@pytest.fixture(scope="module")
def session(product):
    """The product at b = 2."""
    return npugraph.Session(npugraph.compile(product[0], shapes={"x": [2, 4]}), threads=1)


def raises(error_id, function, *arguments, **options):
    """The npugraph.Error of a call that must fail with this id."""
    with pytest.raises(npugraph.Error) as caught:
        function(*arguments, **options)
    assert caught.value.id == error_id, caught.value
    return caught.value


# compile and engines


def test_import_is_quick_and_loads_no_other_package():
    code = (
        "import sys, time; began = time.perf_counter(); import npugraph;"
        "print(time.perf_counter() - began);"
        "print([n for n in ('numpy', 'onnx', 'onnxruntime', 'torch') if n in sys.modules])"
    )
    seconds, loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split("\n")[
        :2
    ]
    assert float(seconds) < 0.5
    assert loaded == "[]"


def test_compile_takes_a_path_bytes_and_a_proto(product, tmp_path):
    model, weight = product
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    x = np.array([[1, -2, 3, 4]], np.float32)
    for source in (path, str(path), model.SerializeToString(), model):
        engine = npugraph.compile(source)
        assert engine.inputs == [("x", "float32", ("b", 4))]
        assert engine.outputs == [("y", "float32", ("b", 3))]
        y = npugraph.Session(engine).run({"x": x})["y"]
        np.testing.assert_allclose(y, np.maximum(x @ weight, 0), rtol=1e-5, atol=1e-6)


def test_shapes_fix_or_name_dims(product):
    for shape in ([5, 4], "5x4"):
        assert npugraph.compile(product[0], shapes={"x": shape}).outputs[0].shape == (5, 3)
    for shape in (["n", 4], "n,4"):
        assert npugraph.compile(product[0], shapes={"x": shape}).outputs[0].shape == ("n", 3)
    raises("NPU107", npugraph.compile, product[0], shapes={"x": [-1, 4]})


def test_one_engine_serves_every_batch(product):
    model, weight = product
    session = npugraph.Session(npugraph.compile(model))
    rng = np.random.default_rng(3)
    for batch in (1, 7, 2, 7):
        x = rng.standard_normal((batch, 4)).astype(np.float32)
        y = session.run({"x": x})["y"]
        np.testing.assert_allclose(y, np.maximum(x @ weight, 0), rtol=1e-5, atol=1e-6)


def test_engines_are_saved_and_opened(product, tmp_path):
    engine = npugraph.compile(product[0])
    path = tmp_path / "ä engine.bin"
    engine.save(path)
    assert os.listdir(tmp_path) == [path.name]
    opened = npugraph.Engine.open(path)
    assert opened.describe() == engine.describe()
    assert engine.times["total_us"] > 0 and opened.times["total_us"] == 0
    assert "float32" in repr(opened)
    x = np.ones((1, 4), np.float32)
    first = npugraph.Session(engine).run({"x": x})["y"]
    np.testing.assert_array_equal(npugraph.Session(path).run({"x": x})["y"], first)


def test_describe_tells_where_nodes_run(product):
    described = npugraph.compile(product[0], device="vnpu", shapes={"x": [2, 4]}).describe()
    assert {node["device"] for node in described["nodes"]} == {"vnpu"}
    described = npugraph.compile(product[0], opt_level=0).describe()
    assert [node["op"] for node in described["nodes"]]


def test_progress_is_told_and_may_stop(product):
    stages = []
    npugraph.compile(product[0], progress=lambda stage, fraction: stages.append((stage, fraction)))
    assert stages and all(0 <= fraction <= 1 for _, fraction in stages)
    assert raises("NPU106", npugraph.compile, product[0], progress=lambda *_: False).code == (
        "kCancelled"
    )

    def broken(*_):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        npugraph.compile(product[0], progress=broken)


def test_ctrl_c_while_compiling_is_a_keyboard_interrupt():
    with pytest.raises(KeyboardInterrupt):
        npugraph.compile(ULTRAFACE, progress=lambda *_: os.kill(os.getpid(), signal.SIGINT))


# arrays


@pytest.mark.parametrize("model", SMALL, ids=lambda path: path.stem)
def test_small_models_give_the_expected_outputs(model):
    with np.load(model.with_suffix(".npz")) as data:
        inputs = {name[3:]: data[name] for name in data.files if name.startswith("in:")}
        expected = {name[4:]: data[name] for name in data.files if name.startswith("out:")}
    outputs = npugraph.Session(npugraph.compile(model), threads=1).run(inputs)
    for name, want in expected.items():
        assert outputs[name].dtype == want.dtype and outputs[name].shape == want.shape
        np.testing.assert_allclose(outputs[name], want, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize(
    "kind", ["FLOAT", "FLOAT16", "DOUBLE", "INT8", "INT16", "INT32", "INT64", "UINT8", "BOOL"]
)
def test_every_dtype_goes_in_and_out(kind):
    number = getattr(TensorProto, kind)
    dtype = helper.tensor_dtype_to_np_dtype(number)
    x = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    op, want = {"BOOL": ("Not", ~x if kind == "BOOL" else None)}.get(
        kind, ("Transpose", x.T.copy())
    )
    shape = list(want.shape)
    node = helper.make_node(op, ["x"], ["y"])
    model = model_of([node], [("x", number, [2, 3])], [("y", number, shape)])
    y = npugraph.Session(npugraph.compile(model)).run({"x": x})["y"]
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, want)


def test_bfloat16_travels_as_bits():
    model = identity_like(TensorProto.BFLOAT16, [3])
    session = npugraph.Session(npugraph.compile(model))
    assert session.inputs[0].dtype == "bfloat16"
    bits = np.array([0x3F80, 0x4000, 0xBF80], np.uint16)  # 1, 2, -1
    y = session.run({"x": bits})["y"]
    assert y.dtype == np.uint16
    np.testing.assert_array_equal(y, bits ^ 0x8000)


class Foreign:
    """An array that shows nothing but one protocol of a numpy array."""

    def __init__(self, held, protocol):
        if protocol == "dlpack":
            self.__class__ = type(
                "OnlyDlpack",
                (),
                {
                    "__dlpack__": lambda _, **options: held.__dlpack__(**options),
                    "__dlpack_device__": lambda _: held.__dlpack_device__(),
                },
            )
        else:
            self.__array_interface__ = held.__array_interface__
            self.held = held


def test_arrays_of_any_protocol_are_taken_in_place(session, product):
    x = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
    want = np.maximum(x @ product[1], 0)
    read_only = x.copy()
    read_only.setflags(write=False)
    sources = [
        x,
        read_only,
        memoryview(x),
        Foreign(x, "dlpack"),
        Foreign(x, "interface"),
        x.tobytes(),
        bytearray(x.tobytes()),
        x.view(np.uint8).ravel(),
        memoryview(array.array("f", x.ravel().tolist())).cast("B").cast("f", [2, 4]),
    ]
    for source in sources:
        np.testing.assert_allclose(session.run({"x": source})["y"], want, rtol=1e-5, atol=1e-6)


def test_dlpack_capsules_are_let_go(session):
    x = np.ones((2, 4), np.float32)
    foreign = Foreign(x, "dlpack")
    before = sys.getrefcount(x)
    for _ in range(10):
        session.run({"x": foreign})
        session.run({"x": x})
    gc.collect()
    assert sys.getrefcount(x) == before


def test_inputs_are_not_copied():
    """The peak of a run over a 256 MiB input that is hardly read stays far below a copy of it."""
    code = """
import resource, numpy as np, onnx, npugraph
from onnx import TensorProto, helper
ends = [onnx.numpy_helper.from_array(np.array([v], np.int64), n) for n, v in (("a", 0), ("b", 1))]
graph = helper.make_graph([helper.make_node("Slice", ["x", "a", "b"], ["y"])], "g",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1 << 26])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])], ends)
session = npugraph.Session(npugraph.compile(helper.make_model(graph,
    opset_imports=[helper.make_opsetid("", 17)])), threads=1)
x = np.zeros(1 << 26, np.float32)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
session.run({"x": x})
print(peak() - before)
"""
    grown_kib = int(subprocess.check_output([sys.executable, "-c", code], text=True))
    assert grown_kib < 64 * 1024


def test_out_is_written_in_place(session, product):
    x = np.ones((2, 4), np.float32)
    y = np.full((2, 3), np.nan, np.float32)
    outputs = session.run({"x": x}, out={"y": y})
    assert outputs["y"] is y
    np.testing.assert_allclose(y, np.maximum(x @ product[1], 0), rtol=1e-5, atol=1e-6)


def test_outputs_outlive_the_next_run(session):
    first = session.run({"x": np.ones((2, 4), np.float32)})["y"]
    kept = first.copy()
    session.run({"x": -np.ones((2, 4), np.float32)})
    np.testing.assert_array_equal(first, kept)


# refusals: what was given and what was expected


def misaligned(shape):
    raw = np.zeros(int(np.prod(shape)) * 4 + 1, np.uint8)
    return np.frombuffer(raw.data, np.float32, count=int(np.prod(shape)), offset=1).reshape(shape)


def test_wrong_arrays_are_refused_with_expected_and_given(session):
    good = np.zeros((2, 4), np.float32)
    error = raises("NPU301", session.run, {"x": np.zeros((3, 4), np.float32)})  # shape
    assert "3x4" in error.found and ("2x4" in error.expected or "[2, 4]" in error.expected)
    error = raises("NPU603", session.run, {"x": good.astype(np.float64)})  # dtype
    assert "float64" in error.found and "float32" in error.expected
    error = raises("NPU603", session.run, {"x": b"\0" * 31})  # byte count
    assert "31 bytes" in error.found and "32 bytes" in error.expected
    error = raises("NPU604", session.run, {"x": misaligned((2, 4))})  # address
    assert error.found and error.expected
    for strided in (good.T.copy().T, np.zeros((2, 8), np.float32)[:, ::2], good[::-1]):  # stride
        error = raises("NPU605", session.run, {"x": strided})
        assert "strides" in error.found and "16, 4" in error.expected
    for error_place in ("x",):
        assert error_place in error.place


def test_wrong_outputs_are_refused(session):
    x = np.zeros((2, 4), np.float32)
    raises("NPU603", session.run, {"x": x}, out={"y": np.zeros((3, 3), np.float32)})
    raises("NPU603", session.run, {"x": x}, out={"y": np.zeros((2, 3), np.int32)})
    raises("NPU605", session.run, {"x": x}, out={"y": np.zeros((2, 6), np.float32)[:, ::2]})
    read_only = np.zeros((2, 3), np.float32)
    read_only.setflags(write=False)
    raises("NPU603", session.run, {"x": x}, out={"y": read_only})
    raises("NPU603", session.run, {"x": x}, out={"y": b"\0" * 24})
    raises("NPU601", session.run, {"x": x}, out={"z": x})


def test_wrong_names_and_objects_are_refused(session):
    x = np.zeros((2, 4), np.float32)
    for unnamed in (x, [x]):
        error = raises("NPU603", session.run, unnamed)
        assert error.found in ("ndarray", "list") and "'x'" in error.expected
    raises("NPU603", session.run, {"x": x}, out=[x])
    raises("NPU603", session.run_async, x)
    error = raises("NPU601", session.run, {"X": x})
    assert "'X'" in error.found and "x" in error.expected
    raises("NPU601", session.run, {1: x})
    raises("NPU602", session.run, {})
    raises("NPU603", session.run, {"x": [[1.0] * 4] * 2})
    raises("NPU603", session.run, {"x": None})
    raises("NPU603", session.run, {"x": x.astype(">f4")})
    raises("NPU603", session.run, {"x": x.astype(np.complex64)})


def test_errors_carry_their_fields_and_survive_pickling(tmp_path):
    error = raises("NPU101", npugraph.compile, tmp_path / "none.onnx")
    assert error.code == "kNotFound" and "none.onnx" in error.place and error.fix
    assert str(error).startswith("NPU101: ") and error.fix in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (again.id, again.place, str(again)) == (error.id, error.place, str(error))
    raises("NPU401", npugraph.compile, ULTRAFACE, device="gpu")
    bad = tmp_path / "bad.engine"
    bad.write_bytes(b"not an engine")
    assert raises("NPU501", npugraph.Engine.open, bad).code == "kCorrupt"
    assert raises("NPU201", npugraph.compile, b"not a model").code == "kCorrupt"


# sessions


def test_threads_take_turns_on_one_session(session, product):
    rng = np.random.default_rng(5)
    inputs = [rng.standard_normal((2, 4)).astype(np.float32) for _ in range(4)]
    failures = []

    def work(x):
        want = np.maximum(x @ product[1], 0)
        for _ in range(200):
            y = session.run({"x": x})["y"]
            if not np.allclose(y, want, rtol=1e-5, atol=1e-6):
                failures.append(y)

    threads = [threading.Thread(target=work, args=(x,)) for x in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_gil_is_free_while_an_engine_runs():
    session = npugraph.Session(npugraph.compile(ULTRAFACE), threads=1)
    inputs = npugraph.random_inputs(session)
    session.run(inputs)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    thread = threading.Thread(target=tick)
    thread.start()
    spans = []
    for _ in range(20):
        began = time.perf_counter()
        session.run(inputs)
        spans.append((began, time.perf_counter()))
    done.set()
    thread.join()
    inside = sum(any(a + (b - a) / 4 < t < b - (b - a) / 4 for t in ticks) for a, b in spans)
    assert inside >= 10  # another thread ran in the middle of most runs


def test_run_layers_gives_every_value(product):
    model, weight = product
    session = npugraph.Session(npugraph.compile(model, opt_level=0))
    x = np.array([[1, -2, 3, 4]], np.float32)
    layers = {layer.name: layer.array for layer in session.run_layers({"x": x})}
    np.testing.assert_allclose(layers["h"], x @ weight, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layers["y"], np.maximum(x @ weight, 0), rtol=1e-5, atol=1e-6)


def test_a_prepared_session_plans_and_allocates_nothing_more(product):
    session = npugraph.Session(npugraph.compile(product[0]), threads=1)
    session.prepare({"x": [3, 4]})
    before = session.counters
    for _ in range(5):
        session.run({"x": np.ones((3, 4), np.float32)})
    after = session.counters
    assert after["prepared_plans"] == before["prepared_plans"]
    assert after["device_allocations"] == before["device_allocations"]
    assert session.times["wall_ns"] > 0 and "cpu" in session.times["busy_ns"]
    raises("NPU602", session.prepare, {})


def test_random_inputs_are_reproducible(product):
    engine = npugraph.compile(product[0])
    one, two = npugraph.random_inputs(engine, 4), npugraph.random_inputs(engine, 4)
    np.testing.assert_array_equal(one["x"], two["x"])
    assert one["x"].shape == (1, 4) and np.all(np.abs(one["x"]) <= 1)
    assert npugraph.random_inputs(engine, 4, open_dim=6)["x"].shape == (6, 4)
    one["x"][0, 0] = 5  # the array is the caller's


# check, devices, operators


def test_check_lists_every_node():
    rows = npugraph.check(ULTRAFACE)
    assert len(rows) == len(onnx.load(ULTRAFACE).graph.node)
    assert {row.device for row in rows} == {"cpu"}
    assert {row.device for row in npugraph.check(ULTRAFACE, device="vnpu")} == {"cpu", "vnpu"}


def test_devices_and_operators_are_listed(tmp_path):
    names = [device.name for device in npugraph.devices()]
    assert "cpu" in names and "vnpu" in names
    operators = {operator.name: operator for operator in npugraph.operators()}
    assert len(operators) > 100
    assert any("Conv" in operator.onnx for operator in operators.values())
    raises("NPU101", npugraph.Library, plugins=["none.so"])
    (tmp_path / "bad.so").write_bytes(b"not a library")
    raises("NPU405", npugraph.Library, plugins=[tmp_path / "bad.so"])


def test_memory_is_not_lost_over_many_engines(product):
    """Resident memory stays level over many compilations, sessions and runs."""

    def resident_kib():
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // 1024

    def once():
        session = npugraph.Session(npugraph.compile(product[0]), threads=1)
        session.run({"x": np.ones((1, 4), np.float32)})

    for _ in range(50):
        once()
    ctypes.CDLL(None).malloc_trim(0)
    before = resident_kib()
    for _ in range(200):
        once()
    ctypes.CDLL(None).malloc_trim(0)
    assert resident_kib() - before < 8 * 1024


def test_a_path_with_a_null_byte_is_refused():
    with pytest.raises(ValueError, match="null byte"):
        npugraph.Session("model\0.engine")


def test_output_memory_may_not_be_the_inputs():
    engine = npugraph.compile(ULTRAFACE)
    session = npugraph.Session(engine, threads=1)
    (port,) = session.inputs
    memory = np.zeros(3 * 240 * 320 + 17680, np.float32)
    image = memory[: 3 * 240 * 320].reshape(1, 3, 240, 320)
    boxes = memory[100 : 100 + 17680].reshape(1, 4420, 4)
    with pytest.raises(npugraph.Error) as caught:
        session.run({port.name: image}, out={"boxes": boxes})
    assert caught.value.id == "NPU603"
