// SPDX-License-Identifier: Apache-2.0
// Runs the cases of tests/passes/*.txt. A file holds cases with a line of === between them; a case
// is
//   # pass: NAME[, NAME]...
//   graph text
//   ---
//   the graph that these passes, each run once in this order, make of it; or "unchanged"
// The values that both compute on seeded inputs are compared too, but after "unchanged, not run".
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "npugraph/base/text.h"
#include "tests/passes/helpers.h"

namespace npugraph {
namespace {

struct Case {
  std::string name = {};
  std::vector<std::string> passes = {};
  std::string input = {};
  std::string expected = {};
};

void PrintTo(const Case& test, std::ostream* stream) { *stream << test.name; }

std::string trim(const std::string& word) {
  const size_t first = word.find_first_not_of(" \n");
  return first == std::string::npos ? ""
                                    : word.substr(first, word.find_last_not_of(" \n") - first + 1);
}

std::vector<Case> read_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/passes")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const auto& file : files) {
    std::ifstream stream(file);
    std::string line;
    bool in_input = true;
    int64_t number = 0;
    const auto start = [&] {
      cases.push_back({.name = text(file.stem().string(), "_", ++number)});
      in_input = true;
    };
    start();
    while (std::getline(stream, line)) {
      constexpr std::string_view kPass = "# pass:";
      if (line == "===") {
        start();
      } else if (line == "---") {
        in_input = false;
      } else if (line.starts_with(kPass)) {
        std::istringstream names(line.substr(kPass.size()));
        for (std::string name; std::getline(names, name, ',');) {
          cases.back().passes.push_back(trim(name));
        }
      } else {
        (in_input ? cases.back().input : cases.back().expected) += line + "\n";
      }
    }
  }
  return cases;
}

const Pass* find_pass(std::string_view name) {
  for (const Pass& pass : pipeline()) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

int64_t run_deep(const Pass& pass, Graph& graph) {
  int64_t changes = 0;
  for (const Node* node : graph.nodes()) {
    for (const auto& [name, nested] : node->subgraphs()) changes += run_deep(pass, *nested);
  }
  const Result<int64_t> own = pass.run(graph, PassContext{});
  EXPECT_TRUE(own) << own.error().message();
  return changes + (own ? *own : 0);
}

class PassText : public testing::TestWithParam<Case> {};

TEST_P(PassText, gives_the_expected_graph_and_the_same_numbers) {
  const Case& test = GetParam();
  const std::unique_ptr<Graph> graph = parse_typed(test.input);
  ASSERT_NE(graph, nullptr);
  const bool unchanged = test.expected.starts_with("unchanged");
  const bool runs = trim(test.expected) != "unchanged, not run";
  const std::unique_ptr<Graph> expected = parse_typed(unchanged ? test.input : test.expected);
  ASSERT_NE(expected, nullptr);

  int64_t changes = 0;
  bool exact = true;
  std::optional<SelfCheck> check;
  if (runs) {
    auto started = SelfCheck::start(*graph, {});
    ASSERT_TRUE(started) << started.error().message();
    check = *std::move(started);
  }
  for (const std::string& name : test.passes) {
    const Pass* pass = find_pass(name);
    ASSERT_NE(pass, nullptr) << name;
    changes += run_deep(*pass, *graph);
    exact = exact && pass->exact;
    const Status sound = verify(*graph);
    ASSERT_TRUE(sound) << name << ": " << sound.error().message() << "\n" << print(*graph);
  }
  EXPECT_EQ(print(*graph), print(*expected));
  EXPECT_EQ(changes == 0, unchanged);
  if (!runs) return;
  const Status same = check->compare(*graph, exact);
  EXPECT_TRUE(same) << same.error().message();
}

INSTANTIATE_TEST_SUITE_P(Files, PassText, testing::ValuesIn(read_cases()),
                         [](const auto& param_info) { return param_info.param.name; });

TEST(PassFiles, every_pass_has_one) {
  for (const Pass& pass : pipeline()) {
    if (pass.name == "infer_shapes") continue;  // ir/infer.h has its own tests
    EXPECT_TRUE(std::filesystem::exists(text("tests/passes/", pass.name, ".txt"))) << pass.name;
  }
}

}  // namespace
}  // namespace npugraph
