// SPDX-License-Identifier: Apache-2.0
// Tile: repeats a tensor along its axes. Source: ONNX Tile-13.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const Ints repeats = ints_of(context.in[1]);
  if (repeats.size() != x.dims.size())
    return fail(ErrorId::kShapeMismatch, "number of repeats", text(repeats.size()),
                text(x.rank(), ", the rank of input"));
  if (y.elements() == 0) return ok();  // a repeat may be as large as it likes
  // Axis d becomes two: the repeats, which do not move, and the axis itself.
  const Dims dense = strides_of(x.dims);
  Dims dims, strides, wanted;
  for (size_t d = 0; d < x.dims.size(); ++d) {
    dims.insert(dims.end(), {repeats[d], x.dims[d]});
    strides.insert(strides.end(), {0, dense[d]});
    wanted.push_back(repeats[d] * x.dims[d]);
  }
  NPU_TRY(check_dims(y, wanted));
  copy_strided(x, 0, dims, strides, y);
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& list = context.shape(1);
  if (list.rank() != 1)
    return fail(ErrorId::kShapeMismatch, "rank of input 'repeats' of Tile", list.str(),
                "one dimension");
  NPU_TRY(match_dims(list[0], Dim(x.rank()), "number of repeats and rank"));
  const auto repeats = ints_of(context, 1);
  if (!repeats || static_cast<int64_t>(repeats->size()) != x.rank()) {
    NPU_LET(Shape shape, late_shape(context, Dim(x.rank())));
    return one_output(context.type(0).dtype, std::move(shape));
  }
  std::vector<Dim> dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const Dim& count = (*repeats)[at_index(d)];
    if (count.known().value_or(0) < 0)
      return fail(ErrorId::kShapeMismatch, "a repeat is negative", join(*repeats),
                  "repeats of 0 or more");
    dims.push_back(x[d] * count);
  }
  NPU_LET(auto outputs, one_output(context.type(0).dtype, Shape(std::move(dims))));
  move_contents(context, reference, [](int64_t input) { return input == 0; }, outputs);
  return outputs;
}

}  // namespace

OpSchema tile() {
  return {
      .name = "Tile",
      .op_class = OpClass::kTensor,
      .doc = "output dim d is input dim d times repeats[d]; y[i] = x[i mod x.dims]",
      .onnx = {"Tile"},
      .aten = {"aten::repeat", "aten::tile"},
      .inputs = {{"input", kDataTypes}, {"repeats", kI64Type}},
      .outputs = {{"output"}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
