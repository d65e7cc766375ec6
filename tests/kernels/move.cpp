// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

Tensor counted(DType dtype, Dims dims) {
  std::vector<double> values;
  for (int64_t i = 0; i < *element_count(dims); ++i) values.push_back(static_cast<double>(i % 120));
  return of(dtype, values, std::move(dims));
}
constexpr DType kEverySize[] = {DType::kU8, DType::kF16, DType::kF32, DType::kI64};

TEST(TransposeKernel, permutations_of_every_element_size) {
  for (const DType dtype : kEverySize) {
    for (const auto& [dims, perm] :
         std::vector<std::pair<Dims, Ints>>{{{37, 41}, {1, 0}},
                                            {{3, 17, 5}, {0, 2, 1}},
                                            {{3, 17, 5}, {2, 1, 0}},
                                            {{2, 9, 4, 8}, {0, 2, 1, 3}},
                                            {{2, 9, 4, 8}, {0, 2, 3, 1}},
                                            {{2, 9, 4, 8}, {0, 3, 1, 2}},
                                            {{2, 9, 4, 8}, {3, 1, 2, 0}},
                                            {{2, 1, 4, 1}, {3, 1, 2, 0}},
                                            {{2, 3, 4, 5, 6}, {2, 0, 3, 1, 4}},
                                            {{2, 0, 3}, {2, 0, 1}},
                                            {{5}, {0}},
                                            {{}, {}}}) {
      check({.op = "Transpose",
             .inputs = {data(counted(dtype, dims))},
             .attrs = {{"perm", perm}},
             .kernel = "transpose"});
    }
  }
  check({.op = "Transpose",
         .inputs = {data(floats({3, 4, 5}))},
         .kernel = "transpose",
         .tolerance = 0});
  check({.op = "Transpose",
         .inputs = {data(floats({300, 400}))},
         .kernel = "transpose",
         .tolerance = 0});
}

TEST(ExpandKernel, repeats_axes) {
  for (const DType dtype : kEverySize) {
    check({.op = "Expand",
           .inputs = {data(counted(dtype, {3, 1})), data(ints({2, 1, 4}))},
           .kernel = "expand"});
    check({.op = "Expand",
           .inputs = {data(counted(dtype, {1, 5})), data(ints({3, 1}))},
           .kernel = "expand"});
  }
}

TEST(SliceKernel, starts_steps_and_axes) {
  const auto slice = [](std::vector<std::vector<int64_t>> lists) {
    std::vector<Input> inputs = {data(floats({5, 6, 7}))};
    for (const auto& list : lists) inputs.push_back(constant(ints(list)));
    check({.op = "Slice", .inputs = inputs, .kernel = "slice", .tolerance = 0});
  };
  slice({{1}, {4}});
  slice({{-3, 0}, {100, -1}, {0, 2}});
  slice({{-1, 5}, {-100, 0}, {2, 1}, {-2, -1}});
  slice({{0, 0, 0}, {5, 6, 7}, {0, 1, 2}, {2, 3, 4}});
  slice({{3}, {3}});
  check({.op = "Slice",
         .inputs = {data(counted(DType::kU8, {9})), constant(ints({7})), data(ints({2})),
                    constant(ints({0})), constant(ints({-2}))},
         .kernel = "slice"});
  EXPECT_EQ(
      kernel_name({.op = "Slice", .inputs = {data(floats({9})), data(ints({1})), data(ints({2}))}}),
      "reference");
}

TEST(ConcatKernel, any_axis_any_size) {
  for (const DType dtype : kEverySize) {
    check({.op = "Concat",
           .inputs = {data(counted(dtype, {2, 3, 4})), data(counted(dtype, {2, 1, 4})),
                      data(counted(dtype, {2, 0, 4}))},
           .attrs = {{"axis", int64_t{1}}},
           .kernel = "concat"});
    check({.op = "Concat",
           .inputs = {data(counted(dtype, {2, 3})), data(counted(dtype, {2, 1}))},
           .attrs = {{"axis", int64_t{-1}}},
           .kernel = "concat"});
  }
}

