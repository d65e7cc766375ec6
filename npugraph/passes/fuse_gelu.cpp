// SPDX-License-Identifier: Apache-2.0
// Gelu(x) = x * 0.5 * (1 + erf(x / sqrt 2)), and its approximation
// x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))): the factors in any order.
#include "npugraph/base/text.h"
#include "npugraph/passes/activation_patterns.h"
#include "npugraph/passes/passes.h"

namespace npugraph::passes {
namespace {

constexpr std::string_view kErf =
    "f = Erf(Div(x, 1.4142135623730951) | Mul(x, 0.7071067811865476));";

// With k = 0.044715: u = k x^2, from which x (1 + u) or x + x u is scaled.
constexpr std::string_view kTanh =
    "u = Mul(Mul(x, x) | Pow(x, 2), 0.044715) | Mul(Mul(x, 0.044715), x);"
    "q = Mul(Pow(x, 3) | Mul(Mul(x, x) | Pow(x, 2), x), 0.044715) | Mul(u, x)"
    "  | Mul(Mul(x, 0.044715), Mul(x, x) | Pow(x, 2));"
    "l = Add(u, 1);"
    "f = Tanh(Mul(Add(x, q) | Mul(x, l), 0.7978845608028654)"
    "  | Mul(Mul(x, 0.7978845608028654), l) | Mul(x, Mul(l, 0.7978845608028654)));";

// x / 2 * (1 + f).
constexpr std::string_view kProduct =
    "h = Add(f, 1);"
    "y = Mul(Mul(x, 0.5) | Div(x, 2), h) | Mul(Mul(x, h), 0.5) | Div(Mul(x, h), 2)"
    "  | Mul(x, Mul(h, 0.5) | Div(h, 2) | Add(Mul(f, 0.5), 0.5))";

}  // namespace

Result<int64_t> fuse_gelu(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites({
      Rewrite{text(kErf, kProduct), "y = Gelu(x)", is_on_floats},
      Rewrite{text(kTanh, kProduct), "y = Gelu{approximate = \"tanh\"}(x)", is_on_floats},
  });
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
