// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/io/npz.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "npugraph/base/file.h"

namespace npugraph::tools {
namespace {

class Npz : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path path() const { return folder_ / "arrays.npz"; }
  /// Without the sync of write_file, which thousands of small files would wait for.
  void put(std::string_view bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  std::string read() const {
    const auto file = MappedFile::open(path());
    return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  }

  std::filesystem::path folder_;
};

std::vector<NamedArray> arrays() {
  return {{"x", Tensor::of_floats({1, 2, 3}, {3})},
          {"/block.0/out:0", Tensor::of_ints({7}, {1})},
          {"file", Tensor::of_ints({}, {0})}};
}

TEST_F(Npz, gives_back_names_order_and_values) {
  ASSERT_TRUE(write_npz(path(), arrays()));
  const auto back = read_npz(path());
  ASSERT_TRUE(back) << back.error().message();
  ASSERT_EQ(back->size(), 3U);
  EXPECT_EQ((*back)[0].name, "x");
  EXPECT_EQ((*back)[1].name, "/block.0/out:0");
  EXPECT_EQ((*back)[2].name, "file");
  EXPECT_EQ((*back)[0].tensor.view().load(2), 3);
  EXPECT_EQ((*back)[1].tensor.view().load_int(0), 7);
}

TEST_F(Npz, of_equal_arrays_has_equal_bytes) {
  ASSERT_TRUE(write_npz(path(), arrays()));
  const std::string first = read();
  ASSERT_TRUE(write_npz(path(), arrays()));
  EXPECT_EQ(read(), first);
}

TEST_F(Npz, may_be_empty) {
  ASSERT_TRUE(write_npz(path(), {}));
  const auto back = read_npz(path());
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_TRUE(back->empty());
}

TEST_F(Npz, refuses_every_truncation) {
  ASSERT_TRUE(write_npz(path(), arrays()));
  const std::string whole = read();
  for (size_t length = 0; length < whole.size(); ++length) {
    put(std::string_view(whole).substr(0, length));
    const auto back = read_npz(path());
    ASSERT_FALSE(back) << length;
    EXPECT_EQ(back.error().id, ErrorId::kBadArray);
  }
}

TEST_F(Npz, survives_every_changed_byte) {
  ASSERT_TRUE(write_npz(path(), arrays()));
  const std::string whole = read();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    put(changed);
    const auto back = read_npz(path());
    if (!back) {
      EXPECT_EQ(back.error().id, ErrorId::kBadArray) << i;
    }
  }
}

TEST_F(Npz, names_the_file_that_is_missing) {
  const auto back = read_npz(folder_ / "none.npz");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().id, ErrorId::kFileNotFound);
  EXPECT_NE(back.error().place.find("none.npz"), std::string::npos);
}

}  // namespace
}  // namespace npugraph::tools
