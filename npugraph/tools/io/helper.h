// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tools/io/npz.h"

namespace npugraph::tools {

/// A folder that is removed with its content when the object goes.
class TemporaryFolder {
 public:
  /// Errors: kFileWrite.
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Writes a model of another framework as ONNX in a Python process, `python -m npugraph.helper
/// export`: the interpreter beside this program if there is one (as in a virtual environment), else
/// `python3`. Errors: kPythonMissing (no Python, or a package is missing), kExportFailed (with the
/// exporter's message), kCancelled.
Status export_onnx(const std::filesystem::path& model, const std::filesystem::path& onnx,
                   const std::vector<std::string>& input_names,
                   const std::vector<std::string>& output_names);

/// What another engine computed: values in the order in which their nodes stand in the model, and
/// the node that makes each.
struct ForeignValues {
  std::vector<NamedArray> values;
  std::map<std::string, std::string> node_of;  // by value
};

/// Runs `model` with onnxruntime in a Python process, `python -m npugraph.helper` over .npz files:
/// the interpreter beside this program if there is one (as in a virtual environment), else
/// `python3`. all_values: what every node makes, with onnxruntime's optimiser off; else the
/// outputs. Errors: kPythonMissing (no Python, or a package is missing), kCompareFailed,
/// kCancelled.
Result<ForeignValues> run_onnxruntime(const std::filesystem::path& model,
                                      const std::vector<NamedArray>& inputs, bool all_values,
                                      int64_t threads);

}  // namespace npugraph::tools
