// SPDX-License-Identifier: Apache-2.0
#include "npugraph/drivers/plugin/plugin_driver.h"

#include <algorithm>
#include <utility>

#include "npugraph/base/shared_library.h"
#include "npugraph/base/text.h"
#include "npugraph/hal/plugin_abi.h"

namespace npugraph {
namespace {

/// An open device of a plug-in. Everything made by it holds a share, so that it closes last.
class PluginDevice {
 public:
  static Result<std::shared_ptr<PluginDevice>> open(LoadedPlugin plugin) {
    auto device = std::make_shared<PluginDevice>(std::move(plugin));
    NPU_TRY(device->call(
        [&](NpugraphErrorText& error) { return device->table.open(&device->handle_, &error); }));
    device->is_open_ = true;
    return device;
  }

  explicit PluginDevice(LoadedPlugin plugin)
      : table(*plugin.table->driver),
        plugin_(std::move(plugin)),
        subject_(text("plug-in '", table.name, "'")) {}
  PluginDevice(const PluginDevice&) = delete;
  PluginDevice& operator=(const PluginDevice&) = delete;
  ~PluginDevice() {
    if (is_open_) table.close(handle_);
  }

  void* handle() const noexcept { return handle_; }

  /// Runs body(error) and turns its status into a Status.
  template <class Body>
  Status call(const Body& body, ErrorId otherwise = ErrorId::kPluginFailed) const {
    NpugraphErrorText error = {};
    const int32_t status = body(error);
    if (status == NPUGRAPH_OK) return ok();
    return plugin_error(status, error, subject_, otherwise);
  }

  const NpugraphDriver& table;
  DriverCounters counters;

 private:
  LoadedPlugin plugin_;
  std::string subject_;
  void* handle_ = nullptr;
  bool is_open_ = false;
};
using SharedDevice = std::shared_ptr<PluginDevice>;

class PluginMemory final : public DeviceMemory {
 public:
  PluginMemory(SharedDevice device, void* memory, void* address, int64_t size_bytes) noexcept
      : device_(std::move(device)), memory_(memory), address_(address), size_bytes_(size_bytes) {
    device_->counters.allocations += 1;
    device_->counters.bytes_in_use += size_bytes;
  }
  PluginMemory(const PluginMemory&) = delete;
  PluginMemory& operator=(const PluginMemory&) = delete;
  ~PluginMemory() override {
    device_->table.release(device_->handle(), memory_);
    device_->counters.bytes_in_use -= size_bytes_;
  }
  std::byte* address() const noexcept override { return static_cast<std::byte*>(address_); }
  int64_t size_bytes() const noexcept override { return size_bytes_; }

 private:
  SharedDevice device_;
  void* memory_;
  void* address_;
  int64_t size_bytes_;
};

/// Tensors in C form whose types are fixed; data is filled in for each run.
class CTensors {
 public:
  void add(const TensorType* type) {
    const auto dims = type == nullptr ? std::nullopt : type->shape.known();
    dims_.push_back(dims.value_or(Dims{}));
    NpugraphTensor tensor = {};
    tensor.rank = -1;
    if (dims) {
      tensor.dtype = onnx_dtype(type->dtype);
      tensor.rank = static_cast<int32_t>(dims->size());
      tensor.size_bytes =
          dense_bytes(type->dtype, *dims).has_value() ? *dense_bytes(type->dtype, *dims) : 0;
    }
    tensors_.push_back(tensor);
  }
  /// Call when all are added: moving the lists would move the dims.
  void finish() {
    for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].dims = dims_[i].data();
  }
  void set_data(Views views) noexcept {
    for (size_t i = 0; i < tensors_.size(); ++i) tensors_[i].data = views[i].data;
  }
  const NpugraphTensor* data() const noexcept { return tensors_.data(); }
  int64_t count() const noexcept { return std::ssize(tensors_); }

 private:
  std::vector<Dims> dims_;
  std::vector<NpugraphTensor> tensors_;
};

/// A loaded program's handle; executables keep it.
struct ProgramHandle {
  ProgramHandle(SharedDevice on, std::vector<Tensor> kept) noexcept
      : device(std::move(on)), weights(std::move(kept)) {}
  ProgramHandle(const ProgramHandle&) = delete;
  ProgramHandle& operator=(const ProgramHandle&) = delete;
  ~ProgramHandle() {
    if (program != nullptr) device->table.unload(program);
  }
  SharedDevice device;
  std::vector<Tensor> weights;  // their bytes stay valid until unload()
  void* program = nullptr;
};

class PluginExecutable final : public Executable {
 public:
  explicit PluginExecutable(std::shared_ptr<const ProgramHandle> program) noexcept
      : program_(std::move(program)) {}
  PluginExecutable(const PluginExecutable&) = delete;
  PluginExecutable& operator=(const PluginExecutable&) = delete;
  ~PluginExecutable() override {
    if (handle != nullptr) program_->device->table.discard(handle);
  }
  int64_t scratch_bytes() const noexcept override { return scratch; }

