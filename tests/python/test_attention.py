# SPDX-License-Identifier: Apache-2.0
"""Attention and RotaryEmbedding on ONNX's own test cases of these operators; scores with two masks
and keys that are repeated, which onnxruntime computes too."""

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import pytest
from onnx.backend.test.case.node import collect_testcases

import npugraph

# Of ONNX's own cases: float32 against its reference implementation, float16 rounded at each step
# there and once here.
TOLERANCE = {np.dtype(np.float32): 1e-5, np.dtype(np.float16): 5e-3}


def cases():
    for op in ("Attention", "RotaryEmbedding"):
        for case in collect_testcases(op):
            if not case.name.endswith("_expanded") and "_expanded_" not in case.name:
                yield pytest.param(case, id=case.name)


def is_taken(case) -> bool:
    """Nodes with a missing output in the middle and dtypes that numpy lacks are left out."""
    graph = case.model.graph
    dtypes = {value.type.tensor_type.elem_type for value in [*graph.input, *graph.output]}
    return onnx.TensorProto.BFLOAT16 not in dtypes


@pytest.mark.parametrize("case", cases())
def test_onnx_case(case, tmp_path):
    if not is_taken(case):
        pytest.skip("bfloat16 has no numpy dtype")
    path = tmp_path / "case.onnx"
    onnx.save(case.model, path)
    session = npugraph.Session(npugraph.compile(str(path)))
    names = [value.name for value in case.model.graph.input]
    for inputs, expected in case.data_sets:
        outputs = session.run(dict(zip(names, inputs, strict=True)))
        for value, wanted in zip(case.model.graph.output, expected, strict=True):
            found = outputs[value.name]
            assert found.dtype == wanted.dtype
            assert found.shape == wanted.shape
            bound = TOLERANCE[wanted.dtype]
            np.testing.assert_allclose(found, wanted, rtol=bound, atol=bound)


LOWEST = float(np.finfo(np.float32).min)
STEPS = {
    "causal_add": "Add({x}, causal)",
    "causal_where": "Where(lower, {x}, fill)",
    "pad_add": "Add({x}, pad)",
    "pad_where": "Where(keep, {x}, hidden)",
}


def masked_attention(order, fill, hidden):
    first, second = (STEPS[name].format(x=x) for name, x in zip(order, ("s", "a"), strict=True))
    model = onnx.parser.parse_model(
        f"""<ir_version: 9, opset_import: ["": 20]>
        g (float[2,2,4,8] q, float[2,2,8,4] k, float[2,2,4,8] v, float[2,1,1,4] pad,
           bool[2,1,1,4] keep) => (float[2,2,4,8] y) {{
          s = MatMul(q, k)
          a = {first}
          b = {second}
          w = Softmax<axis = -1>(b)
          y = MatMul(w, v)
        }}"""
    )
    constants = {
        "causal": np.triu(np.full((4, 4), fill, np.float32), 1),
        "lower": np.tril(np.ones((4, 4), bool)),
        "fill": np.float32(fill),
        "hidden": np.float32(hidden),
    }
    for name, data in constants.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(data), name))
    return model.SerializeToString()


def expected_of(model, feed):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, feed)[0]


@pytest.mark.parametrize("hidden", [LOWEST, -1e10, -1e9, -1e4])
@pytest.mark.parametrize("fill", [-np.inf, LOWEST, -1e10, -1e9, -1e4])
@pytest.mark.parametrize("pad", ["pad_add", "pad_where"])
@pytest.mark.parametrize("causal", ["causal_add", "causal_where"])
def test_a_row_whose_kept_keys_the_other_mask_hides(causal, pad, fill, hidden):
    rng = np.random.default_rng(3)
    shapes = {"q": (2, 2, 4, 8), "k": (2, 2, 8, 4), "v": (2, 2, 4, 8)}
    feed = {name: rng.uniform(-1, 1, dims).astype(np.float32) for name, dims in shapes.items()}
    # Padding before the tokens hides all keys of the first two queries; after them, none.
    feed["keep"] = np.array([[0, 0, 1, 1], [1, 1, 1, 0]], bool).reshape(2, 1, 1, 4)
    feed["pad"] = np.where(feed["keep"], 0, hidden).astype(np.float32)
    for order in ((causal, pad), (pad, causal)):
        model = masked_attention(order, fill, hidden)
        found = npugraph.Session(npugraph.compile(model)).run(feed)["y"]
        np.testing.assert_allclose(found, expected_of(model, feed), rtol=0, atol=1e-5)


@pytest.mark.parametrize(("k_heads", "v_heads"), [(2, 3), (3, 2), (1, 2), (2, 2)])
def test_keys_and_values_repeated_for_other_numbers_of_heads(k_heads, v_heads):
    model = onnx.parser.parse_model(
        f"""<ir_version: 9, opset_import: ["": 20]>
        g (float[1,6,5,8] q, float[1,{k_heads},5,8] k, float[1,{v_heads},5,8] v)
          => (float[1,6,5,8] y)
        <int64[1] two = {{2}}, int64[4] dims = {{0, 6, -1, 8}},
         int64[5] ek = {{1, 1, {6 // k_heads}, 1, 1}},
         int64[5] ev = {{1, 1, {6 // v_heads}, 1, 1}}> {{
          k1 = Unsqueeze(k, two)
          k2 = Expand(k1, ek)
          k3 = Reshape(k2, dims)
          v1 = Unsqueeze(v, two)
          v2 = Expand(v1, ev)
          v3 = Reshape(v2, dims)
          kt = Transpose<perm = [0, 1, 3, 2]>(k3)
          s = MatMul(q, kt)
          w = Softmax<axis = -1>(s)
          y = MatMul(w, v3)
        }}"""
    ).SerializeToString()
    rng = np.random.default_rng(4)
    heads = {"q": 6, "k": k_heads, "v": v_heads}
    feed = {name: rng.uniform(-1, 1, (1, n, 5, 8)).astype(np.float32) for name, n in heads.items()}
    found = npugraph.Session(npugraph.compile(model)).run(feed)["y"]
    np.testing.assert_allclose(found, expected_of(model, feed), rtol=0, atol=1e-5)
