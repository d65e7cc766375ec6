// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "npugraph/api/user_pass.h"
#include "npugraph/base/result.h"
#include "npugraph/runtime/run_types.h"
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

/// What Library::create() loads besides the built-in devices.
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
/// Every operator that npugraph knows, in the order of the table.
std::vector<OperatorDescription> operators();

/// The devices of a process, built-in ones and loaded plug-ins, and the passes that compile for
/// them. Thread-safe, cheap to copy: copies are the same library; engines and sessions keep it
/// alive.
class Library {
 public:
  /// Errors: kPluginLoad, kHardwareFile, kBadOption (NPUGRAPH_ISA).
  static Result<Library> create(const LibraryOptions& options = {});
  /// The cpu first, then the other built-in devices, then plug-ins.
  std::vector<DeviceDescription> devices() const;

  /// Adds a pass of your own to what compile() runs with this library from now on; switched by its
  /// name in CompileOptions::passes like any other.
  /// Errors: kBadOption (name taken or not a word, no such pass to run before, level, no rewrites),
  /// kBadPattern with the rewrite, line and column, kUnknownOp.
  Status register_pass(UserPass pass) const;
  /// Takes a registered pass away again; false when there is none of this name.
  bool remove_pass(std::string_view name) const;
  /// All passes, in the order in which they run.
  std::vector<PassDescription> passes() const;

  struct State;
  /// For the library's own sources.
  const State& state() const noexcept { return *state_; }

