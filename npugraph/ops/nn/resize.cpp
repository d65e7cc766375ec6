// SPDX-License-Identifier: Apache-2.0
// Resampling along any axes: nearest, linear or cubic, each axis by itself. Without anti-aliasing.
// Source: ONNX Resize-19; agrees with aten::upsample_nearest2d, _bilinear2d and _bicubic2d.
#include <algorithm>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/ops/math/reals.h"
#include "npugraph/ops/nn/resize_axis.h"

namespace npugraph::ops {
namespace {

constexpr int64_t kRoi = 1, kScales = 2, kSizes = 3;

/// The axes that scales, sizes and roi speak of.
Result<Ints> axes_of_attrs(const Attrs& attrs, int64_t rank) {
  if (attrs.has("axes") && !attrs.ints("axes").empty()) return wrap_axes(attrs.ints("axes"), rank);
  Ints all(static_cast<size_t>(rank));
  for (int64_t d = 0; d < rank; ++d) all[at_index(d)] = d;
  return all;
}

Error wrong_count(std::string_view what, int64_t found, int64_t expected) {
  return fail(ErrorId::kShapeMismatch, text("number of ", what, " of Resize"), text(found),
              text(expected, ", one for each axis"));
}

/// Old exporters give an input that is not meant as an empty tensor instead of leaving it out.
bool is_given(const InferContext& context, int64_t index) {
  return context.has(index) && context.shape(index).elements() != Dim(0);
}
bool is_given(const RunContext& context, int64_t index) {
  return context.has(index) && context.in[at_index(index)].elements() != 0;
}

/// floor(input * scale). Scales that are a small number over a power of two multiply exactly, also
/// what is symbolic; others are rounded in single precision, as other runtimes do, once the input
/// is a number.
std::optional<Dim> scaled(const Dim& input, float scale) {
  constexpr float kMostScale = 256;
  constexpr int64_t kMostDivisor = 256;
  for (int64_t divisor = 1; divisor <= kMostDivisor && scale <= kMostScale; divisor *= 2) {
    const float factor = scale * static_cast<float>(divisor);
    if (factor == std::floor(factor) && factor <= 256)
      return Dim::floor_div(input * Dim(static_cast<int64_t>(factor)), Dim(divisor));
  }
  const auto number = input.known();
  if (!number) return std::nullopt;
  const float product = scale * static_cast<float>(*number);
  constexpr float kMostElements = 0x1p46F;
  return Dim(static_cast<int64_t>(std::min(product, kMostElements)));
}

Status check_scale(float scale) {
  if (scale > 0 && std::isfinite(scale)) return ok();
  return fail(ErrorId::kShapeMismatch, "a scale of Resize", text(scale), "a number above 0");
}

/// One common scale for all axes under keep_aspect_ratio_policy.
float common_scale(const Ints& sizes, const Ints& axes, const Dims& x, bool not_larger) {
  float scale = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const float each = static_cast<float>(sizes[i]) /
                       static_cast<float>(std::max<int64_t>(1, x[at_index(axes[i])]));
    scale = i == 0 ? each : not_larger ? std::min(scale, each) : std::max(scale, each);
  }
  return scale;
}

Status set_by_sizes(const InferContext& context, const Ints& axes, Shape& y) {
  const auto sizes = ints_of(context, kSizes);
  const std::string& policy = context.attrs.str("keep_aspect_ratio_policy");
  if (sizes && sizes->size() != axes.size())
    return wrong_count("sizes", static_cast<int64_t>(sizes->size()),
                       static_cast<int64_t>(axes.size()));
  if (sizes && policy == "stretch") {
    for (size_t i = 0; i < axes.size(); ++i) y[axes[i]] = (*sizes)[i];
    return ok();
  }
  const auto numbers = numbers_of(context, kSizes);
  const auto x = context.shape(0).known();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!numbers || !x) {
      y[axes[i]] = context.late_dim(axes[i]);
      continue;
    }
    const float scale = common_scale(*numbers, axes, *x, policy == "not_larger");
    // Halves round up.
    y[axes[i]] = Dim(static_cast<int64_t>(
        std::floor(scale * static_cast<float>((*x)[at_index(axes[i])]) + 0.5F)));
  }
  return ok();
}

