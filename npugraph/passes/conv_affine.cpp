// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/conv_affine.h"

#include "npugraph/base/text.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

/// Weights are [m, c / group, …] of Conv and [c, m / group, …] of ConvTranspose: the output channel
/// of each run of `inner` elements.
struct Channels {
  bool transposed;
  int64_t rows_per_group;  // c / group, of ConvTranspose
  int64_t columns;         // dim 1
  int64_t of(int64_t row, int64_t column) const {
    return transposed ? row / rows_per_group * columns + column : row;
  }
};

Result<Tensor> scaled_weights(const Node& conv, std::span<const double> scale) {
  const Tensor& old_w = *conv.input(1)->constant();
  NPU_LET(Tensor w, Tensor::zeros(old_w.dtype(), old_w.dims()));
  const int64_t rows = old_w.dims()[0], columns = old_w.dims()[1];
  const bool transposed = conv.is("ConvTranspose");
  const Channels channels = {
      .transposed = transposed,
      .rows_per_group = transposed ? rows / conv.attrs().i64("group") : 1,
      .columns = columns,
  };
  const int64_t inner = rows * columns == 0 ? 0 : old_w.elements() / (rows * columns);
  const TensorView from = old_w.view(), to = w.mutable_view();
  for (int64_t row = 0, i = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double factor = scale[static_cast<size_t>(channels.of(row, column))];
      for (const int64_t end = i + inner; i < end; ++i) to.store(i, from.load(i) * factor);
    }
  }
  return w;
}

/// old * scale + shift, old being zeros when absent.
Result<Tensor> affine(const Value* old, DType dtype, std::span<const double> scale,
                      std::span<const double> shift) {
  NPU_LET(Tensor out, Tensor::zeros(dtype, {static_cast<int64_t>(scale.size())}));
  const TensorView view = out.mutable_view();
  for (size_t c = 0; c < scale.size(); ++c) {
    const auto index = static_cast<int64_t>(c);
    const double from = old != nullptr ? old->constant()->view().load(index) : 0;
    view.store(index, from * scale[c] + shift[c]);
  }
  return out;
}

}  // namespace

std::optional<int64_t> constant_channels(const Node& node) {
  if (node.is("BatchNormalization")) {
    const Tensor* scale = node.input(1)->constant();
    const Tensor* shift = node.input(2)->constant();
    const bool usable = scale != nullptr && shift != nullptr && scale->dims().size() == 1 &&
                        scale->dims() == shift->dims() && node.outputs().size() == 1;
    return usable ? std::optional(scale->dims()[0]) : std::nullopt;
  }
  const bool transposed = node.is("ConvTranspose");
  if (!transposed && !node.is("Conv")) return std::nullopt;
  const Value* weights = node.input(1);
  const Value* bias = node.input(2);
  const Tensor* w = weights != nullptr ? weights->constant() : nullptr;
  if (w == nullptr || w->dims().size() < 3 || !kFloatTypes.has(w->dtype())) return std::nullopt;
  if (bias != nullptr && bias->constant() == nullptr) return std::nullopt;
  return transposed ? w->dims()[1] * node.attrs().i64("group") : w->dims()[0];
}

Status scale_output(Node& node, std::span<const double> scale, std::span<const double> shift) {
  const bool is_norm = node.is("BatchNormalization");
  const DType dtype = node.input(1)->constant()->dtype();
  const std::vector<double> none(scale.size(), 0);
  NPU_LET(Tensor weights,
          is_norm ? affine(node.input(1), dtype, scale, none) : scaled_weights(node, scale));
  NPU_LET(Tensor bias, affine(node.input(2), dtype, scale, shift));

  Graph& graph = node.graph();
  Value& new_weights = graph.add_constant("", std::move(weights));
  Value& new_bias = graph.add_constant("", std::move(bias));
  node.set_input(1, &new_weights);
  node.set_input(2, &new_bias);
  // Named last: an earlier step's constants of these names are gone now.
  graph.erase_unused_constants();
  graph.rename(new_weights, text(node.name(), is_norm ? ".scale" : ".weight"));
  graph.rename(new_bias, text(node.name(), ".bias"));
  return ok();
}

void absorb_into(Node& node, Node& last) {
  merge_origins(node, {&node, &last});
  redirect(last, *node.output(), true);
}

}  // namespace npugraph
