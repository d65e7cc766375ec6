// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "npugraph/base/result.h"

namespace npugraph {

/// A regular file mapped read-only. Movable; the bytes live as long as the object.
class MappedFile {
 public:
  /// Errors: kFileNotFound, kFileRead (not a regular file, or mmap fails).
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const noexcept { return {data_, length_}; }

 private:
  MappedFile(const std::byte* data, size_t length) noexcept : data_(data), length_(length) {}
  const std::byte* data_;
  size_t length_;
};

/// Writes a whole file or nothing: a temporary file in the same folder, synced, then renamed, so an
/// interrupted write never leaves half a file. Errors: kFileWrite.
Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
Status write_file(const std::filesystem::path& path, std::string_view bytes);

/// The bytes of a string.
inline std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace npugraph
