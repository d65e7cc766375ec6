// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "npugraph/ops/nn/window.h"
#include "npugraph/ops/op.h"

/// Convolution, shared by Conv and the fused form. X [n, c, spatial…], W [m, c / group, kernel…],
/// B [m], Y [n, m, spatial…].
namespace npugraph::ops {

/// Output shape. Errors: kBadAttribute, kShapeMismatch.
Result<Shape> conv_shape(const InferContext& context);

/// All elements of Y in row-major order, B added if present, before any rounding.
Result<std::vector<double>> conv_real(const RunContext& context);

/// 2 flops a multiply-add, and each tensor read or written once.
Work conv_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs& attrs);

/// auto_pad, dilations, group, kernel_shape, pads, strides.
std::vector<AttrSchema> conv_attrs();

}  // namespace npugraph::ops
