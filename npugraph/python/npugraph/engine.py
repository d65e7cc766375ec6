# SPDX-License-Identifier: Apache-2.0
"""Engine: a compiled model."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _npugraph
from .closing import Closable
from .errors import fail
from .library import Library, PathLike, path_bytes


class Port(NamedTuple):
    """An input or output.

    dtype: "float32", "int64", …; shape: numbers, and expressions over symbols ("b", "2*h + 1")
    where the size is known only at run time; None when not even the rank is known.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None

    def __str__(self) -> str:
        dims = "*" if self.shape is None else ", ".join(str(dim) for dim in self.shape)
        return f"{self.name}: {self.dtype}[{dims}]"


_PORTS_SHOWN = 4  # of a kind; a merged engine may have hundreds


def ports_text(inputs: list[Port], outputs: list[Port]) -> str:
    """ "(x: float32[b, 4]) -> (y: float32[b, 3])"; of many ports, the first ones and a count."""

    def row(ports: list[Port]) -> str:
        shown = [str(port) for port in ports[:_PORTS_SHOWN]]
        if len(ports) > _PORTS_SHOWN:
            shown.append(f"… {len(ports)} in all")
        return ", ".join(shown)

    return f"({row(inputs)}) -> ({row(outputs)})"


def bytes_text(count: int) -> str:
    """ "1.5 MiB" """
    size, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


class Engine(Closable):
    """A compiled model: immutable, thread-safe. Made by compile(), merge() or Engine.open().

    In a `with` statement it is closed at the end: the mapping of its file goes when the last
    session that runs it is closed too.
    """

    def __init__(self, native: _npugraph.Engine, library: Library | None = None) -> None:
        self._held: _npugraph.Engine | None = native
        self._library = library

    @classmethod
    def open(cls, path: PathLike, *, library: Library | None = None) -> Engine:
        """Opens an engine file; its weights are mapped, not read.

        Errors: NPU101 (no such file), NPU501 (damaged), NPU502 (other format version).
        """
        return cls(_npugraph.Engine.open(path_bytes(path)), library)

    @property
    def _engine(self) -> _npugraph.Engine:
        if self._held is None:
            fail(107, "the engine is closed", fix="open or compile it again")
        return self._held

    def save(self, path: PathLike) -> None:
        """Writes the engine file, whole or not at all. Errors: NPU103."""
        self._engine.save(path_bytes(path))

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
        import json

        described: dict[str, Any] = json.loads(self._engine.describe_json())
        return described

    def close(self) -> None:
        """Lets the compiled model go. Sessions that run it keep it until they are closed."""
        self._held = None

    def __repr__(self) -> str:
        if self._held is None:
            return "<npugraph.Engine, closed>"
        described = self.describe()
        devices = list(dict.fromkeys(node["device"] for node in described["nodes"])) or ["cpu"]
        count = len(described["nodes"])
        return (
            f"<npugraph.Engine on {' and '.join(devices)}: {count} node{'s'[: count != 1]}, "
            f"{bytes_text(described['memory']['weight_bytes'])} of weights, "
            f"{ports_text(self.inputs, self.outputs)}>"
        )
