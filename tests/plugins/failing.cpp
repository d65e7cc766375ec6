// SPDX-License-Identifier: Apache-2.0
// A plug-in whose compiler gives up, and whose device does not open; without a zero in its message.
#include <cstring>

#include "npugraph/hal/plugin_abi.h"
#include "npugraph/target/plugin_abi.h"

namespace {

void supports(const NpugraphGraph*, NpugraphSupport* answer) { answer->yes = 1; }

int32_t compile(const NpugraphGraph* graph, int32_t, NpugraphProgram*, NpugraphErrorText* error) {
  std::memset(error->what, 'x', sizeof(error->what));
  std::memcpy(error->found, "no saved graph", 15);
  if (graph->saved_bytes > 8 && std::memcmp(graph->saved, "NPUGRAPH", 8) == 0) {
    std::memcpy(error->found, "a saved graph", 14);
  }
  return 77;
}

void free_program(NpugraphProgram*) {}

int32_t open(void**, NpugraphErrorText* error) {
  std::memcpy(error->what, "no card in the slot", 20);
  return NPUGRAPH_FAILED;
}

/// Puts something into an entry that is never called: open() fails first.
template <class R, class... Args>
void fill(R (*&entry)(Args...)) {
  entry = [](Args...) -> R { return R(); };
}

}  // namespace

NPUGRAPH_EXPORT const NpugraphPlugin* npugraph_device_plugin(void) {
  static const NpugraphTarget target = {sizeof(NpugraphTarget),
                                        0,
                                        0,
                                        64,
                                        "failing",
                                        "failing 1",
                                        "",
                                        supports,
                                        nullptr,
                                        compile,
                                        free_program};
  static NpugraphDriver driver = {};
  driver.struct_bytes = sizeof(NpugraphDriver);
  driver.align_bytes = 64;
  driver.name = driver.fingerprint = driver.firmware = driver.description = "failing";
  fill(driver.close), fill(driver.accepts), fill(driver.allocate), fill(driver.release);
  fill(driver.load), fill(driver.unload), fill(driver.prepare), fill(driver.discard);
  fill(driver.create_queue), fill(driver.destroy_queue), fill(driver.execute);
  fill(driver.copy_in), fill(driver.copy_out), fill(driver.record), fill(driver.wait);
  fill(driver.synchronize), fill(driver.clock_ns), fill(driver.busy_ns);
  driver.open = open;
  static const NpugraphPlugin plugin = {NPUGRAPH_PLUGIN_ABI_VERSION, sizeof(NpugraphPlugin),
                                        &target, &driver};
  return &plugin;
}
