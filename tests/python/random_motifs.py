# SPDX-License-Identifier: Apache-2.0
"""What random_graphs.py puts together: decomposed norms, activations, attention and the like as
exporters write them, each often with one thing changed. MOTIFS lists them with weights."""

from __future__ import annotations

import math

import numpy as np
from random_activations import activation, any_activation, by_axis, near, scale_for
from random_graphs import Builder, Value, broadcast
from random_moves import (
    casts,
    leftovers,
    positions,
    reshapes,
    resize,
    shape_arithmetic,
    slice_axis,
    slice_concat,
    transposes,
    twins,
)
from random_operators import OPERATORS, dynamic_if, known_if, loop

# ---- convolutions ------------------------------------------------------------------------------


def conv(b: Builder, x: Value | None = None, kernel=None, groups=None, op="Conv") -> Value | None:
    x = x or b.float_value(4)
    channels = x.shape[1]
    groups = groups or b.rng.choice([g for g in (1, 1, 1, 2, channels) if channels % g == 0])
    kernel = kernel or b.rng.choice(((1, 1), (3, 3), (3, 1), (2, 2)))
    strides, dilations = b.rng.choice(((1, 1), (1, 1), (2, 1), (2, 2))), b.rng.choice((1, 1, 1, 2))
    pads = [b.rng.choice((0, 1)) for _ in range(4)]
    if kernel == (1, 1) and b.chance(0.7):
        strides, pads = (1, 1), [0, 0, 0, 0]
    outs = groups * b.rng.choice((1, 2, 4))
    spans = [dilations * (k - 1) + 1 for k in kernel]
    if op == "Conv":
        shape = (outs, channels // groups, *kernel)
        spatial = [
            (x.shape[2 + i] + pads[i] + pads[i + 2] - spans[i]) // strides[i] + 1 for i in (0, 1)
        ]
    else:
        shape = (channels, outs // groups, *kernel)
        spatial = [
            (x.shape[2 + i] - 1) * strides[i] + spans[i] - pads[i] - pads[i + 2] for i in (0, 1)
        ]
    if min(spatial) < 1 or np.prod(spatial) * outs * x.shape[0] > 6000:
        return None
    bound = 0.5 * x.magnitude * math.sqrt(np.prod(shape[1:]))
    attrs = dict(
        kernel_shape=list(kernel), strides=list(strides), pads=pads, dilations=[dilations] * 2
    )
    if groups != 1 or b.chance(0.5):
        attrs["group"] = groups
    inputs = [x, b.weights(shape)]
    if b.chance(0.5):
        inputs.append(b.weights((outs,)))
    return b.op(op, inputs, (x.shape[0], outs, *spatial), low=-bound, high=bound, **attrs)


def batch_norm(b: Builder, x: Value) -> Value:
    n = x.shape[1]
    rows = [b.weights((n,), 0.5, 1.5), b.weights((n,)), b.weights((n,)), b.weights((n,), 0.5, 2)]
    bound = 2.2 * (x.magnitude + 0.5) + 0.5
    return b.op("BatchNormalization", [x, *rows], x.shape, low=-bound, high=bound, epsilon=1e-5)


def conv_block(b: Builder) -> None:
    y = conv(b, op=b.rng.choices(("Conv", "ConvTranspose"), (0.75, 0.25))[0])
    if y is None:
        return
    if b.chance(0.6):
        y = batch_norm(b, y)
    for _ in range(b.rng.choice((0, 0, 1, 2))):
        kind = b.rng.choice(("Mul", "Add", "Sub", "Div"))
        # A divisor that is computed could be nothing but rounding.
        factor = (by_axis if kind == "Div" else scale_for)(b, y, 1, 0.5, 1.5)
        y = b.binary(kind, y, factor)
    if b.chance(0.4):
        other = b.pick(lambda v: v.dtype == y.dtype and v.shape == y.shape)
        y = b.binary("Add", y, other) if other else y
    if b.chance(0.7):
        activation(b, y)


def pad_conv(b: Builder) -> None:
    x = b.float_value(4)
    pads = [0, 0, *(b.rng.choice((0, 1, 1, 2)) for _ in "hw")]
    pads += [0, 0, *(b.rng.choice((0, 1, 1, 2)) for _ in "hw")]
    if b.chance(0.15):
        pads[b.rng.choice((0, 1, 4, 5))] = 1
    mode = b.rng.choices(("constant", "edge", "reflect"), (0.8, 0.1, 0.1))[0]
    if mode == "reflect" and any(
        p and max(pads) >= d for p, d in zip(pads, x.shape * 2, strict=True)
    ):
        mode = "constant"
    inputs = [x, b.ints(pads)]
    if mode == "constant" and b.chance(0.4):
        inputs.append(b.constant(b.rng.choice((0, 0, 1.5))))
    shape = [d + pads[i] + pads[i + 4] for i, d in enumerate(x.shape)]
    low, high = min(x.low, 0), max(x.high, 1.5)
    conv(b, b.op("Pad", inputs, shape, low=low, high=high, mode=mode, exact=True))


def affine_conv(b: Builder) -> None:
    """By channel, in front of one convolution or two."""
    x = b.float_value(4)
    y = b.binary(b.rng.choice(("Mul", "Add")), x, scale_for(b, x, 1, 0.5, 1.5))
    if b.chance(0.5):
        y = b.binary(b.rng.choice(("Add", "Sub")), y, scale_for(b, y, 1))
    for _ in range(b.rng.choice((1, 1, 2))):
        conv(b, y)


def channel_shuffle(b: Builder) -> None:
    x = b.float_value(4)
    n, c, h, w = x.shape
    groups = b.rng.choice([g for g in (1, 2, 3) if c % g == 0])
    y = b.reshape(x, (n, groups, c // groups, h, w))
    y = b.transpose(y, b.rng.choices(([0, 2, 1, 3, 4], [0, 2, 1, 4, 3]), (0.85, 0.15))[0])
    y = b.reshape(y, x.shape)
    if b.chance(0.5):
        conv(b, y)


def conv_chain(b: Builder) -> None:
    y = conv(b, kernel=(1, 1), groups=1)
    if y is not None and b.chance(0.2):
        y = activation(b, y)
    if y is not None:
        conv(b, y, kernel=(1, 1), groups=b.rng.choice((1, 1, y.shape[1])))


def pool(b: Builder) -> None:
    x = b.float_value(4)
    kind = b.rng.choice(("MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "mean"))
    if kind.startswith("Global"):
        b.op(kind, [x], (*x.shape[:2], 1, 1))
    elif kind == "mean":
        b.reduce("ReduceMean", x, (2, 3), b.chance(0.6))
    else:
        pads = [b.rng.choice((0, 1)) for _ in range(4)]
        spatial = [x.shape[2 + i] + pads[i] + pads[i + 2] - 2 + 1 for i in (0, 1)]
        if min(spatial) < 1:
            return
        low, high = min(x.low, 0), max(x.high, 0)
        attrs = dict(pads=pads, kernel_shape=[2, 2])
        shape = (*x.shape[:2], *spatial)
        b.op(kind, [x], shape, low=low, high=high, **attrs)


# ---- norms -------------------------------------------------------------------------------------


def square(b: Builder, x: Value) -> Value:
    if b.chance(0.5):
        return b.binary("Mul", x, x, low=0, high=x.magnitude**2)
    power = b.constant(b.rng.choices((2, 4), (0.95, 0.05))[0])
    return b.binary("Pow", x, power, low=0, high=min(max(x.magnitude**2, 1), 30))


def lively(b: Builder, x: Value) -> Value:
    """x plus a constant that varies: a norm of equal numbers would show nothing but rounding."""
    return b.binary("Add", x, b.weights(b.unbatched(x.shape), -1, 1))


def layer_norm(b: Builder) -> None:
    x = lively(b, b.float_value(b.rng.choice((2, 3, 3, 4))))
    axes = b.rng.choice(([-1], [-1], [-1], [1], [-2, -1]))
    root_mean_square = b.chance(0.3)
    if min(x.shape[a] for a in axes) < 2:
        return
    centred = x
    if not root_mean_square:
        centred = b.binary("Sub", x, b.reduce("ReduceMean", x, axes))
    other = axes if b.chance(0.9) else [0]
    spread = b.reduce("ReduceMean", square(b, centred), other)
    spread = b.binary("Add", spread, b.constant(b.rng.choice((1e-5, 1e-5, 1e-3, 0.1))))
    deep = dict(low=-6, high=6)
    root = b.unary("Sqrt", spread)
    if b.chance(0.3):
        root = b.unary("Reciprocal", root, low=0, high=10)
        y = b.binary("Mul", centred, root, **deep)
    else:
        y = b.binary("Div", centred, root, **deep)
    if b.chance(0.8):
        y = b.binary("Mul", y, scale_for(b, y, -1, 0.5, 1.5))
    if b.chance(0.7):
        b.binary("Add", y, scale_for(b, y, -1))


def group_norm(b: Builder) -> None:
    x = lively(b, b.float_value(4))
    n, c = x.shape[:2]
    groups = b.rng.choice([g for g in (1, 2, 3, c) if c % g == 0])
    shape = (n, groups, x.size // (n * groups))
    if shape[-1] < 2:
        return
    flat = b.reshape(x, shape)
    scale, bias = b.constant(np.ones(groups)), b.constant(np.zeros(groups))
    if b.chance(0.1):
        scale = b.weights((groups,), 0.5, 1.5)
    y = b.op("InstanceNormalization", [flat, scale, bias], shape, low=-6, high=6, epsilon=1e-5)
    y = b.reshape(y, x.shape)
    y = b.binary("Mul", y, scale_for(b, y, 1, 0.5, 1.5))
    if b.chance(0.8):
        b.binary("Add", y, scale_for(b, y, 1))


def instance_norm(b: Builder) -> None:
    x = lively(b, b.float_value(4))
    axes = b.rng.choice(([2, 3], [2, 3], [-1, -2], [1, 2]))
    if np.prod([x.shape[a] for a in axes]) < 2:
        return
    centred = b.binary("Sub", x, b.reduce("ReduceMean", x, axes))
    spread = b.reduce("ReduceMean", square(b, centred), axes)
    root = b.unary("Sqrt", b.binary("Add", spread, b.constant(1e-5)))
    y = b.binary("Div", centred, root, low=-6, high=6)
    y = b.binary("Mul", y, scale_for(b, y, 1, 0.5, 1.5))
    b.binary("Add", y, scale_for(b, y, 1))


def softmax(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3, 4)))
    axis = b.rng.choice((-1, -1, 1))
    if b.chance(0.6):
        x = b.binary(
            "Sub",
            x,
            b.reduce("ReduceMax", x, [axis], low=x.low, high=x.high),
            low=-2 * x.magnitude,
            high=0,
        )
    elif x.high > 3:
        return
    e = b.unary("Exp", x, low=0, high=float(np.exp(min(x.high, 3))))
    total = b.reduce("ReduceSum", e, [axis if b.chance(0.9) else 0], low=0, high=e.high * 8)
    y = b.binary("Div", e, total, low=0, high=1)
    if b.chance(0.2):
        small = b.binary("Add", y, b.constant(0.01))
        b.unary("Log", small, low=-5, high=1)


# ---- products and attention --------------------------------------------------------------------


def linear(b: Builder, x: Value, outs: int) -> Value:
    y = b.matmul(x, b.weights((x.shape[-1], outs)))
    if b.chance(0.7):
        y = b.binary("Add", y, b.weights((outs,) if b.chance(0.8) else b.unbatched(y.shape)))
    return y


def mlp(b: Builder) -> None:
    x = b.float_value(b.rng.choice((2, 3)))
    kind = b.rng.choice(("linear", "gemm", "split", "value"))
    if kind == "gemm" and x.rank == 2:
        transposed = b.chance(0.5)
        shape = (5, x.shape[1]) if transposed else (x.shape[1], 5)
        inputs = [x, b.weights(shape)]
        if b.chance(0.7):
            inputs.append(b.weights(b.rng.choice(((5,), (1, 5), (x.shape[0], 1), (1,)))))
        bound = 0.5 * x.magnitude * x.shape[1] + 1
        y = b.op(
            "Gemm", inputs, (x.shape[0], 5), low=-bound, high=bound, transB=int(transposed),
            alpha=b.rng.choice((1.0, 1.0, 0.5)), beta=b.rng.choice((1.0, 1.0, 2.0)),
        )  # fmt: skip
    elif kind == "value" and x.rank == 3:
        y = b.matmul(x, b.transpose(x, [0, 2, 1]))
    else:
        y = linear(b, x, b.rng.choice((4, 6)))
    if b.chance(0.3):
        y = b.binary(b.rng.choice(("Mul", "Add")), y, scale_for(b, y, -1))
    if b.chance(0.6):
        y = activation(b, y)
    if b.chance(0.4):
        other = b.pick(lambda v: v.dtype == y.dtype and v.shape == y.shape)
        if other is not None:
            b.binary("Add", y, other)


def heads(b: Builder, x: Value, count: int, width: int, perm) -> Value:
    return b.transpose(b.reshape(x, (*x.shape[:2], count, width)), perm)


def attention(b: Builder) -> None:
    x = b.float_value(3, 200)
    n, s = x.shape[:2]
    count, width = 2, b.rng.choice((2, 4))
    key_perm = b.rng.choice(([0, 2, 3, 1], [0, 2, 3, 1], [0, 2, 1, 3]))
    q = heads(b, linear(b, x, count * width), count, width, [0, 2, 1, 3])
    k = heads(b, linear(b, x, count * width), count, width, key_perm)
    v = heads(b, linear(b, x, count * width), count, width, [0, 2, 1, 3])
    if key_perm[-1] == 3:
        k = b.transpose(k, [0, 1, 3, 2])
    if b.chance(0.2):
        q, k = rotary(b, q), k
    scale = near(b, math.sqrt(width))
    if b.chance(0.3):
        q = b.binary("Div", q, scale, low=q.low, high=q.high)
        scores = b.matmul(q, k)
    else:
        scores = b.binary("Div", b.matmul(q, k), scale, low=-20, high=20)
    if b.chance(0.5):
        masks = ((s, s), (n, 1, 1, s), (1, 1, s, s), b.unbatched((n, count, s, s)))
        scores = b.binary("Add", scores, b.weights(b.rng.choice(masks), -2, 2))
    axis = -1 if b.chance(0.9) else 2
    weights = b.op(
        "Softmax", [scores], scores.shape, low=0, high=1, axis=axis if b.opset >= 13 else 3
    )
    out = b.transpose(b.matmul(weights, v), [0, 2, 1, 3])
    out = b.reshape(out, (n, s, count * width))
    if b.chance(0.6):
        linear(b, out, x.shape[2])


def rotary(b: Builder, x: Value) -> Value:
    half = x.shape[-1] // 2
    if half == 0 or x.shape[-1] % 2:
        return x
    first, second = slice_axis(b, x, -1, 0, half), slice_axis(b, x, -1, half, x.shape[-1])
    order = [b.unary("Neg", second), first]
    if b.chance(0.15):
        order.reverse()
    turned = b.op(
        "Concat",
        order,
        x.shape,
        low=-x.magnitude,
        high=x.magnitude,
        axis=-1 if b.chance(0.5) else x.rank - 1,
    )
    tables = []
    for _ in range(2):
        row = np.array([[b.rng.uniform(-1, 1) for _ in range(half)] for _ in range(x.shape[-2])])
        other = row if b.chance(0.9) else row[:, ::-1]
        tables.append(b.constant(np.concatenate([row, other], 1), x.dtype))
    cosine, sine = tables
    return b.binary("Add", b.binary("Mul", x, cosine), b.binary("Mul", turned, sine))


def rotary_motif(b: Builder) -> None:
    rotary(b, b.float_value(b.rng.choice((3, 4))))


def residual(b: Builder) -> None:
    x = b.float_value()
    other = b.pick(lambda v: v.dtype == x.dtype and v.rank <= 5 and fits(v, x))
    if other is not None:
        b.binary(b.rng.choice(("Add", "Sub", "Mul", "Max", "Min")), x, other)


def fits(a: Value, c: Value) -> bool:
    try:
        return int(np.prod(broadcast(a.shape, c.shape), dtype=np.int64)) <= 6000
    except ValueError:
        return False


def operator(b: Builder) -> None:
    b.rng.choice(OPERATORS)(b)


# For the graphs inside of If and Loop.
NESTED_MOTIFS = (
    any_activation,
    layer_norm,
    mlp,
    transposes,
    reshapes,
    slice_concat,
    softmax,
    conv_block,
    twins,
)

MOTIFS = (
    (operator, 6),
    (conv_block, 4),
    (pad_conv, 1),
    (conv_chain, 2),
    (affine_conv, 1),
    (channel_shuffle, 1),
    (pool, 1),
    (any_activation, 3),
    (layer_norm, 3),
    (group_norm, 1),
    (instance_norm, 1),
    (softmax, 2),
    (positions, 1),
    (mlp, 4),
    (attention, 2),
    (rotary_motif, 2),
    (slice_concat, 2),
    (transposes, 3),
    (reshapes, 3),
    (shape_arithmetic, 2),
    (casts, 2),
    (twins, 1),
    (leftovers, 3),
    (resize, 1),
    (residual, 3),
    (known_if, 0.5),
    (dynamic_if, 0.7),
    (loop, 0.5),
)
