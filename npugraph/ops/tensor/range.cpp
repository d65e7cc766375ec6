// SPDX-License-Identifier: Apache-2.0
// Range. Source: ONNX Range-11.
#include <algorithm>
#include <array>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

constexpr std::array<std::string_view, 3> kInputs = {"start", "limit", "delta"};

Error zero_step() {
  return fail(ErrorId::kShapeMismatch, "delta of Range", "0", "a step other than 0");
}

/// How many integers; the distance of any two fits in 64 bits without a sign.
Result<Dim> count_ints(int64_t start, int64_t limit, int64_t delta) {
  if (delta == 0) return zero_step();
  if (delta > 0 ? start >= limit : start <= limit) return Dim(0);
  const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
  const uint64_t distance = delta > 0 ? bits(limit) - bits(start) : bits(start) - bits(limit);
  const uint64_t step = delta > 0 ? bits(delta) : uint64_t{0} - bits(delta);
  const uint64_t count = (distance - 1) / step + 1;
  if (count > bits(kMaxTensor_bytes))
    return fail(ErrorId::kSizeOverflow, "Range has too many elements", text(count),
                text("at most ", kMaxTensor_bytes));
  return Dim(static_cast<int64_t>(count));
}

Result<Dim> count_floats(double start, double limit, double delta) {
  if (delta == 0) return zero_step();
  const double count = std::ceil((limit - start) / delta);
  if (std::isnan(count) || count > static_cast<double>(kMaxTensor_bytes))
    return fail(ErrorId::kSizeOverflow, "Range has no end or too many elements",
                text(start, " to ", limit, " by ", delta), text("at most ", kMaxTensor_bytes));
  return Dim(static_cast<int64_t>(std::max(0.0, count)));
}

/// The three numbers as expressions, if all are integers and known.
std::optional<std::array<Dim, 3>> known_bounds(const InferContext& context) {
  std::array<Dim, 3> bounds;
  for (size_t i = 0; i < bounds.size(); ++i) {
    const auto value = ints_of(context, static_cast<int64_t>(i));
    if (!value || value->size() != 1) return std::nullopt;
    bounds[i] = value->front();
  }
  return bounds;
}

Result<Dim> count_of(const InferContext& context) {
  if (const auto bounds = known_bounds(context)) {
    const auto& [start, limit, delta] = *bounds;
    if (start.is_static() && limit.is_static() && delta.is_static())
      return count_ints(start.value(), limit.value(), delta.value());
    if (delta == Dim(0)) return zero_step();
    if (delta.is_static() && delta.value() > 0)
      return Dim::max(Dim(0), Dim::ceil_div(limit - start, delta));
    if (delta.is_static()) return Dim::max(Dim(0), Dim::ceil_div(start - limit, Dim(0) - delta));
    return context.late_dim(0);
  }
  std::array<double, 3> bounds{};
  for (size_t i = 0; i < bounds.size(); ++i) {
    const Tensor* constant = context.in[i].constant;
    if (constant == nullptr || constant->elements() != 1 || !is_float(constant->dtype()))
      return context.late_dim(0);
    bounds[i] = constant->view().load(0);
  }
  return count_floats(bounds[0], bounds[1], bounds[2]);
}

Status reference(const RunContext& context) noexcept {
  const TensorView& y = context.out[0];
  for (size_t i = 0; i < kInputs.size(); ++i) NPU_TRY(scalar_of(context.in[i], kInputs[i]));
  const int64_t count = y.elements();
  if (is_float(y.dtype)) {
    const double start = context.in[0].load(0), delta = context.in[2].load(0);
    for (int64_t i = 0; i < count; ++i) y.store(i, start + static_cast<double>(i) * delta);
    return ok();
  }
  const auto start = static_cast<uint64_t>(context.in[0].load_int(0));
  const auto delta = static_cast<uint64_t>(context.in[2].load_int(0));
  for (int64_t i = 0; i < count; ++i)
    y.store_int(i, static_cast<int64_t>(start + static_cast<uint64_t>(i) * delta));
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  for (size_t i = 0; i < kInputs.size(); ++i)
    if (const Shape& shape = context.shape(static_cast<int64_t>(i));
        shape.rank() > 1 || (shape.rank() == 1 && shape[0].known().value_or(1) != 1))
      return fail(ErrorId::kShapeMismatch, text(kInputs[i], " of Range"), shape.str(),
                  "one number");
  NPU_LET(const Dim count, count_of(context));
  std::optional<std::vector<Dim>> content;
  const auto bounds = known_bounds(context);
  if (bounds && count.known().value_or(kMaxContent + 1) <= kMaxContent) {
    content.emplace();
    for (int64_t i = 0; i < count.value(); ++i)
      content->push_back((*bounds)[0] + Dim(i) * (*bounds)[2]);
  }
  return one_output(context.type(0).dtype, {count}, std::move(content));
}

}  // namespace

OpSchema range() {
  constexpr DTypeSet kTypes = types(
      {DType::kF16, DType::kBF16, DType::kF32, DType::kF64, DType::kI16, DType::kI32, DType::kI64});
  return {
      .name = "Range",
      .op_class = OpClass::kTensor,
      .doc = "start + i * delta for i in 0..max(0, ceil((limit - start) / delta)) - 1",
      .onnx = {"Range"},
      .aten = {"aten::arange.start_step"},
      .inputs = {{"start", kTypes, Arity::kOne, "T"},
                 {"limit", kTypes, Arity::kOne, "T"},
                 {"delta", kTypes, Arity::kOne, "T"}},
      .outputs = {{"output"}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
