// SPDX-License-Identifier: Apache-2.0
// The seeds of the fuzz target become graphs that verify.
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
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(OnnxCorpus, every_seed_is_read) {
  const auto paths = files_in("fuzz/corpus/onnx_import");
  EXPECT_GE(paths.size(), 30u);
  for (const fs::path& path : paths) {
    const auto graph = read_onnx(path);
    ASSERT_TRUE(graph.has_value()) << path << ": " << graph.error().message();
    EXPECT_TRUE(verify(**graph).has_value()) << path;
  }
}

}  // namespace
}  // namespace npugraph
