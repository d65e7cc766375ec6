// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/ops/infer_tools.h"

/// What Cast and CastLike share.
namespace npugraph::ops {

/// Converts every element. Integers to narrower integers wrap; floats to integers truncate and
/// saturate (to 4 bits: wrap); integers and floats to floats round once, to nearest even. saturate:
/// whether a value beyond an 8-bit float becomes its largest (else NaN, or infinity where the
/// format has it).
Status convert(const TensorView& from, const TensorView& to, bool saturate) noexcept;

/// Contents after a conversion from integers or bool; nothing where they are not known or a symbol
/// might not fit.
std::optional<std::vector<Dim>> converted_content(const InferContext& context, DType to);

}  // namespace npugraph::ops
