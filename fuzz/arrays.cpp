// SPDX-License-Identifier: Apache-2.0
// What a user hands the command line: .npy, .npz, .png and .jpg files. Each reader gets each input.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "fuzz/driver.h"
#include "npugraph/tools/io/image.h"
#include "npugraph/tools/io/npy.h"
#include "npugraph/tools/io/npz.h"

namespace npugraph::fuzz {
namespace {

/// The bytes as a file that has a path and no place on a disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : file_(::memfd_create("fuzz", 0)) {
    if (file_ < 0) std::abort();
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count <= 0) std::abort();
      bytes = bytes.subspan(static_cast<size_t>(count));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

void must_be_typed(const Error& error) {
  if (error.id == ErrorId::kInternal || error.message().empty()) std::abort();
}

}  // namespace

void fuzz_one(std::span<const std::byte> bytes) {
  const auto array = tools::parse_npy(bytes);
  if (!array) {
    must_be_typed(array.error());
  } else {
    const std::string written = tools::npy_bytes(array->view());
    const auto again = tools::parse_npy(std::as_bytes(std::span(written)));
    if (!again || tools::npy_bytes(again->view()) != written) std::abort();
  }
  const MemoryFile file(bytes);
  const auto arrays = tools::read_npz(file.path());
  if (!arrays) must_be_typed(arrays.error());
  for (const int64_t channels : {1, 3}) {
    const auto image = tools::read_image(file.path(), channels);
    if (!image) must_be_typed(image.error());
  }
}

void mutate_format(Bytes&, const Bytes&, Random&) {}

}  // namespace npugraph::fuzz
