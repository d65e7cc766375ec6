# SPDX-License-Identifier: Apache-2.0
"""The models of test_fusion_lookalikes.py."""

import re
from typing import NamedTuple

NORMS = "LayerNormalization, RMSNormalization, InstanceNormalization, GroupNormalization"


class Lookalike(NamedTuple):
    """head: the graph's inputs and outputs; constants and body as onnx.parser reads them, with
    ';' between nodes; never:
    operators that must not appear; kept: how many of an operator must be left; sizes: of symbols.
    """

    head: str
    constants: str
    body: str
    never: str
    kept: dict = {}
    sizes: dict = {}
    opset: int = 18
    tolerance: float = 1e-5


def layer_norm(**changes):
    """LayerNormalization in parts, with some of its lines or constants replaced."""
    lines = {
        "a": "int64[1] a = {-1}",
        "e": "float e = {0.00001}",
        "g": "float[4] g = {1, 2, 3, 4}",
        "h": "float[4] h = {4, 3, 2, 1}",
        "m": "m = ReduceMean(x, a)",
        "d": "d = Sub(x, m)",
        "p": "p = Mul(d, d)",
        "v": "v = ReduceMean(p, a)",
        "w": "w = Add(v, e)",
        "s": "s = Sqrt(w)",
        "q": "q = Div(d, s)",
        "r": "r = Mul(q, g)",
        "y": "y = Add(r, h)",
    }
    head = changes.pop("head", "float[2, 4] x => float[2, 4] y")
    rest = {key: changes.pop(key) for key in Lookalike._fields if key in changes}
    more = changes.pop("more", "")
    lines.update(changes)
    is_constant = re.compile(r"(float|float16|int64)(\[[^]]*\])? \w+ = \{")
    constants = ", ".join(line for line in lines.values() if is_constant.match(line))
    body = "; ".join(line for line in lines.values() if line and not is_constant.match(line))
    rest.setdefault("never", NORMS)
    return Lookalike(head, constants, "; ".join(part for part in (body, more) if part), **rest)


def small(head, constants, body, never, **rest):
    return Lookalike(head, constants, body, never, **rest)


GELU = "float r = {1.4142135}, float one = {1}, float half = {0.5}"
TANH = "float k = {0.044715}, float t = {0.7978845608}, float one = {1}, float half = {0.5}"
SIX = "float three = {3}, float zero = {0}, float six = {6}, float one = {1}, float half = {0.5}"
ROW = "float[2, 4] x => float[2, 4] y"
IMAGE = "float[2, 4, 3, 3] x => float[2, 4, 3, 3] y"
GROUPS = (
    "int64[3] p = {0, 2, -1}, float[2] one = {1, 1}, float[2] zero = {0, 0}, "
    "float[4, 1, 1] g = {1, 2, 3, 4}"
)
CONV = "float[2, 4, 1, 1] w = {1, 2, 3, 4, 5, 6, 7, 8}, float[2, 1, 1] c = {2, 3}"

