# SPDX-License-Identifier: Apache-2.0
"""Implementations marked fast: taken at level 3, kept away by `precise`, and what each costs.

Expected numbers are computed by numpy in float64.
"""

import math

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import npugraph

LAYERS, TOKENS, WIDTH, HIDDEN = 24, 16, 64, 128
PRECISE = ["Softmax", "Gelu", "LayerNormalization", "FusedGemm", "Attention"]


def weights():
    """One encoder: 24 layers of attention with one head and a GELU block, before each a norm."""
    rng = np.random.default_rng(7)

    def matrix(rows, columns):
        return rng.normal(0, 1 / math.sqrt(rows), (rows, columns)).astype(np.float32)

    return [
        {
            "wq": matrix(WIDTH, WIDTH) * 2,
            "wk": matrix(WIDTH, WIDTH) * 2,
            "wv": matrix(WIDTH, WIDTH),
            "w1": matrix(WIDTH, HIDDEN),
            "b1": rng.normal(0, 0.3, HIDDEN).astype(np.float32),
            "w2": matrix(HIDDEN, WIDTH),
            "g": rng.uniform(0.5, 1.5, WIDTH).astype(np.float32),
            "b": rng.normal(0, 0.3, WIDTH).astype(np.float32),
        }
        for _ in range(LAYERS)
    ]


def encoder(layers):
    nodes, constants = [], [numpy_helper.from_array(np.float32(1 / math.sqrt(WIDTH)), "scale")]
    x = "x"
    for i, layer in enumerate(layers):
        for name, value in layer.items():
            constants.append(numpy_helper.from_array(value, f"{name}.{i}"))

        def add(op, inputs, name, i=i, **attributes):
            nodes.append(helper.make_node(op, inputs, [f"{name}.{i}"], f"{name}.{i}", **attributes))
            return f"{name}.{i}"

        norm = add("LayerNormalization", [x, f"g.{i}", f"b.{i}"], "norm1", axis=-1)
        q, k, v = (add("MatMul", [norm, f"w{letter}.{i}"], letter) for letter in "qkv")
        scores = add("MatMul", [q, add("Transpose", [k], "kt", perm=[1, 0])], "scores")
        probabilities = add(
            "Softmax", [add("Mul", [scores, "scale"], "scaled")], "softmax", axis=-1
        )
        middle = add("Add", [x, add("MatMul", [probabilities, v], "attended")], "middle")
        norm = add("LayerNormalization", [middle, f"g.{i}", f"b.{i}"], "norm2", axis=-1)
        hidden = add("Add", [add("MatMul", [norm, f"w1.{i}"], "up"), f"b1.{i}"], "biased")
        gelu = add("Gelu", [hidden], "gelu")
        x = add("Add", [middle, add("MatMul", [gelu, f"w2.{i}"], "down")], "out")
    graph = helper.make_graph(
        nodes,
        "encoder",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [TOKENS, WIDTH])],
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, [TOKENS, WIDTH])],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def exact(layers, x):
    erf = np.vectorize(math.erf)
    for layer in layers:
        w = {name: value.astype(np.float64) for name, value in layer.items()}

        def norm(v, w=w):
            centred = v - v.mean(-1, keepdims=True)
            variance = (centred**2).mean(-1, keepdims=True)
            return centred / np.sqrt(variance + 1e-5) * w["g"] + w["b"]

        n = norm(x)
        scores = (n @ w["wq"]) @ (n @ w["wk"]).T * np.float64(np.float32(1 / math.sqrt(WIDTH)))
        e = np.exp(scores - scores.max(-1, keepdims=True))
        x = x + (e / e.sum(-1, keepdims=True)) @ (n @ w["wv"])
        h = norm(x) @ w["w1"] + w["b1"]
        x = x + (h * 0.5 * (1 + erf(h / math.sqrt(2)))) @ w["w2"]
    return x


@pytest.fixture(scope="module")
def case():
    layers = weights()
    x = np.random.default_rng(8).normal(0, 1, (TOKENS, WIDTH)).astype(np.float32)
    return encoder(layers), x, exact(layers, x.astype(np.float64))


def run(model, x, **options):
    engine = npugraph.compile(model, **options)
    kernels = [row["kernel"] for row in engine.describe()["nodes"]]
    (output,) = npugraph.Session(engine, threads=1).run({"x": x}).values()
    return output, kernels


def error(output, right):
    return np.abs(output - right).max() / np.abs(right).max()


def test_precise_cures_the_drift_of_a_24_layer_encoder(case):
    model, x, right = case
    fast, fast_kernels = run(model, x, opt_level=3)
    precise, precise_kernels = run(model, x, opt_level=3, precise=PRECISE)
    assert any("fast" in kernel for kernel in fast_kernels)
    assert not any("fast" in kernel for kernel in precise_kernels)
    print(f"fast {error(fast, right):.2e}, precise {error(precise, right):.2e}")
    assert error(precise, right) <= error(fast, right) / 10
    assert error(precise, right) < 1e-5


def test_level_2_takes_nothing_fast(case):
    model, x, right = case
    output, kernels = run(model, x, opt_level=2)
    assert not any("fast" in kernel for kernel in kernels)
    assert error(output, right) < 1e-5


def test_a_regular_expression_keeps_some_nodes_precise(case):
    model, x, _ = case
    _, kernels = run(model, x, opt_level=3, precise=["norm1\\..*"])
    names = [k for k in kernels if k.startswith("layer_normalization")]
    assert names.count("layer_normalization_f32") == LAYERS
    assert names.count("layer_normalization_fast_f32") == LAYERS


def test_a_name_that_is_not_there_is_refused(case):
    model, x, _ = case
    for level in (1, 3):
        with pytest.raises(npugraph.Error) as caught:
            run(model, x, opt_level=level, precise=["nrom1\\..*"])
        assert caught.value.id == "NPU107"
        assert "nrom1" in caught.value.found
