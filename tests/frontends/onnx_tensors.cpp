// SPDX-License-Identifier: Apache-2.0
// Every way in which a file can hold the data of a tensor, and external data.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

namespace fs = std::filesystem;
using Proto = onnx::TensorProto;

/// A model whose one output is the initializer `t`.
Model holding(const Proto& tensor) {
  Model model;
  *model.graph().add_initializer() = tensor;
  model.graph().mutable_initializer(0)->set_name("t");
  node(model.graph(), "Identity", {"t"}, {"y"});
  model.output("y");
  return model;
}

Proto proto_of(int dtype, const Dims& dims) {
  Proto tensor;
  tensor.set_data_type(dtype);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

/// The elements of the initializer, as numbers.
std::vector<double> elements(const Proto& tensor, DType dtype) {
  const auto graph = must_read(holding(tensor));
  if (graph == nullptr) return {};
  const Tensor data = *graph->find_value("t")->constant();
  EXPECT_EQ(data.dtype(), dtype);
  std::vector<double> out;
  for (int64_t i = 0; i < data.elements(); ++i) out.push_back(data.view().load(i));
  return out;
}

using Numbers = std::vector<double>;

TEST(OnnxTensors, int32_data_holds_the_small_types) {
  const std::vector<std::pair<int, DType>> integers = {
      {Proto::INT32, DType::kI32}, {Proto::INT16, DType::kI16}, {Proto::INT8, DType::kI8}};
  for (const auto& [number, dtype] : integers) {
    Proto tensor = proto_of(number, {3});
    for (const int value : {-1, 0, 100}) tensor.add_int32_data(value);
    EXPECT_EQ(elements(tensor, dtype), (Numbers{-1, 0, 100}));
  }
  const std::vector<std::pair<int, DType>> naturals = {{Proto::UINT8, DType::kU8},
                                                       {Proto::UINT16, DType::kU16}};
  for (const auto& [number, dtype] : naturals) {
    Proto tensor = proto_of(number, {2});
    for (const int value : {0, 255}) tensor.add_int32_data(value);
    EXPECT_EQ(elements(tensor, dtype), (Numbers{0, 255}));
  }
  Proto flags = proto_of(Proto::BOOL, {3});
  for (const int value : {0, 1, 5}) flags.add_int32_data(value);
  EXPECT_EQ(elements(flags, DType::kBool), (Numbers{0, 1, 1}));
}

TEST(OnnxTensors, int32_data_holds_the_bits_of_half_types) {
  Proto half = proto_of(Proto::FLOAT16, {2});
  for (const int bits : {0x3c00, 0xc100}) half.add_int32_data(bits);  // 1, -2.5
  EXPECT_EQ(elements(half, DType::kF16), (Numbers{1, -2.5}));
  Proto brain = proto_of(Proto::BFLOAT16, {2});
  for (const int bits : {0x3f80, 0xc020}) brain.add_int32_data(bits);  // 1, -2.5
  EXPECT_EQ(elements(brain, DType::kBF16), (Numbers{1, -2.5}));
  Proto eight = proto_of(Proto::FLOAT8E4M3FN, {2});
  for (const int bits : {0x38, 0xbc}) eight.add_int32_data(bits);  // 1, -1.5
  EXPECT_EQ(elements(eight, DType::kF8E4M3FN), (Numbers{1, -1.5}));
  Proto five = proto_of(Proto::FLOAT8E5M2, {1});
  five.add_int32_data(0x3c);
  EXPECT_EQ(elements(five, DType::kF8E5M2), (Numbers{1}));
}

TEST(OnnxTensors, the_other_typed_fields) {
  Proto floats = proto_of(Proto::FLOAT, {2});
  for (const float value : {1.5f, -2.0f}) floats.add_float_data(value);
  EXPECT_EQ(elements(floats, DType::kF32), (Numbers{1.5, -2}));
  Proto doubles = proto_of(Proto::DOUBLE, {1});
  doubles.add_double_data(0.1);
  EXPECT_EQ(elements(doubles, DType::kF64), (Numbers{0.1}));
  Proto longs = proto_of(Proto::INT64, {1, 2});
  for (const int64_t value : {int64_t{-5}, int64_t{1} << 40}) longs.add_int64_data(value);
  EXPECT_EQ(elements(longs, DType::kI64), (Numbers{-5, 1099511627776.0}));
  for (const auto& [number, dtype] : std::vector<std::pair<int, DType>>{
           {Proto::UINT32, DType::kU32}, {Proto::UINT64, DType::kU64}}) {
    Proto naturals = proto_of(number, {1});
    naturals.add_uint64_data(4000000000u);
    EXPECT_EQ(elements(naturals, dtype), (Numbers{4000000000.0}));
  }
}

TEST(OnnxTensors, four_bit_elements_are_packed_two_a_byte) {
  Proto typed = proto_of(Proto::INT4, {3});
  for (const int byte : {0x2f, 0x08}) typed.add_int32_data(byte);
  EXPECT_EQ(elements(typed, DType::kI4), (Numbers{-1, 2, -8}));
  Proto raw = proto_of(Proto::UINT4, {3});
  raw.set_raw_data(std::string("\x2f\x08", 2));
  EXPECT_EQ(elements(raw, DType::kU4), (Numbers{15, 2, 8}));
}

TEST(OnnxTensors, raw_data_and_empty_tensors) {
  Proto raw = proto_of(Proto::INT16, {2});
  raw.set_raw_data(std::string("\x01\x00\xff\xff", 4));
  EXPECT_EQ(elements(raw, DType::kI16), (Numbers{1, -1}));
  EXPECT_EQ(elements(proto_of(Proto::FLOAT, {0, 7}), DType::kF32), Numbers{});
  Proto scalar = proto_of(Proto::FLOAT, {});
  scalar.add_float_data(3);
  EXPECT_EQ(elements(scalar, DType::kF32), Numbers{3});
}

TEST(OnnxTensors, sparse_initializers_are_written_out) {
  Model model;
  auto& sparse = *model.graph().add_sparse_initializer();
  fill(*sparse.mutable_values(), "t", {2}, std::vector<float>{5, 6});
  fill(*sparse.mutable_indices(), "", {2}, std::vector<int64_t>{1, 5});
  for (const int64_t dim : {2, 3}) sparse.add_dims(dim);
  node(model.graph(), "Identity", {"t"}, {"y"});
  model.output("y");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(floats_of(*graph->find_value("t")->constant()), (std::vector<float>{0, 5, 0, 0, 0, 6}));

  auto& indices = *model.graph().mutable_sparse_initializer(0)->mutable_indices();
  indices.set_int64_data(1, 6);
  expect_error(model, ErrorId::kOnnxTensor, "0..5");
  indices.set_int64_data(1, 5);
  model.graph().mutable_sparse_initializer(0)->set_dims(0, int64_t{1} << 40);
  expect_error(model, ErrorId::kOnnxTensor, "too large");
}

TEST(OnnxTensors, data_must_fill_the_tensor_exactly) {
  Proto huge = proto_of(Proto::FLOAT, {int64_t{1} << 31, int64_t{1} << 20});
  huge.add_float_data(1);
  expect_error(holding(huge), ErrorId::kOnnxTensor, "1 elements");
  Proto overflow = proto_of(Proto::FLOAT, {int64_t{1} << 40, int64_t{1} << 40});
  expect_error(holding(overflow), ErrorId::kSizeOverflow);
  Proto negative = proto_of(Proto::FLOAT, {-1});
  expect_error(holding(negative), ErrorId::kOnnxTensor, "negative");
  Proto short_raw = proto_of(Proto::DOUBLE, {2});
  short_raw.set_raw_data("1234567");
  expect_error(holding(short_raw), ErrorId::kOnnxTensor, "7 bytes");
  Proto wrong_field = proto_of(Proto::INT64, {1});
  wrong_field.add_float_data(1);
  expect_error(holding(wrong_field), ErrorId::kOnnxTensor, "int64_data");
}

TEST(OnnxTensors, types_without_numbers_are_refused) {
  Proto words = proto_of(Proto::STRING, {1});
  words.add_string_data("word");
  expect_error(holding(words), ErrorId::kOnnxType, "string");
  expect_error(holding(proto_of(Proto::COMPLEX64, {1})), ErrorId::kOnnxType, "complex64");
  expect_error(holding(proto_of(99, {1})), ErrorId::kOnnxTensor, "99");
  expect_error(holding(proto_of(Proto::UNDEFINED, {1})), ErrorId::kOnnxTensor);
}

/// A folder with a model and a data file of 64 bytes, 0 to 15 as floats.
class External : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("npugraph_external_" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "model" / "sub");
    std::vector<float> data(16);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    for (const char* name : {"model/w.bin", "model/sub/w.bin", "outside.bin"})
      ASSERT_TRUE(write_file(root_ / name, std::as_bytes(std::span(data))).has_value());
  }
  void TearDown() override { fs::remove_all(root_); }

  Result<std::unique_ptr<Graph>> read(const std::map<std::string, std::string>& entries,
                                      const ReadOptions& options = {}) {
    Proto tensor = proto_of(Proto::FLOAT, {2, 2});
    tensor.set_data_location(Proto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    const fs::path path = root_ / "model" / "m.onnx";
    EXPECT_TRUE(write_file(path, holding(tensor).bytes()).has_value());
    return read_onnx(path, options);
  }
  void refused(const std::map<std::string, std::string>& entries, const std::string& word) {
    const auto graph = read(entries);
    ASSERT_FALSE(graph.has_value()) << word;
    EXPECT_EQ(graph.error().id, ErrorId::kOnnxExternalData) << graph.error().message();
    EXPECT_NE(graph.error().message().find(word), std::string::npos) << graph.error().message();
    EXPECT_EQ(graph.error().place.find("m.onnx: initializer 't'"), 0u) << graph.error().place;
  }
  fs::path root_;
};