TEST(SplitKernel, parts) {
  check({.op = "Split",
         .inputs = {data(floats({3, 7, 2})), constant(ints({4, 0, 3}))},
         .attrs = {{"axis", int64_t{1}}},
         .outputs = 3,
         .kernel = "split",
         .tolerance = 0});
  check({.op = "Split",
         .inputs = {data(counted(DType::kI64, {4, 6}))},
         .attrs = {{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}},
         .outputs = 2,
         .kernel = "split"});
}

TEST(GatherKernel, rows_of_every_size) {
  for (const DType dtype : kEverySize) {
    for (const int64_t axis : {0, 1, -1}) {
      check({.op = "Gather",
             .inputs = {data(counted(dtype, {4, 5, 6})),
                        data(of(DType::kI32, {3, -1, 0, 2}, {2, 2}))},
             .attrs = {{"axis", axis}},
             .kernel = "gather"});
    }
  }
  check({.op = "Gather",
         .inputs = {data(floats({4, 5})), data(Tensor::of_ints({1}, {}))},
         .kernel = "gather",
         .tolerance = 0});
}

TEST(GatherKernel, refuses_an_index_outside) {
  for (const int64_t index : {4, -5}) {
    check_fails({.op = "Gather",
                 .inputs = {data(floats({4, 5})), data(ints({0, index}))},
                 .kernel = "gather"},
                ErrorId::kIndexOutOfRange);
  }
}

TEST(PadKernel, constants_and_cuts) {
  for (const DType dtype : kEverySize) {
    check({.op = "Pad",
           .inputs = {data(counted(dtype, {2, 3, 4})), constant(ints({0, 1, 2, 1, 0, 3})),
                      data(of(dtype, {7}, {}))},
           .kernel = "pad_constant"});
    check({.op = "Pad",
           .inputs = {data(counted(dtype, {5, 4})), constant(ints({-1, 2, 3, -1}))},
           .kernel = "pad_constant"});
  }
  check({.op = "Pad",
         .inputs = {data(floats({2, 3})), constant(ints({1, 2})), absent(), constant(ints({-1}))},
         .kernel = "pad_constant",
         .tolerance = 0});
}

TEST(ResizeKernel, nearest_and_linear) {
  for (const char* mode : {"nearest", "linear"}) {
    for (const char* place : {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                              "half_pixel_symmetric"}) {
      for (const std::vector<float>& scales :
           {std::vector<float>{1, 1, 2, 2}, {1, 1, 0.6f, 1.7f}, {1, 1, 3, 1}}) {
        check({.op = "Resize",
               .inputs = {data(floats({2, 3, 5, 7})), absent(),
                          constant(Tensor::of_floats(scales, {4}))},
               .attrs = {{"mode", std::string(mode)},
                         {"coordinate_transformation_mode", std::string(place)}},
               .kernel = "resize_f32",
               .tolerance = 1e-6});
      }
      check({.op = "Resize",
             .inputs = {data(special_floats({1, 2, 4, 5})), absent(), absent(),
                        constant(ints({1, 2, 9, 3}))},
             .attrs = {{"mode", std::string(mode)},
                       {"coordinate_transformation_mode", std::string(place)}},
             .kernel = "resize_f32",
             .tolerance = 1e-6});
    }
  }
  for (const char* rounding : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
    check({.op = "Resize",
           .inputs = {data(floats({1, 1, 6, 6})), absent(),
                      constant(Tensor::of_floats({1, 1, 1.5f, 0.75f}, {4}))},
           .attrs = {{"nearest_mode", std::string(rounding)}},
           .kernel = "resize_f32",
           .tolerance = 0});
  }
}

}  // namespace
}  // namespace npugraph::test
