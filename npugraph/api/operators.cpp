// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "npugraph/api/npugraph.h"
#include "npugraph/base/text.h"
#include "npugraph/kernels/kernel.h"
#include "npugraph/ops/op.h"

namespace npugraph {
namespace {

constexpr std::array<std::string_view, 4> kClassNames = {"tensor", "nn", "math", "ext"};

std::string input_str(const InputSchema& input) {
  std::string out(input.name);
  if (input.arity == Arity::kOptional) out += "?";
  if (input.arity == Arity::kVariadic) out += "...";
  return text(out, ": ", input.dtypes.str());
}

std::string attr_str(const AttrSchema& attr) {
  std::string out = text(attr.name, ": ", attr_kind_name(attr.kind));
  if (attr.fallback) out += text(" = ", attr_str(*attr.fallback));
  if (attr.required) out += ", required";
  if (!attr.choices.empty()) out += text(", one of ", join(attr.choices, " | "));
  return out;
}

}  // namespace

std::vector<OperatorDescription> operators() {
  std::vector<OperatorDescription> rows;
  for (const OpSchema& schema : all_ops()) {
    OperatorDescription row;
    row.name = schema.name;
    row.domain = schema.domain;
    row.op_class = kClassNames[static_cast<size_t>(schema.op_class)];
    row.doc = schema.doc;
    row.onnx.assign(schema.onnx.begin(), schema.onnx.end());
    row.aten.assign(schema.aten.begin(), schema.aten.end());
    for (const Kernel& kernel : all_kernels())
      if (kernel.op == schema.name && kernel.domain == schema.domain)
        row.native.push_back(kernel.accuracy == Accuracy::kFast ? text(kernel.name, " (fast)")
                                                                : std::string(kernel.name));
    if (!schema.subgraphs.empty()) row.native.emplace_back("runtime task");
    if (schema.reference != nullptr) row.native.emplace_back("reference");
    for (const InputSchema& input : schema.inputs) row.inputs.push_back(input_str(input));
    for (const OutputSchema& output : schema.outputs) row.outputs.emplace_back(output.name);
    for (const AttrSchema& attr : schema.attrs) row.attributes.push_back(attr_str(attr));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace npugraph
