// SPDX-License-Identifier: Apache-2.0
// Greedy suppression of boxes that overlap a better one, class by class. How many are selected is
// known once the node has run. Source: ONNX NonMaxSuppression-11.
#include <algorithm>
#include <array>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"

namespace npugraph::ops {
namespace {

using Selected = std::vector<std::array<int64_t, 3>>;  // batch, class, box

struct Box {
  double x0, y0, x1, y1;
  double area() const { return (x1 - x0) * (y1 - y0); }
};

Box box_at(const TensorView& boxes, int64_t first, bool center_point) {
  const double a = boxes.load(first), b = boxes.load(first + 1);
  const double c = boxes.load(first + 2), d = boxes.load(first + 3);
  if (center_point)  // [x_center, y_center, width, height]
    return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
  // [y1, x1, y2, x2], any two opposite corners
  return {std::min(b, d), std::min(a, c), std::max(b, d), std::max(a, c)};
}

bool overlap_above(const Box& a, const Box& b, double threshold) {
  const double width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const double height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(width > 0) || !(height > 0)) return false;
  const double both = width * height;
  const double either = a.area() + b.area() - both;
  return either > 0 && both / either > threshold;
}

struct Limits {
  int64_t max_each = 0;
  double iou = 0;
  bool has_score = false;
  double score = 0;
};

void select_class(const RunContext& context, const Limits& limits, int64_t n, int64_t c,
                  Selected& out) {
  const TensorView& boxes = context.in[0];
  const TensorView& scores = context.in[1];
  const int64_t count = boxes.dims[1];
  const bool center_point = context.attrs.flag("center_point_box");
  const int64_t first = (n * scores.dims[1] + c) * count;
  std::vector<std::pair<double, int64_t>> order;
  for (int64_t i = 0; i < count; ++i) {
    const double score = scores.load(first + i);
    if (std::isnan(score) || (limits.has_score && !(score > limits.score))) continue;
    order.emplace_back(score, i);
  }
  // Best first; of equal scores the first box.
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Box> kept;
  for (const auto& [score, i] : order) {
    if (static_cast<int64_t>(kept.size()) >= limits.max_each) break;
    const Box box = box_at(boxes, (n * count + i) * 4, center_point);
    const bool suppressed = std::any_of(kept.begin(), kept.end(), [&](const Box& other) {
      return overlap_above(box, other, limits.iou);
    });
    if (suppressed) continue;
    kept.push_back(box);
    out.push_back({n, c, i});
  }
}

Result<Selected> select(const RunContext& context) {
  Limits limits;
  for (int64_t k = 2; k <= 4; ++k)
    if (context.has(k) && context.in[at_index(k)].elements() != 1)
      return fail(ErrorId::kShapeMismatch, "a threshold of NonMaxSuppression",
                  dims_str(context.in[at_index(k)].dims), "a scalar");
  if (context.has(2)) limits.max_each = context.in[2].load_int(0);
  if (context.has(3)) limits.iou = context.in[3].load(0);
  limits.has_score = context.has(4);
  if (limits.has_score) limits.score = context.in[4].load(0);
  Selected out;
  for (int64_t n = 0; n < context.in[1].dims[0]; ++n)
    for (int64_t c = 0; c < context.in[1].dims[1]; ++c) select_class(context, limits, n, c, out);
  return out;
}

Status check_shapes(const InferContext& context) {
  const Shape& boxes = context.shape(0);
  const Shape& scores = context.shape(1);
  if (boxes.rank() == 3 && scores.rank() == 3 && dims_equal(boxes[2], Dim(4)) != false &&
      dims_equal(boxes[0], scores[0]) != false && dims_equal(boxes[1], scores[2]) != false)
    return ok();
  return fail(ErrorId::kShapeMismatch, "boxes and scores of NonMaxSuppression",
              text(boxes.str(), " and ", scores.str()), "[n, boxes, 4] and [n, classes, boxes]");
}

Result<std::vector<InferOutput>> infer(const InferContext& context) {
  NPU_TRY(check_shapes(context));
  std::vector<TensorView> views;
  for (const InferInput& input : context.in) {
    if (input.present() && input.constant == nullptr)
      return one_output(DType::kI64, Shape{context.late_dim(0), Dim(3)});
    views.push_back(input.present() ? input.constant->view() : no_tensor());
  }
  NPU_LET(const Selected selected, select({views, {}, context.attrs}));
  return one_output(DType::kI64, Shape{Dim(static_cast<int64_t>(selected.size())), Dim(3)});
}

Status reference(const RunContext& context) noexcept {
  NPU_LET(const Selected selected, select(context));
  const TensorView& y = context.out[0];
  NPU_TRY(check_dims(y, {static_cast<int64_t>(selected.size()), 3}));
  int64_t i = 0;
  for (const auto& row : selected)
    for (const int64_t value : row) y.store_int(i++, value);
  return ok();
}

}  // namespace

OpSchema non_max_suppression() {
  return {
      .name = "NonMaxSuppression",
      .op_class = OpClass::kNn,
      .doc =
          "rows [batch, class, box] of boxes above score_threshold that no better box overlaps "
          "by more than iou_threshold",
      .onnx = {"NonMaxSuppression"},
      .aten = {"torchvision::nms"},
      .inputs = {{"boxes", kFloatTypes, Arity::kOne, "T"},
                 {"scores", kFloatTypes, Arity::kOne, "T"},
                 {"max_output_boxes_per_class", kI64Type, Arity::kOptional},
                 {"iou_threshold", kFloatTypes, Arity::kOptional},
                 {"score_threshold", kFloatTypes, Arity::kOptional}},
      .outputs = {{"selected_indices"}},
      .attrs = {{"center_point_box", AttrKind::kInt, int64_t{0}, false, 0, 1}},
      .infer = infer,
      .reference = reference,
  };
}

}  // namespace npugraph::ops
