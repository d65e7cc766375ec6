# SPDX-License-Identifier: Apache-2.0
"""Seeded random ONNX models: single operators, and pieces of graph as exporters write them, whole
or with one thing changed that makes them look fusable and not be.

Every value carries an interval that its numbers lie in, so that sums stay small and no logarithm
sees a negative number, and whether it is free of rounding, so that only such values are compared,
rounded or sorted.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = (11, 13, 14, 17, 18, 20, 21)
F32, F64, F16 = np.dtype("float32"), np.dtype("float64"), np.dtype("float16")
I64, I32, BOOL = np.dtype("int64"), np.dtype("int32"), np.dtype("bool")
FLOATS = (F32, F64, F16)
ONNX_TYPES = {
    F32: TensorProto.FLOAT,
    F64: TensorProto.DOUBLE,
    F16: TensorProto.FLOAT16,
    I64: TensorProto.INT64,
    I32: TensorProto.INT32,
    BOOL: TensorProto.BOOL,
}
MOST_ELEMENTS = 6000
MOST_MAGNITUDE = 40.0


@dataclass(frozen=True)
class Value:
    """low, high: where its numbers lie; exact: made without rounding."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    low: float
    high: float
    exact: bool
    constant: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def magnitude(self) -> float:
        return max(abs(self.low), abs(self.high))


