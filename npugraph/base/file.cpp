// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

/// Closes a file descriptor at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int value) noexcept : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const noexcept { return value_; }
  int release() noexcept { return std::exchange(value_, -1); }

 private:
  int value_;
};

Error write_error(const std::filesystem::path& path, const char* step) {
  return at(text("file '", path.string(), "'"),
            fail(ErrorId::kFileWrite, text("cannot ", step), std::strerror(errno)));
}

/// A new, empty file beside `target`, with the mode that the process's umask gives; sets `name`.
int create_beside(const std::filesystem::path& target, std::string& name) {
  static std::atomic<uint32_t> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = text(target.string(), ".", ::getpid(), ".", counter.fetch_add(1), ".tmp");
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const std::string place = text("file '", path.string(), "'");
  // O_NONBLOCK: opening a FIFO must not wait for somebody to write into it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0)
    return at(place, fail(ErrorId::kFileNotFound, "cannot open the file", std::strerror(errno),
                          "a readable file"));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return at(place, fail(ErrorId::kFileRead, "not a regular file", "a folder or a device",
                          "a regular file"));
  const auto length = static_cast<size_t>(info.st_size);
  if (length == 0) return MappedFile(nullptr, 0);
  void* data = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED)
    return at(place, fail(ErrorId::kFileRead, "cannot map the file", std::strerror(errno)));
  return MappedFile(static_cast<const std::byte*>(data), length);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), length_(std::exchange(other.length_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(length_, other.length_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), length_);
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  if (path.filename().empty())
    return at(text("file '", path.string(), "'"),
              fail(ErrorId::kFileWrite, "there is no name of a file",
                   path.empty() ? "an empty path" : "a path that ends in '/'",
                   "folder and name of the file to write", "give the file a name"));
  // A link keeps pointing where it does: what it points to is replaced.
  std::error_code unresolved;
  std::filesystem::path target = std::filesystem::canonical(path, unresolved);
  if (unresolved) target = path;
  struct stat old{};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode))
    return at(text("file '", path.string(), "'"),
              fail(ErrorId::kFileWrite, "only regular files are replaced", "a folder or a device",
                   "a new name, or a regular file"));
  std::string temporary;
  Descriptor file(create_beside(target, temporary));
  if (file.get() < 0) return write_error(path, "create a file in this folder");
  bool written = write_all(file.get(), bytes);
  if (exists) written = written && ::fchmod(file.get(), old.st_mode & 07777) == 0;
  written = written && ::fsync(file.get()) == 0;
  const int saved = errno;
  const bool closed = ::close(file.release()) == 0;
  if (!written || !closed) {
    if (!written) errno = saved;
    const Error error = write_error(path, "write the file");
    ::unlink(temporary.c_str());
    return error;
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const Error error = write_error(path, "move the file to its name");
    ::unlink(temporary.c_str());
    return error;
  }
  return ok();
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
  return write_file(path, bytes_of(bytes));
}

}  // namespace npugraph
