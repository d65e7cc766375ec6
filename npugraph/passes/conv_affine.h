// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// The output channels of a Conv or ConvTranspose of floats whose weights, and bias if it has one,
/// are constants, or of a BatchNormalization whose scale and B are; nothing for any other node.
std::optional<int64_t> constant_channels(const Node& node);

/// Changes the weights and the bias so that the node gives scale[c] * y + shift[c] where it gave y,
/// computed in double and rounded once. scale and shift have a finite number for each output
/// channel. Errors: kOutOfMemory.
Status scale_output(Node& node, std::span<const double> scale, std::span<const double> shift);

/// `last`, the sole reader of the output of `node`, is now part of it: node takes its place, its
/// output name and its origins.
void absorb_into(Node& node, Node& last);

}  // namespace npugraph
