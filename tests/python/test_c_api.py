# SPDX-License-Identifier: Apache-2.0
"""The C interface, seen through ctypes; the examples in C and C++; what the installation holds."""

import ctypes
import importlib.util
import re
import sys
import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parents[2]
PREFIX = Path(sys.prefix)
LIBRARY = PREFIX / "lib" / "libnpugraph.so"
INCLUDE = PREFIX / "include"
DEVICES = ["cpu", "vnpu"]

MATMUL = b"""graph "matmul" {
  input %x: float32[2, 3]
  input %w: float32[3, 2]
  %y = MatMul(%x, %w)
  return %y
}"""
OPEN = b"graph { input %x: float32[b, 3] %y = Relu(%x) return %y }"
X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
W = np.array([[1, -1], [0.5, 2], [-2, 0.25]], np.float32)
FLOAT32, INT64 = 1, 7


class Tensor(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
    ]


class NewerTensor(ctypes.Structure):
    """As a later header might have it."""

    _fields_ = [*Tensor._fields_, ("offset", ctypes.c_int64)]


class Port(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("shape", ctypes.c_char_p),
    ]


class Device(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("description", ctypes.c_char_p),
        ("fingerprint", ctypes.c_char_p),
        ("firmware", ctypes.c_char_p),
        ("host_memory", ctypes.c_int32),
        ("virtual_clock", ctypes.c_int32),
    ]


class SessionOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_int64),
        ("late_limit_bytes", ctypes.c_int64),
        ("unplanned_memory", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
    ]


class ErrorInfo(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("id", ctypes.c_int32),
        ("code", ctypes.c_int32),
        *((name, ctypes.c_char_p) for name in "name what place found expected fix".split()),
    ]


class RunTimes(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("wall_ns", ctypes.c_int64),
        ("virtual_ns", ctypes.c_int64),
    ]


def ints(*values):
    return (ctypes.c_int64 * len(values))(*values)


def tensor(array, kind=Tensor, **changes):
    """A tensor over a numpy array, with fields changed."""
    row = kind(ctypes.sizeof(kind), array.ctypes.data, ints(*array.shape), None)
    row.dtype = helper.np_dtype_to_tensor_dtype(array.dtype)
    row.rank = array.ndim
    for name, value in changes.items():
        setattr(row, name, value)
    return row


def array_of(*rows):
    return (type(rows[0]) * len(rows))(*rows)


@pytest.fixture(scope="module")
def npu():
    if not LIBRARY.exists():
        pytest.skip(f"npugraph is not installed under {PREFIX}")
    library = ctypes.CDLL(str(LIBRARY))
    for name in ("version", "last_error", "status_name", "dtype_name"):
        getattr(library, f"npugraph_{name}").restype = ctypes.c_char_p
    for name in ("library_device_count", "engine_input_count", "engine_output_count"):
        getattr(library, f"npugraph_{name}").restype = ctypes.c_int64
    return library


@pytest.fixture(scope="module")
def devices(npu):
    handle = ctypes.c_void_p()
    assert npu.npugraph_library_create(None, ctypes.byref(handle)) == 0
    yield handle
    npu.npugraph_library_destroy(handle)


@pytest.fixture
def make(npu, devices):
    """Functions that make engines and sessions, all destroyed after the test."""
    owned = []

    class Make:
        def options(self, **values):
            handle = ctypes.c_void_p()
            assert npu.npugraph_compile_options_create(ctypes.byref(handle)) == 0
            owned.append((npu.npugraph_compile_options_destroy, handle))
            for name, value in values.items():
                name, value = name.encode(), str(value).encode()
                assert npu.npugraph_compile_options_set(handle, name, value) == 0
            return handle

        def engine(self, graph=MATMUL, **options):
            handle, given = ctypes.c_void_p(), self.options(**options)
            status = npu.npugraph_compile_text(devices, graph, given, ctypes.byref(handle))
            assert status == 0, npu.npugraph_last_error()
            owned.append((npu.npugraph_engine_destroy, handle))
            return handle

        def session(self, graph=MATMUL, **options):
            handle = ctypes.c_void_p()
            engine = self.engine(graph, **options)
            status = npu.npugraph_session_create(devices, engine, None, ctypes.byref(handle))
            assert status == 0, npu.npugraph_last_error()
            owned.append((npu.npugraph_session_destroy, handle))
            return handle

    yield Make()
    for destroy, handle in owned:  # engines before their sessions: any order will do
        destroy(handle)


