// SPDX-License-Identifier: Apache-2.0
// Logical and with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct And {
  static constexpr bool kPredicate = true;
  template <class T>
  static bool whole(T a, T b) {
    return a != 0 && b != 0;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return Dim::min(a, b); }
};

}  // namespace

OpSchema logical_and() {
  return {
      .name = "And",
      .op_class = OpClass::kMath,
      .doc = "C = A and B",
      .onnx = {"And"},
      .aten = {"aten::logical_and"},
      .inputs = {{"A", kBoolType, Arity::kOne, "T"}, {"B", kBoolType, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<And>,
      .reference = binary<And>,
  };
}

}  // namespace npugraph::ops
