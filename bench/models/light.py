# SPDX-License-Identifier: Apache-2.0
"""Gives the light models of the onnx package real weights.

Those graphs keep their size small by making each large weight with ConstantOfShape: every element
is equal, so a permuted or transposed weight would go unseen. Here each such node becomes an
initializer with seeded random values, of a scale chosen by the weight's role in the graph.
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

# Nodes that only reshape a weight on its way to the node that gives it its role.
PASS_THROUGH = {"Unsqueeze", "Reshape", "Identity"}


def roles(graph: onnx.GraphProto) -> dict[str, tuple[onnx.NodeProto, int]]:
    """For each value name, the node that uses it and the input slot, seen through reshapes."""
    users: dict[str, tuple[onnx.NodeProto, int]] = {}
    for node in reversed(graph.node):
        for slot, name in enumerate(node.input):
            role = (node, slot)
            if node.op_type in PASS_THROUGH and slot == 0:
                role = users.get(node.output[0], role)
            users[name] = role
    return users


def draw(shape: tuple[int, ...], op_type: str, slot: int, rng: np.random.Generator) -> np.ndarray:
    """Random values for input `slot` of `op_type` that keep the variance of activations level."""
    if op_type in ("Conv", "Gemm") and slot == 1:
        # Conv weights are [m, c, ...]; Gemm weights here are [n, k] with transB.
        fan_in = math.prod(shape[1:])
        gain = 2.0 if op_type == "Conv" else 1.0
        return rng.standard_normal(shape) * math.sqrt(gain / fan_in)
    if op_type == "BatchNormalization" and slot == 1 or op_type == "Mul":
        return rng.uniform(0.5, 1.0, shape)
    if op_type == "BatchNormalization" and slot == 4:
        return rng.uniform(0.5, 1.5, shape)
    return rng.standard_normal(shape) * 0.1


def randomize(source: Path, target: Path) -> None:
    """Writes `source` to `target` with every float weight that feeds the graph drawn at random."""
    model = onnx.load(source)
    graph = model.graph
    users = roles(graph)
    shapes: dict[str, tuple[int, ...]] = {}
    ints = {t.name: numpy_helper.to_array(t) for t in graph.initializer if t.data_type == 7}
    constant_nodes = [n for n in graph.node if n.op_type == "ConstantOfShape"]
    for node in constant_nodes:
        shapes[node.output[0]] = tuple(int(d) for d in ints[node.input[0]])
    for tensor in graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and tensor.name in users:
            shapes[tensor.name] = tuple(tensor.dims)

    gone = {name for node in constant_nodes for name in node.input} | set(shapes)
    keep = [t for t in graph.initializer if t.name not in gone]
    weights = []
    for name, shape in shapes.items():
        node, slot = users[name]
        rng = np.random.default_rng(zlib.crc32(f"{source.stem}/{name}".encode()))
        values = draw(shape, node.op_type, slot, rng).astype(np.float32)
        weights.append(numpy_helper.from_array(values, name))
    nodes = [n for n in graph.node if n.op_type != "ConstantOfShape"]
    names = {t.name for t in keep + weights}
    shape_names = {name for node in constant_nodes for name in node.input}
    inputs = [i for i in graph.input if i.name not in names and i.name not in shape_names]
    # Below IR version 4 an initializer has to be listed as an input as well; 4 lifts that.
    model.ir_version = max(model.ir_version, 4)
    for values, wanted in (
        (graph.initializer, keep + weights),
        (graph.node, nodes),
        (graph.input, inputs),
    ):
        items = list(wanted)
        del values[:]
        values.extend(items)
    onnx.checker.check_model(model)
    onnx.save(model, target)
