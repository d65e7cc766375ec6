// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tools/io/helper.h"

namespace npugraph::tools {

/// True for a model of another framework: a .pt2, .pb, .keras or .h5 file, or the folder of a
/// TensorFlow SavedModel.
bool is_foreign_model(const std::filesystem::path& path);

/// What a model's inputs and outputs are called; of a frozen graph (.pb), the tensors to take for
/// them. Empty: as the exporter finds them.
struct PortNames {
  std::vector<std::string> inputs, outputs;
};

/// A model as an ONNX file: an .onnx file as it is; a model of another framework exported by
/// `python -m npugraph.helper` into a folder that goes with this object.
class ModelFile {
 public:
  /// Errors: kPythonMissing (no Python, or a package), kExportFailed (the exporter's message),
  /// kBadOption (names for an ONNX model), kCancelled.
  static Result<ModelFile> open(const std::filesystem::path& path, const PortNames& names = {});
  const std::filesystem::path& onnx() const noexcept { return onnx_; }

 private:
  ModelFile() = default;
  std::filesystem::path onnx_;
  std::optional<TemporaryFolder> folder_;
};

}  // namespace npugraph::tools
