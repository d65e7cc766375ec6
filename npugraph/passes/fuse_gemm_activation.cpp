// SPDX-License-Identifier: Apache-2.0
// MatMul or Gemm by constant weights, then a bias along the last axis, a residual of the same shape
// and an activation (each optional) become one npugraph::FusedGemm.
#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
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

/// C of a Gemm is a constant vector along the last axis, or a number.
bool is_row(const Value& c, const Shape& shape) {
  const std::optional<int64_t> n = shape[shape.rank() - 1].known();
  const Tensor* data = c.constant();
  if (!n || data == nullptr) return false;
  if (data->elements() == 1) return true;
  return !data->dims().empty() && data->dims().back() == *n && data->elements() == *n;
}

/// One number for each of the n columns.
Result<Tensor> row_of(const Tensor& bias, const Shape& shape) {
  const std::optional<int64_t> n = shape[shape.rank() - 1].known();
  if (bias.elements() != 1 || !n) return bias.reshaped({bias.elements()});
  NPU_LET(Tensor row, Tensor::zeros(bias.dtype(), {*n}));
  for (int64_t i = 0; i < *n; ++i) copy_elements(bias.view(), 0, row.mutable_view(), i);
  return row;
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
  if (!is_float_type(*node.output()) || !has_constant_matrix(node)) return false;
  const Shape& shape = node.output()->type.shape;
  Value* const c = node.is("Gemm") ? node.input(2) : nullptr;
  const bool has_row = c != nullptr && is_row(*c, shape);
  // Beside a C of another shape there is no room for a residual.
  const Epilogue epilogue =
      match_epilogue(node, {.bias = c == nullptr, .residual = c == nullptr || has_row});
  if (epilogue.nodes.empty()) return false;
  Attrs attrs = gemm_attrs(node);
  if (c == nullptr) attrs.set("beta", 1.0);  // the bias comes from an Add
  const Tensor* data = has_row ? c->constant() : epilogue.bias;
  Value* bias = c;
  if (data != nullptr) {
    NPU_LET(Tensor row, row_of(*data, shape));
    bias = &graph.add_constant(text(node.name(), ".bias"), std::move(row));
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
