// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tensor/dim.h"
#include "npugraph/tensor/dtype.h"

namespace npugraph {

/// Concrete sizes, outermost first; empty is a scalar.
using Dims = std::vector<int64_t>;

/// Product of `dims`. Errors: kShapeMismatch (a negative one), kSizeOverflow.
Result<int64_t> element_count(const Dims& dims);
/// Bytes of a dense tensor; 4-bit types round up to whole bytes. Errors: as element_count.
Result<int64_t> dense_bytes(DType dtype, const Dims& dims);
/// "1x3x224x224"; "scalar" for rank 0.
std::string dims_str(const Dims& dims);

/// A shape at compile time: a list of dims, or one whose rank is not even known before the node
/// has run (the two branches of an If may differ in rank).
class Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<Dim> dims) : dims_(dims) {}
  explicit Shape(std::vector<Dim> dims) : dims_(std::move(dims)) {}
  explicit Shape(const Dims& dims) : dims_(dims.begin(), dims.end()) {}
  static Shape unranked();

  bool ranked() const noexcept { return ranked_; }
  /// -1 when unranked.
  int64_t rank() const noexcept { return ranked_ ? static_cast<int64_t>(dims_.size()) : -1; }
  const std::vector<Dim>& dims() const noexcept { return dims_; }
  std::vector<Dim>& dims() noexcept { return dims_; }
  const Dim& operator[](int64_t axis) const { return dims_[static_cast<size_t>(axis)]; }
  Dim& operator[](int64_t axis) { return dims_[static_cast<size_t>(axis)]; }

  /// The numbers, when every dim is one.
  std::optional<Dims> known() const;
  bool is_static() const { return known().has_value(); }
  /// Product of the dims, as an expression; NPU_CHECKs that it is ranked.
  Dim elements() const;
  /// "[1, 3, h, 2*w + 1]", "[*]" when unranked; parse() reads it back.
  std::string str() const;
  static Result<Shape> parse(std::string_view text);
  bool operator==(const Shape& other) const = default;

 private:
  bool ranked_ = true;
  std::vector<Dim> dims_;
};

/// What is known of a tensor before it exists.
struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;

  /// Dense bytes as an expression (4-bit types: half a byte an element, rounded up).
  Dim bytes() const;
  /// "float32[1, 3, h, w]"
  std::string str() const;
  bool operator==(const TensorType& other) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const Shape& shape) {
  return stream << shape.str();
}
inline std::ostream& operator<<(std::ostream& stream, const TensorType& type) {
  return stream << type.str();
}

/// Symbols that start so stand for sizes which only running a node can tell.
inline constexpr std::string_view kLatePrefix = "late.";
bool is_late_symbol(std::string_view name) noexcept;
/// True when any dim of the shape names such a symbol, or the rank is unknown.
bool is_late(const Shape& shape);

/// Counts a negative axis from the end. Errors: kAxisOutsideRank unless -rank <= axis < rank.
Result<int64_t> wrap_axis(int64_t axis, int64_t rank);

/// ONNX multidirectional broadcasting of two shapes. Errors: kShapeMismatch for unequal numbers.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);
Result<Dims> broadcast_dims(const Dims& a, const Dims& b);

}  // namespace npugraph
