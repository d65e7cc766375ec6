// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/model_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>
#include <utility>

#include "npugraph/base/text.h"

namespace npugraph::tools {
namespace {

constexpr std::array<std::string_view, 4> kForeignEndings = {".pt2", ".pb", ".keras", ".h5"};

}  // namespace

bool is_foreign_model(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::find(kForeignEndings.begin(), kForeignEndings.end(), ending) != kForeignEndings.end())
    return true;
  std::error_code missing;
  return std::filesystem::is_regular_file(path / "saved_model.pb", missing);
}

Result<ModelFile> ModelFile::open(const std::filesystem::path& path, const PortNames& names) {
  ModelFile file;
  file.onnx_ = path;
  if (!is_foreign_model(path)) {
    if (names.inputs.empty() && names.outputs.empty()) return file;
    return at(text("'", path.string(), "'"),
              fail(ErrorId::kBadOption, "an ONNX model is not exported",
                   "--input-name or --output-name", "these for models of other frameworks only"));
  }
  NPU_LET(TemporaryFolder folder, TemporaryFolder::create());
  file.onnx_ = folder.path() / "model.onnx";
  file.folder_.emplace(std::move(folder));
  NPU_TRY(export_onnx(path, file.onnx_, names.inputs, names.outputs));
  return file;
}

}  // namespace npugraph::tools
