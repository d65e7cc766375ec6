// SPDX-License-Identifier: Apache-2.0
#include "npugraph/drivers/cpu/cpu_driver.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/base/thread_pool.h"
#include "npugraph/kernels/program.h"

namespace npugraph {
namespace {

constexpr std::string_view kFingerprintPrefix = "x86-64 ";

int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class CpuMemory final : public DeviceMemory {
 public:
  CpuMemory(std::byte* data, int64_t size_bytes, DriverCounters& counters) noexcept
      : data_(data), size_bytes_(size_bytes), counters_(counters) {
    counters_.allocations.fetch_add(1, std::memory_order_relaxed);
    counters_.bytes_in_use.fetch_add(size_bytes, std::memory_order_relaxed);
  }
  CpuMemory(const CpuMemory&) = delete;
  CpuMemory& operator=(const CpuMemory&) = delete;
  ~CpuMemory() override {
    counters_.bytes_in_use.fetch_sub(size_bytes_, std::memory_order_relaxed);
    std::free(data_);  // NOLINT: the matching release of aligned_alloc
  }
  std::byte* address() const noexcept override { return data_; }
  int64_t size_bytes() const noexcept override { return size_bytes_; }

 private:
  std::byte* data_;
  int64_t size_bytes_;
  DriverCounters& counters_;
};

/// A kernel plan and the views that it is run with: everything but addresses is filled in once, so
/// that running allocates nothing.
class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const KernelProgram& program, std::unique_ptr<KernelPlan> plan,
                std::vector<TensorView> in, std::vector<TensorView> out)
      : program_(program), plan_(std::move(plan)), in_(std::move(in)), out_(std::move(out)) {}

  int64_t scratch_bytes() const noexcept override { return plan_->scratch_bytes(); }

  Status run(Views in, Views out, std::span<std::byte> scratch, ThreadPool& pool) noexcept {
    for (size_t i = 0; i < in_.size(); ++i)
      if (program_.inputs[i].kind == ProgramInput::Kind::kRuntime)
        in_[i].data = in[static_cast<size_t>(program_.inputs[i].index)].data;
    for (size_t i = 0; i < out_.size(); ++i) out_[i].data = out[i].data;
    return plan_->run({in_, out_, scratch, pool});
  }

 private:
  const KernelProgram& program_;
  std::unique_ptr<KernelPlan> plan_;
  std::vector<TensorView> in_;
  std::vector<TensorView> out_;
};

class CpuProgram final : public DeviceProgram {
 public:
  CpuProgram(KernelProgram program, std::vector<Tensor> weights)
      : program_(std::move(program)), weights_(std::move(weights)) {}

  Result<std::unique_ptr<Executable>> prepare(std::span<const TensorType* const> in,
                                              std::span<const TensorType> out) const override {
    std::vector<KernelInput> inputs;
    std::vector<TensorView> in_views, out_views;
    std::vector<TensorType> weight_types;
    weight_types.reserve(program_.inputs.size());
    for (const ProgramInput& input : program_.inputs) {
      switch (input.kind) {
        case ProgramInput::Kind::kAbsent:
          inputs.push_back({});
          in_views.push_back(no_tensor());
          break;
        case ProgramInput::Kind::kRuntime: {
          if (static_cast<size_t>(input.index) >= in.size())
            return fail(ErrorId::kProgramInvalid, "a cpu program reads an input that is not there",
                        text(input.index), text("less than ", in.size()));
          const TensorType* type = in[static_cast<size_t>(input.index)];
          if (type == nullptr)
            return fail(ErrorId::kProgramInvalid, "a cpu program reads an input that is absent",
                        text(input.index), "a tensor");
          inputs.push_back({type, nullptr});
          in_views.push_back({type->dtype, *type->shape.known(), nullptr});
          break;
        }
        case ProgramInput::Kind::kWeight: {
          const Tensor& weight = weights_[static_cast<size_t>(input.index)];
          weight_types.push_back(weight.type());
          inputs.push_back({&weight_types.back(), &weight});
          in_views.push_back(weight.view());
          break;
        }
        case ProgramInput::Kind::kPacked:
          inputs.push_back({&input.type, nullptr});
          in_views.push_back({input.type.dtype, *input.type.shape.known(), nullptr});
          break;
      }
    }
    NPU_TRY(check_types(inputs, out));
    NPU_TRY(check_kernel(inputs, out));
    for (const TensorType& type : out)
      out_views.push_back({type.dtype, *type.shape.known(), nullptr});
    const KernelNode node{*program_.schema, program_.attrs, inputs, out, program_.isa};
    const auto packed = std::span(weights_).subspan(static_cast<size_t>(program_.packed_first),
                                                    static_cast<size_t>(program_.packed_count));
    NPU_LET(std::unique_ptr<KernelPlan> plan, program_.kernel->prepare(node, packed));
    return std::unique_ptr<Executable>(std::make_unique<CpuExecutable>(
        program_, std::move(plan), std::move(in_views), std::move(out_views)));
  }

