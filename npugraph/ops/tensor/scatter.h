// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/ops/infer_tools.h"

/// What ScatterElements and ScatterND share: how an update meets the element that is there.
namespace npugraph::ops {

enum class Reduction : uint8_t { kNone, kAdd, kMul, kMax, kMin };

/// Errors: kBadAttribute.
Result<Reduction> parse_reduction(std::string_view name);
/// The attribute's row.
AttrSchema reduction_attr();

/// to[j] = from[i], or combined with to[j]. Integers wrap; a NaN on either side gives NaN.
void scatter_element(Reduction reduction, const TensorView& from, int64_t i, const TensorView& to,
                     int64_t j);

}  // namespace npugraph::ops
