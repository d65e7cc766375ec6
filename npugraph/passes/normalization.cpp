// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/normalization.h"

#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

std::optional<int64_t> first_trailing(const Shape& x, const Tensor& axes) {
  const int64_t rank = x.rank();
  std::vector<int64_t> sorted;
  for (int64_t i = 0; i < axes.elements(); ++i) {
    const int64_t axis = axes.view().load_int(i);
    sorted.push_back(axis < 0 ? axis + rank : axis);
  }
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<int64_t>(sorted.size());
  if (count == 0 || count > rank) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) {
    if (sorted[static_cast<size_t>(i)] != rank - count + i) return std::nullopt;
  }
  return rank - count;
}

/// `data` read as one number for each element of `dims`, its own dims having been checked.
Result<Tensor> broadcast_to(const Tensor& data, const Dims& own, Dims dims) {
  NPU_LET(Tensor out, Tensor::zeros(data.dtype(), dims));
  const TensorView from = data.view(), to = out.mutable_view();
  for (int64_t i = 0; i < out.elements(); ++i) {
    int64_t rest = i, source = 0, step = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      if (own[d] != 1) source += rest % dims[d] * step;
      step *= own[d];
      rest /= dims[d];
    }
    to.store(i, from.load(source));
  }
  return out;
}

/// The last `count` dims, 1 in front where there are fewer; nothing when one before them is not 1.
std::optional<Dims> last_dims(const Dims& dims, int64_t count) {
  Dims out(static_cast<size_t>(count), 1);
  const auto rank = static_cast<int64_t>(dims.size());
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = dims[static_cast<size_t>(d)];
    const int64_t place = d - rank + count;
    if (place >= 0) {
      out[static_cast<size_t>(place)] = size;
    } else if (size != 1) {
      return std::nullopt;
    }
  }
  return out;
}

Result<Tensor> combined(const Tensor& a, const Tensor& b, double (*op)(double, double)) {
  NPU_LET(Tensor out, Tensor::zeros(a.dtype(), a.dims()));
  const TensorView left = a.view(), right = b.view(), to = out.mutable_view();
  for (int64_t i = 0; i < out.elements(); ++i) to.store(i, op(left.load(i), right.load(i)));
  return out;
}

/// In another dtype, when no element changes its number.
Result<std::optional<Tensor>> exactly_as(const Tensor& data, DType dtype) {
  NPU_LET(Tensor out, Tensor::zeros(dtype, data.dims()));
  const TensorView from = data.view(), to = out.mutable_view();
  for (int64_t i = 0; i < out.elements(); ++i) {
    to.store(i, from.load(i));
    if (to.load(i) != from.load(i)) return std::optional<Tensor>();
  }
  return std::optional<Tensor>(std::move(out));
}

double times(double a, double b) { return a * b; }
double plus(double a, double b) { return a + b; }

/// Scale and bias times, or bias plus, the constant "g" along the channels.
template <bool Scales>
Result<bool> fold_by_channel(Match& match) {
  const Tensor& scale = *match.constant("s");
  const Tensor& bias = *match.constant("b");
  NPU_LET(const std::optional<Tensor> factor,
          along_channels(*match.constant("g"), match.value("x")->type.shape));
  if (!factor || factor->type() != bias.type() || scale.type() != bias.type()) return false;
  if constexpr (Scales) {
    NPU_LET(Tensor new_scale, combined(scale, *factor, times));
    NPU_LET(Tensor new_bias, combined(bias, *factor, times));
    match.set_constant("scale", std::move(new_scale));
    match.set_constant("bias", std::move(new_bias));
  } else {
    NPU_LET(Tensor new_bias, combined(bias, *factor, plus));
    match.set_constant("scale", scale);
    match.set_constant("bias", std::move(new_bias));
  }
  return true;
}

}  // namespace

std::optional<int64_t> trailing_axis(const Shape& x, const Tensor* first, const Tensor* second) {
  if (!x.ranked() || first == nullptr) return std::nullopt;
  const std::optional<int64_t> axis = first_trailing(x, *first);
  if (!axis || (second != nullptr && first_trailing(x, *second) != axis)) return std::nullopt;
  return axis;
}