def run(npu, session, inputs, outputs=()):
    inputs, outputs = list(inputs), list(outputs)
    return npu.npugraph_session_run(
        session,
        array_of(*inputs) if inputs else None,
        ctypes.c_int64(len(inputs)),
        array_of(*outputs) if outputs else None,
        ctypes.c_int64(len(outputs)),
    )


def output(npu, session, index=0):
    """A copy of an output of the last run."""
    row = Tensor(ctypes.sizeof(Tensor))
    status = npu.npugraph_session_output(session, ctypes.c_int64(index), ctypes.byref(row))
    assert status == 0, npu.npugraph_last_error()
    assert row.dtype == FLOAT32 and not row.strides
    dims = [row.dims[axis] for axis in range(row.rank)]
    count = int(np.prod(dims))
    data = ctypes.cast(row.data, ctypes.POINTER(ctypes.c_float))
    return np.array(data[:count], np.float32).reshape(dims)


# What it computes


@pytest.mark.parametrize("device", DEVICES)
def test_a_matmul_writes_into_the_callers_memory(npu, make, device):
    session, y = make.session(device=device), np.full((2, 2), np.nan, np.float32)
    assert run(npu, session, [tensor(X), tensor(W)], [tensor(y)]) == 0, npu.npugraph_last_error()
    assert np.allclose(y, X @ W, rtol=1e-5, atol=0)
    times = RunTimes(ctypes.sizeof(RunTimes))
    assert npu.npugraph_session_times(session, ctypes.byref(times)) == 0
    assert times.wall_ns > 0
    assert (times.virtual_ns > 0) == (device == "vnpu")
    busy = ctypes.c_int64(-1)
    assert npu.npugraph_session_busy_ns(session, device.encode(), ctypes.byref(busy)) == 0
    assert busy.value > 0
    assert npu.npugraph_session_busy_ns(session, b"no such", ctypes.byref(busy)) == 0
    assert busy.value == 0


def test_outputs_lie_in_the_session_where_the_caller_gives_no_memory(npu, make):
    session = make.session()
    assert run(npu, session, [tensor(X), tensor(W)]) == 0
    assert np.allclose(output(npu, session), X @ W)
    assert run(npu, session, [tensor(2 * X), tensor(W)], [Tensor(ctypes.sizeof(Tensor))]) == 0
    assert np.allclose(output(npu, session), 2 * X @ W)


def test_open_dims_take_any_size(npu, make):
    session = make.session(OPEN)
    for batch in (1, 5, 2):
        x = np.random.default_rng(batch).standard_normal((batch, 3)).astype(np.float32)
        dims = tensor(x, data=None)
        assert npu.npugraph_session_prepare(session, ctypes.byref(dims), ctypes.c_int64(1)) == 0
        assert run(npu, session, [tensor(x)]) == 0
        assert np.array_equal(output(npu, session), np.maximum(x, 0))


def test_shapes_given_to_the_compiler_close_open_dims(npu, make, devices):
    options, engine = make.options(), ctypes.c_void_p()
    assert npu.npugraph_compile_options_set_shape(options, b"x", b"4,3") == 0
    assert npu.npugraph_compile_text(devices, OPEN, options, ctypes.byref(engine)) == 0
    port = Port(ctypes.sizeof(Port))
    assert npu.npugraph_engine_input(engine, ctypes.c_int64(0), ctypes.byref(port)) == 0
    assert (port.shape, port.dims[0], port.dims[1]) == (b"[4, 3]", 4, 3)
    npu.npugraph_engine_destroy(engine)


