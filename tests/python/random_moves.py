# SPDX-License-Identifier: Apache-2.0
"""What moves and reshapes data, for random_motifs.py."""

from __future__ import annotations

import numpy as np
from random_activations import elementary, scale_for
from random_graphs import Builder, Value


def slice_axis(b: Builder, x: Value, axis: int, start: int, end: int, step: int = 1) -> Value:
    shape = list(x.shape)
    shape[axis] = len(range(x.shape[axis])[start:end:step])
    if end == x.shape[axis] and b.chance(0.4):
        end = (1 << 63) - 1
    inputs = [x, b.ints([start]), b.ints([end]), b.ints([axis])]
    if step != 1 or b.chance(0.4):
        inputs.append(b.ints([step]))
    return b.op("Slice", inputs, shape, exact=True)


def slice_concat(b: Builder) -> None:
    x = b.float_value()
    if x.rank == 0:
        return
    axis = b.rng.randrange(x.rank)
    if x.shape[axis] < 2:
        return
    cut = b.rng.randrange(1, x.shape[axis])
    if b.chance(0.4):
        sizes = [cut, x.shape[axis] - cut]
        shapes = [(*x.shape[:axis], d, *x.shape[axis + 1 :]) for d in sizes]
        if b.opset >= 13:
            parts = b.ops("Split", [x, b.ints(sizes)], shapes, axis=axis, exact=True)
        else:
            parts = b.ops("Split", [x], shapes, axis=axis, split=sizes, exact=True)
    else:
        first_end = cut if b.chance(0.85) else max(cut - 1, 1)
        parts = [
            slice_axis(b, x, axis, 0, first_end),
            slice_axis(b, x, axis, cut, x.shape[axis]),
        ]
    if b.chance(0.2):
        parts.reverse()
    if b.chance(0.2):
        parts[0] = b.unary("Neg", parts[0])
    length = sum(p.shape[axis] for p in parts)
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    y = b.op("Concat", parts, shape, low=-x.magnitude, high=x.magnitude, axis=axis, exact=True)
    if b.chance(0.4):
        first = parts[0].shape[axis]
        slice_axis(b, y, axis, 0, first)
        slice_axis(b, y, axis, first if b.chance(0.8) else 0, length)


def transposes(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3, 4)))
    perm = list(range(x.rank))
    b.rng.shuffle(perm)
    y = b.transpose(x, perm)
    for _ in range(b.rng.choice((0, 1, 2))):
        if b.chance(0.5):
            y = elementary(b, y) if y.rank > 1 else y
        elif b.chance(0.6):
            y = b.binary("Add", y, scale_for(b, y, b.rng.randrange(y.rank)))
        else:
            other = b.pick(lambda v: v.dtype == x.dtype and v.shape == x.shape)
            y = b.binary("Mul", y, b.transpose(other or x, perm))
    if b.chance(0.2):
        y = b.reduce("ReduceMean", y, [b.rng.randrange(y.rank)])
    back = [perm.index(i) for i in range(len(perm))]
    if b.chance(0.2):
        b.rng.shuffle(back)
    b.transpose(y, back)


