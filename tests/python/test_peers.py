# SPDX-License-Identifier: Apache-2.0
"""bench/peers: its figures, on numbers worked by hand, and one short run of the whole."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from models import light
from models.suite import SUITE, by_name
from peers.report import Row, compare, fill_ratios, geometric_means, markdown

ROOT = Path(__file__).resolve().parents[2]


def row(engine: str, case: str, times: list[float], precision: str = "f32") -> Row:
    made = Row(case, engine, 1, version="1", precision=precision, times_ms=times)
    made.close()
    return made


def test_a_ratio_is_taken_to_the_best_other_engine_of_the_same_precision():
    rows = [row("a", "x", [4, 6, 5]), row("b", "x", [2.5]), row("c", "x", [1], "bf16")]
    fill_ratios(rows)
    assert [r.ratio for r in rows] == [2.0, 0.5, None]
    assert (rows[0].median_ms, rows[0].min_ms, rows[0].runs) == (5, 4, 3)


def test_geometric_mean_of_2_and_8_is_4():
    rows = [row("a", "x", [2]), row("b", "x", [1]), row("a", "y", [8]), row("b", "y", [1])]
    fill_ratios(rows)
    mean = next(m for m in geometric_means(rows) if m["engine"] == "a")
    assert mean["geometric_mean"] == pytest.approx(4)
    assert (mean["worst"], mean["cases"]) == (8, 2)


def test_a_failed_engine_is_listed_and_does_not_count():
    rows = [row("a", "x", [2]), Row("x", "b", 1, error="log\nno such operator")]
    fill_ratios(rows)
    assert rows[0].ratio is None
    table = markdown(rows, ["a", "b"], "host")
    assert "| x | 2.00 (2.00) | fails |" in table
    assert "- x, b, 1 thread: no such operator" in table


def test_compare_gives_error_and_cosine():
    assert compare(np.array([3.0, 4.5]), np.array([3.0, 4.0])) == (
        0.5,
        0.125,
        pytest.approx((9 + 18) / (np.hypot(3, 4.5) * 5)),
    )
    with pytest.raises(ValueError, match="shape"):
        compare(np.zeros((2, 1)), np.zeros(2))


def test_inputs_are_the_same_each_time():
    for model in SUITE:
        for case in model.cases:
            first, again = model.feeds(case), model.feeds(case)
            for a, b in zip(first, again, strict=True):
                assert all(np.array_equal(a[name], b[name]) for name in a), model.case_id(case)
            shapes = {str({k: v.shape for k, v in feed.items()}) for feed in first}
            assert case.one_shape == (len(shapes) == 1), model.case_id(case)


def test_light_models_get_weights_that_differ(tmp_path):
    source = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"
    light.randomize(source, tmp_path / "out.onnx")
    graph = onnx.load(tmp_path / "out.onnx").graph
    assert not [n for n in graph.node if n.op_type == "ConstantOfShape"]
    assert [i.name for i in graph.input] == ["data_0"]
    for tensor in graph.initializer:
        values = onnx.numpy_helper.to_array(tensor)
        assert values.dtype != np.float32 or values.std() > 0, tensor.name


def test_a_short_run_writes_json_and_a_table(tmp_path, suite_file):
    suite_file(by_name("magika"))
    command = [sys.executable, str(ROOT / "bench/peers/run.py"), "--models", "magika"]
    command += ["--engines", "onnxruntime", "--threads", "1", "--runs", "6"]
    command += ["--json", str(tmp_path / "a.json"), "--table", str(tmp_path / "a.md")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[1/1] magika, 1 thread: onnxruntime" in done.stdout
    (found,) = json.loads((tmp_path / "a.json").read_text())["rows"]
    assert found["runs"] >= 6
    assert 0 < found["min_ms"] <= found["median_ms"] <= found["p90_ms"]
    assert found["load_ms"] > 0 and found["peak_rss_mb"] > found["base_rss_mb"] > 0
    assert "| magika |" in (tmp_path / "a.md").read_text()