CASES = {
    # ---- LayerNormalization
    "layer_norm_variance_is_an_output": layer_norm(
        head="float[2, 4] x => float[2, 4] y, float[2, 1] v"
    ),
    "layer_norm_mean_is_an_output": layer_norm(
        head="float[2, 4] x => float[2, 4] y, float[2, 1] m", never="LayerNormalization"
    ),
    "layer_norm_difference_is_read_elsewhere": layer_norm(
        head="float[2, 4] x => float[2, 4] y, float[2, 4] z",
        more="z = Neg(d)",
        never="LayerNormalization",
    ),
    "layer_norm_over_the_first_axis": layer_norm(a="int64[1] a = {0}"),
    "layer_norm_over_two_axes_that_are_not_last": layer_norm(
        head="float[2, 3, 4] x => float[2, 3, 4] y", a="int64[2] a = {0, 1}"
    ),
    "layer_norm_mean_and_variance_over_other_axes": layer_norm(
        more="",
        v="int64[1] b = {0}",
        never="LayerNormalization",
        w="v = ReduceMean(p, b)",
        s="w = Add(v, e); s = Sqrt(w)",
    ),
    "layer_norm_epsilon_by_row": layer_norm(e="float[2, 1] e = {0.1, 0.2}"),
    "layer_norm_epsilon_is_data": layer_norm(
        head="float[2, 4] x, float[1] e => float[2, 4] y", e=""
    ),
    "layer_norm_of_unknown_length": layer_norm(
        head="float[b, c] x => float[b, c] y", sizes={"b": 2, "c": 4}
    ),
    "layer_norm_scale_is_data": layer_norm(
        head="float[2, 4] x, float[4] g => float[2, 4] y", g="", never="", kept={"Mul": 1}
    ),
    "layer_norm_scale_by_row": layer_norm(g="float[2, 1] g = {1, 2}", never="", kept={"Mul": 1}),
    "layer_norm_bias_by_row": layer_norm(h="float[2, 1] h = {1, 2}", never="", kept={"Add": 1}),
    "layer_norm_scale_that_widens": layer_norm(
        head="float[2, 4] x => float[3, 2, 4] y",
        g="float[3, 1, 4] g = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}",
        never="",
        kept={"Mul": 1},
    ),
    "layer_norm_quotient_is_an_output": layer_norm(
        head="float[2, 4] x => float[2, 4] y, float[2, 4] q", never="", kept={"Mul": 1}
    ),
    "layer_norm_of_the_sum_with_the_mean": layer_norm(
        d="d = Add(x, m)", never="LayerNormalization"
    ),
    "layer_norm_with_the_sign_turned": layer_norm(d="d = Sub(m, x)", never="LayerNormalization"),
    "layer_norm_with_a_cube": layer_norm(p="float three = {3}", v="p = Pow(d, three); v = Abs(p)"),
    "layer_norm_without_keepdims": layer_norm(
        head="float[4, 4] x => float[4, 4] y",
        m="m = ReduceMean<keepdims = 0>(x, a)",
        v="v = ReduceMean<keepdims = 0>(p, a)",
    ),
    "layer_norm_float16_scale_that_float16_lacks": layer_norm(
        head="float16[2, 4] x => float16[2, 4] y",
        g="float[4] g = {1.0001, 2, 3, 4}",
        m="c = Cast<to = 1>(x); m = ReduceMean(c, a)",
        d="d = Sub(c, m)",
        y="z = Add(r, h); y = Cast<to = 10>(z)",
        never="",
        kept={"Cast": 2},
        tolerance=2e-3,
    ),
    # ---- RMSNormalization
    "rms_norm_mean_square_is_an_output": small(
        "float[2, 4] x => float[2, 4] y, float[2, 1] v",
        "int64[1] a = {-1}, float e = {0.00001}",
        "p = Mul(x, x); v = ReduceMean(p, a); w = Add(v, e); s = Sqrt(w); y = Div(x, s)",
        NORMS,
    ),
    "rms_norm_by_a_sum": small(
        ROW,
        "int64[1] a = {-1}, float e = {0.00001}",
        "p = Mul(x, x); v = ReduceSum(p, a); w = Add(v, e); s = Sqrt(w); y = Div(x, s)",
        NORMS,
    ),
    "rms_norm_of_another_tensor": small(
        "float[2, 4] x, float[2, 4] z => float[2, 4] y",
        "int64[1] a = {-1}, float e = {0.00001}",
        "p = Mul(z, z); v = ReduceMean(p, a); w = Add(v, e); s = Sqrt(w); y = Div(x, s)",
        NORMS,
    ),
    "rms_norm_over_the_first_axis": small(
        ROW,
        "int64[1] a = {0}, float e = {0.00001}",
        "p = Mul(x, x); v = ReduceMean(p, a); w = Add(v, e); s = Sqrt(w); y = Div(x, s)",
        NORMS,
    ),
    # ---- GroupNormalization and InstanceNormalization
    "group_norm_groups_are_an_output": small(
        "float[2, 4, 3, 3] x => float[2, 4, 3, 3] y, float[2, 2, 18] n",
        GROUPS,
        "r = Reshape(x, p); n = InstanceNormalization(r, one, zero); q = Shape(x); "
        "k = Reshape(n, q); y = Mul(k, g)",
        "GroupNormalization",
    ),
    "group_norm_of_mixed_samples": small(
        "float[2, 4, 3, 3] x => float[2, 4, 3, 3] y",
        GROUPS.replace("0, 2, -1", "1, 2, -1"),
        "r = Reshape(x, p); n = InstanceNormalization(r, one, zero); q = Shape(x); "
        "k = Reshape(n, q); y = Mul(k, g)",
        "GroupNormalization",
    ),
    "group_norm_back_to_another_shape": small(
        "float[2, 4, 3, 3] x => float[2, 36] y",
        GROUPS + ", int64[2] q = {0, -1}",
        "r = Reshape(x, p); n = InstanceNormalization(r, one, zero); y = Reshape(n, q)",
        "GroupNormalization",
    ),
    "group_norm_scale_by_column": small(
        IMAGE,
        GROUPS.replace("float[4, 1, 1] g = {1, 2, 3, 4}", "float[3] g = {1, 2, 3}"),
        "r = Reshape(x, p); n = InstanceNormalization(r, one, zero); q = Shape(x); "
        "k = Reshape(n, q); y = Mul(k, g)",
        "",
        kept={"Mul": 1},
    ),
    "instance_norm_over_one_spatial_axis": small(
        IMAGE,
        "int64[1] a = {3}, float e = {0.00001}, float[4, 1, 1] g = {1, 2, 3, 4}",
        "m = ReduceMean(x, a); d = Sub(x, m); p = Mul(d, d); v = ReduceMean(p, a); "
        "w = Add(v, e); s = Sqrt(w); q = Div(d, s); y = Mul(q, g)",
        "InstanceNormalization, GroupNormalization",
        kept={"Mul": 1},
    ),
    # ---- Softmax
    "softmax_sum_over_another_axis": small(
        ROW,
        "int64[1] a = {-1}, int64[1] b = {0}",
        "m = ReduceMax(x, a); d = Sub(x, m); k = Exp(d); s = ReduceSum(k, b); y = Div(k, s)",
        "Softmax",
    ),
    "softmax_over_two_axes": small(
        "float[2, 3, 4] x => float[2, 3, 4] y",
        "int64[2] a = {1, 2}",
        "m = ReduceMax(x, a); d = Sub(x, m); k = Exp(d); s = ReduceSum(k, a); y = Div(k, s)",
        "Softmax",
    ),
    "softmax_exponentials_are_an_output": small(
        "float[2, 4] x => float[2, 4] y, float[2, 4] k",
        "int64[1] a = {-1}",
        "m = ReduceMax(x, a); d = Sub(x, m); k = Exp(d); s = ReduceSum(k, a); y = Div(k, s)",
        "Softmax",
    ),
    "softmax_from_the_minimum": small(
        ROW,
        "int64[1] a = {-1}",
        "m = ReduceMin(x, a); d = Sub(x, m); k = Exp(d); s = ReduceSum(k, a); y = Div(k, s)",
        "Softmax",
    ),
    "log_softmax_softmax_is_an_output": small(
        "float[2, 4] x => float[2, 4] y, float[2, 4] s",
        "",
        "s = Softmax<axis = -1>(x); y = Log(s)",
        "LogSoftmax",
    ),
    "log_softmax_of_another_tensor": small(
        "float[2, 4] x, float[2, 4] z => float[2, 4] y",
        "int64[1] a = {-1}",
        "l = ReduceLogSumExp(z, a); y = Sub(x, l)",
        "LogSoftmax",
    ),
    # ---- Gelu
    "gelu_erf_is_an_output": small(
        "float[2, 4] x => float[2, 4] y, float[2, 4] e",
        GELU,
        "d = Div(x, r); e = Erf(d); s = Add(e, one); m = Mul(x, s); y = Mul(m, half)",
        "Gelu",
    ),
    "gelu_with_another_root": small(
        ROW,
        GELU.replace("1.4142135", "1.41"),
        "d = Div(x, r); e = Erf(d); s = Add(e, one); m = Mul(x, s); y = Mul(m, half)",
        "Gelu",
    ),
    "gelu_times_another_tensor": small(
        "float[2, 4] x, float[2, 4] z => float[2, 4] y",
        GELU,
        "d = Div(x, r); e = Erf(d); s = Add(e, one); m = Mul(z, s); y = Mul(m, half)",
        "Gelu",
    ),
    "gelu_root_by_element": small(
        ROW,
        GELU.replace("float r = {1.4142135}", "float[4] r = {1.4142135, 1.4142135, 1, 1}"),
        "d = Div(x, r); e = Erf(d); s = Add(e, one); m = Mul(x, s); y = Mul(m, half)",
        "Gelu",
    ),
    "gelu_float16_with_another_root": small(
        "float16[2, 4] x => float16[2, 4] y",
        GELU.replace("1.4142135", "1.4"),
        "r2 = Cast<to = 10>(r); one2 = Cast<to = 10>(one); half2 = Cast<to = 10>(half); "
        "d = Div(x, r2); e = Erf(d); s = Add(e, one2); m = Mul(x, s); y = Mul(m, half2)",
        "Gelu",
        tolerance=2e-3,
    ),
    "gelu_tanh_with_a_square": small(
        ROW,
        TANH,
        "b = Mul(x, x); c = Mul(b, k); d = Add(x, c); e = Mul(d, t); f = Tanh(e); "
        "h = Add(f, one); m = Mul(x, half); y = Mul(m, h)",
        "Gelu",
    ),
    "gelu_tanh_with_another_number": small(
        ROW,
        TANH.replace("0.044715", "0.0447"),
        "b = Mul(x, x); b2 = Mul(b, x); c = Mul(b2, k); d = Add(x, c); e = Mul(d, t); "
        "f = Tanh(e); h = Add(f, one); m = Mul(x, half); y = Mul(m, h)",
        "Gelu",
    ),
    "gelu_tanh_is_read_elsewhere": small(
        "float[2, 4] x => float[2, 4] y, float[2, 4] z",
        TANH,
        "b = Mul(x, x); b2 = Mul(b, x); c = Mul(b2, k); d = Add(x, c); e = Mul(d, t); "
        "f = Tanh(e); h = Add(f, one); m = Mul(x, half); y = Mul(m, h); z = Neg(f)",
        "Gelu",
    ),
    # ---- Swish, HardSigmoid, HardSwish, Mish
    "swish_of_another_tensor": small(
        "float[2, 4] x, float[2, 4] z => float[2, 4] y",
        "",
        "s = Sigmoid(z); y = Mul(x, s)",
        "Swish",
    ),
    "swish_gate_is_an_output": small(
        "float[2, 4] x => float[2, 4] y, float[2, 4] s",
        "",
        "s = Sigmoid(x); y = Mul(x, s)",
        "Swish",
    ),
    "swish_factor_is_data": small(
        "float[2, 4] x, float[1] a => float[2, 4] y",
        "",
        "m = Mul(x, a); s = Sigmoid(m); y = Mul(x, s)",
        "Swish",
    ),
    "swish_factor_by_element": small(
        ROW,
        "float[4] a = {1, 2, 1, 2}",
        "m = Mul(x, a); s = Sigmoid(m); y = Mul(x, s)",
        "Swish",
    ),
    "hard_sigmoid_with_other_bounds": small(
        ROW,
        SIX,
        "m = Div(x, six); z = Add(m, half); y = Clip(z, zero, six)",
        "HardSigmoid",
    ),
    "hard_sigmoid_line_is_an_output": small(
        "float[2, 4] x => float[2, 4] y, float[2, 4] z",
        SIX,
        "m = Div(x, six); z = Add(m, half); y = Clip(z, zero, one)",
        "HardSigmoid",
    ),
    "hard_sigmoid_bound_is_data": small(
        "float[2, 4] x, float top => float[2, 4] y",
        SIX,
        "m = Div(x, six); z = Add(m, half); y = Clip(z, zero, top)",
        "HardSigmoid",
    ),
    "hard_swish_of_another_tensor": small(
        "float[2, 4] x, float[2, 4] u => float[2, 4] y",
        SIX,
        "z = Add(u, three); c = Clip(z, zero, six); m = Mul(x, c); y = Div(m, six)",
        "HardSwish",
    ),
    "hard_swish_shifted_by_two": small(
        ROW,
        SIX.replace("{3}", "{2}"),
        "z = Add(x, three); c = Clip(z, zero, six); m = Mul(x, c); y = Div(m, six)",
        "HardSwish, HardSigmoid",
    ),
    "hard_swish_gate_of_another_slope": small(
        ROW, "", "g = HardSigmoid<alpha = 0.2, beta = 0.5>(x); y = Mul(x, g)", "HardSwish"
    ),
    "mish_softplus_is_an_output": small(
        "float[2, 4] x => float[2, 4] y, float[2, 4] s",
        "",
        "s = Softplus(x); t = Tanh(s); y = Mul(x, t)",
        "Mish",
    ),
    "mish_of_two_plus_exp": small(
        ROW,
        "float two = {2}",
        "e = Exp(x); s = Add(e, two); l = Log(s); t = Tanh(l); y = Mul(x, t)",
        "Mish",
    ),
    "mish_with_a_low_threshold": small(
        ROW,
        "float two = {0.5}",
        "s = Softplus(x); g = Greater(x, two); w = Where(g, x, s); t = Tanh(w); y = Mul(x, t)",
        "Mish",
    ),
    # ---- Conv and matrix products
    "conv_is_read_by_more_than_relu": small(
        "float[1, 4, 3, 3] x => float[1, 2, 3, 3] y, float[1, 2, 3, 3] z",
        CONV,
        "q = Conv(x, w); y = Relu(q); z = Neg(q)",
        "FusedConv",
    ),
    "conv_is_an_output": small(
        "float[1, 4, 3, 3] x => float[1, 2, 3, 3] y, float[1, 2, 3, 3] q",
        CONV,
        "q = Conv(x, w); y = Mul(q, c)",
        "FusedConv",
        kept={"Mul": 1},
    ),
    "conv_scaled_by_column": small(
        "float[1, 4, 3, 3] x => float[1, 2, 3, 3] y",
        CONV.replace("float[2, 1, 1] c = {2, 3}", "float[3] c = {2, 3, 4}"),
        "q = Conv(x, w); y = Mul(q, c)",
        "",
        kept={"Mul": 1},
    ),
    "conv_scaled_by_data": small(
        "float[1, 4, 3, 3] x, float[2, 1, 1] k => float[1, 2, 3, 3] y",
        CONV,
        "q = Conv(x, w); y = Mul(q, k)",
        "",
        kept={"Mul": 1},
    ),
    "pad_by_ones_before_conv": small(
        "float[1, 4, 3, 3] x => float[1, 2, 5, 5] y",
        CONV + ", int64[8] p = {0, 0, 1, 1, 0, 0, 1, 1}, float one = {1}",
        "q = Pad(x, p, one); y = Conv(q, w)",
        "",
        kept={"Pad": 1},
    ),
    "pad_of_channels_before_conv": small(
        "float[1, 3, 3, 3] x => float[1, 2, 3, 3] y",
        CONV + ", int64[8] p = {0, 1, 0, 0, 0, 0, 0, 0}",
        "q = Pad(x, p); y = Conv(q, w)",
        "",
        kept={"Pad": 1},
    ),
    "product_is_an_output": small(
        "float[2, 4] x => float[2, 3] y, float[2, 3] q",
        "float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}",
        "q = MatMul(x, w); y = Relu(q)",
        "FusedGemm",
    ),
    "residual_that_widens": small(
        "float[1, 4] x, float[2, 3] z => float[2, 3] y",
        "float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}",
        "q = MatMul(x, w); y = Add(q, z)",
        "FusedGemm",
    ),
}


