// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/emitter.h"

#include "npugraph/ir/infer.h"

namespace npugraph::onnx {

const TensorType* LazyTypes::type_of(const Value& value) {
  for (Node* node : pending_) {
    // A node that cannot be inferred is reported, with its place, once the graph is whole.
    const Status unused = infer_node(*node);
    static_cast<void>(unused);
  }
  pending_.clear();
  return value.has_type ? &value.type : nullptr;
}

Result<Value*> Emitter::node(std::string_view op, std::vector<Value*> inputs, Attrs attrs) {
  const std::string name = name_ + "/" + std::string(op);
  NPU_LET(Node* const made, add({}, op, name, std::move(inputs), std::move(attrs), {name}));
  return made->output();
}

Result<Node*> Emitter::add(std::string_view domain, std::string_view op, std::string name,
                           std::vector<Value*> inputs, Attrs attrs,
                           std::vector<std::string> outputs) {
  NPU_LET(Node* const made, graph_.add_node(domain, op, std::move(name), std::move(inputs),
                                            std::move(attrs), std::move(outputs)));
  made->origins = {name_};
  types_.add(*made);
  made_.push_back(made);
  return made;
}

}  // namespace npugraph::onnx
