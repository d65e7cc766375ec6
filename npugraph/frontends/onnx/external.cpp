// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/external.h"

#include <algorithm>
#include <system_error>

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"

namespace npugraph::onnx {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxLocation = 1024;

Error refuse(std::string what, std::string found, std::string expected) {
  return fail(ErrorId::kOnnxExternalData, std::move(what), std::move(found), std::move(expected));
}

bool inside(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

Status check_location(const std::string& location) {
  if (location.empty() || location.size() > kMaxLocation)
    return refuse("external data has no usable location", shown(location),
                  "the relative path of a file beside the model");
  const bool odd = std::any_of(location.begin(), location.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '\\';
  });
  const fs::path path(location);
  const bool climbs =
      std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
  if (odd || path.is_absolute() || path.has_root_path())
    return refuse("external data lies at a path that is not relative", shown(location),
                  "a relative path with '/' between folders");
  if (climbs)
    return refuse("external data climbs out of the model's folder", shown(location),
                  "a path without '..'");
  return ok();
}

}  // namespace

Result<fs::path> ExternalData::resolve(const std::string& location) const {
  NPU_TRY(check_location(location));
  if (folder_.empty())
    return refuse("the model was read from memory and cannot have external data", shown(location),
                  "a model file, or the folder of its data in the options");
  std::error_code error;
  const fs::path folder = fs::canonical(folder_, error);
  if (error) return refuse("the model's folder cannot be opened", folder_.string(), "a folder");
  const fs::path path = fs::canonical(folder / location, error);
  if (error)
    return refuse("external data is missing", (folder / location).string(), "a readable file");
  if (!allow_links_ && !inside(path, folder))
    return refuse("external data is a link out of the model's folder", path.string(),
                  text("a file inside ", folder.string()));
  if (!fs::is_regular_file(path, error))
    return refuse("external data is not a regular file", path.string(), "a regular file");
  if (!allow_links_ && fs::hard_link_count(path, error) > 1)
    return refuse("external data is a hard link, which may lead anywhere", path.string(),
                  "a file of its own (copy it), or the option that allows linked data");
  return path;
}

Result<MappedBytes> ExternalData::open(const std::string& location) {
  const auto known = open_files_.find(location);
  if (known != open_files_.end()) return MappedBytes{known->second, known->second->bytes()};
  NPU_LET(const fs::path path, resolve(location));
  auto file = MappedFile::open(path);
  if (!file) return refuse("external data cannot be opened", path.string(), "a readable file");
  auto shared = std::make_shared<const MappedFile>(*std::move(file));
  open_files_.emplace(location, shared);
  return MappedBytes{shared, shared->bytes()};
}

}  // namespace npugraph::onnx
