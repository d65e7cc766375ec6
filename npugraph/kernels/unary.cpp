// SPDX-License-Identifier: Apache-2.0
// Functions of one float32, element by element.
#include <limits>

#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

using micro::Activation;
using micro::Unary;

// Rough operations an element, for the decision to use more threads.
double work_of(Unary op) {
  switch (op) {
    case Unary::kSigmoid:
    case Unary::kSilu:
    case Unary::kTanh:
    case Unary::kGelu:
    case Unary::kGeluTanh:
    case Unary::kGeluFast:
    case Unary::kErf:
    case Unary::kExp:
    case Unary::kElu:
    case Unary::kSwish:
    case Unary::kMish:
      return 16;
    default:
      return 4;
  }
}

PlanResult plan_of(const KernelNode& node, Activation activation) {
  const auto* kernels = &micro::micro_kernels(node.isa);
  const int64_t count = product_of(in_dims(node, 0));
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    const float* x = floats(run.in[0]);
    float* y = mutable_floats(run.out[0]);
    parallel_items(run.pool, count, work_of(activation.op), [&](int64_t begin, int64_t end) {
      kernels->unary(activation, x + begin, y + begin, end - begin);
    });
    return ok();
  });
}

template <Unary Op>
PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  Activation activation = {Op};
  if (node.schema.find_attr("alpha") != nullptr) {
    activation.alpha = static_cast<float>(node.attrs.f64("alpha"));
  }
  if (node.schema.find_attr("beta") != nullptr) {
    activation.beta = static_cast<float>(node.attrs.f64("beta"));
  }
  return plan_of(node, activation);
}

bool supports(const KernelNode& node) { return is_f32(node, 0); }

PlanResult prepare_swish(const KernelNode& node, std::span<const Tensor> packed) {
  const bool is_silu = node.attrs.f64("alpha") == 1;
  return is_silu ? prepare<Unary::kSilu>(node, packed) : prepare<Unary::kSwish>(node, packed);
}

PlanResult prepare_gelu(const KernelNode& node, std::span<const Tensor>) {
  const bool approximate = node.attrs.str("approximate") == "tanh";
  return plan_of(node, {approximate ? Unary::kGeluTanh : Unary::kGelu});
}

// The bounds of Clip are inputs: read when it runs.
PlanResult prepare_clip(const KernelNode& node, std::span<const Tensor>) {
  const auto* kernels = &micro::micro_kernels(node.isa);
  const int64_t count = product_of(in_dims(node, 0));
  const bool has_low = node.has(1);
  const bool has_high = node.has(2);
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const Activation clip = {Unary::kClip, has_low ? *floats(run.in[1]) : -kInfinity,
                             has_high ? *floats(run.in[2]) : kInfinity};
    const float* x = floats(run.in[0]);
    float* y = mutable_floats(run.out[0]);
    parallel_items(run.pool, count, 4, [&](int64_t begin, int64_t end) {
      kernels->unary(clip, x + begin, y + begin, end - begin);
    });
    return ok();
  });
}

bool clip_supports(const KernelNode& node) {
  if (!all_f32(node)) return false;
  for (const int64_t bound : {1, 2}) {
    if (!node.has(bound)) continue;
    const auto dims = node.type(bound).shape.known();
    if (!dims || product_of(*dims) != 1) return false;
  }
  return true;
}

template <Unary Op>
Kernel row(std::string_view name, std::string_view op) {
  return {.name = name, .op = op, .in_place = {-1}, .supports = supports, .prepare = prepare<Op>};
}

}  // namespace

std::vector<Kernel> unary() {
  return {
      row<Unary::kRelu>("relu_f32", "Relu"),
      row<Unary::kLeakyRelu>("leaky_relu_f32", "LeakyRelu"),
      row<Unary::kHardSigmoid>("hard_sigmoid_f32", "HardSigmoid"),
      row<Unary::kHardSwish>("hard_swish_f32", "HardSwish"),
      row<Unary::kSigmoid>("sigmoid_f32", "Sigmoid"),
      row<Unary::kTanh>("tanh_f32", "Tanh"),
      row<Unary::kElu>("elu_f32", "Elu"),
      row<Unary::kErf>("erf_f32", "Erf"),
      row<Unary::kExp>("exp_f32", "Exp"),
      row<Unary::kSqrt>("sqrt_f32", "Sqrt"),
      row<Unary::kReciprocal>("reciprocal_f32", "Reciprocal"),
      row<Unary::kAbs>("abs_f32", "Abs"),
      row<Unary::kNeg>("neg_f32", "Neg"),
      row<Unary::kMish>("mish_f32", "Mish"),
      {.name = "swish_f32",
       .op = "Swish",
       .in_place = {-1},
       .supports = supports,
       .prepare = prepare_swish},
      {.name = "gelu_f32",
       .op = "Gelu",
       .in_place = {-1},
       .supports = supports,
       .prepare = prepare_gelu},
      {.name = "gelu_fast_f32",
       .op = "Gelu",
       .accuracy = Accuracy::kFast,
       .in_place = {-1},
       .supports = supports,
       .prepare = prepare<Unary::kGeluFast>},
      {.name = "clip_f32",
       .op = "Clip",
       .in_place = {0},
       .supports = clip_supports,
       .prepare = prepare_clip},
  };
}

}  // namespace npugraph::kernels
