// SPDX-License-Identifier: Apache-2.0
// Bitwise shift with broadcasting; a shift by the width or more gives 0.
#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

constexpr DTypeSet kShiftTypes = types({DType::kU8, DType::kU16, DType::kU32, DType::kU64});

struct Left {
  template <class T>
  static T whole(T a, T b) {
    return static_cast<uint64_t>(b) > 63 ? T{0} : static_cast<T>(static_cast<uint64_t>(a) << b);
  }
};

struct Right {
  template <class T>
  static T whole(T a, T b) {
    return static_cast<uint64_t>(b) > 63 ? T{0} : static_cast<T>(static_cast<uint64_t>(a) >> b);
  }
};

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  return infer_broadcast(context, context.type(0).dtype, nullptr);
}

Status reference(const RunContext& context) noexcept {
  return context.attrs.str("direction") == "LEFT" ? binary<Left>(context) : binary<Right>(context);
}

}  // namespace

OpSchema bit_shift() {
  return {
      .name = "BitShift",
      .op_class = OpClass::kMath,
      .doc = "Z = X << Y or X >> Y, as direction says",
      .onnx = {"BitShift"},
      .aten = {"aten::bitwise_left_shift.Tensor", "aten::bitwise_right_shift.Tensor"},
      .inputs = {{"X", kShiftTypes, Arity::kOne, "T"}, {"Y", kShiftTypes, Arity::kOne, "T"}},
      .outputs = {{"Z"}},
      .attrs = {{.name = "direction",
                 .kind = AttrKind::kString,
                 .required = true,
                 .choices = {"LEFT", "RIGHT"}}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
