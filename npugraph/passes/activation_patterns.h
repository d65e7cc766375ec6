// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "npugraph/passes/pattern.h"

// What the passes for activations share.
namespace npugraph {

/// min(max(z, 0), 6) of word z as exporters write it, in the word c.
inline constexpr std::string_view kClipTo6 =
    "c = Clip(z, 0, 6) | Min(Max(z, 0), 6) | Max(Min(z, 6), 0) | Min(Relu(z), 6);";

/// Guard: x is of a float type.
Result<bool> is_on_floats(Match& match);

}  // namespace npugraph
