// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/ops/op.h"

/// Sizes of RotaryEmbedding, shared by its reference and its fast kernel.
namespace npugraph::ops {

/// Inputs of RotaryEmbedding.
enum RotaryInput : int64_t { kRotaryX, kRotaryCos, kRotarySin, kRotaryPositions };

/// Concrete sizes of a node whose types have passed inference. X is [b, h, s, d] or [b, s, h * d].
struct RotarySizes {
  int64_t batch = 0, heads = 0, length = 0, d = 0;
  int64_t half = 0;  // pairs that are turned; the rest of d is copied
  bool is_split = false;
  bool interleaved = false;
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0;  // in X and Y, in elements
};
RotarySizes rotary_sizes(const Dims& x, const Attrs& attrs);

}  // namespace npugraph::ops
