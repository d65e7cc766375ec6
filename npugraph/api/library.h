// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/api/user_passes.h"
#include "npugraph/hal/driver.h"
#include "npugraph/target/target.h"

namespace npugraph {

/// The two halves of one device.
struct Device {
  std::unique_ptr<Target> target;
  std::unique_ptr<Driver> driver;
};

/// Built-in devices and plug-ins; [0] is the cpu. Immutable once made, but for the user's passes.
struct Library::State {
  std::vector<Device> devices;
  std::unique_ptr<UserPasses> user_passes = std::make_unique<UserPasses>();

  /// Errors: kDeviceUnknown with the names there are.
  Result<const Device*> find(std::string_view name) const;
  /// The targets for compiling for `device`: the cpu, then `device` itself.
  Result<std::vector<const Target*>> targets_for(std::string_view device) const;
};

/// All in-tree devices, then the plug-ins. Errors: as Library::create().
Result<std::vector<Device>> make_devices(const LibraryOptions& options);

}  // namespace npugraph
