// SPDX-License-Identifier: Apache-2.0
// ScatterND: writes slices at tuples of indices. Source: ONNX ScatterND-18.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/tensor/scatter.h"

namespace npugraph::ops {
namespace {

Status check_tuple(int64_t tuple, int64_t data_rank) {
  if (tuple < 0 || tuple > data_rank)
    return fail(ErrorId::kShapeMismatch, "last dimension of the indices of ScatterND", text(tuple),
                text("0..", data_rank));
  return ok();
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& indices = context.in[1];
  const TensorView& updates = context.in[2];
  const TensorView& y = context.out[0];
  NPU_LET(const Reduction reduction, parse_reduction(context.attrs.str("reduction")));
  const int64_t tuple = indices.dims.empty() ? -1 : indices.dims.back();
  NPU_TRY(check_tuple(tuple, x.rank()));
  Dims wanted(indices.dims.begin(), indices.dims.end() - 1);
  wanted.insert(wanted.end(), x.dims.begin() + tuple, x.dims.end());
  NPU_TRY(check_dims(updates, wanted));
  NPU_TRY(check_dims(y, x.dims));
  NPU_TRY(copy_all(x, y));

  const Dims strides = strides_of(x.dims);
  const int64_t inner = product(x.dims, tuple, x.rank());
  const int64_t tuples = product(indices.dims, 0, indices.rank() - 1);
  for (int64_t i = 0; i < tuples; ++i) {
    int64_t to = 0;
    for (int64_t t = 0; t < tuple; ++t) {
      NPU_LET(const int64_t index,
              wrap_index(indices.load_int(i * tuple + t), x.dims[at_index(t)]));
      to += index * strides[at_index(t)];
    }
    for (int64_t j = 0; j < inner; ++j)
      scatter_element(reduction, updates, i * inner + j, y, to + j);
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& indices = context.shape(1);
  const Shape& updates = context.shape(2);
  if (x.rank() < 1 || indices.rank() < 1)
    return fail(ErrorId::kShapeMismatch, "ranks of data and indices of ScatterND",
                text(x.rank(), " and ", indices.rank()), "1 or more");
  if (const auto tuple = indices.dims().back().known()) {
    NPU_TRY(check_tuple(*tuple, x.rank()));
    const int64_t rank = indices.rank() - 1 + x.rank() - *tuple;
    if (updates.rank() != rank)
      return fail(ErrorId::kShapeMismatch, "rank of the updates of ScatterND", updates.str(),
                  text("rank ", rank));
    for (int64_t d = 0; d < rank; ++d)
      NPU_TRY(match_dims(updates[d],
                         d < indices.rank() - 1 ? indices[d] : x[d - indices.rank() + 1 + *tuple],
                         text("dimensions ", d, " of the updates and of what they replace")));
  }
  NPU_LET(auto outputs, one_output(context.type(0).dtype, x));
  if (context.attrs.str("reduction") == "none")
    move_contents(context, reference, [](int64_t input) { return input != 1; }, outputs);
  return outputs;
}

}  // namespace

OpSchema scatter_nd() {
  return {
      .name = "ScatterND",
      .op_class = OpClass::kTensor,
      .doc =
          "y = data; y[indices[i.., 0], indices[i.., 1], .., :] = updates[i.., :], or combined "
          "with what is there by reduction",
      .onnx = {"ScatterND"},
      .aten = {"aten::index_put"},
      .inputs = {{"data", kDataTypes, Arity::kOne, "T"},
                 {"indices", kI64Type},
                 {"updates", kDataTypes, Arity::kOne, "T"}},
      .outputs = {{"output"}},
      .attrs = {reduction_attr()},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
