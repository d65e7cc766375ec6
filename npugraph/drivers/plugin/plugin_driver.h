// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "npugraph/hal/driver.h"

namespace npugraph {

/// The run half of a device plug-in (hal/plugin_abi.h) as one more driver. The library stays loaded
/// while the driver, or anything made by it, lives.
/// Errors: kFileNotFound; kPluginLoad; what the plug-in says when it opens its device.
Result<std::unique_ptr<Driver>> load_plugin_driver(const std::filesystem::path& path);

}  // namespace npugraph
