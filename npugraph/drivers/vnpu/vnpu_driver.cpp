// SPDX-License-Identifier: Apache-2.0
#include "npugraph/drivers/vnpu/vnpu_driver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "npugraph/base/text.h"
#include "npugraph/vnpu/dram.h"
#include "npugraph/vnpu/image.h"
#include "npugraph/vnpu/machine.h"
#include "npugraph/vnpu/product.h"
#include "npugraph/vnpu/timing.h"

namespace npugraph {
namespace {

using vnpu::DeviceAddress;

/// The device. Memory, programs and queues each hold a share, so that they may outlive the driver.
struct Device {
  vnpu::Hardware hardware;
  std::unique_ptr<vnpu::Dram> dram;
  DriverCounters counters;
};
using SharedDevice = std::shared_ptr<Device>;

// A view's `data` carries a device address; nothing on the host may follow it.
std::byte* as_pointer(DeviceAddress address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}
DeviceAddress as_address(const std::byte* pointer) noexcept {
  return reinterpret_cast<DeviceAddress>(pointer);
}

class VnpuMemory final : public DeviceMemory {
 public:
  VnpuMemory(SharedDevice device, DeviceAddress address, int64_t size_bytes) noexcept
      : device_(std::move(device)), address_(address), size_bytes_(size_bytes) {
    device_->counters.allocations += 1;
    device_->counters.bytes_in_use += size_bytes;
  }
  VnpuMemory(const VnpuMemory&) = delete;
  VnpuMemory& operator=(const VnpuMemory&) = delete;
  ~VnpuMemory() override {
    device_->dram->release(address_);
    device_->counters.bytes_in_use -= size_bytes_;
  }
  std::byte* address() const noexcept override { return as_pointer(address_); }
  int64_t size_bytes() const noexcept override { return size_bytes_; }

 private:
  SharedDevice device_;
  DeviceAddress address_;
  int64_t size_bytes_;
};

Result<std::unique_ptr<DeviceMemory>> allocate_on(const SharedDevice& device, int64_t size_bytes,
                                                  int64_t align_bytes) {
  NPU_LET(const DeviceAddress address, device->dram->allocate(size_bytes, align_bytes));
  return std::unique_ptr<DeviceMemory>(std::make_unique<VnpuMemory>(device, address, size_bytes));
}

/// What a loaded program shares with its executables.
struct Loaded {
  vnpu::Image image;
  std::vector<std::unique_ptr<DeviceMemory>> weights;
  std::vector<DeviceAddress> weight_addresses;
  int64_t duration_ns = 0;
};

class VnpuExecutable final : public Executable {
 public:
  explicit VnpuExecutable(std::shared_ptr<const Loaded> program)
      : program_(std::move(program)),
        inputs_(program_->image.input_bytes.size()),
        outputs_(program_->image.output_bytes.size()) {}

  int64_t scratch_bytes() const noexcept override {
    return static_cast<int64_t>(program_->image.scratch_bytes);
  }
  int64_t duration_ns() const noexcept { return program_->duration_ns; }

  Status run(Views in, Views out, std::span<std::byte> scratch, const vnpu::Dram& dram,
             vnpu::Workers& workers) noexcept {
    if (in.size() != inputs_.size() || out.size() != outputs_.size() ||
        std::ssize(scratch) < scratch_bytes()) {
      return fail(ErrorId::kBadTensor, "a launch does not fit the program",
                  text(in.size(), " inputs, ", out.size(), " outputs, ", scratch.size(),
                       " bytes of scratch"),
                  text(inputs_.size(), " inputs, ", outputs_.size(), " outputs, ", scratch_bytes(),
                       " bytes of scratch"));
    }
    for (size_t i = 0; i < in.size(); ++i) inputs_[i] = as_address(in[i].data);
    for (size_t i = 0; i < out.size(); ++i) outputs_[i] = as_address(out[i].data);
    return vnpu::execute(
        program_->image,
        {inputs_, outputs_, program_->weight_addresses, as_address(scratch.data())}, dram, workers);
  }

 private:
  std::shared_ptr<const Loaded> program_;
  std::vector<DeviceAddress> inputs_;
  std::vector<DeviceAddress> outputs_;
};

class VnpuProgram final : public DeviceProgram {
 public:
  explicit VnpuProgram(std::shared_ptr<const Loaded> program) : program_(std::move(program)) {}

