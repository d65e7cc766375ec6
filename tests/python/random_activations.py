# SPDX-License-Identifier: Apache-2.0
"""Constants of shapes that may or may not fit, and activations, for random_motifs.py."""

from __future__ import annotations

import math

from random_graphs import Builder, Value


def by_axis(b: Builder, value: Value, axis: int, low=-0.5, high=0.5) -> Value:
    """A constant that varies along one axis of `value` only, written as short as it may be."""
    axis %= value.rank
    shape = [1] * value.rank
    shape[axis] = value.shape[axis]
    if b.chance(0.5):
        shape = shape[axis:]
    return b.weights(shape, low, high)


def scale_for(b: Builder, value: Value, axis: int, low=-0.5, high=0.5) -> Value:
    """Mostly by_axis; else a scalar, a whole tensor or a value that is not constant."""
    kind = b.rng.choices(("axis", "scalar", "whole", "value"), (0.7, 0.1, 0.1, 0.1))[0]
    if kind == "scalar":
        return b.constant(b.rng.uniform(low, high), value.dtype)
    if kind == "whole":
        return b.weights(b.unbatched(value.shape), low, high)
    if kind == "value":
        found = b.pick(lambda v: v.dtype == value.dtype and v.shape == value.shape)
        if found is not None:
            return found
    return by_axis(b, value, axis, low, high)


def near(b: Builder, number: float) -> Value:
    """A constant of one element; now and then one that is not quite the expected one."""
    if b.chance(0.06):
        number *= b.rng.choice((0.5, 1.01, -1))
    return b.constant(number) if b.chance(0.6) else b.constant([number])


def gelu_erf(b: Builder, x: Value) -> Value:
    inner = (
        b.binary("Div", x, near(b, math.sqrt(2)), low=x.low, high=x.high)
        if b.chance(0.6)
        else b.binary("Mul", x, near(b, 1 / math.sqrt(2)))
    )
    gate = b.binary("Add", b.unary("Erf", inner), near(b, 1))
    if b.chance(0.5):
        return b.binary("Mul", b.binary("Mul", x, gate), near(b, 0.5))
    if b.chance(0.5):
        return b.binary("Mul", x, b.binary("Mul", gate, near(b, 0.5)))
    return b.binary("Mul", b.binary("Mul", x, near(b, 0.5)), gate)


def gelu_tanh(b: Builder, x: Value) -> Value:
    if b.chance(0.5):
        power = b.constant(b.rng.choices((3, 2), (0.95, 0.05))[0])
        cube = b.binary("Pow", x, power, low=-(x.magnitude**3), high=x.magnitude**3)
    else:
        cube = b.binary("Mul", b.binary("Mul", x, x), x)
    inner = b.binary("Add", x, b.binary("Mul", cube, near(b, 0.044715)))
    gate = b.unary("Tanh", b.binary("Mul", inner, near(b, math.sqrt(2 / math.pi))))
    return b.binary("Mul", b.binary("Mul", x, near(b, 0.5)), b.binary("Add", gate, near(b, 1)))


def swish(b: Builder, x: Value) -> Value:
    inner = b.binary("Mul", x, near(b, 1.702)) if b.chance(0.2) else x
    return b.binary("Mul", x, b.unary("Sigmoid", inner))


def clip(b: Builder, x: Value, low: float, high: float) -> Value:
    bounds = [b.constant(low), b.constant(high)]
    return b.op(
        "Clip", [x, *bounds], x.shape, low=max(low, x.low), high=min(max(low, x.high), high)
    )


def hard_swish(b: Builder, x: Value) -> Value:
    if b.chance(0.3):
        gate = b.unary("HardSigmoid", x, low=0, high=1, alpha=1 / 6, beta=0.5)
        return b.binary("Mul", x, gate)
    gate = clip(b, b.binary("Add", x, near(b, 3)), 0, 6)
    if b.chance(0.5):
        gate = b.binary("Div", gate, near(b, 6), low=-2, high=2)
        return b.binary("Mul", x, gate)
    return b.binary("Div", b.binary("Mul", x, gate), near(b, 6), low=x.low * 2, high=x.high * 2)


def hard_sigmoid(b: Builder, x: Value) -> Value:
    if b.chance(0.5):
        return clip(b, b.binary("Add", b.binary("Mul", x, near(b, 0.2)), near(b, 0.5)), 0, 1)
    gate = clip(b, b.binary("Add", x, near(b, 3)), 0, 6)
    return b.binary("Div", gate, near(b, 6), low=-2, high=2)


def mish(b: Builder, x: Value) -> Value:
    return b.binary("Mul", x, b.unary("Tanh", b.unary("Softplus", x)))


def elementary(b: Builder, x: Value) -> Value:
    kind = b.rng.choice(("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "PRelu", "Clip", "Clip"))
    if kind == "Clip":
        return clip(b, x, *b.rng.choice(((0, 6), (0, 1), (-1, 1))))
    if kind == "PRelu":
        slope = b.weights((x.shape[1], *[1] * (x.rank - 2)) if x.rank > 1 else (1,))
        return b.op("PRelu", [x, slope], x.shape, low=-x.magnitude, high=x.magnitude)
    if kind in ("LeakyRelu", "Elu"):
        return b.unary(kind, x, low=-max(x.magnitude, 1), high=x.magnitude)
    return b.unary(kind, x)


ACTIVATIONS = (gelu_erf, gelu_tanh, swish, hard_swish, hard_sigmoid, mish, elementary, elementary)


def any_activation(b: Builder) -> None:
    activation(b, b.float_value())


def activation(b: Builder, x: Value) -> Value:
    return b.rng.choice(ACTIVATIONS)(b, x)
