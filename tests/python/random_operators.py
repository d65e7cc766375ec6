# SPDX-License-Identifier: Apache-2.0
"""Single operators and control flow for random_graphs.py."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper
from random_graphs import BOOL, F32, FLOATS, I32, I64, ONNX_TYPES, Builder, Value, tensor_info


def exact_value(b: Builder) -> Value | None:
    """A value free of rounding: what may be compared or rounded."""
    return b.pick(lambda v: v.exact and v.dtype in FLOATS and 0 < v.size <= 2000)


def unary(b: Builder) -> None:
    x = b.float_value()
    kind = b.rng.choice(
        ("Neg", "Abs", "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "Erf", "Sin", "Cos",
         "HardSigmoid", "Selu", "Reciprocal", "Sqrt", "Log", "Exp")
    )  # fmt: skip
    if kind in ("Reciprocal", "Sqrt", "Log"):
        x = b.binary("Add", b.unary("Abs", x), b.constant(0.5))
        bounds = {"Reciprocal": (0, 2), "Sqrt": (0, 7), "Log": (-1, 4)}[kind]
    elif kind == "Exp":
        if x.high > 4:
            return
        bounds = (0, float(np.exp(x.high)))
    elif kind in ("Softsign", "Sin", "Cos", "HardSigmoid"):
        bounds = (-1, 1)
    elif kind == "Selu":
        bounds = (-2, max(x.high, 0) * 1.06)
    else:
        b.unary(kind, x, exact=kind in ("Neg", "Abs", "Relu"))
        return
    b.unary(kind, x, low=bounds[0], high=bounds[1])


def rounding(b: Builder) -> None:
    x = exact_value(b)
    if x is not None:
        kind = b.rng.choice(("Floor", "Ceil", "Round", "Sign"))
        b.unary(kind, x, low=x.low - 1, high=x.high + 1, exact=True)


def compare(b: Builder) -> None:
    x = exact_value(b)
    if x is None:
        return
    other = b.constant(b.rng.choice((0, 0.25)), x.dtype)
    kind = b.rng.choice(("Less", "Greater", "Equal", "GreaterOrEqual", "LessOrEqual"))
    if b.opset < 12 and kind.endswith("OrEqual"):
        kind = "Less"
    test = b.binary(kind, x, other, dtype=BOOL, low=0, high=1, exact=True)
    if b.chance(0.3):
        test = b.unary("Not", test, low=0, high=1, exact=True)
    if b.chance(0.3):
        again = b.binary(
            "Greater", x, b.constant(-0.5, x.dtype), dtype=BOOL, low=0, high=1, exact=True
        )
        test = b.binary(b.rng.choice(("And", "Or", "Xor")), test, again, low=0, high=1, exact=True)
    wide = dict(low=-x.magnitude - 1, high=x.magnitude + 1)
    if b.chance(0.7):
        b.op("Where", [test, x, b.unary("Neg", x)], x.shape, x.dtype, exact=True, **wide)
    else:
        b.op("Cast", [test], x.shape, x.dtype, low=0, high=1, exact=True, to=ONNX_TYPES[x.dtype])


def integers(b: Builder) -> None:
    x = b.pick(lambda v: v.dtype in (I64, I32) and v.exact and v.size > 0)
    if x is None:
        return
    kind = b.rng.choice(
        ("Add", "Mul", "Sub", "Div", "Mod", "Abs", "Neg", "Max", "ReduceSum", "Cast", "Clip")
    )
    if x.magnitude > 1000 or kind == "Clip" and b.opset < 12:
        kind = "Cast"
    wide = dict(low=-5 * x.magnitude - 8, high=5 * x.magnitude + 8, exact=True)
    if kind in ("Abs", "Neg"):
        b.unary(kind, x, **wide)
    elif kind == "ReduceSum":
        if x.rank:
            b.reduce(
                kind, x, [b.rng.randrange(x.rank)], b.chance(0.5), low=-100, high=100, exact=True
            )
    elif kind == "Cast":
        b.op("Cast", [x], x.shape, F32, low=x.low, high=x.high, exact=True, to=TensorProto.FLOAT)
    elif kind == "Clip":
        b.op("Clip", [x, b.constant(-2, x.dtype), b.constant(3, x.dtype)], x.shape, **wide)
    else:
        if kind == "Max" and b.opset < 12:
            kind = "Add"
        other = b.constant(b.rng.choice((1, 2, 3)), x.dtype)
        b.binary(kind, x, other, **wide)


def reductions(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3, 4)))
    kind = b.rng.choice(
        (
            "ReduceSum",
            "ReduceMean",
            "ReduceMax",
            "ReduceMin",
            "ReduceL2",
            "ReduceSumSquare",
            "ReduceL1",
        )
    )
    axes = b.rng.sample(range(x.rank), b.rng.choice((1, 1, 2)))
    many = int(np.prod([x.shape[a] for a in axes]))
    bound = x.magnitude * many if kind != "ReduceSumSquare" else x.magnitude**2 * many
    b.reduce(kind, x, axes, b.chance(0.5), low=-bound, high=bound)


def gather(b: Builder) -> None:
    x = b.float_value(b.rng.choice((1, 2, 3)))
    axis = b.rng.randrange(x.rank)
    shape = b.rng.choice(((), (1,), (2,), (2, 2)))
    numbers = [b.rng.randrange(-x.shape[axis], x.shape[axis]) for _ in range(int(np.prod(shape)))]
    index = b.constant(np.array(numbers).reshape(shape), np.int64)
    out = (*x.shape[:axis], *shape, *x.shape[axis + 1 :])
    b.op("Gather", [x, index], out, low=x.low, high=x.high, axis=axis, exact=True)


def slices(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3, 4)))
    axes = b.rng.sample(range(x.rank), b.rng.choice((1, 2)))
    starts, ends, steps, shape = [], [], [], list(x.shape)
    for axis in axes:
        if b.chance(0.2):
            start, end, step = -1, -(1 << 62), -1
        else:
            start, step = b.rng.randrange(shape[axis]), b.rng.choice((1, 1, 2))
            end = b.rng.choice((shape[axis], 1 << 62, start + 1))
        shape[axis] = len(range(x.shape[axis])[start : max(end, -99) if end < 0 else end : step])
        starts.append(start), ends.append(end), steps.append(step)
    b.op(
        "Slice",
        [x, *map(b.ints, (starts, ends, axes, steps))],
        shape,
        low=x.low,
        high=x.high,
        exact=True,
    )


def pads(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3)), 1000)
    widths = [b.rng.choice((0, 1, 2, 0)) for _ in range(2 * x.rank)]
    shape = [d + widths[i] + widths[i + x.rank] for i, d in enumerate(x.shape)]
    inputs = [x, b.ints(widths)] + ([b.constant(b.rng.choice((0, -1)))] if b.chance(0.5) else [])
    b.op("Pad", inputs, shape, low=min(x.low, -1), high=max(x.high, 0), exact=True)


def tile(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3)), 500)
    repeats = [b.rng.choice((1, 1, 2, 3)) for _ in x.shape]
    shape = [d * r for d, r in zip(x.shape, repeats, strict=True)]
    b.op("Tile", [x, b.ints(repeats)], shape, low=x.low, high=x.high, exact=True)


def expand(b: Builder) -> None:
    x = b.float_value(b.rng.choice((1, 2, 3)), 200)
    shape = tuple(b.rng.choice((2, 3)) if d == 1 else d for d in x.shape)
    if b.chance(0.5):
        shape = (2, *shape)
    tail = shape[-x.rank :]
    written = tuple(
        1 if b.chance(0.2) and d == e else d for d, e in zip(tail, x.shape, strict=True)
    )
    target = b.ints((*shape[: -x.rank], *written))
    b.op("Expand", [x, target], shape, low=x.low, high=x.high, exact=True)


def concat(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3)), 1000)
    axis = b.rng.randrange(x.rank)

    def beside(v: Value) -> bool:
        rest = [d for i, d in enumerate(v.shape) if i != axis]
        mine = [d for i, d in enumerate(x.shape) if i != axis]
        return v.dtype == x.dtype and v.rank == x.rank and rest == mine and v.size < 1000

    parts = [x, *(b.pick(beside) for _ in range(b.rng.choice((1, 2))))]
    parts = [p for p in parts if p is not None]
    shape = list(x.shape)
    shape[axis] = sum(p.shape[axis] for p in parts)
    exact = all(p.exact for p in parts)
    b.op("Concat", parts, shape, axis=axis, exact=exact)


def norm_operator(b: Builder) -> None:
    x = b.float_value(b.rng.choice((3, 4)))
    x = b.binary("Add", x, b.weights(b.unbatched(x.shape), -1, 1))
    bounds = dict(low=-8, high=8)
    if b.opset >= 17 and b.chance(0.5):
        if x.shape[-1] < 2:
            return
        rows = [b.weights(x.shape[-1:], 0.5, 1.5)] + (
            [b.weights(x.shape[-1:])] if b.chance(0.7) else []
        )
        b.op("LayerNormalization", [x, *rows], x.shape, axis=-1, **bounds)
    elif x.size // (x.shape[0] * x.shape[1]) > 1:
        rows = [b.weights((x.shape[1],), 0.5, 1.5), b.weights((x.shape[1],))]
        b.op("InstanceNormalization", [x, *rows], x.shape, **bounds)


def whole_activation(b: Builder) -> None:
    """Activations that newer opsets have as operators."""
    x = b.float_value()
    kinds = ["Softmax", "LogSoftmax", "LeakyRelu", "Elu", "ThresholdedRelu"]
    kinds += ["Celu"] if b.opset >= 12 else []
    kinds += ["HardSwish"] if b.opset >= 14 else []
    kinds += ["Mish"] if b.opset >= 18 else []
    kinds += ["Gelu", "Gelu"] if b.opset >= 20 else []
    kind = b.rng.choice(kinds)
    if kind in ("Softmax", "LogSoftmax"):
        if x.rank:
            low, high = (0, 1) if kind == "Softmax" else (-2 * x.magnitude - 9, 0)
            b.unary(kind, x, low=low, high=high, axis=b.rng.choice((-1, 0)))
        return
    if kind == "ThresholdedRelu":
        x = exact_value(b)
        if x is None or x.dtype != b.float_type:
            return
    attrs = {"approximate": b.rng.choice(("none", "tanh"))} if kind == "Gelu" else {}
    if kind == "Celu" and x.dtype != F32:
        return
    b.unary(kind, x, low=-max(1, x.magnitude), high=x.magnitude, **attrs)


def variadic(b: Builder) -> None:
    x = b.float_value()
    others = [b.pick(lambda v: v.dtype == x.dtype and v.shape == x.shape) for _ in range(2)]
    kind = b.rng.choice(("Sum", "Mean", "Max", "Min"))
    low, high = sum(v.low for v in (x, *others)), sum(v.high for v in (x, *others))
    b.op(kind, [x, *others], x.shape, low=min(low, x.low, *(v.low for v in others)),
         high=max(high, x.high, *(v.high for v in others)))  # fmt: skip


def space_depth(b: Builder) -> None:
    x = b.float_value(4)
    n, c, h, w = x.shape
    if c % 4 == 0:
        attrs = {"mode": b.rng.choice(("DCR", "CRD"))}
        b.op("DepthToSpace", [x], (n, c // 4, 2 * h, 2 * w), blocksize=2, exact=True, **attrs)
    elif h % 2 == 0 and w % 2 == 0:
        b.op("SpaceToDepth", [x], (n, 4 * c, h // 2, w // 2), blocksize=2, exact=True)


def shape_of(b: Builder) -> None:
    x = b.float_value()
    shape = b.op("Shape", [x], (x.rank,), I64, low=0, high=50, exact=True)
    if x.rank and x.size <= 500:
        value = helper.make_tensor("v", ONNX_TYPES[b.float_type], [1], [b.rng.choice((0.0, 1.5))])
        y = b.op(
            "ConstantOfShape",
            [shape],
            x.shape,
            b.float_type,
            low=0,
            high=1.5,
            exact=True,
            value=value,
        )
        b.binary(b.rng.choice(("Add", "Mul")), x, y)


def top(b: Builder) -> None:
    x = b.pick(lambda v: v.exact and v.dtype in FLOATS and v.rank > 0 and 0 < v.size < 500)
    if x is not None:
        axis = b.rng.randrange(x.rank)
        shape = [d for i, d in enumerate(x.shape) if i != axis]
        kind = b.rng.choice(("ArgMax", "ArgMin"))
        b.op(kind, [x], shape, I64, low=0, high=20, exact=True, axis=axis, keepdims=0)


OPERATORS = (
    unary, unary, rounding, compare, integers, integers, reductions, reductions, gather, slices,
    pads, tile, expand, concat, concat, norm_operator, whole_activation, whole_activation, variadic,
    space_depth, shape_of, top,
)  # fmt: skip


# ---- control flow --------------------------------------------------------------------------------


def with_motif(inner: Builder, y: Value) -> Value:
    """y plus the mean of what a motif makes inside a nested graph."""
    from random_motifs import NESTED_MOTIFS

    known = len(inner.values)
    inner.rng.choice(NESTED_MOTIFS)(inner)
    made = [v for v in inner.values[known:] if v.dtype == y.dtype and v.rank > 0 and v.size > 0]
    if not made:
        return y
    v = inner.rng.choice(made[-2:])
    mean = inner.reduce("ReduceMean", v, list(range(v.rank)), False)
    return inner.binary("Add", y, mean)


def branch(b: Builder, x: Value) -> tuple[onnx.GraphProto, Builder, Value]:
    """A nested graph of a few element-wise nodes that ends in a value of x's type."""
    inner = Builder(b.rng, b.opset, b.float_type, outer=b)
    y = x
    for _ in range(b.rng.choice((1, 2, 3))):
        kind = b.rng.choice(("Relu", "Tanh", "Sigmoid", "swish", "scale", "double"))
        if kind == "swish":
            y = inner.binary("Mul", y, inner.unary("Sigmoid", y))
        elif kind == "scale":
            y = inner.binary("Mul", y, inner.constant(b.rng.uniform(-1, 1), x.dtype))
        elif kind == "double":
            y = inner.binary("Add", inner.unary("Neg", y), inner.unary("Neg", y))
        else:
            y = inner.unary(kind, y)
    if b.chance(0.5):
        y = with_motif(inner, y)
    return helper.make_graph(inner.nodes, b.name("g"), [], [tensor_info(y)]), inner, y


