// SPDX-License-Identifier: Apache-2.0
// A 1x1 Conv and the Conv that alone reads it, with nothing between, are one Conv: W[o, i, k] =
// sum over j of W2[o, j, k] * W1[j, i]. Done where neither the weights nor the products grow.
#include <algorithm>
#include <unordered_set>

#include "npugraph/base/text.h"
#include "npugraph/passes/conv_affine.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

bool all_are(const Attrs& attrs, std::string_view name, int64_t number) {
  if (!attrs.has(name)) return true;
  const Ints& ints = attrs.ints(name);
  return std::all_of(ints.begin(), ints.end(), [&](int64_t i) { return i == number; });
}

bool has_no_padding(const Node& conv) {
  const Attrs& attrs = conv.attrs();
  if (attrs.has("auto_pad") && attrs.str("auto_pad") == "VALID") return true;
  return (!attrs.has("auto_pad") || attrs.str("auto_pad") == "NOTSET") && all_are(attrs, "pads", 0);
}

bool is_whole_conv(const Node& conv) {
  return conv.is("Conv") && conv.attrs().i64("group") == 1 && constant_channels(conv).has_value();
}

bool is_pointwise(const Node& conv) {
  if (!is_whole_conv(conv) || !has_no_padding(conv) || !all_are(conv.attrs(), "strides", 1)) {
    return false;
  }
  const Dims& dims = conv.input(1)->constant()->dims();
  return std::all_of(dims.begin() + 2, dims.end(), [](int64_t dim) { return dim == 1; });
}

/// The second Conv has no more places than the first, whatever the symbols are.
bool has_no_more_places(const Value& first, const Value& second) {
  const Shape& a = first.type.shape;
  const Shape& b = second.type.shape;
  for (int64_t axis = 2; axis < a.rank(); ++axis) {
    if (!(a[axis] - b[axis]).is_nonnegative()) return false;
  }
  return true;
}

/// Channels on the way, and elements of the second kernel.
struct Sizes {
  int64_t in, middle, out, kernel;
  bool is_cheaper() const { return out * in * kernel <= middle * in + out * middle * kernel; }
};

Result<Tensor> product(const Tensor& first, const Tensor& second, const Sizes& sizes) {
  Dims dims = second.dims();
  dims[1] = sizes.in;
  NPU_LET(Tensor out, Tensor::zeros(second.dtype(), dims));
  const TensorView a = first.view(), b = second.view(), y = out.mutable_view();
  std::vector<double> row(static_cast<size_t>(sizes.in));
  for (int64_t o = 0; o < sizes.out; ++o) {
    for (int64_t k = 0; k < sizes.kernel; ++k) {
      std::fill(row.begin(), row.end(), 0.0);
      for (int64_t j = 0; j < sizes.middle; ++j) {
        const double factor = b.load((o * sizes.middle + j) * sizes.kernel + k);
        for (int64_t i = 0; i < sizes.in; ++i) {
          row[static_cast<size_t>(i)] += factor * a.load(j * sizes.in + i);
        }
      }
      for (int64_t i = 0; i < sizes.in; ++i) {
        y.store((o * sizes.in + i) * sizes.kernel + k, row[static_cast<size_t>(i)]);
      }
    }
  }
  return out;
}

/// b2 + W2 * b1, summed over the kernel.
Result<Tensor> joint_bias(const Node& first, const Node& second, const Sizes& sizes) {
  const Tensor& w = *second.input(1)->constant();
  NPU_LET(Tensor out, Tensor::zeros(w.dtype(), {sizes.out}));
  const Value* old = second.input(2);
  for (int64_t o = 0; o < sizes.out; ++o) {
    double sum = old != nullptr ? old->constant()->view().load(o) : 0;
    for (int64_t j = 0; first.input(2) != nullptr && j < sizes.middle; ++j) {
      const double bias = first.input(2)->constant()->view().load(j);
      for (int64_t k = 0; k < sizes.kernel; ++k) {
        sum += bias * w.view().load((o * sizes.middle + j) * sizes.kernel + k);
      }
    }
    out.mutable_view().store(o, sum);
  }
  return out;
}

Result<bool> merge(Node& second) {
  Node* const first = made_by(second.input(0), "Conv");
  if (first == nullptr || sole_user(*second.input(0)) != &second ||
      &first->graph() != &second.graph() || !is_whole_conv(second) || !is_pointwise(*first)) {
    return false;
  }
  // The padding of the second Conv is zeros, where the first would have given its bias.
  if (first->input(2) != nullptr && !has_no_padding(second)) return false;
  const Tensor& w1 = *first->input(1)->constant();
  const Tensor& w2 = *second.input(1)->constant();
  const int64_t kernel = w2.elements() / std::max<int64_t>(1, w2.dims()[0] * w2.dims()[1]);
  const Sizes sizes = {w1.dims()[1], w1.dims()[0], w2.dims()[0], kernel};
  if (w2.dims()[1] != sizes.middle || !second.output()->has_type || !sizes.is_cheaper() ||
      !has_no_more_places(*first->output(), *second.output())) {
    return false;
  }
  NPU_LET(Tensor weights, product(w1, w2, sizes));
  std::vector<Value*> inputs = {first->input(0), nullptr};
  Graph& graph = second.graph();
  inputs[1] = &graph.add_constant(text(second.name(), ".merged"), std::move(weights));
  if (first->input(2) != nullptr || second.input(2) != nullptr) {
    NPU_LET(Tensor bias, joint_bias(*first, second, sizes));
    inputs.push_back(&graph.add_constant(text(second.name(), ".merged_bias"), std::move(bias)));
  }
  const Result<Node*> made =
      insert_node(second, "", "Conv", second.name(), std::move(inputs), second.attrs());
  if (!made) return false;
  Node* const by = *made;
  merge_origins(*by, {first, &second});
  replace_node(second, *by);
  graph.erase(*first);
  return true;
}

}  // namespace

Result<int64_t> merge_pointwise_convs(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  if (!context.reassociate) return changes;
  std::vector<Node*> convs = nodes_of(graph, {"Conv"});
  // From the back: a Conv that is merged away lies before the one that it goes into.
  std::reverse(convs.begin(), convs.end());
  std::unordered_set<const Node*> gone;
  for (Node* conv : convs) {
    if (gone.contains(conv)) continue;
    Node* const first = made_by(conv->input(0), "Conv");
    NPU_LET(const bool merged, merge(*conv));
    if (!merged) continue;
    gone.insert(first);
    ++changes;
  }
  if (changes != 0) graph.erase_unused_constants();
  return changes;
}

}  // namespace npugraph::passes
