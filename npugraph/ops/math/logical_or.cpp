// SPDX-License-Identifier: Apache-2.0
// Logical or with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Or {
  static constexpr bool kPredicate = true;
  template <class T>
  static bool whole(T a, T b) {
    return a != 0 || b != 0;
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) { return Dim::max(a, b); }
};

}  // namespace

OpSchema logical_or() {
  return {
      .name = "Or",
      .op_class = OpClass::kMath,
      .doc = "C = A or B",
      .onnx = {"Or"},
      .aten = {"aten::logical_or"},
      .inputs = {{"A", kBoolType, Arity::kOne, "T"}, {"B", kBoolType, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Or>,
      .reference = binary<Or>,
  };
}

}  // namespace npugraph::ops
