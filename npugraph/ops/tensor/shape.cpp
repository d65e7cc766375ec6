// SPDX-License-Identifier: Apache-2.0
// Shape: the dims of a tensor. Source: ONNX Shape-15 and later.
#include <algorithm>

#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

struct Range {
  int64_t first, last;
};

/// The part of the dims that is asked for; starts and ends outside are held to 0..rank.
Range range_of(const Attrs& attrs, int64_t rank) {
  const auto place = [&](int64_t at) {
    return std::clamp(at < 0 ? at + rank : at, int64_t{0}, rank);
  };
  const int64_t first = place(attrs.i64("start"));
  const int64_t last = attrs.has("end") ? place(attrs.i64("end")) : rank;
  return {first, std::max(first, last)};
}

Status reference(const RunContext& context) noexcept {
  const Dims& dims = context.in[0].dims;
  const Range range = range_of(context.attrs, context.in[0].rank());
  NPU_TRY(check_dims(context.out[0], {range.last - range.first}));
  for (int64_t d = range.first; d < range.last; ++d)
    context.out[0].store_int(d - range.first, dims[at_index(d)]);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const std::vector<Dim>& dims = context.shape(0).dims();
  const Range range = range_of(context.attrs, context.shape(0).rank());
  return one_output(DType::kI64, {Dim(range.last - range.first)},
                    std::vector<Dim>(dims.begin() + range.first, dims.begin() + range.last));
}

}  // namespace

OpSchema shape() {
  return {
      .name = "Shape",
      .op_class = OpClass::kTensor,
      .doc = "dims start..end-1 of data as a vector",
      .onnx = {"Shape"},
      .aten = {"aten::sym_size.int"},
      .inputs = {{"data"}},
      .outputs = {{"shape"}},
      .attrs = {{"start", AttrKind::kInt, int64_t{0}}, {"end", AttrKind::kInt}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
