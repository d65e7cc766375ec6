# SPDX-License-Identifier: Apache-2.0
"""Small models with a pattern that looks as if it could be fused, and cannot: it stays, and the
numbers are those of onnxruntime."""

import numpy as np
import onnx.parser
import onnxruntime
import pytest
from lookalikes import CASES, ORIGINALS

import npugraph


def model_of(case):
    inputs, outputs = case.head.split("=>")
    constants = f"<{case.constants}>" if case.constants else ""
    body = case.body.replace(";", "\n")
    return onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["": {case.opset}]>'
        f"lookalike ({inputs}) => ({outputs}) {constants} {{ {body} }}"
    )


def feed_of(model, sizes):
    rng = np.random.default_rng(5)
    feed = {}
    for port in model.graph.input:
        kind = port.type.tensor_type
        dims = [d.dim_value or sizes[d.dim_param] for d in kind.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        feed[port.name] = rng.uniform(0.1, 2, dims).astype(dtype)
        if port.name == "x":
            feed[port.name] *= rng.choice([-1, 1], dims).astype(dtype)
    return feed


def run_as_onnxruntime(case):
    """Compiles and runs the case, compares with onnxruntime; gives the operators of the engine."""
    model = model_of(case)
    onnx.checker.check_model(model)
    engine = npugraph.compile(model.SerializeToString())
    feed = feed_of(model, case.sizes)
    peer = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [port.name for port in peer.get_outputs()]
    expected = dict(zip(names, peer.run(None, feed), strict=True))
    outputs = npugraph.Session(engine).run(feed)
    assert list(outputs) == names
    for name, value in expected.items():
        assert outputs[name].dtype == value.dtype
        np.testing.assert_allclose(
            outputs[name].astype(np.float64),
            value.astype(np.float64),
            rtol=0,
            atol=case.tolerance * max(1.0, float(np.abs(value).max())),
        )
    return [row["op"] for row in engine.describe()["nodes"]]


@pytest.mark.parametrize("name", CASES)
def test_what_only_looks_fusable_stays(name):
    case = CASES[name]
    found = run_as_onnxruntime(case)
    for op in filter(None, case.never.split(", ")):
        assert op not in found, found
    for op, count in case.kept.items():
        assert found.count(op) == count, found


@pytest.mark.parametrize("name", ORIGINALS)
def test_what_they_look_like_is_fused(name):
    assert run_as_onnxruntime(ORIGINALS[name]) == [name.split()[0]]
