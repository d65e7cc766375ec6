# SPDX-License-Identifier: Apache-2.0
"""Session: an engine ready to run; IOBinding: arrays bound to one for many runs."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _npugraph
from .closing import Closable
from .engine import Engine, Port, bytes_text, ports_text
from .errors import fail
from .library import Library, PathLike, native_library

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from numpy.typing import NDArray


class Layer(NamedTuple):
    """A value that a run made: its name in the model, the task that made it, and a copy."""

    name: str
    node: str
    array: NDArray[Any]


def by_name(arrays: Mapping[str, Any], ports: list[Port]) -> dict[str, Any]:
    """A copy of the mapping. Errors: NPU603 for anything that is none."""
    if isinstance(arrays, Mapping):
        return dict(arrays)
    fail(
        603,
        "the tensors are not given by name",
        type(arrays).__name__,
        "a dict with " + ", ".join(repr(port.name) for port in ports),
        fix="give {name: array}",
    )


class Session(Closable):
    """An engine ready to run. Calls from several threads take turns; sessions share nothing that
    changes. In a `with` statement it is closed at the end.

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
        self._ports = (engine.inputs, engine.outputs)
        self._threads = threads
        self._held: _npugraph.Session | None = _npugraph.Session(
            native_library(library or engine._library),
            engine._engine,
            threads,
            planned_memory,
            late_limit_bytes,
        )
        self._worker: ThreadPoolExecutor | None = None
        self._worker_ids: list[int] = []
        self._bindings: weakref.WeakSet[IOBinding] = weakref.WeakSet()
        self._worker_lock = threading.Lock()

    @property
    def _session(self) -> _npugraph.Session:
        if self._held is None:
            fail(107, "the session is closed", fix="make another session of the engine")
        return self._held

    @property
    def inputs(self) -> list[Port]:
        return list(self._ports[0])

    @property
    def outputs(self) -> list[Port]:
        return list(self._ports[1])

    def run(
        self, inputs: Mapping[str, Any], *, out: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Runs once and returns the outputs by name, each a numpy array of its own.

        inputs: by name, numpy arrays, torch tensors or anything else with the buffer protocol,
            DLPack or __array_interface__. They are used in place, never copied, so they must have
            exactly the input's dtype and shape, be contiguous in row-major order and aligned for
            their dtype. bfloat16 may be given as the bits in uint16, float8 as uint8. Raw bytes
            (bytes, bytearray, a flat uint8 array) are taken for an input whose shape is known if
            their count is right.
        out: arrays or tensors, by name, that outputs are written into; those are returned for these
            names.

        The GIL is released while the engine runs. Errors: NPU601 (no such name), NPU602 (an input
        is missing), NPU301 (shape), NPU603 (dtype, byte count), NPU604 (address), NPU605 (not
        contiguous).
        """
        return self._session.run(by_name(inputs, self.inputs), by_name(out or {}, self.outputs))

    def run_async(
        self, inputs: Mapping[str, Any], *, out: Mapping[str, Any] | None = None
    ) -> Future[dict[str, Any]]:
        """run() in the session's own thread; returns at once. Calls are done in order, one after
        the other; the future has what run() returns or raises. Inputs are used in place: leave them
        alone until it is done. In a coroutine:

            outputs = await asyncio.wrap_future(session.run_async(inputs))
        """
        given = by_name(inputs, self.inputs)
        return self._submit(self._session.run, given, by_name(out or {}, self.outputs))

    def bind(self, inputs: Mapping[str, Any], *, out: Mapping[str, Any] | None = None) -> IOBinding:
        """Looks at the arrays, checks them and prepares for their shapes once, for many runs.

        inputs, out: as for run(). For outputs that `out` leaves out, arrays are made. Errors: as
        run(), now and not when running.
        """
        return IOBinding(self, inputs, out or {})

    def run_layers(self, inputs: Mapping[str, Any]) -> list[Layer]:
        """run(), and a copy of every value that a task made, in order of execution."""
        return [Layer(*row) for row in self._session.run_layers(by_name(inputs, self.inputs))]

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

    def close(self) -> None:
        """Waits for runs that run_async() was given, then closes the session's bindings and lets
        its memory go. Called in the session's own thread, by a callback of a future, it cannot
        wait: runs that are left are still done."""
        with self._worker_lock:
            worker, self._worker = self._worker, None
            bindings = list(self._bindings)
        if worker is not None:
            worker.shutdown(wait=threading.get_ident() not in self._worker_ids)
        self._held = None
        for binding in bindings:
            binding.close()

    def _submit(self, work: Any, *arguments: Any) -> Future[dict[str, Any]]:
        with self._worker_lock:
            assert self._session is not None  # refuses a closed session
            if self._worker is None:
                from concurrent.futures import ThreadPoolExecutor

                ids: list[int] = []  # no reference to the session: it would never be freed
                self._worker_ids = ids
                self._worker = ThreadPoolExecutor(
                    1,
                    thread_name_prefix="npugraph-session",
                    initializer=lambda: ids.append(threading.get_ident()),
                )
            return self._worker.submit(work, *arguments)

    def __repr__(self) -> str:
        if self._held is None:
            return "<npugraph.Session, closed>"
        threads = f"{self._threads} threads" if self._threads else "all processors"
        arena = bytes_text(self._held.counters()["arena_bytes"])
        return f"<npugraph.Session on {threads}, arena {arena}, {ports_text(*self._ports)}>"


class IOBinding(Closable):
    """Arrays bound to a session by Session.bind(). run() reads the inputs and writes the outputs
    where they lie: no copy, no allocation, nothing looked at again. Change the content of the
    inputs between runs; the arrays themselves stay. In a `with` statement it is closed at the end.

    inputs, outputs: the bound arrays by name. Outputs whose size only running can tell are not
        among them: run() returns a new array for each.
    """

    def __init__(self, session: Session, inputs: Mapping[str, Any], out: Mapping[str, Any]) -> None:
        self._session = session
        self._held: _npugraph.Binding | None = _npugraph.Binding(
            session._session, by_name(inputs, session.inputs), by_name(out, session.outputs)
        )
        self.inputs: dict[str, Any] = self._held.inputs
        self.outputs: dict[str, Any] = self._held.outputs
        with session._worker_lock:
            session._bindings.add(self)

    @property
    def _binding(self) -> _npugraph.Binding:
        assert self._session._session is not None  # refuses a closed session
        if self._held is None:
            fail(107, "the binding is closed", fix="bind the arrays again")
        return self._held

    def run(self) -> dict[str, Any]:
        """Runs once; returns the outputs by name, the same arrays each time."""
        return self._binding.run()

    def run_async(self) -> Future[dict[str, Any]]:
        """run() in the session's own thread, in turn with its other asynchronous runs."""
        return self._session._submit(self._binding.run)

    def close(self) -> None:
        """Lets the arrays go. Session.close() does it for all bindings of the session."""
        self._held = None
        self.inputs, self.outputs = {}, {}

    def __repr__(self) -> str:
        if self._held is None:
            return "<npugraph.IOBinding, closed>"
        return f"<npugraph.IOBinding of {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"


def random_inputs(
    engine: Engine | Session, seed: int = 0, *, open_dim: int = 1
) -> dict[str, NDArray[Any]]:
    """Made-up inputs, by name, the same for the same seed: floats uniform in [-1, 1), integers and
    bools 0 or 1; symbols of the shapes become open_dim. `npugraph run --random` makes the same."""
    if isinstance(engine, Session):
        engine = engine.engine
    return engine._engine.random_inputs(seed, open_dim)
