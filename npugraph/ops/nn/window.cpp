// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ops/nn/window.h"

#include <algorithm>

#include "npugraph/base/text.h"

namespace npugraph::ops {
namespace {

/// The list `name`, or `count` times `fallback` when it is absent.
Result<Ints> list_of(const Attrs& attrs, std::string_view name, int64_t count, int64_t fallback) {
  if (!attrs.has(name) || attrs.ints(name).empty())
    return Ints(static_cast<size_t>(count), fallback);
  const Ints& list = attrs.ints(name);
  if (static_cast<int64_t>(list.size()) == count) return list;
  return fail(ErrorId::kBadAttribute, text("length of attribute '", name, "'"), attr_str(list),
              text(count, " numbers"));
}

Status check_rank(int64_t rank) {
  if (rank >= 1 && rank <= kMaxSpatialRank) return ok();
  return fail(ErrorId::kShapeMismatch, "number of spatial axes", text(rank),
              text("1..", kMaxSpatialRank));
}

}  // namespace

AutoPad auto_pad_of(const Attrs& attrs) {
  const std::string& word = attrs.str("auto_pad");
  if (word == "SAME_UPPER") return AutoPad::kSameUpper;
  if (word == "SAME_LOWER") return AutoPad::kSameLower;
  return word == "VALID" ? AutoPad::kValid : AutoPad::kNotSet;
}

Result<std::vector<WindowAxis>> window_of(const Attrs& attrs, int64_t rank,
                                          const std::vector<Dim>* kernel) {
  NPU_TRY(check_rank(rank));
  NPU_LET(const Ints strides, list_of(attrs, "strides", rank, 1));
  NPU_LET(const Ints dilations, list_of(attrs, "dilations", rank, 1));
  NPU_LET(const Ints pads, list_of(attrs, "pads", 2 * rank, 0));
  const bool given = attrs.has("kernel_shape") && !attrs.ints("kernel_shape").empty();
  if (!given && kernel == nullptr)
    return fail(ErrorId::kBadAttribute, "attribute 'kernel_shape'", "missing",
                text(rank, " numbers"));
  NPU_LET(const Ints kernel_shape, list_of(attrs, "kernel_shape", rank, 1));
  std::vector<WindowAxis> window;
  for (int64_t d = 0; d < rank; ++d) {
    const size_t i = at_index(d);
    WindowAxis axis{Dim(kernel_shape[i]), strides[i], dilations[i], pads[i],
                    pads[i + at_index(rank)]};
    if (kernel != nullptr) {
      if (given && dims_equal((*kernel)[i], axis.kernel) == false)
        return fail(ErrorId::kShapeMismatch, "kernel_shape differs from the shape of the weights",
                    attr_str(kernel_shape), text("[", join(*kernel), "], as W has it"));
      if (!given || (*kernel)[i].is_static()) axis.kernel = (*kernel)[i];
    }
    window.push_back(std::move(axis));
  }
  return window;
}

Dim window_count(const Dim& input, const WindowAxis& axis, bool ceil_mode) {
  const Dim reach = Dim(axis.dilation) * (axis.kernel - Dim(1)) + Dim(1);
  const Dim spare = input + Dim(axis.pad_begin) + Dim(axis.pad_end) - reach;
  const Dim stride(axis.stride);
  if (!ceil_mode) return Dim::floor_div(spare, stride) + Dim(1);
  const Dim count = Dim::ceil_div(spare, stride) + Dim(1);
  // The last window starts before the end padding by itself when the stride is short enough.
  if (dim_less(reach - Dim(axis.pad_end), stride) == false) return count;
  const Dim starts = Dim::floor_div(input + Dim(axis.pad_begin) - Dim(1), stride) + Dim(1);
  return Dim::min(count, starts);
}

Result<Dim> window_output(const Dim& input, const WindowAxis& axis, AutoPad auto_pad,
                          bool ceil_mode) {
  if (auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower)
    return Dim::ceil_div(input, Dim(axis.stride));
  WindowAxis placed = axis;
  if (auto_pad == AutoPad::kValid) placed.pad_begin = placed.pad_end = 0;
  const Dim count = window_count(input, placed, ceil_mode);
  const auto number = count.known();
  if (number && (*number < 0 || (*number == 0 && input != Dim(0))))
    return fail(ErrorId::kShapeMismatch, "the window is larger than the padded input",
                text("input ", input, ", kernel ", placed.kernel, ", dilation ", placed.dilation,
                     ", pads ", placed.pad_begin, " and ", placed.pad_end),
                "at least one window");
  return count;
}

Result<std::vector<Dim>> window_outputs(const Shape& x, const std::vector<WindowAxis>& window,
                                        const Attrs& attrs) {
  const bool ceil_mode = attrs.has("ceil_mode") && attrs.flag("ceil_mode");
  std::vector<Dim> out;
  for (size_t d = 0; d < window.size(); ++d) {
    NPU_LET(Dim count, window_output(x.dims()[d + 2], window[d], auto_pad_of(attrs), ceil_mode));
    out.push_back(std::move(count));
  }
  return out;
}

Window3 place_window(const std::vector<WindowAxis>& window, const Attrs& attrs, const Dims& x,
                     const Dims& y) {
  const AutoPad auto_pad = auto_pad_of(attrs);
  Window3 placed;
  for (size_t d = 0; d < window.size(); ++d) {
    const size_t i = d + 3 - window.size();
    const WindowAxis& axis = window[d];
    placed.in[i] = x[d + 2];
    placed.out[i] = y[d + 2];
    placed.kernel[i] = axis.kernel.value();
    placed.stride[i] = axis.stride;
    placed.dilation[i] = axis.dilation;
    placed.pad_begin[i] = axis.pad_begin;
    placed.pad_end[i] = axis.pad_end;
    if (auto_pad == AutoPad::kNotSet) continue;
    placed.pad_begin[i] = placed.pad_end[i] = 0;
    if (auto_pad == AutoPad::kValid) continue;
    const int64_t reach = axis.dilation * (placed.kernel[i] - 1) + 1;
    const int64_t total =
        std::max<int64_t>(0, (placed.out[i] - 1) * axis.stride + reach - placed.in[i]);
    const bool upper = auto_pad == AutoPad::kSameUpper;
    placed.pad_begin[i] = upper ? total / 2 : total - total / 2;
    placed.pad_end[i] = total - placed.pad_begin[i];
  }
  return placed;
}

std::vector<AttrSchema> window_attrs(bool kernel_required) {
  // The upper ends keep sums and products of these far from overflow.
  constexpr int64_t kMost = int64_t{1} << 31;
  return {
      {.name = "auto_pad",
       .kind = AttrKind::kString,
       .fallback = std::string("NOTSET"),
       .choices = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}},
      {.name = "dilations", .kind = AttrKind::kInts, .min = 1, .max = kMost},
      {.name = "kernel_shape",
       .kind = AttrKind::kInts,
       .required = kernel_required,
       .min = 1,
       .max = kMost},
      {.name = "pads", .kind = AttrKind::kInts, .min = 0, .max = kMost},
      {.name = "strides", .kind = AttrKind::kInts, .min = 1, .max = kMost},
  };
}

}  // namespace npugraph::ops
