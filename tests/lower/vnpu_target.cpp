// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/vnpu/vnpu_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npugraph/base/file.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ir/print.h"
#include "npugraph/vnpu/image.h"

namespace npugraph {
namespace {

using testing::HasSubstr;

std::unique_ptr<Graph> typed(const std::string& body) {
  auto graph = parse("graph \"g\" {\n" + body + "\n}");
  EXPECT_TRUE(graph.has_value()) << graph.error().message();
  const Status inferred = infer_types(**graph);
  EXPECT_TRUE(inferred.has_value()) << inferred.error().message();
  return *std::move(graph);
}

std::unique_ptr<Target> dev16() { return make_vnpu_target(*vnpu::find_hardware("dev16")); }

std::string refusal(const std::string& body) {
  const auto graph = typed(body);
  const Support support = dev16()->supports(*graph->nodes().back());
  if (support.yes) return "taken";
  return support.reason + " | " + support.found + " | " + support.allowed;
}

TEST(VnpuTarget, refusals_say_what_was_found_and_what_is_allowed) {
  const std::string x = "input %x: float32[1, 3, 32, 32]\n";
  const std::string w = "const %w = float32[4, 3, 3, 3] random(1)\n";
  const struct {
    std::string body;
    std::string expected;
  } cases[] = {
      {x + "%y = Sigmoid(%x)\nreturn %y", "operator | Sigmoid | Add, Conv, MatMul, Relu"},
      {"input %x: float64[2]\n%y = Relu(%x)\nreturn %y", "dtype of input 'X' | float64 | float32"},
      {"input %x: float32[n, 3]\n%y = Relu(%x)\nreturn %y",
       "shape of input 'X' | [n, 3] | numbers only, known at compile time"},
      {"input %x: float32[1, 1, 1, 1, 2]\n%y = Add(%x, %x)\nreturn %y",
       "rank of input 'A' | 5 | 0..4"},
      {"input %x: float32[3]\ninput %z: float32[3, 2]\n%y = MatMul(%x, %z)\nreturn %y",
       "rank of input 'A' | 1 | 2..4"},
      {x + "input %v: float32[4, 3, 3, 3]\n%y = Conv(%x, %v)\nreturn %y",
       "input 'W' | computed at run time | a constant: the device keeps it in weight memory"},
      {x + w + "%y = Conv(%x, %w) {strides = [1, 17]}\nreturn %y",
       "attribute 'strides' | 17 | 1..16"},
      {x + w + "%y = Conv(%x, %w) {dilations = [1, 17], pads = [0, 9, 0, 9]}\nreturn %y",
       "attribute 'dilations' | 17 | 1..16"},
      {x + w + "%y = Conv(%x, %w) {pads = [0, 0, 32, 0]}\nreturn %y",
       "attribute 'pads' | 32 | 0..31"},
      {"input %x: float32[1, 3, 32]\nconst %w = float32[4, 3, 3] random(1)\n"
       "%y = Conv(%x, %w)\nreturn %y",
       "rank of input 'X' | 3 | 4"},
      {x + "const %w = float32[4, 3, 20, 1] random(1)\n%y = Conv(%x, %w)\nreturn %y",
       "attribute 'kernel_shape' | 20 | 1..16"},
      {x + w + "%y = Conv(%x, %w) {strides = [16, 16], pads = [31, 31, 31, 31]}\nreturn %y",
       "taken"},
  };
  for (const auto& [body, expected] : cases) EXPECT_EQ(refusal(body), expected) << body;
}

TEST(VnpuTarget, takes_less_when_the_hardware_file_says_so) {
  vnpu::Hardware hardware = *vnpu::find_hardware("dev16");
  hardware.legal.erase("Relu");
  hardware.legal.at("MatMul").rank = {2, 2};
  const auto target = make_vnpu_target(hardware);
  const auto relu = typed("input %x: float32[2]\n%y = Relu(%x)\nreturn %y");
  EXPECT_EQ(target->supports(*relu->nodes()[0]).allowed, "Add, Conv, MatMul");
  const auto matmul = typed(
      "input %x: float32[2, 3, 4]\nconst %w = float32[4, 5] random(1)\n%y = MatMul(%x, %w)\n"
      "return %y");
  EXPECT_EQ(target->supports(*matmul->nodes()[0]).allowed, "2");
  EXPECT_NE(target->info().device.fingerprint, dev16()->info().device.fingerprint);
}

TEST(VnpuTarget, a_region_is_one_image_with_shared_weights_and_reused_scratch) {
  const auto graph = typed(
      "input %x: float32[1, 4, 8, 8]\nconst %w = float32[4, 4, 3, 3] random(1)\n"
      "%a = Conv(%x, %w) {pads = [1, 1, 1, 1]}\n%b = Relu(%a)\n"
      "%c = Conv(%b, %w) {pads = [1, 1, 1, 1]}\n%d = Relu(%c)\n%y = Add(%d, %x)\nreturn %y");
  const auto program = dev16()->compile(*graph, {});
  ASSERT_TRUE(program.has_value()) << program.error().message();
  EXPECT_EQ(program->kernel, "CONV x 2 + ADD + RELU x 2");
  EXPECT_EQ(program->weights.size(), 1u);
  const auto image = vnpu::read_image(bytes_of(program->code));
  ASSERT_TRUE(image.has_value()) << image.error().message();
  EXPECT_EQ(image->commands.size(), 5u);
  EXPECT_EQ(image->scratch_bytes, 2u * 4 * 8 * 8 * 4) << "four values, two alive at once";
}

TEST(VnpuTarget, refuses_to_compile_what_it_did_not_take) {
  const auto graph = typed("input %x: float32[2]\n%y = Sigmoid(%x)\nreturn %y");
  const auto program = dev16()->compile(*graph, {});
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().id, ErrorId::kNodeUnplaced);
  EXPECT_THAT(program.error().message(), HasSubstr("Sigmoid"));
}

TEST(VnpuTarget, cost_is_the_roofline_of_the_node) {
  // 256 x 256 x 256: 2^24 macs / 256 = 65,536 cycles; 3 * 65,536 words at 3.75 bytes a cycle.
  const auto graph = typed(
      "input %x: float32[256, 256]\ninput %z: float32[256, 256]\n%y = MatMul(%x, %z)\nreturn %y");
  EXPECT_EQ(dev16()->cost_ns(*graph->nodes()[0]), 2 + 209716);
  const auto dynamic = typed("input %x: float32[n]\n%y = Relu(%x)\nreturn %y");
  EXPECT_EQ(dev16()->cost_ns(*dynamic->nodes()[0]), 0);
}

}  // namespace
}  // namespace npugraph
