# SPDX-License-Identifier: Apache-2.0
"""Damaged ONNX files give a typed error that says what, where, found and expected: never a crash,
and never memory that the file's size does not explain.

Each file is compiled in a worker process, so that a crash is seen as one and blamed on its file.
"""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

WORKER = """
import json, resource, sys
import npugraph

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

print(json.dumps({"start_bytes": peak()}), flush=True)
for line in sys.stdin:
    path = json.loads(line)
    print(json.dumps({"begin": path}), flush=True)
    answer = {"path": path, "raised": False}
    try:
        npugraph.compile(path)
    except npugraph.Error as error:
        answer = {"path": path, "raised": True, "code": error.code, "id": error.id,
                  "what": error.what, "place": error.place, "found": error.found,
                  "expected": error.expected, "message": str(error)}
    answer["peak_bytes"] = peak()
    print(json.dumps(answer), flush=True)
"""

MEMORY_ALLOWANCE_BYTES = 256 << 20


class Outcome:
    """What became of each file."""

    def __init__(self) -> None:
        self.answers: dict[str, dict] = {}
        self.crashes: list[str] = []
        self.grown_bytes = 0


def compile_all(paths: list[Path]) -> Outcome:
    outcome = Outcome()
    waiting = [str(path) for path in paths]
    while waiting:
        worker = subprocess.run(
            [sys.executable, "-c", WORKER],
            input="".join(json.dumps(path) + "\n" for path in waiting),
            capture_output=True,
            text=True,
            timeout=600,
        )
        lines = [json.loads(line) for line in worker.stdout.splitlines()]
        answers = {line["path"]: line for line in lines if "path" in line}
        outcome.answers.update(answers)
        peaks = [line["peak_bytes"] for line in answers.values()]
        if peaks:
            grown = max(peaks) - lines[0]["start_bytes"]
            outcome.grown_bytes = max(outcome.grown_bytes, grown)
        if worker.returncode == 0:
            break
        begun = [line["begin"] for line in lines if "begin" in line]
        assert begun, worker.stderr
        outcome.crashes.append(f"{begun[-1]}: exit {worker.returncode}\n{worker.stderr[-2000:]}")
        waiting = waiting[waiting.index(begun[-1]) + 1 :]
    return outcome


# ---- the models that are damaged


def weights(name: str, *dims: int) -> onnx.TensorProto:
    values = np.random.default_rng(len(name)).standard_normal(dims).astype(np.float32)
    return numpy_helper.from_array(values, name)


def model_of(graph: onnx.GraphProto, opset: int = 17, **extra) -> onnx.ModelProto:
    imports = [helper.make_opsetid("", opset)]
    if extra:
        imports.append(helper.make_opsetid("local", 1))
    model = helper.make_model(graph, opset_imports=imports, ir_version=8, **extra)
    onnx.checker.check_model(model)
    return model


def image_model() -> onnx.ModelProto:
    shape = numpy_helper.from_array(np.array([1, -1], np.int64), "shape")
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], "conv1", pads=[1, 1, 1, 1], strides=[1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("MaxPool", ["r1"], ["p1"], "pool1", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Reshape", ["p1", "shape"], ["f1"], "flat"),
        helper.make_node("Gemm", ["f1", "w2", "b2"], ["g1"], "dense", transB=1),
        helper.make_node("Softmax", ["g1"], ["y"], "softmax", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "image",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5])],
        [weights("w1", 4, 3, 3, 3), shape, weights("w2", 5, 64), weights("b2", 5)],
    )
    return model_of(graph)


