// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// The output channels of a Conv or ConvTranspose of floats whose weights, and bias if it has one,
/// are constants, or of a BatchNormalization whose scale and B are; nothing for any other node.
std::optional<int64_t> constant_channels(const Node& node);

/// Changes the weights and the bias so that the node gives scale[c] * y + shift[c] where it gave y,
/// computed in double and rounded once. scale and shift have a finite number for each output
/// channel. Errors: kOutOfMemory.
Status scale_output(Node& node, std::span<const double> scale, std::span<const double> shift);

/// y[c] = scale[c] * x[c] + shift[c] along axis 1; every number is finite.
struct ChannelAffine {
  std::vector<double> scale, shift;
};
/// What a Mul, Div, Add or Sub with a constant, or an inference BatchNormalization with constant
/// parameters, does to its input `x` by channel; nothing for other nodes, and when the output has
/// another type than x.
std::optional<ChannelAffine> channel_affine(const Node& node, const Value& x, int64_t channels);

/// The input channels of a Conv, or ConvTranspose, with constant_channels().
int64_t input_channels(const Node& conv);
/// Changes the weights and the bias so that the node gives for x what it gave for
/// scale[c] * x + shift[c]. The shift must be 0 for a ConvTranspose and a Conv that pads, whose
/// borders see zeros. Errors: kOutOfMemory.
Status scale_input(Node& conv, std::span<const double> scale, std::span<const double> shift);

/// `last`, the sole reader of the output of `node`, is now part of it: node takes its place, its
/// output name and its origins.
void absorb_into(Node& node, Node& last);

}  // namespace npugraph
