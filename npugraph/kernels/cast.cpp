// SPDX-License-Identifier: Apache-2.0
// Cast between the dtypes that models use most, where C++'s own conversion is ONNX's; floats to
// integers, which saturate, are left to the reference.
#include "npugraph/kernels/tools.h"

namespace npugraph::kernels {
namespace {

struct Bool {
  uint8_t value;
};

template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<To, Bool> && std::is_same_v<From, Bool>) {
    return {static_cast<uint8_t>(x.value != 0)};
  } else if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<uint8_t>(x != 0)};
  } else if constexpr (std::is_same_v<From, Bool>) {
    return static_cast<To>(x.value != 0);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
PlanResult plan_of(const KernelNode& node) {
  const int64_t count = product_of(in_dims(node, 0));
  return make_plan([count](const KernelRun& run) noexcept -> Status {
    const From* x = reinterpret_cast<const From*>(run.in[0].data);
    To* y = reinterpret_cast<To*>(run.out[0].data);
    parallel_items(run.pool, count, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = convert<To>(x[i]);
    });
    return ok();
  });
}

using Prepare = PlanResult (*)(const KernelNode&);

template <class From>
Prepare from_integer(DType to) {
  switch (to) {
    case DType::kF32:
      return plan_of<From, float>;
    case DType::kI64:
      return plan_of<From, int64_t>;
    case DType::kI32:
      return plan_of<From, int32_t>;
    case DType::kBool:
      return plan_of<From, Bool>;
    default:
      return nullptr;
  }
}

Prepare conversion(DType from, DType to) {
  switch (from) {
    case DType::kI64:
      return from_integer<int64_t>(to);
    case DType::kI32:
      return from_integer<int32_t>(to);
    case DType::kI8:
      return from_integer<int8_t>(to);
    case DType::kU8:
      return from_integer<uint8_t>(to);
    case DType::kBool:
      return from_integer<Bool>(to);
    case DType::kF32:
      if (to == DType::kBool) return plan_of<float, Bool>;
      return to == DType::kF32 ? plan_of<float, float> : nullptr;
    default:
      return nullptr;
  }
}

bool supports(const KernelNode& node) {
  return conversion(node.type(0).dtype, node.out[0].dtype) != nullptr;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  return conversion(node.type(0).dtype, node.out[0].dtype)(node);
}

}  // namespace

std::vector<Kernel> cast() {
  return {
      {.name = "cast", .op = "Cast", .in_place = {-1}, .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
