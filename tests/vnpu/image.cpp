// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "npugraph/base/file.h"

namespace npugraph::vnpu {
namespace {

using testing::HasSubstr;

/// out0 = relu(in0 . weight0), 2x3 by 3x4, the product in scratch.
Image small_image() {
  Image image;
  image.input_bytes = {24};
  image.output_bytes = {32};
  image.weight_bytes = {48};
  image.scratch_bytes = 64;
  image.buffers = {{Region::kInput, 0, 0, 24},
                   {Region::kWeight, 0, 0, 48},
                   {Region::kScratch, 0, 16, 32},
                   {Region::kOutput, 0, 0, 32}};
  image.shapes = {std::bit_cast<ShapeRow>(MatMulShape{.m = 2, .n = 4, .k = 3})};
  image.commands = {{.op = Opcode::kMatMul, .a = 0, .b = 1, .dst = 2},
                    {.op = Opcode::kRelu, .a = 2, .dst = 3, .count = 8}};
  return image;
}

TEST(Image, survives_a_round_trip) {
  const std::string bytes = write_image(small_image());
  const auto image = read_image(bytes_of(bytes));
  ASSERT_TRUE(image.has_value()) << image.error().message();
  EXPECT_EQ(write_image(*image), bytes);
}

TEST(Image, refuses_every_truncation) {
  const std::string bytes = write_image(small_image());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto image = read_image(bytes_of(std::string_view(bytes).substr(0, length)));
    ASSERT_FALSE(image.has_value()) << length;
    EXPECT_EQ(image.error().id, ErrorId::kProgramInvalid);
  }
}

TEST(Image, flipped_bytes_are_refused_or_stay_inside_the_buffers) {
  // What a flip leaves legal is another program; read_image() must have checked its extents.
  const std::string good = write_image(small_image());
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      const auto image = read_image(bytes_of(bytes));
      if (!image) {
        EXPECT_EQ(image.error().id, ErrorId::kProgramInvalid);
        continue;
      }
      for (const Command& command : image->commands) {
        const ShapeRow shape = image->shapes.empty() ? ShapeRow{} : image->shapes[command.shape];
        const Extents need = extents_of(command.op, shape, command.count);
        EXPECT_LE(static_cast<uint64_t>(need.dst) * 4, image->buffers[command.dst].size_bytes);
        EXPECT_LE(static_cast<uint64_t>(need.a) * 4, image->buffers[command.a].size_bytes);
      }
    }
  }
}

TEST(Image, names_the_faulty_field) {
  struct Fault {
    std::function<void(Image&)> damage;
    std::string message;
  };
  const Fault faults[] = {
      {[](Image& i) { i.buffers[0].index = 1; }, "region of buffer 0"},
      {[](Image& i) { i.buffers[1].offset_bytes = 4; }, "place of buffer 1"},
      {[](Image& i) { i.buffers[1].offset_bytes = ~uint64_t{3}; }, "place of buffer 1"},
      {[](Image& i) { i.buffers[2].offset_bytes = 2; }, "place of buffer 2"},
      {[](Image& i) { i.commands[0].op = static_cast<Opcode>(6); },
       "command 0: vnpu program: opcode"},
      {[](Image& i) { i.commands[0].a = 9; }, "operand a"},
      {[](Image& i) { i.commands[0].shape = 1; }, "shape row"},
      {[](Image& i) { i.commands[0].c = 0; }, "operand c"},
      {[](Image& i) { i.buffers[2].size_bytes = 28; }, "size of operand dst"},
      {[](Image& i) { i.commands[1].dst = 1; }, "operand dst"},
      {[](Image& i) { i.commands[1].count = 9; }, "size of operand a"},
      {[](Image& i) { i.commands[1].count = ~uint64_t{0}; }, "size of operand a"},
      {[](Image& i) { i.commands[1].reserved1 = 1; }, "reserved"},
      {[](Image& i) { i.commands[0].a = 2; }, "overlaps"},
      {[](Image& i) { i.shapes[0].words[0] = 0xffffffffu; }, "size of operand a"},
      {[](Image& i) { i.scratch_bytes = ~uint64_t{0}; }, "scratch size"},
  };
  for (const Fault& fault : faults) {
    Image image = small_image();
    fault.damage(image);
    const auto read = read_image(bytes_of(write_image(image)));
    ASSERT_FALSE(read.has_value()) << fault.message;
    EXPECT_EQ(read.error().id, ErrorId::kProgramInvalid);
    EXPECT_THAT(read.error().message(), HasSubstr(fault.message));
  }
}

TEST(Image, convolution_steps_of_zero_are_refused) {
  Image image = small_image();
  ConvShape conv = {.in_c = 1, .in_h = 2, .in_w = 2, .out_c = 1, .out_h = 1, .out_w = 1};
  conv.stride_w = 0;
  image.shapes = {std::bit_cast<ShapeRow>(conv)};
  image.commands[0].op = Opcode::kConv;
  const auto read = read_image(bytes_of(write_image(image)));
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().what, HasSubstr("stride"));
}

}  // namespace
}  // namespace npugraph::vnpu
