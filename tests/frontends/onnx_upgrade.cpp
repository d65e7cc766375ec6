// SPDX-License-Identifier: Apache-2.0
// Older forms of operators give what their own opset says. Expected values are worked by hand from
// the ONNX operator documentation.
#include <cmath>

#include "tests/frontends/onnx_model.h"

namespace npugraph {
namespace {

using Floats32 = std::vector<float>;

void expect_near(const Floats32& found, const Floats32& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6f) << i;
}

/// A model of one node from x to y.
struct OneNode {
  OneNode(int64_t opset, const std::string& op, const Dims& dims,
          const std::vector<std::string>& more_inputs = {},
          const std::vector<std::string>& outputs = {"y"})
      : model(opset), node_builder(begin(op, dims, more_inputs, outputs)) {
    model.output("y");
  }
  NodeBuilder begin(const std::string& op, const Dims& dims,
                    const std::vector<std::string>& more_inputs,
                    const std::vector<std::string>& outputs) {
    model.input("x", std::vector<Declared>(dims.begin(), dims.end()));
    input_dims = dims;
    std::vector<std::string> inputs = {"x"};
    inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
    return node(model.graph(), op, inputs, outputs);
  }
  Floats32 run(const Floats32& x) {
    return run_floats(model, {{"x", Tensor::of_floats(x, input_dims)}});
  }
  std::string type() {
    const auto graph = must_read(model);
    return graph == nullptr ? "" : graph->outputs()[0]->type.str();
  }