class Builder:
    """A graph while it grows. A nested builder shares names, constants and rng with its outer one,
    and may read its values."""

    def __init__(self, rng: random.Random, opset: int, float_type: np.dtype, outer=None, batch=0):
        self.rng, self.opset, self.float_type = rng, opset, float_type
        self.outer = outer
        # The first size of every input when it is open: it should not be written into the graph.
        self.batch: int = batch if outer is None else outer.batch
        self.nodes: list[onnx.NodeProto] = []
        self.values: list[Value] = []
        self.inputs: list[Value] = []
        self.initializers: list[onnx.TensorProto] = [] if outer is None else outer.initializers
        self.constants: list[tuple[np.ndarray, Value]] = [] if outer is None else outer.constants
        self.counter = [0] if outer is None else outer.counter

    def name(self, stem: str) -> str:
        self.counter[0] += 1
        return f"{stem}_{self.counter[0]}"

    def chance(self, part: float) -> bool:
        return self.rng.random() < part

    # ---- values
    def input(self, dtype: np.dtype, shape: tuple[int, ...]) -> Value:
        if self.batch:
            shape = (self.batch, *shape[1:])
        low, high = (-1, 1) if dtype in FLOATS else (0, 1) if dtype == BOOL else (-4, 4)
        value = Value(self.name("in"), dtype, shape, low, high, True)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def constant(self, array, dtype: np.dtype | None = None) -> Value:
        """An initializer, or a Constant node now and then; equal ones may be shared."""
        array = np.asarray(array, dtype or self.float_type)
        for known, value in self.constants:
            if (
                known.dtype == array.dtype
                and known.shape == array.shape
                and np.array_equal(known, array)
                and self.chance(0.5)
            ):
                return value
        low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 0.0)
        name = self.name("c")
        value = Value(name, array.dtype, array.shape, low, high, True, True)
        if self.chance(0.15):
            self.nodes.append(
                helper.make_node(
                    "Constant", [], [name], self.name("k"), value=numpy_helper.from_array(array)
                )
            )
        else:
            self.initializers.append(numpy_helper.from_array(array, name))
            self.constants.append((array, value))
        return value

    def ints(self, numbers) -> Value:
        return self.constant(np.array(numbers, np.int64), I64)

    def weights(self, shape, low=-0.5, high=0.5, dtype=None) -> Value:
        count = int(np.prod(shape, dtype=np.int64))
        numbers = [self.rng.uniform(low, high) for _ in range(count)]
        return self.constant(np.array(numbers).reshape(shape), dtype)

    def unbatched(self, shape) -> tuple[int, ...]:
        """The shape for a constant beside a value of `shape`: 1 for an open size."""
        return (1, *shape[1:]) if self.batch and shape else tuple(shape)

    def candidates(self, test) -> list[Value]:
        found = [v for v in self.values if test(v)]
        return found if self.outer is None else found + self.outer.candidates(test)

    def pick(self, test=lambda v: True) -> Value | None:
        """A value for which `test` holds, newer ones more often; None when there is none."""
        found = self.candidates(test)
        if not found:
            return None
        place = int(len(found) * (1 - self.rng.random() ** 2))
        return found[min(place, len(found) - 1)]

    def float_value(self, rank: int | None = None, most: int = MOST_ELEMENTS) -> Value:
        """A float of the graph's main type and, if asked for, rank: reshaped when there is none."""

        def fits(v: Value) -> bool:
            return v.dtype == self.float_type and v.size <= most and v.size > 0

        found = self.pick(lambda v: fits(v) and (rank is None or v.rank == rank))
        if found is not None and self.chance(0.9):
            return found
        if rank is None:
            return self.pick(fits) or self.fresh((2, 3, 4))
        shape = tuple(self.rng.choice((1, 2, 3, 4, 6)) for _ in range(rank))
        if rank == 4:
            shape = (self.rng.choice((1, 2)), self.rng.choice((2, 4, 6)), *shape[2:])
            shape = (*shape[:2], *(d + self.rng.choice((2, 4)) for d in shape[2:]))
        return self.fresh(shape)

    def fresh(self, shape) -> Value:
        """A new graph input; inside a nested graph a scaled constant."""
        if self.outer is None and len(self.inputs) < 6:
            return self.input(self.float_type, tuple(shape))
        source = self.weights(self.unbatched(shape), -1, 1)
        base = self.pick(lambda v: v.dtype == self.float_type and v.size == 1)
        if base is None:
            return source
        return self.op("Mul", [source, base], broadcast(source.shape, base.shape))

    # ---- nodes
    def op(self, op_type, inputs, shape, dtype=None, *, low=None, high=None, exact=False, **attrs):
        return self.ops(op_type, inputs, [shape], dtype, low=low, high=high, exact=exact, **attrs)[
            0
        ]

    def ops(
        self, op_type, inputs, shapes, dtype=None, *, low=None, high=None, exact=False, **attrs
    ):
        """Adds a node. Without low and high the interval is the hull of the float inputs; a value
        that has grown large is squashed on the way out."""
        names = [v.name if v is not None else "" for v in inputs]
        while names and not names[-1]:
            names.pop()
        given = [v for v in inputs if v is not None]
        dtype = dtype or given[0].dtype
        if low is None:
            same = [v for v in given if v.dtype == given[0].dtype] or given
            if op_type in INTERVALS and len(given) <= 2:
                low, high = INTERVALS[op_type](*given)
            else:
                low, high = min(v.low for v in same), max(v.high for v in same)
        exact = exact and all(v.exact for v in given)
        outputs = [
            Value(self.name(op_type.lower()), dtype, tuple(int(d) for d in shape), low, high, exact)
            for shape in shapes
        ]
        node_name = self.name("n_" + op_type)
        self.nodes.append(
            helper.make_node(op_type, names, [v.name for v in outputs], node_name, **attrs)
        )
        self.values.extend(outputs)
        if dtype in FLOATS and max(abs(low), abs(high)) > MOST_MAGNITUDE:
            return [self.squash(v) for v in outputs]
        return outputs

    def squash(self, value: Value) -> Value:
        # The large value itself is not used further.
        self.values.remove(value)
        if self.chance(0.5):
            return self.op("Tanh", [value], value.shape, low=-1, high=1)
        factor = self.constant(1.0 / value.magnitude, value.dtype)
        return self.op("Mul", [value, factor], value.shape, low=-1, high=1)

    def unary(self, op_type, value, **options) -> Value:
        return self.op(op_type, [value], value.shape, **options)

    def binary(self, op_type, a, b, **options) -> Value:
        if op_type in ("Add", "Mul") and self.chance(0.3):
            a, b = b, a
        return self.op(op_type, [a, b], broadcast(a.shape, b.shape), **options)

    def reduce(self, op_type, value, axes, keepdims=True, **options) -> Value:
        axes = [a % value.rank for a in axes]
        shape = [
            1 if i in axes else d for i, d in enumerate(value.shape) if keepdims or i not in axes
        ]
        written = [a - value.rank if self.chance(0.5) else a for a in axes]
        if self.opset >= (13 if op_type == "ReduceSum" else 18):
            return self.op(
                op_type, [value, self.ints(written)], shape, keepdims=int(keepdims), **options
            )
        return self.op(op_type, [value], shape, axes=written, keepdims=int(keepdims), **options)

    def with_axes(self, op_type, value, axes, shape) -> Value:
        """Squeeze or Unsqueeze: axes were an attribute before opset 13."""
        if self.opset >= 13:
            return self.op(op_type, [value, self.ints(axes)], shape, exact=True)
        return self.op(op_type, [value], shape, axes=list(axes), exact=True)

    def reshape(self, value, shape) -> Value:
        written = list(shape)
        if self.batch and written and value.rank and written[0] == value.shape[0] == self.batch:
            written[0] = 0
        elif written and self.chance(0.3):
            written[self.rng.randrange(len(written))] = -1 if value.size else written[0]
        return self.op("Reshape", [value, self.ints(written)], shape, exact=True)

    def transpose(self, value, perm=None) -> Value:
        if perm is None:
            perm = list(range(value.rank))
            self.rng.shuffle(perm)
        return self.op(
            "Transpose", [value], [value.shape[p] for p in perm], perm=list(perm), exact=True
        )

    def matmul(self, a, b) -> Value:
        if a.rank == 1 or b.rank == 1:
            raise ValueError("matrices only")
        batch = broadcast(a.shape[:-2], b.shape[:-2])
        bound = a.shape[-1] * a.magnitude * b.magnitude
        # Sums of random signs grow like the root of their length.
        bound = bound / max(a.shape[-1], 1) ** 0.5
        shape = (*batch, a.shape[-2], b.shape[-1])
        return self.op("MatMul", [a, b], shape, low=-bound, high=bound)


