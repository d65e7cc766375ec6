// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/ops/op.h"

/// Runs and infers single operators in tests.
namespace npugraph::testing {

/// A tensor of any dtype from numbers.
inline Tensor of(DType dtype, const std::vector<double>& values, Dims dims) {
  auto tensor = Tensor::zeros(dtype, std::move(dims));
  EXPECT_TRUE(tensor.has_value());
  EXPECT_EQ(tensor->elements(), static_cast<int64_t>(values.size()));
  const TensorView view = tensor->mutable_view();
  for (size_t i = 0; i < values.size(); ++i) view.store(static_cast<int64_t>(i), values[i]);
  return *std::move(tensor);
}
inline Tensor vec(const std::vector<int64_t>& values) { return Tensor::of_ints(values); }
inline Tensor scalar(int64_t value) { return Tensor::of_ints({value}, {}); }
/// 0, 1, 2, … of a dtype.
inline Tensor iota(Dims dims, DType dtype = DType::kF32) {
  std::vector<double> numbers;
  const auto count = element_count(dims);
  for (int64_t i = 0; count && i < *count; ++i) numbers.push_back(static_cast<double>(i));
  return of(dtype, numbers, std::move(dims));
}
inline std::vector<double> values(const Tensor& tensor) {
  std::vector<double> out;
  for (int64_t i = 0; i < tensor.elements(); ++i) out.push_back(tensor.view().load(i));
  return out;
}
/// A type with a shape as text: type("[b, 3, h]").
inline TensorType type(std::string_view shape, DType dtype = DType::kF32) {
  const auto parsed = Shape::parse(shape);
  EXPECT_TRUE(parsed.has_value()) << shape;
  return {dtype, *parsed};
}

/// One node: inputs are types, types with contents, or constants.
class Node {
 public:
  explicit Node(std::string_view op, std::string_view domain = {}) : schema_(find_op(domain, op)) {
    EXPECT_NE(schema_, nullptr) << op;
  }
  Node& attr(std::string name, AttrValue value) {
    attrs_.set(std::move(name), std::move(value));
    return *this;
  }
  Node& outputs(int64_t count) { return output_count_ = count, *this; }
  Node& in(Tensor tensor) {
    constants_.push_back(std::move(tensor));
    types_.push_back(constants_.back().type());
    inputs_.push_back({&types_.back(), nullptr, &constants_.back()});
    views_.push_back(constants_.back().view());
    return *this;
  }
  Node& in(TensorType input_type) {
    types_.push_back(std::move(input_type));
    inputs_.push_back({&types_.back(), nullptr, nullptr});
    views_.push_back(no_tensor());
    return *this;
  }
  /// An int64 vector whose elements are known as expressions: dims("[b, t, -1]").
  Node& dims(std::string_view list, DType dtype = DType::kI64) {
    contents_.push_back(type(list).shape.dims());
    in(TensorType{dtype, {Dim(static_cast<int64_t>(contents_.back().size()))}});
    inputs_.back().content = &contents_.back();
    return *this;
  }
  Node& absent() {
    inputs_.push_back({});
    views_.push_back(no_tensor());
    return *this;
  }

  Result<std::vector<InferOutput>> infer() {
    NPU_TRY(complete_attrs(*schema_, attrs_));
    return infer_outputs(*schema_, {inputs_, attrs_, output_count_, "node"});
  }
  /// infer_concrete(), then the reference.
  Result<std::vector<Tensor>> run() {
    NPU_TRY(complete_attrs(*schema_, attrs_));
    NPU_LET(const auto out_types, infer_concrete(*schema_, attrs_, views_, output_count_));
    std::vector<Tensor> out;
    std::vector<TensorView> out_views;
    for (const TensorType& out_type : out_types) {
      NPU_LET(Tensor tensor, Tensor::zeros(out_type.dtype, *out_type.shape.known()));
      out.push_back(std::move(tensor));
    }
    for (Tensor& tensor : out) out_views.push_back(tensor.mutable_view());
    NPU_TRY(schema_->reference({views_, out_views, attrs_}));
    return out;
  }

  /// "float32[b, 3]" of output `index`, with the content if known: "int64[2] = [b, 3]"; or the
  /// error's name.
  std::string inferred(size_t index = 0) {
    const auto result = infer();
    if (!result) return std::string(error_info(result.error().id).name);
    const InferOutput& output = (*result)[index];
    if (!output.content) return output.type.str();
    return output.type.str() + " = " + Shape(*output.content).str();
  }
  /// The elements of output `index`; the test fails on an error.
  std::vector<double> result(size_t index = 0) {
    const auto out = run();
    if (!out) {
      ADD_FAILURE() << out.error().message();
      return {};
    }
    return values((*out)[index]);
  }
  /// "float32 2x3" of output `index`, or the error's name.
  std::string ran(size_t index = 0) {
    const auto out = run();
    if (!out) return std::string(error_info(out.error().id).name);
    return std::string(dtype_name((*out)[index].dtype())) + " " + dims_str((*out)[index].dims());
  }

 private:
  const OpSchema* schema_;
  Attrs attrs_;
  int64_t output_count_ = 1;
  std::deque<TensorType> types_;  // deques: inputs_ points into them
  std::deque<Tensor> constants_;
  std::deque<std::vector<Dim>> contents_;
  std::vector<InferInput> inputs_;
  std::vector<TensorView> views_;
};

using Values = std::vector<double>;

}  // namespace npugraph::testing
