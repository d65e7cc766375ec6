// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/data_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "npugraph/base/hash.h"
#include "npugraph/base/text.h"

namespace npugraph::onnx {
namespace {

int64_t aligned(int64_t offset_bytes) {
  constexpr int64_t kAlign = DataFile::kDataAlign_bytes;
  return (offset_bytes + kAlign - 1) / kAlign * kAlign;
}

bool write_at(int file, std::span<const std::byte> bytes, int64_t offset_bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), offset_bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset_bytes += count;
  }
  return true;
}

}  // namespace

int64_t DataFile::add(std::span<const std::byte> bytes) {
  const auto [row, is_new] =
      offsets_.try_emplace({bytes.data(), bytes.size()}, aligned(length_bytes_));
  if (is_new) {
    parts_.push_back({bytes, row->second});
    length_bytes_ = row->second + static_cast<int64_t>(bytes.size());
  }
  return row->second;
}

std::string DataFile::digest() const {
  std::vector<Hash128> hashes;
  for (const Part& part : parts_) hashes.push_back(hash_bytes(part.bytes));
  return hash_bytes(std::as_bytes(std::span(hashes))).hex().substr(0, 16);
}

Status DataFile::write(const std::filesystem::path& path) const {
  const std::string temporary = text(path.string(), ".", ::getpid(), ".tmp");
  const auto failed = [&](std::string_view step) {
    const Error error = at(text("file '", path.string(), "'"),
                           fail(ErrorId::kFileWrite, text("cannot ", step), std::strerror(errno)));
    ::unlink(temporary.c_str());
    return error;
  };
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return failed("create a file in this folder");
  // The gaps between the parts are holes, which read as zeros.
  bool written = std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return write_at(file, part.bytes, part.offset_bytes);
  });
  written = written && ::fsync(file) == 0;
  const int saved = errno;
  const bool closed = ::close(file) == 0;
  if (!written) errno = saved;
  if (!written || !closed) return failed("write the file");
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed("move the file to its name");
  return ok();
}

}  // namespace npugraph::onnx
