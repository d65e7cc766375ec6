// SPDX-License-Identifier: Apache-2.0
#include "npugraph/api/engine_state.h"
#include "npugraph/base/file.h"

namespace npugraph {

std::vector<PortDescription> plan_ports(const TaskPlan& plan, std::span<const int32_t> slots) {
  std::vector<PortDescription> ports;
  for (const int32_t index : slots) {
    const Slot& slot = plan.slots[static_cast<size_t>(index)];
    ports.push_back({slot.name, slot.type});
  }
  return ports;
}

Result<Engine> Engine::open(const std::filesystem::path& path) {
  auto state = std::make_shared<State>();
  NPU_LET(state->file, EngineFile::open(path));
  return Engine(std::move(state), {});
}

Status Engine::save(const std::filesystem::path& path) const {
  return write_file(path, state_->file->bytes());
}

std::string_view Engine::graph_text() const noexcept {
  const auto bytes = state_->file->graph();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<PortDescription> Engine::inputs() const {
  return plan_ports(state_->file->plan(), state_->file->plan().inputs);
}

std::vector<PortDescription> Engine::outputs() const {
  return plan_ports(state_->file->plan(), state_->file->plan().outputs);
}

}  // namespace npugraph
