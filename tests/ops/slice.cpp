// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/op_test.h"

#include <limits>

namespace npugraph::testing {
namespace {

constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();

Node slice_of(Tensor x, int64_t start, int64_t end, int64_t step) {
  Node node("Slice");
  node.in(std::move(x)).in(vec({start})).in(vec({end})).in(vec({0})).in(vec({step}));
  return node;
}

/// Length of a symbolic axis [t] after slicing.
std::string length(std::string_view start, std::string_view end, int64_t step = 1) {
  return Node("Slice")
      .in(type("[t]"))
      .dims(start)
      .dims(end)
      .in(vec({0}))
      .in(vec({step}))
      .inferred();
}

TEST(Slice, takes_any_step_and_clamps) {
  EXPECT_EQ(slice_of(iota({5}), 1, kHigh, 2).result(), (Values{1, 3}));
  EXPECT_EQ(slice_of(iota({5}), -2, kHigh, 1).result(), (Values{3, 4}));
  EXPECT_EQ(slice_of(iota({5}), 4, 1, -2).result(), (Values{4, 2}));
  EXPECT_EQ(slice_of(iota({5}), kHigh, kLow, -1).result(), (Values{4, 3, 2, 1, 0}));
  EXPECT_EQ(slice_of(iota({5}), -1, -6, kLow).result(), (Values{4}));
  EXPECT_EQ(slice_of(iota({5}), kLow, kHigh, kHigh).result(), (Values{0}));
  EXPECT_EQ(slice_of(iota({5}), 3, 2, 1).ran(), "float32 0");
  EXPECT_EQ(slice_of(iota({0}), -1, kLow, -1).ran(), "float32 0");
}

TEST(Slice, takes_several_axes_by_any_index_type) {
  Node node("Slice");
  node.in(iota({2, 2, 3})).in(of(DType::kI32, {0, 1}, {2})).in(of(DType::kI32, {-1, 99}, {2}));
  node.in(of(DType::kI32, {2, -2}, {2}));
  EXPECT_EQ(node.ran(), "float32 2x1x2");
  EXPECT_EQ(node.result(), (Values{3, 4, 9, 10}));
}

TEST(Slice, default_axes_are_the_first) {
  EXPECT_EQ(Node("Slice").in(iota({3, 2})).in(vec({1})).in(vec({2})).result(), (Values{2, 3}));
}

TEST(Slice, infers_symbolic_lengths) {
  EXPECT_EQ(length("[0]", "[9223372036854775807]"), "float32[t]");
  EXPECT_EQ(length("[0]", "[t]"), "float32[t]");
  EXPECT_EQ(length("[0]", "[-1]"), "float32[max(0, t - 1)]");
  EXPECT_EQ(length("[1]", "[9223372036854775807]"), "float32[max(0, t - 1)]");
  EXPECT_EQ(length("[-3]", "[9223372036854775807]"), "float32[min(3, t)]");
  EXPECT_EQ(length("[0]", "[n]"), "float32[min(n, t)]");
  EXPECT_EQ(length("[0]", "[9223372036854775807]", 2), "float32[ceildiv(t, 2)]");
  EXPECT_EQ(length("[-1]", "[-9223372036854775807]", -1), "float32[t]");
  EXPECT_EQ(length("[n]", "[n + 4]").substr(0, 8), "float32[");
}

/// The expression for [t] sliced holds for every t: compared with counting.
TEST(Slice, symbolic_lengths_agree_with_counting) {
  const std::vector<std::string> bounds = {"0", "2", "-1", "-3", "n", "n - 2", "t - 1", "t - n"};
  for (const std::string& start : bounds) {
    for (const std::string& end : bounds) {
      for (const int64_t step : {1, 2, -1, -3}) {
        Node node("Slice");
        node.in(type("[t]")).dims("[" + start + "]").dims("[" + end + "]");
        node.in(vec({0})).in(vec({step}));
        const auto inferred = node.infer();
        ASSERT_TRUE(inferred.has_value());
        for (int64_t t = 0; t < 6; ++t) {
          for (int64_t n = 0; n < 4; ++n) {
            const Dim::Bindings at = {{"t", t}, {"n", n}};
            const int64_t a = *Dim::parse(start)->evaluate(at), b = *Dim::parse(end)->evaluate(at);
            const auto concrete = slice_of(iota({t}), a, b, step).run();
            ASSERT_TRUE(concrete.has_value());
            EXPECT_EQ(*(*inferred)[0].type.shape[0].evaluate(at), (*concrete)[0].elements())
                << start << ":" << end << ":" << step << " t=" << t << " n=" << n;
          }
        }
      }
    }
  }
}

TEST(Slice, unknown_bounds_give_late_dims) {
  EXPECT_EQ(Node("Slice")
                .in(type("[b, 4]"))
                .in(type("[1]", DType::kI64))
                .in(type("[1]", DType::kI64))
                .in(vec({1}))
                .inferred(),
            "float32[b, late.node.1]");
  EXPECT_EQ(Node("Slice")
                .in(type("[b, 4]"))
                .in(vec({0}))
                .in(vec({1}))
                .in(type("[1]", DType::kI64))
                .inferred(),
            "float32[late.node.0, late.node.1]");
}

TEST(Slice, carries_content) {
  EXPECT_EQ(Node("Slice").dims("[b, c, h, w]").in(vec({-2})).in(vec({kHigh})).inferred(),
            "int64[2] = [h, w]");
}

TEST(Slice, refuses_wrong_lists) {
  EXPECT_EQ(slice_of(iota({5}), 0, 1, 0).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Slice").in(iota({5})).in(vec({0, 0})).in(vec({1, 1})).inferred(),
            "ShapeMismatch");
  EXPECT_EQ(Node("Slice").in(iota({5})).in(vec({0})).in(vec({1, 1})).inferred(), "ShapeMismatch");
  EXPECT_EQ(Node("Slice").in(iota({5})).in(vec({0})).in(vec({1})).in(vec({1})).inferred(),
            "AxisOutsideRank");
}

}  // namespace
}  // namespace npugraph::testing