  Model model;
  Dims input_dims;
  NodeBuilder node_builder;
};

TEST(OnnxUpgrade, squeeze_and_unsqueeze_axes) {
  OneNode squeeze(11, "Squeeze", {1, 3, 1});
  squeeze.node_builder.attr("axes", std::vector<int64_t>{-1});
  EXPECT_EQ(squeeze.type(), "float32[1, 3]");
  OneNode all(11, "Squeeze", {1, 3, 1});
  EXPECT_EQ(all.type(), "float32[3]");
  OneNode unsqueeze(11, "Unsqueeze", {3});
  unsqueeze.node_builder.attr("axes", std::vector<int64_t>{0, 2});
  EXPECT_EQ(unsqueeze.type(), "float32[1, 3, 1]");
}

TEST(OnnxUpgrade, split_sizes_and_equal_parts) {
  OneNode sizes(11, "Split", {5}, {}, {"a", "y"});
  sizes.node_builder.attr("split", std::vector<int64_t>{2, 3}).attr("axis", int64_t{0});
  EXPECT_EQ(sizes.run({1, 2, 3, 4, 5}), (Floats32{3, 4, 5}));
  OneNode equal(11, "Split", {4}, {}, {"a", "y"});
  EXPECT_EQ(equal.run({1, 2, 3, 4}), (Floats32{3, 4}));
  OneNode thirteen(13, "Split", {4}, {}, {"a", "y"});
  EXPECT_EQ(thirteen.run({1, 2, 3, 4}), (Floats32{3, 4}));
}

TEST(OnnxUpgrade, parts_of_a_split_are_equal_until_opset_18) {
  for (const int64_t opset : {7, 11, 13, 17}) {
    OneNode uneven(opset, "Split", {5}, {}, {"a", "y"});
    expect_error(uneven.model, ErrorId::kShapeMismatch, "multiple of 2");
  }
  OneNode smaller_last(18, "Split", {5}, {}, {"a", "y"});
  smaller_last.node_builder.attr("num_outputs", int64_t{2});
  EXPECT_EQ(smaller_last.run({1, 2, 3, 4, 5}), (Floats32{4, 5}));
}

TEST(OnnxUpgrade, flatten_is_a_reshape) {
  const auto flat = [](std::vector<Declared> dims, int64_t axis) {
    Model model(13);
    model.input("x", std::move(dims));
    node(model.graph(), "Flatten", {"x"}, {"y"}).attr("axis", axis);
    model.output("y");
    return model;
  };
  const auto type = [&](std::vector<Declared> dims, int64_t axis) {
    const auto graph = must_read(flat(std::move(dims), axis));
    if (graph == nullptr) return std::string();
    EXPECT_TRUE(graph->outputs()[0]->producer()->is("Reshape"));
    return graph->outputs()[0]->type.str();
  };
  const std::string b = "b", h = "h";
  const int64_t n2 = 2, n3 = 3, n4 = 4, n0 = 0;
  EXPECT_EQ(type({n2, n3, n4}, 1), "float32[2, 12]");
  EXPECT_EQ(type({n2, n3, n4}, -1), "float32[6, 4]");
  EXPECT_EQ(type({n2, n3, n4}, 3), "float32[24, 1]");
  EXPECT_EQ(type({n2, n3, n4}, 0), "float32[1, 24]");
  EXPECT_EQ(type({n0, n3}, 1), "float32[0, 3]");
  EXPECT_EQ(type({}, 0), "float32[1, 1]");
  EXPECT_EQ(type({b, n3, n4}, 1), "float32[b, 12]");
  EXPECT_EQ(type({n2, b, n4}, 1), "float32[2, 4*b]");
  EXPECT_EQ(type({b, h, n4}, 1), "float32[b, 4*h]");
  EXPECT_EQ(type({b, h, n4}, -1), "float32[b*h, 4]");
  expect_error(flat({n2, n3}, 3), ErrorId::kAxisOutsideRank, "axis");
  // A size of 0 beside one that is open: -1 would have no answer.
  const Tensor empty = Tensor::of_floats({}, {0, 2, 4});
  EXPECT_TRUE(run_floats(flat({b, h, n4}, 1), {{"x", empty}}).empty());
}

TEST(OnnxUpgrade, reduction_axes) {
  for (const int64_t opset : {7, 11, 13, 17}) {
    OneNode mean(opset, "ReduceMean", {2, 2});
    mean.node_builder.attr("axes", std::vector<int64_t>{1}).attr("keepdims", int64_t{0});
    EXPECT_EQ(mean.run({1, 2, 3, 6}), (Floats32{1.5f, 4.5f}));
    OneNode all(opset, "ReduceMax", {2, 2});
    EXPECT_EQ(all.run({1, 2, 3, 6}), (Floats32{6}));
  }
  OneNode sum(12, "ReduceSum", {2, 2});
  sum.node_builder.attr("axes", std::vector<int64_t>{0});
  EXPECT_EQ(sum.run({1, 2, 3, 6}), (Floats32{4, 8}));
}

TEST(OnnxUpgrade, slice_attributes) {
  OneNode slice(9, "Slice", {2, 3});
  slice.node_builder.attr("starts", std::vector<int64_t>{1})
      .attr("ends", std::vector<int64_t>{1000})
      .attr("axes", std::vector<int64_t>{1});
  EXPECT_EQ(slice.run({1, 2, 3, 4, 5, 6}), (Floats32{2, 3, 5, 6}));
  OneNode missing(9, "Slice", {2, 3});
  missing.node_builder.attr("starts", std::vector<int64_t>{1});
  expect_error(missing.model, ErrorId::kOnnxAttribute, "'ends' of Slice");
}

TEST(OnnxUpgrade, pad_attributes) {
  OneNode pad(10, "Pad", {2});
  pad.node_builder.attr("pads", std::vector<int64_t>{1, 2}).attr("value", 9.0f);
  EXPECT_EQ(pad.run({1, 2}), (Floats32{9, 1, 2, 9, 9}));
  OneNode reflect(10, "Pad", {3});
  reflect.node_builder.attr("pads", std::vector<int64_t>{2, 0}).attr("mode", "reflect");
  EXPECT_EQ(reflect.run({1, 2, 3}), (Floats32{3, 2, 1, 2, 3}));
}

TEST(OnnxUpgrade, clip_attributes) {
  OneNode both(6 + 1, "Clip", {3});
  both.node_builder.attr("min", 0.0f).attr("max", 6.0f);
  EXPECT_EQ(both.run({-1, 3, 9}), (Floats32{0, 3, 6}));
  OneNode high(10, "Clip", {3});
  high.node_builder.attr("max", 6.0f);
  EXPECT_EQ(high.run({-1, 3, 9}), (Floats32{-1, 3, 6}));
}

TEST(OnnxUpgrade, top_k_attribute) {
  OneNode top(9, "TopK", {4}, {}, {"y", "i"});
  top.node_builder.attr("k", int64_t{2});
  EXPECT_EQ(top.run({1, 7, 3, 5}), (Floats32{7, 5}));
}

TEST(OnnxUpgrade, dropout_of_inference_changes_nothing) {
  OneNode drop(7, "Dropout", {2});
  drop.node_builder.attr("ratio", 0.9f);
  EXPECT_EQ(drop.run({1, 2}), (Floats32{1, 2}));
}

TEST(OnnxUpgrade, cast_to_a_word) {
  OneNode cast(7, "Cast", {2});
  cast.node_builder.attr("to", "INT64");
  EXPECT_EQ(cast.type(), "int64[2]");
  OneNode wrong(7, "Cast", {2});
  wrong.node_builder.attr("to", "INT65");
  expect_error(wrong.model, ErrorId::kOnnxAttribute, "INT65");
}

TEST(OnnxUpgrade, old_softmax_takes_all_dims_from_its_axis_together) {
  const float log3 = std::log(3.0f);
  for (const int64_t opset : {7, 11, 12}) {
    OneNode flat(opset, "Softmax", {1, 2, 2});  // axis 1 when it is not given
    expect_near(flat.run({0, 0, 0, log3}), {1.0f / 6, 1.0f / 6, 1.0f / 6, 0.5f});
    EXPECT_EQ(flat.type(), "float32[1, 2, 2]");
    OneNode last(opset, "Softmax", {2, 2});
    last.node_builder.attr("axis", int64_t{1});
    expect_near(last.run({0, log3, log3, log3}), {0.25f, 0.75f, 0.5f, 0.5f});
    OneNode first(opset, "Softmax", {2, 1});
    first.node_builder.attr("axis", int64_t{0});
    expect_near(first.run({0, log3}), {0.25f, 0.75f});
  }
  OneNode now(13, "Softmax", {1, 2, 2});  // axis -1 when it is not given
  expect_near(now.run({0, 0, 0, log3}), {0.5f, 0.5f, 0.25f, 0.75f});
  OneNode log_softmax(11, "LogSoftmax", {1, 2, 2});
  expect_near(log_softmax.run({0, 0, 0, log3}),
              {-std::log(6.0f), -std::log(6.0f), -std::log(6.0f), -std::log(2.0f)});
}

TEST(OnnxUpgrade, old_softmax_needs_no_helpers_when_only_its_axis_counts) {
  OneNode pooled(7, "Softmax", {2, 2, 1, 1});
  const auto graph = must_read(pooled.model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->node_count(), 1);
  expect_near(pooled.run({0, 0, 0, std::log(3.0f)}), {0.5f, 0.5f, 0.25f, 0.75f});
}

TEST(OnnxUpgrade, old_softmax_of_free_dims) {
  Model model(11);
  model.input("x", {{std::string("n"), std::string("c"), std::string("w")}});
  node(model.graph(), "Softmax", {"x"}, {"y"});
  model.output("y");
  const auto graph = must_read(model);
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->outputs()[0]->type.str(), "float32[n, c, w]");
  const auto results =
      run_reference(*graph, {{"x", Tensor::of_floats({0, 0, 0, std::log(3.0f)}, {1, 2, 2})}});
  ASSERT_EQ(results.size(), 1u);
  expect_near(floats_of(results[0]), {1.0f / 6, 1.0f / 6, 1.0f / 6, 0.5f});
}

