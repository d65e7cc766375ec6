// SPDX-License-Identifier: Apache-2.0
// A plug-in whose tables lack functions.
#include "npugraph/hal/plugin_abi.h"
#include "npugraph/target/plugin_abi.h"

NPUGRAPH_EXPORT const NpugraphPlugin* npugraph_device_plugin(void) {
  static NpugraphTarget target = {};
  target.struct_bytes = sizeof(NpugraphTarget);
  target.name = "half";
  static NpugraphDriver driver = {};
  driver.struct_bytes = sizeof(NpugraphDriver);
  static const NpugraphPlugin plugin = {NPUGRAPH_PLUGIN_ABI_VERSION, sizeof(NpugraphPlugin),
                                        &target, &driver};
  return &plugin;
}
