// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/vnpu/operation.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph {
namespace {

Result<VnpuOperation> lower(const Node& node) {
  const int64_t count = product(known_dims(*node.output()));
  return VnpuOperation{.op = vnpu::Opcode::kRelu, .count = static_cast<uint64_t>(count)};
}

}  // namespace

VnpuOp relu_on_vnpu() { return {.name = "Relu", .lower = lower}; }

}  // namespace npugraph
