// SPDX-License-Identifier: Apache-2.0
// Functions of two float32 with broadcasting, and Pow by a constant whole exponent.
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

using micro::Binary;

PlanResult plan_of(const KernelNode& node, Binary op) {
  const auto* kernels = &micro::micro_kernels(node.isa);
  RowLoop<2> loop(out_dims(node), {in_dims(node, 0), in_dims(node, 1)});
  return make_plan([kernels, op, loop = std::move(loop)](const KernelRun& run) noexcept -> Status {
    const float* a = floats(run.in[0]);
    const float* b = floats(run.in[1]);
    float* y = mutable_floats(run.out[0]);
    loop.run(run.pool, 6, [&](std::array<int64_t, 2> at, int64_t out, int64_t count) {
      kernels->binary(op, {.a = a + at[0],
                           .b = b + at[1],
                           .a_repeats = loop.inner_step(0) == 0,
                           .b_repeats = loop.inner_step(1) == 0,
                           .dst = y + out,
                           .count = count});
    });
    return ok();
  });
}

template <Binary Op>
PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  return plan_of(node, Op);
}

bool supports(const KernelNode& node) { return node.in.size() == 2 && all_f32(node); }

// x * x is what the exact square rounds to. Other exponents are left to the reference.
bool pow_supports(const KernelNode& node) {
  const Tensor* exponent = node.constant(1);
  return is_f32(node, 0) && exponent != nullptr && exponent->elements() == 1 &&
         exponent->view().load(0) == 2 && node.type(0).shape == node.out[0].shape;
}

PlanResult prepare_square(const KernelNode& node, std::span<const Tensor>) {
  const auto* kernels = &micro::micro_kernels(node.isa);
  const int64_t count = product_of(in_dims(node, 0));
  return make_plan([=](const KernelRun& run) noexcept -> Status {
    const float* x = floats(run.in[0]);
    float* y = mutable_floats(run.out[0]);
    parallel_items(run.pool, count, 4, [&](int64_t begin, int64_t end) {
      kernels->unary({micro::Unary::kSquare}, x + begin, y + begin, end - begin);
    });
    return ok();
  });
}

template <Binary Op>
Kernel row(std::string_view name, std::string_view op) {
  return {.name = name, .op = op, .in_place = {-1}, .supports = supports, .prepare = prepare<Op>};
}

}  // namespace

std::vector<Kernel> binary() {
  return {
      row<Binary::kAdd>("add_f32", "Add"),
      row<Binary::kSub>("sub_f32", "Sub"),
      row<Binary::kMul>("mul_f32", "Mul"),
      row<Binary::kDiv>("div_f32", "Div"),
      row<Binary::kMax>("max_f32", "Max"),
      row<Binary::kMin>("min_f32", "Min"),
      row<Binary::kAdd>("sum_f32", "Sum"),
      {.name = "square_f32",
       .op = "Pow",
       .in_place = {0},
       .supports = pow_supports,
       .prepare = prepare_square},
  };
}

}  // namespace npugraph::kernels
