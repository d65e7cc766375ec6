// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "npugraph/base/text.h"
#include "npugraph/lower/vnpu/operation.h"
#include "npugraph/ops/nn/window.h"

namespace npugraph {
namespace {

/// The window in numbers, auto_pad resolved. Axes 1 and 2 of a Window3 are height and width.
Result<ops::Window3> window_of_node(const Node& node) {
  const Dims w = known_dims(*node.input(1));
  const std::vector<Dim> kernel(w.begin() + 2, w.end());
  NPU_LET(const auto axes, ops::window_of(node.attrs(), 2, &kernel));
  return ops::place_window(axes, node.attrs(), known_dims(*node.input(0)),
                           known_dims(*node.output()));
}

Support supports(const Node& node, const vnpu::LegalOp& rule) {
  const auto window = window_of_node(node);
  if (!window) return Support::refuse("window", window.error().found, window.error().expected);
  const auto refuse = [&](const std::string& name, int64_t value) {
    return Support::refuse(text("attribute '", name, "'"), text(value),
                           rule.attributes.at(name).str());
  };
  const auto outside = [&](const std::string& name, int64_t value) {
    return !rule.attributes.at(name).has(value);
  };
  const int64_t group = node.attrs().i64("group");
  if (outside("group", group)) return refuse("group", group);
  for (int axis = 1; axis < ops::kMaxSpatialRank; ++axis) {
    if (outside("kernel_shape", window->kernel[axis])) {
      return refuse("kernel_shape", window->kernel[axis]);
    }
    if (outside("strides", window->stride[axis])) return refuse("strides", window->stride[axis]);
    if (outside("dilations", window->dilation[axis])) {
      return refuse("dilations", window->dilation[axis]);
    }
    for (const int64_t pad : {window->pad_begin[axis], window->pad_end[axis]}) {
      if (outside("pads", pad)) return refuse("pads", pad);
    }
  }
  for (const Value* value : {node.input(0), node.input(1), node.output()}) {
    for (const int64_t dim : known_dims(*value)) {
      if (dim > vnpu::kMostConvSize) {
        return Support::refuse(text("a dimension of '", value->name(), "'"), text(dim),
                               text("at most ", vnpu::kMostConvSize));
      }
    }
  }
  return Support::accept();
}

Result<VnpuOperation> lower(const Node& node) {
  NPU_LET(const ops::Window3 window, window_of_node(node));
  const Dims x = known_dims(*node.input(0));
  const Dims w = known_dims(*node.input(1));
  const int64_t group = node.attrs().i64("group");
  const auto word = [](int64_t value) { return static_cast<uint32_t>(value); };
  const vnpu::ConvShape shape = {.batch = word(x[0]),
                                 .group = word(group),
                                 .in_c = word(w[1]),
                                 .in_h = word(window.in[1]),
                                 .in_w = word(window.in[2]),
                                 .out_c = word(w[0] / group),
                                 .out_h = word(window.out[1]),
                                 .out_w = word(window.out[2]),
                                 .kernel_h = word(window.kernel[1]),
                                 .kernel_w = word(window.kernel[2]),
                                 .stride_h = word(window.stride[1]),
                                 .stride_w = word(window.stride[2]),
                                 .dilation_h = word(window.dilation[1]),
                                 .dilation_w = word(window.dilation[2]),
                                 .pad_top = word(window.pad_begin[1]),
                                 .pad_left = word(window.pad_begin[2])};
  return VnpuOperation{
      .op = vnpu::Opcode::kConv, .has_shape = true, .shape = std::bit_cast<vnpu::ShapeRow>(shape)};
}

}  // namespace

VnpuOp conv_on_vnpu() { return {.name = "Conv", .supports = supports, .lower = lower}; }

}  // namespace npugraph
