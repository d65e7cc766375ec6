// SPDX-License-Identifier: Apache-2.0
// A plug-in built with headers whose tables were shorter.
#include "npugraph/hal/plugin_abi.h"
#include "npugraph/target/plugin_abi.h"

NPUGRAPH_EXPORT const NpugraphPlugin* npugraph_device_plugin(void) {
  static NpugraphTarget target = {};
  target.struct_bytes = 16;
  static const NpugraphPlugin plugin = {NPUGRAPH_PLUGIN_ABI_VERSION, sizeof(NpugraphPlugin),
                                        &target, nullptr};
  return &plugin;
}
