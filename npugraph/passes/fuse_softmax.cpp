// SPDX-License-Identifier: Apache-2.0
// Softmax(x) = e / sum(e) with e = exp(x - max(x)) along one axis, and LogSoftmax, its logarithm.
#include <limits>

#include "npugraph/passes/passes.h"
#include "npugraph/passes/pattern.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// The single axis that constants "a" and "b" (where the pattern has it) name of x.
std::optional<int64_t> axis_of(const Match& match) {
  const int64_t rank = match.value("x")->type.shape.rank();
  std::optional<int64_t> axis;
  for (const std::string_view word : {"a", "b"}) {
    if (match.value(word) == nullptr) continue;
    const std::optional<std::vector<int64_t>> named = known_ints(match.value(word));
    if (rank < 1 || !named || named->size() != 1) return std::nullopt;
    const int64_t found = named->front() < 0 ? named->front() + rank : named->front();
    if (axis && *axis != found) return std::nullopt;
    axis = found;
  }
  return axis;
}

/// Sets "$axis". Reductions that do not keep the axis have it back by a Reshape: "m" (maximum) and
/// "s" (sum), where the pattern has them, are to have all dims of x but a 1 at the axis. A maximum
/// may be taken with -infinity once more, "i".
Result<bool> is_along_one_axis(Match& match) {
  const std::optional<int64_t> axis = axis_of(match);
  if (!axis) return false;
  Shape kept = match.value("x")->type.shape;
  kept[*axis] = Dim(1);
  for (const std::string_view word : {"m", "s"}) {
    const Value* value = match.value(word);
    if (value != nullptr && !(value->has_type && value->type.shape == kept)) return false;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (match.value("i") != nullptr && scalar_of(match.value("i")) != -kInfinity) return false;
  // From the end where it is the last one, as operators have it by default.
  const bool is_last = *axis == kept.rank() - 1;
  match.set_attr("axis", is_last ? int64_t{-1} : *axis);
  return true;
}

// m: the maximum; d = x - m; s: the sum of e = exp(d).
constexpr std::string_view kParts =
    "m = Reshape?{*}(Max?(ReduceMax{*}(x, #a), #i), p);"
    "d = Sub(x, m);"
    "e = Exp(d);"
    "s = Reshape?{*}(ReduceSum{*}(e, #b), q);";

}  // namespace

Result<int64_t> fuse_softmax(Graph& graph, const PassContext&) {
  const std::string parts(kParts);
  const std::string put = "y = LogSoftmax{axis = $axis}(x)";
  static const Rewrites kRewrites({
      Rewrite{parts + "y = Div(e, s) | Mul(e, Reciprocal(s) | Div(1, s))",
              "y = Softmax{axis = $axis}(x)", is_along_one_axis},
      Rewrite{"y = Log(Softmax{axis = $axis}(x))", put},
      Rewrite{"y = Sub(x, ReduceLogSumExp(x, #a))", put, is_along_one_axis},
      Rewrite{parts + "l = Log(s) | ReduceLogSum(e, #b) | ReduceLogSumExp(d, #b);"
                      "y = Sub(d, l) | Sub(x, Add(m, l))",
              put, is_along_one_axis},
  });
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
