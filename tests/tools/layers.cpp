// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/measure/layers.h"

#include <gtest/gtest.h>

#include <limits>

namespace npugraph::tools {
namespace {

NamedTensor value(const char* name, const char* node, std::vector<float> values) {
  const auto count = static_cast<int64_t>(values.size());
  return {name, node, Tensor::of_floats(values, {count})};
}

TEST(Layers, the_first_over_tolerance_is_the_first_of_the_model) {
  const std::vector<NamedTensor> reference = {value("a", "n1", {1, 2}), value("b", "n2", {1, 2}),
                                              value("c", "n3", {1, 2})};
  const std::vector<NamedTensor> engine = {value("c", "t2", {1, 3}), value("a", "t0", {1, 2}),
                                           value("b", "t1", {1, 2.5})};
  const Origins origins = {{"t1", {"n2", "relu"}}};
  const auto rows = compare_layers(reference, engine, origins, 1e-4);
  ASSERT_EQ(rows.size(), 3U);
  ASSERT_TRUE(first_over(rows));
  const LayerRow& row = rows[*first_over(rows)];
  EXPECT_EQ(row.name, "b");
  EXPECT_EQ(row.node, "n2");
  EXPECT_EQ(row.task, "t1");
  EXPECT_EQ(row.origins, (std::vector<std::string>{"n2", "relu"}));
  EXPECT_DOUBLE_EQ(row.agreement.relative_error, 0.25);
}

TEST(Layers, values_of_one_side_only_are_left_out) {
  const auto rows = compare_layers({value("a", "", {1}), value("gone", "", {1})},
                                   {value("a", "", {1}), value("new", "", {9})}, {}, 0);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(first_over(rows));
}

TEST(Layers, values_of_a_loop_pair_in_order) {
  const auto rows = compare_layers({value("x", "", {1}), value("x", "", {2})},
                                   {value("x", "", {1}), value("x", "", {3})}, {}, 0.1);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].over);
  EXPECT_TRUE(rows[1].over);
}

TEST(Layers, unequal_shapes_and_stray_nans_are_over) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto rows = compare_layers({value("a", "", {1, 2}), value("b", "", {1})},
                                   {value("a", "", {1}), value("b", "", {nan})}, {}, 1e9);
  EXPECT_TRUE(rows[0].over);
  EXPECT_FALSE(rows[0].problem.empty());
  EXPECT_TRUE(rows[1].over);
}

// x -> t1 -> "a" (compared) -> t2 -> "new" -> t3 -> "b" (compared); t3 also reads t4's "other".
TEST(Layers, a_fault_may_lie_in_nodes_whose_values_the_engine_lacks) {
  const std::vector<NamedTensor> reference = {value("a", "n1", {1}), value("b", "n3", {1})};
  const std::vector<NamedTensor> engine = {value("a", "t1", {1}), value("new", "t2", {5}),
                                           value("other", "t4", {5}), value("b", "t3", {2})};
  const Origins origins = {{"t1", {"n1"}}, {"t2", {"n2", "n2b"}}, {"t3", {"n3"}}, {"t4", {"n4"}}};
  const Wiring wiring = {.values_read = {{"t1", {"x"}},
                                         {"t2", {"a"}},
                                         {"t3", {"new", "w", "other"}},
                                         {"t4", {"new", "x"}}},
                         .maker = {{"a", "t1"}, {"new", "t2"}, {"b", "t3"}, {"other", "t4"}}};
  const auto rows = compare_layers(reference, engine, origins, 1e-4);
  ASSERT_EQ(first_over(rows), 1U);
  EXPECT_EQ(nodes_unseen(rows[1], rows, wiring, origins),
            (std::vector<std::string>{"n2", "n2b", "n4"}));
  EXPECT_TRUE(nodes_unseen(rows[0], rows, wiring, origins).empty());
}

}  // namespace
}  // namespace npugraph::tools
