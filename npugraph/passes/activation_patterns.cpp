// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/activation_patterns.h"

#include "npugraph/passes/rewrite.h"

namespace npugraph {

Result<bool> is_on_floats(Match& match) { return is_float_type(*match.value("x")); }

}  // namespace npugraph
