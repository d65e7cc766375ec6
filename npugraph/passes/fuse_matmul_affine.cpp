// SPDX-License-Identifier: Apache-2.0
// A constant factor after a product by constant weights, a number or one for each column, goes into
// the weights, and into a constant bias that was added before it; so do alpha and beta of a Gemm.
#include <algorithm>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

bool is_product(const Node* node) {
  return node != nullptr && (node->is("MatMul") || node->is("Gemm"));
}

/// Weights, [k, n] or with transB [n, k], that this node alone reads.
const Tensor* own_weights(const Node& product) {
  const Value* value = product.input(1);
  const Tensor* tensor = value != nullptr ? value->constant() : nullptr;
  const bool fits = tensor != nullptr && tensor->dims().size() == 2 && is_private(*value) &&
                    kFloatTypes.has(tensor->dtype());
  return fits ? tensor : nullptr;
}

bool has_transposed_weights(const Node& product) {
  return product.is("Gemm") && product.attrs().flag("transB");
}

int64_t columns_of(const Node& product) {
  return own_weights(product)->dims()[has_transposed_weights(product) ? 0 : 1];
}

/// A number for each of n columns, of a constant that varies along the last axis at most.
std::optional<std::vector<double>> per_column(const Tensor& tensor, int64_t n) {
  if (tensor.elements() == 1) {
    return std::vector<double>(static_cast<size_t>(n), tensor.view().load(0));
  }
  if (tensor.dims().empty() || tensor.dims().back() != n || tensor.elements() != n) {
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (int64_t i = 0; i < n; ++i) numbers.push_back(tensor.view().load(i));
  return numbers;
}

/// Multiplies a constant whose last axis, or first when `transposed`, has one factor each.
Result<Tensor> scaled(const Tensor& tensor, std::span<const double> factors, bool transposed) {
  NPU_LET(Tensor out, Tensor::zeros(tensor.dtype(), tensor.dims()));
  const TensorView from = tensor.view(), to = out.mutable_view();
  const auto n = static_cast<int64_t>(factors.size());
  const int64_t row = transposed ? tensor.elements() / std::max<int64_t>(1, n) : 1;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    to.store(i, from.load(i) * factors[static_cast<size_t>(i / row % n)]);
  }
  return out;
}

Status scale_weights(Node& product, std::span<const double> factors) {
  NPU_LET(Tensor weights, scaled(*own_weights(product), factors, has_transposed_weights(product)));
  replace_constant(product, 1, std::move(weights), ".weight");
  return ok();
}

/// A constant vector or number that C of a Gemm, or the other input of an Add, is; scaled.
std::optional<std::vector<double>> scaled_bias(const Value* bias, std::span<const double> factors) {
  const Tensor* data = bias != nullptr ? bias->constant() : nullptr;
  if (data == nullptr) return std::nullopt;
  auto numbers = per_column(*data, static_cast<int64_t>(factors.size()));
  for (size_t i = 0; numbers && i < numbers->size(); ++i) (*numbers)[i] *= factors[i];
  return numbers;
}

Result<Tensor> vector_of(DType dtype, std::span<const double> numbers) {
  NPU_LET(Tensor out, Tensor::zeros(dtype, {static_cast<int64_t>(numbers.size())}));
  for (size_t i = 0; i < numbers.size(); ++i) {
    out.mutable_view().store(static_cast<int64_t>(i), numbers[i]);
  }
  return out;
}

/// The factors of a Mul, or a Div by a constant.
std::optional<std::vector<double>> factors_of(const Node& node, const Value& x, int64_t n) {
  const Value* other = other_input(node, x);
  const bool is_div = node.is("Div");
  if (other == nullptr || other->constant() == nullptr || !(node.is("Mul") || is_div) ||
      (is_div && node.input(1) != other) || !same_type(x, *node.output())) {
    return std::nullopt;
  }
  auto numbers = per_column(*other->constant(), n);
  if (!numbers) return std::nullopt;
  for (double& number : *numbers) {
    if (is_div) number = 1 / number;
    if (!std::isfinite(number)) return std::nullopt;
  }
  return numbers;
}

