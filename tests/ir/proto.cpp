// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/proto.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "npugraph/base/file.h"
#include "tests/ir/helpers.h"

namespace npugraph {
namespace {

/// Something of everything that a graph can hold, with types.
std::unique_ptr<Graph> typed_graph() {
  auto graph = graph_of(R"(graph "full" {
    meta "opset" = "17"
    fact b = 1..64 % 2
    input %x: float32[b, 3, 2*h + floordiv(h, 2)]
    input %c: bool[]
    input %m: int64[]
    input %any: float16[*]
    const %w = float32[64, 9] random(1)
    const %same = float32[64, 9] random(1)
    const %k = int64[2] [3, 4]
    const %q = int4[3] [-8, 7, 1]
    const %none = float32[0, 4] []
    const %scalar = float32[] [2.5]
    const %pads = int64[2] [1, 1]
    const %axes = int64[1] [2]
    %a = LeakyRelu(%x) {alpha = 0.25} @vnpu name "leaky" from ["conv 1", "act"]
    %dims = Shape(%a)
    %cs = ConstantOfShape(%k) {value = int64[1] [7]}
    %p = Pad(%a, %pads, -, %axes)
    %y = If(%c)
      with then_branch "then graph" {
        const %one = float32[] [1]
        %t = Add(%a, %one)
        return %t
      }
      with else_branch { return %a }
    %l, %all = Loop(%m, -, %y)
      with body {
        input %i: int64[]
        input %go: bool[]
        input %v: float32[*]
        %next = Mul(%v, %scalar)
        return %go, %next, %i
      }
    return %l, %y, %all, %x
  })");
  const Status typed = infer_types(*graph);
  EXPECT_TRUE(typed) << why(typed);
  return graph;
}

std::string saved(const Graph& graph) {
  const auto bytes = save_graph(graph);
  EXPECT_TRUE(bytes) << why(bytes);
  return bytes ? *bytes : std::string();
}

TEST(Proto, gives_back_the_same_graph) {
  const auto graph = typed_graph();
  const std::string bytes = saved(*graph);
  const auto loaded = load_graph(bytes_of(bytes));
  ASSERT_TRUE(loaded) << why(loaded);
  EXPECT_EQ(print(**loaded, {.all_data = true}), print(*graph, {.all_data = true}));
  EXPECT_TRUE(verify(**loaded)) << why(verify(**loaded));
  EXPECT_EQ((*loaded)->find_value("dims")->content, graph->find_value("dims")->content);
  EXPECT_EQ(saved(**loaded), bytes) << "saving again gives the same bytes";
}

TEST(Proto, keeps_names_that_are_not_text) {
  Graph graph("caf\xe9");
  Value& x = graph.add_input(std::string("a\0b\xff", 4), {DType::kF32, Shape{Dim(2)}});
  graph.add_output(*(*graph.add_node("", "Relu", "n\xfe", {&x}, {}, {"y"}))->output());
  const auto loaded = load_graph(bytes_of(saved(graph)));
  ASSERT_TRUE(loaded) << why(loaded);
  EXPECT_EQ((*loaded)->inputs()[0]->name(), x.name());
  EXPECT_EQ((*loaded)->nodes()[0]->name(), "n\xfe");
}

TEST(Proto, stores_equal_data_once_and_aligned) {
  const auto graph = typed_graph();
  const auto loaded = load_graph(bytes_of(saved(*graph)));
  ASSERT_TRUE(loaded) << why(loaded);
  const auto data = [&](const char* name) {
    return (*loaded)->find_value(name)->constant()->bytes().data();
  };
  EXPECT_EQ(data("w"), data("same"));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data("w")) % 64, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data("k")) % 64, 0u);
}

TEST(Proto, refuses_every_flipped_byte_and_every_truncation) {
  const std::string bytes = saved(*graph_of(R"(graph {
    input %x: float32[n]
    const %k = float32[3] [1, 2, 3]
    %y = Add(%x, %k)
    return %y
  })"));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    const auto loaded = load_graph(bytes_of(damaged));
    ASSERT_FALSE(loaded) << "byte " << i;
    EXPECT_EQ(loaded.error().id, ErrorId::kIrParse);
    EXPECT_FALSE(load_graph(bytes_of(bytes.substr(0, i)))) << "cut at " << i;
  }
  EXPECT_FALSE(load_graph(bytes_of(bytes + "x")));
}

