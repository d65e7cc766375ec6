// SPDX-License-Identifier: Apache-2.0
// Rectifier with a slope that broadcasts to X.
#include "npugraph/base/text.h"
#include "npugraph/ops/math/elementwise.h"
#include "npugraph/ops/nn/activations.h"

namespace npugraph::ops {
namespace {

struct PRelu {
  static double real(double a, double b) { return leaky_relu_of(a, b); }
  template <class T>
  static T whole(T a, T b) {
    return a < 0 ? wrap_mul(a, b) : a;
  }
};

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const Shape& x = context.shape(0);
  NPU_LET(const Shape both, broadcast_shapes(x, context.shape(1)));
  bool fits = both.rank() == x.rank();
  for (int64_t d = 0; fits && d < x.rank(); ++d) fits = dims_equal(both[d], x[d]) != false;
  if (!fits)
    return fail(ErrorId::kShapeMismatch, "slope of PRelu does not broadcast to X",
                context.shape(1).str(), text("a shape that broadcasts to ", x.str()));
  return one_output(context.type(0).dtype, x);
}

}  // namespace

OpSchema prelu() {
  return {
      .name = "PRelu",
      .op_class = OpClass::kNn,
      .doc = "y = x for x >= 0, else slope * x",
      .onnx = {"PRelu"},
      .aten = {"aten::prelu"},
      .inputs = {{"X", kNumberTypes, Arity::kOne, "T"}, {"slope", kNumberTypes, Arity::kOne, "T"}},
      .is_elementwise = true,
      .infer = infer,
      .reference = binary<PRelu>,
  };
}

}  // namespace npugraph::ops
