// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "npugraph/api/npugraph.h"
#include "npugraph/engine/engine.h"

namespace npugraph {

struct Engine::State {
  std::shared_ptr<const EngineFile> file;
};

/// Ports of an engine, from its plan.
std::vector<PortDescription> plan_ports(const TaskPlan& plan, std::span<const int32_t> slots);

}  // namespace npugraph
