// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/lower/vnpu/operation.h"

namespace npugraph {
namespace {

/// Offsets inside a tensor are 32-bit numbers of elements.
constexpr int64_t kMostElements = (int64_t{1} << 31) - 1;

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Support check_value(const Value& value, std::string_view role, bool check_rank,
                    const vnpu::LegalOp& rule) {
  if (!value.has_type) {
    return Support::refuse(text("type of ", role), "not known", "known at compile time");
  }
  const std::string_view dtype = dtype_name(value.type.dtype);
  if (!contains(rule.dtypes, dtype)) {
    return Support::refuse(text("dtype of ", role), std::string(dtype), join(rule.dtypes));
  }
  const auto dims = value.type.shape.known();
  if (!dims) {
    return Support::refuse(text("shape of ", role), value.type.shape.str(),
                           "numbers only, known at compile time");
  }
  const auto rank = static_cast<int64_t>(dims->size());
  if (check_rank && !rule.rank.has(rank)) {
    return Support::refuse(text("rank of ", role), text(rank), rule.rank.str());
  }
  const auto elements = element_count(*dims);
  if (!elements || *elements > kMostElements) {
    return Support::refuse(text("size of ", role), value.type.str(),
                           text("at most ", kMostElements, " elements"));
  }
  return Support::accept();
}

/// An operator's input list ends with the variadic or last optional one.
std::string_view input_name(const OpSchema& schema, size_t index) {
  return schema.inputs[std::min(index, schema.inputs.size() - 1)].name;
}

}  // namespace

Dims known_dims(const Value& value) { return *value.type.shape.known(); }

Support check_legal(const Node& node, const vnpu::LegalOp& rule) {
  constexpr size_t kRankedInputs = 2;  // a third one is a bias, whose rank the operator fixes
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    const Value* value = node.inputs()[i];
    if (value == nullptr) continue;
    const std::string_view name = input_name(node.schema(), i);
    const Support support =
        check_value(*value, text("input '", name, "'"), i < kRankedInputs, rule);
    if (!support.yes) return support;
    if (contains(rule.constant, name) && value->constant() == nullptr) {
      return Support::refuse(text("input '", name, "'"), "computed at run time",
                             "a constant: the device keeps it in weight memory");
    }
  }
  for (const Value* value : node.outputs()) {
    const Support support = check_value(*value, "the output", true, rule);
    if (!support.yes) return support;
  }
  return Support::accept();
}

}  // namespace npugraph