def branch_model() -> onnx.ModelProto:
    def branch(name: str, op: str) -> onnx.GraphProto:
        out = helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 4])
        return helper.make_graph([helper.make_node(op, ["t", "w"], [name], op)], name, [], [out])

    nodes = [
        helper.make_node("MatMul", ["x", "m"], ["t"], "product"),
        helper.make_node(
            "If",
            ["flag"],
            ["d"],
            "choice",
            then_branch=branch("then_out", "Add"),
            else_branch=branch("else_out", "Mul"),
        ),
        helper.make_node("ReduceSum", ["d", "axes"], ["y"], "total"),
    ]
    graph = helper.make_graph(
        nodes,
        "branch",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3]),
            helper.make_tensor_value_info("flag", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 1])],
        [
            weights("m", 3, 4),
            weights("w", 4),
            numpy_helper.from_array(np.array([1], np.int64), "axes"),
        ],
    )
    return model_of(graph)


def function_model() -> onnx.ModelProto:
    function = helper.make_function(
        "local",
        "Block",
        ["a", "b"],
        ["c"],
        [
            helper.make_node("MatMul", ["a", "b"], ["p"], "inner_product"),
            helper.make_node("Tanh", ["p"], ["c"], "inner_tanh"),
        ],
        [helper.make_opsetid("", 17)],
    )
    nodes = [
        helper.make_node("Block", ["x", "w1"], ["h"], "first", domain="local"),
        helper.make_node("Block", ["h", "w2"], ["k"], "second", domain="local"),
        helper.make_node("Concat", ["h", "k"], ["y"], "join", axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "functions",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 9])],
        [weights("w1", 3, 4), weights("w2", 4, 5)],
    )
    return model_of(graph, functions=[function])


def sequence_model() -> onnx.ModelProto:
    body = helper.make_graph(
        [
            helper.make_node("Add", ["v", "step"], ["v2"], "advance"),
            helper.make_node("Identity", ["go"], ["go2"], "go_on"),
            helper.make_node("Identity", ["v2"], ["scan"], "copy"),
        ],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v", TensorProto.FLOAT, [2]),
        ],
        [
            helper.make_tensor_value_info("go2", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v2", TensorProto.FLOAT, [2]),
            helper.make_tensor_value_info("scan", TensorProto.FLOAT, [2]),
        ],
    )
    nodes = [
        helper.make_node("Loop", ["count", "", "x"], ["last", "all"], "loop", body=body),
        helper.make_node("Slice", ["all", "from", "to"], ["y"], "part"),
        helper.make_node("Neg", ["last"], ["z"], "negate"),
    ]
    graph = helper.make_graph(
        nodes,
        "sequence",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 2]),
            helper.make_tensor_value_info("z", TensorProto.FLOAT, [2]),
        ],
        [
            weights("step", 2),
            numpy_helper.from_array(np.array(3, np.int64), "count"),
            numpy_helper.from_array(np.array([0], np.int64), "from"),
            numpy_helper.from_array(np.array([2], np.int64), "to"),
        ],
    )
    return model_of(graph)


MODELS: dict[str, Callable[[], onnx.ModelProto]] = {
    "image": image_model,
    "branch": branch_model,
    "function": function_model,
    "sequence": sequence_model,
}

# ---- damage to one field at a time: (name, model) pairs

Damage = Iterator[tuple[str, onnx.ModelProto]]


def edited(model: onnx.ModelProto, edit: Callable[[onnx.ModelProto], None]) -> onnx.ModelProto:
    out = copy.deepcopy(model)
    edit(out)
    return out


def damage_versions(model: onnx.ModelProto) -> Damage:
    def opset(version: int) -> Callable[[onnx.ModelProto], None]:
        return lambda m: setattr(m.opset_import[0], "version", version)

    for version in (-1, 0, 1, 6, 1000, 2**62):
        yield f"opset_{version}", edited(model, opset(version))
    yield "no_opset", edited(model, lambda m: m.ClearField("opset_import"))
    for ir in (-5, 0, 1, 2, 99, 2**40):
        yield f"ir_{ir}", edited(model, lambda m, ir=ir: setattr(m, "ir_version", ir))
    yield "no_graph", edited(model, lambda m: m.ClearField("graph"))
    yield "no_outputs", edited(model, lambda m: m.graph.ClearField("output"))
    yield "no_nodes", edited(model, lambda m: m.graph.ClearField("node"))