def test_models_come_from_files_and_bytes_and_engines_from_files(npu, devices, make, tmp_path):
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")],
        "graph",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", 3]),
            helper.make_tensor_value_info("w", TensorProto.FLOAT, [3, 2]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b", 2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    content = model.SerializeToString()
    onnx.save(model, tmp_path / "m.onnx")
    path, saved = str(tmp_path / "m.onnx").encode(), str(tmp_path / "m.engine").encode()
    engines = [ctypes.c_void_p() for _ in range(3)]
    size = ctypes.c_int64(len(content))
    assert npu.npugraph_compile_file(devices, path, None, ctypes.byref(engines[0])) == 0
    assert npu.npugraph_compile_bytes(devices, content, size, None, ctypes.byref(engines[1])) == 0
    assert npu.npugraph_engine_save(engines[0], saved) == 0
    assert npu.npugraph_engine_open(saved, ctypes.byref(engines[2])) == 0
    for engine in engines:
        assert npu.npugraph_engine_input_count(engine) == 2
        assert npu.npugraph_engine_output_count(engine) == 1
        port = Port(ctypes.sizeof(Port))
        assert npu.npugraph_engine_output(engine, ctypes.c_int64(0), ctypes.byref(port)) == 0
        assert (port.name, port.dtype, port.rank) == (b"y", FLOAT32, 2)
        assert (port.shape, port.dims[0], port.dims[1]) == (b"[b, 2]", -1, 2)
        json = ctypes.c_char_p()
        assert npu.npugraph_engine_describe(engine, ctypes.byref(json)) == 0
        assert json.value.startswith(b"{") and b"product" in json.value
        session = ctypes.c_void_p()
        assert npu.npugraph_session_create(devices, engine, None, ctypes.byref(session)) == 0
        npu.npugraph_engine_destroy(engine)  # the session keeps what it needs
        assert run(npu, session, [tensor(X), tensor(W)]) == 0
        assert np.allclose(output(npu, session), X @ W)
        npu.npugraph_session_destroy(session)


def test_devices_are_listed(npu, devices):
    names = []
    for index in range(npu.npugraph_library_device_count(devices)):
        device = Device(ctypes.sizeof(Device))
        status = npu.npugraph_library_device(devices, ctypes.c_int64(index), ctypes.byref(device))
        assert status == 0
        assert device.description and device.fingerprint
        names.append(device.name.decode())
    assert names[0] == "cpu" and "vnpu" in names


def test_progress_is_told_and_can_stop_the_work(npu, devices, make):
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_double, ctypes.c_void_p)
    stages, options, engine = [], make.options(), ctypes.c_void_p()
    told = kind(lambda stage, fraction, user: stages.append((stage, fraction, user)) or 1)
    assert npu.npugraph_compile_options_set_progress(options, told, ctypes.c_void_p(7)) == 0
    assert npu.npugraph_compile_text(devices, MATMUL, options, ctypes.byref(engine)) == 0
    npu.npugraph_engine_destroy(engine)
    assert [row[0] for row in stages][0] == b"reading" and {row[2] for row in stages} == {7}
    stop = kind(lambda stage, fraction, user: 0)
    assert npu.npugraph_compile_options_set_progress(options, stop, None) == 0
    assert npu.npugraph_compile_text(devices, MATMUL, options, ctypes.byref(engine)) == 106
    assert not engine.value


# What it refuses