  CTensors inputs;
  CTensors outputs;
  void* handle = nullptr;
  int64_t scratch = 0;

 private:
  std::shared_ptr<const ProgramHandle> program_;
};

class PluginProgram final : public DeviceProgram {
 public:
  explicit PluginProgram(std::shared_ptr<const ProgramHandle> program)
      : program_(std::move(program)) {}

  Result<std::unique_ptr<Executable>> prepare(std::span<const TensorType* const> in,
                                              std::span<const TensorType> out) const override {
    auto executable = std::make_unique<PluginExecutable>(program_);
    for (const TensorType* type : in) executable->inputs.add(type);
    for (const TensorType& type : out) executable->outputs.add(&type);
    executable->inputs.finish();
    executable->outputs.finish();
    PluginExecutable& e = *executable;
    auto prepared = program_->device->call([&](NpugraphErrorText& error) {
      return program_->device->table.prepare(program_->program, e.inputs.data(), e.inputs.count(),
                                             e.outputs.data(), e.outputs.count(), &e.handle,
                                             &e.scratch, &error);
    });
    if (!prepared) {
      Error error = std::move(prepared).error();
      if (error.id == ErrorId::kBadTensor) error.id = ErrorId::kShapeMismatch;
      return error;
    }
    if (e.scratch < 0) {
      return fail(ErrorId::kPluginFailed, "a plug-in asked for a negative scratch size",
                  text(e.scratch), "0 or more bytes");
    }
    return std::unique_ptr<Executable>(std::move(executable));
  }

  Result<std::vector<TensorType>> infer(Views, int64_t) const override {
    return fail(ErrorId::kUnknownDim, "plug-ins run programs whose output sizes are known",
                "sizes known late", "sizes that follow from the input shapes");
  }

 private:
  std::shared_ptr<const ProgramHandle> program_;
};

class PluginQueue final : public Queue {
 public:
  PluginQueue(SharedDevice device, void* queue) noexcept
      : device_(std::move(device)), queue_(queue) {}
  PluginQueue(const PluginQueue&) = delete;
  PluginQueue& operator=(const PluginQueue&) = delete;
  ~PluginQueue() override { device_->table.destroy_queue(queue_); }

  Status execute(Executable& executable, Views in, Views out,
                 std::span<std::byte> scratch) noexcept override {
    // Only this driver's programs make executables for its queues.
    auto& e = static_cast<PluginExecutable&>(executable);
    if (std::ssize(in) != e.inputs.count() || std::ssize(out) != e.outputs.count()) {
      return fail(ErrorId::kBadTensor, "a launch does not fit the program",
                  text(in.size(), " inputs, ", out.size(), " outputs"),
                  text(e.inputs.count(), " inputs, ", e.outputs.count(), " outputs"));
    }
    e.inputs.set_data(in);
    e.outputs.set_data(out);
    device_->counters.launches += 1;
    return device_->call([&](NpugraphErrorText& error) {
      return table().execute(queue_, e.handle, e.inputs.data(), e.inputs.count(), e.outputs.data(),
                             e.outputs.count(), scratch.data(), std::ssize(scratch), &error);
    });
  }

  Status copy_in(const TensorView& device, const TensorView& host) noexcept override {
    NPU_TRY(check(device, host));
    return device_->call([&](NpugraphErrorText& error) {
      return table().copy_in(queue_, device.data, host.data, host.bytes(), &error);
    });
  }
  Status copy_out(const TensorView& host, const TensorView& device) noexcept override {
    NPU_TRY(check(device, host));
    return device_->call([&](NpugraphErrorText& error) {
      return table().copy_out(queue_, host.data, device.data, host.bytes(), &error);
    });
  }

  EventRecord record() noexcept override { return {table().record(queue_)}; }
  Status wait(const EventRecord& event) noexcept override {
    return device_->call(
        [&](NpugraphErrorText& error) { return table().wait(queue_, event.time_ns, &error); });
  }
  Status synchronize() noexcept override {
    return device_->call(
        [&](NpugraphErrorText& error) { return table().synchronize(queue_, &error); });
  }
  int64_t clock_ns() const noexcept override { return table().clock_ns(queue_); }
  int64_t busy_ns() const noexcept override { return table().busy_ns(queue_); }

 private:
  const NpugraphDriver& table() const noexcept { return device_->table; }

  Status check(const TensorView& device, const TensorView& host) noexcept {
    if (device.dtype != host.dtype || device.dims != host.dims) {
      return fail(ErrorId::kBadTensor, "a copy between tensors of different types",
                  text(dtype_name(device.dtype), " ", dims_str(device.dims)),
                  text(dtype_name(host.dtype), " ", dims_str(host.dims)));
    }
    device_->counters.copies += 1;
    device_->counters.copied_bytes += host.bytes();
    return ok();
  }

