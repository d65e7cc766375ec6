// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/conv_affine.h"

#include <algorithm>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

/// One number a channel when `tensor`, broadcast to `rank` dims, varies along axis 1 at most.
std::optional<std::vector<double>> per_channel(const Tensor& tensor, int64_t rank,
                                               int64_t channels) {
  const auto count = static_cast<size_t>(channels);
  if (tensor.elements() == 1) return std::vector<double>(count, tensor.view().load(0));
  const auto own_rank = static_cast<int64_t>(tensor.dims().size());
  const int64_t axis = own_rank - (rank - 1);
  if (axis < 0 || axis > 1 || tensor.elements() != channels ||
      tensor.dims()[static_cast<size_t>(axis)] != channels) {
    return std::nullopt;
  }
  std::vector<double> numbers;
  for (int64_t c = 0; c < channels; ++c) numbers.push_back(tensor.view().load(c));
  return numbers;
}

/// What `node` does to the other input: scale * x + shift.
struct Step {
  double scale = 1;
  double shift = 0;
};
std::optional<Step> step_of(const Node& node, bool constant_first, double number) {
  if (node.is("Mul")) return Step{.scale = number};
  if (node.is("Add")) return Step{.shift = number};
  if (node.is("Div") && !constant_first) return Step{.scale = 1 / number};
  if (node.is("Sub")) {
    return constant_first ? Step{.scale = -1, .shift = number} : Step{.shift = -number};
  }
  return std::nullopt;
}

std::optional<ChannelAffine> of_arithmetic(const Node& node, const Value& x, int64_t channels) {
  const Value* other = other_input(node, x);
  const Tensor* data = other != nullptr ? other->constant() : nullptr;
  if (data == nullptr) return std::nullopt;
  const auto numbers = per_channel(*data, x.type.shape.rank(), channels);
  if (!numbers) return std::nullopt;
  ChannelAffine affine;
  for (const double number : *numbers) {
    const std::optional<Step> step = step_of(node, node.input(0) == other, number);
    if (!step) return std::nullopt;
    affine.scale.push_back(step->scale);
    affine.shift.push_back(step->shift);
  }
  return affine;
}

std::optional<ChannelAffine> of_norm(const Node& norm, const Value& x, int64_t channels) {
  if (norm.outputs().size() != 1 || norm.inputs().size() != 5 || norm.input(0) != &x) {
    return std::nullopt;
  }
  if (norm.attrs().has("training_mode") && norm.attrs().flag("training_mode")) return std::nullopt;
  for (int64_t i = 1; i < 5; ++i) {
    const Tensor* tensor = norm.input(i) != nullptr ? norm.input(i)->constant() : nullptr;
    if (tensor == nullptr || tensor->dims() != Dims{channels}) return std::nullopt;
  }
  const auto parameter = [&](int64_t input, int64_t channel) {
    return norm.input(input)->constant()->view().load(channel);
  };
  const double epsilon = norm.attrs().f64("epsilon");
  ChannelAffine affine;
  for (int64_t c = 0; c < channels; ++c) {
    const double scale = parameter(1, c) / std::sqrt(parameter(4, c) + epsilon);
    affine.scale.push_back(scale);
    affine.shift.push_back(parameter(2, c) - parameter(3, c) * scale);
  }
  return affine;
}

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

std::optional<ChannelAffine> channel_affine(const Node& node, const Value& x, int64_t channels) {
  if (!node.schema().domain.empty() || node.outputs().size() != 1 || x.type.shape.rank() < 2 ||
      !same_type(x, *node.output())) {
    return std::nullopt;
  }
  std::optional<ChannelAffine> affine =
      node.is("BatchNormalization") ? of_norm(node, x, channels) : of_arithmetic(node, x, channels);
  const auto finite = [](double number) { return std::isfinite(number); };
  const bool usable = affine && std::all_of(affine->scale.begin(), affine->scale.end(), finite) &&
                      std::all_of(affine->shift.begin(), affine->shift.end(), finite);
  return usable ? affine : std::nullopt;
}

int64_t input_channels(const Node& conv) {
  const Dims& dims = conv.input(1)->constant()->dims();
  return conv.is("ConvTranspose") ? dims[0] : dims[1] * conv.attrs().i64("group");
}

Status scale_input(Node& conv, std::span<const double> scale, std::span<const double> shift) {
  const Tensor& old_w = *conv.input(1)->constant();
  const bool transposed = conv.is("ConvTranspose");
  const int64_t rows = old_w.dims()[0], columns = old_w.dims()[1];
  const int64_t outputs = *constant_channels(conv);
  const int64_t inner = rows * columns == 0 ? 0 : old_w.elements() / (rows * columns);
  const int64_t rows_per_group = std::max<int64_t>(1, rows / conv.attrs().i64("group"));
  NPU_LET(Tensor w, Tensor::zeros(old_w.dtype(), old_w.dims()));
  std::vector<double> added(static_cast<size_t>(outputs), 0);
  const TensorView from = old_w.view(), to = w.mutable_view();
  for (int64_t row = 0, i = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t channel = transposed ? row : row / rows_per_group * columns + column;
      const double factor = scale[static_cast<size_t>(channel)];
      double sum = 0;
      for (const int64_t end = i + inner; i < end; ++i) {
        sum += from.load(i);
        to.store(i, from.load(i) * factor);
      }
      const double offset = shift[static_cast<size_t>(channel)];
      if (!transposed && offset != 0) added[static_cast<size_t>(row)] += sum * offset;
    }
  }
  Tensor bias;
  const bool changes_bias =
      std::any_of(added.begin(), added.end(), [](double b) { return b != 0; });
  if (changes_bias) {
    const std::vector<double> ones(added.size(), 1);
    NPU_LET(bias, affine(conv.input(2), old_w.dtype(), ones, added));
  }
  replace_constant(conv, 1, std::move(w), ".weight");
  if (changes_bias) replace_constant(conv, 2, std::move(bias), ".bias");
  return ok();
}

Status scale_output(Node& node, std::span<const double> scale, std::span<const double> shift) {
  const bool is_norm = node.is("BatchNormalization");
  const DType dtype = node.input(1)->constant()->dtype();
  const std::vector<double> none(scale.size(), 0);
  NPU_LET(Tensor weights,
          is_norm ? affine(node.input(1), dtype, scale, none) : scaled_weights(node, scale));
  NPU_LET(Tensor bias, affine(node.input(2), dtype, scale, shift));

  replace_constant(node, 1, std::move(weights), is_norm ? ".scale" : ".weight");
  replace_constant(node, 2, std::move(bias), ".bias");
  return ok();
}

void absorb_into(Node& node, Node& last) {
  merge_origins(node, {&node, &last});
  redirect(last, *node.output(), true);
}

}  // namespace npugraph
