// SPDX-License-Identifier: Apache-2.0
#include "npugraph/passes/attention_match.h"

#include <cmath>
#include <utility>

#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

// A score added to such a number is lost in its rounding, whatever size scores have in practice.
constexpr double kAbsorbs = -1e20;
// Far below any score, where every query is known to have another key.
constexpr double kFarBelow = -1e9;

/// The only reader of `value`, of this operator, which reads it once; null otherwise.
Node* only_reader(const Value& value, std::string_view op) {
  Node* const reader = sole_user(value);
  return reader != nullptr && reader->is(op) ? reader : nullptr;
}

/// Whether a matrix in the last two axes, repeated along the others, is 1 at j <= i and 0 after.
/// `is_in` says whether an element counts as 1; nothing: neither.
template <class IsIn>
bool is_triangle(const Tensor& tensor, const IsIn& is_in) {
  const Dims& dims = tensor.dims();
  if (dims.size() < 2 || tensor.elements() == 0) return false;
  const int64_t rows = dims[dims.size() - 2];
  const int64_t cols = dims.back();
  if (rows < 2 || cols < 2) return false;
  const TensorView view = tensor.view();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const std::optional<bool> in = is_in(view.load(i));
    if (!in || *in != (i % cols <= i / cols % rows)) return false;
  }
  return true;
}

/// The lower triangle of a matrix of ones: Trilu(Expand(1, ..)) or of another constant of ones.
bool is_lower_ones(const Value* value) {
  const Node* trilu = made_by(value, "Trilu");
  if (trilu == nullptr || trilu->attrs().flag("upper")) return false;
  if (const Value* k = trilu->input(1); k != nullptr && !is_scalar(k, 0)) return false;
  const Value* ones = trilu->input(0);
  if (const Node* expand = made_by(ones, "Expand")) ones = expand->input(0);
  if (const Node* fill = made_by(ones, "ConstantOfShape")) {
    return fill->attrs().has("value") && all_equal(fill->attrs().tensor("value"), 1);
  }
  const Tensor* data = ones->constant();
  return data != nullptr && data->elements() > 0 && all_equal(*data, 1);
}

/// `mask`, or what it was expanded from when that has as many keys.
Value& before_expand(Value& mask) {
  const Node* expand = made_by(&mask, "Expand");
  if (expand == nullptr) return mask;
  Value& from = *expand->input(0);
  const auto last = [](const Value& value) {
    const Shape& shape = value.type.shape;
    return shape.rank() > 0 ? shape[shape.rank() - 1] : Dim(-1);
  };
  const bool fits = from.has_type && from.type.shape.ranked() && last(from) == last(mask);
  return fits ? from : mask;
}

/// `mask`, or what axes of 1 were put before; what it was expanded from when that has as many keys.
Value& core_of(Value& mask) {
  Value& value = before_expand(mask);
  const Node* node = value.producer();
  if (node == nullptr || !(node->is("Unsqueeze") || node->is("Reshape"))) return value;
  Value& from = *node->input(0);
  if (!from.has_type || !from.type.shape.ranked() || !value.has_type) return value;
  std::vector<Dim> dims = from.type.shape.dims();
  while (static_cast<int64_t>(dims.size()) < value.type.shape.rank()) dims.insert(dims.begin(), 1);
  const bool is_lead = from.type.shape.rank() >= 2 && value.type.shape == Shape(std::move(dims));
  return is_lead ? core_of(from) : value;
}

/// Whether a bool value is the lower triangle; `inverted`: its opposite.
bool is_causal_bool(Value& cond_with_axes, bool inverted) {
  const Value& cond = core_of(cond_with_axes);
  if (const Tensor* data = cond.constant()) {
    return is_triangle(*data, [&](double v) { return std::optional<bool>((v != 0) != inverted); });
  }
  if (const Node* other = made_by(&cond, "Not")) return is_causal_bool(*other->input(0), !inverted);
  if (const Node* equal = made_by(&cond, "Equal")) {
    return inverted && is_scalar(equal->input(1), 0) && is_lower_ones(equal->input(0));
  }
  if (const Node* cast = made_by(&cond, "Cast")) {
    return !inverted && is_lower_ones(cast->input(0));
  }
  return !inverted && is_lower_ones(&cond);
}