# What they look like: each becomes one node.
ORIGINALS = {
    "LayerNormalization": layer_norm(),
    "RMSNormalization": small(
        ROW,
        "int64[1] a = {-1}, float e = {0.00001}",
        "p = Mul(x, x); v = ReduceMean(p, a); w = Add(v, e); s = Sqrt(w); y = Div(x, s)",
        "",
    ),
    "GroupNormalization": small(
        IMAGE,
        GROUPS,
        "r = Reshape(x, p); n = InstanceNormalization(r, one, zero); q = Shape(x); "
        "k = Reshape(n, q); y = Mul(k, g)",
        "",
    ),
    "InstanceNormalization": small(
        IMAGE,
        "int64[2] a = {2, 3}, float e = {0.00001}, float[4, 1, 1] g = {1, 2, 3, 4}",
        "m = ReduceMean(x, a); d = Sub(x, m); p = Mul(d, d); v = ReduceMean(p, a); "
        "w = Add(v, e); s = Sqrt(w); q = Div(d, s); y = Mul(q, g)",
        "",
    ),
    "Softmax": small(
        ROW,
        "int64[1] a = {-1}",
        "m = ReduceMax(x, a); d = Sub(x, m); k = Exp(d); s = ReduceSum(k, a); y = Div(k, s)",
        "",
    ),
    "LogSoftmax": small(ROW, "", "s = Softmax<axis = -1>(x); y = Log(s)", ""),
    "Gelu": small(
        ROW,
        GELU,
        "d = Div(x, r); e = Erf(d); s = Add(e, one); m = Mul(x, s); y = Mul(m, half)",
        "",
    ),
    "Gelu by tanh": small(
        ROW,
        TANH,
        "b = Mul(x, x); b2 = Mul(b, x); c = Mul(b2, k); d = Add(x, c); e = Mul(d, t); "
        "f = Tanh(e); h = Add(f, one); m = Mul(x, half); y = Mul(m, h)",
        "",
    ),
    "Swish": small(ROW, "float a = {1.7}", "m = Mul(x, a); s = Sigmoid(m); y = Mul(x, s)", ""),
    "HardSigmoid": small(ROW, SIX, "m = Div(x, six); z = Add(m, half); y = Clip(z, zero, one)", ""),
    "HardSwish": small(
        ROW, SIX, "z = Add(x, three); c = Clip(z, zero, six); m = Mul(x, c); y = Div(m, six)", ""
    ),
    "Mish": small(ROW, "", "s = Softplus(x); t = Tanh(s); y = Mul(x, t)", ""),
}
