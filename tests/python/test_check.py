# SPDX-License-Identifier: Apache-2.0
"""`check`: each node of a file gets its own device and reason, whatever its name is."""

import pytest
from onnx import TensorProto, helper

import npugraph

FLOAT, BOOL = TensorProto.FLOAT, TensorProto.BOOL
TAKEN = {"Relu"}  # what the simulated NPU runs of the operators below


def info(name, kind=FLOAT, shape=(2,)):
    return helper.make_tensor_value_info(name, kind, list(shape))


def rows_of(tmp_path, nodes, outputs, *, inputs=(), functions=(), device="vnpu"):
    """Checks a model and, for each row, that its device and reason are those of its operator."""
    graph = helper.make_graph(
        nodes, "graph", [info("x"), *inputs], [info(name) for name in outputs]
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1)]
    model = helper.make_model(graph, opset_imports=imports, functions=list(functions))
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    rows = npugraph.check(path, device=device)
    for row in rows:
        if row.kernel in ("inlined", "compile time"):
            continue
        assert row.device == ("vnpu" if row.op in TAKEN else "cpu"), row
        assert row.reason.startswith("vnpu: ") == (row.op not in TAKEN), row
        if row.op not in TAKEN:
            assert row.op in f"{row.reason} {row.found}", row
    return rows


def node(op, source, result, name=None, **options):
    return helper.make_node(op, [source], [result], name=name, **options)


@pytest.mark.parametrize("name", ["same", "", "same_1", "x", "a"])
def test_equal_and_empty_names(tmp_path, name):
    nodes = [
        node("Relu", "x", "a", name),
        node("Exp", "a", "b", name),
        node("Relu", "b", "same_2", name),
        node("Softmax", "same_2", "d", name),
        node("Relu", "d", "y", "same_1"),
    ]
    rows = rows_of(tmp_path, nodes, ["y"])
    assert [row.op for row in rows] == ["Relu", "Exp", "Relu", "Softmax", "Relu"]


def test_names_with_numbers_that_others_would_get(tmp_path):
    nodes = [
        node("Relu", "x", "a", "n"),
        node("Exp", "a", "b", "n_1"),
        node("Relu", "b", "c", "n"),
        node("Exp", "c", "y", "n_1_1"),
    ]
    rows_of(tmp_path, nodes, ["y"])


def test_functions(tmp_path):
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1)]
    inner = helper.make_function(
        "my.domain", "Inner", ["i"], ["o"], [node("Relu", "i", "o", "n")], opsets
    )
    body = [node("Exp", "i", "e", "n"), node("Inner", "e", "o", "n", domain="my.domain")]
    outer = helper.make_function("my.domain", "Outer", ["i"], ["o"], body, opsets)
    nodes = [
        node("Relu", "x", "a", "n"),
        node("Outer", "a", "b", "n", domain="my.domain"),
        node("Outer", "b", "c", "", domain="my.domain"),
        node("Inner", "c", "d", "n", domain="my.domain"),
        node("Exp", "d", "y", "n"),
    ]
    rows = rows_of(tmp_path, nodes, ["y"], functions=[inner, outer])
    calls = [(row.op, row.device, row.reason != "") for row in rows if row.kernel == "inlined"]
    # A call tells of the first node of its body that the device refuses.
    outer_call, inner_call = ("Outer", "cpu", True), ("Inner", "vnpu", False)
    assert calls == [outer_call, outer_call, inner_call, inner_call]
    assert len(rows) == len(nodes) + len(body) + 1


def test_nested_graphs(tmp_path):
    def branch(name, op):
        return helper.make_graph([node(op, "x", "t", "same")], name, [], [info("t")])

    inner = helper.make_node(
        "If",
        ["c"],
        ["u"],
        name="same",
        then_branch=branch("then", "Exp"),
        else_branch=branch("else", "Relu"),
    )
    outer = helper.make_node(
        "If",
        ["c"],
        ["y"],
        name="same",
        then_branch=helper.make_graph(
            [inner, node("Relu", "u", "v", "same")], "outer", [], [info("v")]
        ),
        else_branch=branch("other", "Exp"),
    )
    nodes = [node("Relu", "x", "z", "same"), outer]
    rows = rows_of(tmp_path, nodes, ["z", "y"], inputs=[info("c", BOOL, ())])
    # Attributes stand in the order of their names: else before then.
    assert [row.op for row in rows] == ["Relu", "If", "Exp", "If", "Relu", "Exp", "Relu"]
    assert len({row.path for row in rows}) >= 5


def test_what_the_reader_computes_has_no_device_but_the_compiler(tmp_path):
    value = helper.make_tensor("v", FLOAT, [2], [1.0, 2.0])
    nodes = [
        helper.make_node("Constant", [], ["k"], name="same", value=value),
        helper.make_node("Relu", ["k"], ["r"], name="same"),
        helper.make_node("Sub", ["r", "x"], ["y"], name="same"),
    ]
    rows = rows_of(tmp_path, nodes, ["y"])
    assert [row.kernel == "compile time" for row in rows] == [True, False, False]