/// A constant bool mask that leaves every query some key.
bool keeps_some_key(const Value& cond, bool hides) {
  const Tensor* data = cond.constant();
  if (data == nullptr || data->dims().empty() || data->dims().back() == 0) return false;
  const int64_t keys = data->dims().back();
  const TensorView view = data->view();
  for (int64_t row = 0; row < data->elements() / keys; ++row) {
    bool any = false;
    for (int64_t j = 0; j < keys; ++j) any = any || (view.load(row * keys + j) != 0) != hides;
    if (!any) return false;
  }
  return true;
}

/// One number that is at most `highest` above the diagonal, 0 elsewhere.
bool is_upper_fill(const Value& value, double highest) {
  const Node* trilu = made_by(&value, "Trilu");
  if (trilu == nullptr || !trilu->attrs().flag("upper") || !is_scalar(trilu->input(1), 1)) {
    return false;
  }
  const Value* fill = trilu->input(0);
  if (const Node* expand = made_by(fill, "Expand")) fill = expand->input(0);
  const Tensor* data = fill->constant();
  if (const Node* filled = made_by(fill, "ConstantOfShape")) {
    data = filled->attrs().has("value") ? &filled->attrs().tensor("value") : nullptr;
  }
  if (data == nullptr || data->elements() == 0) return false;
  const double low = data->view().load(0);
  return low <= highest && all_equal(*data, low);
}

MaskTerm bool_mask(Value& cond, bool hides) {
  using Kind = MaskTerm::Kind;
  if (is_causal_bool(cond, hides)) return {.kind = Kind::kCausal};
  Node* const inverse = made_by(&cond, "Not");
  if (inverse != nullptr) return bool_mask(*inverse->input(0), !hides);
  return {.kind = hides ? Kind::kHide : Kind::kKeep, .value = &cond};
}

/// From the weights to what the second product reads: a guard that makes NaN 0, a Cast.
struct Tail {
  Value* weights = nullptr;
  const Node* cast = nullptr;
};
std::optional<Tail> follow_weights(Node& softmax, std::vector<const Node*>& nodes) {
  Value* weights = softmax.output();
  if (is_any_output(*weights)) return std::nullopt;
  if (weights->uses().size() == 2) {
    const Node* is_nan = nullptr;
    Node* where = nullptr;
    for (const Use& use : weights->uses()) {
      if (use.node->is("IsNaN")) is_nan = use.node;
      if (use.node->is("Where") && use.index == 2) where = use.node;
    }
    const bool guards = is_nan != nullptr && where != nullptr &&
                        sole_user(*is_nan->output()) == where &&
                        where->input(0) == is_nan->output() && is_scalar(where->input(1), 0) &&
                        same_type(*where->output(), *weights);
    if (!guards) return std::nullopt;
    nodes.push_back(is_nan);
    nodes.push_back(where);
    weights = where->output();
  }
  Tail tail = {.weights = weights};
  if (Node* cast = only_reader(*weights, "Cast")) {
    nodes.push_back(cast);
    tail = {.weights = cast->output(), .cast = cast};
  }
  return tail;
}

// More masks than any exporter adds.
constexpr size_t kMostMasks = 3;

/// What was taken off the scores on the way to their product.
struct Scores {
  Node* product = nullptr;
  double scale = 1;
  bool is_only = true;  // masks are read as if there were one
  std::vector<MaskTerm> masks = {};
  const Node* cast = nullptr;
  std::vector<const Node*> nodes = {};
};

/// Takes masks and scales off `value` until the product is found.
std::optional<Scores> find_product(Value& value, Scores taken);

/// A mask may have left the scores' type as it was, or put broadcast(., t) in place of the number
/// of keys t: the product with the values then fails for all other sizes.
bool keeps_scores(const Value& scores, const Value& masked) {
  if (!scores.has_type || !masked.has_type || scores.type.dtype != masked.type.dtype) return false;
  const Shape& from = scores.type.shape;
  const Shape& to = masked.type.shape;
  if (from.rank() < 1 || from.rank() != to.rank()) return false;
  for (int64_t axis = 0; axis + 1 < from.rank(); ++axis) {
    if (!(from[axis] == to[axis])) return false;
  }
  const Dim& keys = from[from.rank() - 1];
  const Dim& seen = to[to.rank() - 1];
  return keys == seen || (!keys.is_static() && !seen.is_static());
}

