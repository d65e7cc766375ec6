// SPDX-License-Identifier: Apache-2.0
// Remainder with broadcasting. fmod = 0: integers, with the sign of B; fmod = 1: any number, with
// the sign of A, as C's % and fmod. An integer modulo 0 is 0: a model must not stop the program.
#include <cmath>

#include "npugraph/ops/math/elementwise.h"

namespace npugraph::ops {
namespace {

struct SignOfA {
  static double real(double a, double b) { return std::fmod(a, b); }
  template <class T>
  static T whole(T a, T b) {
    return safe_rem(a, b);
  }
};

struct SignOfB {
  template <class T>
  static T whole(T a, T b) {
    const T rest = safe_rem(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
};

std::optional<Dim> floor_mod(std::span<const Dim> in) {
  const auto divisor = in[1].known();
  if (divisor == 0) return std::nullopt;
  return Dim::mod(in[0], in[1]);
}

std::optional<Dim> natural_mod(std::span<const Dim> in) {
  // The two kinds agree where nothing is below 0.
  for (const Dim& dim : in)
    if (dim_less(dim, Dim(0)) != false) return std::nullopt;
  return floor_mod(in);
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  const bool sign_of_a = context.attrs.flag("fmod");
  if (is_float(context.type(0).dtype) && !sign_of_a)
    return fail(ErrorId::kBadAttribute, "attribute 'fmod' of Mod on floats", "0", "1");
  return infer_broadcast(context, context.type(0).dtype, sign_of_a ? natural_mod : floor_mod);
}

Status reference(const RunContext& context) noexcept {
  return context.attrs.flag("fmod") ? binary<SignOfA>(context) : binary<SignOfB>(context);
}

}  // namespace

OpSchema mod() {
  return {
      .name = "Mod",
      .op_class = OpClass::kMath,
      .doc = "C = A - B * floor(A / B); with fmod = 1, A - B * trunc(A / B)",
      .onnx = {"Mod"},
      .aten = {"aten::remainder.Tensor", "aten::fmod.Tensor"},
      .inputs = {{"A", kNumberTypes, Arity::kOne, "T"}, {"B", kNumberTypes, Arity::kOne, "T"}},
      .outputs = {{"C"}},
      .attrs = {{"fmod", AttrKind::kInt, int64_t{0}, false, 0, 1}},
      .is_elementwise = true,
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