def reshapes(b: Builder) -> None:
    x = b.float_value()
    for _ in range(b.rng.choice((1, 2, 3))):
        kind = b.rng.choice(("flat", "split", "unsqueeze", "squeeze", "flatten", "zero"))
        if kind == "flat":
            x = b.reshape(x, (x.size,))
        elif kind == "split" and x.rank:
            axis = b.rng.randrange(x.rank)
            d = x.shape[axis]
            f = b.rng.choice([f for f in (1, 2, 3) if d % f == 0])
            x = b.reshape(x, (*x.shape[:axis], f, d // f, *x.shape[axis + 1 :]))
        elif kind == "unsqueeze":
            axis = b.rng.randrange(x.rank + 1)
            x = b.with_axes("Unsqueeze", x, [axis], (*x.shape[:axis], 1, *x.shape[axis:]))
        elif kind == "squeeze" and 1 in x.shape:
            axis = x.shape.index(1)
            x = b.with_axes("Squeeze", x, [axis], (*x.shape[:axis], *x.shape[axis + 1 :]))
        elif kind == "flatten" and x.rank:
            axis = b.rng.randrange(x.rank + 1)
            rows = int(np.prod(x.shape[:axis]))
            x = b.op("Flatten", [x], (rows, x.size // rows), axis=axis, exact=True)
        elif kind == "zero" and x.rank >= 2:
            shape = b.ints([0, -1])
            x = b.op("Reshape", [x, shape], (x.shape[0], x.size // x.shape[0]), exact=True)
        if b.chance(0.3):
            x = b.unary(b.rng.choice(("Relu", "Neg", "Identity", "Abs")), x, exact=True)
    if x.rank > 5:
        b.reshape(x, (x.size,))


def shape_arithmetic(b: Builder) -> None:
    x = b.float_value(b.rng.choice((3, 4)))
    shape = b.op("Shape", [x], (x.rank,), np.dtype("int64"), low=0, high=50, exact=True)

    def dim(axis, vector):
        index = b.ints([axis]) if vector else b.constant(axis, np.int64)
        out = (1,) if vector else ()
        return b.op("Gather", [shape, index], out, low=0, high=50, axis=0, exact=True)

    first = dim(0, True)
    if b.chance(0.5):
        scalar = dim(1, False)
        if b.chance(0.5):
            scalar = b.binary("Mul", scalar, b.constant(1, np.int64), exact=True)
        second = b.with_axes("Unsqueeze", scalar, [0], (1,))
    else:
        second = dim(1, True)
    parts, out = [first, second], [x.shape[0], x.shape[1]]
    if b.chance(0.5):
        product = b.binary("Mul", first, second, exact=True, low=0, high=50)
        parts, out = [product], [x.shape[0] * x.shape[1]]
    parts.append(b.ints([-1]))
    out.append(x.size // int(np.prod(out)))
    target = b.op("Concat", parts, (len(out),), low=-1, high=50, axis=0, exact=True)
    y = b.op("Reshape", [x, target], out, exact=True)
    if b.chance(0.3):
        b.op("Reshape", [y, shape], x.shape, exact=True)


def positions(b: Builder) -> None:
    """The first rows of a table, as many as x has, added to x."""
    x = b.pick(lambda v: v.dtype == b.float_type and v in b.inputs and v.rank >= 2)
    if x is None:
        return
    axis = b.rng.choice((0, 0, x.rank - 1, 1))
    table = b.weights((x.shape[axis] + b.rng.choice((0, 2)), *[1] * (x.rank - 1 - axis)))
    shape = b.op("Shape", [x], (x.rank,), np.dtype("int64"), low=0, high=50, exact=True)
    end = b.op("Gather", [shape, b.ints([axis])], (1,), low=0, high=50, axis=0, exact=True)
    rows = b.op(
        "Slice",
        [table, b.ints([0]), end, b.ints([0])],
        (x.shape[axis], *table.shape[1:]),
        low=-0.5,
        high=0.5,
    )
    b.binary("Add", x, rows)


def casts(b: Builder) -> None:
    x = b.float_value()
    target = b.rng.choice(("float64", "float32", "float16", "int64", "bool"))
    if target in ("int64", "bool") and not x.exact:
        target = "float64"
    codes = {"float64": 11, "float32": 1, "float16": 10, "int64": 7, "bool": 9}
    bounds = (0, 1) if target == "bool" else (x.low, x.high)
    y = b.op(
        "Cast",
        [x],
        x.shape,
        np.dtype(target),
        low=bounds[0],
        high=bounds[1],
        exact=target != "float16",
        to=codes[target],
    )
    if target.startswith("float") and b.chance(0.3):
        y = b.unary("Neg", y, exact=True)
    back = codes[str(x.dtype)]
    b.op("Cast", [y], x.shape, x.dtype, low=y.low, high=y.high, exact=True, to=back)


def twins(b: Builder) -> None:
    """The same node twice, or a chain of two."""
    x = b.float_value()
    kind = b.rng.choice(("Relu", "Sigmoid", "Neg", "Tanh"))
    first, second = b.unary(kind, x), b.unary(kind, x)
    if b.chance(0.5):
        first, second = b.unary("Neg", first), b.unary("Neg", second)
    b.binary("Add", first, second)


def leftovers(b: Builder) -> None:
    x = b.float_value()
    kind = b.rng.choice(("Identity", "Dropout", "zero", "one", "pow", "where", "expand"))
    if kind == "Identity":
        b.unary("Identity", x, exact=True)
    elif kind == "Dropout":
        inputs = [x]
        if b.opset >= 12:
            inputs.append(b.constant(0.5, np.float32))
        b.op("Dropout", inputs, x.shape, exact=True)
        # A mask that nobody reads.
        b.nodes[-1].output.append(b.name("mask"))
    elif kind == "zero":
        b.binary(b.rng.choice(("Add", "Sub")), x, b.constant(np.zeros(b.rng.choice(((), (1,))))))
    elif kind == "one":
        shape = b.rng.choice(((), (1,), (1,) * x.rank, (1,) * (x.rank + 1), x.shape))
        b.binary(b.rng.choice(("Mul", "Div")), x, b.constant(np.ones(shape)))
    elif kind == "pow":
        b.binary("Pow", x, b.constant(1), low=x.low, high=x.high)
    elif kind == "where":
        condition = b.constant(np.array(b.chance(0.5)), np.bool_)
        if b.chance(0.5):
            bits = [b.chance(0.5) for _ in range(x.size)]
            condition = b.constant(np.array(bits).reshape(x.shape), np.bool_)
        other = b.constant(b.rng.uniform(-1, 1))
        b.op(
            "Where",
            [condition, x, other],
            x.shape,
            x.dtype,
            low=x.low - 1,
            high=x.high + 1,
            exact=True,
        )
    else:
        source = b.weights((1,) * x.rank) if b.chance(0.5) else b.constant(0.5)
        y = b.op("Expand", [source, b.ints(x.shape)], x.shape, exact=True)
        b.binary(b.rng.choice(("Add", "Mul")), x, y)


def resize(b: Builder) -> None:
    x = b.float_value(4, 1000)
    mode = b.rng.choice(("nearest", "nearest", "linear"))
    attrs = {"mode": mode, "coordinate_transformation_mode": "asymmetric"}
    if mode == "nearest":
        attrs["nearest_mode"] = "floor"
    else:
        attrs["coordinate_transformation_mode"] = b.rng.choice(("half_pixel", "align_corners"))
    shape = (*x.shape[:2], x.shape[2] * 2, x.shape[3] * 2)
    if b.chance(0.3):
        inputs = [x, None if b.opset >= 13 else b.constant([], np.float32), None, b.ints(shape)]
        if b.opset < 13:
            inputs[2] = b.constant([], np.float32)
    else:
        none = None if b.opset >= 13 else b.constant([], np.float32)
        inputs = [x, none, b.constant([1, 1, 2, 2], np.float32)]
    b.op("Resize", inputs, shape, low=x.low, high=x.high, **attrs)
