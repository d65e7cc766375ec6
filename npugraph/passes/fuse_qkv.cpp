// SPDX-License-Identifier: Apache-2.0
// Products of one value with the constant weights of the queries, keys and values of an Attention
// become one product, followed by Split. Every element is the same sum as before.
#include <algorithm>
#include <cstring>

#include "npugraph/base/text.h"
#include "npugraph/ir/infer.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

/// x W, or x W' of a Gemm, with a constant bias added or none.
struct Projection {
  Node* product = nullptr;
  Node* root = nullptr;  // the Add of the bias, or the product
  const Tensor* weights = nullptr;
  const Tensor* bias = nullptr;  // [n]
  bool is_transposed = false;    // W is [n, k]
  int64_t n = 0;
};

/// A constant that is a vector of `n` in the last axis, and read here only.
const Tensor* vector_of(const Value* value, int64_t n) {
  const Tensor* data = value != nullptr ? value->constant() : nullptr;
  const bool fits = data != nullptr && !data->dims().empty() && data->dims().back() == n &&
                    data->elements() == n && is_private(*value);
  return fits ? data : nullptr;
}

bool is_plain_gemm(const Node& node) {
  const Attrs& attrs = node.attrs();
  return attrs.f64("alpha") == 1 && attrs.f64("beta") == 1 && !attrs.flag("transA");
}

/// The product that `value` is, or nothing.
std::optional<Projection> projection_of(const Value& value) {
  Projection found;
  found.root = value.producer();
  if (found.root == nullptr || !is_float_type(value)) return std::nullopt;
  const Value* addend = nullptr;
  found.product = found.root;
  if (found.root->is("Add")) {
    const int64_t side = made_by(found.root->input(0), "MatMul") != nullptr ? 0 : 1;
    if (found.root->input(side)->producer() == nullptr || !is_private(*found.root->input(side)))
      return std::nullopt;
    found.product = found.root->input(side)->producer();
    addend = found.root->input(1 - side);
    if (!same_type(*found.product->output(), value)) return std::nullopt;
  }
  Node& product = *found.product;
  const bool is_gemm = product.is("Gemm") && addend == nullptr;
  if (!(product.is("MatMul") || (is_gemm && is_plain_gemm(product)))) return std::nullopt;
  const Value* weights = product.input(1);
  found.weights = weights->constant();
  if (found.weights == nullptr || found.weights->dims().size() != 2 || !is_private(*weights))
    return std::nullopt;
  found.is_transposed = is_gemm && product.attrs().flag("transB");
  found.n = found.weights->dims()[found.is_transposed ? 0 : 1];
  if (is_gemm) addend = product.input(2);
  if (addend == nullptr) return found;
  found.bias = vector_of(addend, found.n);
  if (found.bias == nullptr) return std::nullopt;
  return found;
}

/// The product behind an input of Attention, through a change of its layout.
std::optional<Projection> projection_behind(const Value* value) {
  while (value != nullptr) {
    if (auto found = projection_of(*value)) return found;
    const Node* node = value->producer();
    const bool is_layout =
        node != nullptr && (node->is("Reshape") || node->is("Transpose") || node->is("Unsqueeze") ||
                            node->is("RotaryEmbedding"));
    if (!is_layout) return std::nullopt;
    value = node->input(0);
  }
  return std::nullopt;
}

bool fits_beside(const Projection& a, const Projection& b) {
  const Node& p = *a.product;
  const Node& q = *b.product;
  if (&p == &q || p.op() != q.op() || p.input(0) != q.input(0)) return false;
  const size_t depth_axis = a.is_transposed ? 1 : 0;
  return &p.graph() == &q.graph() && a.is_transposed == b.is_transposed &&
         a.weights->dtype() == b.weights->dtype() &&
         a.weights->dims()[depth_axis] == b.weights->dims()[depth_axis];
}

/// Puts blocks of rows side by side: out[r] = the rows r of all parts, one after the other. A part
/// without data is -0, which added to a number leaves it, 0 and -0 too.
Result<Tensor> concat_columns(DType dtype, int64_t rows, const std::vector<const Tensor*>& parts,
                              const std::vector<int64_t>& widths, Dims dims) {
  NPU_LET(Tensor out, Tensor::zeros(dtype, std::move(dims)));
  const int64_t element_bytes = dtype_bits(dtype) / 8;
  const TensorView view = out.mutable_view();
  int64_t at = 0;
  for (int64_t row = 0; row < rows; ++row) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] != nullptr) {
        const int64_t width_bytes = widths[i] * element_bytes;
        std::memcpy(view.data + at * element_bytes, parts[i]->bytes().data() + row * width_bytes,
                    static_cast<size_t>(width_bytes));
      } else {
        for (int64_t k = 0; k < widths[i]; ++k) view.store(at + k, -0.0);
      }
      at += widths[i];
    }
  }
  return out;
}

class Joiner {
 public:
  explicit Joiner(std::vector<Projection> parts)
      : parts_(std::move(parts)), first_(*parts_.front().product), graph_(first_.graph()) {
    for (const Projection& part : parts_) {
      widths_.push_back(part.n);
      total_ += part.n;
    }
  }

