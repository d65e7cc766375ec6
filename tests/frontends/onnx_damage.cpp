// SPDX-License-Identifier: Apache-2.0
// A damaged file gives a typed error or a graph that verifies; it never crashes, and never takes
// memory that its size does not explain.
#include <random>

#include "npugraph/base/platform.h"
#include "npugraph/ir/infer.h"
#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

/// A small model that has a bit of everything.
Model varied_model() {
  Model model(11);
  model.import("local", 1);
  auto& function = *model.proto.add_functions();
  function.set_domain("local");
  function.set_name("F");
  function.add_input("a");
  function.add_output("b");
  auto& import = *function.add_opset_import();
  import.set_domain("");
  import.set_version(11);
  node(function, "Relu", {"a"}, {"b"});
  model.input("x", {{std::string("n"), int64_t{2}, int64_t{2}}});
  model.input("c", std::vector<Declared>{}, onnx::TensorProto::BOOL);
  model.constant<float>("w", {2}, {1, 2});
  node(model.graph(), "Softmax", {"x"}, {"s"}).attr("axis", int64_t{1});
  node(model.graph(), "F", {"s"}, {"f"}).domain("local");
  auto choice = node(model.graph(), "If", {"c"}, {"d"});
  auto& then_graph = choice.graph("then_branch");
  node(then_graph, "Add", {"f", "w"}, {"t"});
  then_graph.add_output()->set_name("t");
  auto& else_graph = choice.graph("else_branch");
  node(else_graph, "Identity", {"f"}, {"e"});
  else_graph.add_output()->set_name("e");
  node(model.graph(), "ReduceSum", {"d"}, {"y"}).attr("axes", std::vector<int64_t>{1, 2});
  model.output("y");
  return model;
}

void expect_sound(std::span<const std::byte> bytes, const std::string& how) {
  const auto graph = read_onnx(bytes);
  if (graph) {
    EXPECT_TRUE(verify(**graph).has_value()) << how;
    return;
  }
  const Error& error = graph.error();
  EXPECT_NE(error.id, ErrorId::kInternal) << how << ": " << error.message();
  EXPECT_FALSE(error.what.empty()) << how;
  EXPECT_FALSE(error.found.empty()) << how << ": " << error.message();
}

TEST(OnnxDamage, the_whole_model_is_sound) { ASSERT_NE(must_read(varied_model()), nullptr); }

TEST(OnnxDamage, every_truncation) {
  const std::string whole = varied_model().bytes();
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto bytes = bytes_of(std::string_view(whole).substr(0, length));
    expect_sound(bytes, "cut to " + std::to_string(length));
  }
}

TEST(OnnxDamage, every_flipped_bit) {
  const std::string whole = varied_model().bytes();
  for (size_t i = 0; i < whole.size() * 8; ++i) {
    std::string damaged = whole;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
    expect_sound(bytes_of(damaged), "bit " + std::to_string(i));
  }
}

TEST(OnnxDamage, random_bytes) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string noise(random() % 200, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    expect_sound(bytes_of(noise), "noise " + std::to_string(round));
  }
}

TEST(OnnxDamage, text_and_empty_files_are_told_apart_from_models) {
  for (const std::string& text :
       {std::string(), std::string("{\"a\": 1}"), std::string("\x89PNG")}) {
    const auto graph = read_onnx(bytes_of(text));
    ASSERT_FALSE(graph.has_value());
    EXPECT_EQ(graph.error().id, ErrorId::kOnnxParse) << graph.error().message();
  }
}

/// A length-delimited protobuf field: tag byte, length, content.
std::string wrap(char tag, const std::string& content) {
  std::string out(1, tag);
  uint64_t length = content.size();
  for (; length >= 0x80; length >>= 7) out += static_cast<char>((length & 0x7f) | 0x80);
  return out + static_cast<char>(length) + content;
}

TEST(OnnxDamage, many_small_parts_do_not_take_memory_without_bound) {
  // A graph of empty nodes: 2 bytes each in the file, some 200 when parsed.
  std::string nodes;
  for (int i = 0; i < 4'000'000; ++i) nodes += std::string("\x0a\x00", 2);
  const std::string file = wrap('\x3a', nodes);
  const int64_t before = peak_rss_bytes();
  const auto graph = read_onnx(bytes_of(file));
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().id, ErrorId::kOnnxStructure) << graph.error().message();
  const int64_t grown = peak_rss_bytes() - before;
  EXPECT_LT(grown, 4 * static_cast<int64_t>(file.size()) + (int64_t{256} << 20));
}

TEST(OnnxDamage, messages_nested_without_end) {
  std::string inner;
  for (int level = 0; level < 1000; ++level)  // sequence_type { elem_type { … } }
    inner = wrap('\x22', wrap('\x0a', inner));
  // A second graph { value_info { type { … } } }, which protobuf merges into the first.
  const std::string file = varied_model().bytes() + wrap('\x3a', wrap('\x6a', wrap('\x12', inner)));
  const auto graph = read_onnx(bytes_of(file));
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().id, ErrorId::kOnnxParse) << graph.error().message();
}

}  // namespace
}  // namespace npugraph