TEST_F(External, data_is_read_at_its_place) {
  for (const char* location : {"w.bin", "sub/w.bin", "./w.bin"}) {
    const auto graph = read({{"location", location}, {"offset", "8"}, {"length", "16"}});
    ASSERT_TRUE(graph.has_value()) << graph.error().message();
    EXPECT_EQ(floats_of(*(*graph)->find_value("t")->constant()), (std::vector<float>{2, 3, 4, 5}));
  }
  const auto no_length = read({{"location", "w.bin"}});
  ASSERT_TRUE(no_length.has_value()) << no_length.error().message();
  const auto odd = read({{"location", "w.bin"}, {"offset", "3"}});  // not aligned: copied
  ASSERT_TRUE(odd.has_value()) << odd.error().message();
}

TEST_F(External, data_outlives_the_reader) {
  auto graph = read({{"location", "w.bin"}});
  ASSERT_TRUE(graph.has_value());
  const Tensor data = *(*graph)->find_value("t")->constant();
  graph->reset();
  EXPECT_EQ(floats_of(data), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(External, places_outside_the_folder_are_refused) {
  refused({{"location", "../outside.bin"}}, "climbs out");
  refused({{"location", "sub/../../outside.bin"}}, "climbs out");
  refused({{"location", (root_ / "outside.bin").string()}}, "not relative");
  refused({{"location", "sub\\w.bin"}}, "not relative");
  refused({{"location", std::string("w.bin\0x", 7)}}, "not relative");
  refused({{"location", ""}}, "no usable location");
  refused({}, "no usable location");
  refused({{"location", "missing.bin"}}, "missing.bin");
  refused({{"location", "sub"}}, "not a regular file");
}

TEST_F(External, links_that_lead_out_are_refused_unless_allowed) {
  fs::create_symlink(root_ / "outside.bin", root_ / "model" / "link.bin");
  fs::create_directory_symlink(root_, root_ / "model" / "up");
  fs::create_hard_link(root_ / "outside.bin", root_ / "model" / "hard.bin");
  fs::create_symlink("w.bin", root_ / "model" / "near.bin");
  refused({{"location", "link.bin"}}, "outside.bin");
  refused({{"location", "up/outside.bin"}}, "outside.bin");
  refused({{"location", "hard.bin"}}, "hard link");
  EXPECT_TRUE(read({{"location", "near.bin"}}).has_value());
  ReadOptions options;
  options.allow_linked_data = true;
  EXPECT_TRUE(read({{"location", "link.bin"}}, options).has_value());
  EXPECT_TRUE(read({{"location", "hard.bin"}}, options).has_value());
  EXPECT_FALSE(read({{"location", "../outside.bin"}}, options).has_value());
}

TEST_F(External, sizes_are_checked_against_the_file) {
  refused({{"location", "w.bin"}, {"offset", "56"}}, "too short");
  refused({{"location", "w.bin"}, {"offset", "9223372036854775807"}}, "too short");
  refused({{"location", "w.bin"}, {"offset", "-4"}}, "not a number");
  refused({{"location", "w.bin"}, {"offset", "0x10"}}, "not a number");
  refused({{"location", "w.bin"}, {"length", "15"}}, "15 bytes");
  refused({{"location", "w.bin"}, {"length", "99999999999999999999"}}, "not a number");
}

TEST_F(External, a_model_from_memory_needs_the_folder_in_its_options) {
  Proto tensor = proto_of(Proto::FLOAT, {2, 2});
  tensor.set_data_location(Proto::EXTERNAL);
  auto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("w.bin");
  expect_error(holding(tensor), ErrorId::kOnnxExternalData, "from memory");
  ReadOptions options;
  options.data_folder = root_ / "model";
  EXPECT_TRUE(holding(tensor).read(options).has_value());
}

}  // namespace
}  // namespace npugraph
