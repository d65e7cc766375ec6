// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// What the normalisations share.
namespace npugraph::ops {

/// Errors: kBadAttribute unless epsilon is a number of 0 or more.
Status check_epsilon(const Attrs& attrs);

/// Errors: kShapeMismatch unless input `index` is a vector of `length`.
Status check_vector(const InferContext& context, int64_t index, const Dim& length,
                    std::string_view what);

/// Mean and variance (of the whole population) of elements [first, first + count) of x.
struct Moments {
  double mean = 0, variance = 0;
};
Moments moments_of(const TensorView& x, int64_t first, int64_t count);

/// Eight flops an element; each tensor read or written once.
Work norm_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&);

}  // namespace npugraph::ops
