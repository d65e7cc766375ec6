// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// Serialises a graph as an ONNX ModelProto: opset 20, or the newest that one of its nodes needs;
/// names kept, nested graphs included, weights inside. Late dims are written as unknown.
/// Errors: kOnnxWrite (a node of domain npugraph, an operator that ONNX does not have, more than
/// 2 GiB), with the node.
Result<std::string> write_onnx(const Graph& graph);

}  // namespace npugraph
