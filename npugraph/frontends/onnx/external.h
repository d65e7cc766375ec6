// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "npugraph/base/file.h"

namespace npugraph::onnx {

/// Bytes of a file that stay mapped as long as somebody holds `owner`.
struct MappedBytes {
  std::shared_ptr<const MappedFile> owner;
  std::span<const std::byte> bytes;
};

/// Opens the files that tensors keep their data in. Only files inside one folder are opened: no
/// absolute path, no "..", no link that leads elsewhere.
class ExternalData {
 public:
  /// folder: empty when the model has none; every request is then refused.
  ExternalData(std::filesystem::path folder, bool allow_links)
      : folder_(std::move(folder)), allow_links_(allow_links) {}

  /// The whole file at `location`. Errors: kOnnxExternalData naming the resolved path.
  Result<MappedBytes> open(const std::string& location);

 private:
  Result<std::filesystem::path> resolve(const std::string& location) const;
  std::filesystem::path folder_;
  bool allow_links_;
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> open_files_;
};

}  // namespace npugraph::onnx
