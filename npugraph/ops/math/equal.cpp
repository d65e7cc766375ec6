// SPDX-License-Identifier: Apache-2.0
// Comparison with broadcasting; NaN equals nothing.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Equal {
  static constexpr bool kPredicate = true;
  static bool real(double a, double b) { return a == b; }
  template <class T>
  static bool whole(T a, T b) {
    return a == b;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) {
    const auto same = dims_equal(a, b);
    if (!same) return std::nullopt;
    return Dim(*same ? 1 : 0);
  }
};

}  // namespace

OpSchema equal() {
  return {
      .name = "Equal",
      .op_class = OpClass::kMath,
      .doc = "C = (A == B)",
      .onnx = {"Equal"},
      .aten = {"aten::eq.Tensor"},
      .inputs = {{"A", kDataTypes, Arity::kOne, "T"}, {"B", kDataTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Equal>,
      .reference = binary<Equal>,
  };
}

}  // namespace npugraph::ops
