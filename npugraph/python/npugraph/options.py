# SPDX-License-Identifier: Apache-2.0
"""CompileOptions: what decides how a model is compiled. The names are those of the C++
CompileOptions and of the command line (--opt-level is opt_level, --fusion-switch is passes)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from typing import Any, NoReturn, TypedDict

from . import _npugraph
from .errors import UnknownOption, fail
from .library import PathLike

Shape = str | Sequence[int | str]
Progress = Callable[[str, float], bool | None]


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """How a model is compiled. Immutable; `dataclasses.replace` makes a changed copy.

    device: where nodes should run; what it refuses runs on the cpu. See devices().
    shapes: of inputs, by name: [1, 3, 240, 320], or with symbols ["b", 128], or "1x3x240x320".
        The same symbol for two inputs ties their sizes.
    opt_level: 0 as the model is, 1 clean-ups that keep every bit, 2 fusions too, 3 implementations
        marked fast in the mapping table too, which approximate.
    precise: operators ("Softmax"), or regular expressions that match a whole name of a node, that
        keep their precise implementation at level 3.
    passes: optimiser passes to switch on or off, by name.
    self_check: run the model after each pass and stop at the pass that changes its numbers.
    dump_passes: folder for the graph before and after each pass.
    order: names of all nodes in the order in which they should run.
    keep_inputs: inputs that stay inputs although the model gives them a value; all others become
        constants.
    minimise_memory: search an order of nodes with a lower peak of memory.
    reuse_buffers: values that never live at the same time share memory.
    progress: called with what is being done and how far it is (0..1), before each pass and node;
        return False to stop with Cancelled (NPU106).
    """

    device: str = "cpu"
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    opt_level: int = 2
    precise: Sequence[str] = ()
    passes: Mapping[str, bool] = field(default_factory=dict)
    self_check: bool = False
    dump_passes: PathLike | None = None
    order: Sequence[str] = ()
    keep_inputs: Sequence[str] = ()
    minimise_memory: bool = True
    reuse_buffers: bool = True
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_types(self)
        # What the caller changes later must not change the options.
        for name in ("shapes", "passes"):
            value = getattr(self, name)
            object.__setattr__(self, name, dict(value or {}))
        for name in ("precise", "order", "keep_inputs"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))


class CompileFields(TypedDict, total=False):
    """The fields of CompileOptions as keywords of compile(), merge() and the like."""

    device: str
    shapes: Mapping[str, Shape] | None
    opt_level: int
    precise: Sequence[str]
    passes: Mapping[str, bool] | None
    self_check: bool
    dump_passes: PathLike | None
    order: Sequence[str]
    keep_inputs: Sequence[str]
    minimise_memory: bool
    reuse_buffers: bool
    progress: Progress | None


def _wrong_type(name: str, value: object, expected: str) -> NoReturn:
    fail(
        107,
        "an option has the wrong type",
        f"{value!r} of type {type(value).__name__}",
        expected,
        place=f"option '{name}'",
        fix=f"give {expected}",
        kind=UnknownOption,
    )


def _is_words(value: object) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, bytes | bytearray):
        return False
    return all(isinstance(word, str) for word in value)


def check_types(options: CompileOptions) -> None:
    """Errors: NPU107 as UnknownOption. Nothing is converted: bool("off") is True, and Python takes
    True for a number."""
    for name in ("device", "shapes", "passes", "dump_passes", "progress"):
        value = getattr(options, name)
        fits, expected = {
            "device": (isinstance(value, str), "a string"),
            "shapes": (value is None or isinstance(value, Mapping), "a dict"),
            "passes": (value is None or isinstance(value, Mapping), "a dict"),
            "dump_passes": (value is None or isinstance(value, str | os.PathLike), "a path"),
            "progress": (value is None or callable(value), "a function"),
        }[name]
        if not fits:
            _wrong_type(name, value, expected)
    for name in ("self_check", "minimise_memory", "reuse_buffers"):
        if not isinstance(getattr(options, name), bool):
            _wrong_type(name, getattr(options, name), "True or False")
    for name in ("precise", "order", "keep_inputs"):
        if not _is_words(getattr(options, name)):
            _wrong_type(name, getattr(options, name), "a list of strings")
    level = options.opt_level
    if isinstance(level, bool) or not isinstance(level, Integral):
        _wrong_type("opt_level", level, "a number of 0 to 3")
    for name, switch in (options.passes or {}).items():
        if not isinstance(name, str):
            _wrong_type("passes", name, "names of passes as strings")
        if not isinstance(switch, bool):
            _wrong_type(f"passes['{name}']", switch, "True or False")


def resolve(options: CompileOptions | None, changes: Mapping[str, Any]) -> CompileOptions:
    """`options` with some fields changed. Errors: NPU107 as UnknownOption, a TypeError."""
    if options is not None and not isinstance(options, CompileOptions):
        _wrong_type("options", options, "an npugraph.CompileOptions")
    known = [row.name for row in fields(CompileOptions)]
    for name in changes:
        if name in known:
            continue
        near = _npugraph.nearest(name, known)
        fail(
            107,
            "there is no option of this name",
            f"'{name}'",
            ", ".join(known),
            fix=f"did you mean '{near}'?" if near else "",
            kind=UnknownOption,
        )
    return CompileOptions(**changes) if options is None else replace(options, **changes)


def _shape_words(shape: Shape) -> list[str]:
    if not isinstance(shape, str):
        return [str(dim) for dim in shape]
    if shape == "scalar":
        return []
    return shape.split("," if "," in shape else "x")


def native_arguments(options: CompileOptions) -> _npugraph.CompileArguments:
    """The options for the compiled half. Errors: NPU107 for values of the wrong type."""
    arguments = _npugraph.CompileArguments()
    values: dict[str, Any] = {row.name: getattr(options, row.name) for row in fields(options)}
    folder = options.dump_passes
    values["dump_passes"] = "" if folder is None else os.fspath(folder)
    values["opt_level"] = int(options.opt_level)
    values["precise"] = list(options.precise)
    values["order"] = list(options.order)
    values["keep_inputs"] = list(options.keep_inputs)
    for name, value in values.items():
        try:
            if name == "shapes":
                value = {port: _shape_words(shape) for port, shape in value.items()}
            setattr(arguments, name, value)
        except TypeError:
            kind = CompileOptions.__annotations__[name]
            _wrong_type(name, getattr(options, name), str(kind))
    return arguments
