// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "npugraph/target/target.h"
#include "npugraph/vnpu/hardware.h"
#include "npugraph/vnpu/image.h"

namespace npugraph {

/// What the device does for one node. Operands are by convention: a, b, c are the node's inputs 0,
/// 1, 2 and dst is output 0.
struct VnpuOperation {
  vnpu::Opcode op = vnpu::Opcode::kCopy;
  bool has_shape = false;
  vnpu::ShapeRow shape = {};
  uint64_t count = 0;
};

/// One operator that the device can run; a file of this folder each.
struct VnpuOp {
  std::string_view name;  // of an ai.onnx operator
  /// What check_legal() does not know: attributes. Null: nothing more.
  Support (*supports)(const Node& node, const vnpu::LegalOp& rule) = nullptr;
  /// For a node that both accepted.
  Result<VnpuOperation> (*lower)(const Node& node) = nullptr;
};

#define X(function) VnpuOp function##_on_vnpu();
#include "npugraph/lower/vnpu/list.inc"
#undef X

/// Null when the device has nothing for this operator.
const VnpuOp* find_vnpu_op(const Node& node);

/// The part of the legal table that reads the same for every operator: dtypes, known shapes, ranks,
/// sizes, and which inputs must be constant.
Support check_legal(const Node& node, const vnpu::LegalOp& rule);

/// Dims of an input or output whose shape check_legal() found known.
Dims known_dims(const Value& value);

/// An image of a whole subgraph.
struct VnpuRegion {
  vnpu::Image image;
  std::vector<Tensor> weights;
};
/// Errors: kNodeUnplaced, kUnknownDim.
Result<VnpuRegion> lower_region(const Graph& graph);

}  // namespace npugraph