def set_dims(tensor: onnx.TensorProto, dims: list[int]) -> None:
    del tensor.dims[:]
    tensor.dims.extend(dims)


def damage_tensors(model: onnx.ModelProto) -> Damage:
    for k, tensor in enumerate(model.graph.initializer):
        dims = list(tensor.dims)
        bad_dims = {
            "negative": [-1, *dims],
            "most_negative": [-(2**63), *dims],
            "more": [3, *dims],
            "huge": [2**40, *dims],
            "overflow": [2**62, 2**62, *dims],
            "wraps_to_the_same": [2**33, 2**31, *dims],
            "count": [1] * 5000 + dims,
        }
        for name, new in bad_dims.items():

            def change(m: onnx.ModelProto, k: int = k, new: list[int] = new) -> None:
                set_dims(m.graph.initializer[k], new)

            yield f"{tensor.name}_dims_{name}", edited(model, change)
        for data_type in (TensorProto.UNDEFINED, TensorProto.STRING, TensorProto.COMPLEX64, 99):

            def retype(m: onnx.ModelProto, k: int = k, t: int = data_type) -> None:
                m.graph.initializer[k].data_type = t

            yield f"{tensor.name}_type_{data_type}", edited(model, retype)
        for name, raw in {"short": tensor.raw_data[:-1], "long": tensor.raw_data + b"x"}.items():

            def resize(m: onnx.ModelProto, k: int = k, raw: bytes = raw) -> None:
                m.graph.initializer[k].raw_data = raw

            yield f"{tensor.name}_data_{name}", edited(model, resize)

        def unnamed(m: onnx.ModelProto, k: int = k) -> None:
            m.graph.initializer[k].name = ""

        def twice(m: onnx.ModelProto, k: int = k) -> None:
            m.graph.initializer.append(copy.deepcopy(m.graph.initializer[k]))

        def gone(m: onnx.ModelProto, k: int = k) -> None:
            del m.graph.initializer[k]

        def segment(m: onnx.ModelProto, k: int = k) -> None:
            m.graph.initializer[k].segment.begin = 2**60

        edits = {"unnamed": unnamed, "twice": twice, "gone": gone, "segment": segment}
        for name, edit in edits.items():
            yield f"{tensor.name}_{name}", edited(model, edit)


def damage_inputs(model: onnx.ModelProto) -> Damage:
    for k, value in enumerate(model.graph.input):

        def sequence(m: onnx.ModelProto, k: int = k) -> None:
            element = copy.deepcopy(m.graph.input[k].type)
            m.graph.input[k].type.sequence_type.elem_type.CopyFrom(element)

        def negative(m: onnx.ModelProto, k: int = k) -> None:
            m.graph.input[k].type.tensor_type.shape.dim.add().dim_value = -7

        def deep(m: onnx.ModelProto, k: int = k) -> None:
            for _ in range(1000):
                m.graph.input[k].type.tensor_type.shape.dim.add().dim_value = 1

        def huge(m: onnx.ModelProto, k: int = k) -> None:
            for _ in range(4):
                m.graph.input[k].type.tensor_type.shape.dim.add().dim_value = 2**62

        def retype(number: int, k: int = k) -> Callable[[onnx.ModelProto], None]:
            def change(m: onnx.ModelProto) -> None:
                m.graph.input[k].type.tensor_type.elem_type = number

            return change

        edits = {
            "sequence": sequence,
            "negative": negative,
            "deep": deep,
            "huge": huge,
            "no_type": lambda m, k=k: m.graph.input[k].ClearField("type"),
            "unnamed": lambda m, k=k: setattr(m.graph.input[k], "name", ""),
            "twice": lambda m, k=k: m.graph.input.append(m.graph.input[k]),
            "gone": lambda m, k=k: m.graph.input.pop(k),
            "undefined": retype(TensorProto.UNDEFINED),
            "string": retype(TensorProto.STRING),
            "other": retype(TensorProto.INT16),
            "no_such": retype(12345),
        }
        for name, edit in edits.items():
            yield f"input_{value.name}_{name}", edited(model, edit)


