// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "npugraph/tensor/shape.h"

namespace npugraph {

/// The shape program's first step: reads symbols off one concrete input. `type` is what was
/// declared; a dim that is a lone symbol binds it or must agree with its binding, every other dim
/// must evaluate to what is given once its symbols are bound (call again when they are).
/// Errors: kShapeMismatch with the declared and the given shape.
Status bind_input(const TensorType& type, const Dims& dims, Dim::Bindings& bindings);

/// The second step: concrete dims of a tensor. Errors: kUnknownDim, kShapeMismatch (negative),
/// kSizeOverflow.
Result<Dims> evaluate_dims(const Shape& shape, const Dim::Bindings& bindings);

}  // namespace npugraph
