#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten small models as one engine: one call instead of ten, the same numbers.

python examples/merge.py
"""

import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import npugraph

COUNT = 10
WIDTH = 32
RUNS = 300


def scorer(seed: int) -> onnx.ModelProto:
    """score = softmax(relu(x @ a) @ b), x float32 [batch, WIDTH]."""
    rng = np.random.default_rng(seed)
    weights = [
        numpy_helper.from_array(rng.standard_normal((WIDTH, n)).astype(np.float32), name)
        for name, n in (("a", WIDTH), ("b", 4))
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "a"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["active"]),
        helper.make_node("MatMul", ["active", "b"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["score"], axis=-1),
    ]
    graph = helper.make_graph(
        nodes,
        "scorer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", WIDTH])],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, ["batch", 4])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def best_us(run) -> float:
    """The fastest of several runs, in microseconds: what is left when nothing disturbs."""
    best = float("inf")
    for _ in range(RUNS):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best * 1e6


def main() -> None:
    models = {f"m{seed}": scorer(seed) for seed in range(COUNT)}
    # Every model has its own batch: the sizes of merged models are independent.
    inputs = {
        name: np.random.default_rng(i).random((1 + i % 3, WIDTH), dtype=np.float32)
        for i, name in enumerate(models)
    }

    apart = {
        name: npugraph.Session(npugraph.compile(model), threads=1) for name, model in models.items()
    }
    together = npugraph.Session(npugraph.merge(models), threads=1)
    print(together.engine)

    merged_inputs = {f"{name}/x": x for name, x in inputs.items()}
    merged = together.run(merged_inputs)
    for name, session in apart.items():
        alone = session.run({"x": inputs[name]})["score"]
        if not np.array_equal(merged[f"{name}/score"], alone):
            raise SystemExit(f"{name}: the merged engine gives other numbers")
    print(f"{COUNT} models, the same numbers apart and merged")

    apart_us = best_us(lambda: [s.run({"x": inputs[n]}) for n, s in apart.items()])
    merged_us = best_us(lambda: together.run(merged_inputs))
    print(f"apart {apart_us:.0f} us, merged {merged_us:.0f} us, ratio {apart_us / merged_us:.2f}")
    with together.bind(merged_inputs) as binding:
        print(f"merged and bound {best_us(binding.run):.0f} us")


if __name__ == "__main__":
    main()
