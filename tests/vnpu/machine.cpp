// SPDX-License-Identifier: Apache-2.0
// Values of each command against loops written down here, bit for bit: the device's arithmetic
// (sums in double, in order, rounded once) leaves no room.
#include "npugraph/vnpu/machine.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "npugraph/base/file.h"

namespace npugraph::vnpu {
namespace {

using Floats = std::vector<float>;

Floats random_floats(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Floats out(static_cast<size_t>(count));
  for (float& x : out) x = uniform(random);
  return out;
}

/// Runs one command on operands a, b and c of its own and returns dst.
class Machine {
 public:
  explicit Machine(Isa isa, int64_t threads)
      : dram_(std::make_unique<Dram>(1 << 26)), workers_(*Workers::create(threads, isa)) {}

  Floats run(Opcode op, const ShapeRow& shape, uint64_t count, const std::vector<Floats>& operands,
             int64_t dst_count) {
    Image image;
    std::vector<DeviceAddress> inputs;
    Command command = {.op = op, .count = count};
    uint32_t* const fields[] = {&command.a, &command.b, &command.c};
    for (size_t i = 0; i < operands.size(); ++i) {
      const uint64_t bytes = operands[i].size() * sizeof(float);
      image.input_bytes.push_back(bytes);
      image.buffers.push_back({Region::kInput, static_cast<uint32_t>(i), 0, bytes});
      *fields[i] = static_cast<uint32_t>(i);
      inputs.push_back(*dram_->allocate(static_cast<int64_t>(bytes), 64));
      if (bytes > 0) {
        std::memcpy(dram_->resolve(inputs[i], static_cast<int64_t>(bytes)), operands[i].data(),
                    bytes);
      }
    }
    const auto out_bytes = static_cast<uint64_t>(dst_count) * sizeof(float);
    image.output_bytes = {out_bytes};
    image.buffers.push_back({Region::kOutput, 0, 0, out_bytes});
    command.dst = static_cast<uint32_t>(operands.size());
    if (count == 0) image.shapes = {shape};
    image.commands = {command};

    const auto checked = read_image(bytes_of(write_image(image)));
    EXPECT_TRUE(checked.has_value()) << checked.error().message();
    const DeviceAddress output = *dram_->allocate(static_cast<int64_t>(out_bytes), 64);
    const Status status = execute(*checked, {inputs, {&output, 1}, {}, 0}, *dram_, *workers_);
    EXPECT_TRUE(status.has_value());
    Floats out(static_cast<size_t>(dst_count));
    if (out_bytes > 0) {
      std::memcpy(out.data(), dram_->resolve(output, static_cast<int64_t>(out_bytes)), out_bytes);
    }
    return out;
  }

 private:
  std::unique_ptr<Dram> dram_;
  std::unique_ptr<Workers> workers_;
};

Floats conv_by_loops(const ConvShape& s, const Floats& x, const Floats& w, const Floats& bias) {
  Floats y;
  const int64_t channels = int64_t{s.group} * s.out_c;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t o = 0; o < channels; ++o) {
      for (int64_t oy = 0; oy < s.out_h; ++oy) {
        for (int64_t ox = 0; ox < s.out_w; ++ox) {
          double sum = bias.empty() ? 0 : static_cast<double>(bias[static_cast<size_t>(o)]);
          for (int64_t c = 0; c < s.in_c; ++c) {
            for (int64_t ky = 0; ky < s.kernel_h; ++ky) {
              for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
                const int64_t iy = oy * s.stride_h + ky * s.dilation_h - s.pad_top;
                const int64_t ix = ox * s.stride_w + kx * s.dilation_w - s.pad_left;
                if (iy < 0 || ix < 0 || iy >= s.in_h || ix >= s.in_w) continue;
                const int64_t channel = (n * s.group + o / s.out_c) * s.in_c + c;
                const auto at = static_cast<size_t>((channel * s.in_h + iy) * s.in_w + ix);
                const auto tap =
                    static_cast<size_t>(((o * s.in_c + c) * s.kernel_h + ky) * s.kernel_w + kx);
                sum += static_cast<double>(x[at]) * static_cast<double>(w[tap]);
              }
            }
          }
          y.push_back(static_cast<float>(sum));
        }
      }
    }
  }
  return y;
}

std::vector<Isa> isas() {
  std::vector<Isa> list = {Isa::kPortable};
  if (native_isa() >= Isa::kAvx2) list.push_back(Isa::kAvx2);
  if (native_isa() >= Isa::kAvx512) list.push_back(Isa::kAvx512);
  return list;
}