def damage_outputs(model: onnx.ModelProto) -> Damage:
    for k, value in enumerate(model.graph.output):
        edits = {
            "missing": lambda m, k=k: setattr(m.graph.output[k], "name", "nowhere"),
            "unnamed": lambda m, k=k: setattr(m.graph.output[k], "name", ""),
            "type": lambda m, k=k: setattr(
                m.graph.output[k].type.tensor_type, "elem_type", TensorProto.INT64
            ),
        }
        for name, edit in edits.items():
            yield f"output_{value.name}_{name}", edited(model, edit)


def node_lists(model: onnx.ModelProto) -> Iterator[tuple[str, Callable]]:
    """Every list of nodes of the model: of its graph, nested graphs and functions."""
    yield "", lambda m: m.graph.node
    for f in range(len(model.functions)):
        yield f"function{f}_", lambda m, f=f: m.functions[f].node
    for n, node in enumerate(model.graph.node):
        for a, attribute in enumerate(node.attribute):
            if attribute.HasField("g"):
                yield f"{attribute.name}_", lambda m, n=n, a=a: m.graph.node[n].attribute[a].g.node


def damage_node(node: onnx.NodeProto) -> Iterator[tuple[str, Callable[[onnx.NodeProto], None]]]:
    def many_inputs(n: onnx.NodeProto) -> None:
        n.input.extend([n.input[0]] * 5000)

    def twice(n: onnx.NodeProto) -> None:
        n.output.append(n.output[0])

    def unknown_attribute(n: onnx.NodeProto) -> None:
        n.attribute.append(helper.make_attribute("no_such_attribute", 1))

    def many_attributes(n: onnx.NodeProto) -> None:
        n.attribute.append(helper.make_attribute("many", list(range(50_000))))

    yield "op_unknown", lambda n: setattr(n, "op_type", "NoSuchOperator")
    yield "op_empty", lambda n: setattr(n, "op_type", "")
    yield "op_long", lambda n: setattr(n, "op_type", "R" * 100_000)
    yield "domain", lambda n: setattr(n, "domain", "no.such.domain")
    yield "cycle", lambda n: n.input.__setitem__(0, n.output[0])
    yield "input_missing", lambda n: n.input.__setitem__(0, "nowhere")
    if node.op_type != "Loop":  # one without a count runs until its condition fails
        yield "input_empty", lambda n: n.input.__setitem__(0, "")
    yield "no_inputs", lambda n: n.ClearField("input")
    yield "output_renamed", lambda n: n.output.__setitem__(0, "elsewhere")
    yield "output_twice", twice
    yield "no_outputs", lambda n: n.ClearField("output")
    yield "name_long", lambda n: setattr(n, "name", "n" * 50_000)
    if node.domain != "local":  # functions take no notice of attributes that they do not know
        yield "attribute_unknown", unknown_attribute
        yield "attribute_many", many_attributes
        if node.op_type != "Concat":
            yield "inputs_many", many_inputs


def damage_attribute(
    attribute: onnx.AttributeProto,
) -> Iterator[tuple[str, Callable[[onnx.AttributeProto], None]]]:
    yield "type_wrong", lambda a: a.CopyFrom(helper.make_attribute(a.name, "word"))
    yield (
        "type_unknown",
        lambda a: a.CopyFrom(onnx.AttributeProto(name=a.name, type=onnx.AttributeProto.TYPE_PROTO)),
    )
    yield "renamed", lambda a: setattr(a, "name", a.name + "_")
    yield "reference", lambda a: setattr(a, "ref_attr_name", "nothing")
    if attribute.name in ("strides", "kernel_shape"):
        for value in ([0, 0], [-1, -1], [2**62, 2**62], [1], [1] * 1000):
            yield (
                f"values_{value[0]}x{len(value)}",
                lambda a, value=value: a.CopyFrom(helper.make_attribute(a.name, value)),
            )
    if attribute.name == "pads":
        for value in ([2**62] * 4, [1], [1] * 1000):
            yield (
                f"values_{value[0]}x{len(value)}",
                lambda a, value=value: a.CopyFrom(helper.make_attribute(a.name, value)),
            )
    if attribute.name == "axis":
        for number in (7, -7, 2**62, -(2**63)):
            yield f"value_{number}", lambda a, number=number: setattr(a, "i", number)


