// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/nn/norm.h"

#include "npugraph/base/text.h"

namespace npugraph::ops {

Status check_epsilon(const Attrs& attrs) {
  const double epsilon = attrs.f64("epsilon");
  if (epsilon >= 0) return ok();
  return fail(ErrorId::kBadAttribute, "attribute 'epsilon'", text(epsilon), "0 or more");
}

Status check_vector(const InferContext& context, int64_t index, const Dim& length,
                    std::string_view what) {
  const Shape& shape = context.shape(index);
  if (shape.rank() == 1 && dims_equal(shape[0], length) != false) return ok();
  return fail(ErrorId::kShapeMismatch, std::string(what), shape.str(), text("[", length, "]"));
}

Moments moments_of(const TensorView& x, int64_t first, int64_t count) {
  Moments moments;
  const auto n = static_cast<double>(count);
  for (int64_t i = first; i < first + count; ++i) moments.mean += x.load(i);
  moments.mean /= n;
  for (int64_t i = first; i < first + count; ++i) {
    const double gap = x.load(i) - moments.mean;
    moments.variance += gap * gap;
  }
  moments.variance /= n;
  return moments;
}

Work norm_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  constexpr double kFlopsEach = 8;
  Work work;
  work.flops = kFlopsEach * static_cast<double>(out[0].shape.elements().value());
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  for (const TensorType& type : out) work.bytes += static_cast<double>(type.bytes().value());
  return work;
}

}  // namespace npugraph::ops