  Result<std::vector<TensorType>> infer(Views in, int64_t output_count) const override {
    std::vector<TensorView> views;
    for (const ProgramInput& input : program_.inputs) {
      const auto index = static_cast<size_t>(input.index);
      switch (input.kind) {
        case ProgramInput::Kind::kAbsent:
          views.push_back(no_tensor());
          break;
        case ProgramInput::Kind::kRuntime:
          if (index >= in.size())
            return fail(ErrorId::kProgramInvalid, "a cpu program reads an input that is not there");
          views.push_back(in[index]);
          break;
        case ProgramInput::Kind::kWeight:
          views.push_back(weights_[index].view());
          break;
        case ProgramInput::Kind::kPacked:
          return infer_by_types(in, output_count);
      }
    }
    return infer_concrete(*program_.schema, program_.attrs, views, output_count);
  }

 private:
  /// The operator's own rules hold for what the engine says, so that a kernel may trust its types.
  Status check_types(std::span<const KernelInput> inputs, std::span<const TensorType> out) const {
    std::vector<InferInput> rows;
    for (const KernelInput& input : inputs) rows.push_back({input.type, nullptr, input.constant});
    if (static_cast<int32_t>(out.size()) != program_.output_count)
      return fail(ErrorId::kProgramInvalid, "number of outputs of a cpu program", text(out.size()),
                  text(program_.output_count));
    NPU_LET(const auto inferred,
            infer_outputs(*program_.schema, {rows, program_.attrs, static_cast<int64_t>(out.size()),
                                             program_.schema->name}));
    for (size_t i = 0; i < out.size(); ++i) {
      const TensorType& type = inferred[i].type;
      const bool same =
          type.dtype == out[i].dtype && (!type.shape.is_static() || type.shape == out[i].shape);
      if (!same)
        return fail(ErrorId::kShapeMismatch, text("output ", i, " of ", program_.schema->name),
                    out[i].str(), type.str());
    }
    return ok();
  }

  /// The kernel takes the node, as it did when the engine was compiled.
  Status check_kernel(std::vector<KernelInput> inputs, std::span<const TensorType> out) const {
    // What is packed was constant.
    for (size_t i = 0; i < inputs.size(); ++i)
      if (program_.inputs[i].kind == ProgramInput::Kind::kPacked)
        inputs[i].constant = &weights_[static_cast<size_t>(program_.packed_first)];
    const KernelNode node{.schema = *program_.schema,
                          .attrs = program_.attrs,
                          .in = inputs,
                          .out = out,
                          .isa = program_.isa,
                          .allow_fast = true};
    if (program_.kernel->supports(node)) return ok();
    return fail(ErrorId::kProgramInvalid, "a kernel does not take the node of its program",
                std::string(program_.kernel->name), std::string(program_.schema->name));
  }

  /// Packed weights have no data left; the operators that pack do not need it for their sizes.
  Result<std::vector<TensorType>> infer_by_types(Views in, int64_t output_count) const {
    std::vector<TensorType> types(program_.inputs.size());
    std::vector<InferInput> rows(program_.inputs.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const ProgramInput& input = program_.inputs[i];
      const auto index = static_cast<size_t>(input.index);
      if (input.kind == ProgramInput::Kind::kAbsent) continue;
      if (input.kind == ProgramInput::Kind::kPacked) types[i] = input.type;
      if (input.kind == ProgramInput::Kind::kWeight) types[i] = weights_[index].type();
      if (input.kind == ProgramInput::Kind::kRuntime) {
        if (index >= in.size())
          return fail(ErrorId::kProgramInvalid, "a cpu program reads an input that is not there");
        types[i] = {in[index].dtype, Shape(in[index].dims)};
      }
      rows[i].type = &types[i];
    }
    NPU_LET(auto outputs, infer_outputs(*program_.schema, {rows, program_.attrs, output_count,
                                                           program_.schema->name}));
    std::vector<TensorType> out;
    for (InferOutput& output : outputs) {
      if (!output.type.shape.is_static())
        return fail(ErrorId::kUnknownDim, text("output size of ", program_.schema->name),
                    output.type.str());
      out.push_back(std::move(output.type));
    }
    return out;
  }

  KernelProgram program_;
  std::vector<Tensor> weights_;
};

class CpuQueue final : public Queue {
 public:
  CpuQueue(std::unique_ptr<ThreadPool> pool, DriverCounters& counters) noexcept
      : pool_(std::move(pool)), counters_(counters) {}

