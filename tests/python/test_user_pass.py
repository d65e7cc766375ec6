# SPDX-License-Identifier: Apache-2.0
"""Passes of the user: Library.register_pass(), guards, and the example for a device without
bicubic."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import npugraph

ROOT = Path(__file__).resolve().parents[2]


def relu6_model(limit=6.0) -> bytes:
    """y = min(relu(x), limit), x float32 [2, 3]."""
    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["x"], ["r"], "relu"),
            helper.make_node("Min", ["r", "limit"], ["y"], "limited"),
        ],
        "relu6",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])],
        [numpy_helper.from_array(np.float32(limit), "limit")],
    )
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def operators_of(model, library, **options):
    engine = npugraph.compile(model, library=library, **options)
    return [node["op"] for node in engine.describe()["nodes"]]


X = np.float32([[-1, 0, 3], [6, 7, 100]])


@pytest.fixture
def library():
    return npugraph.Library()


def test_a_pass_runs_and_is_switched_by_name(library):
    pair = ("y = Min(Relu(x), 6)", "y = Clip(x, 0, 6)")
    library.register_pass("my_relu6", [pair], exact=True, doc="as torch writes it")
    assert operators_of(relu6_model(), library) == ["Clip"]
    off = operators_of(relu6_model(), library, passes={"my_relu6": False})
    assert off == ["Relu", "Min"]
    assert operators_of(relu6_model(), library, opt_level=0) == ["Relu", "Min"]
    only = operators_of(relu6_model(), library, opt_level=0, passes={"my_relu6": True})
    assert only == ["Clip"]
    engine = npugraph.compile(relu6_model(), library=library, self_check=True)
    y = npugraph.Session(engine).run({"x": X})["y"]
    np.testing.assert_array_equal(y, [[0, 0, 3], [6, 6, 6]])
    # Another library does not know it.
    assert operators_of(relu6_model(), npugraph.Library()) == ["Relu", "Min"]
    assert library.remove_pass("my_relu6")
    assert not library.remove_pass("my_relu6")
    assert operators_of(relu6_model(), library) == ["Relu", "Min"]


def test_the_default_library_takes_passes_too():
    npugraph.register_pass("default_relu6", [("y = Min(Relu(x), 6)", "y = Clip(x, 0, 6)")])
    try:
        assert operators_of(relu6_model(), None) == ["Clip"]
        assert "default_relu6" in [row.name for row in npugraph.passes()]
    finally:
        assert npugraph.remove_pass("default_relu6")


def test_a_guard_sees_types_constants_and_attributes(library):
    seen = []

    def guard(match):
        seen.append((match.root_name, match.type("x"), match.constant("limit")))
        assert match.type("no_such_word") is None
        assert match.constant("x") is None
        assert match.attr("no_such_name") is None
        match.set_constant("low", np.float32(0))
        match.set_constant("high", match.constant("limit") / 2)
        return True

    pair = ("y = Min(Relu(x), #limit)", "y = Clip(x, low, high)", guard)
    library.register_pass("halved", [pair])
    engine = npugraph.compile(relu6_model(8.0), library=library)
    y = npugraph.Session(engine).run({"x": X})["y"]
    np.testing.assert_array_equal(y, [[0, 0, 3], [4, 4, 4]])
    name, kind, limit = seen[0]
    assert name == "limited"
    assert kind == ("float32", (2, 3))
    assert kind.dtype == "float32"
    np.testing.assert_array_equal(limit, np.float32(8))


def test_a_guard_sets_attributes_of_every_kind(library):
    graph = helper.make_graph(
        [helper.make_node("Elu", ["x"], ["y"], "elu", alpha=0.5)],
        "elu",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def guard(match):
        assert match.attr("alpha") == 0.5
        with pytest.raises(TypeError, match="attribute 'alpha'"):
            match.set_attr("alpha", {})
        match.set_attr("alpha", np.float32(0.25))
        match.set_attr("there", [np.int64(1), 0])
        match.set_attr("to", 1)
        return True

    pattern = "y = Elu{alpha = $alpha}(x)"
    replacement = """t = Transpose{perm = $there}(x)
        y = Transpose{perm = $there}(Cast{to = $to}(LeakyRelu{alpha = $alpha}(t)))"""
    library.register_pass("leaky", [(pattern, replacement, guard)])
    engine = npugraph.compile(model, library=library)
    y = npugraph.Session(engine).run({"x": X})["y"]
    np.testing.assert_array_equal(y, np.where(X < 0, X * np.float32(0.25), X))


def test_a_guard_that_says_no_leaves_the_graph(library):
    pair = ("y = Min(Relu(x), 6)", "y = Clip(x, 0, 6)", lambda match: False)
    library.register_pass("never", [pair])
    assert operators_of(relu6_model(), library) == ["Relu", "Min"]


def test_what_a_guard_raises_comes_out_of_compile(library):
    kept = []

    def guard(match):
        kept.append(match)
        raise LookupError("no table for this node")

    library.register_pass("broken", [("y = Relu(x)", "y = Abs(x)", guard)])
    with pytest.raises(LookupError, match="no table"):
        npugraph.compile(relu6_model(), library=library)
    with pytest.raises(npugraph.Error, match="after its guard"):
        kept[0].type("x")


def test_a_replacement_that_an_operator_refuses_is_an_error_with_the_node(library):
    library.register_pass("refused", [("y = Relu(x)", "y = And(x, x)")])
    with pytest.raises(npugraph.Error, match=r"pass 'refused'.*node 'relu'") as caught:
        npugraph.compile(relu6_model(), library=library)
    assert caught.value.id == "NPU302"


@pytest.mark.parametrize(
    "rewrites",
    [
        [("y = Relu(x)", "y = Relu(Relu(x))")],
        [("y = Relu(x)", "y = Abs(x)"), ("y = Abs(x)", "y = Relu(x)")],
    ],
)
def test_a_pass_that_never_ends_is_an_error(library, rewrites):
    library.register_pass("endless", rewrites)
    with pytest.raises(
        npugraph.Error, match="'endless'.*without end|without end.*'endless'"
    ) as caught:
        npugraph.compile(relu6_model(), library=library)
    assert caught.value.id == "NPU408" and "guard" in caught.value.fix


def test_self_check_names_a_pass_that_is_wrong(library):
    library.register_pass("wrong", [("y = Relu(x)", "y = Abs(x)")])
    with pytest.raises(npugraph.Error, match="pass 'wrong'") as caught:
        npugraph.compile(relu6_model(), library=library, self_check=True)
    assert caught.value.id == "NPU409"


@pytest.mark.parametrize(
    ("id_", "words", "arguments"),
    [
        ("NPU107", "name of a pass", {"name": "a b"}),
        ("NPU107", "of this name already", {"name": "fuse_gelu"}),
        ("NPU107", "did you mean 'fuse_gelu'", {"before": "fuse_gelo"}),
        ("NPU107", "level", {"level": 7}),
        ("NPU107", "nothing to do", {"rewrites": []}),
        ("NPU107", "not a rewrite", {"rewrites": ["y = Relu(x)"]}),
        ("NPU310", "did you mean 'Relu'", {"rewrites": [("y = Relo(x)", "y = Abs(x)")]}),
        ("NPU312", "rewrite 1: pattern: line 1, column", {"rewrites": [("y = Add(x", "y = x")]}),
        ("NPU312", "rewrite 1: replacement: line 1", {"rewrites": [("y = Relu(x)", "y = Abs(z)")]}),
        ("NPU312", "is what it replaces", {"rewrites": [("y = Neg(x)", "z = Neg(x)")]}),
        ("NPU312", "a zero byte", {"rewrites": [("y = Neg(x)\0; bad", "y = Abs(x)")]}),
        ("NPU312", "a zero byte", {"rewrites": [("y = Neg(x)", "y = Abs(x)\0")]}),
    ],
)
def test_what_cannot_be_registered(library, id_, words, arguments):
    whole = {"name": "mine", "rewrites": [("y = Relu(x)", "y = Abs(x)")], **arguments}
    with pytest.raises(npugraph.Error, match=re.escape(words)) as caught:
        library.register_pass(**whole)
    assert caught.value.id == id_
    assert "mine" not in [row.name for row in library.passes()]


def test_order_of_passes(library):
    pair = ("y = Relu(x)", "y = Max(x, 0)")
    library.register_pass("first", [pair])
    library.register_pass("second", [pair])
    library.register_pass("early", [pair], before="remove_identity")
    rows = library.passes()
    names = [row.name for row in rows]
    fusing = [row.name for row in rows if row.fuses]
    assert fusing[:2] == ["first", "second"]
    assert names.index("early") + 1 == names.index("remove_identity")
    assert not rows[names.index("early")].fuses
    assert [row.name for row in rows if row.user] == ["early", "first", "second"]


def test_bisect_finds_a_pass_with_a_guard(library, tmp_path):
    path = tmp_path / "relu6.onnx"
    path.write_bytes(relu6_model())
    right = npugraph.Session(npugraph.compile(path, library=library)).run({"x": X})["y"]

    def is_good(engine):
        return np.array_equal(npugraph.Session(engine).run({"x": X})["y"], right)

    assert npugraph.bisect_passes(path, is_good, library=library).call == 0
    pair = ("y = Relu(x)", "y = Abs(x)", lambda match: match.root_name == "relu")
    library.register_pass("wrong", [pair], before="remove_identity")
    found = npugraph.bisect_passes(path, is_good, library=library)
    assert found.pass_name == "wrong"
    assert 0 < found.call < found.calls
    assert found.diff == "changed  Relu -> Abs  relu\n"
    with pytest.raises(npugraph.Error, match="before any pass") as caught:
        npugraph.bisect_passes(path, lambda engine: False, library=library)
    assert caught.value.id == "NPU701"
    with pytest.raises(ZeroDivisionError):
        npugraph.bisect_passes(path, lambda engine: 1 // 0, library=library)


# ---- the table of docs/passes.md


def test_docs_list_every_pass():
    begin, end = "<!-- passes: begin", "<!-- passes: end"
    text = (ROOT / "docs/passes.md").read_text()
    table = text[text.index(begin) : text.index(end)].splitlines()
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table[3:] if line
    ]
    wanted = [
        (f"`{row.name}`", row.doc, str(row.level), "yes" if row.exact else "no")
        for row in npugraph.Library().passes()
    ]
    assert rows == wanted


# ---- a device without bicubic


@pytest.fixture(scope="module")
def upscaler(tmp_path_factory):
    """A device that takes Conv, Relu, and Resize in the modes nearest and linear."""
    out = tmp_path_factory.mktemp("plugin") / "upscaler.so"
    source = ROOT / "tests/plugins/upscaler.cpp"
    words = ["c++", "-std=c++20", "-O2", "-fPIC", "-shared", "-I", ROOT, source, "-o", out]
    subprocess.run(list(map(str, words)), check=True, timeout=300)
    return out


def test_bicubic_on_a_device_that_lacks_it(upscaler):
    example = [sys.executable, str(ROOT / "examples/user_pass.py")]
    words = ["--plugin", str(upscaler), "--device", "upscaler"]
    done = subprocess.run(example + words, capture_output=True, text=True, timeout=300, check=True)
    lines = done.stdout.splitlines()
    assert lines[0] == "without the pass: 4 nodes, 1 not on upscaler", done.stdout
    for word in ("'upscale'", "Resize", "'mode'", "cubic", "nearest, linear"):
        assert word in lines[1]
    assert lines[2] == "with the pass: 5 nodes, 0 not on upscaler"
    assert float(re.search(r"([0-9.]+) dB", lines[3]).group(1)) > 33


def test_the_example_runs_on_the_cpu():
    example = [sys.executable, str(ROOT / "examples/user_pass.py")]
    done = subprocess.run(example, capture_output=True, text=True, timeout=300, check=True)
    assert "PSNR against exact bicubic" in done.stdout