def conditional(b: Builder, condition: Value) -> None:
    x = b.float_value(most=500)
    then_graph, _, t = branch(b, x)
    else_graph, _, e = branch(b, x)
    b.op("If", [condition], x.shape, x.dtype, low=min(t.low, e.low), high=max(t.high, e.high),
         then_branch=then_graph, else_branch=else_graph)  # fmt: skip


def known_if(b: Builder) -> None:
    conditional(b, b.constant(np.array(b.chance(0.5)), np.bool_))


def dynamic_if(b: Builder) -> None:
    x = b.pick(lambda v: v.exact and v.dtype == b.float_type and 1 < v.size < 500)
    if x is None:
        return
    total = b.reduce("ReduceMax", x, list(range(x.rank)), False, exact=True)
    test = b.binary(
        "Greater",
        total,
        b.constant(b.rng.choice((0.5, -0.5)), x.dtype),
        dtype=BOOL,
        low=0,
        high=1,
        exact=True,
    )
    conditional(b, test)


def loop(b: Builder) -> None:
    x = b.float_value(most=200)
    inner = Builder(b.rng, b.opset, b.float_type, outer=b)
    carried = Value(b.name("carried"), x.dtype, x.shape, -1, 1, False)
    y = inner.unary(
        "Tanh", inner.binary("Add", inner.binary("Mul", carried, inner.constant(0.5)), x)
    )
    if b.chance(0.4):
        y = inner.unary("Tanh", with_motif(inner, y))
    names = [b.name("round"), b.name("go"), b.name("go_on")]
    inner.nodes.append(helper.make_node("Identity", [names[1]], [names[2]], b.name("n_go")))
    row = inner.unary("Relu", y)
    infos = [
        helper.make_tensor_value_info(names[0], TensorProto.INT64, []),
        helper.make_tensor_value_info(names[1], TensorProto.BOOL, []),
        tensor_info(carried),
    ]
    outs = [helper.make_tensor_value_info(names[2], TensorProto.BOOL, [])]
    outs += [tensor_info(v) for v in (y, row)]
    body = helper.make_graph(inner.nodes, b.name("g"), infos, outs)
    trips = b.rng.choice((1, 2, 3))
    count = b.constant(np.array(trips), np.int64)
    shapes = [x.shape, (trips, *x.shape)]
    start = b.unary("Tanh", x)
    b.ops("Loop", [count, None, start], shapes, x.dtype, low=-1, high=1, body=body)
