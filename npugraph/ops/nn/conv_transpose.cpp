// SPDX-License-Identifier: Apache-2.0
// Transposed convolution over 1 to 3 spatial axes: the gradient of Conv with respect to its input.
// X [n, c, spatial…], W [c, m / group, kernel…]. Source: ONNX ConvTranspose-22.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/reals.h"
#include "npugraph/ops/nn/window.h"

namespace npugraph::ops {
namespace {

/// The list `name` when it is there, checked to have one number a spatial axis; else empty.
Result<Ints> spatial_list(const Attrs& attrs, std::string_view name, int64_t rank) {
  if (!attrs.has(name) || attrs.ints(name).empty()) return Ints{};
  const Ints& list = attrs.ints(name);
  if (static_cast<int64_t>(list.size()) == rank) return list;
  return fail(ErrorId::kBadAttribute, text("length of attribute '", name, "'"), attr_str(list),
              text(rank, " numbers"));
}

/// What one axis grows to before padding is cut off.
Dim full_size(const Dim& input, const WindowAxis& axis, int64_t output_padding) {
  return Dim(axis.stride) * (input - Dim(1)) + Dim(output_padding) +
         (axis.kernel - Dim(1)) * Dim(axis.dilation) + Dim(1);
}

Status check_channels(const InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  const int64_t group = context.attrs.i64("group");
  if (x.rank() < 3 || w.rank() != x.rank())
    return fail(ErrorId::kShapeMismatch, "ranks of X and W of ConvTranspose",
                text(x.str(), " and ", w.str()), "equal ranks of 3 or more");
  if (dims_equal(x[1], w[0]) == false)
    return fail(ErrorId::kShapeMismatch, "channels of X and W of ConvTranspose differ",
                text(x.str(), " and ", w.str()), "equal sizes of axis 1 of X and axis 0 of W");
  if (const auto channels = x[1].known(); channels && *channels % group != 0)
    return fail(ErrorId::kBadAttribute, "group does not divide the channels of X", text(group),
                text("a divisor of ", *channels));
  const Dim outputs = w[1] * Dim(group);
  if (context.has(2) &&
      (context.shape(2).rank() != 1 || dims_equal(context.shape(2)[0], outputs) == false))
    return fail(ErrorId::kShapeMismatch, "bias of ConvTranspose", context.shape(2).str(),
                text("[", outputs, "]"));
  return ok();
}

Result<std::vector<WindowAxis>> window_of_weights(const Attrs& attrs, const Shape& w) {
  const std::vector<Dim> kernel(w.dims().begin() + 2, w.dims().end());
  return window_of(attrs, w.rank() - 2, &kernel);
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_channels(context));
  const Attrs& attrs = context.attrs;
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  NPU_LET(const auto window, window_of_weights(attrs, w));
  NPU_LET(const Ints padding, spatial_list(attrs, "output_padding", x.rank() - 2));
  NPU_LET(const Ints asked, spatial_list(attrs, "output_shape", x.rank() - 2));
  const AutoPad auto_pad = auto_pad_of(attrs);
  std::vector<Dim> dims = {x[0], w[1] * Dim(attrs.i64("group"))};
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowAxis& axis = window[d];
    const int64_t extra = padding.empty() ? 0 : padding[d];
    if (extra > 0 && extra >= std::max(axis.stride, axis.dilation))
      return fail(ErrorId::kBadAttribute, "attribute 'output_padding' of ConvTranspose",
                  text(extra), "less than the stride or the dilation of its axis");
    const Dim full = full_size(x.dims()[d + 2], axis, extra);
    if (!asked.empty())
      dims.emplace_back(asked[d]);
    else if (auto_pad == AutoPad::kNotSet)
      dims.push_back(full - Dim(axis.pad_begin) - Dim(axis.pad_end));
    else if (auto_pad == AutoPad::kValid)
      dims.push_back(full);
    else
      dims.push_back(x.dims()[d + 2] * Dim(axis.stride));
  }
  return one_output(context.type(0).dtype, Shape(std::move(dims)));
}