def test_every_pointer_may_be_null_and_is_named(npu, devices, make):
    """Each function with each of its pointers null: never a crash."""
    engine, session, options = make.engine(), make.session(), make.options()
    made, row, zero = ctypes.c_void_p(), Tensor(ctypes.sizeof(Tensor)), ctypes.c_int64(0)
    out, one = ctypes.byref(made), ctypes.c_int64(1)
    calls = {
        "library": [
            (npu.npugraph_library_create, (None, None)),
            (npu.npugraph_library_device, (None, zero, out)),
            (npu.npugraph_compile_file, (None, b"x", None, out)),
            (npu.npugraph_session_create, (None, engine, None, out)),
        ],
        "options": [
            (npu.npugraph_compile_options_create, (None,)),
            (npu.npugraph_compile_options_set, (None, b"device", b"cpu")),
            (npu.npugraph_compile_options_set_shape, (None, b"x", b"1")),
            (npu.npugraph_compile_options_set_pass, (None, b"x", 1)),
            (npu.npugraph_compile_options_set_progress, (None, None, None)),
        ],
        "name": [
            (npu.npugraph_compile_options_set, (options, None, b"cpu")),
            (npu.npugraph_compile_options_set_shape, (options, None, b"1")),
            (npu.npugraph_compile_options_set_pass, (options, None, 1)),
            (npu.npugraph_session_busy_ns, (session, None, out)),
        ],
        "value": [(npu.npugraph_compile_options_set, (options, b"device", None))],
        "shape": [(npu.npugraph_compile_options_set_shape, (options, b"x", None))],
        "path": [
            (npu.npugraph_compile_file, (devices, None, None, out)),
            (npu.npugraph_engine_open, (None, out)),
            (npu.npugraph_engine_save, (engine, None)),
        ],
        "model": [(npu.npugraph_compile_bytes, (devices, None, one, None, out))],
        "graph": [(npu.npugraph_compile_text, (devices, None, None, out))],
        "engine": [
            (npu.npugraph_compile_text, (devices, MATMUL, None, None)),
            (npu.npugraph_engine_open, (b"x", None)),
            (npu.npugraph_engine_save, (None, b"x")),
            (npu.npugraph_engine_input, (None, zero, out)),
            (npu.npugraph_engine_output, (None, zero, out)),
            (npu.npugraph_engine_describe, (None, out)),
            (npu.npugraph_session_create, (devices, None, None, out)),
        ],
        "port": [(npu.npugraph_engine_input, (engine, zero, None))],
        "json": [(npu.npugraph_engine_describe, (engine, None))],
        "device": [(npu.npugraph_library_device, (devices, zero, None))],
        "session": [
            (npu.npugraph_session_create, (devices, engine, None, None)),
            (npu.npugraph_session_prepare, (None, ctypes.byref(row), one)),
            (npu.npugraph_session_run, (None, None, zero, None, zero)),
            (npu.npugraph_session_output, (None, zero, ctypes.byref(row))),
            (npu.npugraph_session_times, (None, out)),
            (npu.npugraph_session_busy_ns, (None, b"cpu", out)),
        ],
        "inputs": [
            (npu.npugraph_session_run, (session, None, ctypes.c_int64(2), None, zero)),
            (npu.npugraph_session_prepare, (session, None, ctypes.c_int64(2))),
        ],
        "times": [(npu.npugraph_session_times, (session, None))],
        "busy_ns": [(npu.npugraph_session_busy_ns, (session, b"cpu", None))],
        "info": [(npu.npugraph_last_error_info, (None,))],
    }
    for name, rows in calls.items():
        for function, arguments in rows:
            assert function(*arguments) == 607, function.__name__
            message = npu.npugraph_last_error().decode()
            assert message.startswith("NPU607") and f"'{name}'" in message, message
    for name in ("library", "compile_options", "engine", "session"):
        getattr(npu, f"npugraph_{name}_destroy")(None)
    assert npu.npugraph_library_device_count(None) == 0
    assert npu.npugraph_engine_input_count(None) == 0
    assert npu.npugraph_engine_output_count(None) == 0


@pytest.mark.parametrize(
    "status, inputs, words",
    [
        (602, lambda: [tensor(X)], ["found 1", "expected 2"]),
        (602, lambda: [], ["found 0", "expected 2"]),
        (301, lambda: [tensor(X.T.copy()), tensor(W)], ["'x'", "3", "2"]),
        (603, lambda: [tensor(X.astype(np.int64)), tensor(W)], ["'x'", "int64", "float32"]),
        (603, lambda: [tensor(X, dtype=99), tensor(W)], ["'x'", "99"]),
        (603, lambda: [tensor(X, rank=-1), tensor(W)], ["'x'", "-1"]),
        (603, lambda: [tensor(X, dims=ints(-2, 3)), tensor(W)], ["'x'"]),
        (105, lambda: [tensor(X, dims=ints(2**62, 3)), tensor(W)], ["'x'"]),
        (607, lambda: [tensor(X, data=None), tensor(W)], ["'x'", "data"]),
        (607, lambda: [tensor(X, dims=None), tensor(W)], ["'x'", "dims"]),
        (604, lambda: [tensor(X, data=X.ctypes.data + 1), tensor(W)], ["'x'", "multiple of 4"]),
        (605, lambda: [tensor(X, strides=ints(1, 2)), tensor(W)], ["'x'", "stride"]),
        (107, lambda: [tensor(X), tensor(W, struct_size=56)], ["struct_size"]),
    ],
)
def test_tensors_that_do_not_fit_are_refused(npu, make, status, inputs, words):
    session = make.session()
    assert run(npu, session, inputs()) == status, npu.npugraph_last_error()
    message = npu.npugraph_last_error().decode()
    for word in words:
        assert word in message, message
    assert run(npu, session, [tensor(X, strides=ints(3, 1)), tensor(W)]) == 0
    assert np.allclose(output(npu, session), X @ W)


