// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/harness.h"

namespace npugraph::test {
namespace {

TEST(UnaryKernel, every_function_on_ordinary_and_special_values) {
  const std::pair<const char*, const char*> functions[] = {{"Relu", "relu_f32"},
                                                           {"LeakyRelu", "leaky_relu_f32"},
                                                           {"HardSigmoid", "hard_sigmoid_f32"},
                                                           {"HardSwish", "hard_swish_f32"},
                                                           {"Sigmoid", "sigmoid_f32"},
                                                           {"Tanh", "tanh_f32"},
                                                           {"Elu", "elu_f32"},
                                                           {"Erf", "erf_f32"},
                                                           {"Exp", "exp_f32"},
                                                           {"Sqrt", "sqrt_f32"},
                                                           {"Reciprocal", "reciprocal_f32"},
                                                           {"Abs", "abs_f32"},
                                                           {"Neg", "neg_f32"},
                                                           {"Swish", "swish_f32"},
                                                           {"Mish", "mish_f32"},
                                                           {"Gelu", "gelu_f32"}};
  for (const auto& [op, kernel] : functions) {
    for (const Dims& dims : {Dims{}, Dims{0}, Dims{1}, Dims{5, 67}}) {
      check({.op = op, .inputs = {data(floats(dims))}, .kernel = kernel, .tolerance = 1e-6});
    }
    check(
        {.op = op, .inputs = {data(special_floats({3, 41}))}, .kernel = kernel, .tolerance = 1e-6});
  }
  check({.op = "Gelu",
         .inputs = {data(floats({77}))},
         .attrs = {{"approximate", std::string("tanh")}},
         .kernel = "gelu_f32",
         .tolerance = 1e-6});
  check({.op = "Swish",
         .inputs = {data(special_floats({77}))},
         .attrs = {{"alpha", 1.702}},
         .kernel = "swish_f32",
         .tolerance = 1e-6});
  check({.op = "Elu",
         .inputs = {data(floats({77}))},
         .attrs = {{"alpha", 1.7}},
         .kernel = "elu_f32",
         .tolerance = 1e-6});
}

TEST(UnaryKernel, large_tensors_are_split_among_threads) {
  check({.op = "Tanh",
         .inputs = {data(floats({3, 70'001}))},
         .kernel = "tanh_f32",
         .tolerance = 1e-6});
}

TEST(ClipKernel, bounds_may_be_absent_or_crossed) {
  const Tensor x = special_floats({4, 21});
  const auto bound = [](float value) { return data(Tensor::of_floats({value}, {})); };
  for (const std::vector<Input>& bounds : {std::vector<Input>{},
                                           {bound(-0.5f)},
                                           {absent(), bound(0.25f)},
                                           {bound(0), bound(6)},
                                           {bound(1), bound(-1)}}) {
    std::vector<Input> inputs = {data(x)};
    inputs.insert(inputs.end(), bounds.begin(), bounds.end());
    check({.op = "Clip", .inputs = inputs, .kernel = "clip_f32", .tolerance = 0});
  }
}

TEST(BinaryKernel, every_operator_with_every_kind_of_broadcast) {
  const std::pair<const char*, const char*> functions[] = {
      {"Add", "add_f32"}, {"Sub", "sub_f32"}, {"Mul", "mul_f32"}, {"Div", "div_f32"},
      {"Max", "max_f32"}, {"Min", "min_f32"}, {"Sum", "sum_f32"}};
  const std::pair<Dims, Dims> shapes[] = {{{2, 3, 19}, {2, 3, 19}},
                                          {{2, 3, 19}, {}},
                                          {{}, {2, 3, 19}},
                                          {{2, 3, 19}, {19}},
                                          {{2, 3, 19}, {3, 1}},
                                          {{2, 1, 19}, {3, 1}},
                                          {{1}, {1}},
                                          {{0, 3}, {3}},
                                          {{4, 1, 5, 1}, {1, 3, 1, 7}},
                                          {{2, 3, 4, 5}, {1, 3, 1, 1}}};
  for (const auto& [op, kernel] : functions) {
    for (const auto& [a, b] : shapes) {
      check({.op = op,
             .inputs = {data(floats(a, 1)), data(floats(b, 2))},
             .kernel = kernel,
             .tolerance = 1e-7});
    }
    check({.op = op,
           .inputs = {data(special_floats({9, 9}, 1)), data(special_floats({9, 1}, 2))},
           .kernel = kernel,
           .tolerance = 1e-7});
  }
}

TEST(BinaryKernel, square) {
  check({.op = "Pow",
         .inputs = {data(special_floats({50})), constant(Tensor::of_floats({2}, {}))},
         .kernel = "square_f32",
         .tolerance = 0});
}

TEST(CompareKernel, orders_and_logic) {
  for (const char* op : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}) {
    const std::string kernel = op == std::string("GreaterOrEqual") ? "greater_or_equal"
                               : op == std::string("LessOrEqual")  ? "less_or_equal"
                               : op == std::string("Equal")        ? "equal"
                               : op == std::string("Less")         ? "less"
                                                                   : "greater";
    check({.op = op,
           .inputs = {data(special_floats({7, 9}, 1)), data(special_floats({7, 9}, 1))},
           .kernel = kernel});
    check({.op = op, .inputs = {data(ints({1, 2, 3, -9})), data(ints({2}))}, .kernel = kernel});
    check({.op = op,
           .inputs = {data(of(DType::kI32, {5, 6}, {2, 1})), data(of(DType::kI32, {6, 5}, {2}))},
           .kernel = kernel});
  }
  const Tensor yes = of(DType::kBool, {1, 0, 1, 0}, {4}), no = of(DType::kBool, {1, 1, 0, 0}, {4});
  check({.op = "And", .inputs = {data(yes), data(no)}, .kernel = "and"});
  check({.op = "Or", .inputs = {data(yes), data(no)}, .kernel = "or"});
  check({.op = "Xor", .inputs = {data(yes), data(no)}, .kernel = "xor"});
  check({.op = "Not", .inputs = {data(yes)}, .kernel = "not"});
  check({.op = "IsNaN", .inputs = {data(special_floats({40}))}, .kernel = "is_nan_f32"});
}

TEST(WhereKernel, three_way_broadcast_of_every_size) {
  const Tensor condition = of(DType::kBool, {1, 0, 0, 1, 1, 0}, {2, 3, 1});
  for (const DType dtype : {DType::kF32, DType::kI64, DType::kU8, DType::kF16}) {
    check(
        {.op = "Where",
         .inputs = {data(condition), data(of(dtype, {1, 2, 3, 4}, {4})), data(of(dtype, {9}, {}))},
         .kernel = "where"});
  }
}

TEST(CastKernel, common_conversions) {
  const std::vector<double> values = {0, 1, 2, 127, 255, 100};
  for (const DType from : {DType::kI64, DType::kI32, DType::kI8, DType::kU8, DType::kBool}) {
    for (const DType to : {DType::kF32, DType::kI64, DType::kI32, DType::kBool}) {
      check({.op = "Cast",
             .inputs = {data(of(from, values, {2, 3}))},
             .attrs = {{"to", int64_t{onnx_dtype(to)}}},
             .kernel = "cast",
             .tolerance = 0});
    }
  }
  check({.op = "Cast",
         .inputs = {data(ints({-1, int64_t{1} << 40, 16'777'217, -(int64_t{1} << 62) - 1}))},
         .attrs = {{"to", int64_t{onnx_dtype(DType::kF32)}}},
         .kernel = "cast",
         .tolerance = 0});
  check({.op = "Cast",
         .inputs = {data(ints({-1, int64_t{1} << 40, 5}))},
         .attrs = {{"to", int64_t{onnx_dtype(DType::kI32)}}},
         .kernel = "cast"});
  check({.op = "Cast",
         .inputs = {data(special_floats({30}))},
         .attrs = {{"to", int64_t{onnx_dtype(DType::kBool)}}},
         .kernel = "cast"});
}

}  // namespace
}  // namespace npugraph::test