/// Where the input and the weights lie on each axis of the output.
Result<Window3> place(const RunContext& context) {
  const Attrs& attrs = context.attrs;
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  NPU_LET(auto window, window_of_weights(attrs, Shape(context.in[1].dims)));
  NPU_LET(const Ints padding, spatial_list(attrs, "output_padding", x.rank() - 2));
  const bool asked = attrs.has("output_shape") && !attrs.ints("output_shape").empty();
  const AutoPad auto_pad = auto_pad_of(attrs);
  Window3 placed;
  for (size_t d = 0; d < window.size(); ++d) {
    const size_t i = d + 3 - window.size();
    const WindowAxis& axis = window[d];
    placed.in[i] = x.dims[d + 2];
    placed.out[i] = y.dims[d + 2];
    placed.kernel[i] = axis.kernel.value();
    placed.stride[i] = axis.stride;
    placed.dilation[i] = axis.dilation;
    placed.pad_begin[i] = auto_pad == AutoPad::kNotSet ? axis.pad_begin : 0;
    if (!asked && (auto_pad == AutoPad::kNotSet || auto_pad == AutoPad::kValid)) continue;
    const Dim full = full_size(placed.in[i], axis, padding.empty() ? 0 : padding[d]);
    const int64_t total = std::max<int64_t>(0, full.value() - placed.out[i]);
    placed.pad_begin[i] = auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
  }
  return placed;
}

/// y[stride * i + dilation * k - pad] += weights[k] * x[i] over one channel.
void add_channel(const Window3& window, const double* weights, const double* x, double* y) {
  const auto out_of = [&](int axis, int64_t i, int64_t k) {
    const int64_t out =
        i * window.stride[axis] + k * window.dilation[axis] - window.pad_begin[axis];
    return out < window.out[axis] ? out : -1;
  };
  const Dims all = {window.in[0],     window.in[1],     window.in[2],
                    window.kernel[0], window.kernel[1], window.kernel[2]};
  const int64_t taps = window.kernel_count();
  for (Odometer at(all); !at.done(); at.next()) {
    const Dims& i = at.index();
    const int64_t d = out_of(0, i[0], i[3]), h = out_of(1, i[1], i[4]), w = out_of(2, i[2], i[5]);
    if (d < 0 || h < 0 || w < 0) continue;
    y[(d * window.out[1] + h) * window.out[2] + w] +=
        weights[at.count() % taps] * x[at.count() / taps];
  }
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& w = context.in[1];
  const TensorView& y = context.out[0];
  NPU_LET(const Window3 window, place(context));
  const std::vector<double> xs = elements_of<double>(x), ws = elements_of<double>(w);
  const int64_t group = context.attrs.i64("group");
  const int64_t c = x.dims[1];
  const int64_t c_each = c / group, m_each = w.dims[1];
  std::vector<double> plane(static_cast<size_t>(window.out_count()));
  for (int64_t n = 0; n < x.dims[0]; ++n) {
    for (int64_t m = 0; m < m_each * group; ++m) {
      std::fill(plane.begin(), plane.end(), context.has(2) ? context.in[2].load(m) : 0.0);
      for (int64_t i = 0; i < c_each; ++i) {
        const int64_t channel = m / m_each * c_each + i;
        add_channel(window, ws.data() + (channel * m_each + m % m_each) * window.kernel_count(),
                    xs.data() + (n * c + channel) * window.in_count(), plane.data());
      }
      const int64_t first = (n * m_each * group + m) * window.out_count();
      for (int64_t i = 0; i < window.out_count(); ++i) y.store(first + i, plane[at_index(i)]);
    }
  }
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  const Shape& w = in[1].shape;
  double taps = 1;
  for (int64_t d = 1; d < w.rank(); ++d) taps *= static_cast<double>(w[d].value());
  Work work;
  work.flops = 2.0 * taps * static_cast<double>(in[0].shape.elements().value());
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  work.bytes += static_cast<double>(out[0].bytes().value());
  return work;
}

std::vector<AttrSchema> attributes() {
  std::vector<AttrSchema> attrs = window_attrs(false);
  attrs.push_back({"group", AttrKind::kInt, int64_t{1}, false, 1});
  attrs.push_back({.name = "output_padding", .kind = AttrKind::kInts, .min = 0});
  attrs.push_back({.name = "output_shape", .kind = AttrKind::kInts, .min = 0});
  return attrs;
}

}  // namespace

OpSchema conv_transpose() {
  return {
      .name = "ConvTranspose",
      .op_class = OpClass::kNn,
      .doc = "Y[n, m, stride i + dilation k - pad] += X[n, c, i] * W[c, m, k], plus B[m]",
      .onnx = {"ConvTranspose"},
      .aten = {"aten::conv_transpose2d.input"},
      .inputs = {{"X", kFloatTypes, Arity::kOne, "T"},
                 {"W", kFloatTypes, Arity::kOne, "T"},
                 {"B", kFloatTypes, Arity::kOptional, "T"}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
