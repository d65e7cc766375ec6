// SPDX-License-Identifier: Apache-2.0
// Rotary position becomes RotaryEmbedding:
//   x * cos + rotate_half(x) * sin, rotate_half(x) = concat(-second half, first half) of the last
//   axis, where both halves of cos and of sin are equal; or concat(x1 * cos - x2 * sin, x2 * cos +
//   x1 * sin), x1 and x2 the halves of x.
// With `interleaved` the halves are the even and the odd elements.
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/ops/infer_tools.h"
#include "npugraph/passes/inserted.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/permutation.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph::passes {
namespace {

int64_t rank_of(const Value& value) { return value.has_type ? value.type.shape.rank() : -1; }

std::optional<int64_t> last_dim(const Value& value) {
  if (rank_of(value) < 1) return std::nullopt;
  return value.type.shape[rank_of(value) - 1].known();
}

bool is_last(int64_t axis, const Value& value) { return axis == -1 || axis == rank_of(value) - 1; }

/// One half of the last axis of `of`.
struct Half {
  Value* of = nullptr;
  bool is_second = false;
  bool interleaved = false;
};

std::optional<Half> slice_half(const Node& slice) {
  Value* const x = slice.input(0);
  const auto length = last_dim(*x);
  const auto starts = known_ints(slice.input(1));
  const auto ends = known_ints(slice.input(2));
  if (!length || *length % 2 != 0 || !starts || !ends || starts->size() != 1) return std::nullopt;
  const auto axes = known_ints(slice.input(3));
  const auto steps = known_ints(slice.input(4));
  const bool on_last = slice.input(3) == nullptr
                           ? rank_of(*x) == 1
                           : axes && axes->size() == 1 && is_last((*axes)[0], *x);
  if (!on_last || (slice.input(4) != nullptr && !steps)) return std::nullopt;
  const int64_t step = steps ? (*steps)[0] : 1;
  const auto wrapped = [&](int64_t index) {
    return std::clamp<int64_t>(index < 0 ? index + *length : index, 0, *length);
  };
  const int64_t start = wrapped((*starts)[0]);
  const int64_t end = wrapped((*ends)[0]);
  if (step == 2 && start < 2 && end >= *length - 1 + start) {
    return Half{.of = x, .is_second = start == 1, .interleaved = true};
  }
  if (step != 1 || (start != 0 && start != *length / 2)) return std::nullopt;
  if (end != start + *length / 2) return std::nullopt;
  return Half{.of = x, .is_second = start != 0};
}

std::optional<Half> half_of(const Value& value) {
  const Node* node = value.producer();
  if (node == nullptr) return std::nullopt;
  if (node->is("Slice")) return slice_half(*node);
  if (!node->is("Split") || node->outputs().size() != 2) return std::nullopt;
  Value* const x = node->input(0);
  const auto length = last_dim(*x);
  const auto part = last_dim(value);
  if (!length || !part || 2 * *part != *length || !is_last(node->attrs().i64("axis"), *x)) {
    return std::nullopt;
  }
  return Half{.of = x, .is_second = value.output_index() == 1};
}

/// The value that an axis of 1 was appended to; null when none was.
Value* before_unsqueeze(const Value& value) {
  const Node* node = value.producer();
  if (node == nullptr || !(node->is("Unsqueeze") || node->is("Reshape"))) return nullptr;
  Value* const from = node->input(0);
  if (!from->has_type || !from->type.shape.ranked() || !value.has_type) return nullptr;
  std::vector<Dim> dims = from->type.shape.dims();
  dims.emplace_back(1);
  return value.type.shape == Shape(std::move(dims)) ? from : nullptr;
}

/// The two values that `value` is put together of: one after the other in the last axis, or
/// alternating.
struct Joined {
  Value* first = nullptr;
  Value* second = nullptr;
  bool interleaved = false;
};

std::optional<Joined> joined(const Value& value) {
  const Node* node = value.producer();
  if (node == nullptr) return std::nullopt;
  const bool interleaved = node->is("Reshape");
  if (interleaved) node = made_by(node->input(0), "Concat");
  if (node == nullptr || !node->is("Concat") || node->inputs().size() != 2 ||
      !is_last(node->attrs().i64("axis"), *node->output())) {
    return std::nullopt;
  }
  Joined parts = {node->input(0), node->input(1), interleaved};
  if (interleaved) {
    parts.first = before_unsqueeze(*parts.first);
    parts.second = before_unsqueeze(*parts.second);
    if (parts.first == nullptr || parts.second == nullptr) return std::nullopt;
  }
  const auto whole = last_dim(value);
  const bool fits = whole && rank_of(value) == rank_of(*parts.first) &&
                    last_dim(*parts.first) == *whole / 2 && last_dim(*parts.second) == *whole / 2;
  return fits ? std::optional<Joined>(parts) : std::nullopt;
}

/// Whether the two halves of every row of a constant are equal.
bool repeats_in(const Tensor& data, bool interleaved) {
  if (data.dims().empty() || data.dims().back() % 2 != 0 || data.elements() == 0) return false;
  const int64_t length = data.dims().back();
  const int64_t half = length / 2;
  const TensorView view = data.view();
  for (int64_t row = 0; row < data.elements(); row += length) {
    for (int64_t i = 0; i < half; ++i) {
      const int64_t a = row + (interleaved ? 2 * i : i);
      if (view.load(a) != view.load(interleaved ? a + 1 : a + half)) return false;
    }
  }
  return true;
}

/// Whether the two halves of the last axis are equal for all data.
bool has_equal_halves(const Value& value, bool interleaved) {
  if (const Tensor* data = value.constant()) return repeats_in(*data, interleaved);
  const Node* node = value.producer();
  if (node == nullptr || !last_dim(value)) return false;
  if (const auto parts = joined(value); parts && parts->interleaved == interleaved) {
    if (parts->first == parts->second) return true;
  }
  Value* const from = node->input(0);
  if (interleaved && node->is("Reshape")) {
    const Node* expand = made_by(from, "Expand");
    if (expand != nullptr && before_unsqueeze(*expand->input(0)) != nullptr &&
        last_dim(*expand->output()) == 2 && rank_of(value) + 1 == rank_of(*from)) {
      return true;
    }
  }
  if (node->schema().is_elementwise && node->inputs().size() == 1) {
    return has_equal_halves(*from, interleaved);
  }
  if (node->is("Mul") || node->is("Div")) {
    return scalar_of(node->input(1)).has_value() && has_equal_halves(*from, interleaved);
  }
  const bool keeps_rows = (node->is("Cast") || node->is("Unsqueeze") || node->is("Squeeze") ||
                           node->is("Reshape") || node->is("Identity") || node->is("Expand")) &&
                          last_dim(*from) == last_dim(value);
  const bool picks_rows = node->is("Gather") && node->attrs().i64("axis") == 0 &&
                          rank_of(*from) > 1 && last_dim(*from) == last_dim(value);
  return (keeps_rows || picks_rows) && has_equal_halves(*from, interleaved);
}

/// What RotaryEmbedding takes: cos and sin hold one angle a pair, or when `is_wide`, each twice.
struct Rotary {
  Value* x = nullptr;
  Value* cos = nullptr;
  Value* sin = nullptr;
  bool is_wide = false;
  bool interleaved = false;
  std::vector<const Node*> nodes = {};
};

/// A product read by nobody else.
Node* product_of(const Value* value) {
  Node* const node = made_by(value, "Mul");
  return node != nullptr && is_private(*value) ? node : nullptr;
}

/// concat(-second half, first half) of x, read by nobody else.
std::optional<Half> rotate_half(const Value& value) {
  const auto parts = joined(value);
  if (!parts || !is_private(value)) return std::nullopt;
  const Node* negated = made_by(parts->first, "Neg");
  if (negated == nullptr) return std::nullopt;
  const auto second = half_of(*negated->input(0));
  const auto first = half_of(*parts->second);
  const bool fits = first && second && first->of == second->of && !first->is_second &&
                    second->is_second && first->interleaved == parts->interleaved &&
                    second->interleaved == parts->interleaved;
  return fits ? first : std::nullopt;
}

std::optional<Rotary> match_wide(const Node& add) {
  for (const int64_t side : {0, 1}) {
    Node* const straight = product_of(add.input(side));
    Node* const crossed = product_of(add.input(1 - side));
    if (straight == nullptr || crossed == nullptr || straight == crossed) continue;
    for (const int64_t factor : {0, 1}) {
      const auto half = rotate_half(*crossed->input(factor));
      if (!half) continue;
      Value* const cos = other_input(*straight, *half->of);
      Value* const sin = crossed->input(1 - factor);
      if (cos == nullptr || !has_equal_halves(*cos, half->interleaved) ||
          !has_equal_halves(*sin, half->interleaved)) {
        continue;
      }
      return Rotary{.x = half->of,
                    .cos = cos,
                    .sin = sin,
                    .is_wide = true,
                    .interleaved = half->interleaved,
                    .nodes = {straight, crossed->input(factor)->producer(), crossed, &add}};
    }
  }
  return std::nullopt;
}

/// A product of one half of something, and the other factor.
struct HalfProduct {
  Half half;
  Value* factor = nullptr;
};
std::optional<HalfProduct> half_product(const Value* value, bool is_second) {
  const Node* node = product_of(value);
  if (node == nullptr) return std::nullopt;
  for (const int64_t side : {0, 1}) {
    const auto half = half_of(*node->input(side));
    if (half && half->is_second == is_second) {
      return HalfProduct{.half = *half, .factor = node->input(1 - side)};
    }
  }
  return std::nullopt;
}

std::optional<Rotary> match_narrow(const Node& root) {
  const auto parts = joined(*root.output());
  if (!parts || !is_private(*parts->first) || !is_private(*parts->second)) return std::nullopt;
  const Node* real = made_by(parts->first, "Sub");
  const Node* imaginary = made_by(parts->second, "Add");
  if (real == nullptr || imaginary == nullptr) return std::nullopt;
  const auto x1_cos = half_product(real->input(0), false);
  const auto x2_sin = half_product(real->input(1), true);
  for (const int64_t side : {0, 1}) {
    const auto x2_cos = half_product(imaginary->input(side), true);
    const auto x1_sin = half_product(imaginary->input(1 - side), false);
    if (!x1_cos || !x2_sin || !x2_cos || !x1_sin) continue;
    Value* const x = x1_cos->half.of;
    bool fits = x1_cos->factor == x2_cos->factor && x2_sin->factor == x1_sin->factor;
    for (const auto& product : {x1_cos, x2_sin, x2_cos, x1_sin}) {
      fits = fits && product->half.of == x && product->half.interleaved == parts->interleaved;
    }
    if (!fits) continue;
    return Rotary{.x = x,
                  .cos = x1_cos->factor,
                  .sin = x2_sin->factor,
                  .interleaved = parts->interleaved,
                  .nodes = {real->input(0)->producer(), real->input(1)->producer(), real,
                            imaginary->input(0)->producer(), imaginary->input(1)->producer(),
                            imaginary, &root}};
  }
  return std::nullopt;
}

/// Which axis of x [b, ., ., d] holds the heads, by what cos and sin repeat along; nothing when
/// they do not fit.
std::optional<int64_t> head_axis(const Rotary& match) {
  const Shape& x = match.x->type.shape;
  const auto d = last_dim(*match.x);
  if (!d) return std::nullopt;
  for (const int64_t axis : {1, 2}) {
    bool fits = x[axis].is_static();
    for (const Value* cache : {match.cos, match.sin}) {
      const Shape& shape = cache->type.shape;
      if (!cache->has_type || !shape.ranked() || shape.rank() < 2 || shape.rank() > 4) return {};
      std::vector<Dim> dims = shape.dims();
      dims.insert(dims.begin(), static_cast<size_t>(4 - shape.rank()), Dim(1));
      fits = fits && dims[3] == Dim(match.is_wide ? *d : *d / 2) &&
             dims[static_cast<size_t>(axis)] == Dim(1) &&
             dims[static_cast<size_t>(3 - axis)] == x[3 - axis] &&
             (dims[0] == Dim(1) || dims[0] == x[0]);
    }
    if (fits) return axis;
  }
  return std::nullopt;
}

class Builder {
 public:
  Builder(Rotary match, Node& root)
      : match_(std::move(match)), root_(root), made_(root, root.graph()) {}

