// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tensor/shape.h"

#include <algorithm>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"

namespace npugraph {

Result<int64_t> element_count(const Dims& dims) {
  int64_t count = 1;
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0)
      return fail(ErrorId::kShapeMismatch, "a dimension is negative", dims_str(dims),
                  "dimensions of 0 or more");
    if (dim == 0) {
      empty = true;
      continue;
    }
    const auto next = checked_mul(count, dim);
    if (!next)
      return fail(ErrorId::kSizeOverflow, "a tensor is too large", dims_str(dims),
                  "fewer than 2^63 elements");
    count = *next;
  }
  return empty ? 0 : count;
}

Result<int64_t> dense_bytes(DType dtype, const Dims& dims) {
  NPU_LET(const int64_t count, element_count(dims));
  const auto bits = checked_mul(count, dtype_bits(dtype));
  if (!bits || !checked_add(*bits, 7))
    return fail(ErrorId::kSizeOverflow, "a tensor is too large",
                text(dtype_name(dtype), " ", dims_str(dims)), "fewer than 2^60 bytes");
  return (*bits + 7) / 8;
}

std::string dims_str(const Dims& dims) { return dims.empty() ? "scalar" : join(dims, "x"); }

Shape Shape::unranked() {
  Shape shape;
  shape.ranked_ = false;
  return shape;
}

std::optional<Dims> Shape::known() const {
  if (!ranked_) return std::nullopt;
  Dims out;
  out.reserve(dims_.size());
  for (const Dim& dim : dims_) {
    const auto number = dim.known();
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

Dim Shape::elements() const {
  NPU_CHECK(ranked_, "elements() of an unranked shape");
  Dim product(1);
  for (const Dim& dim : dims_) product = product * dim;
  return product;
}

std::string Shape::str() const { return ranked_ ? "[" + join(dims_) + "]" : "[*]"; }

Result<Shape> Shape::parse(std::string_view text) {
  const auto bad = [&] {
    return fail(ErrorId::kIrParse, "not a shape", std::string(text.substr(0, 60)),
                "[1, 3, h, w] or [*]");
  };
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return bad();
  text = text.substr(1, text.size() - 2);
  if (text == "*") return unranked();
  std::vector<Dim> dims;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size() && !text.empty(); ++i) {
    if (i < text.size()) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (text[i] != ',' || depth != 0) continue;
    }
    NPU_LET(Dim dim, Dim::parse(text.substr(start, i - start)));
    dims.push_back(std::move(dim));
    start = i + 1;
  }
  return Shape(std::move(dims));
}

Dim TensorType::bytes() const {
  const int64_t bits = dtype_bits(dtype);
  if (bits >= 8) return shape.elements() * Dim(bits / 8);
  return Dim::ceil_div(shape.elements() * Dim(bits), Dim(8));
}

std::string TensorType::str() const { return text(dtype_name(dtype), shape.str()); }

bool is_late_symbol(std::string_view name) noexcept { return name.starts_with(kLatePrefix); }

bool is_late(const Shape& shape) {
  if (!shape.ranked()) return true;
  for (const Dim& dim : shape.dims())
    for (const std::string& symbol : dim.symbols())
      if (is_late_symbol(symbol)) return true;
  return false;
}

Result<int64_t> wrap_axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return fail(ErrorId::kAxisOutsideRank, text("axis is outside rank ", rank),
                std::to_string(axis),
                rank == 0 ? "no axis: a scalar has none" : text(-rank, "..", rank - 1));
  return axis < 0 ? axis + rank : axis;
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  if (!a.ranked() || !b.ranked()) return Shape::unranked();
  const int64_t rank = std::max(a.rank(), b.rank());
  std::vector<Dim> out(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t ia = i - (rank - a.rank());
    const int64_t ib = i - (rank - b.rank());
    const Dim x = ia < 0 ? Dim(1) : a[ia];
    const Dim y = ib < 0 ? Dim(1) : b[ib];
    if (x.is_static() && y.is_static() && x != y && x != Dim(1) && y != Dim(1))
      return fail(ErrorId::kShapeMismatch, "shapes do not broadcast",
                  text(a.str(), " and ", b.str()), text("equal dimensions or 1 on axis ", i));
    out[static_cast<size_t>(i)] = Dim::broadcast(x, y);
  }
  return Shape(std::move(out));
}

Result<Dims> broadcast_dims(const Dims& a, const Dims& b) {
  NPU_LET(const Shape shape, broadcast_shapes(Shape(a), Shape(b)));
  return *shape.known();
}

}  // namespace npugraph