def broadcast(*shapes) -> tuple[int, ...]:
    return np.broadcast_shapes(*shapes)


def product_interval(a: Value, b: Value):
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(corners), max(corners)


INTERVALS = {
    "Add": lambda a, b: (a.low + b.low, a.high + b.high),
    "Sub": lambda a, b: (a.low - b.high, a.high - b.low),
    "Mul": product_interval,
    "Neg": lambda a: (-a.high, -a.low),
    "Abs": lambda a: (0, a.magnitude),
    "Relu": lambda a: (max(a.low, 0), max(a.high, 0)),
    "Sigmoid": lambda a: (0, 1),
    "Tanh": lambda a: (-1, 1),
    "Erf": lambda a: (-1, 1),
    "Softplus": lambda a: (0, a.magnitude + 1),
    "Sqrt": lambda a: (0, max(a.high, 0) ** 0.5),
    "Exp": lambda a: (0, float(np.exp(min(a.high, 50)))),
}


def tensor_info(value: Value) -> onnx.ValueInfoProto:
    """An output's type; only its rank is told."""
    open_dims = [None] * value.rank
    return helper.make_tensor_value_info(value.name, ONNX_TYPES[value.dtype], open_dims)


def finish(b: Builder, rng: random.Random, named: bool) -> tuple[onnx.ModelProto, dict]:
    """The model and a feed: what nothing reads becomes an output mostly, middle values at times."""
    read = {name for node in b.nodes for name in all_inputs(node)}
    made = [v for v in b.values if v not in b.inputs]
    # A few are for nobody: dead code.
    outputs = [v for v in made if v.name not in read and rng.random() < 0.9]
    middle = [v for v in made if v.name in read]
    outputs += rng.sample(middle, min(len(middle), rng.choice((0, 0, 1, 1, 2, 3))))
    if not outputs:
        outputs = [b.unary("Identity", b.inputs[0], exact=True)]
    inputs = [v for v in b.inputs if v.name in read or v is b.inputs[0]]
    infos = []
    for v in inputs:
        dims = list(v.shape)
        if b.batch:
            dims[0] = "b"
        elif named and dims:
            dims[0] = f"b{dims[0]}"
            if len(dims) > 2 and rng.random() < 0.3:
                dims[2] = f"t{dims[2]}"
        infos.append(helper.make_tensor_value_info(v.name, ONNX_TYPES[v.dtype], dims))
    graph = helper.make_graph(
        b.nodes,
        "random",
        infos,
        [tensor_info(v) for v in outputs],
        b.initializers,
    )
    opsets = [helper.make_opsetid("", b.opset)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8 if b.opset < 20 else 9)
    return model, {v.name: random_array(rng, v) for v in inputs}


