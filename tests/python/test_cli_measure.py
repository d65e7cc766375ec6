# SPDX-License-Identifier: Apache-2.0
"""bench and compare, run as a user runs them."""

import math
import os
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest
from command_line import CLI, ULTRAFACE, as_json, fails, npugraph
from onnx import numpy_helper

import npugraph as package

# bench


def rank(samples, percent):
    """The nearest-rank percentile, from its definition."""
    return sorted(samples)[math.ceil(percent * len(samples) / 100) - 1]


def test_bench_percentiles_are_nearest_rank(engine):
    report = as_json("bench", engine, "--runs", "60", "--warmup", "2", "--threads", "1")
    samples, row = report["samples_us"], report["latency_us"]
    assert len(samples) == report["runs"] == 60
    assert row["p90"] == rank(samples, 90) and row["p99"] == rank(samples, 99)
    assert row["min"] == min(samples) and row["max"] == max(samples)
    assert row["mean"] == pytest.approx(np.mean(samples), rel=1e-9)
    assert row["median"] == pytest.approx(np.median(samples), rel=1e-9)
    assert report["compile_ms"] is None
    assert report["load_ms"] > 0 and report["first_run_ms"] > 0
    assert report["peak_rss_bytes"] > 1 << 20 and 0 < report["cpu_percent"] < 150
    assert 0 < report["device_utilisation_percent"]["cpu"] <= 100
    text = npugraph("bench", engine, "--runs", "5").stdout
    for word in ("P90", "P99", "median", "peak memory", "load", "first run"):
        assert word in text


def test_bench_of_a_model_tells_the_compile_time(dynamic_model):
    report = as_json("bench", dynamic_model, "--runs", "20", "--shape", "x=8x4")
    assert report["compile_ms"] > 0


def test_bench_on_vnpu_has_a_simulated_clock(dynamic_model):
    words = ("--device", "vnpu", "--runs", "5", "--shape", "x=8x4")
    report = as_json("bench", dynamic_model, *words)
    assert len(set(report["virtual_samples_us"])) == 1  # a simulated clock has no jitter
    assert 0 < report["device_utilisation_percent"]["vnpu"] <= 100


# compare


def test_compare_agrees_with_the_reference_and_onnxruntime():
    for against in ("reference", "onnxruntime"):
        report = as_json("compare", ULTRAFACE, "--against", against)
        assert report["ok"] and report["first_over_tolerance"] is None
        assert {row["name"] for row in report["tensors"]} == {"scores", "boxes"}
        assert all(row["cosine"] > 0.99999 for row in report["tensors"])
        layers = as_json("compare", ULTRAFACE, "--against", against, "--layers")
        assert layers["ok"] and len(layers["tensors"]) > 20


def test_compare_measures_are_those_of_numpy(tmp_path):
    out = tmp_path / "out.npz"
    npugraph("run", ULTRAFACE, "--random", "3", "--output", out)
    engine = package.compile(ULTRAFACE)
    inputs = package.random_inputs(engine, 3)
    session = onnxruntime.InferenceSession(ULTRAFACE, providers=["CPUExecutionProvider"])
    wanted = session.run(["scores", "boxes"], inputs)
    report = as_json("compare", ULTRAFACE, "--against", "onnxruntime", "--random", "3")
    with np.load(out) as outputs:
        for row, want in zip(report["tensors"], wanted, strict=True):
            ours, want = outputs[row["name"]].astype(np.float64), want.astype(np.float64)
            max_abs = np.abs(ours - want).max()
            assert row["max_abs"] == pytest.approx(max_abs, rel=1e-6)
            assert row["relative_error"] == pytest.approx(max_abs / np.abs(want).max(), rel=1e-6)
            euclid = np.linalg.norm(ours - want) / np.linalg.norm(want)
            assert row["relative_euclid"] == pytest.approx(euclid, rel=1e-6)
            cosine = (ours * want).sum() / np.linalg.norm(ours) / np.linalg.norm(want)
            assert row["cosine"] == pytest.approx(cosine, abs=1e-12)


def test_compare_says_no_when_the_tolerance_is_too_tight(dynamic_model, tmp_path):
    model = onnx.load(dynamic_model)
    weight = numpy_helper.to_array(model.graph.initializer[0]) * 1.5
    model.graph.initializer[0].CopyFrom(numpy_helper.from_array(weight, "w"))
    onnx.save(model, tmp_path / "other.onnx")
    npugraph("compile", tmp_path / "other.onnx", "-o", tmp_path / "other.engine")
    words = ("compare", dynamic_model, "--engine", tmp_path / "other.engine", "--shape", "x=2x4")
    report = as_json(*words, status=1)
    assert report["first_over_tolerance"]["relative_error"] == pytest.approx(0.5, rel=1e-4)
    assert "first over tolerance" in npugraph(*words, status=1).stdout
    assert as_json(*words, "--tolerance", "0.6")["ok"]
    fails("NPU107", "compare", dynamic_model, "--engine", dynamic_model)
    fails("NPU107", "compare", dynamic_model, "--against", "tea_leaves")


def test_compare_without_python_says_what_is_missing(tmp_path):
    # A copy of the program with no Python beside it and none on the path.
    library = CLI.parent.parent / "lib"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/npugraph").write_bytes(CLI.read_bytes())
    (tmp_path / "bin/npugraph").chmod(0o755)
    environment = {**os.environ, "PATH": str(tmp_path), "LD_LIBRARY_PATH": str(library)}
    command = [str(tmp_path / "bin/npugraph"), "compare", str(ULTRAFACE)]
    command += ["--against", "onnxruntime"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 2
    assert done.stderr.startswith("npugraph: error NPU702: "), done.stderr
