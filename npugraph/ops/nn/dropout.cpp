// SPDX-License-Identifier: Apache-2.0
// Dropout at inference: the input as it is, and a mask of all true. Source: ONNX Dropout-22.
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

Error training_error() {
  return fail(ErrorId::kBadAttribute, "input 'training_mode' of Dropout", "true",
              "false: this is an inference stack", "export the model in inference mode");
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  if (const auto training = numbers_of(context, 2); training && *training == Ints{1})
    return training_error();
  NPU_LET(auto outputs, one_output(context.type(0).dtype, context.shape(0), ints_of(context, 0)));
  if (context.output_count > 1) {
    NPU_LET(auto mask, one_output(DType::kBool, context.shape(0)));
    outputs.push_back(std::move(mask[0]));
  }
  return outputs;
}

Status reference(const RunContext& context) noexcept {
  if (context.has(2) && context.in[2].elements() == 1 && context.in[2].load_int(0) != 0)
    return training_error();
  NPU_TRY(copy_all(context.in[0], context.out[0]));
  if (context.out.size() > 1)
    for (int64_t i = 0; i < context.out[1].elements(); ++i) context.out[1].store_int(i, 1);
  return ok();
}

}  // namespace

OpSchema dropout() {
  return {
      .name = "Dropout",
      .op_class = OpClass::kNn,
      .doc = "output = data; mask = true",
      .onnx = {"Dropout"},
      .aten = {"aten::dropout"},
      .inputs = {{"data", kFloatTypes},
                 {"ratio", kFloatTypes, Arity::kOptional},
                 {"training_mode", kBoolType, Arity::kOptional}},
      .outputs = {{"output"}, {"mask", Arity::kOptional}},
      .attrs = {{.name = "seed", .kind = AttrKind::kInt}},
      .infer = infer,
      .reference = reference,
      .work = move_work,
  };
}

}  // namespace npugraph::ops
