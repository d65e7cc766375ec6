# SPDX-License-Identifier: Apache-2.0
"""Damaged ONNX files: every field of four small models wrong in turn, ends cut off, bytes changed.

    python tests/python/onnx_damage.py FOLDER

writes all of them, for programs that must bear them.
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

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


def field_damage(name: str) -> Iterator[tuple[str, bytes]]:
    model = MODELS[name]()
    for kind in FIELD_DAMAGE:
        for damage, damaged in kind(model):
            yield damage, damaged.SerializeToString()


def truncations(name: str) -> Iterator[tuple[str, bytes]]:
    whole = MODELS[name]().SerializeToString()
    step = max(1, len(whole) // 200)
    for length in sorted({*range(0, len(whole), step), *range(16), len(whole) - 1}):
        yield f"cut_{length}", whole[:length]


def flips(name: str) -> Iterator[tuple[str, bytes]]:
    whole = MODELS[name]().SerializeToString()
    generator = random.Random(name)
    for k in range(200):
        damaged = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        yield f"flip_{k}", bytes(damaged)


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / f"{name.replace('/', '_')[:150]}.onnx"
    assert not path.exists(), path
    path.write_bytes(content)
    return path


def main() -> None:
    folder = Path(sys.argv[1])
    for name in MODELS:
        own = folder / name
        own.mkdir(parents=True)
        for kind in (field_damage, truncations, flips):
            for damage, content in kind(name):
                write(own, damage, content)


if __name__ == "__main__":
    main()
