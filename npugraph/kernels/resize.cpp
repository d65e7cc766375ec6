// SPDX-License-Identifier: Apache-2.0
// Resize of float32 images, nearest or linear, over at most the last two axes, with scales or sizes
// known at compile time. Which elements are read, and their weights, come from the operator.
#include <cstring>

#include "npugraph/kernels/tools.h"
#include "npugraph/ops/nn/resize_axis.h"

namespace npugraph::kernels {
namespace {

constexpr int64_t kScales = 2;
constexpr int64_t kSizes = 3;

// One output element of an axis reads elements a and b with their weights; nearest: a alone.
struct Pair {
  int64_t a = 0;
  int64_t b = 0;
  float weight_a = 1;
  float weight_b = 0;
};

struct Image {
  int64_t planes = 0;
  int64_t in_h = 1, in_w = 1;
  std::vector<Pair> rows, cols;
  bool is_nearest = false;
};

const Tensor* given(const KernelNode& node, int64_t input) {
  const Tensor* tensor = node.constant(input);
  return tensor != nullptr && tensor->elements() != 0 ? tensor : nullptr;
}

bool is_absent_or_empty(const KernelNode& node, int64_t input) {
  return !node.has(input) || node.type(input).shape.elements() == Dim(0);
}

bool supports(const KernelNode& node) {
  const Attrs& attrs = node.attrs;
  if (!is_f32(node, 0) || rank_of(node, 0) < 1) return false;
  if (attrs.has("axes") && !attrs.ints("axes").empty()) return false;
  if (attrs.str("mode") == "cubic" || attrs.flag("exclude_outside") ||
      attrs.str("coordinate_transformation_mode") == "tf_crop_and_resize" ||
      attrs.str("keep_aspect_ratio_policy") != "stretch") {
    return false;
  }
  const Shape& x = node.type(0).shape;
  for (int64_t axis = 0; axis + 2 < x.rank(); ++axis) {
    if (!(x[axis] == node.out[0].shape[axis])) return false;
  }
  if (given(node, kScales) == nullptr) {
    return is_absent_or_empty(node, kScales) && given(node, kSizes) != nullptr;
  }
  // Axes before the last two are kept as they are only when their scale is exactly 1.
  const Tensor* scales = given(node, kScales);
  if (scales->elements() != x.rank()) return false;
  for (int64_t axis = 0; axis + 2 < x.rank(); ++axis) {
    if (scales->view().load(axis) != 1) return false;
  }
  return is_absent_or_empty(node, kSizes);
}

std::vector<Pair> pairs_of(const KernelNode& node, int64_t axis, int64_t input, int64_t output) {
  ops::ResizeAxis place = {.input = input, .output = output};
  place.scale = static_cast<float>(output) / static_cast<float>(input);
  if (const Tensor* scales = given(node, kScales)) {
    place.scale = static_cast<float>(scales->view().load(axis));
  }
  std::vector<Pair> pairs;
  if (input == output && place.scale == 1) {
    for (int64_t i = 0; i < output; ++i) pairs.push_back({.a = i, .b = i});
    return pairs;
  }
  for (const ops::ResizeTap& tap : ops::resize_taps(place, ops::resize_rule(node.attrs))) {
    Pair pair = {
        .a = tap.indices[0], .b = tap.indices[0], .weight_a = static_cast<float>(tap.weights[0])};
    if (tap.indices.size() > 1) {
      pair.b = tap.indices[1];
      pair.weight_b = static_cast<float>(tap.weights[1]);
      // A weight of zero takes nothing, not even a NaN.
      if (pair.weight_b == 0) pair.b = pair.a;
      if (pair.weight_a == 0) pair = {.a = pair.b, .b = pair.b};
      if (pair.a == pair.b) pair = {.a = pair.a, .b = pair.a};
    }
    pairs.push_back(pair);
  }
  return pairs;
}

float mix(const Pair& pair, float a, float b) {
  return pair.a == pair.b ? a : pair.weight_a * a + pair.weight_b * b;
}

void resize_plane(const Image& image, const float* x, float* y) {
  const auto width = static_cast<int64_t>(image.cols.size());
  for (size_t row = 0; row < image.rows.size(); ++row, y += width) {
    const Pair& vertical = image.rows[row];
    const float* a = x + vertical.a * image.in_w;
    const float* b = x + vertical.b * image.in_w;
    if (image.is_nearest) {
      if (row > 0 && image.rows[row - 1].a == vertical.a) {
        std::memcpy(y, y - width, static_cast<size_t>(width) * sizeof(float));
        continue;
      }
      for (int64_t i = 0; i < width; ++i) y[i] = a[image.cols[static_cast<size_t>(i)].a];
      continue;
    }
    for (int64_t i = 0; i < width; ++i) {
      const Pair& across = image.cols[static_cast<size_t>(i)];
      y[i] = mix(vertical, mix(across, a[across.a], a[across.b]),
                 mix(across, b[across.a], b[across.b]));
    }
  }
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor>) {
  const Dims x = in_dims(node, 0);
  const Dims y = out_dims(node);
  const auto rank = static_cast<int64_t>(x.size());
  Image image;
  image.is_nearest = node.attrs.str("mode") == "nearest";
  image.planes = product_of(x, 0, std::max<int64_t>(rank - 2, 0));
  image.rows = {Pair{}};
  if (product_of(y) == 0) image.planes = 0;
  if (image.planes != 0) {
    image.in_w = x.back();
    image.cols = pairs_of(node, rank - 1, x.back(), y.back());
    if (rank >= 2) {
      image.in_h = dim(x, rank - 2);
      image.rows = pairs_of(node, rank - 2, image.in_h, dim(y, rank - 2));
    }
  }
  return make_plan([image = std::move(image)](const KernelRun& run) noexcept -> Status {
    const float* from = floats(run.in[0]);
    float* to = mutable_floats(run.out[0]);
    const auto out_area = static_cast<int64_t>(image.rows.size() * image.cols.size());
    parallel_items(run.pool, image.planes, 4.0 * static_cast<double>(out_area),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t plane = begin; plane < end; ++plane) {
                       resize_plane(image, from + plane * image.in_h * image.in_w,
                                    to + plane * out_area);
                     }
                   });
    return ok();
  });
}

}  // namespace

std::vector<Kernel> resize() {
  return {{.name = "resize_f32", .op = "Resize", .supports = supports, .prepare = prepare}};
}

}  // namespace npugraph::kernels