def test_outputs_that_do_not_fit_are_refused(npu, make):
    session, feed = make.session(), [tensor(X), tensor(W)]
    small, large = np.zeros((1, 2), np.float32), np.zeros((2, 2), np.float32)
    assert run(npu, session, feed, [tensor(small)]) == 603
    assert b"'y'" in npu.npugraph_last_error()
    assert run(npu, session, feed, [tensor(large), tensor(large)]) == 602
    assert run(npu, session, feed, [tensor(W, dims=ints(2, 2))]) == 603
    assert b"memory of input" in npu.npugraph_last_error()


def test_there_is_no_output_before_a_run_and_none_of_another_number(npu, make):
    session, row = make.session(), Tensor(ctypes.sizeof(Tensor))
    assert npu.npugraph_session_output(session, ctypes.c_int64(0), ctypes.byref(row)) == 107
    assert run(npu, session, [tensor(X), tensor(W)]) == 0
    for index in (-1, 1):
        status = npu.npugraph_session_output(session, ctypes.c_int64(index), ctypes.byref(row))
        assert status == 107
    assert run(npu, session, []) == 602
    assert npu.npugraph_session_output(session, ctypes.c_int64(0), ctypes.byref(row)) == 107


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("no_such", "1", "opt_level"),
        ("opt_level", "4", "0..3"),
        ("opt_level", "-1", "0..3"),
        ("opt_level", "2x", "0..3"),
        ("self_check", "yes", "0..1"),
        ("minimise_memory", "", "0..1"),
    ],
)
def test_options_that_are_not_there_are_refused(npu, make, name, value, expected):
    status = npu.npugraph_compile_options_set(make.options(), name.encode(), value.encode())
    assert status == 107
    assert expected in npu.npugraph_last_error().decode()


def test_failures_of_the_compiler_keep_their_numbers(npu, devices, make):
    engine = ctypes.c_void_p(1)
    out = ctypes.byref(engine)
    assert npu.npugraph_compile_file(devices, b"/no/such.onnx", None, out) == 101
    assert not engine.value
    size = ctypes.c_int64(4)
    assert npu.npugraph_compile_bytes(devices, b"\xff\xff\xff\xff", size, None, out) // 100 == 2
    assert npu.npugraph_compile_bytes(devices, b"", ctypes.c_int64(-1), None, out) == 107
    assert npu.npugraph_compile_text(devices, b"graph { return", None, out) == 308
    assert b"line 1" in npu.npugraph_last_error()
    clash = b"graph { input %x: float32[2, 3] %y = MatMul(%x, %x) return %y }"
    assert npu.npugraph_compile_text(devices, clash, None, out) == 301
    options = make.options(device="gpu")
    assert npu.npugraph_compile_text(devices, MATMUL, options, out) == 401
    options = make.options()
    assert npu.npugraph_compile_options_set_pass(options, b"no_such_pass", 0) == 0
    assert npu.npugraph_compile_text(devices, MATMUL, options, out) == 107
    assert npu.npugraph_compile_options_set_shape(options, b"x", b"2,-3") == 107
    assert npu.npugraph_engine_open(str(ROOT / "README.md").encode(), out) // 100 == 5
    assert npu.npugraph_engine_save(make.engine(), b"/no/such/folder/m.engine") == 103


