// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "npugraph/ir/graph.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"
#include "tests/conformance/devices.h"

namespace npugraph::conformance {

/// The graph of a case, with types.
inline std::unique_ptr<Graph> graph_of(const OpCase& op) {
  auto graph = parse(op.graph);
  if (!graph) {
    ADD_FAILURE() << graph.error().message();
    return nullptr;
  }
  if (const Status typed = infer_types(**graph); !typed) {
    ADD_FAILURE() << typed.error().message();
    return nullptr;
  }
  return *std::move(graph);
}

/// What the case gives, or normal values from a seed.
inline std::vector<Tensor> inputs_of(const OpCase& op, const Graph& graph) {
  std::mt19937 random(17);
  std::normal_distribution<float> normal;
  std::vector<Tensor> tensors;
  for (const Value* value : graph.inputs()) {
    const Dims dims = *value->type.shape.known();
    std::vector<float> data(static_cast<size_t>(*element_count(dims)));
    for (float& x : data) x = normal(random);
    if (tensors.size() < op.inputs.size()) data = op.inputs[tensors.size()];
    tensors.push_back(Tensor::of_floats(data, dims));
  }
  return tensors;
}

/// Tensors in a device's memory.
class DeviceTensors {
 public:
  Status add(Driver& driver, const TensorType& type) {
    const Dims dims = *type.shape.known();
    NPU_LET(const int64_t bytes, dense_bytes(type.dtype, dims));
    NPU_LET(auto memory, driver.allocate(bytes, 64));
    views_.push_back({type.dtype, dims, memory->address()});
    memory_.push_back(std::move(memory));
    return ok();
  }
  Views views() const { return views_; }
  const TensorView& operator[](size_t index) const { return views_[index]; }

 private:
  std::vector<std::unique_ptr<DeviceMemory>> memory_;
  std::vector<TensorView> views_;
};

/// A program with memory of its own, ready to run on any queue of the driver.
class Runnable {
 public:
  static Result<std::unique_ptr<Runnable>> make(Driver& driver, const Graph& graph,
                                                const TargetProgram& compiled) {
    auto runnable = std::make_unique<Runnable>();
    Runnable& r = *runnable;
    NPU_LET(r.program_, driver.load(std::as_bytes(std::span(compiled.code)), compiled.weights));
    std::vector<const TensorType*> in;
    std::vector<TensorType> out;
    for (const Value* value : graph.inputs()) {
      in.push_back(&value->type);
      NPU_TRY(r.inputs_.add(driver, value->type));
    }
    for (const Value* value : graph.outputs()) {
      out.push_back(value->type);
      NPU_TRY(r.outputs_.add(driver, value->type));
    }
    NPU_LET(r.executable_, r.program_->prepare(in, out));
    NPU_LET(r.scratch_, driver.allocate(r.executable_->scratch_bytes(), 64));
    return runnable;
  }

  Result<std::vector<Tensor>> run(Queue& queue, std::span<const Tensor> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      NPU_TRY(queue.copy_in(inputs_[i], inputs[i].view()));
    }
    NPU_TRY(
        queue.execute(*executable_, inputs_.views(), outputs_.views(),
                      {scratch_->address(), static_cast<size_t>(executable_->scratch_bytes())}));
    std::vector<Tensor> results;
    for (const TensorView& view : outputs_.views()) {
      NPU_LET(Tensor result, Tensor::zeros(view.dtype, view.dims));
      NPU_TRY(queue.copy_out(result.mutable_view(), view));
      results.push_back(std::move(result));
    }
    NPU_TRY(queue.synchronize());
    return results;
  }

 private:
  std::unique_ptr<DeviceProgram> program_;
  std::unique_ptr<Executable> executable_;
  DeviceTensors inputs_, outputs_;
  std::unique_ptr<DeviceMemory> scratch_;
};

}  // namespace npugraph::conformance
