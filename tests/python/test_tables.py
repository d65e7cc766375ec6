# SPDX-License-Identifier: Apache-2.0
"""The mapping table framework operator | logical operator | native operator, and the pages of docs/
that are made from it and from the error list."""

import sys
from pathlib import Path

import onnx
import pytest

import npugraph

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))

import make_tables  # noqa: E402


@pytest.fixture(scope="module")
def rows():
    return make_tables.operators()


def test_every_registered_operator_has_a_whole_row(rows):
    listed = [
        line.strip()[2:-1]
        for line in (ROOT / "npugraph/ops/op_list.inc").read_text().splitlines()
        if line.startswith("X(")
    ]
    assert len(rows) == len(listed) >= 140
    assert len({(row["domain"], row["name"]) for row in rows}) == len(rows)
    for row in rows:
        name = make_tables.logical(row)
        assert row["doc"], name
        assert row["native"], f"{name} has nothing that computes it"
        # What no framework has is made by passes, and lies in a domain of our own.
        assert row["onnx"] or row["aten"] or row["domain"] == "npugraph", name


def test_the_python_list_is_the_same(rows):
    assert [(op.domain, op.name, op.native) for op in npugraph.operators()] == [
        (row["domain"], row["name"], row["native"]) for row in rows
    ]


def test_a_framework_operator_lands_on_one_logical_operator(rows):
    for key in ("onnx", "aten"):
        seen = {}
        for row in rows:
            for word in row[key]:
                assert seen.setdefault(word, row["name"]) == row["name"], word


def test_all_that_keep_the_order_of_elements_are_reshape(rows):
    landing = {word: row["name"] for row in rows for key in ("onnx", "aten") for word in row[key]}
    for word in (
        "aten::view",
        "aten::reshape",
        "aten::_unsafe_view",
        "aten::flatten.using_ints",
        "Reshape",
        "Flatten",
    ):
        assert landing[word] == "Reshape", word


def test_onnx_flatten_becomes_reshape():
    model = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[n, 3, 4] x) => (float[n, 12] y)'
        " { y = Flatten(x) }"
    )
    nodes = npugraph.compile(model, opt_level=0).describe()["nodes"]
    assert [node["op"] for node in nodes] == ["Reshape"]


def test_onnx_names_are_onnx_operators(rows):
    known = {schema.name for schema in onnx.defs.get_all_schemas_with_history()}
    for row in rows:
        for word in row["onnx"]:
            if "." not in word and "::" not in word:
                assert word in known, (row["name"], word)


def test_the_pages_are_up_to_date():
    for path, content in make_tables.pages().items():
        assert path.read_text() == content, f"{path.name}: run dev/make_tables.py"
