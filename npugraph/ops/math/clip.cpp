// SPDX-License-Identifier: Apache-2.0
// Limits each element; where low > high, high wins.
#include <algorithm>
#include <limits>

#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

Status check_bound(const InferContext& context, int64_t index) {
  if (!context.has(index)) return ok();
  const auto count = context.shape(index).elements().known();
  if (!count || *count == 1) return ok();
  return fail(ErrorId::kShapeMismatch, index == 1 ? "min of Clip" : "max of Clip",
              context.shape(index).str(), "a scalar");
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_bound(context, 1));
  NPU_TRY(check_bound(context, 2));
  auto content = ints_of(context, 0);
  const auto low = ints_of(context, 1);
  const auto high = ints_of(context, 2);
  if ((context.has(1) && !low) || (context.has(2) && !high)) content.reset();
  if (content) {
    for (Dim& dim : *content) {
      if (low) dim = Dim::max(dim, low->front());
      if (high) dim = Dim::min(dim, high->front());
    }
  }
  return one_output(context.type(0).dtype, context.shape(0), std::move(content));
}

template <class T>
Status clip_whole(const RunContext& context) {
  T low = std::numeric_limits<T>::min();
  T high = std::numeric_limits<T>::max();
  if (context.has(1)) low = static_cast<T>(context.in[1].load_int(0));
  if (context.has(2)) high = static_cast<T>(context.in[2].load_int(0));
  return map_whole(context,
                   [=](int64_t x) { return std::min(std::max(static_cast<T>(x), low), high); });
}

Status reference(const RunContext& context) noexcept {
  for (int64_t k = 1; k <= 2; ++k) {
    if (context.has(k) && context.in[at_index(k)].elements() != 1)
      return fail(ErrorId::kShapeMismatch, "a bound of Clip",
                  dims_str(context.in[at_index(k)].dims), "a scalar");
  }
  const DType dtype = context.in[0].dtype;
  if (dtype == DType::kU64) return clip_whole<uint64_t>(context);
  if (!is_float(dtype)) return clip_whole<int64_t>(context);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double low = context.has(1) ? context.in[1].load(0) : -kInfinity;
  const double high = context.has(2) ? context.in[2].load(0) : kInfinity;
  return map_real(context, [=](double x) { return clip_of(x, low, high); });
}

}  // namespace

OpSchema clip() {
  return {
      .name = "Clip",
      .op_class = OpClass::kMath,
      .doc = "y = min(max(x, low), high); NaN for NaN",
      .onnx = {"Clip"},
      .aten = {"aten::clamp"},
      .inputs = {{"input", kNumberTypes, Arity::kOne, "T"},
                 {"min", kNumberTypes, Arity::kOptional, "T"},
                 {"max", kNumberTypes, Arity::kOptional, "T"}},
      .outputs = {{"output"}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
