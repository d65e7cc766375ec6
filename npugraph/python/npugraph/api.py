# SPDX-License-Identifier: Apache-2.0
"""What `import npugraph` offers: Engine, Session and the functions around them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _npugraph
from .errors import Error

if TYPE_CHECKING:
    import numpy
    import onnx

PathLike = str | os.PathLike[str]
Shape = str | Sequence[int | str]
Progress = Callable[[str, float], bool | None]


class Port(NamedTuple):
    """An input or output.

    dtype: "float32", "int64", …; shape: numbers, and expressions over symbols ("b", "2*h + 1")
    where the size is known only at run time; None when not even the rank is known.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None


class Device(NamedTuple):
    """A device of this process. fingerprint: what compiled code depends on."""

    name: str
    description: str
    fingerprint: str
    firmware: str
    host_memory: bool
    virtual_clock: bool


class Operator(NamedTuple):
    """An operator: its names in frameworks, its cpu kernels and its schema in words."""

    name: str
    domain: str
    op_class: str
    doc: str
    onnx: list[str]
    aten: list[str]
    native: list[str]
    inputs: list[str]
    outputs: list[str]
    attributes: list[str]


class CheckRow(NamedTuple):
    """A node of a model and where it runs. device: "" when it can run nowhere; then, and when the
    wanted device refuses it, reason, found and allowed say why. signs: danger signs with advice."""

    name: str
    path: str
    domain: str
    op: str
    device: str
    kernel: str
    reason: str
    found: str
    allowed: str
    signs: list[str]


class Layer(NamedTuple):
    """A value that a run made: its name in the model, the task that made it, and a copy."""

    name: str
    node: str
    array: numpy.ndarray


class Library:
    """The devices of a process: the built-in ones and loaded plug-ins. Immutable, thread-safe.

    plugins: shared libraries of devices, besides those of NPUGRAPH_PLUGINS (a ':' list).
    vnpu_hardware: hardware file of the simulated NPU; None: its built-in profile.
    Errors: NPU101 (no such plug-in), NPU405 (a plug-in that cannot be loaded), NPU407 (hardware
    file).
    """

    def __init__(
        self, plugins: Iterable[PathLike] = (), vnpu_hardware: PathLike | None = None
    ) -> None:
        hardware = b"" if vnpu_hardware is None else os.fsencode(vnpu_hardware)
        self._library = _npugraph.Library.create([os.fsencode(path) for path in plugins], hardware)

    def devices(self) -> list[Device]:
        return [Device(*row) for row in self._library.devices()]


@lru_cache(maxsize=1)
def _default_library() -> Library:
    return Library()


def _native_library(library: Library | None) -> Any:
    return (library or _default_library())._library


def _shape_words(shape: Shape) -> list[str]:
    if not isinstance(shape, str):
        return [str(dim) for dim in shape]
    if shape == "scalar":
        return []
    return shape.split("," if "," in shape else "x")


def _path_bytes(path: PathLike) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte in a path")
    return encoded


class Engine:
    """A compiled model: immutable, thread-safe. Made by compile() or Engine.open()."""

    def __init__(self, native: Any, library: Library | None = None) -> None:
        self._engine = native
        self._library = library

    @classmethod
    def open(cls, path: PathLike, *, library: Library | None = None) -> Engine:
        """Opens an engine file; its weights are mapped, not read.

        Errors: NPU101 (no such file), NPU501 (damaged), NPU502 (other format version).
        """
        return cls(_npugraph.Engine.open(_path_bytes(path)), library)

    def save(self, path: PathLike) -> None:
        """Writes the engine file, whole or not at all. Errors: NPU103."""
        self._engine.save(_path_bytes(path))

    @property
    def inputs(self) -> list[Port]:
        return [Port(*row) for row in self._engine.inputs()]

    @property
    def outputs(self) -> list[Port]:
        return [Port(*row) for row in self._engine.outputs()]

    @property
    def times(self) -> dict[str, int]:
        """Where time went while compiling, in microseconds; zeros for an engine from a file."""
        return self._engine.times()

    def describe(self) -> dict[str, Any]:
        """Everything about the engine: devices, nodes with placement and reasons, programs, tasks,
        memory plan, passes with node counts, copies and cut edges. The same as
        `npugraph inspect --json`."""
        return json.loads(self._engine.describe_json())

    def __repr__(self) -> str:
        def ports(rows: list[Port]) -> str:
            return ", ".join(f"{row.name}: {row.dtype}{list(row.shape or [])}" for row in rows)

        return f"<npugraph.Engine ({ports(self.inputs)}) -> ({ports(self.outputs)})>"