def test_an_error_has_parts_a_name_and_a_code(npu, devices, make):
    assert npu.npugraph_engine_open(b"/no/such.engine", ctypes.byref(ctypes.c_void_p())) == 101
    info = ErrorInfo(ctypes.sizeof(ErrorInfo))
    assert npu.npugraph_last_error_info(ctypes.byref(info)) == 0
    assert (info.id, info.name, npu.npugraph_last_error_id()) == (101, b"FileNotFound", 101)
    assert info.code == 2 == npu.npugraph_status_code(101)
    assert b"/no/such.engine" in info.place + info.found + info.what
    assert info.fix
    assert npu.npugraph_status_name(0) == b"Ok" and npu.npugraph_status_name(99) == b""
    assert npu.npugraph_status_code(0) == npu.npugraph_status_code(99) == -1
    short = ErrorInfo(ErrorInfo.what.offset)  # a header that has nothing after `name`
    assert npu.npugraph_last_error_info(ctypes.byref(short)) == 0
    assert (short.name, short.what) == (b"FileNotFound", None)


def test_each_thread_has_its_own_last_error(npu, make):
    assert npu.npugraph_compile_options_set(make.options(), b"mine", b"1") == 107
    texts = []

    def other():
        texts.append(npu.npugraph_last_error())
        npu.npugraph_engine_open(b"/theirs", ctypes.byref(ctypes.c_void_p()))
        texts.append(npu.npugraph_last_error())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert texts[0] == b"" and b"/theirs" in texts[1]
    assert b"mine" in npu.npugraph_last_error()


# Versions of structs


def test_structs_of_other_versions(npu, devices, make):
    engine, session = make.engine(), ctypes.c_void_p()
    out = ctypes.byref(session)
    older = SessionOptions(SessionOptions.late_limit_bytes.offset, 1, -5, -5, -5)
    assert npu.npugraph_session_create(devices, engine, ctypes.byref(older), out) == 0
    npu.npugraph_session_destroy(session)
    for size in (0, 7, 1 << 20):
        older.struct_size = size
        assert npu.npugraph_session_create(devices, engine, ctypes.byref(older), out) == 107, size
        assert not session.value

    session, y = make.session(), np.zeros((2, 2), np.float32)
    newer = [tensor(X, NewerTensor), tensor(W, NewerTensor)]
    assert run(npu, session, newer, [tensor(y, NewerTensor)]) == 0, npu.npugraph_last_error()
    assert np.allclose(y, X @ W)
    newer[1].offset = 8  # asks for what this library does not know
    assert run(npu, session, newer) == 107
    assert b"struct_size" in npu.npugraph_last_error()
    short = tensor(X, struct_size=Tensor.rank.offset)
    assert run(npu, session, [short, short]) == 107

    port = Port(Port.dims.offset)
    assert npu.npugraph_engine_input(engine, ctypes.c_int64(0), ctypes.byref(port)) == 0
    assert (port.name, port.rank, bool(port.dims)) == (b"x", 2, False)


# Numbers that stand elsewhere too


def test_dtype_numbers_are_onnx_numbers(npu):
    text = (ROOT / "npugraph/api/npugraph_c.h").read_text()
    rows = re.findall(r"NPUGRAPH_DTYPE_(\w+) = (\d+)", text)
    assert len(rows) == 19
    for name, number in rows:
        assert npu.npugraph_dtype_name(int(number)).decode() == name.lower()
        ours = {"FLOAT32": "FLOAT", "FLOAT64": "DOUBLE"}.get(name, name)
        assert TensorProto.DataType.Value(ours) == int(number)
    assert npu.npugraph_dtype_name(8) == npu.npugraph_dtype_name(-1) == b""


def test_versions_agree(npu):
    header = (ROOT / "npugraph/api/npugraph_c.h").read_text()
    number = re.search(r"#define NPUGRAPH_C_API_VERSION (\d+)", header).group(1)
    assert npu.npugraph_c_api_version() == int(number)
    package = importlib.util.find_spec("npugraph")
    if package is not None:
        import npugraph

        assert npu.npugraph_version().decode() == npugraph.__version__
