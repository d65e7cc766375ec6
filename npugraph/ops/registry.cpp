// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "npugraph/ops/op.h"

namespace npugraph {
namespace ops {
#define X(function) OpSchema function();
#include "npugraph/ops/op_list.inc"
#undef X
}  // namespace ops

namespace {

const auto& table() {
  static const std::array kTable = {
#define X(function) ops::function(),
#include "npugraph/ops/op_list.inc"
#undef X
  };
  return kTable;
}

}  // namespace

std::span<const OpSchema> all_ops() { return table(); }

const OpSchema* find_op(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx") domain = {};
  for (const OpSchema& schema : table())
    if (schema.name == name && schema.domain == domain) return &schema;
  return nullptr;
}

}  // namespace npugraph
