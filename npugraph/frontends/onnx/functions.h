// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/frontends/onnx/onnx.pb.h"

namespace npugraph::onnx {

/// Opset versions by domain; "" is ai.onnx.
using Opsets = std::map<std::string, int64_t, std::less<>>;

/// Errors: kOnnxVersion when ai.onnx is outside kOldestOnnxOpset..kNewestOnnxOpset.
Result<Opsets> read_opsets(const google::protobuf::RepeatedPtrField<OperatorSetIdProto>& imports);

/// Errors: kOnnxVersion when the domain was not imported.
Result<int64_t> opset_of(const Opsets& opsets, std::string_view domain);

/// A function of the model, ready to be inlined.
struct Function {
  FunctionProto* proto = nullptr;
  Opsets opsets;
  std::vector<int> order;  // of its nodes
};

/// The functions of a model by domain, name and overload.
class FunctionTable {
 public:
  /// The table points into `model`. Errors: kOnnxVersion, kOnnxStructure (two of one name, a
  /// cycle).
  static Result<FunctionTable> of(ModelProto& model);
  /// Null when the node calls no function.
  const Function* find(const NodeProto& node) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, Function> functions_;
};

}  // namespace npugraph::onnx
