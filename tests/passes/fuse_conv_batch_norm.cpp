// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "npugraph/base/text.h"
#include "tests/passes/helpers.h"

namespace npugraph {
namespace {

/// Numbers in [low, high), the same on every machine.
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : engine_(seed) {}
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_()) % (high - low);
  }
  std::string list(int64_t count, double low, double high) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i) {
      numbers.push_back(low + (high - low) * static_cast<double>(engine_()) / 4294967296.0);
    }
    return text("[", join(numbers), "]");
  }

 private:
  std::mt19937 engine_;
};

/// A Conv or ConvTranspose with a BatchNormalization: groups, dilations, strides, bias or none.
std::string random_pair(uint32_t seed, bool transposed) {
  Numbers numbers(seed);
  const int64_t group = numbers.pick(1, 4);
  const int64_t c = group * numbers.pick(1, 4), m = group * numbers.pick(1, 4);
  const int64_t kernel = numbers.pick(1, 4), dilation = numbers.pick(1, 3);
  const int64_t stride = numbers.pick(1, 3), pad = numbers.pick(0, 2);
  const bool bias = numbers.pick(0, 2) == 1;
  const int64_t rows = transposed ? c : m, columns = (transposed ? m : c) / group;
  return text(
      "graph \"g\" {\n  input %x: float32[2, ", c, ", 9, 8]\n  const %w = float32[", rows, ", ",
      columns, ", ", kernel, ", ", kernel, "] random(", seed, ")\n",
      bias ? text("  const %b = float32[", m, "] ", numbers.list(m, -1, 1), "\n") : std::string(),
      "  const %scale = float32[", m, "] ", numbers.list(m, -2, 2), "\n",
      "  const %beta = float32[", m, "] ", numbers.list(m, -1, 1), "\n", "  const %mean = float32[",
      m, "] ", numbers.list(m, -1, 1), "\n", "  const %var = float32[", m, "] ",
      numbers.list(m, 0.1, 3), "\n", "  %c = ", transposed ? "ConvTranspose" : "Conv", "(%x, %w",
      bias ? ", %b" : "", ") {group = ", group, ", dilations = [", dilation, ", ", dilation,
      "], strides = [", stride, ", ", stride, "], pads = [", pad, ", ", pad, ", ", pad, ", ", pad,
      "]}\n  %y = BatchNormalization(%c, %scale, %beta, %mean, %var)\n  return %y\n}\n");
}

void check_pairs(bool transposed) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    const std::unique_ptr<Graph> graph = parse_typed(random_pair(seed, transposed));
    ASSERT_NE(graph, nullptr) << seed;
    optimize(*graph);
    EXPECT_EQ(count_nodes(*graph, "BatchNormalization"), 0) << seed;
    EXPECT_EQ(graph->node_count(), 1) << seed;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(FuseConvBatchNorm, folds_200_random_pairs_within_1e_5) { check_pairs(false); }
TEST(FuseConvBatchNorm, folds_200_random_transposed_pairs_within_1e_5) { check_pairs(true); }

TEST(FuseConvBatchNorm, keeps_both_nodes_when_reassociation_is_off) {
  const std::unique_ptr<Graph> graph = parse_typed(random_pair(1, false));
  ASSERT_NE(graph, nullptr);
  PassOptions options;
  options.context.reassociate = false;
  optimize(*graph, options);
  EXPECT_EQ(graph->node_count(), 2);
}

/// Writes a residual network as the ONNX exports of ResNet-50 have it, with few channels.
class ResNet {
 public:
  std::string str() {
    line("input %x: float32[1, 3, 32, 32]");
    line("const %p = float32[4] [0.5, 1, 0.75, 1.5]");
    std::string v = relu(conv("x", 3, 7, 2));
    v = add(
        text("MaxPool(%", v, ") {kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]}"));
    const int64_t blocks[] = {3, 4, 6, 3};
    for (int64_t stage = 0; stage < 4; ++stage) {
      for (int64_t block = 0; block < blocks[stage]; ++block) {
        const int64_t stride = block == 0 && stage > 0 ? 2 : 1;
        const std::string side = block == 0 ? conv(v, 4, 1, stride) : v;
        std::string main = relu(conv(v, 4, 1, 1));
        main = relu(conv(main, 4, 3, stride));
        main = conv(main, 4, 1, 1);
        v = relu(add(text("Sum(%", main, ", %", side, ")")));
      }
    }
    v = add(text("GlobalAveragePool(%", v, ")"));
    line("const %shape = int64[2] [1, 4]\n  const %fc = float32[5, 4] random(9)");
    line("const %fc.bias = float32[5] [1, 2, 3, 4, 5]");
    v = add(text("Reshape(%", v, ", %shape)"));
    v = add(text("Gemm(%", v, ", %fc, %fc.bias) {transB = 1}"));
    v = add(text("Softmax(%", v, ") {axis = 1}"));
    return text("graph \"resnet\" {\n", body_, "  return %", v, "\n}\n");
  }

 private:
  void line(const std::string& words) { body_ += text("  ", words, "\n"); }
  std::string add(const std::string& call) {
    const std::string name = text("v", ++count_);
    line(text("%", name, " = ", call));
    return name;
  }
  std::string relu(const std::string& v) { return add(text("Relu(%", v, ")")); }
  std::string conv(const std::string& v, int64_t c, int64_t kernel, int64_t stride) {
    const std::string w = text("w", ++count_);
    line(text("const %", w, " = float32[4, ", c, ", ", kernel, ", ", kernel, "] random(", count_,
              ")"));
    const std::string y =
        add(text("Conv(%", v, ", %", w, ") {strides = [", stride, ", ", stride, "], pads = [",
                 kernel / 2, ", ", kernel / 2, ", ", kernel / 2, ", ", kernel / 2, "]}"));
    return add(text("BatchNormalization(%", y, ", %p, %p, %p, %p)"));
  }
  std::string body_;
  int64_t count_ = 0;
};

TEST(FuseConvActivation, brings_resnet_50_from_176_nodes_to_58) {
  const std::unique_ptr<Graph> graph = parse_typed(ResNet().str());
  ASSERT_NE(graph, nullptr);
  ASSERT_EQ(graph->node_count(), 176);
  optimize(*graph);
  EXPECT_EQ(graph->node_count(), 58);
  EXPECT_EQ(count_nodes(*graph, "FusedConv") + count_nodes(*graph, "Conv"), 53);
  size_t origins = 0;
  for (const Node* node : graph->nodes())
    origins += node->origins.empty() ? 1 : node->origins.size();
  EXPECT_EQ(origins, 176U);
}

}  // namespace
}  // namespace npugraph
