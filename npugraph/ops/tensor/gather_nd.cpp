// SPDX-License-Identifier: Apache-2.0
// GatherND: slices picked by tuples of indices. Source: ONNX GatherND-13.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

/// Checks the ranks. Errors: kShapeMismatch, kBadAttribute.
Status check_ranks(int64_t batch_dims, int64_t data_rank, int64_t index_rank) {
  if (data_rank < 1 || index_rank < 1)
    return fail(ErrorId::kShapeMismatch, "ranks of data and indices of GatherND",
                text(data_rank, " and ", index_rank), "1 or more");
  if (batch_dims >= std::min(data_rank, index_rank))
    return fail(ErrorId::kBadAttribute, "attribute 'batch_dims' of GatherND", text(batch_dims),
                text("less than both ranks, ", data_rank, " and ", index_rank));
  return ok();
}

Status check_tuple(int64_t tuple, int64_t batch_dims, int64_t data_rank) {
  if (tuple < 0 || batch_dims + tuple > data_rank)
    return fail(ErrorId::kShapeMismatch, "last dimension of the indices of GatherND", text(tuple),
                text("0..", data_rank - batch_dims));
  return ok();
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& indices = context.in[1];
  const TensorView& y = context.out[0];
  const int64_t batch_dims = context.attrs.i64("batch_dims");
  NPU_TRY(check_ranks(batch_dims, x.rank(), indices.rank()));
  const int64_t tuple = indices.dims.back();
  NPU_TRY(check_tuple(tuple, batch_dims, x.rank()));
  for (int64_t d = 0; d < batch_dims; ++d)
    if (x.dims[at_index(d)] != indices.dims[at_index(d)])
      return fail(ErrorId::kShapeMismatch, "batch dimensions of data and indices differ",
                  dims_str(indices.dims), dims_str(x.dims));
  Dims wanted(indices.dims.begin(), indices.dims.end() - 1);
  wanted.insert(wanted.end(), x.dims.begin() + batch_dims + tuple, x.dims.end());
  NPU_TRY(check_dims(y, wanted));

  const Dims strides = strides_of(x.dims);
  const int64_t inner = product(x.dims, batch_dims + tuple, x.rank());
  const int64_t tuples = product(indices.dims, 0, indices.rank() - 1);
  const int64_t per_batch = product(indices.dims, batch_dims, indices.rank() - 1);
  const int64_t batch_step = product(x.dims, batch_dims, x.rank());
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t from = i / per_batch * batch_step;
    for (int64_t t = 0; t < tuple; ++t) {
      const size_t axis = at_index(batch_dims + t);
      NPU_LET(const int64_t index, wrap_index(indices.load_int(i * tuple + t), x.dims[axis]));
      from += index * strides[axis];
    }
    copy_elements(x, from, y, i * inner, inner);
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& indices = context.shape(1);
  const int64_t batch_dims = context.attrs.i64("batch_dims");
  NPU_TRY(check_ranks(batch_dims, x.rank(), indices.rank()));
  for (int64_t d = 0; d < batch_dims; ++d)
    NPU_TRY(match_dims(x[d], indices[d], text("batch dimensions ", d, " of data and indices")));
  const auto tuple = indices.dims().back().known();
  if (!tuple) return one_output(context.type(0).dtype, Shape::unranked());
  NPU_TRY(check_tuple(*tuple, batch_dims, x.rank()));
  std::vector<Dim> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), x.dims().begin() + batch_dims + *tuple, x.dims().end());
  NPU_LET(auto outputs, one_output(context.type(0).dtype, Shape(std::move(dims))));
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema gather_nd() {
  return {
      .name = "GatherND",
      .op_class = OpClass::kTensor,
      .doc = "y[b.., i.., :] = data[b.., indices[b.., i.., 0], indices[b.., i.., 1], .., :]",
      .onnx = {"GatherND"},
      .aten = {"aten::index.Tensor"},
      .inputs = {{"data", kDataTypes}, {"indices", kI64Type}},
      .outputs = {{"output"}},
      .attrs = {{"batch_dims", AttrKind::kInt, int64_t{0}, false, 0, kMaxRank}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
