// SPDX-License-Identifier: Apache-2.0
#include "npugraph/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "npugraph/base/hash.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

std::filesystem::path folder() {
  const auto path = std::filesystem::temp_directory_path() / text("npugraph file ", getpid());
  std::filesystem::create_directories(path);
  return path;
}

TEST(file, what_is_written_is_mapped_back) {
  const auto path = folder() / "a";
  ASSERT_TRUE(write_file(path, std::string_view("hello")));
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()),
            "hello");
}

TEST(file, a_failed_write_leaves_the_old_file_and_nothing_else) {
  const auto path = folder() / "kept";
  ASSERT_TRUE(write_file(path, std::string_view("old")));
  const auto missing = folder() / "no such folder" / "b";
  const Status status = write_file(missing, std::string_view("new"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, ErrorId::kFileWrite);
  EXPECT_EQ(std::filesystem::file_size(path), 3u);
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    EXPECT_EQ(entry.path().filename().string().find("kept."), std::string::npos);
}

TEST(file, modes_links_and_devices_are_respected) {
  const auto path = folder() / "private";
  ASSERT_TRUE(write_file(path, std::string_view("old")));
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto link = folder() / "link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(path, link);
  ASSERT_TRUE(write_file(link, std::string_view("newer")));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::file_size(path), 5u);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto fifo = folder() / "fifo";
  std::filesystem::remove(fifo);
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(write_file(fifo, std::string_view("x")).error().id, ErrorId::kFileWrite);
  EXPECT_EQ(MappedFile::open(fifo).error().id, ErrorId::kFileRead);  // and does not wait
}

TEST(file, opening_says_why_it_cannot) {
  EXPECT_EQ(MappedFile::open(folder() / "absent").error().id, ErrorId::kFileNotFound);
  EXPECT_EQ(MappedFile::open(folder()).error().id, ErrorId::kFileRead);
}

TEST(file, an_empty_file_has_no_bytes) {
  const auto path = folder() / "empty";
  std::ofstream(path).close();
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
}

TEST(hash, is_the_published_xxh3_128_of_nothing) {
  // Source: the XXH3 specification's sanity table, length 0, seed 0.
  EXPECT_EQ(hash_bytes({}).hex(), "99aa06d3014798d86001c324468d497f");
}

}  // namespace
}  // namespace npugraph
