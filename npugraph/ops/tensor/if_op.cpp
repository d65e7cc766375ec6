// SPDX-License-Identifier: Apache-2.0
// If. Source: ONNX If-1 and later. Inference and running: ir/infer.h and the interpreter.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {

OpSchema if_op() {
  return {
      .name = "If",
      .op_class = OpClass::kTensor,
      .doc = "the outputs of then_branch when cond is true, else those of else_branch",
      .onnx = {"If"},
      .aten = {"aten::cond"},
      .inputs = {{"cond", kBoolType}},
      .outputs = {{"outputs", Arity::kVariadic}},
      .subgraphs = {"then_branch", "else_branch"},
  };
}

}  // namespace npugraph::ops