  Result<bool> run() { return made_.outcome(rewrite()); }

 private:
  Result<bool> rewrite() {
    // ONNX has no RotaryEmbedding of float64.
    if (rank_of(*match_.x) != 4 || !same_type(*match_.x, *root_.output()) ||
        !is_float_type(*match_.x) || match_.x->type.dtype == DType::kF64) {
      return false;
    }
    const auto axis = head_axis(match_);
    if (!axis) return false;
    const Shape& x = match_.x->type.shape;
    batch_ = x[0];
    length_ = x[3 - *axis];
    d_ = *last_dim(*match_.x);
    head_axis_ = *axis;
    heads_ = x[*axis].value();
    NPU_LET(Value* const cos, cache(*match_.cos, ".cos"));
    NPU_LET(Value* const sin, cache(*match_.sin, ".sin"));
    if (cos == nullptr || sin == nullptr) return false;
    const bool is_swapped = *axis == 1 && permutation_of(match_.x) == kSwapHeads;
    if (*axis == 1 && !is_swapped) return finish(nullptr, *match_.x, cos, sin);
    Value* const split = is_swapped ? match_.x->producer()->input(0) : match_.x;
    if (is_swapped && is_private(*match_.x)) match_.nodes.push_back(match_.x->producer());
    NPU_LET(Value* const merged, made_.reshaped(*split, {batch_, length_, Dim(heads_ * d_)}));
    if (merged == nullptr) return false;
    return finish(split, *merged, cos, sin);
  }