def damage_node_list(model: onnx.ModelProto, where: str, nodes_of: Callable) -> Damage:
    for k, node in enumerate(nodes_of(model)):
        for name, edit in damage_node(node):
            yield (
                f"{where}{node.name}_{name}",
                edited(model, lambda m, k=k, edit=edit: edit(nodes_of(m)[k])),
            )

        def gone(m: onnx.ModelProto, k: int = k) -> None:
            del nodes_of(m)[k]

        def twice(m: onnx.ModelProto, k: int = k) -> None:
            nodes_of(m).append(nodes_of(m)[k])

        yield f"{where}{node.name}_gone", edited(model, gone)
        yield f"{where}{node.name}_twice", edited(model, twice)
        for a, attribute in enumerate(node.attribute):
            for name, edit in damage_attribute(attribute):

                def change(
                    m: onnx.ModelProto, k: int = k, a: int = a, edit: Callable = edit
                ) -> None:
                    edit(nodes_of(m)[k].attribute[a])

                yield f"{where}{node.name}_{attribute.name}_{name}", edited(model, change)


def damage_nodes(model: onnx.ModelProto) -> Damage:
    for where, nodes_of in node_lists(model):
        yield from damage_node_list(model, where, nodes_of)


def damage_functions(model: onnx.ModelProto) -> Damage:
    for k, function in enumerate(model.functions):

        def recursive(m: onnx.ModelProto, k: int = k) -> None:
            m.functions[k].node[0].op_type = m.functions[k].name
            m.functions[k].node[0].domain = m.functions[k].domain

        edits = {
            "gone": lambda m, k=k: m.functions.pop(k),
            "twice": lambda m, k=k: m.functions.append(m.functions[k]),
            "recursive": recursive,
            "no_inputs": lambda m, k=k: m.functions[k].ClearField("input"),
            "no_outputs": lambda m, k=k: m.functions[k].ClearField("output"),
            "output": lambda m, k=k: m.functions[k].output.__setitem__(0, "nowhere"),
            "opset": lambda m, k=k: m.functions[k].ClearField("opset_import"),
            "old_opset": lambda m, k=k: setattr(m.functions[k].opset_import[0], "version", 3),
        }
        for name, edit in edits.items():
            yield f"{function.name}_{name}", edited(model, edit)


FIELD_DAMAGE = (
    damage_versions,
    damage_tensors,
    damage_inputs,
    damage_outputs,
    damage_nodes,
    damage_functions,
)

# ---- the tests


def check(outcome: Outcome, paths: list[Path], must_fail: bool = True) -> None:
    assert not outcome.crashes, "\n".join(outcome.crashes)
    wrong = []
    for path in paths:
        answer = outcome.answers[str(path)]
        if not answer["raised"]:
            if must_fail:
                wrong.append(f"{path.name}: was accepted")
            continue
        for field in ("code", "id", "what", "message"):
            if not answer[field]:
                wrong.append(f"{path.name}: no {field}")
        if answer["code"] == "kInternal":
            wrong.append(f"{path.name}: {answer['message']}")
        if not answer["found"] or not answer["expected"]:
            wrong.append(f"{path.name}: no found or no expected: {answer['message']}")
        if path.name not in answer["place"]:
            wrong.append(f"{path.name}: the place does not name the file: {answer['message']}")
    assert not wrong, f"{len(wrong)} of {len(paths)}:\n" + "\n".join(wrong)
    largest = max(path.stat().st_size for path in paths)
    assert outcome.grown_bytes <= 4 * largest + MEMORY_ALLOWANCE_BYTES


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / f"{name.replace('/', '_')[:150]}.onnx"
    assert not path.exists(), path
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", MODELS)
def test_the_undamaged_model_compiles(name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, MODELS[name]().SerializeToString())
    outcome = compile_all([path])
    assert not outcome.crashes
    assert not outcome.answers[str(path)]["raised"], outcome.answers