  Result<std::unique_ptr<Executable>> prepare(std::span<const TensorType* const> in,
                                              std::span<const TensorType> out) const override {
    std::vector<const TensorType*> outputs;
    for (const TensorType& type : out) outputs.push_back(&type);
    NPU_TRY(check("input", in, program_->image.input_bytes));
    NPU_TRY(check("output", outputs, program_->image.output_bytes));
    return std::unique_ptr<Executable>(std::make_unique<VnpuExecutable>(program_));
  }

  Result<std::vector<TensorType>> infer(Views, int64_t) const override {
    return fail(ErrorId::kUnknownDim, "vnpu programs have fixed shapes", "shapes known late",
                "shapes known at compile time");
  }

 private:
  static Status check(std::string_view role, std::span<const TensorType* const> types,
                      std::span<const uint64_t> bytes) {
    if (types.size() != bytes.size()) {
      return fail(ErrorId::kShapeMismatch, text("number of ", role, "s of a vnpu program"),
                  text(types.size()), text(bytes.size()));
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const TensorType* type = types[i];
      const auto dims = type == nullptr ? std::nullopt : type->shape.known();
      const bool fits = dims && type->dtype == DType::kF32;
      if (fits) {
        NPU_LET(const int64_t given, dense_bytes(type->dtype, *dims));
        if (static_cast<uint64_t>(given) == bytes[i]) continue;
      }
      return fail(ErrorId::kShapeMismatch, text(role, " ", i, " of a vnpu program"),
                  type == nullptr ? "absent" : type->str(),
                  text("float32 of ", bytes[i] / sizeof(float), " elements"));
    }
    return ok();
  }

  std::shared_ptr<const Loaded> program_;
};

class VnpuQueue final : public Queue {
 public:
  VnpuQueue(SharedDevice device, std::unique_ptr<vnpu::Workers> workers) noexcept
      : device_(std::move(device)), workers_(std::move(workers)) {}

  Status execute(Executable& executable, Views in, Views out,
                 std::span<std::byte> scratch) noexcept override {
    // Only this driver's programs make executables for its queues.
    auto& program = static_cast<VnpuExecutable&>(executable);
    NPU_TRY(program.run(in, out, scratch, *device_->dram, *workers_));
    device_->counters.launches += 1;
    now_ns_ += program.duration_ns();
    busy_ns_ += program.duration_ns();
    return ok();
  }

  Status copy_in(const TensorView& device, const TensorView& host) noexcept override {
    NPU_LET(std::byte * to, resolve(device, host));
    return copy(to, host.data, host.bytes());
  }
  Status copy_out(const TensorView& host, const TensorView& device) noexcept override {
    NPU_LET(const std::byte* from, resolve(device, host));
    return copy(host.data, from, host.bytes());
  }

  EventRecord record() noexcept override { return {now_ns_}; }
  Status wait(const EventRecord& event) noexcept override {
    now_ns_ = std::max(now_ns_, event.time_ns);
    return ok();
  }
  Status synchronize() noexcept override { return ok(); }
  int64_t clock_ns() const noexcept override { return now_ns_; }
  int64_t busy_ns() const noexcept override { return busy_ns_; }

 private:
  Result<std::byte*> resolve(const TensorView& device, const TensorView& host) const noexcept {
    if (device.dtype != host.dtype || device.dims != host.dims) {
      return fail(ErrorId::kBadTensor, "a copy between tensors of different types",
                  text(dtype_name(device.dtype), " ", dims_str(device.dims)),
                  text(dtype_name(host.dtype), " ", dims_str(host.dims)));
    }
    std::byte* at = device_->dram->resolve(as_address(device.data), device.bytes());
    if (at == nullptr && device.bytes() > 0) {
      return fail(ErrorId::kBadTensor, "a copy outside of the device's memory",
                  text(device.bytes(), " bytes at ", as_address(device.data)),
                  "a range inside of one allocation");
    }
    return at;
  }

  Status copy(std::byte* to, const std::byte* from, int64_t size_bytes) noexcept {
    if (size_bytes > 0) std::memcpy(to, from, static_cast<size_t>(size_bytes));
    device_->counters.copies += 1;
    device_->counters.copied_bytes += size_bytes;
    now_ns_ += vnpu::transfer_ns(device_->hardware, size_bytes);
    return ok();
  }

