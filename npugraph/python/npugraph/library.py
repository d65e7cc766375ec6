# SPDX-License-Identifier: Apache-2.0
"""Devices, operators and passes: Library, devices(), operators(), register_pass(), passes()."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from . import _npugraph
from .passes import Pass, PassTable, Rewrite

PathLike = str | os.PathLike[str]


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


class Library(PassTable):
    """The devices of a process, the built-in ones and loaded plug-ins, and the passes that compile
    for them. Thread-safe.

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

    def __repr__(self) -> str:
        return f"<npugraph.Library of {', '.join(device.name for device in self.devices())}>"


@lru_cache(maxsize=1)
def default_library() -> Library:
    """The library that is used where none is given; made when first needed."""
    return Library()


def native_library(library: Library | None) -> _npugraph.Library:
    return (library or default_library())._library


def path_bytes(path: PathLike) -> bytes:
    """A path for the compiled half."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte in a path")
    return encoded


def devices(*, library: Library | None = None) -> list[Device]:
    """The devices of this process."""
    return (library or default_library()).devices()


def operators() -> list[Operator]:
    """Every operator that npugraph knows."""
    return [Operator(*row) for row in _npugraph.operators()]


def register_pass(
    name: str,
    rewrites: Sequence[Rewrite],
    *,
    doc: str = "",
    before: str | None = None,
    level: int = 1,
    exact: bool = False,
    library: Library | None = None,
) -> None:
    """Adds a pass to a library, by default the one that is used where none is given; see
    Library.register_pass()."""
    (library or default_library()).register_pass(
        name, rewrites, doc=doc, before=before, level=level, exact=exact
    )


def remove_pass(name: str, *, library: Library | None = None) -> bool:
    """Takes a registered pass away again; False when there is none of this name."""
    return (library or default_library()).remove_pass(name)


def passes(*, library: Library | None = None) -> list[Pass]:
    """All passes, in the order in which they run."""
    return (library or default_library()).passes()
