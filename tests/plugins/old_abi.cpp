// SPDX-License-Identifier: Apache-2.0
// A plug-in of an interface version that this library does not know.
#include "npugraph/base/plugin_abi.h"

NPUGRAPH_EXPORT const NpugraphPlugin* npugraph_device_plugin(void) {
  static const NpugraphPlugin plugin = {NPUGRAPH_PLUGIN_ABI_VERSION + 41, sizeof(NpugraphPlugin),
                                        nullptr, nullptr};
  return &plugin;
}
