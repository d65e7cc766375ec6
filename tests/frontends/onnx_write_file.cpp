// SPDX-License-Identifier: Apache-2.0
// Models written as files, with their weights inside or beside them.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "npugraph/frontends/onnx/write.h"
#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

namespace fs = std::filesystem;

/// A new folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "npugraph_write_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }
  int64_t files() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  fs::path path_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// y = x + w + w2 + s, where w and w2 are 2 KiB and s is one number; an If gives w again.
Model large_model(float first) {
  std::vector<float> numbers(512, 0.5f);
  numbers[0] = first;
  Model model;
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  model.input("x", {{int64_t{512}}});
  model.constant<float>("w", {512}, numbers);
  model.constant<float>("s", {1}, {1.0f});
  numbers[0] = 7;
  model.constant<float>("w2", {512}, numbers);
  node(model.graph(), "Add", {"x", "w"}, {"a"});
  node(model.graph(), "Add", {"a", "w2"}, {"b"});
  node(model.graph(), "Add", {"b", "s"}, {"y"});
  auto choice = node(model.graph(), "If", {"c"}, {"z"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = choice.graph(name);
    fill(*branch.add_initializer(), std::string("inner_") + name, {512}, numbers);
    node(branch, "Neg", {std::string("inner_") + name}, {std::string("out_") + name});
    branch.add_output()->set_name(std::string("out_") + name);
  }
  model.output("y");
  model.output("z");
  return model;
}

TEST(OnnxWriteFile, weights_stay_inside_up_to_the_limit) {
  const Folder folder;
  const auto graph = must_read(large_model(1));
  ASSERT_NE(graph, nullptr);
  const auto data = write_onnx_file(*graph, folder / "m.onnx", 4 * 2048 + 4);
  ASSERT_TRUE(data.has_value()) << data.error().message();
  EXPECT_TRUE(data->empty());
  EXPECT_EQ(folder.files(), 1);
  EXPECT_EQ(content_of(folder / "m.onnx"), *write_onnx(*graph));
}

TEST(OnnxWriteFile, larger_weights_go_to_a_file_beside_the_model) {
  const Folder folder;
  const auto graph = must_read(large_model(1));
  ASSERT_NE(graph, nullptr);
  const auto data = write_onnx_file(*graph, folder / "m.onnx", 4 * 2048 + 3);
  ASSERT_TRUE(data.has_value()) << data.error().message();
  EXPECT_EQ(folder.files(), 2);
  EXPECT_EQ(data->parent_path(), (folder / "m.onnx").parent_path());
  EXPECT_TRUE(data->filename().string().starts_with("m.onnx."));
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(content_of(folder / "m.onnx")));
  std::map<std::string, const onnx::TensorProto*> tensors;
  for (const auto& tensor : model.graph().initializer()) tensors[tensor.name()] = &tensor;
  EXPECT_EQ(tensors.at("s")->data_location(), onnx::TensorProto::DEFAULT);  // small: inside
  EXPECT_EQ(tensors.at("w")->data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_TRUE(tensors.at("w")->raw_data().empty());
  ASSERT_EQ(tensors.at("w2")->external_data_size(), 3);
  EXPECT_EQ(tensors.at("w2")->external_data(0).value(), data->filename().string());
  EXPECT_EQ(std::stoll(tensors.at("w2")->external_data(1).value()) % 4096, 0);
  EXPECT_EQ(tensors.at("w2")->external_data(2).value(), "2048");

  const auto again = read_onnx(folder / "m.onnx");
  ASSERT_TRUE(again.has_value()) << again.error().message();
  EXPECT_EQ(*write_onnx(**again), *write_onnx(*graph));
}

TEST(OnnxWriteFile, a_model_that_is_replaced_never_reads_the_data_of_another) {
  const Folder folder;
  const auto one = must_read(large_model(1)), two = must_read(large_model(2));
  const auto first = write_onnx_file(*one, folder / "m.onnx", 0);
  const std::string old_model = content_of(folder / "m.onnx");
  const std::string old_data = content_of(*first);
  const auto second = write_onnx_file(*two, folder / "m.onnx", 0);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(content_of(*first), old_data);
  EXPECT_EQ(*write_onnx(**read_onnx(folder / "m.onnx")), *write_onnx(*two));
  // The same graph gives the same bytes and names.
  const auto third = write_onnx_file(*one, folder / "m.onnx", 0);
  EXPECT_EQ(*third, *first);
  EXPECT_EQ(content_of(folder / "m.onnx"), old_model);
}

TEST(OnnxWriteFile, a_failure_leaves_nothing) {
  const Folder folder;
  const auto graph = must_read(large_model(1));
  const auto missing = write_onnx_file(*graph, folder / "none/m.onnx", 0);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().id, ErrorId::kFileWrite);
  fs::create_directory(folder / "m.onnx");  // cannot be replaced by a file
  const auto taken = write_onnx_file(*graph, folder / "m.onnx", 0);
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().id, ErrorId::kFileWrite);
  EXPECT_EQ(folder.files(), 1);
  const auto odd = write_onnx_file(*graph, folder / "\xff.onnx", 0);
  ASSERT_FALSE(odd.has_value());
  EXPECT_EQ(odd.error().id, ErrorId::kOnnxWrite);
  EXPECT_EQ(folder.files(), 1);
}

}  // namespace
}  // namespace npugraph
