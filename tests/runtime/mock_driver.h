// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "npugraph/hal/driver.h"

namespace npugraph {

/// A device for testing the runtime without any real one. A program's code is one word:
///   "add"   out = in0 + in1, float32          "inc"  out = in0 + 1, int64
///   "less"  out = in0 < in1, int64 to bool    "head" out = the first in1[0] rows of in0 (late)
///   "fail"  an error at run time
class MockDriver final : public Driver {
 public:
  MockDriver(std::string name, bool host_memory) {
    info_.name = std::move(name);
    info_.fingerprint = "mock";
    info_.host_memory = host_memory;
  }
  const DriverInfo& info() const noexcept override { return info_; }
  const DriverCounters& counters() const noexcept override { return counters_; }

  Status accepts(const PlanDevice& device) const override {
    if (device.fingerprint == info_.fingerprint) return ok();
    return fail(ErrorId::kDeviceMismatch, "fingerprint", device.fingerprint, info_.fingerprint);
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(int64_t size_bytes, int64_t) override {
    counters_.allocations.fetch_add(1);
    return std::unique_ptr<DeviceMemory>(std::make_unique<Memory>(size_bytes));
  }

  Result<std::unique_ptr<DeviceProgram>> load(std::span<const std::byte> code,
                                              std::span<const Tensor>) override {
    return std::unique_ptr<DeviceProgram>(std::make_unique<Program>(
        std::string(reinterpret_cast<const char*>(code.data()), code.size())));
  }

  Result<std::unique_ptr<Queue>> create_queue(const QueueOptions&) override {
    return std::unique_ptr<Queue>(std::make_unique<MockQueue>(*this));
  }

 private:
  struct Memory final : DeviceMemory {
    explicit Memory(int64_t size_bytes) : bytes(static_cast<size_t>(size_bytes) + 64) {}
    std::byte* address() const noexcept override {
      const auto raw = reinterpret_cast<uintptr_t>(bytes.data());
      return const_cast<std::byte*>(bytes.data()) + ((64 - raw % 64) % 64);
    }
    int64_t size_bytes() const noexcept override { return static_cast<int64_t>(bytes.size()) - 64; }
    std::vector<std::byte> bytes;
  };

  struct Ready final : Executable {
    explicit Ready(std::string word) : op(std::move(word)) {}
    int64_t scratch_bytes() const noexcept override { return 16; }
    std::string op;
  };

  struct Program final : DeviceProgram {
    explicit Program(std::string word) : op(std::move(word)) {}
    Result<std::unique_ptr<Executable>> prepare(std::span<const TensorType* const>,
                                                std::span<const TensorType>) const override {
      return std::unique_ptr<Executable>(std::make_unique<Ready>(op));
    }
    Result<std::vector<TensorType>> infer(Views in, int64_t) const override {
      if (op != "head") return std::vector<TensorType>{{in[0].dtype, Shape(in[0].dims)}};
      Dims dims = in[0].dims;
      dims[0] = in[1].load_int(0);
      return std::vector<TensorType>{{in[0].dtype, Shape(dims)}};
    }
    std::string op;
  };

  class MockQueue final : public Queue {
   public:
    explicit MockQueue(MockDriver& driver) : driver_(driver) {}
    Status execute(Executable& executable, Views in, Views out,
                   std::span<std::byte> scratch) noexcept override {
      const std::string& op = static_cast<Ready&>(executable).op;
      if (scratch.size() != 16) return fail(ErrorId::kInternal, "no scratch");
      driver_.counters_.launches.fetch_add(1);
      for (int64_t i = 0; i < out[0].elements(); ++i) {
        if (op == "add") out[0].store(i, in[0].load(i) + in[1].load(i));
        if (op == "inc") out[0].store_int(i, in[0].load_int(i) + 1);
        if (op == "less") out[0].store_int(i, in[0].load_int(0) < in[1].load_int(0));
        if (op == "head") out[0].store(i, in[0].load(i));
      }
      if (op == "fail") return fail(ErrorId::kIndexOutOfRange, "mock failure");
      return ok();
    }
    Status copy_in(const TensorView& device, const TensorView& host) noexcept override {
      driver_.counters_.copies.fetch_add(1);
      std::memcpy(device.data, host.data, static_cast<size_t>(host.bytes()));
      return ok();
    }
    Status copy_out(const TensorView& host, const TensorView& device) noexcept override {
      driver_.counters_.copies.fetch_add(1);
      std::memcpy(host.data, device.data, static_cast<size_t>(host.bytes()));
      return ok();
    }
    EventRecord record() noexcept override { return {}; }
    Status wait(const EventRecord&) noexcept override { return ok(); }
    Status synchronize() noexcept override { return ok(); }
    int64_t clock_ns() const noexcept override { return 0; }
    int64_t busy_ns() const noexcept override { return 0; }

   private:
    MockDriver& driver_;
  };

  DriverInfo info_;
  DriverCounters counters_;
};

}  // namespace npugraph
