# SPDX-License-Identifier: Apache-2.0
"""Every command of the command line, run as a user runs it."""

import json
import os
import re
import signal
import subprocess
import time

import numpy as np
import onnx
import onnxruntime
import pytest
from command_line import CLI, ROOT, ULTRAFACE, as_json, fails, npugraph
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

PHOTOGRAPH = ROOT / "examples/images/astronaut.jpg"
SMALL = sorted((ROOT / "tests/models/nnsmith").glob("m0*.onnx"))[:8]


def test_version_and_help_name_every_command():
    assert re.fullmatch(r"npugraph \d+\.\d+\.\d+\n", npugraph("--version").stdout)
    text = npugraph("--help").stdout
    for command in (
        "compile",
        "run",
        "inspect",
        "check",
        "bench",
        "compare",
        "ops",
        "devices",
        "optimise",
    ):
        assert command in text
        assert "--help" in npugraph(command, "--help").stdout


def test_unknown_words_suggest_the_nearest():
    assert "did you mean 'compile'" in fails("NPU107", "compil", "x.onnx")
    assert "did you mean --random" in fails("NPU107", "run", "x.engine", "--randon", "1")
    fails("NPU107")
    fails("NPU107", "run")
    fails("NPU107", "bench", "x.engine", "--runs", "many")
    fails("NPU107", "bench", "x.engine", "--runs", "0")
    for seed in ("18446744073709551616", "-1", "1.5", "0x10", "many", ""):
        fails("NPU107", "run", "x.engine", "--random", seed)


# compile


def test_compile_prints_placement_and_writes_a_report(tmp_path):
    out, report = tmp_path / "a.engine", tmp_path / "report.json"
    done = npugraph("compile", ULTRAFACE, "-o", out, "--report", report)
    assert "on cpu" in done.stdout and done.stderr == ""
    written = json.loads(report.read_text())
    assert written["times_us"]["total"] > 0
    assert {node["device"] for node in written["nodes"]} == {"cpu"}
    assert written["passes"] and all(
        {"name", "nodes_before", "nodes_after"} <= row.keys() for row in written["passes"]
    )
    assert sum(row["time_us"] for row in written["passes"]) <= written["times_us"]["optimise"]
    assert any(row["time_us"] > 0 for row in written["passes"])
    assert out.stat().st_size == written["file_bytes"]
    assert sorted(os.listdir(tmp_path)) == ["a.engine", "report.json"]


