// SPDX-License-Identifier: Apache-2.0
// Comparisons of float32, int32 and int64, and logic on bool, with broadcasting; IsNaN.
#include <functional>

#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

// out[i] = op(a[i], b[i]) for elements of type T, results as bool bytes.
template <class T, class Op>
PlanResult plan_of(const KernelNode& node) {
  RowLoop<2> loop(out_dims(node), {in_dims(node, 0), in_dims(node, 1)});
  return make_plan([loop = std::move(loop)](const KernelRun& run) noexcept -> Status {
    const T* a = reinterpret_cast<const T*>(run.in[0].data);
    const T* b = reinterpret_cast<const T*>(run.in[1].data);
    auto* y = reinterpret_cast<uint8_t*>(run.out[0].data);
    const int64_t a_step = loop.inner_step(0);
    const int64_t b_step = loop.inner_step(1);
    loop.run(run.pool, 4, [&](std::array<int64_t, 2> at, int64_t out, int64_t count) {
      const T* from_a = a + at[0];
      const T* from_b = b + at[1];
      for (int64_t i = 0; i < count; ++i) {
        y[out + i] = Op()(from_a[i * a_step], from_b[i * b_step]) ? 1 : 0;
      }
    });
    return ok();
  });
}

template <template <class> class Op>
PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const DType dtype = node.type(0).dtype;
  if (dtype == DType::kF32) return plan_of<float, Op<float>>(node);
  if (dtype == DType::kI32) return plan_of<int32_t, Op<int32_t>>(node);
  return plan_of<int64_t, Op<int64_t>>(node);
}

bool supports(const KernelNode& node) {
  const DType dtype = node.type(0).dtype;
  return dtype == DType::kF32 || dtype == DType::kI32 || dtype == DType::kI64;
}

struct And {
  bool operator()(uint8_t a, uint8_t b) const { return a != 0 && b != 0; }
};
struct Or {
  bool operator()(uint8_t a, uint8_t b) const { return a != 0 || b != 0; }
};
struct Xor {
  bool operator()(uint8_t a, uint8_t b) const { return (a != 0) != (b != 0); }
};

template <class Op>
PlanResult prepare_logic(const KernelNode& node, std::span<const Tensor>) {
  return plan_of<uint8_t, Op>(node);
}

bool logic_supports(const KernelNode& node) { return node.type(0).dtype == DType::kBool; }

// y[i] = f(x[i]).
template <class T, class F>
PlanResult map_plan(const KernelNode& node, F f) {
  const int64_t count = product_of(in_dims(node, 0));
  return make_plan([count, f](const KernelRun& run) noexcept -> Status {
    const T* x = reinterpret_cast<const T*>(run.in[0].data);
    auto* y = reinterpret_cast<uint8_t*>(run.out[0].data);
    parallel_items(run.pool, count, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = f(x[i]) ? 1 : 0;
    });
    return ok();
  });
}

PlanResult prepare_not(const KernelNode& node, std::span<const Tensor>) {
  return map_plan<uint8_t>(node, [](uint8_t x) { return x == 0; });
}

PlanResult prepare_is_nan(const KernelNode& node, std::span<const Tensor>) {
  return map_plan<float>(node, [](float x) { return x != x; });
}

bool is_nan_supports(const KernelNode& node) { return is_f32(node, 0); }

}  // namespace

std::vector<Kernel> compare() {
  return {
      {.name = "equal", .op = "Equal", .supports = supports, .prepare = prepare<std::equal_to>},
      {.name = "greater", .op = "Greater", .supports = supports, .prepare = prepare<std::greater>},
      {.name = "greater_or_equal",
       .op = "GreaterOrEqual",
       .supports = supports,
       .prepare = prepare<std::greater_equal>},
      {.name = "less", .op = "Less", .supports = supports, .prepare = prepare<std::less>},
      {.name = "less_or_equal",
       .op = "LessOrEqual",
       .supports = supports,
       .prepare = prepare<std::less_equal>},
      {.name = "and",
       .op = "And",
       .in_place = {-1},
       .supports = logic_supports,
       .prepare = prepare_logic<And>},
      {.name = "or",
       .op = "Or",
       .in_place = {-1},
       .supports = logic_supports,
       .prepare = prepare_logic<Or>},
      {.name = "xor",
       .op = "Xor",
       .in_place = {-1},
       .supports = logic_supports,
       .prepare = prepare_logic<Xor>},
      {.name = "not",
       .op = "Not",
       .in_place = {-1},
       .supports = logic_supports,
       .prepare = prepare_not},
      {.name = "is_nan_f32", .op = "IsNaN", .supports = is_nan_supports, .prepare = prepare_is_nan},
  };
}

}  // namespace npugraph::kernels
