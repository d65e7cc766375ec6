// SPDX-License-Identifier: Apache-2.0
#include "npugraph/api/library.h"

#include <algorithm>

#include "npugraph/base/text.h"

namespace npugraph {

Result<Library> Library::create(const LibraryOptions& options) {
  NPU_LET(std::vector<Device> devices, make_devices(options));
  for (size_t i = 0; i < devices.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (devices[i].driver->info().name == devices[j].driver->info().name)
        return fail(ErrorId::kPluginLoad, "two devices have the same name",
                    devices[i].driver->info().name, "a name of its own for every device");
  auto state = std::make_shared<State>();
  state->devices = std::move(devices);
  return Library(std::move(state));
}

std::vector<DeviceDescription> Library::devices() const {
  std::vector<DeviceDescription> rows;
  for (const Device& device : state_->devices) {
    const DriverInfo& info = device.driver->info();
    rows.push_back({info.name, info.description, info.fingerprint, info.firmware, info.host_memory,
                    info.virtual_clock});
  }
  return rows;
}

Result<const Device*> Library::State::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const Device& device : devices) {
    if (device.driver->info().name == name) return &device;
    names.push_back(device.driver->info().name);
  }
  return fail(ErrorId::kDeviceUnknown, "there is no such device", text("'", name, "'"),
              join(names));
}

Result<std::vector<const Target*>> Library::State::targets_for(std::string_view device) const {
  NPU_LET(const Device* const wanted, find(device));
  std::vector<const Target*> targets = {devices[0].target.get()};
  if (wanted != &devices[0]) targets.push_back(wanted->target.get());
  return targets;
}

}  // namespace npugraph
