# SPDX-License-Identifier: Apache-2.0
"""compile(), merge() and check()."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _npugraph
from .engine import Engine
from .errors import fail
from .library import Library, PathLike, native_library, path_bytes
from .options import CompileFields, CompileOptions, Shape, native_arguments, resolve
from .sources import framework_of, onnx_source

if TYPE_CHECKING:
    from typing import Unpack


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


def compile(
    model: Any,
    options: CompileOptions | None = None,
    *,
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    library: Library | None = None,
    **changes: Unpack[CompileFields],
) -> Engine:
    """Compiles a model.

    model: ONNX as a path, as bytes without external data, or as an onnx.ModelProto; or a model of
        another framework, which is exported first (export_onnx() says what is taken): a
        torch.nn.Module with example inputs in args, a torch.export.ExportedProgram, a .pt2 file, a
        TensorFlow SavedModel folder, a frozen graph (.pb), a Keras model or file.
    options: how to compile. Keywords with the names of its fields change them:
        compile("model.onnx", device="vnpu", shapes={"x": [1, 3, 240, 320]}).
    args, kwargs, dynamic_shapes, input_names, output_names: of export_onnx(), for a
        model of another framework.

    Errors: NPU107 (a keyword that is no option: UnknownOption), NPU2xx (the model), NPU3xx (its
    shapes and operators), NPU401 (device), NPU402 (a node that runs nowhere), NPU702 and NPU705
    (export), NPU106 (progress returned False). Ctrl-C raises KeyboardInterrupt.
    """
    arguments = native_arguments(resolve(options, changes))
    export = {
        "args": args,
        "kwargs": kwargs,
        "dynamic_shapes": dynamic_shapes,
        "input_names": input_names,
        "output_names": output_names,
    }
    with onnx_source(model, export) as (source, is_path):
        native = _npugraph.compile(native_library(library), source, is_path, arguments)
    return Engine(native, library)


def merge(
    models: Mapping[str, Any] | Sequence[Any],
    options: CompileOptions | None = None,
    *,
    names: Sequence[str] | None = None,
    library: Library | None = None,
    **changes: Unpack[CompileFields],
) -> Engine:
    """Compiles several models as one engine, whose runs run all of them: small graphs cost one
    launch together.

    models: each as compile() takes it (modules exported first, by export_onnx()); with names as
        keys, or in order.
    names: of the models in order, unique; None: the names of their files, or "model1", ….
    options, and keywords with the names of its fields: as for compile(), for all models.

    An input or output keeps its name when no other model has one of that name, else it becomes
    "name/x"; nodes become "name/node". Open sizes of different models are independent; the same
    symbol in `shapes` ties them.

    Errors: as compile(); NPU107 (names; an engine instead of a model).
    """
    arguments = native_arguments(resolve(options, changes))
    if isinstance(models, Mapping):
        if names is not None:
            fail(107, "names are given twice", "names= and keys", "one of them", place="merge")
        names, rows = list(models), list(models.values())
    else:
        rows = list(models)
        names = _names_of(rows) if names is None else list(names)
    if len(names) != len(rows):
        fail(107, "not one name a model", f"{len(names)} names", f"{len(rows)}", place="merge")
    with ExitStack() as stack:
        sources = []
        for name, model in zip(names, rows, strict=True):
            _refuse_engine(name, model)
            source, is_path = stack.enter_context(onnx_source(model, {}))
            sources.append((name, source, is_path))
        native = _npugraph.merge(native_library(library), sources, arguments)
    return Engine(native, library)


def _refuse_engine(name: str, model: Any) -> None:
    if isinstance(model, Engine):
        fail(
            107,
            "an engine cannot be merged: its weights are packed for a device already",
            "an npugraph.Engine",
            "a model",
            place=f"model '{name}'",
            fix="give the model that it was compiled from",
        )


def _names_of(models: Sequence[Any]) -> list[str]:
    """File names without their ending, or "model1", …; those taken get a number."""
    names: list[str] = []
    for number, model in enumerate(models, 1):
        name = f"model{number}"
        if isinstance(model, (str, os.PathLike)):
            name = os.path.splitext(os.path.basename(os.fsdecode(model)))[0] or name
        wanted, count = name, 1
        while name in names:
            count += 1
            name = f"{wanted}_{count}"
        names.append(name)
    return names


def check(
    model: PathLike,
    *,
    device: str = "cpu",
    shapes: Mapping[str, Shape] | None = None,
    library: Library | None = None,
) -> list[CheckRow]:
    """Every operator of a model: where it would run, or why it cannot; all in one pass.

    model: an .onnx file, or a file or folder of another framework as compile() takes it.
    Errors: NPU2xx (a file that is no model), NPU401 (no such device), NPU702 and NPU705 (export).
    """
    arguments = native_arguments(CompileOptions(device=device, shapes=shapes or {}))
    native = native_library(library)
    if framework_of(model) is None:
        rows = _npugraph.check(native, path_bytes(model), arguments)
    else:
        with onnx_source(model, {}) as (source, _):
            rows = _npugraph.check(native, source, arguments)
    return [CheckRow(*row) for row in rows]
