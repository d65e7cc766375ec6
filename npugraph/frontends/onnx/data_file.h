// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "npugraph/base/result.h"

namespace npugraph::onnx {

/// The file that keeps a model's large tensors: each at a multiple of kDataAlign_bytes, equal
/// memory once. Nothing is copied: the bytes that are added must live until write() is done.
class DataFile {
 public:
  static constexpr int64_t kDataAlign_bytes = 4096;  // a page, so that readers can map a tensor

  /// Offset of the bytes in the file.
  int64_t add(std::span<const std::byte> bytes);
  int64_t length_bytes() const noexcept { return length_bytes_; }
  bool empty() const noexcept { return parts_.empty(); }
  /// 16 hexadecimal digits of what the file holds: files of one model and other content have other
  /// names, so that a model that is replaced never reads the data of another.
  std::string digest() const;
  /// Whole or not at all; a file of this name is replaced. Errors: kFileWrite.
  Status write(const std::filesystem::path& path) const;

 private:
  struct Part {
    std::span<const std::byte> bytes;
    int64_t offset_bytes = 0;
  };
  std::vector<Part> parts_;
  std::map<std::pair<const std::byte*, size_t>, int64_t> offsets_;
  int64_t length_bytes_ = 0;
};

}  // namespace npugraph::onnx
