# SPDX-License-Identifier: Apache-2.0
"""PyTorch: modules, exported programs and .pt2 files, through torch.onnx."""

from __future__ import annotations

import importlib.util
import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import fail
from .exporting import ExportOptions, export_failed, require


def export(model: Any, path: str, options: ExportOptions) -> None:
    """Writes a module, exported program or .pt2 file as ONNX.

    Errors: NPU702 (torch, or onnxscript where a program needs it), NPU107 (a module without example
    inputs), NPU705.
    """
    require("torch", what="a PyTorch model", install="torch")
    import torch

    if isinstance(model, (str, os.PathLike)):
        place = os.fspath(model)
        try:
            model = torch.export.load(place)
        except FileNotFoundError:
            fail(101, "cannot be opened", "no such file", place=place)
        except Exception as error:  # whatever the loader meets in a damaged file
            export_failed("torch.export.load", _message(error), place=place)
    place = type(model).__name__
    if isinstance(model, torch.export.ExportedProgram):
        require("onnxscript", what="torch's exporter of programs", install="onnxscript")
        _run_dynamo(model, (), path, options, place)
        return
    if options.args is None and options.kwargs is None:
        fail(
            107,
            "a PyTorch module is exported by running it, which needs example inputs",
            "no args",
            "args=(tensor, …), as forward() takes them",
            place=place,
        )
    args = options.args or ()
    # A lone tensor is a sequence of its rows: surely not what was meant.
    args = (args,) if isinstance(args, torch.Tensor) else tuple(args)
    is_script = isinstance(model, torch.jit.ScriptModule)
    with _inference(model):
        if importlib.util.find_spec("onnxscript") is not None and not is_script:
            _run_dynamo(model, args, path, options, place)
        else:
            _run_torchscript(model, args, path, options, place)


def _message(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


@contextmanager
def _inference(module: Any) -> Iterator[None]:
    """Every submodule in eval mode, and back as it was."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, training in modes:
            part.training = training


def _common(options: ExportOptions) -> dict[str, Any]:
    chosen: dict[str, Any] = {"input_names": options.input_names, "verbose": False}
    if options.kwargs:
        chosen["kwargs"] = dict(options.kwargs)
    if options.output_names is not None:
        chosen["output_names"] = list(options.output_names)
    if options.opset is not None:
        chosen["opset_version"] = options.opset
    return chosen


def _run_dynamo(
    model: Any, args: tuple[Any, ...], path: str, options: ExportOptions, place: str
) -> None:
    import torch

    try:
        with torch.no_grad():
            torch.onnx.export(
                model,
                args,
                path,
                dynamo=True,
                dynamic_shapes=options.dynamic_shapes,
                **_common(options),
            )
    except Exception as error:  # exporters raise anything
        export_failed("torch.onnx.export", _message(error), place=place)


def _run_torchscript(
    model: Any, args: tuple[Any, ...], path: str, options: ExportOptions, place: str
) -> None:
    import torch

    chosen = _common(options)
    names = chosen["input_names"]
    if names is None and not isinstance(model, torch.jit.ScriptModule):
        names = chosen["input_names"] = _tensor_names(model, args, options.kwargs or {})
    if options.dynamic_shapes is not None:
        chosen["dynamic_axes"] = dynamic_axes(options.dynamic_shapes, names or [])
    try:
        with torch.no_grad():
            torch.onnx.export(model, args, path, dynamo=False, **chosen)
    except Exception as error:  # exporters raise anything
        export_failed("torch.onnx.export", _message(error), place=place)


def _tensor_names(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[str] | None:
    """forward()'s parameters that are given tensors; None where its signature does not tell."""
    import torch

    try:
        bound = inspect.signature(model.forward).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    if any(not isinstance(value, torch.Tensor) for value in bound.arguments.values()):
        return None
    return list(bound.arguments)


def dynamic_axes(dynamic_shapes: Any, names: Sequence[str]) -> dict[str, dict[int, str]]:
    """torch.export's dynamic_shapes in the words of the older exporter: {input: {axis: symbol}}.

    dynamic_shapes: by name or in order, for each input a dict or a sequence over axes; an axis is a
    Dim, a string, a hint (Dim.DYNAMIC) or None.
    """
    if isinstance(dynamic_shapes, Mapping):
        rows = list(dynamic_shapes.items())
    else:
        rows = list(zip(names, dynamic_shapes, strict=False))
    axes: dict[str, dict[int, str]] = {}
    for name, row in rows:
        if row is None:
            continue
        pairs = row.items() if isinstance(row, Mapping) else enumerate(row)
        for axis, dim in pairs:
            symbol = _symbol(dim, f"{name}_{axis}")
            if symbol is not None:
                axes.setdefault(name, {})[axis] = symbol
    return axes


def _symbol(dim: Any, unnamed: str) -> str | None:
    if dim is None or isinstance(dim, int):
        return None
    if isinstance(dim, str):
        return dim
    name = getattr(dim, "__name__", None)
    if isinstance(name, str):
        return name
    return None if "STATIC" in str(dim).upper() else unnamed