  /// [b, s, d / 2] of what the model multiplies with.
  Result<Value*> cache(Value& wide, std::string_view suffix) {
    Value* const none = nullptr;
    Value* value = &wide;
    if (match_.is_wide) {
      const auto number = [&](int64_t n) { return &made_.constant(suffix, Tensor::of_ints({n})); };
      const bool alternate = match_.interleaved;
      NPU_LET(value, made_.value("Slice", suffix,
                                 {value, number(0), number(alternate ? d_ : d_ / 2), number(-1),
                                  number(alternate ? 2 : 1)}));
    }
    // [b, 1, s, d / 2], [b, s, 1, d / 2], [1, s, d / 2], [s, 1, d / 2] or [s, d / 2].
    const int64_t lead = 4 - value->type.shape.rank();
    if (head_axis_ >= lead) {
      NPU_LET(value, along("Squeeze", *value, head_axis_ - lead, suffix));
    }
    if (value->type.shape.rank() == 2) {
      NPU_LET(value, along("Unsqueeze", *value, 0, suffix));
    }
    const Dim batch = value->type.shape[0];
    if (batch == batch_) return value;
    NPU_LET(Value* const dims, batched_dims(suffix));
    NPU_LET(value, made_.value("Expand", suffix, {value, dims}));
    return value->type.shape == Shape({batch_, length_, Dim(d_ / 2)}) ? value : none;
  }

