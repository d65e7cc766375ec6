// SPDX-License-Identifier: Apache-2.0
// The seeds of the fuzz target, and inputs that it once failed on, are read without a crash; the
// seeds become graphs.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "npugraph/ir/infer.h"
#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  if (!fs::is_directory(folder)) return paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(OnnxCorpus, every_seed_is_read) {
  const auto paths = files_in("fuzz/corpus/onnx_import");
  EXPECT_GE(paths.size(), 30u);
  for (const fs::path& path : paths) {
    const auto graph = read_onnx(path);
    EXPECT_TRUE(graph.has_value()) << path << ": " << graph.error().message();
  }
}

TEST(OnnxCorpus, every_finding_is_borne) {
  for (const fs::path& path : files_in("fuzz/findings/onnx_import")) {
    const auto graph = read_onnx(path);
    if (graph) {
      EXPECT_TRUE(verify(**graph).has_value()) << path;
    } else {
      EXPECT_NE(graph.error().id, ErrorId::kInternal) << path << graph.error().message();
    }
  }
}

}  // namespace
}  // namespace npugraph
