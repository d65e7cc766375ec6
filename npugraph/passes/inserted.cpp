// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/inserted.h"

#include <algorithm>
#include <span>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"
#include "npugraph/passes/reshape_to.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {

Inserted::~Inserted() {
  if (is_kept_) return;
  const auto is_used = [](const Value* output) { return output->is_used(); };
  for (auto made = nodes_.rbegin(); made != nodes_.rend(); ++made) {
    const std::span<Value* const> outputs = (*made)->outputs();
    // An error may have left a reader of another step, half made.
    if (std::none_of(outputs.begin(), outputs.end(), is_used)) graph_.erase(**made);
  }
  graph_.erase_unused_constants();
}

Result<Node*> Inserted::node(std::string_view op, std::string_view suffix,
                             std::vector<Value*> inputs, Attrs attrs,
                             std::vector<std::string> outputs) {
  const std::string name = text(before_.name(), suffix);
  if (outputs.empty()) outputs = {name};
  NPU_LET(Node* const made, graph_.add_node("", op, name, std::move(inputs), std::move(attrs),
                                            std::move(outputs), &before_));
  made->origins = origins_of(before_);
  nodes_.push_back(made);
  const Status fits = infer_node(*made);
  if (!fits) {
    is_misfit_ = true;
    return fits.error();
  }
  return made;
}

Result<Value*> Inserted::value(std::string_view op, std::string_view suffix,
                               std::vector<Value*> inputs, Attrs attrs) {
  NPU_LET(Node* const made, node(op, suffix, std::move(inputs), std::move(attrs)));
  return made->output();
}

Result<Value*> Inserted::reshaped(Value& in, const Shape& shape) {
  Value* const none = nullptr;
  if (in.type.shape == shape) return &in;
  const Node* producer = in.producer();
  if (producer != nullptr && (producer->is("Reshape") || producer->is("Unsqueeze")) &&
      producer->input(0)->has_type && producer->input(0)->type.shape == shape) {
    return producer->input(0);
  }
  const auto target = reshape_target(in, shape);
  if (!target) return none;
  NPU_LET(Value* const made,
          value("Reshape", ".reshape", {&in, &constant(".shape", Tensor::of_ints(*target))}));
  return made->type.shape == shape ? made : none;
}

Value& Inserted::constant(std::string_view suffix, Tensor data) {
  return graph_.add_constant(text(before_.name(), suffix), std::move(data));
}

}  // namespace npugraph
