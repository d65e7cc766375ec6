// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

struct SelfCheckOptions {
  uint64_t seed = 1;
  /// Numbers for the symbols in the shapes of the inputs; the others get default_dim, raised or
  /// lowered to what is known of them.
  Dim::Bindings bindings = {};
  int64_t default_dim = 8;
  /// Float inputs are drawn from [low, high): give what the model was trained for. Far from it, a
  /// deep network may amplify the roundings that a fusion moves past the tolerance. About half of
  /// the first one of float32 that is added to what a Softmax reads become the lowest number.
  double low = -1;
  double high = 1;
};

/// Seeded inputs of a graph and the outputs that it gave for them, to find the pass that changes
/// the numbers. One thread at a time.
class SelfCheck {
 public:
  /// Errors: those of running the graph.
  static Result<SelfCheck> start(const Graph& graph, const SelfCheckOptions& options);

  /// Runs the graph again and remembers the new outputs. exact: they must equal the last ones bit
  /// for bit (but NaN equals NaN, and -0 equals 0); otherwise they may differ by 1e-5 of the
  /// largest of the output, and half types by four units in their last place.
  /// Errors: kPassChangedNumbers naming the output and the error.
  Status compare(const Graph& graph, bool exact);

 private:
  SelfCheck() = default;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
};

/// A tensor of seeded numbers: floats in [low, high), integers and bools 0 or 1. Equal options give
/// equal bytes on every machine. Errors: as Tensor::zeros().
Result<Tensor> random_tensor(DType dtype, Dims dims, const SelfCheckOptions& options);

}  // namespace npugraph
