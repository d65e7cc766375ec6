// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/npz.h"

#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/tools/io/npy.h"

namespace npugraph::tools {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr zip_int64_t kMaxEntries = 65536;
// Deflate makes at most 1032 bytes of one; small entries need no such test.
constexpr zip_uint64_t kMaxExpansion = 1032;
constexpr zip_uint64_t kSmallEntry_bytes = 1 << 20;
constexpr size_t kChunk_bytes = 1 << 20;

struct ZipDiscard {
  void operator()(zip_t* archive) const noexcept { zip_discard(archive); }
};
using Zip = std::unique_ptr<zip_t, ZipDiscard>;

struct ZipFileClose {
  void operator()(zip_file_t* file) const noexcept { zip_fclose(file); }
};
using ZipFile = std::unique_ptr<zip_file_t, ZipFileClose>;

struct SourceFree {
  void operator()(zip_source_t* source) const noexcept { zip_source_free(source); }
};
using Source = std::unique_ptr<zip_source_t, SourceFree>;

/// zip_error_t holds memory of its own.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() noexcept { return &error_; }
  std::string str() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

Error bad(std::string what, std::string found = {}, std::string expected = {}) {
  return fail(ErrorId::kBadArray, std::move(what), std::move(found), std::move(expected));
}

Result<std::string> read_entry(zip_t* archive, zip_uint64_t index, const zip_stat_t& info) {
  if ((info.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && info.encryption_method != ZIP_EM_NONE)
    return bad("the entry is encrypted");
  if ((info.valid & ZIP_STAT_SIZE) == 0 || (info.valid & ZIP_STAT_COMP_SIZE) == 0)
    return bad("the entry has no size");
  if (info.size > kSmallEntry_bytes && info.size / kMaxExpansion > info.comp_size)
    return bad("the entry claims to expand more than deflate can",
               text(info.comp_size, " to ", info.size, " bytes"),
               text("at most ", kMaxExpansion, " times"));
  const ZipFile file(zip_fopen_index(archive, index, 0));
  if (file == nullptr) return bad("the entry cannot be opened", zip_strerror(archive));
  std::string out;
  while (out.size() <= info.size) {
    const size_t before = out.size();
    out.resize(before + kChunk_bytes);
    const zip_int64_t count = zip_fread(file.get(), out.data() + before, kChunk_bytes);
    if (count < 0)
      return bad("the entry is damaged", zip_error_strerror(zip_file_get_error(file.get())));
    out.resize(before + static_cast<size_t>(count));
    if (count == 0) break;
  }
  if (out.size() != info.size)
    return bad("the entry has another length than it claims", text(out.size(), " bytes"),
               text(info.size, " bytes"));
  return out;
}

Result<NamedArray> read_array(zip_t* archive, zip_uint64_t index, std::string_view name,
                              const zip_stat_t& info) {
  if (!name.ends_with(kSuffix)) return bad("the entry is not an array", {}, "a name ending .npy");
  NPU_LET(const std::string bytes, read_entry(archive, index, info));
  NPU_LET(Tensor tensor, parse_npy(bytes_of(bytes)));
  return NamedArray{std::string(name.substr(0, name.size() - kSuffix.size())), std::move(tensor)};
}

Result<std::vector<NamedArray>> read_all(std::span<const std::byte> bytes) {
  if (bytes.empty()) return bad("the file is empty", {}, "a zip archive");
  ZipError error;
  Source source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get()));
  if (source == nullptr) return bad("not a readable .npz file", error.str());
  const Zip archive(zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
  if (archive == nullptr) return bad("not a readable .npz file", error.str(), "a zip archive");
  source.release();  // the archive owns it now

  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count > kMaxEntries)
    return bad("too many arrays", text(count), text("at most ", kMaxEntries));
  std::vector<NamedArray> arrays;
  std::set<std::string, std::less<>> names;
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t info;
    zip_stat_init(&info);
    if (zip_stat_index(archive.get(), index, 0, &info) != 0 || (info.valid & ZIP_STAT_NAME) == 0)
      return bad(text("entry ", i, " cannot be read"), zip_strerror(archive.get()));
    const std::string name = info.name;
    auto array = read_array(archive.get(), index, name, info);
    if (!array) return at(text("entry '", name, "'"), std::move(array).error());
    if (!names.insert(array->name).second)
      return at(text("entry '", name, "'"), bad("two arrays have this name"));
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

Error write_failed(std::string found) {
  return fail(ErrorId::kFileWrite, "cannot build the archive", std::move(found));
}

Status add_array(zip_t* archive, const std::string& name, const std::string& bytes) {
  Source source(zip_source_buffer(archive, bytes.data(), bytes.size(), 0));
  if (source == nullptr) return write_failed(zip_strerror(archive));
  const zip_int64_t index =
      zip_file_add(archive, (name + std::string(kSuffix)).c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0) return write_failed(zip_strerror(archive));
  source.release();
  const auto entry = static_cast<zip_uint64_t>(index);
  // 1 January 1980: no clock in what is written.
  constexpr zip_uint16_t kFirstDosDate = (1U << 5U) | 1U;
  if (zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, entry, 0, kFirstDosDate, 0) != 0)
    return write_failed(zip_strerror(archive));
  return ok();
}

/// The bytes of a finished in-memory archive.
Result<std::string> source_bytes(zip_source_t* source) {
  zip_stat_t info;
  zip_stat_init(&info);
  if (zip_source_stat(source, &info) != 0 || zip_source_open(source) != 0)
    return write_failed(zip_error_strerror(zip_source_error(source)));
  std::string out(info.size, '\0');
  const zip_int64_t count = zip_source_read(source, out.data(), out.size());
  zip_source_close(source);
  if (count < 0 || static_cast<size_t>(count) != out.size())
    return write_failed(zip_error_strerror(zip_source_error(source)));
  return out;
}

Result<std::string> archive_bytes(std::span<const NamedArray> arrays) {
  ZipError error;
  Source source(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (source == nullptr) return write_failed(error.str());
  Zip archive(zip_open_from_source(source.get(), ZIP_CREATE | ZIP_TRUNCATE, error.get()));
  if (archive == nullptr) return write_failed(error.str());
  zip_source_keep(source.get());  // one reference is the archive's, one stays ours
  // The entries' bytes must live until the archive is closed.
  std::vector<std::string> bodies;
  bodies.reserve(arrays.size());
  for (const NamedArray& array : arrays) {
    bodies.push_back(npy_bytes(array.tensor.view()));
    NPU_TRY(add_array(archive.get(), array.name, bodies.back()));
  }
  if (zip_close(archive.get()) != 0) return write_failed(zip_strerror(archive.get()));
  (void)archive.release();  // closed
  return source_bytes(source.get());
}

/// An archive without entries, which libzip would not write.
std::string empty_archive() { return std::string("PK\5\6", 4) + std::string(18, '\0'); }

}  // namespace

Result<std::vector<NamedArray>> read_npz(const std::filesystem::path& path) {
  NPU_LET(const MappedFile file, MappedFile::open(path));
  auto arrays = read_all(file.bytes());
  if (!arrays) return at(text("file '", path.string(), "'"), std::move(arrays).error());
  return arrays;
}

Status write_npz(const std::filesystem::path& path, std::span<const NamedArray> arrays) {
  if (arrays.empty()) return write_file(path, empty_archive());
  auto bytes = archive_bytes(arrays);
  if (!bytes) return at(text("file '", path.string(), "'"), std::move(bytes).error());
  return write_file(path, *bytes);
}

}  // namespace npugraph::tools