/// The product, and the Add of a constant bias between it and the factor when there is one.
struct Chain {
  Node* product = nullptr;
  Node* add = nullptr;
};
Chain chain_before(Value& value) {
  Node* const producer = sole_user(value) != nullptr ? value.producer() : nullptr;
  if (is_product(producer)) return {.product = producer};
  if (producer == nullptr || !producer->is("Add")) return {};
  for (Value* input : producer->inputs()) {
    if (sole_user(*input) == producer && is_product(input->producer()) &&
        same_type(*input, value)) {
      return {.product = input->producer(), .add = producer};
    }
  }
  return {};
}

Result<bool> fold_factor(Node& node, Value& x) {
  const Chain chain = chain_before(x);
  if (chain.product == nullptr || own_weights(*chain.product) == nullptr) return false;
  Node& product = *chain.product;
  if (&product.graph() != &node.graph()) return false;
  const auto factors = factors_of(node, x, columns_of(product));
  if (!factors) return false;
  const DType dtype = own_weights(product)->dtype();
  const Value* own_bias = product.is("Gemm") ? product.input(2) : nullptr;
  const Value* bias = chain.add != nullptr ? other_input(*chain.add, *product.output()) : nullptr;
  const auto new_own = scaled_bias(own_bias, *factors), added = scaled_bias(bias, *factors);
  if ((own_bias != nullptr && !new_own) || (chain.add != nullptr && !added)) return false;
  NPU_TRY(scale_weights(product, *factors));
  if (new_own) {
    NPU_LET(Tensor data, vector_of(dtype, *new_own));
    replace_constant(product, 2, std::move(data), ".bias");
  }
  if (added) {
    NPU_LET(Tensor data, vector_of(dtype, *added));
    const int64_t input = chain.add->input(0) == bias ? 0 : 1;
    replace_constant(*chain.add, input, std::move(data), ".bias");
  }
  Node& last = chain.add != nullptr ? *chain.add : product;
  merge_origins(last, {&last, &node});
  redirect(node, *last.output(), true);
  return true;
}

/// alpha and beta of a Gemm with constant weights and a constant C.
Result<bool> fold_gemm_scales(Node& gemm) {
  bool changed = false;
  const double alpha = gemm.attrs().f64("alpha"), beta = gemm.attrs().f64("beta");
  if (alpha != 1 && own_weights(gemm) != nullptr) {
    const std::vector<double> factors(static_cast<size_t>(columns_of(gemm)), alpha);
    NPU_TRY(scale_weights(gemm, factors));
    NPU_TRY(gemm.set_attr("alpha", 1.0));
    changed = true;
  }
  const Tensor* c = gemm.input(2) != nullptr ? gemm.input(2)->constant() : nullptr;
  if (beta != 1 && (c != nullptr || gemm.input(2) == nullptr)) {
    if (c != nullptr) {
      const double factor[] = {beta};
      NPU_LET(Tensor data, scaled(*c, factor, false));
      replace_constant(gemm, 2, std::move(data), ".bias");
    }
    NPU_TRY(gemm.set_attr("beta", 1.0));
    changed = true;
  }
  return changed;
}

}  // namespace

Result<int64_t> fuse_matmul_affine(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  if (!context.reassociate) return changes;
  for (Node* node : nodes_of(graph, {"Gemm", "Mul", "Div"})) {
    if (node->is("Gemm")) {
      NPU_LET(const bool folded, fold_gemm_scales(*node));
      changes += folded ? 1 : 0;
      continue;
    }
    for (Value* input : node->inputs()) {
      NPU_LET(const bool folded, fold_factor(*node, *input));
      if (!folded) continue;
      ++changes;
      break;
    }
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