  Status execute(Executable& executable, Views in, Views out,
                 std::span<std::byte> scratch) noexcept override {
    const int64_t start = now_ns();
    counters_.launches.fetch_add(1, std::memory_order_relaxed);
    // Only this driver's programs make executables for its queues.
    Status status = static_cast<CpuExecutable&>(executable).run(in, out, scratch, *pool_);
    busy_ns_ += now_ns() - start;
    return status;
  }

  Status copy_in(const TensorView& device, const TensorView& host) noexcept override {
    return copy(device, host);
  }
  Status copy_out(const TensorView& host, const TensorView& device) noexcept override {
    return copy(host, device);
  }
  EventRecord record() noexcept override { return {clock_ns()}; }
  Status wait(const EventRecord&) noexcept override { return ok(); }
  Status synchronize() noexcept override { return ok(); }
  int64_t clock_ns() const noexcept override { return now_ns(); }
  int64_t busy_ns() const noexcept override { return busy_ns_; }

 private:
  Status copy(const TensorView& to, const TensorView& from) noexcept {
    if (to.dtype != from.dtype || to.dims != from.dims)
      return fail(ErrorId::kBadTensor, "a copy joins tensors of different types",
                  text(dtype_name(from.dtype), " ", dims_str(from.dims)),
                  text(dtype_name(to.dtype), " ", dims_str(to.dims)));
    counters_.copies.fetch_add(1, std::memory_order_relaxed);
    counters_.copied_bytes.fetch_add(from.bytes(), std::memory_order_relaxed);
    if (from.bytes() > 0) std::memcpy(to.data, from.data, static_cast<size_t>(from.bytes()));
    return ok();
  }

  std::unique_ptr<ThreadPool> pool_;
  DriverCounters& counters_;
  int64_t busy_ns_ = 0;
};

class CpuDriver final : public Driver {
 public:
  explicit CpuDriver(Isa isa) : isa_(isa) {
    info_.name = "cpu";
    info_.fingerprint = text(kFingerprintPrefix, isa_name(isa));
    info_.description = text("this machine's x86-64 processor, ", isa_name(isa), ", ", cpu_count(),
                             " logical processors");
    info_.host_memory = true;
  }

  const DriverInfo& info() const noexcept override { return info_; }
  const DriverCounters& counters() const noexcept override { return counters_; }

  Status accepts(const PlanDevice& device) const override {
    const std::string_view wanted = device.fingerprint;
    if (wanted.substr(0, kFingerprintPrefix.size()) == kFingerprintPrefix) {
      const auto isa = parse_isa(wanted.substr(kFingerprintPrefix.size()));
      if (isa && *isa <= isa_) return ok();
    }
    return fail(ErrorId::kDeviceMismatch, "the engine needs another processor", device.fingerprint,
                text(info_.fingerprint, " or a weaker level"));
  }

  Result<std::unique_ptr<DeviceMemory>> allocate(int64_t size_bytes, int64_t align_bytes) override {
    const int64_t align = std::max<int64_t>(align_bytes, info_.align_bytes);
    const auto padded = checked_add(size_bytes, align);
    void* data = !padded
                     ? nullptr
                     : std::aligned_alloc(
                           static_cast<size_t>(align),
                           static_cast<size_t>(round_up(std::max<int64_t>(size_bytes, 1), align)));
    if (data == nullptr)
      return fail(ErrorId::kOutOfMemory, "cannot allocate memory of device cpu",
                  text(size_bytes, " bytes"));
    return std::unique_ptr<DeviceMemory>(
        std::make_unique<CpuMemory>(static_cast<std::byte*>(data), size_bytes, counters_));
  }

  Result<std::unique_ptr<DeviceProgram>> load(std::span<const std::byte> code,
                                              std::span<const Tensor> weights) override {
    NPU_LET(KernelProgram program, load_program(code, static_cast<int64_t>(weights.size())));
    if (program.isa > isa_)
      return fail(ErrorId::kDeviceMismatch, "a program needs another processor",
                  std::string(isa_name(program.isa)), std::string(isa_name(isa_)));
    return std::unique_ptr<DeviceProgram>(std::make_unique<CpuProgram>(
        std::move(program), std::vector<Tensor>(weights.begin(), weights.end())));
  }

  Result<std::unique_ptr<Queue>> create_queue(const QueueOptions& options) override {
    NPU_LET(std::unique_ptr<ThreadPool> pool, ThreadPool::create(options.threads));
    return std::unique_ptr<Queue>(std::make_unique<CpuQueue>(std::move(pool), counters_));
  }

 private:
  Isa isa_;
  DriverInfo info_;
  DriverCounters counters_;
};

}  // namespace

std::unique_ptr<Driver> make_cpu_driver(Isa isa) { return std::make_unique<CpuDriver>(isa); }

}  // namespace npugraph
