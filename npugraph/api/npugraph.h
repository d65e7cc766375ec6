// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tensor/tensor.h"

/// The C++ face: a Library of devices compiles models to Engines, which Sessions run.
///
///   NPU_LET(auto library, Library::create({}));
///   NPU_LET(auto engine, compile(library, "model.onnx", {.device = "cpu"}));
///   NPU_LET(auto session, Session::create(library, engine, {.threads = 2}));
///   NPU_LET(auto outputs, session.run(inputs));
namespace npugraph {

/// "0.1.0"
std::string_view version() noexcept;

struct LibraryOptions {
  std::vector<std::filesystem::path> plugins = {};  // and those of NPUGRAPH_PLUGINS, a ':' list
  std::filesystem::path vnpu_hardware = {};         // hardware file; empty: the built-in profile
};

/// A device as `npugraph devices` lists it.
struct DeviceDescription {
  std::string name;
  std::string description;
  std::string fingerprint;
  std::string firmware;
  bool host_memory = false;
  bool virtual_clock = false;
};

/// An operator as `npugraph ops` lists it: the three columns of the mapping table and its schema.
struct OperatorDescription {
  std::string name, domain, op_class, doc;
  std::vector<std::string> onnx, aten, native;  // framework operators, and kernels of the cpu
  std::vector<std::string> inputs, outputs;     // "X: float32, float64"
  std::vector<std::string> attributes;          // "axis: int = -1"
};
std::vector<OperatorDescription> operators();

/// The devices of a process: built-in ones and loaded plug-ins. Immutable, thread-safe, cheap to
/// copy; engines and sessions keep it alive.
class Library {
 public:
  /// Errors: kPluginLoad, kHardwareFile, kBadOption (NPUGRAPH_ISA).
  static Result<Library> create(const LibraryOptions& options = {});
  std::vector<DeviceDescription> devices() const;

  struct State;
  const State& state() const noexcept { return *state_; }

