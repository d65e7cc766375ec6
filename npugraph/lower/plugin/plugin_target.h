// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "npugraph/target/target.h"

namespace npugraph {

/// The compile half of a device plug-in (target/plugin_abi.h) as one more target.
/// Errors: kFileNotFound; kPluginLoad.
Result<std::unique_ptr<Target>> load_plugin_target(const std::filesystem::path& path);

}  // namespace npugraph
