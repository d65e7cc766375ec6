# SPDX-License-Identifier: Apache-2.0
"""TensorFlow: SavedModel folders, frozen graphs and Keras models, through tf2onnx.

tf2onnx runs in a process of its own: TensorFlow is never imported into this one. Called as a
program, `python -m npugraph.frontends.tensorflow MODEL FOLDER`, this file turns a saved Keras model
into a SavedModel.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from ..errors import fail
from .exporting import ExportOptions, export_failed, require

KERAS_FILES = (".keras", ".h5")


def export(model: Any, path: str, options: ExportOptions) -> None:
    """Writes a SavedModel folder, a frozen graph (.pb), a Keras file (.keras, .h5) or a Keras model
    as ONNX. options: input_names, output_names and opset count.

    Errors: NPU101, NPU702 (tensorflow or tf2onnx is missing), NPU705.
    """
    for package in ("tf2onnx", "tensorflow"):
        require(package, what="a TensorFlow model", install="tf2onnx tensorflow")
    if not isinstance(model, (str, os.PathLike)):
        import tempfile

        with tempfile.TemporaryDirectory(prefix="npugraph-") as folder:
            _save_keras(model, folder)
            _convert("--saved-model", folder, path, options, type(model).__name__)
        return
    source = os.fspath(model)
    if not os.path.exists(source):
        fail(101, "cannot be opened", "no such file", place=source)
    if os.path.isdir(source):
        _convert("--saved-model", source, path, options, source)
    elif source.lower().endswith(KERAS_FILES):
        import tempfile

        with tempfile.TemporaryDirectory(prefix="npugraph-") as folder:
            _run([__name__, source, folder], "keras", source)
            _convert("--saved-model", folder, path, options, source)
    else:
        _convert("--graphdef", source, path, options, source)


def _convert(kind: str, source: str, path: str, options: ExportOptions, place: str) -> None:
    words = ["tf2onnx.convert", kind, source, "--output", path]
    inputs, outputs = options.input_names, options.output_names
    if kind == "--graphdef":
        # A frozen graph does not say what goes in and out: placeholders, and what nobody reads.
        found_inputs, found_outputs = graph_ends(source)
        inputs, outputs = inputs or found_inputs, outputs or found_outputs
    for option, names in (("inputs", inputs), ("outputs", outputs)):
        if not names:
            continue
        words += [f"--{option}", ",".join(_tensor_name(name) for name in names)]
        if kind == "--graphdef":
            words += [f"--rename-{option}", ",".join(name.removesuffix(":0") for name in names)]
    if options.opset is not None:
        words += ["--opset", str(options.opset)]
    _run(words, "tf2onnx", place)
    if not os.path.exists(path):
        export_failed("tf2onnx", "it ended well but wrote no model", place=place)


def _tensor_name(name: str) -> str:
    return name if ":" in name else name + ":0"


def _run(words: list[str], program: str, place: str) -> None:
    """Runs `python -m words…`; its last lines are the message of the error."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    # The child sees this very package, wherever it was imported from.
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    paths = [root, environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    done = subprocess.run(
        [sys.executable, "-m", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        check=False,
    )
    if done.returncode != 0:
        log = done.stdout.decode("utf-8", "replace").strip()
        lines = [line for line in log.splitlines() if line.strip()][-5:]
        export_failed(program, "\n".join(lines) or f"status {done.returncode}", place=place)


def _save_keras(model: Any, folder: str) -> None:
    try:
        model.export(folder, verbose=False)
    except Exception as error:  # whatever the exporter throws
        export_failed("keras", f"{type(error).__name__}: {error}", place=type(model).__name__)


def graph_ends(path: str) -> tuple[list[str], list[str]]:
    """Names of the placeholders of a frozen graph, and of the nodes whose results no node reads."""
    try:
        with open(path, "rb") as file:
            nodes = [_node(body) for field, body in _fields(file.read()) if field == 1]
    except (ValueError, UnicodeDecodeError):
        export_failed("tf2onnx", "the file is not a frozen graph (GraphDef)", place=path)
    read = {name.removeprefix("^").split(":")[0] for _, _, names in nodes for name in names}
    inputs = [name for name, kind, _ in nodes if kind.startswith("Placeholder")]
    outputs = [
        name
        for name, kind, _ in nodes
        if name not in read and kind not in ("Const", "NoOp", "Placeholder", "Assert")
    ]
    return inputs, outputs


def _node(body: bytes) -> tuple[str, str, list[str]]:
    """Name, operator and inputs of a NodeDef."""
    name, kind, inputs = "", "", []
    for field, content in _fields(body):
        if field == 1:
            name = content.decode()
        elif field == 2:
            kind = content.decode()
        elif field == 3:
            inputs.append(content.decode())
    return name, kind, inputs


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Fields of a protobuf message that have a length; others are skipped. Errors: ValueError."""
    position = 0

    def varint() -> int:
        nonlocal position
        value = shift = 0
        while True:
            if position >= len(message) or shift > 63:
                raise ValueError("not a protobuf message")
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(message):
        tag = varint()
        field, kind = tag >> 3, tag & 7
        if kind == 0:
            varint()
            continue
        if kind not in (1, 2, 5) or field == 0:
            raise ValueError("not a protobuf message")
        size = varint() if kind == 2 else 8 if kind == 1 else 4
        if size > len(message) - position:
            raise ValueError("not a protobuf message")
        if kind == 2:
            yield field, message[position : position + size]
        position += size


def main() -> int:
    """Turns a Keras file into a SavedModel folder."""
    source, folder = sys.argv[1:]
    import keras  # type: ignore[import-not-found, unused-ignore]

    keras.models.load_model(source, compile=False).export(folder, verbose=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