Status set_by_scales(const InferContext& context, const Ints& axes, Shape& y) {
  const Tensor* scales = context.in[at_index(kScales)].constant;
  if (scales != nullptr && scales->elements() != static_cast<int64_t>(axes.size()))
    return wrong_count("scales", scales->elements(), static_cast<int64_t>(axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<Dim> size;
    if (scales != nullptr) {
      const auto scale = static_cast<float>(scales->view().load(static_cast<int64_t>(i)));
      NPU_TRY(check_scale(scale));
      size = scaled(y[axes[i]], scale);
    }
    y[axes[i]] = size.value_or(context.late_dim(axes[i]));
  }
  return ok();
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  Shape y = context.shape(0);
  NPU_LET(const Ints axes, axes_of_attrs(context.attrs, y.rank()));
  const bool by_sizes = is_given(context, kSizes);
  if (by_sizes == is_given(context, kScales))
    return fail(ErrorId::kBadArity, "inputs scales and sizes of Resize",
                by_sizes ? "both" : "neither", "exactly one of them");
  if (by_sizes)
    NPU_TRY(set_by_sizes(context, axes, y));
  else
    NPU_TRY(set_by_scales(context, axes, y));
  for (int64_t d = 0; d < y.rank(); ++d)
    if (context.shape(0)[d] == Dim(0) && y[d].known().value_or(0) > 0)
      return fail(ErrorId::kShapeMismatch, "Resize of an empty axis", context.shape(0).str(),
                  "at least one element to read");
  return one_output(context.type(0).dtype, std::move(y));
}

/// Sizes, scale and region of each axis of the tensor.
Result<std::vector<ResizeAxis>> axes_of_run(const RunContext& context) {
  const Dims& x = context.in[0].dims;
  const Dims& y = context.out[0].dims;
  NPU_LET(const Ints axes, axes_of_attrs(context.attrs, context.in[0].rank()));
  const auto count = static_cast<int64_t>(axes.size());
  std::vector<ResizeAxis> out(x.size());
  for (size_t d = 0; d < x.size(); ++d) {
    out[d].input = x[d];
    out[d].output = y[d];
  }
  const bool by_scales = is_given(context, kScales);
  const TensorView& given = context.in[at_index(by_scales ? kScales : kSizes)];
  if (given.elements() != count)
    return wrong_count(by_scales ? "scales" : "sizes", given.elements(), count);
  const std::string& policy = context.attrs.str("keep_aspect_ratio_policy");
  const bool common = !by_scales && policy != "stretch";
  const float shared =
      common ? common_scale(ints_of(given), axes, x, policy == "not_larger") : 1.0F;
  for (int64_t i = 0; i < count; ++i) {
    ResizeAxis& axis = out[at_index(axes[at_index(i)])];
    axis.scale = common      ? shared
                 : by_scales ? static_cast<float>(given.load(i))
                             : static_cast<float>(axis.output) / static_cast<float>(axis.input);
    NPU_TRY(check_scale(axis.output == 0 ? 1.0F : axis.scale));
    if (context.attrs.str("coordinate_transformation_mode") != "tf_crop_and_resize") continue;
    if (!is_given(context, kRoi) || context.in[1].elements() != 2 * count)
      return fail(ErrorId::kShapeMismatch, "roi of Resize",
                  is_given(context, kRoi) ? text(context.in[1].elements(), " numbers") : "absent",
                  text(2 * count, " numbers: starts, then ends"));
    axis.roi_start = static_cast<float>(context.in[1].load(i));
    axis.roi_end = static_cast<float>(context.in[1].load(count + i));
  }
  return out;
}

/// Resamples axis d of dense values of `dims`, which change to the output's size there.
std::vector<double> resample(const std::vector<double>& x, Dims& dims, size_t d,
                             const std::vector<ResizeTap>& taps) {
  const int64_t outer = product(dims, 0, static_cast<int64_t>(d));
  const int64_t inner =
      product(dims, static_cast<int64_t>(d) + 1, static_cast<int64_t>(dims.size()));
  const int64_t input = dims[d];
  dims[d] = static_cast<int64_t>(taps.size());
  std::vector<double> y;
  y.reserve(static_cast<size_t>(product(dims)));
  for (int64_t o = 0; o < outer; ++o) {
    for (const ResizeTap& tap : taps) {
      for (int64_t i = 0; i < inner; ++i) {
        double sum = 0;
        for (size_t k = 0; k < tap.indices.size(); ++k)
          sum += tap.weights[k] == 0
                     ? 0.0
                     : tap.weights[k] * x[at_index((o * input + tap.indices[k]) * inner + i)];
        y.push_back(sum);
      }
    }
  }
  return y;
}

/// Nearest moves elements as they are, of any dtype.
Status move_nearest(const RunContext& context, const std::vector<std::vector<ResizeTap>>& taps) {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  const Dims strides = strides_of(x.dims);
  for (Odometer at(y.dims); !at.done(); at.next()) {
    int64_t from = 0;
    for (size_t d = 0; d < taps.size(); ++d)
      from += strides[d] * taps[d][at_index(at.index()[d])].indices[0];
    copy_elements(x, from, y, at.count());
  }
  return ok();
}

Status reference(const RunContext& context) noexcept {
  const TensorView& x = context.in[0];
  const TensorView& y = context.out[0];
  if (y.elements() == 0) return ok();
  NPU_LET(const auto axes, axes_of_run(context));
  const ResizeRule rule = resize_rule(context.attrs);
  std::vector<std::vector<ResizeTap>> taps;
  for (const ResizeAxis& axis : axes) {
    // An axis that is not resized is read as it is, whatever the rule would make of it.
    const bool kept =
        axis.input == axis.output && axis.scale == 1 && axis.roi_start == 0 && axis.roi_end == 1;
    ResizeRule identity;
    identity.mode = "nearest";
    identity.coordinate_transformation_mode = "asymmetric";
    identity.nearest_mode = "floor";
    taps.push_back(resize_taps(axis, kept ? identity : rule));
  }
  if (rule.mode == "nearest") {
    NPU_TRY(move_nearest(context, taps));
  } else {
    std::vector<double> values = elements_of<double>(x);
    Dims dims = x.dims;
    for (size_t d = 0; d < dims.size(); ++d)
      if (taps[d].front().indices.size() > 1) values = resample(values, dims, d, taps[d]);
    for (size_t i = 0; i < values.size(); ++i) y.store(static_cast<int64_t>(i), values[i]);
  }
  if (rule.coordinate_transformation_mode != "tf_crop_and_resize") return ok();
  const double outside = context.attrs.f64("extrapolation_value");
  for (Odometer at(y.dims); !at.done(); at.next())
    for (size_t d = 0; d < taps.size(); ++d)
      if (taps[d][at_index(at.index()[d])].is_outside) y.store(at.count(), outside);
  return ok();
}

Work work(std::span<const TensorType> in, std::span<const TensorType> out, const Attrs& attrs) {
  const std::string& mode = attrs.str("mode");
  const double each = mode == "nearest" ? 0 : mode == "linear" ? 6 : 22;
  return {.flops = each * static_cast<double>(out[0].shape.elements().value()),
          .bytes = static_cast<double>(in[0].bytes().value() + out[0].bytes().value())};
}

std::vector<AttrSchema> attributes() {
  const auto word = [](std::string_view name, std::string fallback,
                       std::vector<std::string_view> choices) -> AttrSchema {
    return {.name = name,
            .kind = AttrKind::kString,
            .fallback = std::move(fallback),
            .choices = std::move(choices)};
  };
  return {
      {"antialias", AttrKind::kInt, int64_t{0}, false, 0, 0},
      {.name = "axes", .kind = AttrKind::kInts},
      word("coordinate_transformation_mode", "half_pixel",
           {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
            "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"}),
      {"cubic_coeff_a", AttrKind::kFloat, -0.75},
      {"exclude_outside", AttrKind::kInt, int64_t{0}, false, 0, 1},
      {"extrapolation_value", AttrKind::kFloat, 0.0},
      word("keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"}),
      word("mode", "nearest", {"nearest", "linear", "cubic"}),
      word("nearest_mode", "round_prefer_floor",
           {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
  };
}

}  // namespace

OpSchema resize() {
  return {
      .name = "Resize",
      .op_class = OpClass::kNn,
      .doc = "y[i] = x at coordinate(i), interpolated: nearest, linear or cubic",
      .onnx = {"Resize", "Upsample"},
      .aten = {"aten::upsample_nearest2d", "aten::upsample_bilinear2d", "aten::upsample_bicubic2d"},
      .inputs = {{"X", kDataTypes},
                 {"roi", kFloatTypes, Arity::kOptional},
                 {"scales", kFloatTypes, Arity::kOptional},
                 {"sizes", kI64Type, Arity::kOptional}},
      .attrs = attributes(),
      .infer = infer,
      .reference = reference,
      .work = work,
  };
}

}  // namespace npugraph::ops
