// SPDX-License-Identifier: Apache-2.0
#include "npugraph/interp/op_runner.h"

#include <algorithm>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

std::vector<TensorView> views_of(std::span<const Tensor* const> tensors) {
  std::vector<TensorView> views;
  views.reserve(tensors.size());
  for (const Tensor* tensor : tensors)
    views.push_back(tensor == nullptr ? no_tensor() : tensor->view());
  return views;
}

}  // namespace

Result<std::vector<TensorType>> OpRunner::output_types(const Node& node,
                                                       std::span<const Tensor* const> inputs) {
  if (node.schema().infer == nullptr || node.schema().reference == nullptr)
    return fail(ErrorId::kUnknownOp, text("nothing computes the operator ", node.op()),
                std::string(node.op()), "an operator with a reference");
  return infer_concrete(node.schema(), node.attrs(), views_of(inputs),
                        static_cast<int64_t>(node.outputs().size()));
}

Status OpRunner::run(const Node& node, std::span<const Tensor* const> inputs,
                     std::span<Tensor> outputs) {
  const std::vector<TensorView> in = views_of(inputs);
  std::vector<TensorView> out;
  out.reserve(outputs.size());
  for (Tensor& tensor : outputs) out.push_back(tensor.mutable_view());
  if (kernels_ == KernelChoice::kFast) return run_fast(node, inputs, in, outputs, out);
  return node.schema().reference({.in = in, .out = out, .attrs = node.attrs()});
}

Result<const KernelPlan*> OpRunner::prepare(const Node& node, std::span<const Tensor* const> inputs,
                                            std::span<const Tensor> outputs) {
  std::vector<TensorType> in_types(inputs.size()), out_types;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != nullptr) in_types[i] = inputs[i]->type();
  for (const Tensor& output : outputs) out_types.push_back(output.type());
  Prepared& kept = prepared_[&node];
  if (kept.plan != nullptr && kept.in == in_types && kept.out == out_types) return kept.plan.get();

  std::vector<KernelInput> in(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    const Value* value = node.inputs()[i];
    in[i] = {.type = &in_types[i], .constant = value == nullptr ? nullptr : value->constant()};
  }
  NPU_LET(const Isa isa, selected_isa());
  const KernelNode described{.schema = node.schema(),
                             .attrs = node.attrs(),
                             .in = in,
                             .out = out_types,
                             .isa = isa,
                             .threads = pool_->thread_count()};
  const Kernel& kernel = find_kernel(described);
  kept.plan.reset();
  if (kept.kernel != &kernel) {
    kept.kernel = &kernel;
    kept.packed.clear();
    if (kernel.pack != nullptr) {
      NPU_LET(kept.packed, kernel.pack(described));
    }
  }
  NPU_LET(kept.plan, kernel.prepare(described, kept.packed));
  kept.in = std::move(in_types);
  kept.out = std::move(out_types);
  return kept.plan.get();
}

Status OpRunner::run_fast(const Node& node, std::span<const Tensor* const> inputs, Views in,
                          std::span<Tensor> outputs, Views out) {
  if (pool_ == nullptr) {
    NPU_LET(own_pool_, ThreadPool::create(1));
    pool_ = own_pool_.get();
  }
  NPU_LET(const KernelPlan* plan, prepare(node, inputs, outputs));
  const int64_t scratch_bytes = plan->scratch_bytes();
  if (scratch_bytes > static_cast<int64_t>(scratch_.bytes().size())) {
    NPU_LET(scratch_, Tensor::zeros(DType::kU8, {scratch_bytes}));
  }
  const std::span<std::byte> scratch{scratch_.mutable_view().data,
                                     static_cast<size_t>(scratch_bytes)};
  return plan->run({.in = in, .out = out, .scratch = scratch, .pool = *pool_});
}

}  // namespace npugraph