  SharedDevice device_;
  std::unique_ptr<vnpu::Workers> workers_;
  int64_t now_ns_ = 0;
  int64_t busy_ns_ = 0;
};

class VnpuDriver final : public Driver {
 public:
  VnpuDriver(SharedDevice device, Isa isa) : device_(std::move(device)), isa_(isa) {
    const vnpu::Hardware& hardware = device_->hardware;
    info_.name = "vnpu";
    info_.fingerprint = hardware.fingerprint();
    info_.firmware = hardware.firmware.str();
    info_.description = text("simulated NPU '", hardware.name, "', ", hardware.mxu_rows, "x",
                             hardware.mxu_cols, " matrix unit at ", hardware.clock_hz / 1e6,
                             " MHz, ", hardware.dram_bytes >> 20, " MiB");
    info_.virtual_clock = true;
  }

  const DriverInfo& info() const noexcept override { return info_; }
  const DriverCounters& counters() const noexcept override { return device_->counters; }

  Status accepts(const PlanDevice& device) const override {
    if (device.name != info_.name || device.fingerprint != info_.fingerprint) {
      return fail(ErrorId::kDeviceMismatch, "the engine was compiled for another device",
                  text(device.name, " (", device.fingerprint, ")"),
                  text(info_.name, " (", info_.fingerprint, ")"));
    }
    const auto wanted = vnpu::Version::parse(device.min_firmware);
    if (!wanted || *wanted > device_->hardware.firmware) {
      return fail(ErrorId::kFirmware, "the device's firmware is too old for the engine",
                  text("firmware ", info_.firmware),
                  text("firmware ", device.min_firmware, " or newer"));
    }
    return ok();
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(int64_t size_bytes, int64_t align_bytes) override {
    return allocate_on(device_, size_bytes, std::max(align_bytes, info_.align_bytes));
  }

  Result<std::unique_ptr<DeviceProgram>> load(std::span<const std::byte> code,
                                              std::span<const Tensor> weights) override {
    auto program = std::make_shared<Loaded>();
    NPU_LET(program->image, vnpu::read_image(code));
    NPU_TRY(check_weights(program->image, weights));
    for (const Tensor& weight : weights) {
      const std::span<const std::byte> bytes = weight.bytes();
      NPU_LET(auto memory, allocate_on(device_, std::ssize(bytes), info_.align_bytes));
      const DeviceAddress address = as_address(memory->address());
      std::byte* to = device_->dram->resolve(address, std::ssize(bytes));
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
      program->weight_addresses.push_back(address);
      program->weights.push_back(std::move(memory));
    }
    program->duration_ns = vnpu::program_ns(device_->hardware, program->image);
    return std::unique_ptr<DeviceProgram>(std::make_unique<VnpuProgram>(std::move(program)));
  }

  Result<std::unique_ptr<Queue>> create_queue(const QueueOptions& options) override {
    NPU_LET(auto workers, vnpu::Workers::create(options.threads, isa_));
    return std::unique_ptr<Queue>(std::make_unique<VnpuQueue>(device_, std::move(workers)));
  }

 private:
  static Status check_weights(const vnpu::Image& image, std::span<const Tensor> weights) {
    if (weights.size() != image.weight_bytes.size()) {
      return fail(ErrorId::kProgramInvalid, "number of weights of a vnpu program",
                  text(weights.size()), text(image.weight_bytes.size()));
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i].bytes().size() == image.weight_bytes[i]) continue;
      return fail(ErrorId::kProgramInvalid, text("size of weight ", i, " of a vnpu program"),
                  text(weights[i].bytes().size(), " bytes"), text(image.weight_bytes[i]));
    }
    return ok();
  }

  SharedDevice device_;
  Isa isa_;
  DriverInfo info_;
};

}  // namespace

Result<std::unique_ptr<Driver>> make_vnpu_driver(const vnpu::Hardware& hardware) {
  NPU_LET(const Isa isa, selected_isa());
  auto device = std::make_shared<Device>();
  device->hardware = hardware;
  device->dram = std::make_unique<vnpu::Dram>(hardware.dram_bytes);
  return std::unique_ptr<Driver>(std::make_unique<VnpuDriver>(std::move(device), isa));
}

}  // namespace npugraph