def test_compile_gives_the_same_bytes_twice(tmp_path):
    for name in ("a", "b"):
        npugraph("compile", ULTRAFACE, "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_compile_json_is_the_report(tmp_path, dynamic_model):
    report = as_json("compile", dynamic_model, "-o", tmp_path / "a", "--shape", "x=nx4")
    assert report["inputs"] == [{"name": "x", "dtype": "float32", "shape": "[n, 4]"}]
    report = as_json("compile", dynamic_model, "-o", tmp_path / "a", "--shape", "x=5x4")
    assert report["outputs"][0]["shape"] == "[5, 3]"


def test_compile_obeys_level_passes_order_and_dumps(tmp_path, dynamic_model):
    order = tmp_path / "order.txt"
    order.write_text("product\nrelu\n")
    raw = as_json(
        "compile", dynamic_model, "-o", tmp_path / "a", "--opt-level", "0", "--order", order
    )
    assert len(raw["nodes"]) == 2
    fused = as_json("compile", dynamic_model, "-o", tmp_path / "b")
    assert len(fused["nodes"]) < 2 + 1
    name = fused["passes"][0]["name"]
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    words = ("--fusion-switch", f"{name}=off", "--self-check", "--dump-passes", dumps)
    off = as_json("compile", dynamic_model, "-o", tmp_path / "c", *words)
    assert name not in [row["name"] for row in off["passes"] if row["changes"]]
    assert list(dumps.iterdir())


def test_compile_for_vnpu_names_the_open_sizes_that_keep_nodes_off_it(dynamic_model, tmp_path):
    words = ("compile", dynamic_model, "-o", tmp_path / "a.engine", "--device", "vnpu")
    text = npugraph(*words).stdout
    assert "2 refused by the wanted device" in text
    assert "most refused for vnpu: " in text
    assert "input 'x' has open sizes, [b, 4]" in text and "--shape x=" in text
    text = npugraph(*words, "--shape", "x=8x4").stdout
    assert "2 on vnpu" in text and "refused" not in text and "--shape" not in text


def test_compile_for_vnpu_says_why_nodes_run_elsewhere(tmp_path):
    out = tmp_path / "a.engine"
    report = as_json("compile", ULTRAFACE, "-o", out, "--device", "vnpu")
    devices = {node["device"] for node in report["nodes"]}
    assert devices == {"cpu", "vnpu"}
    for node in report["nodes"]:
        assert (node["device"] == "vnpu") == (node["reason"] == ""), node
    assert report["copies"] == report["cut_edges"] > 0


@pytest.mark.parametrize(
    ("error_id", "words"),
    [
        ("NPU101", ["none.onnx", "-o", "OUT"]),
        ("NPU401", [ULTRAFACE, "-o", "OUT", "--device", "gpu"]),
        ("NPU107", [ULTRAFACE, "-o", "OUT", "--opt-level", "9"]),
        ("NPU107", [ULTRAFACE, "-o", "OUT", "--fusion-switch", "no_such_pass=on"]),
        ("NPU107", [ULTRAFACE, "-o", "OUT", "--fusion-switch", "x"]),
        ("NPU107", [ULTRAFACE, "-o", "OUT", "--shape", "input=1x?"]),
        ("NPU103", [ULTRAFACE, "-o", "/no/such/folder/a.engine"]),
        ("NPU101", [ULTRAFACE, "-o", "OUT", "--order", "none.txt"]),
    ],
)
def test_compile_refuses_and_leaves_no_file(tmp_path, error_id, words):
    out = tmp_path / "out.engine"
    fails(error_id, "compile", *(out if word == "OUT" else word for word in words))
    assert os.listdir(tmp_path) == []


def test_compile_refuses_files_that_are_no_model(tmp_path):
    for content in (b"", b"not a model", ULTRAFACE.read_bytes()[:1000]):
        path = tmp_path / "bad.onnx"
        path.write_bytes(content)
        done = npugraph("compile", path, "-o", tmp_path / "out", status=2)
        assert re.match(r"npugraph: error NPU2\d\d: ", done.stderr), done.stderr
        assert "bad.onnx" in done.stderr
        assert os.listdir(tmp_path) == ["bad.onnx"]


def wide_model(path, layers=60):
    """A chain of large products: compiling it takes a while."""
    rng = np.random.default_rng(2)
    nodes, weights = [], []
    for i in range(layers):
        weights.append(
            numpy_helper.from_array(rng.random((768, 768)).astype(np.float32) / 768, f"w{i}")
        )
        nodes.append(helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"x{i + 1}"], name=f"n{i}"))
    graph = helper.make_graph(
        nodes,
        "wide",
        [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [768, 768])],
        [helper.make_tensor_value_info(f"x{layers}", TensorProto.FLOAT, [768, 768])],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_compiling_leaves_no_file(tmp_path, sent):
    model, out = tmp_path / "wide.onnx", tmp_path / "out"
    wide_model(model)
    out.mkdir()
    command = [str(CLI), "compile", str(model), "-o", str(out / "wide.engine"), "--self-check"]
    for delay in (0.02, 0.1, 0.3):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(delay)
        process.send_signal(sent)
        _, stderr = process.communicate(timeout=60)
        # Before the handlers are there, the signal itself ends the process.
        assert process.returncode in (128 + sent, -sent), (delay, process.returncode, stderr)
        assert os.listdir(out) == []