def random_array(rng: random.Random, value: Value) -> np.ndarray:
    """Numbers of the value's interval; a float has 12 bits, so that products of inputs tell order
    and rounding apart but comparisons are not decided by noise."""
    bits = np.random.default_rng(rng.randrange(1 << 30))
    if value.dtype in FLOATS:
        numbers = bits.integers(-1024, 1025, value.shape) / 1024
        return numbers.astype(value.dtype)
    return bits.integers(int(value.low), int(value.high) + 1, value.shape).astype(value.dtype)


def all_inputs(node: onnx.NodeProto) -> set[str]:
    """Names that a node reads, its nested graphs included (their own names too: harmless)."""
    names = set(node.input)
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                names |= all_inputs(inner)
            names |= {output.name for output in attribute.g.output}
    return names - {""}


def random_model(seed: int) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of 5 to 40 nodes and a feed for it, the same for the same seed everywhere."""
    from random_motifs import MOTIFS

    rng = random.Random(seed)
    float_type = rng.choices((F32, F64, F16), (0.8, 0.1, 0.1))[0]
    batch = rng.choice((0, 0, 0, 2, 3))
    b = Builder(rng, rng.choice(OPSETS), float_type, batch=batch)
    for _ in range(rng.choice((1, 1, 2, 3))):
        rank = rng.choice((2, 3, 3, 4, 4))
        shape = tuple(rng.choice((1, 2, 3, 4, 6)) for _ in range(rank))
        if rank == 4:
            shape = (rng.choice((1, 2)), rng.choice((2, 4, 6)), shape[2] + 3, shape[3] + 3)
        b.input(float_type, shape)
    if rng.random() < 0.2:
        b.input(rng.choice((I64, I32)), (rng.choice((1, 2, 3)), rng.choice((1, 4))))
    wanted = rng.randint(5, 40)
    functions, weights = zip(*MOTIFS, strict=True)
    while len(b.nodes) < wanted:
        rng.choices(functions, weights)[0](b)
    return finish(b, rng, named=rng.random() < 0.1)


# ---- making a failing model small --------------------------------------------------------------


def prune(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without what its outputs do not need."""
    graph = model.graph
    needed = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):
        if needed & set(node.output):
            kept.append(node)
            needed |= all_inputs(node)
    small = onnx.ModelProto()
    small.CopyFrom(model)
    del small.graph.node[:]
    small.graph.node.extend(reversed(kept))
    for field in ("input", "initializer"):
        rows = [row for row in getattr(graph, field) if row.name in needed]
        del getattr(small.graph, field)[:]
        getattr(small.graph, field).extend(rows)
    return small


def shrink(model, feed, values, fails):
    """A smaller model and feed for which `fails(model, feed)` still holds.

    values: what each node makes, by name, for cutting the graph there.
    """

    def attempt(changed, more=()):
        small = prune(changed)
        names = {row.name for row in small.graph.input}
        small_feed = {k: v for k, v in {**feed, **dict(more)}.items() if k in names}
        return (small, small_feed) if fails(small, small_feed) else None

    for output in list(model.graph.output):
        one = onnx.ModelProto()
        one.CopyFrom(model)
        del one.graph.output[:]
        one.graph.output.append(output)
        found = attempt(one)
        if found:
            model, feed = found
            break
    cut = True
    while cut:
        cut = False
        for node in reversed(list(model.graph.node)):
            if any(name not in values or not name for name in node.output):
                continue
            if {o.name for o in model.graph.output} & set(node.output):
                continue
            changed = onnx.ModelProto()
            changed.CopyFrom(model)
            changed.graph.node.remove(node)
            more = {name: values[name] for name in node.output}
            for name, array in more.items():
                info = helper.make_tensor_value_info(
                    name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
                )
                changed.graph.input.append(info)
            found = attempt(changed, more.items())
            if found and len(found[0].graph.node) < len(model.graph.node):
                model, feed = found
                cut = True
                break
    return model, feed