 private:
  explicit Library(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Told about long work: what is being done and how far it is (0..1). Returning false stops the
/// work with kCancelled.
using Progress = std::function<bool(std::string_view stage, double fraction)>;

struct CompilerOptions {
  std::string device = "cpu";                             // nodes that it refuses run on the cpu
  std::map<std::string, Shape, std::less<>> shapes = {};  // by input name; dims may be symbols
  int64_t opt_level = 2;                                  // 0..3
  std::map<std::string, bool, std::less<>> passes = {};   // switches by name
  bool self_check = false;                 // run the interpreter after each pass and compare
  std::filesystem::path dump_passes = {};  // folder for graphs before and after each pass
  std::vector<std::string> order = {};     // execution order by node name
  bool minimise_memory = true;
  bool reuse_buffers = true;
  Progress progress = {};
};

/// Where time went while compiling, in microseconds.
struct CompileTimes {
  int64_t read_us = 0, optimise_us = 0, lower_us = 0, write_us = 0;
  std::vector<std::pair<std::string, int64_t>> passes_us = {};  // by pass, in the engine's order
  int64_t total_us() const { return read_us + optimise_us + lower_us + write_us; }
};

/// An input or output: dims may be expressions over the symbols of the input shapes.
struct PortDescription {
  std::string name;
  TensorType type;
};

/// A compiled model. Immutable, thread-safe, cheap to copy.
class Engine {
 public:
  /// Errors: kFileNotFound, kFileRead, kEngineCorrupt, kEngineVersion.
  static Result<Engine> open(const std::filesystem::path& path);
  /// Written whole or not at all. Errors: kFileWrite.
  Status save(const std::filesystem::path& path) const;

  std::vector<PortDescription> inputs() const;
  std::vector<PortDescription> outputs() const;
  /// Everything about the engine as JSON: format, devices, ports, nodes with placement and reasons,
  /// programs, tasks, memory plan, passes with node counts, copies and cut edges. Times are in
  /// times(): equal input gives equal bytes, so an engine holds no clock.
  std::string describe_json() const;
  /// The optimised graph as text (ir/print.h), long constants as their hash.
  std::string_view graph_text() const noexcept;
  /// Zero for an engine that was opened.
  const CompileTimes& times() const noexcept { return times_; }

  struct State;
  const std::shared_ptr<const State>& state() const noexcept { return state_; }
  Engine(std::shared_ptr<const State> state, CompileTimes times)
      : state_(std::move(state)), times_(times) {}

 private:
  std::shared_ptr<const State> state_;
  CompileTimes times_;
};

/// Reads an ONNX model, optimises it and lowers it for options.device.
/// Errors: the front end's, kBadOption, kDeviceUnknown, kNodeUnplaced, …: each with file and node.
Result<Engine> compile(const Library& library, const std::filesystem::path& model,
                       const CompilerOptions& options = {});
/// The same from the bytes of a model without external data.
Result<Engine> compile(const Library& library, std::span<const std::byte> model,
                       const CompilerOptions& options = {});

struct RunOptions {
  int64_t threads = 0;         // host threads, the caller included; 0: all processors
  bool planned_memory = true;  // false: allocate and free every buffer apart, for fault finding
  int64_t late_limit_bytes = int64_t{4} << 30;  // for tensors whose size only running can tell
};

/// What one execution cost.
struct RunTimes {
  int64_t wall_ns = 0;
  int64_t virtual_ns = 0;                                // 0: no simulated device
  std::vector<std::pair<std::string, int64_t>> busy_ns;  // by device, on its own clock
};

/// Counters of the memory of a session's devices and of its plans.
struct SessionCounters {
  int64_t device_allocations = 0;  // on all devices of the library, since it was created
  int64_t arena_bytes = 0;         // held by this session
  int64_t late_bytes = 0;          // held by it for tensors whose size only running can tell
  int64_t prepared_plans = 0;      // how often prepare() had to plan
  int64_t copies = 0, copied_bytes = 0;
};

/// A tensor that a run made, by the name of the model's value.
struct NamedTensor {
  std::string name;
  std::string node;  // task that made it
  Tensor tensor;
};

/// An engine ready to run. One thread at a time; sessions share nothing that changes. Movable.
class Session {
 public:
  static Result<Session> create(const Library& library, const Engine& engine,
                                const RunOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const std::vector<PortDescription>& inputs() const noexcept;
  const std::vector<PortDescription>& outputs() const noexcept;

  /// Does all that may fail or allocate for these input shapes, once a shape.
  Status prepare(std::span<const Dims> input_dims);
  /// inputs: in port order, used in place. Returns views of the session's own memory, valid until
  /// the next run. Errors: kBadInputCount, kBadTensor, kMisaligned, kShapeMismatch, …
  Result<std::vector<TensorView>> run(std::span<const TensorView> inputs);
  /// Writes into the caller's tensors; one with null data goes to the session's memory.
  Status run(std::span<const TensorView> inputs, std::span<const TensorView> outputs);
  /// Output `index` of the last run.
  const TensorView& output(int64_t index) const noexcept;
  /// run(), and a copy of every value that a task made, in order of execution.
  Result<std::vector<NamedTensor>> run_captured(std::span<const TensorView> inputs);

  RunTimes times() const;
  SessionCounters counters() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Runs a model node by node with the reference implementations, unoptimised: every value that a
/// node makes, graph inputs and constants left out, in order. The oracle of `npugraph compare`.
Result<std::vector<NamedTensor>> interpret(const std::filesystem::path& model,
                                           std::span<const Tensor> inputs,
                                           const Progress& progress = {});
/// Input ports of a model file, with symbols for dims that it leaves open.
Result<std::vector<PortDescription>> model_inputs(const std::filesystem::path& model);
/// Output ports of a model file.
Result<std::vector<PortDescription>> model_outputs(const std::filesystem::path& model);

/// One node of a model as `npugraph check` lists it.
struct CheckRow {
  std::string name, path, domain, op;
  std::string device;                  // where it will run; empty: nowhere
  std::string kernel;                  // native operator
  std::string reason, found, allowed;  // why the wanted device, or every device, refuses it
  std::vector<std::string> signs;  // danger signs with advice: Loop, If, custom domain, late sizes
};
/// Every operator of a model: where it runs, or why not, all in one pass.
Result<std::vector<CheckRow>> check(const Library& library, const std::filesystem::path& model,
                                    const CompilerOptions& options = {});

/// Deterministic inputs for trials: floats uniform in [-1, 1), integers and bools 0 or 1; symbols
/// of the shapes that are left open become `open_dim`.
Result<std::vector<Tensor>> random_inputs(std::span<const PortDescription> ports, uint64_t seed,
                                          int64_t open_dim = 1);

}  // namespace npugraph