 private:
  explicit Library(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Told about long work: what is being done and how far it is (0..1). Returning false stops the
/// work with kCancelled.
using Progress = std::function<bool(std::string_view stage, double fraction)>;

/// "1x3x240x320", "bx128", "b,max_len" (commas where a symbol holds an x), or "scalar".
/// Errors: kBadOption.
Result<Shape> parse_shape(std::string_view shape);

/// How compile() works. Errors of its fields: kBadOption, kBadInputName (a shape), kBadOrder.
struct CompileOptions {
  std::string device = "cpu";                             // nodes that it refuses run on the cpu
  std::map<std::string, Shape, std::less<>> shapes = {};  // by input name; dims may be symbols
  static constexpr int64_t kMaxOptLevel = 3;
  /// 0 as the model is; 1 clean-ups that keep every bit; 2 fusions too; 3 implementations marked
  /// fast in the mapping table too, which approximate.
  int64_t opt_level = 2;
  /// Keeps precise implementations at level 3: operators ("Softmax"), or regular expressions that
  /// match a whole name of a node as the model has it.
  std::vector<std::string> precise = {};
  std::map<std::string, bool, std::less<>> passes = {};  // switches by name
  bool self_check = false;                 // run the interpreter after each pass and compare
  std::filesystem::path dump_passes = {};  // folder for graphs before and after each pass
  /// Stops optimising after this many calls of passes: to find the call that does harm.
  int64_t max_pass_calls = std::numeric_limits<int64_t>::max();
  std::vector<std::string> order = {};  // execution order by node name
  /// Inputs that stay inputs although the model gives them a value; all others become constants.
  std::vector<std::string> keep_inputs = {};
  bool minimise_memory = true;
  bool reuse_buffers = true;
  Progress progress = {};
};

/// Where time went while compiling, in microseconds.
struct CompileTimes {
  int64_t read_us = 0, optimise_us = 0, lower_us = 0, write_us = 0;
  std::vector<std::pair<std::string, int64_t>> passes_us = {};  // by pass, in the engine's order
  /// Their sum.
  int64_t total_us() const { return read_us + optimise_us + lower_us + write_us; }
};

/// A compiled model. Immutable, thread-safe, cheap to copy.
class Engine {
 public:
  /// Errors: kFileNotFound, kFileRead, kEngineCorrupt, kEngineVersion.
  static Result<Engine> open(const std::filesystem::path& path);
  /// Written whole or not at all. Errors: kFileWrite.
  Status save(const std::filesystem::path& path) const;

  /// In the model's order; sessions take tensors in this order.
  std::vector<PortDescription> inputs() const;
  /// In the model's order; sessions give tensors in this order.
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
  /// For the library's own sources.
  const std::shared_ptr<const State>& state() const noexcept { return state_; }
  /// For the library's own sources.
  Engine(std::shared_ptr<const State> state, CompileTimes times)
      : state_(std::move(state)), times_(times) {}

 private:
  std::shared_ptr<const State> state_;
  CompileTimes times_;
};

/// Reads an ONNX model, optimises it and lowers it for options.device.
/// Errors: the front end's, kBadOption, kDeviceUnknown, kNodeUnplaced, …: each with file and node.
Result<Engine> compile(const Library& library, const std::filesystem::path& model,
                       const CompileOptions& options = {});
/// The same from the bytes of a model without external data.
Result<Engine> compile(const Library& library, std::span<const std::byte> model,
                       const CompileOptions& options = {});
/// The same from a graph in its text form (the grammar is in ir/print.h and docs/c.md): the
/// shortest way to a small graph. Errors: kIrParse with line and column.
Result<Engine> compile_text(const Library& library, std::string_view graph,
                            const CompileOptions& options = {});

/// One of the models that become one engine.
struct MergedModel {
  std::string name;                       // unique; before the names of its ports and nodes
  std::filesystem::path path = {};        // ONNX model
  std::span<const std::byte> bytes = {};  // or, where there is no path, the model itself
};

/// Compiles several models as one engine whose runs run all of them: small graphs cost one launch
/// together. A port keeps its name when no other model has a port of that name, else it becomes
/// "name/port"; nodes always become "name/node". Open dims of different models are independent;
/// give them the same symbol by CompileOptions::shapes to tie them.
/// Errors: as compile(); kBadOption (names, nothing to merge).
Result<Engine> merge(const Library& library, std::span<const MergedModel> models,
                     const CompileOptions& options = {});

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
  /// Loads the engine's programs on its devices. Errors: kBadOption, kDeviceUnknown,
  /// kDeviceMismatch, kFirmware, kProgramInvalid, kOutOfMemory, and those of the drivers.
  static Result<Session> create(const Library& library, const Engine& engine,
                                const RunOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// The engine's inputs, in the order of run()'s tensors.
  const std::vector<PortDescription>& inputs() const noexcept;
  /// The engine's outputs, in the order of run()'s results.
  const std::vector<PortDescription>& outputs() const noexcept;

  /// Does all that may fail or allocate for these input shapes, once a shape.
  Status prepare(std::span<const Dims> input_dims);
  /// inputs: in port order, used in place. Returns views of the session's own memory, valid until
  /// the next run. Errors: kBadInputCount, kBadTensor, kMisaligned, kShapeMismatch, …
  Result<std::vector<TensorView>> run(std::span<const TensorView> inputs);
  /// Writes into the caller's tensors; one with null data goes to the session's memory. For shapes
  /// that are prepared, allocates nothing but for tensors whose size only running can tell.
  Status run(std::span<const TensorView> inputs, std::span<const TensorView> outputs);
  /// prepare() where needed, and all checks of run() without running.
  Status check(std::span<const TensorView> inputs, std::span<const TensorView> outputs);
  /// prepare() where needed; dims of the outputs, nothing for those whose size only running tells.
  Result<std::vector<std::optional<Dims>>> output_dims(std::span<const Dims> input_dims);
  /// Output `index` of the last run.
  const TensorView& output(int64_t index) const noexcept;
  /// run(), and a copy of every value that a task made, in order of execution.
  Result<std::vector<NamedTensor>> run_layers(std::span<const TensorView> inputs);

  /// Of the last run; zeros before the first.
  RunTimes times() const;
  /// Since the session was made, or as it says there.
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

/// What optimise() did.
struct OptimiseReport {
  int64_t nodes_before = 0, nodes_after = 0;                  // nested graphs included
  std::vector<std::pair<std::string, int64_t>> changes = {};  // by pass, in order
  std::filesystem::path data = {};  // the weights' file beside the model; empty: they are inside
};
/// Reads an ONNX model, runs the passes and writes it as ONNX again, whole or not at all. Passes
/// that make what not every ONNX runtime takes are left out. More than 2 GiB of weights go to a
/// file beside the model. Of the options: shapes, keep_inputs, opt_level, passes, self_check,
/// dump_passes, progress. Errors: the front end's, kBadOption, kOnnxWrite, kFileWrite, …
Result<OptimiseReport> optimise(const Library& library, const std::filesystem::path& model,
                                const std::filesystem::path& output,
                                const CompileOptions& options = {});

/// Answers whether what an engine computes is right; an error ends the search.
using EngineJudge = std::function<Result<bool>(const Engine& engine)>;
/// The call of a pass that spoils a model.
struct PassBisection {
  int64_t calls = 0;  // of passes, in all
  int64_t call = 0;   // the first after which the engine is not good; 0: it is good after all
  std::string pass_name = {};  // whose call that is; empty when there is none
  std::string diff = {};       // nodes that the call removed, changed and added, one a line
};
/// Compiles a model with the first calls of the passes only, halving, until the call is found after
/// which is_good says no. Errors: compile()'s, is_good's, kCompareFailed when the engine is not
/// good before any pass has run.
Result<PassBisection> bisect_passes(const Library& library, const std::filesystem::path& model,
                                    const EngineJudge& is_good, const CompileOptions& options = {});

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
                                    const CompileOptions& options = {});

/// Deterministic inputs for trials: floats uniform in [-1, 1), integers and bools 0 or 1; symbols
/// of the shapes that are left open become `open_dim`.
Result<std::vector<Tensor>> random_inputs(std::span<const PortDescription> ports, uint64_t seed,
                                          int64_t open_dim = 1);

}  // namespace npugraph
