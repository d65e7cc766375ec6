// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/functions.h"

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"
#include "npugraph/frontends/onnx/node_order.h"
#include "npugraph/frontends/onnx/read.h"

namespace npugraph::onnx {

Result<Opsets> read_opsets(const google::protobuf::RepeatedPtrField<OperatorSetIdProto>& imports) {
  Opsets opsets;
  for (const auto& import : imports) {
    const std::string domain(plain_domain(import.domain()));
    if (domain.empty() &&
        (import.version() < kOldestOnnxOpset || import.version() > kNewestOnnxOpset))
      return fail(ErrorId::kOnnxVersion, "the opset is not supported", text(import.version()),
                  text(kOldestOnnxOpset, "..", kNewestOnnxOpset));
    opsets[domain] = import.version();
  }
  return opsets;
}

Result<int64_t> opset_of(const Opsets& opsets, std::string_view domain) {
  const auto hit = opsets.find(domain);
  if (hit != opsets.end()) return hit->second;
  return fail(ErrorId::kOnnxVersion, "the model does not say the opset of a domain",
              domain.empty() ? "'ai.onnx'" : shown(domain), "an entry of opset_import");
}

Result<FunctionTable> FunctionTable::of(ModelProto& model) {
  FunctionTable table;
  for (FunctionProto& proto : *model.mutable_functions()) {
    const std::string place = text("function ", shown(proto.name()));
    Function function{.proto = &proto, .opsets = {}, .order = {}};
    auto opsets = read_opsets(proto.opset_import());
    if (!opsets) return at(place, std::move(opsets).error());
    function.opsets = *std::move(opsets);
    auto order = node_order(proto.node());
    if (!order) return at(place, std::move(order).error());
    function.order = *std::move(order);
    const Key key{std::string(plain_domain(proto.domain())), proto.name(), proto.overload()};
    if (!table.functions_.emplace(key, std::move(function)).second)
      return at(place, fail(ErrorId::kOnnxStructure, "a function is defined twice",
                            full_op(proto.domain(), proto.name()), "one function of a name"));
  }
  return table;
}

const Function* FunctionTable::find(const NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  const auto hit = functions_.find(
      Key{std::string(plain_domain(node.domain())), node.op_type(), node.overload()});
  return hit != functions_.end() ? &hit->second : nullptr;
}

}  // namespace npugraph::onnx
