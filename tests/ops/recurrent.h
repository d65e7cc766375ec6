// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/ops/near.h"

namespace npugraph::testing {

/// An LSTM or GRU over three steps of a batch of two, two inputs and two hidden units each way: X,
/// the weights W and R, and the bias.
inline Node recurrent(const std::string& op, const std::string& direction, const Values& x,
                      const Values& w, const Values& r, const Values& b) {
  const int64_t ways = direction == "bidirectional" ? 2 : 1;
  const int64_t rows = (op == "LSTM" ? 4 : 3) * 2;  // gates times hidden units
  Node node(op);
  node.attr("hidden_size", int64_t{2})
      .attr("direction", direction)
      .in(of(DType::kF32, x, {3, 2, 2}))
      .in(of(DType::kF32, w, {ways, rows, 2}))
      .in(of(DType::kF32, r, {ways, rows, 2}))
      .in(of(DType::kF32, b, {ways, 2 * rows}));
  return node;
}

}  // namespace npugraph::testing
