// SPDX-License-Identifier: Apache-2.0
// A Resize that keeps every size goes. Of the others the inputs that are not meant are left out,
// and sizes become constant scales when the ratios are exact for whatever the symbols are: an
// upsampling by two reads the same however the model computed it.
#include <bit>
#include <cmath>

#include "npugraph/base/text.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

constexpr int64_t kRoi = 1, kScales = 2, kSizes = 3;
constexpr int64_t kMostRatio = 256;  // beyond it products in single precision may round

bool is_empty(const Value* value) {
  return value != nullptr && value->has_type && value->type.shape.ranked() &&
         value->type.shape.elements() == Dim(0);
}

bool crops(const Node& resize) {
  return resize.attrs().str("coordinate_transformation_mode") == "tf_crop_and_resize";
}

/// Inputs that are there and say nothing.
int64_t drop_empty(Node& resize) {
  int64_t changes = 0;
  for (const int64_t index : {kRoi, kScales, kSizes}) {
    const Value* input = resize.input(index);
    const bool is_idle = is_empty(input) || (index == kRoi && input != nullptr && !crops(resize));
    if (!is_idle) continue;
    resize.set_input(index, nullptr);
    ++changes;
  }
  return changes;
}

bool keeps_sizes(const Node& resize) {
  if (crops(resize) || !same_type(*resize.input(0), *resize.output())) return false;
  if (const Value* scales = resize.input(kScales)) {
    return scales->constant() != nullptr && all_equal(*scales->constant(), 1);
  }
  return resize.attrs().str("keep_aspect_ratio_policy") == "stretch";
}

/// out / in where it is a whole number, or one over a power of two.
std::optional<float> exact_ratio(const Dim& in, const Dim& out) {
  if (in == out) return 1.0F;
  const std::optional<Dim> up = Dim::exact_div(out, in), down = Dim::exact_div(in, out);
  const int64_t times = up ? up->known().value_or(0) : 0;
  if (times > 0 && times <= kMostRatio) return static_cast<float>(times);
  const int64_t parts = down ? down->known().value_or(0) : 0;
  if (parts <= 0 || parts > kMostRatio || !std::has_single_bit(static_cast<uint64_t>(parts))) {
    return std::nullopt;
  }
  return 1.0F / static_cast<float>(parts);
}

std::optional<std::vector<float>> exact_ratios(const Node& resize) {
  const Value* x = resize.input(0);
  const Value* y = resize.output();
  if (!x->has_type || !y->has_type || !x->type.shape.ranked() || !y->type.shape.ranked()) {
    return std::nullopt;
  }
  Ints axes;
  if (resize.attrs().has("axes")) axes = resize.attrs().ints("axes");
  if (axes.empty()) {
    for (int64_t axis = 0; axis < x->type.shape.rank(); ++axis) axes.push_back(axis);
  }
  std::vector<float> ratios;
  for (const int64_t given : axes) {
    const Result<int64_t> axis = wrap_axis(given, x->type.shape.rank());
    if (!axis) return std::nullopt;
    const std::optional<float> ratio = exact_ratio(x->type.shape[*axis], y->type.shape[*axis]);
    if (!ratio) return std::nullopt;
    ratios.push_back(*ratio);
  }
  return ratios;
}

Result<bool> sizes_to_scales(Node& resize) {
  if (resize.input(kSizes) == nullptr || resize.input(kScales) != nullptr || crops(resize) ||
      resize.attrs().str("keep_aspect_ratio_policy") != "stretch") {
    return false;
  }
  const std::optional<std::vector<float>> ratios = exact_ratios(resize);
  if (!ratios) return false;
  Graph& graph = resize.graph();
  Value& scales =
      graph.add_constant(text(resize.name(), ".scales"),
                         Tensor::of_floats(*ratios, {static_cast<int64_t>(ratios->size())}));
  const Result<Node*> made =
      insert_node(resize, "", "Resize", resize.name(),
                  {resize.input(0), resize.input(kRoi), &scales}, resize.attrs());
  if (!made) return false;
  Node* const by = *made;
  if (!same_type(*by->output(), *resize.output())) {
    graph.erase(*by);
    graph.erase_unused_constants();
    return false;
  }
  by->origins = origins_of(resize);
  replace_node(resize, *by);
  return true;
}

}  // namespace

Result<int64_t> normalise_resize(Graph& graph, const PassContext&) {
  int64_t changes = 0;
  for (Node* node : nodes_of(graph, {"Resize"})) {
    changes += drop_empty(*node);
    if (keeps_sizes(*node) && can_redirect(*node->output(), *node->input(0))) {
      redirect(*node, *node->input(0));
      ++changes;
      continue;
    }
    NPU_LET(const bool scaled, sizes_to_scales(*node));
    changes += scaled ? 1 : 0;
  }
  return changes;
}

}  // namespace npugraph::passes
