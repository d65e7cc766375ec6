// SPDX-License-Identifier: Apache-2.0
// HardSigmoid(x) = clip(alpha * x + beta, 0, 1), also as clip(x + 3, 0, 6) / 6.
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/passes/activation_patterns.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// The constant `word`, finite; nothing when it is no single number.
std::optional<double> number(const Match& match, std::string_view word) {
  const std::optional<double> found = scalar_of(match.value(word));
  return found && std::isfinite(*found) ? found : std::nullopt;
}

Result<bool> takes_line(Match& match) {
  const std::optional<double> slope = number(match, "a"), divisor = number(match, "d");
  const std::optional<double> beta = number(match, "b");
  if (!beta || (!slope && !(divisor && *divisor != 0)) || !is_float_type(*match.value("x"))) {
    return false;
  }
  match.set_attr("alpha", slope ? *slope : 1 / *divisor);
  match.set_attr("beta", *beta);
  return true;
}

}  // namespace

Result<int64_t> fuse_hard_sigmoid(Graph& graph, const PassContext&) {
  static const Rewrites kRewrites({
      Rewrite{"z = Add(Mul(x, #a) | Div(x, #d), #b);"
              "y = Clip(z, 0, 1) | Min(Max(z, 0), 1) | Max(Min(z, 1), 0) | Min(Relu(z), 1)",
              "y = HardSigmoid{alpha = $alpha, beta = $beta}(x)", takes_line},
      Rewrite{text("z = Add(x, 3);", kClipTo6, "y = Div(c, 6) | Mul(c, 0.16666666666666667)"),
              "y = HardSigmoid{alpha = 0.16666666666666667, beta = 0.5}(x)", is_on_floats},
  });
  return kRewrites.apply(graph);
}

}  // namespace npugraph::passes
