// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/nn/quant.h"

#include "npugraph/base/text.h"

namespace npugraph::ops {
namespace {

constexpr std::string_view kWanted = "one scale, one for each index of axis, or one for each block";

Error bad_scale(const InferContext& context, int64_t index) {
  return fail(ErrorId::kShapeMismatch,
              index == 1 ? "scale does not fit x" : "zero point does not fit scale",
              text(context.shape(index).str(), " for x ", context.shape(0).str()),
              std::string(index == 1 ? kWanted : "the shape of scale"));
}

}  // namespace

Status check_scales(const InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& scale = context.shape(1);
  if (context.has(2)) {
    const Shape& zero = context.shape(2);
    const bool both_one = zero.elements() == Dim(1) && scale.elements() == Dim(1);
    bool fits = both_one || zero.rank() == scale.rank();
    for (int64_t d = 0; fits && !both_one && d < scale.rank(); ++d)
      fits = dims_equal(zero[d], scale[d]) != false;
    if (!fits) return bad_scale(context, 2);
  }
  const int64_t block = context.attrs.i64("block_size");
  if (block == 0 && scale.elements() == Dim(1)) return ok();
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  if (block == 0) {
    if (scale.rank() == 1 && dims_equal(scale[0], x[axis]) != false) return ok();
    return bad_scale(context, 1);
  }
  bool fits = scale.rank() == x.rank();
  for (int64_t d = 0; fits && d < x.rank(); ++d)
    fits = dims_equal(scale[d], d == axis ? Dim::ceil_div(x[d], Dim(block)) : x[d]) != false;
  if (fits) return ok();
  return bad_scale(context, 1);
}

Result<ScaleIndex> ScaleIndex::make(const RunContext& context) {
  const TensorView& x = context.in[0];
  const TensorView& scale = context.in[1];
  ScaleIndex index;
  index.scale_length_ = 0;
  const int64_t block = context.attrs.i64("block_size");
  if (block == 0 && scale.elements() == 1) return index;
  NPU_LET(const int64_t axis, wrap_axis(context.attrs.i64("axis"), x.rank()));
  index.stride_ = product(x.dims, axis + 1, x.rank());
  index.length_ = x.dims[at_index(axis)];
  index.blocked_ = block > 0;
  index.block_ = block > 0 ? block : 1;
  index.scale_length_ = scale.dims[at_index(block > 0 ? axis : 0)];
  return index;
}

int64_t ScaleIndex::of(int64_t i) const {
  if (scale_length_ == 0) return 0;
  const int64_t along = i / stride_ % length_;
  if (!blocked_) return along;
  return (i / stride_ / length_ * scale_length_ + along / block_) * stride_ + i % stride_;
}

Result<std::optional<DType>> dtype_attr(const Attrs& attrs, std::string_view name,
                                        DTypeSet allowed) {
  const int64_t number = attrs.i64(name);
  if (number == 0) return std::optional<DType>();
  const auto dtype = dtype_from_onnx(static_cast<int32_t>(number));
  if (dtype && allowed.has(*dtype)) return dtype;
  return fail(ErrorId::kBadAttribute, text("attribute '", name, "'"), text(number),
              text("0, or the ONNX number of ", allowed.str()));
}

}  // namespace npugraph::ops
