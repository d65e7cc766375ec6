// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/math/elementwise.h"

#include <limits>

namespace npugraph::ops {
bool dim_fits(const Dim& value, DType dtype) {
  const int64_t bits = dtype_bits(dtype);
  const auto number = value.known();
  if (!number) return dtype == DType::kBool || (bits >= 32 && is_signed(dtype));
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  if (dtype == DType::kBool) return *number == 0 || *number == 1;
  if (bits == 64) return *number != kLow && *number != kHigh && (is_signed(dtype) || *number >= 0);
  if (!is_signed(dtype)) return *number >= 0 && *number < (int64_t{1} << bits);
  const int64_t half = int64_t{1} << (bits - 1);
  return *number >= -half && *number < half;
}

Result<std::vector<InferOutput>> infer_same(const InferContext& context) {
  return one_output(context.type(0).dtype, context.shape(0));
}

std::optional<std::vector<Dim>> map_contents(const InferContext& context, DType dtype,
                                             const Shape& shape, DimFunction f) {
  const std::optional<Dims> dims = shape.known();
  if (f == nullptr || !dims || is_float(dtype)) return std::nullopt;
  std::vector<std::vector<Dim>> contents;
  std::vector<Dims> strides;
  for (int64_t k = 0; k < static_cast<int64_t>(context.in.size()); ++k) {
    auto content = ints_of(context, k);
    const auto from = context.shape(k).known();
    if (!content || !from || static_cast<int64_t>(content->size()) != product(*from))
      return std::nullopt;
    contents.push_back(std::move(*content));
    strides.push_back(broadcast_strides(*from, *dims));
  }
  std::vector<Dim> out;
  std::vector<Dim> element(contents.size());
  for (Odometer at(*dims, std::move(strides)); !at.done(); at.next()) {
    if (at.count() >= kMaxContent) return std::nullopt;
    for (size_t k = 0; k < contents.size(); ++k) element[k] = contents[k][at_index(at.offset(k))];
    const std::optional<Dim> value = f(element);
    if (!value || !dim_fits(*value, dtype)) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

Result<Shape> broadcast_inputs(const InferContext& context) {
  Shape shape = context.shape(0);
  for (int64_t k = 1; k < static_cast<int64_t>(context.in.size()); ++k) {
    NPU_LET(shape, broadcast_shapes(shape, context.shape(k)));
  }
  return shape;
}

Result<std::vector<InferOutput>> infer_broadcast(const InferContext& context, DType dtype,
                                                 DimFunction f) {
  NPU_LET(const Shape shape, broadcast_inputs(context));
  return one_output(dtype, shape, map_contents(context, dtype, shape, f));
}

}  // namespace npugraph::ops
