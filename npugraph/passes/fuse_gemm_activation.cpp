// SPDX-License-Identifier: Apache-2.0
// MatMul or Gemm by constant weights, then a bias along the last axis, a residual of the same shape
// and an activation (each optional) become one npugraph::FusedGemm.
#include "npugraph/base/text.h"
#include "npugraph/passes/epilogue.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

bool has_constant_matrix(const Node& node) {
  const Value* a = node.input(0);
  const Tensor* b = node.input(1) != nullptr ? node.input(1)->constant() : nullptr;
  return b != nullptr && b->dims().size() == 2 && a->has_type && a->type.shape.rank() >= 2;
}

/// The bias of a Gemm is absent, or a constant vector along the last axis.
bool has_row_bias(const Node& gemm) {
  const Value* c = gemm.input(2);
  if (c == nullptr) return true;
  const Shape& shape = gemm.output()->type.shape;
  const std::optional<int64_t> n = shape[shape.rank() - 1].known();
  const Tensor* data = c->constant();
  return n && data != nullptr && !data->dims().empty() && data->dims().back() == *n &&
         data->elements() == *n;
}

Attrs gemm_attrs(const Node& node) {
  if (node.is("Gemm")) return node.attrs();
  Attrs attrs;
  attrs.set("transA", int64_t{0});
  attrs.set("transB", int64_t{0});
  attrs.set("alpha", 1.0);
  attrs.set("beta", 1.0);
  return attrs;
}

Result<bool> fuse(Graph& graph, Node& node) {
  const bool is_gemm = node.is("Gemm");
  if (!is_float_type(*node.output()) || !has_constant_matrix(node) ||
      (is_gemm && !has_row_bias(node))) {
    return false;
  }
  const bool has_bias = is_gemm && node.input(2) != nullptr;
  const Epilogue epilogue = match_epilogue(node, !has_bias);
  if (epilogue.nodes.empty()) return false;
  Attrs attrs = gemm_attrs(node);
  const Tensor* data = has_bias ? node.input(2)->constant() : epilogue.bias;
  if (!has_bias) attrs.set("beta", 1.0);  // the bias comes from an Add
  Value* bias = nullptr;
  if (data != nullptr) {
    NPU_LET(Tensor vector, data->reshaped({data->elements()}));
    bias = &graph.add_constant(text(node.name(), ".bias"), std::move(vector));
  }
  NPU_TRY(replace_by_fused(node, epilogue, "FusedGemm",
                           {node.input(0), node.input(1), bias, epilogue.residual},
                           std::move(attrs)));
  return true;
}

}  // namespace

Result<int64_t> fuse_gemm_activation(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : nodes_of(graph, {"MatMul", "Gemm"})) {
    NPU_LET(const bool fused, fuse(graph, *node));
    changes += fused ? 1 : 0;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
