// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "npugraph/frontends/onnx/onnx.pb.h"
#include "npugraph/tensor/shape.h"

namespace npugraph::onnx {

/// The dtype of a TensorProto.DataType. Errors: kOnnxType for strings, complex numbers and types
/// that no tensor here can hold; kOnnxTensor for a number that is no data type.
Result<DType> read_dtype(int32_t number);

/// Gives the free dimensions of a model symbols: one for each dim_param, a fresh one for each
/// dimension without name.
class Symbols {
 public:
  /// The symbol for a dim_param; characters that a symbol cannot have become '_'.
  Dim named(const std::string& dim_param);
  /// A symbol that nobody else has: "images_d0" for axis 0 of `images`.
  Dim fresh(std::string_view value, int64_t axis);

 private:
  std::string unused(std::string_view wanted);
  std::map<std::string, std::string> by_param_;
  std::set<std::string> used_;
  std::map<std::string, int64_t> next_suffix_;
};

/// The type of a graph input. Errors: kOnnxType (sequence, optional, map, sparse, strings),
/// kOnnxStructure (no type, a negative dimension, an absurd rank).
Result<TensorType> read_type(const ValueInfoProto& info, Symbols& symbols);

/// Checks a declared type that is otherwise not used; a missing one is fine. Returns its dtype when
/// it is a tensor's. Errors: as read_type.
Result<std::optional<DType>> check_declared(const ValueInfoProto& info);

}  // namespace npugraph::onnx
