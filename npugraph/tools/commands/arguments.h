// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "npugraph/api/npugraph.h"
#include "npugraph/tools/io/image.h"

namespace npugraph::tools {

/// An option that may be given several times, each time with one value.
CLI::Option* add_repeated(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                          const std::string& help);

/// Refuses what is not a whole number from `minimum` on.
CLI::Validator at_least(int64_t minimum);
/// Refuses what is not a whole number of 64 bits without sign.
CLI::Validator seed_number();

/// "NAME=VALUE" cut at its first '=', or at its last one. Errors: kBadOption.
Result<std::pair<std::string, std::string>> split_at_first(std::string_view option,
                                                           std::string_view text);
Result<std::pair<std::string, std::string>> split_at_last(std::string_view option,
                                                          std::string_view text);

/// NAME=SHAPE, each name once. Errors: kBadOption.
Result<std::map<std::string, Shape, std::less<>>> parse_shapes(
    const std::vector<std::string>& options);
/// NAME=on|off. Errors: kBadOption.
Result<std::map<std::string, bool, std::less<>>> parse_switches(
    const std::vector<std::string>& options);
/// Node names, one a line; empty lines are skipped. Errors: kFileNotFound, kFileRead.
Result<std::vector<std::string>> read_order(const std::filesystem::path& path);

/// Replaces shapes of ports by name. Errors: kBadInputName (with the nearest name).
Status apply_shapes(const std::map<std::string, Shape, std::less<>>& shapes,
                    std::vector<PortDescription>& ports);

/// --plugin, --vnpu-hardware, --user-pass.
struct DeviceArguments {
  std::vector<std::string> plugins;
  std::string vnpu_hardware;
  std::vector<std::string> user_passes;

  void add(CLI::App& app);
  Result<Library> library() const;
};

/// What decides how a model is compiled. For a command that also takes engines, given() tells
/// whether an option that needs a model was used.
struct CompileArguments {
  std::string device = "cpu";
  std::vector<std::string> shapes;
  int64_t opt_level = 2;
  std::vector<std::string> precise;
  std::vector<std::string> passes;
  bool self_check = false;
  std::string dump_passes;
  std::string order;
  std::vector<std::string> keep_inputs;

  /// all: also what only `compile` offers (self check, dumps, order, kept inputs).
  void add(CLI::App& app, bool all);
  /// The part that decides what the passes do to a model.
  void add_passes(CLI::App& app);
  void add_keep_inputs(CLI::App& app);
  /// Ways to find a pass that breaks a model.
  void add_pass_checks(CLI::App& app);
  Result<CompileOptions> options() const;
  /// Names of the given options that an engine cannot honour any more.
  static std::vector<std::string> given(const CLI::App& app);
};

/// --input, --random and how images are scaled.
struct InputArguments {
  std::vector<std::string> inputs;
  std::optional<uint64_t> seed;
  ImageScaling scaling;

  void add(CLI::App& app);
  /// One tensor a port, in port order. With neither --input nor a seed: kBadInputCount unless
  /// default_seed is given. Inputs that --input leaves out are random where a seed is given.
  /// Errors: kBadInputName, kBadInputCount, kBadOption, kBadArray, kBadImage, kBadTensor, …
  Result<std::vector<Tensor>> load(const std::vector<PortDescription>& ports,
                                   std::optional<uint64_t> default_seed) const;
};

/// A file that is an engine or a model, made ready to run.
struct LoadedEngine {
  Engine engine;
  bool compiled = false;  // it was a model
  double open_ms = 0;     // for an engine
};

/// A model is known by the ending .onnx, or is_foreign_model(). Errors: compile()'s,
/// Engine::open()'s, and kBadOption for an engine with options that only a model can have.
Result<LoadedEngine> open_or_compile(const Library& library, const std::filesystem::path& path,
                                     const CompileArguments& arguments, const CLI::App& app);
bool is_model_path(const std::filesystem::path& path);

std::vector<TensorView> views_of(const std::vector<Tensor>& tensors);

}  // namespace npugraph::tools
