# SPDX-License-Identifier: Apache-2.0
"""Switches, dumps and the search for a bad pass on the command line, with passes from a file."""

import json

import numpy as np
import onnx
import pytest
from command_line import as_json, fails, npugraph
from onnx import TensorProto, helper, numpy_helper


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Four layers: y = relu(x @ w1) … with an Identity that a clean-up pass takes."""
    path = tmp_path_factory.mktemp("model") / "layers.onnx"
    rng = np.random.default_rng(3)
    nodes, weights, value = [], [], "x"
    for layer in range(4):
        weight = rng.standard_normal((8, 8)).astype(np.float32) / 3
        weights.append(numpy_helper.from_array(weight, f"w{layer}"))
        nodes.append(helper.make_node("MatMul", [value, f"w{layer}"], [f"m{layer}"], f"mul{layer}"))
        nodes.append(helper.make_node("Tanh", [f"m{layer}"], [f"t{layer}"], f"tanh{layer}"))
        value = f"t{layer}"
    nodes.append(helper.make_node("Identity", [value], ["same"], "same"))
    nodes.append(helper.make_node("Relu", ["same"], ["y"], "last"))
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 8])],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def pass_file(folder, name, *rewrites, **fields):
    path = folder / f"{name}.json"
    rows = [{"pattern": pattern, "replacement": replacement} for pattern, replacement in rewrites]
    path.write_text(json.dumps({"passes": [{"name": name, "rewrites": rows, **fields}]}))
    return path


@pytest.fixture
def good(tmp_path):
    return pass_file(tmp_path, "relu_as_max", ("y = Relu(x)", "y = Max(x, 0)"), exact=True)


@pytest.fixture
def wrong(tmp_path):
    """The third Tanh alone, by what it reads and what reads it."""
    pair = ("y = Relu(Tanh(x))", "y = Relu(Softsign(x))")
    return pass_file(tmp_path, "wrong", pair, before="fuse_gelu")


def operators_of(report):
    return [node["op"] for node in report["nodes"]]


def test_passes_from_a_file_and_their_switches(tmp_path, model, good):
    words = ("compile", model, "-o", tmp_path / "a.engine", "--user-pass", good)
    assert "Max" in operators_of(as_json(*words))
    off = as_json(*words, "--fusion-switch", "relu_as_max=off")
    assert "Max" not in operators_of(off)
    on = as_json(*words, "--opt-level", "0", "--fusion-switch", "relu_as_max=on")
    assert operators_of(on).count("Max") == 1
    assert operators_of(on).count("Tanh") == 4


def test_a_switch_works_wherever_passes_run(model, good):
    words = ("--user-pass", good, "--fusion-switch", "relu_as_max=off")
    npugraph("run", model, "--random", "0", *words)
    npugraph("bench", model, "--runs", "3", *words)
    npugraph("compare", model, *words)


def test_dumps_say_what_a_pass_did(tmp_path, model, good):
    dumps = tmp_path / "dumps"
    words = ("compile", model, "-o", tmp_path / "a.engine", "--user-pass", good)
    npugraph(*words, "--dump-passes", dumps)
    (diff,) = dumps.glob("*_relu_as_max.diff.txt")
    lines = diff.read_text().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("changed  Relu -> Max  ")
    number = diff.name[:3]
    before = (dumps / f"{number}_relu_as_max.before.txt").read_text()
    after = (dumps / f"{number}_relu_as_max.after.txt").read_text()
    assert "Relu(" in before
    assert "Relu(" not in after
    (removed,) = dumps.glob("*_remove_identity.diff.txt")
    assert "removed  Identity  same" in removed.read_text()
    index = (dumps / "index.txt").read_text().splitlines()
    assert any(row.startswith(f"{number}  relu_as_max  1  ") for row in index)
    assert len(index) == 1 + len(list(dumps.glob("*.diff.txt")))


def test_bisect_finds_nothing_where_nothing_is_wrong(model, good):
    report = as_json("compare", model, "--bisect-passes", "--user-pass", good)
    assert report["ok"]
    assert report["call"] is None
    assert report["calls"] > 10
    text = npugraph("compare", model, "--bisect-passes").stdout
    assert "calls of passes keep the outputs" in text


def test_bisect_names_the_wrong_pass_its_call_and_nodes(model, good, wrong):
    words = ("compare", model, "--bisect-passes", "--user-pass", good, "--user-pass", wrong)
    report = as_json(*words, "--fusion-switch", "relu_as_max=off", status=1)
    assert not report["ok"]
    assert report["pass"] == "wrong"
    assert 1 < report["call"] < report["calls"]
    assert any("Softsign" in line for line in report["nodes"]), report["nodes"]
    text = npugraph(*words, "--fusion-switch", "relu_as_max=off", status=1).stdout
    assert f"pass 'wrong', call {report['call']} of {report['calls']}" in text
    off = ("--fusion-switch", "relu_as_max=off", "--fusion-switch", "wrong=off")
    assert as_json(*words, *off)["ok"]


def test_self_check_names_the_wrong_pass(tmp_path, model, wrong):
    words = ("compile", model, "-o", tmp_path / "a.engine", "--user-pass", wrong)
    assert "pass 'wrong'" in fails("NPU409", *words, "--self-check")


def test_bisect_wants_a_model(tmp_path, model):
    engine = tmp_path / "a.engine"
    npugraph("compile", model, "-o", engine)
    fails("NPU107", "compare", model, "--engine", engine, "--bisect-passes")


@pytest.mark.parametrize(
    ("error_id", "content", "word"),
    [
        ("NPU107", "not json", "not JSON"),
        ("NPU107", "[]", "array"),
        ("NPU107", '{"passes": [{"name": "a"}]}', "'rewrites'"),
        ("NPU107", '{"passes": [{"name": "a", "rewrites": [], "nmae": 1}]}', "'nmae'"),
        ("NPU107", '{"passes": [{"name": "a", "rewrites": []}]}', "nothing to do"),
        (
            "NPU312",
            '{"passes": [{"name": "a", "rewrites": [{"pattern": ["y =", "Add(x"],'
            ' "replacement": "y = x"}]}]}',
            "line 2",
        ),
    ],
)
def test_files_of_passes_that_are_not(tmp_path, model, error_id, content, word):
    path = tmp_path / "passes.json"
    path.write_text(content)
    message = fails(error_id, "compile", model, "-o", tmp_path / "a", "--user-pass", path)
    assert word in message
    assert "passes.json" in message


def test_a_file_of_passes_that_is_missing(tmp_path, model):
    fails("NPU101", "compile", model, "-o", tmp_path / "a", "--user-pass", tmp_path / "none.json")