  Status run() {
    NPU_LET(Value* const joined, product());
    Attrs attrs;
    attrs.set("axis", int64_t{-1});
    Value& sizes = graph_.add_constant(text(first_.name(), ".parts"), Tensor::of_ints(widths_));
    std::vector<std::string> names;
    for (const Projection& part : parts_)
      names.push_back(text(part.root->output()->name(), ".part"));
    NPU_LET(Node* const split,
            graph_.add_node("", "Split", text(first_.name(), ".split"), {joined, &sizes},
                            std::move(attrs), std::move(names), &first_));
    NPU_TRY(infer_node(*split));
    const std::vector<std::string> all = origins();
    joined->producer()->origins = all;
    if (joined->producer()->is("Add")) joined->producer()->input(0)->producer()->origins = all;
    split->origins = all;
    for (size_t i = 0; i < parts_.size(); ++i)
      take_place(parts_[i], *split->output(static_cast<int64_t>(i)));
    return ok();
  }

 private:
  Result<Value*> product() {
    const bool is_gemm = first_.is("Gemm");
    const bool has_bias = std::any_of(parts_.begin(), parts_.end(),
                                      [](const Projection& part) { return part.bias != nullptr; });
    std::vector<const Tensor*> weights, biases;
    for (const Projection& part : parts_) {
      weights.push_back(part.weights);
      biases.push_back(part.bias);
    }
    const DType dtype = parts_.front().weights->dtype();
    const bool is_transposed = parts_.front().is_transposed;
    const int64_t k = parts_.front().weights->dims()[is_transposed ? 1 : 0];
    std::vector<int64_t> blocks = widths_;
    if (is_transposed) {
      for (int64_t& block : blocks) block *= k;
    }
    NPU_LET(Tensor w, concat_columns(dtype, is_transposed ? 1 : k, weights, blocks,
                                     is_transposed ? Dims{total_, k} : Dims{k, total_}));
    Value* bias = nullptr;
    if (has_bias) {
      NPU_LET(Tensor b, concat_columns(dtype, 1, biases, widths_, {total_}));
      bias = &graph_.add_constant(text(first_.name(), ".bias"), std::move(b));
    }
    std::vector<Value*> inputs = {
        first_.input(0), &graph_.add_constant(text(first_.name(), ".weights"), std::move(w))};
    if (is_gemm && has_bias) inputs.push_back(bias);
    NPU_LET(Node* const node, insert_node(first_, "", first_.op(), text(first_.name(), ".joined"),
                                          std::move(inputs), is_gemm ? first_.attrs() : Attrs{}));
    if (is_gemm || !has_bias) return node->output();
    NPU_LET(Node* const add, insert_node(first_, "", "Add", text(first_.name(), ".biased"),
                                         {node->output(), bias}, Attrs{}));
    return add->output();
  }

  /// The names of all parts, each once.
  std::vector<std::string> origins() const {
    std::vector<std::string> all;
    for (const Projection& part : parts_) {
      for (const Node* node : {part.product, part.root})
        for (std::string& origin : origins_of(*node)) all.push_back(std::move(origin));
    }
    return each_once(std::move(all));
  }

  /// `part` is read where the product was, under its name.
  void take_place(const Projection& part, Value& value) {
    Value& old = *part.root->output();
    const std::string name = old.name();
    graph_.replace_uses(old, value);
    graph_.erase(*part.root);
    if (part.root != part.product) graph_.erase(*part.product);
    graph_.rename(value, name);
  }

  std::vector<Projection> parts_;
  Node& first_;
  Graph& graph_;
  std::vector<int64_t> widths_;
  int64_t total_ = 0;
};

/// Whether `node` stands before every part's product, so that the joined one may.
bool comes_first(const Graph& graph, const std::vector<Projection>& parts) {
  for (const Node* node : graph.nodes()) {
    if (node == parts.front().product) return true;
    for (const Projection& part : parts) {
      if (node == part.product) return false;
    }
  }
  return false;
}

Result<bool> fuse(Graph& graph, const Node& attention) {
  std::vector<Projection> parts;
  for (int64_t input = 0; input < 3; ++input) {
    const auto found = projection_behind(attention.input(input));
    if (!found || is_any_output(*found->root->output())) continue;
    if (&found->product->graph() != &graph) continue;
    if (parts.empty() || fits_beside(parts.front(), *found)) parts.push_back(*found);
  }
  if (parts.size() != 3) return false;
  for (size_t i = 0; i < 3; ++i) {
    if (parts[i].product == parts[(i + 1) % 3].product) return false;
  }
  // The joined product goes where the first of them is, whichever that is.
  for (size_t i = 0; i < 3 && !comes_first(graph, parts); ++i) {
    std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  }
  NPU_TRY(Joiner(std::move(parts)).run());
  return true;
}

}  // namespace

Result<int64_t> fuse_qkv(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (const Node* attention : nodes_of(graph, {"Attention"})) {
    NPU_LET(const bool fused, fuse(graph, *attention));
    changes += fused ? 1 : 0;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
