// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// What the Reduce operators share: the axes, the shapes, and the walk over groups of elements that
/// become one. A reduction over no elements gives the value that the operator names as its own.
namespace npugraph::ops {

/// The expression of one output element from those of its group; nothing when it is none.
using GroupDims = std::optional<Dim> (*)(std::span<const Dim>);

/// Output type of a Reduce operator, in the dtype of its input; the rank is unknown while the axes
/// are. Errors: kAxisOutsideRank, kBadAttribute (an axis twice), kShapeMismatch (axes not 1-D).
Result<std::vector<InferOutput>> infer_reduce(const InferContext& context, GroupDims content);

/// Which elements of a tensor become one: element i of group g is at first(g) + inner[i].
struct ReduceGroups {
  Dims kept, kept_strides;
  std::vector<int64_t> inner;
};
ReduceGroups reduce_groups(const Dims& dims, const Ints& axes);
/// The groups of a Reduce operator's run.
Result<ReduceGroups> reduce_groups(const RunContext& context);

/// A reduction is a struct with
///   static double real(std::span<const double>)
///   static int64_t whole(std::span<const int64_t>, DType)     integers (left out: as doubles)
///   static std::optional<Dim> content(std::span<const Dim>)   (left out: none)
template <class Op>
Status reduce(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(const ReduceGroups groups, reduce_groups(context));
  const auto run = [&](auto group, auto load, auto store) {
    for (Odometer at(groups.kept, {groups.kept_strides}); !at.done(); at.next()) {
      for (size_t i = 0; i < group.size(); ++i) group[i] = load(at.offset(0) + groups.inner[i]);
      store(at.count(), group);
    }
  };
  if constexpr (requires(std::span<const int64_t> group) { Op::whole(group, DType::kI64); }) {
    if (!is_float(x.dtype)) {
      run(
          std::vector<int64_t>(groups.inner.size()), [&](int64_t i) { return x.load_int(i); },
          [&](int64_t i, const auto& group) { y.store_int(i, Op::whole(group, x.dtype)); });
      return ok();
    }
  }
  run(
      std::vector<double>(groups.inner.size()), [&](int64_t i) { return x.load(i); },
      [&](int64_t i, const auto& group) { y.store(i, Op::real(group)); });
  return ok();
}

template <class Op>
Result<std::vector<InferOutput>> infer_reduce_as(const InferContext& context) {
  if constexpr (requires(std::span<const Dim> group) { Op::content(group); })
    return infer_reduce(context, Op::content);
  return infer_reduce(context, nullptr);
}

/// The schema of a Reduce operator: all have the same inputs and attributes.
OpSchema reduce_schema(std::string_view name, std::string_view doc,
                       std::vector<std::string_view> aten, DTypeSet dtypes,
                       Result<std::vector<InferOutput>> (*infer)(const InferContext&),
                       Status (*reference)(const RunContext&) noexcept);

template <class Op>
OpSchema reduce_schema(std::string_view name, std::string_view doc,
                       std::vector<std::string_view> aten, DTypeSet dtypes = kNumberTypes) {
  return reduce_schema(name, doc, std::move(aten), dtypes, infer_reduce_as<Op>, reduce<Op>);
}

}  // namespace npugraph::ops