bool set_epsilon(Match& match, std::string_view word) {
  const Tensor* data = match.constant(word);
  if (data == nullptr || data->elements() != 1) return false;
  const double epsilon = data->view().load(0);
  if (!(epsilon >= 0)) return false;
  match.set_attr("epsilon", epsilon);
  return true;
}

Result<std::optional<Tensor>> along_axes(const Tensor& data, const Shape& x, int64_t axis) {
  if (!x.ranked() || axis < 0) return std::optional<Tensor>();
  Dims wanted;
  for (int64_t d = axis; d < x.rank(); ++d) {
    const std::optional<int64_t> size = x[d].known();
    if (!size) return std::optional<Tensor>();
    wanted.push_back(*size);
  }
  const std::optional<Dims> own = last_dims(data.dims(), x.rank() - axis);
  if (!own) return std::optional<Tensor>();
  for (size_t d = 0; d < wanted.size(); ++d) {
    if ((*own)[d] != 1 && (*own)[d] != wanted[d]) return std::optional<Tensor>();
  }
  NPU_LET(Tensor out, broadcast_to(data, *own, wanted));
  return std::optional<Tensor>(std::move(out));
}

Result<std::optional<Tensor>> along_channels(const Tensor& data, const Shape& x) {
  const std::optional<int64_t> channels = x.rank() < 2 ? std::nullopt : x[1].known();
  const std::optional<Dims> own = last_dims(data.dims(), std::max<int64_t>(x.rank() - 1, 0));
  if (!channels || !own) return std::optional<Tensor>();
  for (size_t d = 1; d < own->size(); ++d) {
    if ((*own)[d] != 1) return std::optional<Tensor>();
  }
  if ((*own)[0] != 1 && (*own)[0] != *channels) return std::optional<Tensor>();
  NPU_LET(Tensor out, broadcast_to(data, {(*own)[0]}, {*channels}));
  return std::optional<Tensor>(std::move(out));
}

Result<Tensor> filled(DType dtype, Dims dims, double number) {
  NPU_LET(Tensor out, Tensor::zeros(dtype, std::move(dims)));
  const TensorView view = out.mutable_view();
  for (int64_t i = 0; i < out.elements(); ++i) view.store(i, number);
  return out;
}

Result<bool> set_unit_scale(Match& match, std::string_view word, int64_t axis) {
  const TensorType& x = match.value(word)->type;
  NPU_LET(std::optional<Tensor> ones, along_axes(Tensor::scalar(x.dtype, 1), x.shape, axis));
  if (!ones) return false;
  match.set_constant("scale", *std::move(ones));
  match.set_attr("axis", axis - x.shape.rank());
  return true;
}

int64_t axis_of(const Match& match) {
  const int64_t axis = match.node("n")->attrs().i64("axis");
  return axis < 0 ? axis + match.value("x")->type.shape.rank() : axis;
}

Result<bool> fold_scale(Match& match) {
  const Tensor& scale = *match.constant("s");
  NPU_LET(const std::optional<Tensor> factor,
          along_axes(*match.constant("g"), match.value("x")->type.shape, axis_of(match)));
  if (!factor || factor->type() != scale.type()) return false;
  NPU_LET(Tensor product, combined(scale, *factor, times));
  match.set_constant("scale", std::move(product));
  return true;
}

Result<bool> fold_casts(Match& match) {
  const DType half = match.value("x")->type.dtype;
  if ((half != DType::kF16 && half != DType::kBF16) ||
      match.value("c")->type.dtype != DType::kF32 ||
      match.node("n")->attrs().i64("stash_type") != 1) {
    return false;
  }
  for (const auto& [from, to] : {std::pair{"s", "scale"}, {"b", "bias"}}) {
    if (match.value(from) == nullptr) continue;
    NPU_LET(std::optional<Tensor> data, exactly_as(*match.constant(from), half));
    if (!data) return false;
    match.set_constant(to, *std::move(data));
  }
  return true;
}

std::vector<Rewrite> channel_affine_rewrites(const std::string& op) {
  const std::string found = text("n = ", op, "{*}(x, #s, #b); ");
  const std::string put = text("y = ", op, "{*n}(x, scale, bias)");
  return {{found + "y = Mul(n, #g)", put, fold_by_channel<true>},
          {found + "y = Add(n, #g)", put, fold_by_channel<false>}};
}

}  // namespace npugraph