/// The same for what is left below a mask; a mask must not be scaled itself.
std::optional<Scores> below_mask(const Value& value, Value& scores, const MaskTerm& term,
                                 Scores taken) {
  if (taken.scale != 1 || taken.masks.size() == kMostMasks || !keeps_scores(scores, value)) {
    return std::nullopt;
  }
  taken.masks.push_back(term);
  taken.masks.back().scores = scores.type.shape;
  return find_product(scores, std::move(taken));
}

std::optional<Scores> below_add(const Value& value, const Node& add, const Scores& taken) {
  for (const int64_t side : {0, 1}) {
    const MaskTerm term = added_mask(*add.input(1 - side), value.type.shape, taken.is_only);
    auto found = below_mask(value, *add.input(side), term, taken);
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Scores> below_where(const Value& value, const Node& where, const Scores& taken) {
  for (const bool hides : {false, true}) {
    const std::optional<double> fill = scalar_of(where.input(hides ? 1 : 2));
    if (!fill) continue;
    const auto term = filled_mask(*where.input(0), *fill, hides, taken.is_only);
    if (!term) return std::nullopt;
    return below_mask(value, *where.input(hides ? 2 : 1), *term, taken);
  }
  return std::nullopt;
}

/// Only the axes before the last two differ.
bool keeps_matrices(const Value& from, const Value& to) {
  if (!from.has_type || !to.has_type) return false;
  const Shape& a = from.type.shape;
  const Shape& b = to.type.shape;
  return a.rank() >= 3 && b.rank() >= 3 && a[a.rank() - 1] == b[b.rank() - 1] &&
         a[a.rank() - 2] == b[b.rank() - 2];
}

std::optional<Scores> find_product(Value& value, Scores taken) {
  Node* const node = value.producer();
  if (node == nullptr || !is_private(value) || !value.has_type) return std::nullopt;
  taken.nodes.push_back(node);
  if (node->is("MatMul")) {
    taken.product = node;
    return taken;
  }
  if (const Scaled scaled = unscaled(value); scaled.node != nullptr) {
    taken.scale *= scaled.factor;
    return find_product(*scaled.value, std::move(taken));
  }
  if (node->is("Add")) return below_add(value, *node, taken);
  if (node->is("Where")) return below_where(value, *node, taken);
  if (node->is("Reshape") && keeps_matrices(*node->input(0), value)) {
    return find_product(*node->input(0), std::move(taken));
  }
  if (node->is("Cast") && taken.cast == nullptr) {
    taken.cast = node;
    return find_product(*node->input(0), std::move(taken));
  }
  return std::nullopt;
}

/// With several masks, a finite fill that comes after causality would bring keys back.
bool fills_causal(const std::vector<MaskTerm>& masks) {
  bool has_fill = false;
  for (const MaskTerm& term : masks) {
    if (has_fill && term.kind == MaskTerm::Kind::kCausal) return true;
    has_fill = has_fill || term.kind == MaskTerm::Kind::kFill;
  }
  return false;
}

bool is_last_axis(const Node& softmax) {
  const Value& value = *softmax.output();
  if (!value.has_type || value.type.shape.rank() < 3 || value.type.shape.rank() > 4) return false;
  const int64_t axis = softmax.attrs().i64("axis");
  return axis == -1 || axis == value.type.shape.rank() - 1;
}

}  // namespace

Scaled unscaled(Value& value) {
  Node* const node = value.producer();
  if (node == nullptr || !(node->is("Mul") || node->is("Div"))) return {&value, 1, nullptr};
  const bool is_div = node->is("Div");
  for (const int64_t side : {1, 0}) {
    if (is_div && side == 0) break;
    const std::optional<double> number = scalar_of(node->input(side));
    Value* const other = node->input(1 - side);
    if (!number || !same_type(*other, value)) continue;
    const double factor = is_div ? 1 / *number : *number;
    if (std::isfinite(factor) && factor != 0) return {other, factor, node};
  }
  return {&value, 1, nullptr};
}

Value* take_factors(Value& operand, AttentionMatch& match) {
  Value* value = &operand;
  for (Scaled scaled = unscaled(*value); scaled.node != nullptr; scaled = unscaled(*value)) {
    if (!is_private(*value)) break;
    match.scale *= scaled.factor;
    match.nodes.push_back(scaled.node);
    value = scaled.value;
  }
  return value;
}

MaskTerm added_mask(Value& mask, const Shape& scores, bool is_only) {
  Value& value = before_expand(mask);
  const MaskTerm causal = {.kind = MaskTerm::Kind::kCausal};
  const MaskTerm added = {.kind = MaskTerm::Kind::kFloat, .value = &value};
  const double highest = is_only ? kFarBelow : -HUGE_VAL;
  const Tensor* data = value.constant();
  if (data != nullptr && scores.rank() >= 2) {
    const auto is_in = [highest](double v) {
      return v == 0 ? std::optional<bool>(true)
                    : (v <= highest ? std::optional<bool>(false) : std::nullopt);
    };
    return is_triangle(*data, is_in) ? causal : added;
  }
  if (is_upper_fill(core_of(value), highest)) return causal;
  const Node* where = made_by(&value, "Where");
  if (where == nullptr || !(where->input(0)->type.shape == value.type.shape)) return added;
  for (const bool hides : {false, true}) {
    const std::optional<double> fill = scalar_of(where->input(hides ? 1 : 2));
    if (!fill || *fill > highest || !is_scalar(where->input(hides ? 2 : 1), 0)) continue;
    const MaskTerm term = bool_mask(before_expand(*where->input(0)), hides);
    // A finite fill leaves a query without any other key its equal weights.
    if (term.kind == MaskTerm::Kind::kCausal || std::isinf(*fill)) return term;
  }
  return added;
}

std::optional<MaskTerm> filled_mask(Value& cond, double fill, bool hides, bool is_only) {
  Value& value = before_expand(cond);
  MaskTerm term = bool_mask(value, hides);
  if (std::isinf(fill) && fill < 0) return term;
  if (is_only && (term.kind == MaskTerm::Kind::kCausal || keeps_some_key(value, hides))) {
    return fill <= kFarBelow ? std::optional<MaskTerm>(term) : std::nullopt;
  }
  if (!(fill <= kAbsorbs)) return std::nullopt;
  return MaskTerm{.kind = MaskTerm::Kind::kFill, .value = &value, .hides = hides, .fill = fill};
}

std::optional<AttentionMatch> match_attention(Node& softmax) {
  if (!is_last_axis(softmax) || !is_float_type(*softmax.output())) return std::nullopt;
  std::optional<Scores> scores = find_product(*softmax.input(0), {});
  if (scores && scores->masks.size() > 1)
    scores = find_product(*softmax.input(0), {.is_only = false});
  if (!scores || fills_causal(scores->masks)) return std::nullopt;
  AttentionMatch match = {.scale = scores->scale,
                          .masks = std::move(scores->masks),
                          .wide_softmax = scores->cast != nullptr,
                          .nodes = std::move(scores->nodes)};
  match.nodes.push_back(&softmax);
  const std::optional<Tail> tail = follow_weights(softmax, match.nodes);
  if (!tail || (tail->cast != nullptr) != match.wide_softmax) return std::nullopt;
  Node* const product = only_reader(*tail->weights, "MatMul");
  if (product == nullptr || product->input(0) != tail->weights) return std::nullopt;
  const DType dtype = scores->product->output()->type.dtype;
  const bool is_half = dtype == DType::kF16 || dtype == DType::kBF16;
  if (!product->input(1)->has_type || product->input(1)->type.dtype != dtype ||
      (match.wide_softmax && (!is_half || softmax.output()->type.dtype != DType::kF32))) {
    return std::nullopt;
  }
  match.q = take_factors(*scores->product->input(0), match);
  match.k_transposed = take_factors(*scores->product->input(1), match);
  match.v = product->input(1);
  match.product = product;
  match.nodes.push_back(product);
  return match;
}

}  // namespace npugraph