class Session:
    """An engine ready to run. Calls from several threads take turns; sessions share nothing that
    changes.

    threads: host threads, the caller's included; 0: all processors.
    planned_memory: False allocates every buffer apart, for fault finding.
    late_limit_bytes: memory for tensors whose size only running can tell.
    Errors: NPU403 and NPU404 (the engine was compiled for another device or firmware).
    """

    def __init__(
        self,
        engine: Engine | PathLike,
        *,
        threads: int = 0,
        planned_memory: bool = True,
        late_limit_bytes: int = 4 << 30,
        library: Library | None = None,
    ) -> None:
        if not isinstance(engine, Engine):
            engine = Engine.open(engine, library=library)
        self.engine = engine
        native = _native_library(library or engine._library)
        self._session = _npugraph.Session(
            native, engine._engine, threads, planned_memory, late_limit_bytes
        )

    @property
    def inputs(self) -> list[Port]:
        return self.engine.inputs

    @property
    def outputs(self) -> list[Port]:
        return self.engine.outputs

    def run(
        self, inputs: Mapping[str, Any], *, out: Mapping[str, Any] | None = None
    ) -> dict[str, numpy.ndarray]:
        """Runs once and returns the outputs by name, each an array of its own.

        inputs: by name, numpy arrays or anything with the buffer protocol, DLPack (torch, jax) or
            __array_interface__. They are used in place, never copied, so they must have exactly the
            input's dtype and shape, be contiguous in row-major order and aligned for their dtype.
            bfloat16 may be given as the bits in uint16, float8 as uint8. Raw bytes (bytes,
            bytearray, a flat uint8 array) are taken for an input whose shape is known if their
            count is right.
        out: arrays, by name, that outputs are written into; those are returned for these names.

        The GIL is released while the engine runs. Errors: NPU601 (no such name), NPU602 (an input
        is missing), NPU301 (shape), NPU603 (dtype, byte count), NPU604 (address), NPU605 (not
        contiguous).
        """
        return self._session.run(dict(inputs), dict(out or {}))

    def run_layers(self, inputs: Mapping[str, Any]) -> list[Layer]:
        """run(), and a copy of every value that a task made, in order of execution."""
        return [Layer(*row) for row in self._session.run_layers(dict(inputs))]

    def prepare(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Does now, for these input shapes, all that may fail or allocate in run()."""
        self._session.prepare({name: list(shape) for name, shape in shapes.items()})

    @property
    def times(self) -> dict[str, Any]:
        """Of the last run: wall_ns; virtual_ns, 0 without a simulated device; busy_ns by device."""
        return self._session.times()

    @property
    def counters(self) -> dict[str, int]:
        """device_allocations, arena_bytes, late_bytes, prepared_plans, copies, copied_bytes."""
        return self._session.counters()


def _compile_arguments(
    device: str,
    shapes: Mapping[str, Shape] | None,
    opt_level: int = 2,
    passes: Mapping[str, bool] | None = None,
) -> Any:
    arguments = _npugraph.CompileArguments()
    arguments.device = device
    arguments.shapes = {name: _shape_words(shape) for name, shape in (shapes or {}).items()}
    arguments.opt_level = opt_level
    arguments.passes = {name: bool(on) for name, on in (passes or {}).items()}
    return arguments


def compile(
    model: PathLike | bytes | onnx.ModelProto,
    *,
    device: str = "cpu",
    shapes: Mapping[str, Shape] | None = None,
    opt_level: int = 2,
    passes: Mapping[str, bool] | None = None,
    self_check: bool = False,
    dump_passes: PathLike | None = None,
    order: Sequence[str] = (),
    minimise_memory: bool = True,
    reuse_buffers: bool = True,
    progress: Progress | None = None,
    library: Library | None = None,
) -> Engine:
    """Compiles an ONNX model.

    model: a path, the bytes of a model without external data, or an onnx.ModelProto.
    device: where nodes should run; what it refuses runs on the cpu. See devices().
    shapes: of inputs, by name: [1, 3, 240, 320], or with symbols ["b", 128], or "1x3x240x320".
    opt_level: 0 as the model is, 1 clean-ups that keep every bit, 2 fusions too, 3 as 2.
    passes: optimiser passes to switch on or off, by name.
    self_check: run the model after each pass and stop at the pass that changes its numbers.
    dump_passes: folder for the graph before and after each pass.
    order: names of all nodes in the order in which they should run.
    minimise_memory, reuse_buffers: switches of the memory plan.
    progress: called with what is being done and how far it is (0..1); return False to stop.

    Errors: NPU2xx (the model), NPU3xx (its shapes and operators), NPU401 (device), NPU402 (a node
    that runs nowhere), NPU106 (progress returned False). Ctrl-C raises KeyboardInterrupt.
    """
    arguments = _compile_arguments(device, shapes, opt_level, passes)
    arguments.self_check = self_check
    arguments.dump_passes = "" if dump_passes is None else os.fspath(dump_passes)
    arguments.order = list(order)
    arguments.minimise_memory = minimise_memory
    arguments.reuse_buffers = reuse_buffers
    arguments.progress = progress
    native = _native_library(library)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Engine(_npugraph.compile(native, bytes(model), False, arguments), library)
    if hasattr(model, "SerializeToString"):
        return Engine(
            _npugraph.compile(native, model.SerializeToString(), False, arguments), library
        )
    return Engine(_npugraph.compile(native, _path_bytes(model), True, arguments), library)


def check(
    model: PathLike,
    *,
    device: str = "cpu",
    shapes: Mapping[str, Shape] | None = None,
    library: Library | None = None,
) -> list[CheckRow]:
    """Every operator of a model: where it would run, or why it cannot; all in one pass.

    Errors: NPU2xx (a file that is no model), NPU401 (no such device).
    """
    arguments = _compile_arguments(device, shapes)
    rows = _npugraph.check(_native_library(library), _path_bytes(model), arguments)
    return [CheckRow(*row) for row in rows]


def devices(*, library: Library | None = None) -> list[Device]:
    """The devices of this process."""
    return (library or _default_library()).devices()


def operators() -> list[Operator]:
    """Every operator that npugraph knows."""
    return [Operator(*row) for row in _npugraph.operators()]


def random_inputs(
    engine: Engine | Session, seed: int = 0, *, open_dim: int = 1
) -> dict[str, numpy.ndarray]:
    """Made-up inputs, by name, the same for the same seed: floats uniform in [-1, 1), integers and
    bools 0 or 1; symbols of the shapes become open_dim. `npugraph run --random` makes the same."""
    if isinstance(engine, Session):
        engine = engine.engine
    return engine._engine.random_inputs(seed, open_dim)


__all__ = [
    "CheckRow",
    "Device",
    "Engine",
    "Error",
    "Layer",
    "Library",
    "Operator",
    "Port",
    "Session",
    "check",
    "compile",
    "devices",
    "operators",
    "random_inputs",
]
