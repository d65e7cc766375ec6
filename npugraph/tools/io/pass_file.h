// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "npugraph/api/npugraph.h"

namespace npugraph::tools {

/// Passes of the user from a JSON file, in its order (docs/passes.md):
///
///   {"passes": [{"name": "relu6", "doc": "…", "before": "fuse_conv_activation", "level": 1,
///                "exact": true,
///                "rewrites": [{"pattern": "y = Min(Relu(x), 6)", "replacement": "y = …"}]}]}
///
/// A pattern may also be a list of lines. Only name and rewrites are needed; guards are for C++ and
/// Python. Errors: kFileNotFound, kFileRead, kBadOption naming file and field.
Result<std::vector<UserPass>> read_user_passes(const std::filesystem::path& path);

}  // namespace npugraph::tools
