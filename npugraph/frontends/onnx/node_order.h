// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/frontends/onnx/onnx.pb.h"

namespace npugraph::onnx {

using NodeProtos = google::protobuf::RepeatedPtrField<NodeProto>;

/// Indices of `nodes` in an order in which every value is made before it is read, by nested graphs
/// too: the file's own order where that will do, as it should. Errors: kOnnxStructure (a cycle, a
/// value that is made twice).
Result<std::vector<int>> node_order(const NodeProtos& nodes);

/// The node's name, or that of its first output, or its operator.
std::string_view node_name(const NodeProto& node);

}  // namespace npugraph::onnx
