# SPDX-License-Identifier: Apache-2.0
"""A model of each family of exporters: switching off any pass changes no number, nor does the
order of any two passes."""

import os
import subprocess
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from models import get_models

import npugraph

ROOT = Path(__file__).resolve().parents[2]
PASS_PAIRS = ROOT / "build" / "release" / "test_api"
RELATIVE_ERROR = 1e-5
PEER_ERROR = 1e-4

# By exporter: what its files say of themselves, and the sizes to run with.
FAMILIES = {
    "torchscript": ("pytorch", {"image": (1, 3, 60, 160)}),
    "dynamo": ("pytorch", {"x": (1, 24), "mask": (1, 24)}),
    "dynamo20": (
        "pytorch",
        {n: (1, 16) for n in ("input_ids", "attention_mask", "token_type_ids")},
    ),
    "dynamo23": (
        "pytorch",
        {n: (1, 16) for n in ("input_ids", "attention_mask", "token_type_ids")},
    ),
    "tf2onnx": ("tf2onnx", {"bytes": (1, 2048)}),
    "paddle2onnx": ("", {"x": (1, 3, 48, 64)}),
}


@pytest.fixture(scope="module")
def family(request):
    """(path, feed) of one exporter's model."""
    exporter = request.param
    cached = get_models.cache_folder() / "exported" / f"{exporter}.onnx"
    if exporter.startswith("dynamo2") and not cached.exists():
        pytest.importorskip("torch", reason="makes the model")
        pytest.importorskip("onnxscript", reason="makes the model")
    path = get_models.exported(exporter)
    model = onnx.load(path, load_external_data=False)
    producer, shapes = FAMILIES[exporter]
    assert model.producer_name == producer
    rng = np.random.default_rng(3)
    feed = {}
    for port in model.graph.input:
        if port.name not in shapes:
            continue
        dtype = onnx.helper.tensor_dtype_to_np_dtype(port.type.tensor_type.elem_type)
        if dtype.kind == "f":
            feed[port.name] = rng.uniform(-1, 1, shapes[port.name]).astype(dtype)
        elif dtype.kind == "b" or "mask" in port.name:
            feed[port.name] = np.ones(shapes[port.name], dtype)
        else:
            high = 2 if "type" in port.name else 90
            feed[port.name] = rng.integers(0, high, shapes[port.name]).astype(dtype)
    return str(path), feed


every_family = pytest.mark.parametrize("family", FAMILIES, indirect=True)


def run(path: str, feed, **options) -> dict[str, np.ndarray]:
    """Without the implementations of level 3 that approximate."""
    engine = npugraph.compile(path, precise=[".*"], **options)
    return npugraph.Session(engine, threads=2).run(feed)


def assert_close(found, expected, bound: float, place: str) -> None:
    for name, value in expected.items():
        assert found[name].shape == value.shape, (place, name)
        if value.dtype.kind != "f":
            np.testing.assert_array_equal(found[name], value, err_msg=f"{place}, {name}")
            continue
        gap = np.abs(found[name].astype(np.float64) - value).max() / np.abs(value).max()
        assert gap <= bound, f"{place}, output '{name}': {gap:.2e}"


@every_family
def test_optimised_engines_match_onnxruntime(family):
    path, feed = family
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    expected = dict(zip(names, session.run(names, feed), strict=True))
    for level in range(4):
        assert_close(run(path, feed, opt_level=level), expected, PEER_ERROR, f"level {level}")


@every_family
@pytest.mark.slow
def test_every_pass_switched_off_in_turn_gives_the_same_numbers(family):
    path, feed = family
    expected = run(path, feed, opt_level=0)
    report = npugraph.compile(path, opt_level=3).describe()["passes"]
    names = list(dict.fromkeys(row["name"] for row in report))
    assert len(names) >= 10
    for name in names:
        found = run(path, feed, opt_level=3, passes={name: False})
        assert_close(found, expected, RELATIVE_ERROR, f"without {name}")


@pytest.mark.slow
@pytest.mark.skipif(not PASS_PAIRS.exists(), reason="needs the C++ tests, built in build/release")
@every_family
def test_every_pair_of_passes_in_both_orders_gives_the_same_numbers(family):
    """The same test as on the repository's own models, run on this one."""
    path, _ = family
    command = [str(PASS_PAIRS), "--gtest_filter=*PassOrder*_added", "--gtest_brief=1"]
    environment = {**os.environ, "NPUGRAPH_PAIR_MODELS": path}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "2 tests" in done.stdout, done.stdout
