# SPDX-License-Identifier: Apache-2.0
"""Compares engines at every level with the interpreter and onnxruntime on random models.

    python tests/python/random_check.py 0 1000 --keep DIR

prints each failing seed; --keep shrinks the model and writes it to DIR.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from random_graphs import random_model, shrink

import npugraph
from npugraph import _npugraph

# Level 3 twice: with exact implementations everywhere, and with those that approximate.
VARIANTS = {
    "level 1": {"opt_level": 1},
    "level 2": {"opt_level": 2},
    "level 3, precise": {"opt_level": 3, "precise": [".*"]},
    "level 3": {"opt_level": 3},
}
# Of an output's largest number, or of 1 where all are smaller: interpreter and kernels round
# differently, and so do sums that a fusion reorders.
TOLERANCE = {"float32": 2e-5, "float64": 1e-6, "float16": 2e-2}
FAST_TOLERANCE = {"float32": 5e-3, "float64": 1e-6, "float16": 4e-2}
PEER_TOLERANCE = {"float32": 1e-4, "float64": 1e-6, "float16": 4e-2}


def interpret(model: onnx.ModelProto, feed) -> dict[str, np.ndarray]:
    """Every value that a node makes, computed by the reference implementations, unoptimised."""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        return _npugraph.interpret(file.name.encode(), feed)


def run_onnxruntime(model: onnx.ModelProto, feed) -> dict[str, np.ndarray] | None:
    """None when it refuses the model: it lacks kernels for some dtypes."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    # Its own optimiser may fuse half-precision nodes; what the file says is what is compared.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        outputs = session.run(None, feed)
    except Exception:  # of many types, none of them exported
        return None
    return dict(zip((o.name for o in model.graph.output), outputs, strict=True))


def difference(found: np.ndarray, expected: np.ndarray, tolerances: dict[str, float]) -> str:
    """What is wrong with `found`; empty when it is equal as far as its dtype can be."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}"
    if expected.dtype.kind != "f":
        wrong = int((found != expected).sum())
        return f"{wrong} of {expected.size} elements differ" if wrong else ""
    a, b = found.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    finite = np.isfinite(a) & np.isfinite(b)
    if not (same | finite).all():
        return f"{int((~(same | finite)).sum())} elements are finite in one only"
    if not finite.any():
        return ""
    gap = np.abs(a[finite] - b[finite]).max()
    scale = max(np.abs(b)[finite].max(), 1.0)
    return f"differs by {gap / scale:.2e}" if gap > tolerances[str(expected.dtype)] * scale else ""


def symbols(model: onnx.ModelProto) -> set[str]:
    return {d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim} - {""}


def other_feed(model: onnx.ModelProto, feed) -> dict[str, np.ndarray]:
    """The feed for symbols that are one larger: the last rows come twice."""
    grown = {}
    for info in model.graph.input:
        array = feed[info.name]
        for axis, dim in enumerate(info.type.tensor_type.shape.dim):
            if dim.dim_param:
                last = np.take(array, [-1], axis)
                array = np.concatenate([array, last], axis)
        grown[info.name] = np.ascontiguousarray(array)
    return grown


def problems(model: onnx.ModelProto, feed, *, peer: bool = True) -> list[str]:
    """Every disagreement between the engines, the interpreter and onnxruntime."""
    found: list[str] = []
    try:
        runs = [(feed, interpret(model, feed))]
    except npugraph.Error as error:
        return [f"interpreter: {error}"]
    if symbols(model):
        try:
            grown = other_feed(model, feed)
            runs.append((grown, interpret(model, grown)))
        except npugraph.Error:
            pass  # a size is written into the graph as a number
    names = [output.name for output in model.graph.output]
    # A half's rounding, moved by a fusion, may grow behind it past what the self-check allows.
    half = any(value.dtype == np.float16 for value in runs[0][1].values())
    tolerance = dict.fromkeys(TOLERANCE, TOLERANCE["float16"]) if half else TOLERANCE
    peer_tolerance = {k: 2 * v for k, v in tolerance.items()} if half else PEER_TOLERANCE
    for variant, options in VARIANTS.items():
        self_check = variant == "level 2" and not half and not symbols(model)
        allowed = FAST_TOLERANCE if variant == "level 3" and not half else tolerance
        try:
            engine = npugraph.compile(model, self_check=self_check, **options)
            session = npugraph.Session(engine, threads=1)
            results = [session.run(inputs) for inputs, _ in runs]
        except npugraph.Error as error:
            found.append(f"{variant}: {error}")
            continue
        for outputs, (_, values) in zip(results, runs, strict=True):
            for name in names:
                wrong = difference(outputs[name], values[name], allowed)
                if wrong:
                    found.append(f"{variant}: '{name}' {wrong}")
    expected = run_onnxruntime(model, feed) if peer else None
    for name in names if expected else ():
        wrong = difference(runs[0][1][name], expected[name], peer_tolerance)
        if wrong:
            found.append(f"interpreter against onnxruntime: '{name}' {wrong}")
    return found


def keep(seed: int, folder: Path) -> None:
    """Writes the model of a failing seed, made as small as it will be."""
    model, feed = random_model(seed)
    kinds = {text.split(":")[0] for text in problems(model, feed)}

    def fails(small, small_feed) -> bool:
        if not small.graph.node:
            return False
        try:
            onnx.checker.check_model(small)
            return bool(kinds & {t.split(":")[0] for t in problems(small, small_feed)})
        except (onnx.checker.ValidationError, KeyError):
            return False

    try:
        values = interpret(model, feed)
    except npugraph.Error:
        values = {}
    model, feed = shrink(model, feed, values, fails)
    onnx.save(model, folder / f"seed{seed}.onnx")
    np.savez(folder / f"seed{seed}.npz", **feed)
    print(onnx.printer.to_text(model))
    for text in problems(model, feed):
        print("  ", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=int)
    parser.add_argument("end", type=int)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    failed = 0
    for seed in range(args.first, args.end):
        texts = problems(*random_model(seed))
        if texts:
            failed += 1
            print(seed, *texts[:3], sep="\n   ", flush=True)
            if args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                keep(seed, args.keep)
    print(f"{failed} of {args.end - args.first} seeds fail")


if __name__ == "__main__":
    main()