  SharedDevice device_;
  void* queue_;
};

class PluginDriver final : public Driver {
 public:
  explicit PluginDriver(SharedDevice device) : device_(std::move(device)) {
    const NpugraphDriver& table = device_->table;
    info_ = {.name = table.name,
             .fingerprint = table.fingerprint,
             .firmware = table.firmware,
             .description = table.description,
             .host_memory = table.host_memory != 0,
             .virtual_clock = table.virtual_clock != 0,
             .align_bytes = table.align_bytes};
  }

  const DriverInfo& info() const noexcept override { return info_; }
  const DriverCounters& counters() const noexcept override { return device_->counters; }

  Status accepts(const PlanDevice& device) const override {
    return device_->call([&](NpugraphErrorText& error) {
      return device_->table.accepts(device_->handle(), device.name.c_str(),
                                    device.fingerprint.c_str(), device.min_firmware.c_str(),
                                    &error);
    });
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(int64_t size_bytes, int64_t align_bytes) override {
    void* memory = nullptr;
    void* address = nullptr;
    NPU_TRY(device_->call([&](NpugraphErrorText& error) {
      return device_->table.allocate(device_->handle(), size_bytes,
                                     std::max(align_bytes, info_.align_bytes), &memory, &address,
                                     &error);
    }));
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<PluginMemory>(device_, memory, address, size_bytes));
  }

  Result<std::unique_ptr<DeviceProgram>> load(std::span<const std::byte> code,
                                              std::span<const Tensor> weights) override {
    auto program = std::make_shared<ProgramHandle>(
        device_, std::vector<Tensor>(weights.begin(), weights.end()));
    std::vector<NpugraphTensor> tensors;
    for (const Tensor& weight : program->weights) {
      tensors.push_back({.dtype = onnx_dtype(weight.dtype()),
                         .rank = static_cast<int32_t>(weight.dims().size()),
                         .dims = weight.dims().data(),
                         .data = weight.view().data,
                         .size_bytes = std::ssize(weight.bytes())});
    }
    NPU_TRY(device_->call([&](NpugraphErrorText& error) {
      return device_->table.load(device_->handle(), code.data(), std::ssize(code), tensors.data(),
                                 std::ssize(tensors), &program->program, &error);
    }));
    return std::unique_ptr<DeviceProgram>(std::make_unique<PluginProgram>(std::move(program)));
  }

  Result<std::unique_ptr<Queue>> create_queue(const QueueOptions& options) override {
    void* queue = nullptr;
    NPU_TRY(device_->call([&](NpugraphErrorText& error) {
      return device_->table.create_queue(device_->handle(), static_cast<int32_t>(options.threads),
                                         &queue, &error);
    }));
    return std::unique_ptr<Queue>(std::make_unique<PluginQueue>(device_, queue));
  }

 private:
  SharedDevice device_;
  DriverInfo info_;
};

bool is_complete(const NpugraphDriver& d) {
  const bool names = d.name != nullptr && d.fingerprint != nullptr && d.firmware != nullptr &&
                     d.description != nullptr;
  const bool device = d.open != nullptr && d.close != nullptr && d.accepts != nullptr &&
                      d.allocate != nullptr && d.release != nullptr;
  const bool programs =
      d.load != nullptr && d.unload != nullptr && d.prepare != nullptr && d.discard != nullptr;
  const bool queues = d.create_queue != nullptr && d.destroy_queue != nullptr &&
                      d.execute != nullptr && d.copy_in != nullptr && d.copy_out != nullptr;
  const bool times = d.record != nullptr && d.wait != nullptr && d.synchronize != nullptr &&
                     d.clock_ns != nullptr && d.busy_ns != nullptr;
  const bool align = d.align_bytes > 0 && (d.align_bytes & (d.align_bytes - 1)) == 0;
  return names && device && programs && queues && times && align;
}

}  // namespace

Result<std::unique_ptr<Driver>> load_plugin_driver(const std::filesystem::path& path) {
  NPU_LET(LoadedPlugin plugin, open_plugin(path));
  const std::string place = text("plug-in '", path.string(), "'");
  const NpugraphDriver* driver = plugin.table->driver;
  if (driver == nullptr || driver->struct_bytes < sizeof(NpugraphDriver)) {
    return at(place, fail(ErrorId::kPluginLoad, "the plug-in's run side is missing or too small",
                          driver == nullptr ? "null" : text(driver->struct_bytes, " bytes"),
                          text(sizeof(NpugraphDriver), " bytes")));
  }
  if (!is_complete(*driver)) {
    return at(place, fail(ErrorId::kPluginLoad, "the plug-in's run side is not complete", {},
                          "names, every function, and an alignment that is a power of two"));
  }
  NPU_LET(SharedDevice device, PluginDevice::open(std::move(plugin)));
  return std::unique_ptr<Driver>(std::make_unique<PluginDriver>(std::move(device)));
}

}  // namespace npugraph