TEST(Machine, conv_has_the_same_bits_on_every_instruction_set_and_thread_count) {
  const ConvShape shapes[] = {
      {.in_c = 1, .in_h = 1, .in_w = 1, .out_c = 1, .out_h = 1, .out_w = 1},
      {.batch = 2,
       .in_c = 3,
       .in_h = 7,
       .in_w = 9,
       .out_c = 5,
       .out_h = 7,
       .out_w = 9,
       .kernel_h = 3,
       .kernel_w = 3,
       .pad_top = 1,
       .pad_left = 1},
      {.batch = 1,
       .group = 3,
       .in_c = 2,
       .in_h = 11,
       .in_w = 13,
       .out_c = 4,
       .out_h = 3,
       .out_w = 6,
       .kernel_h = 5,
       .kernel_w = 3,
       .stride_h = 3,
       .stride_w = 2,
       .dilation_h = 1,
       .dilation_w = 2,
       .pad_top = 0,
       .pad_left = 1},
      {.batch = 1,
       .group = 17,
       .in_c = 1,
       .in_h = 19,
       .in_w = 15,
       .out_c = 1,
       .out_h = 10,
       .out_w = 8,
       .kernel_h = 3,
       .kernel_w = 3,
       .stride_h = 2,
       .stride_w = 2,
       .pad_top = 1,
       .pad_left = 1},
      {.batch = 1,
       .in_c = 130,
       .in_h = 8,
       .in_w = 9,
       .out_c = 251,
       .out_h = 8,
       .out_w = 9,
       .kernel_h = 3,
       .kernel_w = 3,
       .pad_top = 1,
       .pad_left = 1},
  };
  for (const ConvShape& s : shapes) {
    const ShapeRow row = std::bit_cast<ShapeRow>(s);
    const Extents need = extents_of(Opcode::kConv, row, 0);
    const Floats x = random_floats(need.a, 1);
    const Floats w = random_floats(need.b, 2);
    const Floats bias = random_floats(need.c, 3);
    for (const Isa isa : isas()) {
      for (const int64_t threads : {1, 3}) {
        Machine machine(isa, threads);
        EXPECT_EQ(machine.run(Opcode::kConv, row, 0, {x, w, bias}, need.dst),
                  conv_by_loops(s, x, w, bias))
            << isa_name(isa);
        EXPECT_EQ(machine.run(Opcode::kConv, row, 0, {x, w}, need.dst), conv_by_loops(s, x, w, {}));
      }
    }
  }
}

TEST(Machine, matmul_repeats_matrices_of_stride_zero) {
  // By hand: [1 2; 3 4] . [1; 10] = [21; 43], and [5 6; 7 8] . [1; 10] = [65; 87].
  const MatMulShape s = {
      .m = 2, .n = 1, .k = 2, .batch = {1, 2}, .a_stride = {0, 4}, .b_stride = {0, 0}};
  Machine machine(Isa::kPortable, 1);
  EXPECT_EQ(machine.run(Opcode::kMatMul, std::bit_cast<ShapeRow>(s), 0,
                        {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 10}}, 4),
            (Floats{21, 43, 65, 87}));
}

TEST(Machine, matmul_of_odd_sizes_equals_loops) {
  const int64_t m = 67, n = 129, k = 515;
  const Floats a = random_floats(m * k, 4);
  const Floats b = random_floats(k * n, 5);
  Floats expected;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += static_cast<double>(a[static_cast<size_t>(i * k + p)]) *
               static_cast<double>(b[static_cast<size_t>(p * n + j)]);
      }
      expected.push_back(static_cast<float>(sum));
    }
  }
  const MatMulShape s = {.m = m, .n = n, .k = k};
  for (const Isa isa : isas()) {
    Machine machine(isa, 2);
    EXPECT_EQ(machine.run(Opcode::kMatMul, std::bit_cast<ShapeRow>(s), 0, {a, b}, m * n), expected);
  }
}

TEST(Machine, matmul_over_no_depth_is_zero) {
  const MatMulShape s = {.m = 2, .n = 2, .k = 0};
  Machine machine(Isa::kPortable, 1);
  EXPECT_EQ(machine.run(Opcode::kMatMul, std::bit_cast<ShapeRow>(s), 0, {{}, {}}, 4),
            (Floats{0, 0, 0, 0}));
}

TEST(Machine, add_repeats_along_axes_of_stride_zero) {
  // [1 2 3; 4 5 6] + column [10; 20] and + row [10 20 30].
  Machine machine(Isa::kPortable, 1);
  AddShape s = {.dims = {1, 1, 2, 3}, .a_stride = {0, 0, 3, 1}, .b_stride = {0, 0, 1, 0}};
  EXPECT_EQ(
      machine.run(Opcode::kAdd, std::bit_cast<ShapeRow>(s), 0, {{1, 2, 3, 4, 5, 6}, {10, 20}}, 6),
      (Floats{11, 12, 13, 24, 25, 26}));
  s.b_stride[2] = 0;
  s.b_stride[3] = 1;
  EXPECT_EQ(machine.run(Opcode::kAdd, std::bit_cast<ShapeRow>(s), 0,
                        {{1, 2, 3, 4, 5, 6}, {10, 20, 30}}, 6),
            (Floats{11, 22, 33, 14, 25, 36}));
}

TEST(Machine, relu_keeps_nan_and_infinity) {
  Machine machine(Isa::kPortable, 1);
  const float infinity = std::numeric_limits<float>::infinity();
  const Floats y = machine.run(Opcode::kRelu, {}, 5, {{-1, 0, 2.5f, infinity, std::nanf("")}}, 5);
  EXPECT_EQ((Floats{y[0], y[1], y[2], y[3]}), (Floats{0, 0, 2.5f, infinity}));
  EXPECT_TRUE(std::isnan(y[4]));
}

TEST(Machine, copy_moves_bytes) {
  Machine machine(Isa::kPortable, 1);
  EXPECT_EQ(machine.run(Opcode::kCopy, {}, 3, {{1, 2, 3}}, 3), (Floats{1, 2, 3}));
}

TEST(Machine, memory_that_is_not_allocated_is_an_error) {
  Image image;
  image.input_bytes = {8};
  image.output_bytes = {8};
  image.buffers = {{Region::kInput, 0, 0, 8}, {Region::kOutput, 0, 0, 8}};
  image.commands = {{.op = Opcode::kRelu, .a = 0, .dst = 1, .count = 2}};
  const auto dram = std::make_unique<Dram>(1 << 16);
  const auto workers = *Workers::create(1, Isa::kPortable);
  const DeviceAddress good = *dram->allocate(8, 64);
  const DeviceAddress bad = good + 4096;
  const Status status = execute(image, {{&good, 1}, {&bad, 1}, {}, 0}, *dram, *workers);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().id, ErrorId::kBadTensor);
}

}  // namespace
}  // namespace npugraph::vnpu