TEST(Proto, refuses_a_thousand_random_corruptions) {
  const std::string bytes = saved(*typed_graph());
  std::mt19937 random(11);
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = bytes;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      const size_t place = random() % damaged.size();
      damaged[place] = static_cast<char>(damaged[place] + static_cast<char>(1 + random() % 255));
    }
    if (damaged == bytes) continue;
    const auto loaded = load_graph(bytes_of(damaged));
    ASSERT_FALSE(loaded) << round;
    EXPECT_EQ(loaded.error().id, ErrorId::kIrParse);
    EXPECT_FALSE(loaded.error().what.empty());
  }
}

/// Bytes whose hash is right although the message was damaged: what a hostile writer would send.
std::string with_right_hash(std::string bytes) {
  const std::string rest = hash_bytes(bytes_of(bytes).subspan(48)).hex();
  const Hash128 hash = hash_bytes(bytes_of(bytes.substr(0, 32) + rest));
  std::memcpy(bytes.data() + 32, &hash.low, 8);
  std::memcpy(bytes.data() + 40, &hash.high, 8);
  return bytes;
}

TEST(Proto, survives_hostile_messages) {
  const std::string bytes = saved(*typed_graph());
  EXPECT_TRUE(load_graph(bytes_of(with_right_hash(bytes))));
  uint64_t message_bytes = 0;
  std::memcpy(&message_bytes, bytes.data() + 16, 8);
  std::mt19937 random(12);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits)
      damaged[48 + random() % message_bytes] = static_cast<char>(random());
    const auto loaded = load_graph(bytes_of(with_right_hash(damaged)));
    if (!loaded) {
      ++refused;
      continue;
    }
    (void)verify(**loaded);
    (void)infer_types(**loaded);
    (void)print(**loaded);
  }
  EXPECT_GT(refused, 500);
}

TEST(Proto, gives_the_same_bytes_in_another_process) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("npu_ir_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto ours = folder / "ours.npug", theirs = folder / "theirs.npug";
  const auto graph = typed_graph();
  ASSERT_TRUE(save_graph_file(*graph, ours));
  const pid_t child = fork();
  if (child == 0) {
    const auto loaded = load_graph_file(ours);
    const bool is_fine =
        loaded && save_graph_file(**loaded, theirs) && *graph_hash(**loaded) == *graph_hash(*graph);
    _exit(is_fine ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const auto a = MappedFile::open(ours), b = MappedFile::open(theirs);
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(std::ranges::equal(a->bytes(), b->bytes()));
  std::filesystem::remove_all(folder);
}

TEST(Proto, a_mapped_file_lives_as_long_as_its_tensors) {
  const auto path = std::filesystem::temp_directory_path() / ("npu_ir_" + std::to_string(getpid()));
  ASSERT_TRUE(save_graph_file(*typed_graph(), path));
  Tensor kept;
  {
    const auto loaded = load_graph_file(path);
    ASSERT_TRUE(loaded) << why(loaded);
    kept = *(*loaded)->find_value("k")->constant();
  }
  std::filesystem::remove(path);
  EXPECT_EQ(kept.as<int64_t>()[1], 4);
  const auto gone = load_graph_file(path);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().id, ErrorId::kFileNotFound);
}

TEST(Proto, refuses_to_save_what_could_not_be_loaded) {
  Graph graph;
  Graph* inner = &graph;
  Value& condition = graph.add_input("c", {DType::kBool, Shape()});
  for (int depth = 0; depth < 40; ++depth) {
    Node& node = **inner->add_node("", "If", "", {&condition}, {}, {"y"});
    Graph& other = node.add_subgraph("else_branch");
    other.add_output(condition);
    inner->add_output(*node.output());
    inner = &node.add_subgraph("then_branch");
  }
  inner->add_output(condition);
  const auto bytes = save_graph(graph);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().id, ErrorId::kIrParse);
}

}  // namespace
}  // namespace npugraph
