// SPDX-License-Identifier: Apache-2.0
#include "npugraph/vnpu/timing.h"

#include <gtest/gtest.h>

#include <bit>

namespace npugraph::vnpu {
namespace {

Hardware hardware() {
  Hardware h;
  h.clock_hz = 1e9;
  h.mxu_rows = 16;
  h.mxu_cols = 16;
  h.vpu_lanes = 8;
  h.dram_Bps = 4e9;  // 4 bytes a cycle
  h.decode_cycles = 2;
  h.launch_us = 5;
  h.link_Bps = 2e9;
  h.link_latency_us = 10;
  return h;
}

TEST(Timing, a_command_takes_its_slowest_resource) {
  // 64x64x512: 2,097,152 macs / 256 = 8192 cycles; 4 * (2 * 32768 + 4096) bytes / 4 = 69,632.
  const MatMulShape memory_bound = {.m = 64, .n = 64, .k = 512};
  EXPECT_EQ(command_cycles(hardware(), Opcode::kMatMul, std::bit_cast<ShapeRow>(memory_bound), 0),
            2 + 69632);
  // 1024 x 1024 x 1024: 2^30 macs / 256 = 4,194,304 cycles; 3 * 2^20 words at one word a cycle.
  const MatMulShape compute_bound = {.m = 1024, .n = 1024, .k = 1024};
  EXPECT_EQ(command_cycles(hardware(), Opcode::kMatMul, std::bit_cast<ShapeRow>(compute_bound), 0),
            2 + 4194304);
  // 3x3 convolution of 64 channels on 8x8, 64 outputs: 64 * 64 * 9 * 64 macs / 256 = 9216 cycles;
  // 4096 + 36864 + 64 + 4096 words.
  const ConvShape conv = {.in_c = 64,
                          .in_h = 8,
                          .in_w = 8,
                          .out_c = 64,
                          .out_h = 8,
                          .out_w = 8,
                          .kernel_h = 3,
                          .kernel_w = 3,
                          .pad_top = 1,
                          .pad_left = 1};
  EXPECT_EQ(command_cycles(hardware(), Opcode::kConv, std::bit_cast<ShapeRow>(conv), 0), 2 + 45120);
  EXPECT_EQ(command_cycles(hardware(), Opcode::kRelu, {}, 100), 2 + 200);
}

TEST(Timing, a_program_is_its_launch_and_its_commands) {
  Image image;
  image.commands = {{.op = Opcode::kRelu, .count = 100}, {.op = Opcode::kRelu, .count = 100}};
  EXPECT_EQ(program_ns(hardware(), image), 5000 + 2 * 202);
}

TEST(Timing, a_transfer_is_latency_and_bytes_over_bandwidth) {
  EXPECT_EQ(transfer_ns(hardware(), 4000), 10000 + 2000);
}

}  // namespace
}  // namespace npugraph::vnpu
