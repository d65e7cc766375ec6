# SPDX-License-Identifier: Apache-2.0
"""Work that the command line leaves to Python; reads and writes .npz files.

    python -m npugraph.helper onnxruntime MODEL INPUTS.npz OUTPUTS.npz NODES.json [--layers]
    python -m npugraph.helper export MODEL OUTPUT.onnx [--input-name NAME] [--output-name NAME]

Exit status: 0 done; 3 a package is missing; 1 anything else. The last line printed says why.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from typing import Any

MISSING_PACKAGE = 3


def save_arrays(path: str, arrays: dict[str, Any]) -> None:
    """As numpy.savez, which cannot hold an array of the name "file"."""
    from numpy.lib import format as npy

    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as file:
                npy.write_array(file, array, allow_pickle=False)


def with_all_outputs(model: Any) -> Any:
    """Makes every value of the outer graph, subgraphs left out, an output; in order of its node."""
    import onnx

    kept = {output.name: output for output in model.graph.output}
    outputs = []
    for node in model.graph.node:
        for name in node.output:
            if name:
                outputs.append(kept.pop(name, None) or onnx.ValueInfoProto(name=name))
    outputs += kept.values()  # outputs that are inputs or constants
    del model.graph.output[:]
    model.graph.output.extend(outputs)
    return model


def run_onnxruntime(options: argparse.Namespace) -> None:
    import numpy
    import onnx
    import onnxruntime

    with numpy.load(options.inputs, allow_pickle=False) as archive:
        inputs = {name: archive[name] for name in archive.files}
    model = onnx.load(options.model)
    node_of = {name: node.name for node in model.graph.node for name in node.output if name}
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    if options.threads > 0:
        settings.intra_op_num_threads = options.threads
    source = options.model
    if options.layers:
        # What the optimiser fuses away would not be there to compare.
        settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        source = with_all_outputs(model).SerializeToString()
    session = onnxruntime.InferenceSession(
        source, sess_options=settings, providers=["CPUExecutionProvider"]
    )
    # bfloat16 and sequences have no numpy form.
    names = [
        output.name
        for output in session.get_outputs()
        if output.type.startswith("tensor(") and output.type not in ("tensor(bfloat16)",)
    ]
    values = session.run(names, inputs)
    save_arrays(
        options.outputs,
        {name: numpy.asarray(value) for name, value in zip(names, values, strict=True)},
    )
    with open(options.nodes, "w", encoding="utf-8") as file:
        json.dump(node_of, file)


def run_export(options: argparse.Namespace) -> None:
    from . import errors, sources

    try:
        sources.export_onnx(
            options.model,
            options.output,
            input_names=options.input_name or None,
            output_names=options.output_name or None,
        )
    except errors.Error as error:
        # The program that asked makes an error of its own out of the last line.
        print(" ".join((error.found or error.what).split()), flush=True)
        sys.exit(MISSING_PACKAGE if error.id == "NPU702" else 1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m npugraph.helper", description=__doc__)
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("onnxruntime", help="run a model with onnxruntime")
    run.add_argument("model")
    run.add_argument("inputs")
    run.add_argument("outputs")
    run.add_argument("nodes")
    run.add_argument("--layers", action="store_true", help="every value, not outputs alone")
    run.add_argument("--threads", type=int, default=0, help="0: all processors")
    run.set_defaults(run=run_onnxruntime)
    export = commands.add_parser("export", help="write another framework's model as ONNX")
    export.add_argument("model")
    export.add_argument("output")
    export.add_argument("--input-name", action="append")
    export.add_argument("--output-name", action="append")
    export.set_defaults(run=run_export)
    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except ModuleNotFoundError as error:
        print(f"the package '{error.name}' is missing", flush=True)
        return MISSING_PACKAGE
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # whatever the other engine throws is reported, not handled
        print(" ".join(f"{type(error).__name__}: {error}".split())[:2000], flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
