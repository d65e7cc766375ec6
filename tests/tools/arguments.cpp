// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tools/commands/arguments.h"

#include <gtest/gtest.h>

namespace npugraph::tools {
namespace {

TEST(Arguments, shapes_are_numbers_and_symbols) {
  EXPECT_EQ(parse_shape("1x3x240x320")->str(), "[1, 3, 240, 320]");
  EXPECT_EQ(parse_shape("bx128")->str(), "[b, 128]");
  EXPECT_EQ(parse_shape("b,max_len,3")->str(), "[b, max_len, 3]");
  EXPECT_EQ(parse_shape("7")->str(), "[7]");
  EXPECT_EQ(parse_shape("scalar")->str(), "[]");
}

TEST(Arguments, refuses_what_is_no_shape) {
  for (const char* wrong : {"", "1x", "x1", "1xx2", "1x-3", "1x3.5", "1x99999999999999999999"}) {
    const auto shape = parse_shape(wrong);
    ASSERT_FALSE(shape) << wrong;
    EXPECT_EQ(shape.error().id, ErrorId::kBadOption) << wrong;
  }
  EXPECT_FALSE(parse_shapes({"1x3"}));
  EXPECT_FALSE(parse_shapes({"a=1", "a=2"}));
  EXPECT_EQ(parse_shapes({"a=b=1x2"})->begin()->first, "a=b");
}

TEST(Arguments, switches_are_on_or_off) {
  const auto switches = parse_switches({"fold_constants=off", "fuse=on"});
  ASSERT_TRUE(switches);
  EXPECT_FALSE(switches->at("fold_constants"));
  EXPECT_TRUE(switches->at("fuse"));
  EXPECT_FALSE(parse_switches({"fuse=maybe"}));
  EXPECT_FALSE(parse_switches({"fuse"}));
}

TEST(Arguments, suggests_the_nearest_input) {
  std::vector<PortDescription> ports = {{"images", {DType::kF32, Shape{1}}}};
  const auto shapes = parse_shapes({"image=2"});
  ASSERT_TRUE(shapes);
  const Status status = apply_shapes(*shapes, ports);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, ErrorId::kBadInputName);
  EXPECT_NE(status.error().fix.find("'images'"), std::string::npos);
}

TEST(Arguments, inputs_that_are_left_out_are_random_only_with_a_seed) {
  const std::vector<PortDescription> ports = {{"a", {DType::kF32, Shape{2}}},
                                              {"b", {DType::kI64, Shape{Dim::symbol("n")}}}};
  InputArguments arguments;
  const auto none = arguments.load(ports, std::nullopt);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().id, ErrorId::kBadInputCount);
  arguments.seed = 5;
  const auto some = arguments.load(ports, std::nullopt);
  ASSERT_TRUE(some) << some.error().message();
  EXPECT_EQ((*some)[1].dims(), (Dims{1}));
  const auto whole = random_inputs(ports, 5);
  ASSERT_TRUE(whole);
  EXPECT_EQ((*some)[0].as<float>()[0], (*whole)[0].as<float>()[0]);
  EXPECT_EQ((*some)[1].as<int64_t>()[0], (*whole)[1].as<int64_t>()[0]);
}

TEST(Arguments, refuses_inputs_that_do_not_fit) {
  const std::vector<PortDescription> ports = {{"a", {DType::kF32, Shape{2}}},
                                              {"b", {DType::kF32, Shape{2}}}};
  const std::vector<std::pair<std::string, ErrorId>> cases = {
      {"c=x.npy", ErrorId::kBadInputName}, {"a=none.npy", ErrorId::kFileNotFound},
      {"a=x.txt", ErrorId::kBadOption},    {"x.npy", ErrorId::kBadOption},
      {"=x.npy", ErrorId::kBadOption},     {"a=", ErrorId::kBadOption}};
  for (const auto& [option, id] : cases) {
    InputArguments arguments;
    arguments.inputs = {option};
    const auto inputs = arguments.load(ports, std::nullopt);
    ASSERT_FALSE(inputs) << option;
    EXPECT_EQ(inputs.error().id, id) << option << ": " << inputs.error().message();
  }
}

}  // namespace
}  // namespace npugraph::tools
