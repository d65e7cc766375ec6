// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "npugraph/base/result.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

TEST(errors, ids_are_unique_and_every_one_says_what_to_do) {
  std::set<int> numbers;
  std::set<std::string_view> names;
  for (const ErrorInfo& info : all_errors()) {
    EXPECT_TRUE(numbers.insert(static_cast<int>(info.id)).second) << info.name;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.title.empty()) << info.name;
    EXPECT_FALSE(info.fix.empty()) << info.name;
  }
}

TEST(errors, every_id_has_an_entry_in_the_manual) {
  std::ifstream file("docs/troubleshooting.md");
  ASSERT_TRUE(file) << "run the tests from the repository's root";
  std::stringstream manual;
  manual << file.rdbuf();
  for (const ErrorInfo& info : all_errors())
    EXPECT_NE(manual.str().find(text("## NPU", static_cast<int>(info.id), " ")), std::string::npos)
        << info.name;
}

TEST(errors, message_says_place_found_expected_and_fix) {
  Error error = fail(ErrorId::kAxisOutsideRank, "axis is outside rank 2", "3", "-2..1");
  error = at("node 'conv1'", std::move(error));
  error = at("model.onnx", std::move(error));
  EXPECT_EQ(error.message(),
            "NPU305: model.onnx: node 'conv1': axis is outside rank 2; found 3, expected -2..1; "
            "to do: use an axis from -rank to rank - 1");
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
}

TEST(text, nearest_finds_the_word_that_was_meant) {
  const std::vector<std::string> words = {"input", "output", "mask"};
  EXPECT_EQ(nearest("inptu", words), "input");
  EXPECT_EQ(nearest("zzzzzz", words), "");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

}  // namespace
}  // namespace npugraph
