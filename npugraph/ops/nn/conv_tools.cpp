// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/reals.h"
#include "npugraph/ops/nn/conv.h"

namespace npugraph::ops {
namespace {

Status check_channels(const InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  const int64_t group = context.attrs.i64("group");
  if (x.rank() < 3 || w.rank() != x.rank())
    return fail(ErrorId::kShapeMismatch, "ranks of X and W of a convolution",
                text(x.str(), " and ", w.str()), "equal ranks of 3 or more");
  if (const auto channels = x[1].known(); channels && *channels % group != 0)
    return fail(ErrorId::kBadAttribute, "group does not divide the channels of X", text(group),
                text("a divisor of ", *channels));
  if (const auto outputs = w[0].known(); outputs && *outputs % group != 0)
    return fail(ErrorId::kBadAttribute, "group does not divide the output channels", text(group),
                text("a divisor of ", *outputs));
  if (dims_equal(x[1], w[1] * Dim(group)) == false)
    return fail(ErrorId::kShapeMismatch, "channels of X and W do not fit",
                text("X ", x.str(), ", W ", w.str(), ", group ", group),
                text("W with ", x[1], " / ", group, " channels on axis 1"));
  if (context.has(2) &&
      (context.shape(2).rank() != 1 || dims_equal(context.shape(2)[0], w[0]) == false))
    return fail(ErrorId::kShapeMismatch, "bias of a convolution", context.shape(2).str(),
                text("[", w[0], "]"));
  return ok();
}

std::vector<Dim> kernel_of(const Shape& w) { return {w.dims().begin() + 2, w.dims().end()}; }

/// The output positions [first, last) along one axis whose tap `k` falls inside the input.
struct Range {
  int64_t first = 0, last = 0;
};
Range inside(const Window3& window, int axis, int64_t k) {
  const int64_t offset = k * window.dilation[axis] - window.pad_begin[axis];
  const int64_t stride = window.stride[axis];
  Range range;
  if (offset < 0) range.first = (-offset + stride - 1) / stride;
  const int64_t room = window.in[axis] - offset;
  range.last = room <= 0 ? 0 : std::min(window.out[axis], (room + stride - 1) / stride);
  return range;
}

/// y += weight * x over all positions for one tap of the kernel.
void add_tap(const Window3& window, const int64_t (&tap)[3], double weight, const double* x,
             double* y) {
  const Range d = inside(window, 0, tap[0]);
  const Range h = inside(window, 1, tap[1]);
  const Range w = inside(window, 2, tap[2]);
  const auto place = [&](int axis, int64_t out) {
    return out * window.stride[axis] + tap[axis] * window.dilation[axis] - window.pad_begin[axis];
  };
  for (int64_t i = d.first; i < d.last; ++i) {
    for (int64_t j = h.first; j < h.last; ++j) {
      const double* row = x + (place(0, i) * window.in[1] + place(1, j)) * window.in[2];
      double* out = y + (i * window.out[1] + j) * window.out[2];
      const int64_t stride = window.stride[2];
      const int64_t shift = place(2, 0);
      if (stride == 1) {
        for (int64_t k = w.first; k < w.last; ++k) out[k] += weight * row[k + shift];
      } else {
        for (int64_t k = w.first; k < w.last; ++k) out[k] += weight * row[k * stride + shift];
      }
    }
  }
}

void add_channel(const Window3& window, const double* w, const double* x, double* y) {
  for (int64_t i = 0; i < window.kernel[0]; ++i)
    for (int64_t j = 0; j < window.kernel[1]; ++j)
      for (int64_t k = 0; k < window.kernel[2]; ++k) add_tap(window, {i, j, k}, *w++, x, y);
}

}  // namespace

Result<Shape> conv_shape(const InferContext& context) {
  NPU_TRY(check_channels(context));
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  const std::vector<Dim> kernel = kernel_of(w);
  NPU_LET(const auto window, window_of(context.attrs, x.rank() - 2, &kernel));
  NPU_LET(const auto spatial, window_outputs(x, window, context.attrs));
  std::vector<Dim> dims = {x[0], w[0]};
  dims.insert(dims.end(), spatial.begin(), spatial.end());
  return Shape(std::move(dims));
}

Result<std::vector<double>> conv_real(const RunContext& context) {
  const TensorView& x = context.in[0];
  const TensorView& w = context.in[1];
  const TensorView& y = context.out[0];
  const std::vector<Dim> kernel = kernel_of(Shape(w.dims));
  NPU_LET(const auto axes, window_of(context.attrs, x.rank() - 2, &kernel));
  const Window3 window = place_window(axes, context.attrs, x.dims, y.dims);
  const std::vector<double> xs = elements_of<double>(x);
  const std::vector<double> ws = elements_of<double>(w);
  std::vector<double> ys(static_cast<size_t>(y.elements()));
  const int64_t m = w.dims[0];
  const int64_t c = w.dims[1];
  const int64_t m_each = m / context.attrs.i64("group");
  for (int64_t n = 0; n < x.dims[0]; ++n) {
    for (int64_t o = 0; o < m; ++o) {
      double* out = ys.data() + (n * m + o) * window.out_count();
      const double bias = context.has(2) ? context.in[2].load(o) : 0.0;
      std::fill(out, out + window.out_count(), bias);
      for (int64_t i = 0; i < c; ++i)
        add_channel(window, ws.data() + (o * c + i) * window.kernel_count(),
                    xs.data() + (n * x.dims[1] + o / m_each * c + i) * window.in_count(), out);
    }
  }
  return ys;
}

Work conv_work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs&) {
  const Shape& w = in[1].shape;
  double taps = 1;
  for (int64_t d = 1; d < w.rank(); ++d) taps *= static_cast<double>(w[d].value());
  Work work;
  work.flops = 2.0 * taps * static_cast<double>(out[0].shape.elements().value());
  for (const TensorType& type : in) work.bytes += static_cast<double>(type.bytes().value());
  work.bytes += static_cast<double>(out[0].bytes().value());
  return work;
}

std::vector<AttrSchema> conv_attrs() {
  std::vector<AttrSchema> attrs = window_attrs(false);
  attrs.push_back({"group", AttrKind::kInt, int64_t{1}, false, 1});
  return attrs;
}

}  // namespace npugraph::ops
