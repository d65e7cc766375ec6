// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "npugraph/ir/graph.h"

namespace npugraph::onnx {

/// The opset that is written when no node needs a newer one.
inline constexpr int64_t kWrittenOpset = 20;

/// The oldest opset, from kWrittenOpset on, in which the node means what it means here.
int64_t needed_opset(const Node& node);

/// The opset that gave the operator this attribute, when it is newer than kWrittenOpset.
std::optional<int64_t> attr_since(const Node& node, std::string_view attr);

/// The IR version that came with an opset.
int64_t ir_version_for(int64_t opset);

}  // namespace npugraph::onnx
