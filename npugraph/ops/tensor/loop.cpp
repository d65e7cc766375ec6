// SPDX-License-Identifier: Apache-2.0
// Loop. Source: ONNX Loop-1 and later. Inference and running: ir/infer.h and the interpreter.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {

OpSchema loop() {
  return {
      .name = "Loop",
      .op_class = OpClass::kTensor,
      .doc =
          "runs body(iteration, condition, carried...) at most M times while the condition "
          "holds; gives the carried values, then each scan output stacked over the iterations",
      .onnx = {"Loop"},
      .inputs = {{"M", kI64Type, Arity::kOptional},
                 {"cond", kBoolType, Arity::kOptional},
                 {.name = "v_initial", .arity = Arity::kVariadic, .min_count = 0}},
      .outputs = {{"v_final_and_scan_outputs", Arity::kVariadic}},
      .subgraphs = {"body"},
  };
}

}  // namespace npugraph::ops