  Result<Value*> along(std::string_view op, Value& value, int64_t axis, std::string_view suffix) {
    return made_.value(op, suffix, {&value, &made_.constant(suffix, Tensor::of_ints({axis}))});
  }

  /// The dims [b, 1, 1] to expand to.
  Result<Value*> batched_dims(std::string_view suffix) {
    if (const auto number = batch_.known()) {
      return &made_.constant(suffix, Tensor::of_ints({*number, 1, 1}));
    }
    Attrs range;
    range.set("start", int64_t{0});
    range.set("end", int64_t{1});
    NPU_LET(Value* const batch, made_.value("Shape", suffix, {match_.x}, std::move(range)));
    Attrs along;
    along.set("axis", int64_t{0});
    return made_.value("Concat", suffix, {batch, &made_.constant(suffix, Tensor::of_ints({1, 1}))},
                       std::move(along));
  }

  /// split: null for [b, h, s, d]; else what x [b, s, h * d] has to be reshaped to again.
  Result<bool> finish(Value* split, Value& x, Value* cos, Value* sin) {
    Attrs attrs;
    attrs.set("interleaved", int64_t{match_.interleaved ? 1 : 0});
    if (split != nullptr) attrs.set("num_heads", heads_);
    NPU_LET(Node* const rotary,
            made_.node("RotaryEmbedding", ".rotary", {&x, cos, sin}, std::move(attrs)));
    Node* last = rotary;
    if (split != nullptr) {
      NPU_LET(Value* const back, made_.reshaped(*rotary->output(), split->type.shape));
      if (back == nullptr || back->producer() == rotary) return false;
      last = back->producer();
      if (split != match_.x) {
        Attrs swap;
        swap.set("perm", kSwapHeads);
        NPU_LET(last, made_.node("Transpose", "", {back}, std::move(swap)));
      }
    }
    if (!same_type(*last->output(), *root_.output()) ||
        !can_redirect(*root_.output(), *last->output())) {
      return false;
    }
    made_.keep();
    take_origins(*rotary, match_.nodes);
    replace_node(root_, *last);
    return true;
  }

  Rotary match_;
  Node& root_;
  Inserted made_;
  Dim batch_, length_;
  int64_t heads_ = 0, d_ = 0, head_axis_ = 0;
};

}  // namespace

Result<int64_t> fuse_rotary(Graph& graph, const PassContext& context) {
  int64_t changes = 0;
  for (Node* root : nodes_of(graph, {"Add", "Concat", "Reshape"})) {
    if (!root->output()->is_used()) continue;
    std::optional<Rotary> match = root->is("Add") ? match_wide(*root) : match_narrow(*root);
    if (!match || &match->x->graph() != &graph) continue;
    NPU_LET(const bool fused, Builder(*std::move(match), *root).run());
    changes += fused ? 1 : 0;
  }
  if (changes != 0) NPU_TRY(eliminate_dead_code(graph, context));
  return changes;
}

}  // namespace npugraph::passes
