// SPDX-License-Identifier: Apache-2.0
// Unique elements, or slices along an axis. Source: ONNX Unique-11; NaNs count as equal.
#include <algorithm>
#include <array>
#include <numeric>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/tensor/order.h"

namespace npugraph::ops {
namespace {

/// A tensor seen as `length` slices, each of rows x inner elements.
struct Slices {
  const TensorView& x;
  int64_t length = 0, rows = 1, inner = 1;

  static Result<Slices> of(const TensorView& x, const Attrs& attrs) {
    if (!attrs.has("axis")) return Slices{x, x.elements()};
    NPU_LET(const int64_t axis, wrap_axis(attrs.i64("axis"), x.rank()));
    return Slices{x, x.dims[at_index(axis)], product(x.dims, 0, axis),
                  product(x.dims, axis + 1, x.rank())};
  }
  int compare(int64_t a, int64_t b) const {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < inner; ++i)
        if (const int order =
                compare_elements(x, (row * length + a) * inner + i, (row * length + b) * inner + i))
          return order;
    return 0;
  }
};

/// Distinct slices in the order of the output.
struct Groups {
  Ints firsts, counts;  // per group
  Ints of;              // the group of each slice
};

Groups group(const Slices& slices, bool sorted) {
  Ints order(at_index(slices.length));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return slices.compare(a, b) < 0; });
  // Stable: the first of each run of equals is the one that comes first in the tensor.
  Groups groups{{}, {}, Ints(order.size())};
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || slices.compare(order[i - 1], order[i]) != 0) {
      groups.firsts.push_back(order[i]);
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.of[at_index(order[i])] = static_cast<int64_t>(groups.firsts.size()) - 1;
  }
  if (sorted) return groups;
  Ints ranks(groups.firsts.size());  // by first appearance
  std::iota(ranks.begin(), ranks.end(), int64_t{0});
  std::sort(ranks.begin(), ranks.end(), [&](int64_t a, int64_t b) {
    return groups.firsts[at_index(a)] < groups.firsts[at_index(b)];
  });
  Groups renamed{{}, {}, groups.of};
  Ints new_name(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    renamed.firsts.push_back(groups.firsts[at_index(ranks[i])]);
    renamed.counts.push_back(groups.counts[at_index(ranks[i])]);
    new_name[at_index(ranks[i])] = static_cast<int64_t>(i);
  }
  for (int64_t& name : renamed.of) name = new_name[at_index(name)];
  return renamed;
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const Slices slices, Slices::of(x, context.attrs));
  const Groups groups = group(slices, context.attrs.flag("sorted"));
  const auto count = static_cast<int64_t>(groups.firsts.size());
  if (y.elements() != slices.rows * count * slices.inner)
    return fail(ErrorId::kShapeMismatch, "size of the output of Unique", dims_str(y.dims),
                text(count, " slices"));
  for (int64_t row = 0; row < slices.rows; ++row)
    for (int64_t i = 0; i < count; ++i)
      copy_elements(x, (row * slices.length + groups.firsts[at_index(i)]) * slices.inner, y,
                    (row * count + i) * slices.inner, slices.inner);
  const std::array<const Ints*, 3> lists = {&groups.firsts, &groups.of, &groups.counts};
  for (size_t i = 1; i < context.out.size(); ++i) {
    const TensorView& out = context.out[i];
    if (out.absent()) continue;
    NPU_TRY(check_dims(out, {static_cast<int64_t>(lists[i - 1]->size())}));
    for (int64_t j = 0; j < out.dims[0]; ++j) out.store_int(j, (*lists[i - 1])[at_index(j)]);
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const TensorType& x = context.type(0);
  const bool flat = !context.attrs.has("axis");
  int64_t axis = 0;
  if (!flat) {
    NPU_LET(axis, wrap_axis(context.attrs.i64("axis"), x.shape.rank()));
  }
  Dim count = context.late_dim(0);
  if (const Tensor* constant = context.in[0].constant) {
    const TensorView view = constant->view();
    NPU_LET(const Slices slices, Slices::of(view, context.attrs));
    count = Dim(static_cast<int64_t>(group(slices, true).firsts.size()));
  }
  TensorType type{x.dtype, flat ? Shape{count} : x.shape};
  type.shape[axis] = count;
  const Dim length = flat ? x.shape.elements() : x.shape[axis];
  std::vector<InferOutput> outputs = {
      {type}, {{DType::kI64, {count}}}, {{DType::kI64, {length}}}, {{DType::kI64, {count}}}};
  outputs.resize(at_index(context.output_count));
  return outputs;
}

}  // namespace

OpSchema unique() {
  return {
      .name = "Unique",
      .op_class = OpClass::kTensor,
      .doc =
          "the distinct elements of X (slices, along axis), sorted or as they first appear; "
          "where each first appears; for each of X its place among them; how often each occurs",
      .onnx = {"Unique"},
      .aten = {"aten::_unique2", "aten::unique_dim"},
      .inputs = {{"X", kDataTypes}},
      .outputs = {{"Y"},
                  {"indices", Arity::kOptional},
                  {"inverse_indices", Arity::kOptional},
                  {"counts", Arity::kOptional}},
      .attrs = {{"axis", AttrKind::kInt}, {"sorted", AttrKind::kInt, int64_t{1}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