TEST(OnnxUpgrade, upsample_repeats_or_interpolates_from_the_corner) {
  OneNode nearest(7, "Upsample", {1, 1, 1, 2});
  nearest.node_builder.attr("scales", std::vector<float>{1, 1, 2, 2}).attr("mode", "nearest");
  EXPECT_EQ(nearest.run({1, 2}), (Floats32{1, 1, 2, 2, 1, 1, 2, 2}));
  OneNode linear(9, "Upsample", {1, 1, 1, 2}, {"s"});
  linear.model.constant<float>("s", {4}, {1, 1, 1, 2});
  linear.node_builder.attr("mode", "linear");
  expect_near(linear.run({1, 2}), {1, 1.5f, 2, 2});
}

TEST(OnnxUpgrade, resize_10_shrinks_upward_and_grows_downward) {
  OneNode shrink(10, "Resize", {1, 1, 2, 4}, {"s"});  // the example of Resize-10
  shrink.model.constant<float>("s", {4}, {1, 1, 0.6f, 0.6f});
  EXPECT_EQ(shrink.run({1, 2, 3, 4, 5, 6, 7, 8}), (Floats32{1, 3}));
  OneNode grow(10, "Resize", {1, 1, 1, 3}, {"s"});
  grow.model.constant<float>("s", {4}, {1, 1, 1, 1.5f});
  EXPECT_EQ(grow.run({1, 2, 3}), (Floats32{1, 1, 2, 3}));  // 0, 0.67, 1.33, 2: the floor
  OneNode both(10, "Resize", {1, 1, 1, 4}, {"s"});
  both.model.constant<float>("s", {4}, {1, 1, 2, 0.5f});
  EXPECT_EQ(both.run({1, 2, 3, 4}), (Floats32{1, 3, 1, 3}));
}