def test_an_interrupt_ends_bench_at_once(engine):
    command = [str(CLI), "bench", str(engine), "--runs", "1000000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130 and stdout == ""
    assert "interrupted" in stderr


def test_compile_does_not_replace_its_model(tmp_path):
    model = tmp_path / "self.onnx"
    model.write_bytes(ULTRAFACE.read_bytes())
    before = model.read_bytes()
    done = npugraph("compile", model, "-o", model, status=2)
    assert "NPU107" in done.stderr
    assert model.read_bytes() == before


def test_an_engine_given_as_a_model_is_named(engine, tmp_path):
    done = npugraph("compile", engine, "-o", tmp_path / "x.engine", status=2)
    assert "npugraph's own" in done.stderr


# run


@pytest.mark.parametrize("model", SMALL, ids=lambda path: path.stem)
def test_run_gives_the_expected_outputs(tmp_path, model):
    with np.load(model.with_suffix(".npz")) as data:
        inputs = {name[3:]: data[name] for name in data.files if name.startswith("in:")}
        expected = {name[4:]: data[name] for name in data.files if name.startswith("out:")}
    words = []
    for index, (name, array) in enumerate(inputs.items()):
        np.save(tmp_path / f"{index}.npy", array)
        words += ["--input", f"{name}={tmp_path / f'{index}.npy'}"]
    out = tmp_path / "out.npz"
    npugraph("run", model, *words, "--output", out)
    with np.load(out) as outputs:
        for name, want in expected.items():
            assert outputs[name].dtype == want.dtype
            np.testing.assert_allclose(outputs[name], want, rtol=1e-2, atol=1e-3)
    np.savez(tmp_path / "all.npz", **inputs)
    npugraph("run", model, "--input", tmp_path / "all.npz", "--output", tmp_path / "again.npz")
    with np.load(out) as first, np.load(tmp_path / "again.npz") as second:
        for name in first.files:
            np.testing.assert_array_equal(first[name], second[name])


def test_run_takes_an_image(engine, tmp_path):
    out = tmp_path / "out.npz"
    scaling = ("--image-mean", "127", "--image-scale", "0.0078125")
    report = as_json("run", engine, "--input", PHOTOGRAPH, *scaling, "--output", out)
    assert [row["name"] for row in report["outputs"]] == ["scores", "boxes"]
    # The same numbers as onnxruntime for the photograph scaled by numpy: pixel centres at half
    # coordinates, edges repeated.
    pixels = np.asarray(Image.open(PHOTOGRAPH).convert("RGB"), np.float64)
    for axis, size in ((0, 240), (1, 320)):
        place = (np.arange(size) + 0.5) * 512 / size - 0.5
        low = np.floor(place).astype(int)
        share = (place - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        first = pixels.take(np.clip(low, 0, 511), axis)
        pixels = first * (1 - share) + pixels.take(np.clip(low + 1, 0, 511), axis) * share
    x = ((pixels - 127) / 128).transpose(2, 0, 1)[None].astype(np.float32)
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    peer = onnxruntime.InferenceSession(ULTRAFACE, settings, providers=["CPUExecutionProvider"])
    with np.load(out) as outputs:
        for name, want in zip(outputs.files, peer.run(outputs.files, {"input": x}), strict=True):
            # Two JPEG decoders may differ by a step of brightness.
            assert np.abs(outputs[name] - want).mean() < 0.01
        best = np.argsort(outputs["scores"][0, :, 1])[-1]
        assert outputs["scores"][0, best, 1] > 0.99


def test_run_random_is_the_same_for_the_same_seed(engine):
    one, two, other = (as_json("run", engine, "--random", seed)["outputs"] for seed in (1, 1, 2))
    assert one == two != other


def test_run_random_obeys_shapes(dynamic_model, tmp_path):
    report = as_json("run", dynamic_model, "--random", "1", "--shape", "x=7x4")
    assert report["outputs"][0]["shape"] == [7, 3]
    npugraph("compile", dynamic_model, "-o", tmp_path / "a.engine")
    for batch in (1, 5, 3):
        report = as_json("run", tmp_path / "a.engine", "--random", 1, "--shape", f"x={batch}x4")
        assert report["outputs"][0]["shape"] == [batch, 3]


def test_run_refuses_inputs_that_do_not_fit(engine, tmp_path):
    name = as_json("inspect", engine)["inputs"][0]["name"]
    good = np.zeros((1, 3, 240, 320), np.float32)
    np.save(tmp_path / "good.npy", good)
    np.save(tmp_path / "shape.npy", good[:, :, :-1])
    np.save(tmp_path / "dtype.npy", good.astype(np.float64))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "good.npy").read_bytes()[:5000])
    (tmp_path / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    np.savez(tmp_path / "names.npz", a=good, b=good)

    message = fails("NPU601", "run", engine, "--input", f"{name}s={tmp_path / 'good.npy'}")
    assert f"did you mean '{name}'" in message
    message = fails("NPU301", "run", engine, "--input", f"{name}={tmp_path / 'shape.npy'}")
    assert "239" in message and "240" in message
    message = fails("NPU603", "run", engine, "--input", f"{name}={tmp_path / 'dtype.npy'}")
    assert "float64" in message and "float32" in message
    fails("NPU703", "run", engine, "--input", f"{name}={tmp_path / 'cut.npy'}")
    fails("NPU703", "run", engine, "--input", f"{name}={tmp_path / 'names.npz'}")
    fails("NPU704", "run", engine, "--input", f"{name}={tmp_path / 'cut.png'}")
    fails("NPU101", "run", engine, "--input", f"{name}={tmp_path / 'none.npy'}")
    fails("NPU107", "run", engine, "--input", f"{name}={tmp_path / 'x.txt'}")
    fails("NPU602", "run", engine)
    twice = ["--input", f"{name}={tmp_path / 'good.npy'}"] * 2
    fails("NPU107", "run", engine, *twice)


def test_run_refuses_engines_that_are_damaged(engine, tmp_path):
    whole = engine.read_bytes()
    for length in (0, 10, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.engine").write_bytes(whole[:length])
        fails("NPU501", "run", tmp_path / "cut.engine", "--random", "1")
    fails("NPU101", "run", tmp_path / "none.engine", "--random", "1")
    message = fails("NPU107", "run", engine, "--random", "1", "--device", "vnpu")
    assert "compiled already" in message


# inspect, check, ops, devices


def test_inspect_shows_an_engine(engine):
    text = npugraph("inspect", engine).stdout
    for word in ("inputs", "outputs", "nodes", "programs", "memory", "arena of cpu", "passes"):
        assert word in text
    described = as_json("inspect", engine)
    assert described["inputs"][0]["shape"] == "[1, 3, 240, 320]"
    assert described["memory"]["arenas"][0]["arena_bytes"] > 0
    assert all(program["origins"] for program in described["programs"])
    graph = npugraph("inspect", engine, "--graph").stdout
    assert "FusedConv(" in graph and "float32[1, 3, 240, 320]" in graph
    assert len(graph) < 200_000  # weights are shown as hashes


def test_inspect_shows_a_model():
    described = as_json("inspect", ULTRAFACE)
    model = onnx.load(ULTRAFACE)
    counts = {}
    for node in model.graph.node:
        counts[node.op_type] = counts.get(node.op_type, 0) + 1
    assert described["operators"] == counts
    assert [row["name"] for row in described["outputs"]] == ["scores", "boxes"]
    assert "scores" in npugraph("inspect", ULTRAFACE).stdout


def test_check_lists_every_operator():
    model = onnx.load(ULTRAFACE)
    described = as_json("check", ULTRAFACE)
    assert [row["op"] for row in described["operators"]] == [
        node.op_type for node in model.graph.node
    ]
    assert described["by_device"] == {"cpu": len(model.graph.node)}
    described = as_json("check", ULTRAFACE, "--device", "vnpu")
    assert set(described["by_device"]) == {"cpu", "vnpu"}
    for row in described["operators"]:
        assert row["device"] == "vnpu" or row["reason"], row
    assert "that cannot run" in npugraph("check", ULTRAFACE).stdout


def test_check_says_no_to_an_unknown_operator(tmp_path):
    path = tmp_path / "custom.onnx"
    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["x"], ["h"], name="first"),
            helper.make_node("Sparkle", ["h"], ["y"], name="second", domain="com.acme"),
        ],
        "custom",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets), path)
    described = as_json("check", path, status=1)
    rows = {row["name"]: row for row in described["operators"]}
    assert described["unplaced"] == 1
    assert rows["second"]["device"] == "" and "Sparkle" in rows["second"]["found"]
    assert rows["second"]["allowed"] and rows["second"]["signs"]
    text = npugraph("check", path, status=1).stdout
    assert "danger signs" in text and "com.acme::Sparkle" in text
    described = as_json("inspect", path)
    assert described["operators"] == {"Relu": 1, "Sparkle": 1}


def test_ops_lists_operators_and_shows_one():
    rows = as_json("ops")
    names = [row["name"] for row in rows]
    assert len(rows) > 100 and len(set(names)) == len(names)
    for row in rows:
        assert row["class"] and row["inputs"] is not None and row["onnx"] is not None
    one = as_json("ops", names[0])
    assert one == rows[0]
    assert names[0] in npugraph("ops", names[0]).stdout
    assert "did you mean" in fails("NPU310", "ops", names[0] + "x")
    assert f"{len(rows)} operators" in npugraph("ops").stdout


def test_devices_lists_cpu_and_vnpu(tmp_path):
    rows = {row["name"]: row for row in as_json("devices")}
    assert rows["cpu"]["host_memory"] and not rows["cpu"]["virtual_clock"]
    assert rows["vnpu"]["virtual_clock"]
    assert "vnpu" in npugraph("devices").stdout
    fails("NPU101", "devices", "--plugin", "none.so")
    (tmp_path / "bad.so").write_bytes(b"not a library")
    fails("NPU405", "devices", "--plugin", tmp_path / "bad.so")
