// SPDX-License-Identifier: Apache-2.0
#include "npugraph/runtime/session.h"

#include <algorithm>

#include "npugraph/base/platform.h"
#include "npugraph/base/text.h"
#include "npugraph/runtime/prepared.h"

namespace npugraph {

RuntimeSession::~RuntimeSession() = default;

Result<std::unique_ptr<RuntimeSession>> RuntimeSession::create(
    std::shared_ptr<const EngineFile> engine, std::span<Driver* const> drivers,
    const RunOptions& options) {
  std::unique_ptr<RuntimeSession> session(
      new RuntimeSession);  // NOLINT: the constructor is private
  session->engine_ = std::move(engine);
  session->options_ = options;
  if (options.threads < 0 || options.threads > 256 || options.max_prepared < 1)
    return fail(ErrorId::kBadOption, "session options",
                text(options.threads, " threads, ", options.max_prepared, " prepared plans"),
                "0..256 threads, 1 or more plans");
  const int64_t threads =
      options.threads == 0 ? std::min<int64_t>(cpu_count(), 256) : options.threads;
  const TaskPlan& plan = session->engine_->plan();
  for (const PlanDevice& device : plan.devices) {
    const auto hit = std::find_if(drivers.begin(), drivers.end(), [&](const Driver* driver) {
      return driver->info().name == device.name;
    });
    if (hit == drivers.end())
      return fail(ErrorId::kDeviceUnknown, "the engine needs a device that is not there",
                  device.name, "one of `npugraph devices`");
    NPU_TRY_AT(text("device '", device.name, "'"), (*hit)->accepts(device));
    DeviceState state;
    state.driver = *hit;
    NPU_LET(state.queue, (*hit)->create_queue({.threads = threads}));
    session->virtual_time_ |= (*hit)->info().virtual_clock;
    session->devices_.push_back(std::move(state));
  }
  for (const int32_t slot : plan.inputs)
    session->inputs_.push_back(
        {plan.slots[static_cast<size_t>(slot)].name, plan.slots[static_cast<size_t>(slot)].type});
  for (const int32_t slot : plan.outputs)
    session->outputs_.push_back(
        {plan.slots[static_cast<size_t>(slot)].name, plan.slots[static_cast<size_t>(slot)].type});
  NPU_TRY(session->load_programs());
  return session;
}

Status RuntimeSession::load_programs() {
  const TaskPlan& plan = engine_->plan();
  std::vector<Tensor> weights;  // each checked and mapped once
  for (int64_t i = 0; i < static_cast<int64_t>(plan.weights.size()); ++i) {
    NPU_LET(Tensor weight, EngineFile::weight(engine_, i));
    weights.push_back(std::move(weight));
  }
  for (const PlanProgram& program : plan.programs) {
    std::vector<Tensor> own;
    for (const int32_t index : program.weights) own.push_back(weights[static_cast<size_t>(index)]);
    Driver& driver = *devices_[static_cast<size_t>(program.device)].driver;
    auto loaded = driver.load(engine_->code(program), own);
    if (!loaded) return at(text("program of node ", join(program.nodes)), loaded.error());
    programs_.push_back(*std::move(loaded));
  }
  weight_slots_.resize(plan.slots.size());
  late_.resize(plan.slots.size());
  for (size_t i = 0; i < plan.slots.size(); ++i)
    if (plan.slots[i].kind == SlotKind::kWeight)
      weight_slots_[i] = weights[static_cast<size_t>(plan.slots[i].index)];
  last_outputs_.resize(plan.outputs.size());
  for (const PlanDevice& device : plan.devices) times_.busy_ns.emplace_back(device.name, 0);
  return ok();
}

Status RuntimeSession::prepare(std::span<const Dims> input_dims) {
  NPU_TRY(find_or_prepare(input_dims));
  return ok();
}

Result<PreparedPlan*> RuntimeSession::find_or_prepare(std::span<const Dims> input_dims) {
  const auto hit = std::find_if(prepared_.begin(), prepared_.end(), [&](const auto& plan) {
    return std::equal(plan->key.begin(), plan->key.end(), input_dims.begin(), input_dims.end());
  });
  if (hit != prepared_.end()) {
    std::rotate(prepared_.begin(), hit, hit + 1);
    return prepared_.front().get();
  }
  NPU_LET(std::unique_ptr<PreparedPlan> plan, build(input_dims));
  ++prepared_count_;
  if (static_cast<int64_t>(prepared_.size()) >= options_.max_prepared) prepared_.pop_back();
  prepared_.insert(prepared_.begin(), std::move(plan));
  return prepared_.front().get();
}

bool RuntimeSession::is_prepared(Views in) noexcept {
  const auto same = [](const Dims& key, const TensorView& view) { return key == view.dims; };
  const auto hit = std::find_if(prepared_.begin(), prepared_.end(), [&](const auto& plan) {
    return std::equal(plan->key.begin(), plan->key.end(), in.begin(), in.end(), same);
  });
  if (hit == prepared_.end()) return false;
  std::rotate(prepared_.begin(), hit, hit + 1);
  return true;
}

Status RuntimeSession::run(Views in, Views out) {
  if (is_prepared(in)) return execute(in, out);
  std::vector<Dims> dims;
  for (const TensorView& view : in) dims.push_back(view.dims);
  NPU_TRY(prepare(dims));
  return execute(in, out);
}

Status RuntimeSession::check(Views in, Views out) {
  std::vector<Dims> dims;
  for (const TensorView& view : in) dims.push_back(view.dims);
  NPU_LET(PreparedPlan* const plan, find_or_prepare(dims));
  return check_ports(*plan, in, out);
}

Result<std::vector<std::optional<Dims>>> RuntimeSession::output_dims(
    std::span<const Dims> input_dims) {
  NPU_LET(const PreparedPlan* const plan, find_or_prepare(input_dims));
  std::vector<std::optional<Dims>> dims(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto slot = static_cast<size_t>(engine_->plan().outputs[i]);
    if (engine_->plan().slots[slot].kind != SlotKind::kLate) dims[i] = plan->slots[slot].dims;
  }
  return dims;
}

const TensorView& RuntimeSession::output(int64_t index) const noexcept {
  return last_outputs_[static_cast<size_t>(index)];
}

int64_t RuntimeSession::arena_bytes() const noexcept {
  int64_t bytes = 0;
  for (const DeviceState& device : devices_)
    if (device.arena) bytes += device.arena->size_bytes();
  return bytes;
}

}  // namespace npugraph
