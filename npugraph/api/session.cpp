// SPDX-License-Identifier: Apache-2.0
#include "npugraph/runtime/session.h"

#include <new>

#include "npugraph/api/engine_state.h"
#include "npugraph/api/library.h"

namespace npugraph {

struct Session::State {
  Library library;  // keeps the drivers alive
  Engine engine;
  std::unique_ptr<RuntimeSession> runtime;
  std::vector<PortDescription> inputs, outputs;
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::create(const Library& library, const Engine& engine,
                                const RunOptions& options) {
  std::vector<Driver*> drivers;
  for (const Device& device : library.state().devices) drivers.push_back(device.driver.get());
  auto state = std::make_unique<State>(State{library, engine, nullptr, {}, {}});
  NPU_LET(state->runtime, RuntimeSession::create(engine.state()->file, drivers, options));
  state->inputs = engine.inputs();
  state->outputs = engine.outputs();
  return Session(std::move(state));
}

const std::vector<PortDescription>& Session::inputs() const noexcept { return state_->inputs; }
const std::vector<PortDescription>& Session::outputs() const noexcept { return state_->outputs; }

Status Session::prepare(std::span<const Dims> input_dims) {
  try {
    return state_->runtime->prepare(input_dims);
  } catch (const std::bad_alloc&) {
    return fail(ErrorId::kOutOfMemory, "memory ran out while preparing");
  }
}

Status Session::run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) {
  try {
    return state_->runtime->run(inputs, outputs);
  } catch (const std::bad_alloc&) {
    return fail(ErrorId::kOutOfMemory, "memory ran out while preparing");
  }
}

Status Session::check(std::span<const TensorView> inputs, std::span<const TensorView> outputs) {
  try {
    return state_->runtime->check(inputs, outputs);
  } catch (const std::bad_alloc&) {
    return fail(ErrorId::kOutOfMemory, "memory ran out while preparing");
  }
}

Result<std::vector<std::optional<Dims>>> Session::output_dims(std::span<const Dims> input_dims) {
  try {
    return state_->runtime->output_dims(input_dims);
  } catch (const std::bad_alloc&) {
    return fail(ErrorId::kOutOfMemory, "memory ran out while preparing");
  }
}

Result<std::vector<TensorView>> Session::run(std::span<const TensorView> inputs) {
  NPU_TRY(run(inputs, {}));
  std::vector<TensorView> outputs;
  for (size_t i = 0; i < state_->outputs.size(); ++i)
    outputs.push_back(output(static_cast<int64_t>(i)));
  return outputs;
}

const TensorView& Session::output(int64_t index) const noexcept {
  return state_->runtime->output(index);
}

Result<std::vector<NamedTensor>> Session::run_layers(std::span<const TensorView> inputs) {
  std::vector<NamedTensor> made;
  Status copied = ok();
  const auto& slots = state_->engine.state()->file->plan().slots;
  state_->runtime->observe([&](const Task& task, Views views) {
    for (size_t i = 0; i < views.size(); ++i) {
      auto tensor = Tensor::copy(views[i].dtype, views[i].dims,
                                 {views[i].data, static_cast<size_t>(views[i].bytes())});
      if (!tensor) {
        copied = tensor.error();
        return;
      }
      made.push_back(
          {slots[static_cast<size_t>(task.outputs[i])].name, task.name, *std::move(tensor)});
    }
  });
  Status status = run(inputs, {});
  state_->runtime->observe(nullptr);
  NPU_TRY(std::move(status));
  NPU_TRY(std::move(copied));
  return made;
}

RunTimes Session::times() const { return state_->runtime->times(); }

SessionCounters Session::counters() const {
  SessionCounters counters;
  for (const Device& device : state_->library.state().devices) {
    const DriverCounters& row = device.driver->counters();
    counters.device_allocations += row.allocations.load();
    counters.copies += row.copies.load();
    counters.copied_bytes += row.copied_bytes.load();
  }
  counters.arena_bytes = state_->runtime->arena_bytes();
  counters.late_bytes = state_->runtime->late_bytes();
  counters.prepared_plans = state_->runtime->prepared_count();
  return counters;
}

}  // namespace npugraph