TEST(OnnxUpgrade, resize_11_writes_absent_inputs_as_empty_tensors) {
  OneNode resize(11, "Resize", {1, 1, 1, 2}, {"roi", "scales", "sizes"});
  resize.model.constant<float>("roi", {0}, {});
  resize.model.constant<float>("scales", {0}, {});
  resize.model.constant<int64_t>("sizes", {4}, {1, 1, 1, 4});
  resize.node_builder.attr("mode", "nearest")
      .attr("coordinate_transformation_mode", "asymmetric")
      .attr("nearest_mode", "floor");
  EXPECT_EQ(resize.run({1, 2}), (Floats32{1, 1, 2, 2}));
}

TEST(OnnxUpgrade, batch_normalization_of_inference) {
  OneNode norm(7, "BatchNormalization", {1, 2}, {"scale", "b", "mean", "var"},
               {"y", "m", "v", "sm", "sv"});
  norm.model.constant<float>("scale", {2}, {2, 1});
  norm.model.constant<float>("b", {2}, {1, 0});
  norm.model.constant<float>("mean", {2}, {1, 4});
  norm.model.constant<float>("var", {2}, {4, 1});
  norm.node_builder.attr("spatial", int64_t{1}).attr("epsilon", 0.0f);
  expect_near(norm.run({5, 6}), {5, 2});
  norm.model.graph().mutable_node(0)->mutable_attribute(0)->set_i(0);
  expect_error(norm.model, ErrorId::kOnnxAttribute, "spatial");
}

TEST(OnnxUpgrade, group_normalization_with_one_scale_a_group) {
  OneNode norm(18, "GroupNormalization", {1, 4}, {"scale", "bias"});
  norm.model.constant<float>("scale", {2}, {10, 100});
  norm.model.constant<float>("bias", {2}, {1, 2});
  norm.node_builder.attr("num_groups", int64_t{2}).attr("epsilon", 0.0f);
  expect_near(norm.run({1, 3, 2, 6}), {-9, 11, -98, 102});
}

TEST(OnnxUpgrade, scatter_is_scatter_elements) {
  OneNode scatter(9, "Scatter", {3}, {"i", "u"});
  scatter.model.constant<int64_t>("i", {2}, {2, 0});
  scatter.model.constant<float>("u", {2}, {8, 9});
  EXPECT_EQ(scatter.run({1, 2, 3}), (Floats32{9, 2, 8}));
}

TEST(OnnxUpgrade, operators_of_com_microsoft_that_are_ours) {
  const auto with_domain = [](OneNode& one) {
    one.model.import("com.microsoft", 1);
    one.model.graph().mutable_node(0)->set_domain("com.microsoft");
  };
  OneNode quick(17, "QuickGelu", {2});
  with_domain(quick);
  expect_near(quick.run({0, 1}), {0, 1.0f / (1.0f + std::exp(-1.702f))});
  OneNode gelu(17, "Gelu", {1});
  with_domain(gelu);
  expect_near(gelu.run({1}), {0.8413447f});  // the standard normal distribution at 1
  OneNode biased(17, "BiasGelu", {1}, {"b"});
  with_domain(biased);
  biased.model.constant<float>("b", {1}, {-1});
  expect_near(biased.run({2}), {0.8413447f});
  OneNode fast(17, "FastGelu", {1});
  with_domain(fast);
  expect_near(fast.run({1}), {0.8411920f});  // the tanh form at 1
}

TEST(OnnxUpgrade, simplified_layer_normalization_is_rms_normalization) {
  OneNode norm(17, "SimplifiedLayerNormalization", {1, 2}, {"scale"});
  norm.model.constant<float>("scale", {2}, {1, 2});
  norm.node_builder.attr("epsilon", 0.0f);
  const float rms = std::sqrt((9.0f + 16.0f) / 2);
  expect_near(norm.run({3, 4}), {3 / rms, 8 / rms});
}

}  // namespace
}  // namespace npugraph
