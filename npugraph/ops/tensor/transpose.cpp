// SPDX-License-Identifier: Apache-2.0
// Transpose: permutes the axes. Source: ONNX Transpose-13 and later.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// The attribute, or the axes reversed. Errors: kBadAttribute unless it is a permutation.
Result<Ints> permutation(const Attrs& attrs, int64_t rank) {
  Ints perm(at_index(rank));
  for (int64_t d = 0; d < rank; ++d) perm[at_index(d)] = rank - 1 - d;
  if (!attrs.has("perm")) return perm;
  perm = attrs.ints("perm");
  Ints sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  bool good = static_cast<int64_t>(perm.size()) == rank;
  for (int64_t d = 0; d < rank && good; ++d) good = sorted[at_index(d)] == d;
  if (!good)
    return fail(ErrorId::kBadAttribute, "attribute 'perm' is no permutation of the axes",
                attr_str(perm), text("each of the ", rank, " axes from 0 on, once"));
  return perm;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  NPU_LET(const Ints perm, permutation(context.attrs, x.rank()));
  const Dims dense = strides_of(x.dims);
  Dims dims, strides;
  for (const int64_t axis : perm) {
    dims.push_back(x.dims[at_index(axis)]);
    strides.push_back(dense[at_index(axis)]);
  }
  NPU_TRY(check_dims(context.out[0], dims));
  copy_strided(x, 0, dims, strides, context.out[0]);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  NPU_LET(const Ints perm, permutation(context.attrs, x.rank()));
  std::vector<Dim> dims;
  for (const int64_t axis : perm) dims.push_back(x[axis]);
  NPU_LET(auto outputs, one_output(context.type(0).dtype, Shape(std::move(dims))));
  move_contents(context, reference, [](int64_t) { return true; }, outputs);
  return outputs;
}

}  // namespace

OpSchema transpose() {
  return {
      .name = "Transpose",
      .op_class = OpClass::kTensor,
      .doc = "axis d of the output is axis perm[d] of data; without perm the axes are reversed",
      .onnx = {"Transpose"},
      .aten = {"aten::permute", "aten::transpose.int", "aten::t"},
      .inputs = {{"data"}},
      .outputs = {{"transposed"}},
      .attrs = {{"perm", AttrKind::kInts, std::nullopt, false, 0, kMaxRank - 1}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