@pytest.mark.parametrize("name", MODELS)
def test_field_damage(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    paths = [
        write(tmp_path, damage, damaged.SerializeToString())
        for kind in FIELD_DAMAGE
        for damage, damaged in kind(model)
    ]
    check(compile_all(paths), paths)


@pytest.mark.parametrize("name", MODELS)
def test_truncation(name: str, tmp_path: Path) -> None:
    whole = MODELS[name]().SerializeToString()
    step = max(1, len(whole) // 200)
    lengths = sorted({*range(0, len(whole), step), *range(16), len(whole) - 1})
    paths = [write(tmp_path, f"cut_{length}", whole[:length]) for length in lengths]
    check(compile_all(paths), paths)


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes_never_crash(name: str, tmp_path: Path) -> None:
    whole = MODELS[name]().SerializeToString()
    generator = random.Random(name)
    paths = []
    for k in range(200):
        damaged = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        paths.append(write(tmp_path, f"flip_{k}", bytes(damaged)))
    check(compile_all(paths), paths, must_fail=False)


def external_model(entries: dict[str, str]) -> bytes:
    model = function_model()
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)
    return model.SerializeToString()


def test_external_data(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    data = np.arange(12, dtype=np.float32).tobytes()
    for path in (folder / "w.bin", tmp_path / "outside.bin"):
        path.write_bytes(data)
    (folder / "empty.bin").write_bytes(b"")
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    (folder / "up").symlink_to(tmp_path)
    (folder / "self.bin").symlink_to("self.bin")
    os.link(tmp_path / "outside.bin", folder / "hard.bin")
    os.mkfifo(folder / "pipe.bin")

    good = write(folder, "good", external_model({"location": "w.bin"}))
    outcome = compile_all([good])
    assert not outcome.answers[str(good)]["raised"], outcome.answers

    locations = [
        "../outside.bin",
        "sub/../../outside.bin",
        "up/outside.bin",
        str(tmp_path / "outside.bin"),
        "/dev/zero",
        "/etc/passwd",
        "link.bin",
        "hard.bin",
        "self.bin",
        "pipe.bin",
        "sub",
        ".",
        "..",
        "",
        "missing.bin",
        "sub/missing.bin",
        "w.bin/",
        "..\\outside.bin",
        "w.bin\n",
        "x" * 5000,
        "empty.bin",
    ]
    entries = [{"location": location} for location in locations]
    entries += [{}, {"offset": "0"}]
    for offset in ("1", "-1", "48", "9223372036854775807", "99999999999999999999", "x", "", "0x0"):
        entries.append({"location": "w.bin", "offset": offset})
    for length in ("0", "47", "49", "-48", "9223372036854775807", "18446744073709551616", "x", ""):
        entries.append({"location": "w.bin", "length": length})
    paths = [write(folder, f"external_{k}", external_model(e)) for k, e in enumerate(entries)]
    outcome = compile_all(paths)
    check(outcome, paths)
    for path in paths:
        assert outcome.answers[str(path)]["id"] == "NPU206", outcome.answers[str(path)]


def test_more_than_500_damaged_files_are_covered() -> None:
    count = sum(1 for make in MODELS.values() for kind in FIELD_DAMAGE for _ in kind(make()))
    assert count >= 500
