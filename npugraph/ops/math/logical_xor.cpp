// SPDX-License-Identifier: Apache-2.0
// Logical xor with broadcasting.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct Xor {
  static constexpr bool kPredicate = true;
  template <class T>
  static bool whole(T a, T b) {
    return (a != 0) != (b != 0);
  }
  static std::optional<Dim> content(const Dim& a, const Dim& b) {
    const auto same = dims_equal(a, b);
    if (!same) return std::nullopt;
    return Dim(*same ? 0 : 1);
  }
};

}  // namespace

OpSchema logical_xor() {
  return {
      .name = "Xor",
      .op_class = OpClass::kMath,
      .doc = "C = A xor B",
      .onnx = {"Xor"},
      .aten = {"aten::logical_xor"},
      .inputs = {{"A", kBoolType, Arity::kOne, "T"}, {"B", kBoolType, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .is_elementwise = true,
      .infer = infer_binary<Xor>,
      .reference = binary<Xor>,
  };
}

}  // namespace npugraph::ops
