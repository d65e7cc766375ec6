# SPDX-License-Identifier: Apache-2.0
"""What compile() takes for a model, brought to ONNX: a path or bytes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .errors import fail
from .library import PathLike, path_bytes

if TYPE_CHECKING:
    from .frontends.exporting import ExportOptions

# Files and the front end that takes them; folders are SavedModels.
_ENDINGS = {".pt2": "torch", ".pb": "tensorflow", ".keras": "tensorflow", ".h5": "tensorflow"}
_PICKLES = (".pt", ".pth")


def framework_of(model: Any) -> str | None:
    """ "torch", "tensorflow", or None for ONNX. A framework that nobody imported has no objects:
    nothing is imported to find out. Errors: NPU107 for PyTorch's pickles."""
    if isinstance(model, (str, os.PathLike)):
        path = os.fsdecode(model)
        ending = os.path.splitext(path)[1].lower()
        if os.path.isfile(os.path.join(path, "saved_model.pb")):
            return "tensorflow"
        if ending in _PICKLES and os.path.isfile(path):
            fail(
                107,
                "a pickled PyTorch file is not a model by itself",
                f"'{path}'",
                "an .onnx file, a .pt2 file, or the module",
                fix="save it with torch.export.save(torch.export.export(module, args), 'x.pt2')",
            )
        return _ENDINGS.get(ending)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, (torch.nn.Module, torch.export.ExportedProgram)):
        return "torch"
    for name in ("keras", "tf_keras"):
        keras = sys.modules.get(name)
        if keras is not None and isinstance(model, keras.Model):
            return "tensorflow"
    return None


def export_with(framework: str, model: Any, path: str, options: ExportOptions) -> None:
    if framework == "torch":
        from .frontends import torch as frontend
    else:
        from .frontends import tensorflow as frontend  # type: ignore[no-redef]
    frontend.export(model, path, options)


@contextmanager
def onnx_source(model: Any, export: Mapping[str, Any]) -> Iterator[tuple[bytes, bool]]:
    """(path, True) or (content, False) of the model as ONNX, there while the context lasts.

    export: fields of ExportOptions. Errors: those of the front ends; NPU107 for an object that is
    no model.
    """
    is_content = isinstance(model, (bytes, bytearray, memoryview))
    framework = None if is_content else framework_of(model)
    given = [name for name, value in export.items() if value is not None]
    if framework is None and given:
        fail(
            107,
            "an ONNX model is not exported",
            ", ".join(given),
            "these options for models of other frameworks only",
        )
    if is_content:
        yield bytes(model), False
        return
    if framework is not None:
        import tempfile

        from .frontends.exporting import ExportOptions

        with tempfile.TemporaryDirectory(prefix="npugraph-") as folder:
            path = os.path.join(folder, "model.onnx")
            export_with(framework, model, path, ExportOptions(**export))
            yield path_bytes(path), True
        return
    if isinstance(model, (str, os.PathLike)):
        yield path_bytes(model), True
    elif hasattr(model, "SerializeToString"):
        yield model.SerializeToString(), False
    else:
        fail(
            107,
            "this is no model",
            f"an object of type {type(model).__name__}",
            "a path, bytes, an onnx.ModelProto, a torch.nn.Module, a torch.export.ExportedProgram "
            "or a Keras model",
        )


def export_onnx(
    model: Any,
    path: PathLike,
    *,
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset: int | None = None,
) -> None:
    """Writes another framework's model as the ONNX file that compile() would compile.

    model: a torch.nn.Module, a torch.export.ExportedProgram, a .pt2 file, a TensorFlow SavedModel
        folder, a frozen graph (.pb), a Keras model or a Keras file (.keras, .h5).
    args, kwargs: example inputs of a module, as its forward() takes them.
    dynamic_shapes: axes of them that stay open, as torch.export takes them:
        {"x": {0: "batch"}} or ({0: torch.export.Dim("batch")},).
    input_names, output_names: names of the ONNX model's inputs and outputs; of a frozen graph, the
        tensors to take for them.
    opset: of the ONNX model; None: the exporter's own choice.

    Errors: NPU702 (a package is missing), NPU705 (the exporter's message), NPU107.
    """
    from .frontends.exporting import ExportOptions

    framework = framework_of(model)
    if framework is None:
        fail(
            107,
            "this is no model of another framework",
            f"an object of type {type(model).__name__}",
            "a torch.nn.Module, a torch.export.ExportedProgram, a Keras model, or a path of a .pt2,"
            " .pb, .keras or .h5 file or of a SavedModel folder",
        )
    options = ExportOptions(
        args=args,
        kwargs=kwargs,
        dynamic_shapes=dynamic_shapes,
        input_names=input_names,
        output_names=output_names,
        opset=opset,
    )
    export_with(framework, model, os.fspath(path), options)
